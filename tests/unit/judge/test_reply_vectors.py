"""The conformance vectors of the judge protocol, through the checker and the command."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from engine_support import epc
from judge_support import judged, vectors

from epc.judge.evidence import Output
from epc.judge.samples import Sample
from epc.records.conformance import suite
from epc.records.strict_json import disagreements
from epc.records.typed import as_json
from epc.spec.judge_v1 import FLAGS, KINDS, admitted, overall_of, verdict_of

QUOTES = vectors("quotes")
REPLIES = vectors("replies")
VERDICTS = vectors("verdicts")
SCRIPT = Path(__file__).parents[2] / "conformance" / "work_vectors.py"
PERL = SCRIPT.with_name("reference_judge.pl")


@pytest.mark.parametrize("case", VERDICTS, ids=lambda case: case["id"])
def test_judge_3_3_every_score_vector_has_its_verdict(case: dict[str, Any]) -> None:
    scores, expected = case["given"], case["expect"]

    assert overall_of(scores) == expected["overall_score"]
    assert verdict_of(scores) == expected["verdict"]
    assert list(admitted(scores)) == expected["admitted"]


def test_reading_r20_as_printed_31_of_81_vectors_are_partial_and_fail() -> None:
    assert len(VERDICTS) == 81
    assert len({tuple(case["given"].values()) for case in VERDICTS}) == 81
    both_verdicts = [case for case in VERDICTS if case["expect"]["admitted"] == ["PARTIAL", "FAIL"]]
    assert len(both_verdicts) == 31


@pytest.mark.parametrize("case", REPLIES, ids=lambda case: case["id"])
def test_judge_6_every_reply_has_its_flags_and_verdict(case: dict[str, Any]) -> None:
    given = case["given"]
    reply: str = given["reply"]

    for raw in (reply, reply.encode("utf-8", "surrogatepass")):
        sample, rules = Sample(**given["sample"]), given.get("rules", 1)
        checked = as_json(judged(raw, sample, given["output"], rules))
        assert {key: checked[key] for key in case["expect"]} == case["expect"]
        assert len(checked["findings"]) >= len(checked["flags"])


@pytest.mark.parametrize("case", QUOTES, ids=lambda case: case["id"])
def test_reading_r25_every_quote_is_what_it_is(case: dict[str, Any]) -> None:
    given = case["given"]
    output = Output(given["output"], given["rules"])

    assert output.kind(given["quote"]) == case["expect"]["kind"]
    assert (not given["quote"].strip() or output.holds(given["quote"])) == case["expect"]["held"]


def test_reading_r25_the_vectors_have_every_kind() -> None:
    assert {case["expect"]["kind"] for case in QUOTES} == set(KINDS)


def test_reading_r22_the_vectors_raise_every_flag_alone_and_in_company() -> None:
    raised = [tuple(case["expect"]["flags"]) for case in REPLIES]

    assert len(REPLIES) >= 80
    for flag in FLAGS:
        assert (flag,) in raised
        assert [flags for flags in raised if flag in flags and len(flags) > 1]
    assert tuple(FLAGS) in raised
    assert all(list(flags) == [flag for flag in FLAGS if flag in flags] for flags in raised)


def test_the_vectors_are_what_the_independent_computation_gives() -> None:
    done = subprocess.run([sys.executable, SCRIPT, "--check"], capture_output=True, check=False)

    assert done.returncode == 0, done.stderr
    assert "epc" not in {
        word.split(".")[0]
        for path in SCRIPT.parent.glob("*.py")
        for line in path.read_text("utf-8").splitlines()
        if line.startswith(("import ", "from "))
        for word in [line.split()[1]]
    }


def test_the_vectors_name_what_they_are() -> None:
    names = [case["id"] for case in (*VERDICTS, *REPLIES, *QUOTES)]

    assert len(set(names)) == len(names)
    assert len({case["description"] for case in REPLIES}) == len(REPLIES)
    assert json.dumps(REPLIES)


def test_readings_r20_to_r27_a_program_in_another_language_answers_every_vector() -> None:
    cases = suite("judge")

    done = subprocess.run(
        ["perl", PERL],
        input="".join(f"{case.text}\n" for case in cases).encode(),
        capture_output=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, b"")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    differing = [
        case.id
        for case, answer in zip(cases, answers, strict=True)
        if disagreements(case.expect, answer)
    ]
    assert differing == []


def test_a_checker_qualifies_for_the_judge_protocol_by_the_command() -> None:
    check = ("conformance", "check", "--protocol", "judge")

    result = epc(*check, "--case", "drift-0", "--", "perl", PERL)
    none = epc(*check, "--case", "labels-01", "--", "echo", "{}")

    assert (result.returncode, result.stdout) == (
        0,
        "9 of 9 cases passed: a part of the suite only\n",
    )
    assert none.returncode == 1
    assert "/labels-01: differs at" in none.stdout
