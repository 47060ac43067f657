"""The runs of a campaign side by side: which comparisons they share, and where they agree."""

import json
from pathlib import Path

import pytest
from records_support import make_run

from epc.analysis.campaign import Key, _agreement, compare_runs, compared
from epc.protocol.verdict import Verdict
from epc.records import strict_json
from epc.records.campaign import CAMPAIGN, COMPARISON, Member

A, B, TIE = Verdict.A, Verdict.B, Verdict.TIE


def member(folder: str, executor: str | None = "mock/deterministic") -> Member:
    answers = None if executor is None else "x"
    return Member(folder=folder, evaluator=folder, executor=executor, answers=answers)


def test_agreement_is_the_share_of_one_letter_among_what_both_decided() -> None:
    """Of five shared comparisons four are decided by both, and three of these alike.

    The first says A in 3 of 4, the second in 2 of 4: by chance 3/4 2/4 + 1/4 2/4 = 1/2.
    """
    keys: list[Key] = [("text", task, f"s{n}") for task in ("t1", "t2") for n in range(3)]
    one = dict(zip(keys, [A, A, B, TIE, A, A], strict=True))
    other = dict(zip(keys[:5], [A, A, B, A, B], strict=True))
    units: dict[Key, Key] = {("text", task): ("text", task) for task in ("t1", "t2")}

    agreement = _agreement(member("l"), member("r"), {"l": one, "r": other}, units)

    assert (agreement.shared, agreement.decided, agreement.same, agreement.chance) == (
        5,
        4,
        3 / 4,
        1 / 2,
    )


def test_where_nothing_is_decided_by_both_nothing_is_stated() -> None:
    key: Key = ("text", "t", "s")

    agreement = _agreement(member("l"), member("r"), {"l": {key: A}, "r": {key: TIE}}, {})

    assert (agreement.shared, agreement.decided) == (1, 0)
    assert (agreement.same, agreement.same_ci95, agreement.chance) == (None, None, None)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a campaign of three evaluators that asked every round afresh, of which one stopped."""
    home = tmp_path_factory.mktemp("campaign")
    members = []
    for short, odds in (("always-a", 1), ("always-b", 0), ("stopped", 0)):
        script = home / f"{short}.json"
        script.write_text(json.dumps({"default": odds}))
        name = f"mock/scripted:{script}"
        if short != "stopped":
            make_run(home / short, evaluator=name, seeds=2, rounds=6, reuse="none")
        members.append({"folder": short, "evaluator": name, "executor": "mock/deterministic"})
    runs = [{**member, "answers": "x"} for member in members]
    document = {"schema_version": 2, "id": "0123456789abcdef", "runs": runs}
    strict_json.write(home / CAMPAIGN, document)
    return home


def test_runs_are_compared_in_both_directions_and_the_others_are_named(folder: Path) -> None:
    comparison = compare_runs(folder)

    assert [(row.run, row.direction) for row in comparison.rows] == [
        (run, direction)
        for run in ("always-a", "always-b")
        for direction in ("text_to_visual", "visual_to_text")
    ]
    assert comparison.incomplete == ("stopped",)
    assert {row.seeds for row in comparison.rows} == {2}


def test_only_comparisons_of_one_round_are_shared_and_the_baseline_against_itself_is_none(
    folder: Path,
) -> None:
    """Both asked afresh: 2 seeds, 4 phases and 6 rounds are 48 at the most, of which some drew the
    baseline. One always says A and the other B.
    """
    (agreement,) = compare_runs(folder).agreements

    assert 0 < agreement.shared <= 48
    assert (agreement.decided, agreement.same, agreement.chance) == (agreement.shared, 0, 0)


def test_the_comparison_is_written_down_once_all_runs_are_complete(folder: Path) -> None:
    compared(folder)

    assert not (folder / COMPARISON).exists()
