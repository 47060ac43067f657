"""The documents of an evaluation, the folder that holds them, and the count of its records."""

import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from judge_support import grid, judged_by_models, planned

from epc.errors import MalformedError, UsageError
from epc.records.judging.documents import (
    LONGEST_LINE,
    PLAN,
    Plan,
    Tally,
    is_complete,
    is_evaluation,
    load_plan,
    load_run_log,
    records_path,
    role_of,
)
from epc.records.strict_json import read_lines
from epc.records.typed import parse


def test_a_plan_without_the_later_keys_is_of_the_first_rules_seen_and_no_test(
    tmp_path: Path,
) -> None:
    planned(tmp_path / "e", grid(), ("mock/judge",))
    document = json.loads((tmp_path / "e" / PLAN).read_text())
    for later_text in ("rules", "blind", "competence"):
        document.pop(later_text, None)

    plan = parse(document, Plan)

    assert (plan.rules, plan.blind, plan.competence) == (1, False, None)


def record(
    identifier: str, *, valid: bool = True, known: bool = True, raw: str | None = "r"
) -> Any:
    return SimpleNamespace(
        id=identifier, valid=valid, output_sha256="0" if known else None, raw=raw, flags=()
    )


def test_reading_r23_replies_that_belong_to_no_sample_alone_are_surplus() -> None:
    """Two samples, one of them answered twice and one never; and a reply about nothing."""
    tally = Tally()
    for each in (
        record("x"),
        record("x", valid=False),
        record("y", valid=False, raw=None),
        record("z", valid=False, known=False),
    ):
        tally.add(each)

    totals = tally.totals()

    assert (totals.samples, totals.valid, totals.invalid, totals.not_judged) == (2, 1, 1, 1)
    assert (totals.replies, totals.surplus, dict(totals.flags)) == (3, 2, {})


def test_reading_r23_nothing_adds_up_to_nothing() -> None:
    totals = Tally().totals()

    assert [totals.samples, totals.valid, totals.invalid] == [0, 0, 0]
    assert [totals.not_judged, totals.replies, totals.surplus] == [0, 0, 0]


def test_a_line_is_read_up_to_the_size_of_two_documents(tmp_path: Path) -> None:
    """A document has 64 MiB at most, and JSON writes a quotation mark as two bytes."""
    path = tmp_path / "calls.jsonl"
    path.touch()
    os.truncate(path, 2 * 64 * 2**20 + 1)

    ((_, _, (finding,)),) = read_lines(path, "calls", longest=LONGEST_LINE)

    assert finding.problem == "the line is longer than 134,217,728 bytes"


def test_judge_7_4_valid_and_invalid_evaluations_stand_apart() -> None:
    folder = Path("home")

    assert records_path(folder, valid=True, method="M") == Path(
        "home/valid_evaluations/M/records.jsonl"
    )
    assert records_path(folder, valid=False, method="M") == Path(
        "home/invalid_evaluations/M/records.jsonl"
    )


def test_a_judge_has_its_own_role() -> None:
    assert role_of("m-1") == "judge:m-1"


def test_a_folder_is_an_evaluation_once_it_has_a_plan(tmp_path: Path) -> None:
    assert not is_evaluation(tmp_path)
    (tmp_path / "judge.json").touch()
    assert is_evaluation(tmp_path)


@pytest.mark.parametrize(
    ("log", "complete"),
    [
        ('{"state": "complete"}', True),
        ('{"state": "running"}', False),
        ('{"state": "complete", "state": "complete"}', False),
        ('["complete"]', False),
        ("{}", False),
        (None, False),
    ],
)
def test_an_evaluation_is_complete_once_its_log_says_so(
    *, log: str | None, complete: bool, tmp_path: Path
) -> None:
    if log is not None:
        (tmp_path / "run_log.json").write_text(log, "utf-8")

    assert is_complete(tmp_path) is complete


def test_a_folder_without_a_plan_says_what_makes_one(tmp_path: Path) -> None:
    for load in (load_plan, load_run_log):
        with pytest.raises(UsageError, match=r"has no judge\.json: `epc judge plan` makes such"):
            load(tmp_path)


@pytest.mark.parametrize(
    "text", ["{", "{}", json.dumps({"schema_version": 1}), json.dumps({"protocol": "Judge-v1.0"})]
)
def test_judge_7_4_a_plan_that_was_damaged_is_named_with_its_file(
    text: str, tmp_path: Path
) -> None:
    (tmp_path / "judge.json").write_text(text, "utf-8")

    with pytest.raises(MalformedError) as raised:
        load_plan(tmp_path)

    assert raised.value.finding.where.startswith(f"{tmp_path}/judge.json")


def test_a_log_is_read_once_every_unit_was_judged(tmp_path: Path) -> None:
    folder = tmp_path / "eval"
    planned(folder, grid("1", "A"), ["mock/deterministic"])

    assert load_plan(folder).judges[0].model == "mock/deterministic"
    with pytest.raises(UsageError, match="is not judged yet: run `epc judge run"):
        load_run_log(folder)
    judged_by_models(folder)
    log = load_run_log(folder)
    assert is_complete(folder)
    path = folder / "run_log.json"
    path.write_text(path.read_text("utf-8").replace('"complete"', '"running"'), "utf-8")
    with pytest.raises(UsageError, match=r"is not complete: `epc judge run .* goes on"):
        load_run_log(folder)
    assert log.state == "complete"
