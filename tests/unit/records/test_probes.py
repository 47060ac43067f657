"""probes.jsonl stands for itself: each row follows from the run's own answers."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from engine_support import DAY, unwatched
from records_support import Run, make_run, probes_of

from epc.engine.panel import probe, reopen
from epc.errors import Finding, MalformedError
from epc.records.findings import MAX_KEPT
from epc.records.layout import PROBES
from epc.records.probes import in_words
from epc.records.strict_json import dumps_line
from epc.records.validate import validate

Row = dict[str, Any]


def ask(run: Run, *, swap: int = 12, controls: int = 12) -> None:
    asyncio.run(
        probe(reopen(run.folder, swap=swap, controls=controls), clock=lambda: DAY, watch=unwatched)
    )


def rows(run: Run) -> list[Row]:
    return [json.loads(line) for line in (run.folder / PROBES).read_text("utf-8").splitlines()]


def save(run: Run, rows: list[Row]) -> None:
    (run.folder / PROBES).write_text("".join(map(dumps_line, rows)), "utf-8")


def first_of(rows: list[Row], kind: str) -> Row:
    return next(row for row in rows if row["probe"] == kind)


@pytest.fixture
def probed(exhaustive: Run) -> Run:
    ask(exhaustive)
    return exhaustive


def test_a_run_without_probes_says_nothing_of_them(exhaustive: Run, ties: Run) -> None:
    for run in (exhaustive, ties):
        assert probes_of(run.folder) == ({"competence": None, "swap": None}, [])


def test_what_was_asked_is_read_back_without_a_finding(probed: Run) -> None:
    record, problems = probes_of(probed.folder)

    assert problems == []
    assert record["competence"]["overall"]["pairs"] == 12
    assert record["swap"]["pairs"] == 12
    assert len(rows(probed)) == 12 * 2 + 12
    assert validate(probed.folder).findings == []


def test_fresh_runs_are_probed_too(flip: Run) -> None:
    ask(flip)

    record, problems = probes_of(flip.folder)

    assert problems == []
    assert record["competence"]["overall"]["pairs"] == 12
    assert record["swap"]["pairs"] == 12


def test_the_summary_counts_what_the_rows_say(probed: Run) -> None:
    """Independently, from the rows as they stand in the file."""
    input_rows = rows(probed)
    good = [row for row in input_rows if row["probe"] != "swap"]
    right = sum(row["verdict"] == {"answer": "A", "against": "B"}[row["first"]] for row in good)
    own_answers = {call["id"]: call["answer"] for call in probed.rows("calls")}
    swaps = [row for row in input_rows if row["probe"] == "swap"]
    same_total = sum(own_answers[row["evaluation"]] != row["call"]["answer"] for row in swaps)

    record, _ = probes_of(probed.folder)

    assert record["competence"]["overall"]["accuracy"]["mean"] == pytest.approx(right / len(good))
    assert record["swap"]["order_consistency"]["mean"] == pytest.approx(same_total / len(swaps))


def test_a_pair_that_was_asked_in_one_order_only_does_not_count(probed: Run) -> None:
    input_rows = rows(probed)
    input_rows.remove(first_of(input_rows, "shuffled"))
    save(probed, input_rows)

    record, problems = probes_of(probed.folder)

    assert problems == []
    assert record["competence"]["overall"]["pairs"] == 11


def edit(kind: str, **values: Any) -> Callable[[list[Row]], None]:
    return lambda given: first_of(given, kind).update(values)


def edit_call(kind: str, **values: Any) -> Callable[[list[Row]], None]:
    return lambda given: first_of(given, kind)["call"].update(values)


@pytest.mark.parametrize(
    ("change", "kind", "place"),
    [
        (edit("shuffled", verdict="tie"), "shuffled", "/verdict"),
        (edit_call("shuffled", answer="I cannot say."), "shuffled", "/verdict"),
        (edit_call("refusing", prompt="Which?"), "refusing", "/call/prompt"),
        (edit_call("refusing", id="0" * 20), "refusing", "/call/id"),
        (edit_call("refusing", role="executor"), "refusing", "/call/role"),
        (edit_call("refusing", occasion=None), "refusing", "/call/occasion"),
        (edit_call("refusing", retries=-1), "refusing", "/call/retries"),
        (edit("off_topic", answer="0" * 20), "off_topic", "/answer"),
        (edit("off_topic", against="0" * 20), "off_topic", "/against"),
        (edit("off_topic", against=None), "off_topic", "/against"),
        (edit("refusing", against="0" * 20), "refusing", "/against"),
        (edit("refusing", evaluation="0" * 20), "refusing", ""),
        (edit("swap", evaluation="0" * 20), "swap", "/evaluation"),
        (edit("swap", evaluation=None), "swap", ""),
        (edit("swap", against="0" * 20), "swap", "/against"),
        (edit("swap", first="answer"), "swap", ""),
        (edit("swap", task=99), "swap", ""),
        (edit("swap", strategy="nobody"), "swap", ""),
        (edit("swap", task="0"), "swap", "/task"),
    ],
)
def test_a_row_that_was_changed_is_found_where_it_was_changed(
    probed: Run, change: Callable[[list[Row]], None], kind: str, place: str
) -> None:
    input_rows = rows(probed)
    index = input_rows.index(first_of(input_rows, kind))
    change(input_rows)
    save(probed, input_rows)

    record, problems = probes_of(probed.folder)

    assert f"/probes/{index}{place}" in {finding.where for finding in problems}
    assert {finding.clause for finding in problems} == {"EPC-5.3(4)"}
    counted = record["swap"]["pairs"] + record["competence"]["overall"]["pairs"]
    assert counted == 23, "what does not fit is left out"
    assert not validate(probed.folder).ok


def test_another_wrong_answer_is_not_taken_for_the_right_one(probed: Run) -> None:
    """A row may not claim a better answer's verdict for its own pair."""
    input_rows = rows(probed)
    left, right = [row for row in input_rows if row["probe"] == "shuffled"][::2][:2]
    left["call"], right["call"] = right["call"], left["call"]
    save(probed, input_rows)

    _, problems = probes_of(probed.folder)

    assert {finding.where.rsplit("/", 1)[-1] for finding in problems} >= {"prompt", "occasion"}


