"""`epc validate --write`, `show`, `replay` and `conformance`, as a user runs them."""

import json
import sys
from pathlib import Path

import pytest
from records_support import Run, epc

from epc.records.conformance import answer_text, select, suite

PERL = Path(__file__).parents[1] / "conformance" / "reference.pl"


def contents(run: Run) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in run.folder.iterdir()}


def tamper(run: Run) -> None:
    run.edit(lambda m: m["results"]["per_seed"][1]["gamma"].update(text_to_visual=0.25))


# --- validate --write


def test_epc_2_5_d_write_leaves_a_true_record_as_it_is(flip: Run) -> None:
    before = contents(flip)

    done = epc("validate", "--write", flip.folder)

    assert done.returncode == 0
    assert done.stdout.decode() == f"{flip.folder}: ok, findings: 0\n"
    assert "3 seeds recomputed from the trials; results equal to the manifest's" in (
        done.stderr.decode()
    )
    assert contents(flip) == before


def test_epc_2_5_d_validate_names_what_differs_and_write_mends_it(flip: Run) -> None:
    before = contents(flip)
    tamper(flip)

    looked = epc("validate", flip.folder)
    assert looked.returncode == 1
    assert "/results/per_seed/1/gamma/text_to_visual" in looked.stdout.decode()
    assert contents(flip) != before

    wrote = epc("validate", "--write", flip.folder)
    assert wrote.returncode == 1
    assert "  differs: /results/per_seed/1/gamma/text_to_visual\n" in wrote.stderr.decode()
    assert "  written: weights.jsonl, manifest.json\n" in wrote.stderr.decode()
    assert contents(flip) == before
    assert epc("validate", flip.folder).returncode == 0


def test_nothing_is_written_without_every_seed(flip: Run) -> None:
    flip.save_rows("trials", flip.rows("trials")[:-1])

    done = epc("validate", "--write", flip.folder)

    assert (done.returncode, done.stdout) == (2, b"")
    assert b"/trials: not every seed could be replayed" in done.stderr


# --- show


def test_show_prints_the_table_and_draws_the_picture(flip: Run) -> None:
    done = epc("show", flip.folder)

    assert done.returncode == 0
    assert done.stdout.decode().startswith("EPC-v1.0-AltRounds, measured 2026-07-02\n")
    assert (flip.folder / "figure.svg").read_text("utf-8").startswith("<svg")
    assert (flip.folder / "figure.png").read_bytes().startswith(b"\x89PNG")
    assert b"figure.svg" in done.stderr


def test_a_command_on_two_runs_says_which_of_them_it_cannot_read(flip: Run) -> None:
    empty = flip.folder.parent / "empty"
    empty.mkdir()

    done = epc("compare", flip.folder, empty)

    assert done.returncode == 2
    assert f"{empty}/manifest.json: there is no manifest.json here" in done.stderr.decode()


def test_show_as_json_prints_the_summary(flip: Run) -> None:
    done = epc("show", "--format", "json", flip.folder)

    document = json.loads(done.stdout)
    assert document.pop("quality")["measured"] is False
    assert document == flip.manifest()["results"]["summary"]


def test_a_picture_beside_the_record_changes_nothing_about_it(flip: Run) -> None:
    before = contents(flip)

    epc("show", flip.folder)

    assert {name: data for name, data in contents(flip).items() if name in before} == before
    assert epc("validate", flip.folder).returncode == 0


# --- replay

ANSWERED = next(case for case in suite() if case.expect is not None)


@pytest.mark.parametrize("form", ["file", "-"])
def test_epc_2_8_replay_answers_a_case(tmp_path: Path, form: str) -> None:
    path = tmp_path / "case.json"
    path.write_text(ANSWERED.text, "utf-8")

    done = epc("replay", path) if form == "file" else epc("replay", "-", stdin=path.read_bytes())

    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout) == answer_text(ANSWERED.text.encode())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b'{"strategies": 1}', b'(the whole document): "phases" is a required'),
        (b"", b"(the whole document): is empty"),
        (b"{", b"(the whole document): not JSON at line 1"),
        (b"\xff", b"(the whole document): not UTF-8 at byte 0"),
        (b"[" * 10_000, b"(the whole document): nested more than 64 deep"),
        (
            ANSWERED.text.encode().replace(b'"text": [', b'"text": [{"u": 1, "verdict": "A"}, ', 1),
            b"/phases/text/0/u: ",
        ),
    ],
)
def test_epc_2_8_replay_refuses_a_malformed_case_and_says_where(text: bytes, said: bytes) -> None:
    done = epc("replay", "-", stdin=text)

    assert (done.returncode, done.stdout) == (2, b"")
    assert said in done.stderr
    assert b"Traceback" not in done.stderr


