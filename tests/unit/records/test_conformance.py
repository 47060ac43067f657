"""The suite, our own answers to it, and the check of any other program."""

import json
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from records_support import Run

from epc.errors import MalformedError, UsageError, WorldError
from epc.records import conformance
from epc.records.conformance import Case, answer_text, check, select, suite
from epc.records.schemas import findings as schema_findings

ROOT = Path(__file__).parents[3]
PERL = ("perl", str(ROOT / "tests/conformance/reference.pl"))
PHASES = ("text", "visual", "text_to_visual", "visual_to_text")

ANSWERED = [case for case in suite() if case.expect is not None]
MALFORMED = [case for case in suite() if case.error is not None]


def named(case: Case) -> str:
    return case.id


def test_epc_2_8_every_case_has_an_answer_or_an_error_and_a_name_of_its_own() -> None:
    assert len({case.id for case in suite()}) == len(suite()) == len(ANSWERED) + len(MALFORMED)
    assert len(ANSWERED) > 100
    assert len(MALFORMED) > 50


@pytest.mark.parametrize(
    "name", [entry.name for entry in (files("epc.spec") / "conformance" / "v1").iterdir()]
)
def test_epc_2_8_the_vectors_are_valid_against_their_own_schema(name: str) -> None:
    document = json.loads((files("epc.spec") / "conformance" / "v1" / name).read_text("utf-8"))

    assert schema_findings("conformance_vectors", document) == []
    assert document["absolute_tolerance"] == 1e-12
    for case in document["cases"]:
        if "expect" in case:
            assert schema_findings("conformance_case", case["given"]) == []
            assert schema_findings("conformance_answer", case["expect"]) == []


@pytest.mark.parametrize("case", ANSWERED, ids=named)
def test_epc_2_8_each_case_is_answered_as_worked_out_beforehand(case: Case) -> None:
    answer = answer_text(case.text.encode())

    assert schema_findings("conformance_answer", answer) == []
    assert_close(answer, case.expect, "")


def assert_close(given: Any, expected: Any, where: str) -> None:
    """Compare without the product's own comparison."""
    if isinstance(expected, dict):
        assert set(given) == set(expected), where
        for key, value in expected.items():
            assert_close(given[key], value, f"{where}/{key}")
    elif isinstance(expected, list):
        assert len(given) == len(expected), where
        for index, value in enumerate(expected):
            assert_close(given[index], value, f"{where}/{index}")
    elif isinstance(expected, bool):
        assert given is expected, where
    else:
        assert abs(given - expected) <= 1e-12, where


@pytest.mark.parametrize("case", MALFORMED, ids=named)
def test_epc_2_8_each_malformed_case_is_refused_at_its_place(case: Case) -> None:
    with pytest.raises(MalformedError) as caught:
        answer_text(case.text.encode())

    finding = caught.value.finding
    # A suite for every language puts what is no JSON at "", because most parsers know no place.
    # Ours may say more, but only where the text is not JSON and the suite says nothing.
    assert case.error is not None
    if case.error:
        assert finding.where == case.error
    else:
        assert finding.where == "" or finding.clause == "RFC 8259"


@pytest.mark.parametrize("content", [b"", b"\xff", b"[]", b"null", b'{"strategies": 3}'])
def test_what_is_no_case_is_refused(content: bytes) -> None:
    with pytest.raises(MalformedError) as caught:
        answer_text(content)
    assert caught.value.finding.where == ""


# --- Selecting.


def test_cases_are_selected_by_the_beginning_of_their_id() -> None:
    assert {case.id.rsplit("-", 1)[0] for case in select(["floor", "ties-01"])} == {"floor", "ties"}
    assert [case.id for case in select(["ties-01"])] == ["ties-01"]
    assert select([]) == [case for case in suite() if not case.id.startswith("rule_")]


def test_a_name_that_fits_no_case_is_misuse() -> None:
    with pytest.raises(UsageError, match="no case is called 'nothing'"):
        select(["floor", "nothing"])


# --- Checking a program.


def program(folder: Path, body: str) -> list[str]:
    path = folder / "program.py"
    path.write_text(body, "utf-8")
    return [sys.executable, "-S", "-E", str(path)]


def verdicts(command: list[str], cases: list[Case]) -> dict[str, str | None]:
    return {
        case.id: None if finding is None else finding.problem
        for case, finding in check(command, cases)
    }


def test_epc_2_8_an_independent_program_agrees() -> None:
    # With a part here; tests/acceptance runs it over the whole suite.
    assert shutil.which("perl"), "perl comes with git"

    assert {
        k: v for k, v in verdicts(list(PERL), select(["phases", "malformed-1"])).items() if v
    } == {}