def test_a_row_that_stands_twice_counts_once(probed: Run) -> None:
    input_rows = rows(probed)
    save(probed, [*input_rows, input_rows[0]])

    record, problems = probes_of(probed.folder)

    assert [finding.where for finding in problems] == [f"/probes/{len(input_rows)}"]
    assert record["competence"]["overall"]["pairs"] == 12


@pytest.mark.parametrize("content", [b"\xff\n", b"{}\n", b"[1\n", b'{"probe":"swap"}\n' * 3000])
def test_no_bytes_are_too_bad_to_be_reported(probed: Run, content: bytes) -> None:
    (probed.folder / PROBES).write_bytes(content)

    record, problems = probes_of(probed.folder)

    assert record == {"competence": None, "swap": None}
    assert 0 < len(problems) <= MAX_KEPT + 1
    assert all(isinstance(finding, Finding) for finding in problems)
    with pytest.raises(MalformedError):
        reopen(probed.folder, controls=1)


def test_without_the_run_s_answers_probes_cannot_be_checked(probed: Run) -> None:
    probed.without_raw()

    record, problems = probes_of(probed.folder)

    assert record["competence"] is None
    assert [(finding.where, finding.severity) for finding in problems] == [("/raw", "warning")]


def test_a_damaged_call_of_the_run_takes_its_probes_with_it(probed: Run) -> None:
    row = first_of(rows(probed), "refusing")
    index = next(n for n, call in enumerate(probed.rows("calls")) if call["id"] == row["answer"])
    probed.edit_row("calls", index, answer="Something else, which is long enough to be good.")

    _, problems = probes_of(probed.folder)

    assert any(finding.where.endswith("/call/prompt") for finding in problems)


def test_the_words_say_what_was_found(probed: Run) -> None:
    record, _ = probes_of(probed.folder)
    competence = record["competence"]
    share = 100 * competence["overall"]["accuracy"]["mean"]

    assert f"right in {share:.0f}% of 12 planted pairs" in in_words(competence)
    said = {"capable": "it tells", "incapable": "it cannot tell", "cannot_tell": "it may or may"}
    for word, start in said.items():
        assert in_words({**competence, "word": word}).startswith(start)
    failed = in_words({**competence, "failing": ["refusing", "shuffled"]})
    assert failed.endswith("; it fails on refusals, shuffled words")


def test_a_measured_control_s_comparisons_can_be_exchanged_too(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", seeds=1, rounds=5, control="measured")
    compared = {row["evaluation"] for row in run.rows("trials")}

    ask(run, swap=len(compared), controls=0)

    _, problems = probes_of(run.folder)
    evaluations = {row["evaluation"] for row in rows(run)}
    itself = {r["evaluation"] for r in run.rows("trials") if r["strategy"] == "step_by_step"}
    assert problems == []
    assert evaluations == compared - itself