def test_replay_of_a_file_that_is_not_there_is_not_an_answer(tmp_path: Path) -> None:
    done = epc("replay", tmp_path / "none.json")

    assert done.returncode == 2
    assert b"none.json" in done.stderr


# --- conformance


def test_epc_2_8_list_names_every_case_and_json_holds_them() -> None:
    text = epc("conformance", "list")
    listed = json.loads(epc("conformance", "list", "--format", "json").stdout)

    assert [line.split()[0] for line in text.stdout.decode().splitlines()] == [
        case.id for case in suite()
    ]
    assert [case["id"] for case in listed] == [case.id for case in suite()]
    assert set(listed[0]) == {"id", "clause", "description", "stdin", "expect", "error"}


def test_list_of_a_name_that_fits_nothing_exits_2() -> None:
    done = epc("conformance", "list", "nothing")

    assert (done.returncode, done.stdout) == (2, b"")


def test_epc_2_8_check_passes_the_independent_program() -> None:
    done = epc("conformance", "check", "--", "perl", PERL)

    assert done.returncode == 0, done.stdout
    count, left = len(select([])), len(suite()) - len(select([]))
    assert done.stdout.decode() == (
        f"{count} of {count} cases passed: EPC-v1.0-compatible\n"
        f"not run: {left} cases of other learning rules (--all runs them)\n"
    )


def test_epc_2_8_all_runs_every_case_of_the_suite(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("print('{}')", "utf-8")
    wrong = (sys.executable, "-S", program)

    done = epc("conformance", "check", "--all", "--", *wrong)

    assert done.returncode == 1
    assert done.stdout.decode().endswith(f"0 of {len(suite())} cases passed\n")
    both = epc("conformance", "check", "--all", "--case", "ties", "--", *wrong)
    assert both.returncode == 2
    assert both.stderr.decode().endswith(
        "--all runs every case, --case only some: leave one of them out\n"
    )


def test_reading_r81_the_independent_program_knows_the_learning_rules_too() -> None:
    done = epc("conformance", "check", "--case", "rule_", "--", "perl", PERL)

    count = len(suite()) - len(select([]))
    assert count > 20
    assert done.stdout.decode() == f"{count} of {count} cases passed: a part of the suite only\n"


def test_epc_2_8_replay_passes_the_check_of_its_own_suite() -> None:
    # One theme in processes of their own; the whole suite runs in process elsewhere.
    done = epc(
        *("conformance", "check", "--case", "ties", "--"),
        sys.executable,
        "-m",
        "epc",
        "replay",
        "-",
    )

    assert done.returncode == 0, done.stdout
    assert done.stdout.decode().endswith("cases passed: a part of the suite only\n")


def test_check_of_a_wrong_program_exits_1_with_a_finding_a_case(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("print('{}')", "utf-8")

    done = epc(
        *("conformance", "check", "--format", "json", "--case", "start-01", "--case", "ties-01"),
        *("--", sys.executable, "-S", program),
    )

    assert done.returncode == 1
    printed = json.loads(done.stdout)
    assert (printed["cases"], printed["passed"]) == (2, 0)
    assert [finding["where"] for finding in printed["findings"]] == ["/start-01", "/ties-01"]
    for finding in printed["findings"]:
        assert finding["problem"] == "differs at /gamma, /jsd, /tie_rate, /weights, /zero_coupling"


def test_check_of_a_wrong_program_as_text(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("raise SystemExit(3)", "utf-8")

    done = epc(
        *("conformance", "check", "--case", "malformed-01", "--case", "ties-01"),
        *("--", sys.executable, "-S", program),
    )

    assert done.returncode == 1
    text = done.stdout.decode()
    assert "/malformed-01: exit code 3, expected 2: the case is malformed at ''" in text
    assert "/ties-01: exit code 3, expected 0" in text
    assert text.endswith("0 of 2 cases passed\n")


def test_check_of_a_program_that_cannot_start_exits_3(tmp_path: Path) -> None:
    done = epc("conformance", "check", "--", tmp_path / "none")

    assert done.returncode == 3
    assert b"cannot start" in done.stderr
    assert b"Traceback" not in done.stderr


def test_check_without_a_program_exits_2() -> None:
    assert epc("conformance", "check").returncode == 2