def test_a_program_off_by_a_little_fails_where_it_is_off(tmp_path: Path) -> None:
    (case,) = select(["update-01"])
    assert case.expect is not None
    answer = json.loads(json.dumps(case.expect))
    answer["weights"]["text"][0] += 1e-11
    command = program(tmp_path, f"import sys; sys.stdin.read(); print('''{json.dumps(answer)}''')")

    ((_, finding),) = check(command, [case])

    assert finding is not None
    assert (finding.where, finding.clause) == ("/update-01", case.clause)
    assert finding.problem == "differs at /weights/text/0"


def test_a_program_within_the_tolerance_passes(tmp_path: Path) -> None:
    (case,) = select(["update-01"])
    answer = json.loads(json.dumps(case.expect))
    answer["weights"]["text"][0] += 5e-13
    command = program(tmp_path, f"import sys; sys.stdin.read(); print('''{json.dumps(answer)}''')")

    assert verdicts(command, [case]) == {"update-01": None}


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("print('oops')", "its answer: not JSON at line 1 column 1: Expecting value"),
        ("", "its answer: is empty"),
        ("print('{\"a\": NaN}')", "its answer: NaN is not a JSON number"),
        ("import sys; sys.stdout.buffer.write(b'\\xff')", "its answer: not UTF-8 at byte 0"),
        ("import sys; sys.exit('boom')", "exit code 1, expected 0 (boom)"),
        ("raise SystemExit(7)", "exit code 7, expected 0"),
        ("import os; os.kill(os.getpid(), 9)", "exit code -9, expected 0"),
    ],
)
def test_a_program_that_gives_no_answer_fails_with_what_it_did(
    tmp_path: Path, body: str, problem: str
) -> None:
    (case,) = select(["start-01"])

    assert verdicts(program(tmp_path, body), [case]) == {"start-01": problem}


def test_a_program_that_refuses_a_malformed_case_otherwise_fails(tmp_path: Path) -> None:
    case = MALFORMED[0]

    found = verdicts(program(tmp_path, "raise SystemExit(1)"), [case])

    assert found == {case.id: "exit code 1, expected 2: the case is malformed at ''"}


def test_a_program_that_never_answers_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conformance, "TIMEOUT_S", 0.2)
    command = program(tmp_path, "import threading; threading.Event().wait()")

    assert verdicts(command, select(["start-01"])) == {"start-01": "no answer within 0 s"}


def test_a_program_that_cannot_start_is_the_worlds_fault(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match="cannot start"):
        verdicts([str(tmp_path / "none")], select(["start-01"]))
    (tmp_path / "plain").write_text("not a program", "utf-8")
    with pytest.raises(WorldError, match="Permission denied"):
        verdicts([str(tmp_path / "plain")], select(["start-01"]))


# --- The live engine against the independent program.


def case_of(run: Run, seed: int) -> tuple[str, list[str]]:
    """Turn a seed's trials into a conformance case, and return the strategies' order."""
    manifest = run.manifest()
    phases: dict[str, list[dict[str, Any]]] = {phase: [] for phase in PHASES}
    for row in run.rows("trials"):
        if row["seed"] == seed:
            phases[row["phase"]].append({"u": row["u_strategy"], "verdict": row["verdict"]})
    config = {key: manifest["config"][key] for key in ("alpha_win", "alpha_lose", "weight_floor")}
    names = [strategy["name"] for strategy in manifest["strategies"]]
    return json.dumps({"strategies": len(names), "config": config, "phases": phases}), names


@pytest.mark.parametrize("name", ["flip", "exhaustive"])
def test_epc_2_8_an_independent_program_gets_the_figures_of_a_real_run(
    made: dict[str, Run], name: str
) -> None:
    run = made[name]
    for record in run.manifest()["results"]["per_seed"]:
        text, names = case_of(run, record["seed"])
        done = subprocess.run(list(PERL), input=text.encode(), capture_output=True, check=True)
        answer = json.loads(done.stdout)
        for phase in PHASES:
            stated = [record["weights"][phase][strategy] for strategy in names]
            assert_close(answer["weights"][phase], stated, phase)
        for key in ("gamma", "jsd", "zero_coupling", "tie_rate"):
            assert_close(answer[key], record[key], key)


def test_another_learning_rule_is_none_that_a_protocol_asks_for() -> None:
    of_rules = [case.id for case in suite() if not case.is_protocol]

    assert of_rules
    assert all(name.startswith("rule_") for name in of_rules)
    assert all(case.is_protocol is True for case in suite("judge"))
