"""What recorded verdicts say, where the data have traps (Reading R77)."""

from typing import Any

import pytest
from observed_support import ALIKE, SETTINGS, columns, report, verdict

from epc.analysis.verdicts import Group, measure
from epc.records.earlier import published_clusters
from epc.records.verdicts.converting import digest


def group(*lines: dict[str, Any]) -> Group:
    return report(*lines).groups[0]


def test_reading_r77_a_verdict_that_stands_twice_counts_once() -> None:
    line = verdict("1", "a", "a", gold="a")

    findings_report = report(line, line, verdict("2", "a", "b", gold="a"))

    assert (findings_report.verdicts, findings_report.duplicates) == (3, 1)
    assert findings_report.groups[0].figures["accuracy"].value == 0.5


def test_reading_r77_a_mirrored_pair_under_another_number_is_no_further_item() -> None:
    pair = {"a_sha256": digest("b"), "b_sha256": digest("a1"), "question_sha256": digest("q")}
    record = verdict("1", "a", "a", question_sha256=digest("q"))

    findings_report = report(record, verdict("9", "a", "b") | pair, verdict("1", "b", "b") | pair)
    other_findings_report = report(
        record, verdict("9", "a", "b") | {**pair, "question_sha256": digest("r")}
    )

    assert (
        findings_report.items,
        findings_report.items_under_two_names,
        findings_report.groups[0].items,
    ) == (2, 1, 1)
    assert findings_report.groups[0].figures["unreadable"].ci95 is None
    assert (other_findings_report.items_under_two_names, other_findings_report.groups[0].items) == (
        0,
        2,
    )


def test_reading_r74_items_of_one_question_are_one_cluster() -> None:
    """Figures of before had item 4 by itself: it shares no candidate with the others."""
    texts = {"1": ("a", "base"), "2": ("b", "base"), "3": ("c", "b"), "4": ("d", "e")}
    lines = [
        verdict(name, "a", "a", question_sha256=digest("q"))
        | {"a_sha256": digest(a), "b_sha256": digest(b)}
        for name, (a, b) in texts.items()
    ]

    findings_report = report(*lines)

    assert (
        findings_report.items,
        findings_report.items_under_two_names,
        findings_report.groups[0].items,
    ) == (4, 0, 1)
    clusters = published_clusters({})
    assert clusters is not None
    assert measure(*columns(*lines), clusters=clusters).groups[0].items == 2


def test_reading_r77_settings_are_one_only_where_the_prompts_digest_is_stated_and_equal() -> None:
    findings_report = report(*(verdict("1", "a", "a", setting=name) for name in SETTINGS))

    names = [list(group.settings) for group in findings_report.groups]
    assert names == ALIKE


def test_a_tie_in_both_orders_is_consistent_and_an_unreadable_answer_never_is() -> None:
    figures = group(
        *(verdict("1", place, "tie") for place in "ab"),
        *(verdict("2", place, "unreadable") for place in "ab"),
    ).figures

    assert figures["place_consistency"].value == 0.5
    assert figures["place_consistency_readable"].value == 1
    assert "first_place" not in figures


def test_an_item_asked_in_one_order_says_nothing_of_places() -> None:
    actual_group = group(verdict("1", "a", "a"), verdict("2", "b", "a"))

    assert actual_group.left_out["place_consistency"] == "no item was asked in both orders"
    assert actual_group.left_out["accuracy"] == "no verdict has a gold label"


def test_each_repeat_is_paired_with_the_other_order_of_the_same_repeat() -> None:
    figures = group(
        *(verdict("1", place, "a") for place in "ab"),
        *(verdict("1", place, place, repeat=1) for place in "ab"),
    ).figures

    assert (figures["place_consistency"].value, figures["place_consistency"].n) == (0.5, 2)
    assert (figures["repeat_consistency"].value, figures["repeat_consistency"].n) == (0.5, 2)


def test_three_askings_are_three_pairs() -> None:
    lines = [verdict("1", "a", text, repeat=n) for n, text in enumerate(["a", "a", "b"])]

    assert group(*lines).figures["repeat_consistency"].value == pytest.approx(1 / 3)


def test_a_short_answer_in_the_same_words_is_no_copy() -> None:
    def answers(length: int) -> Group:
        answer_fields = {"answer_sha256": digest("said"), "answer_length": length}
        return group(*(verdict("1", "a", "a", repeat=n, **answer_fields) for n in range(2)))

    assert answers(99).equal_answers == 0
    assert answers(99).figures["repeat_consistency"].value == 1
    assert answers(100).equal_answers == 1
    assert "repeat_consistency" in answers(100).left_out


def test_a_score_of_one_candidate_is_readable_and_no_verdict() -> None:
    alone = {"item": "1", "setting": "one", "file": "f", "a_sha256": digest("a"), "a_length": 1}

    figures = group(
        {**alone, "a_score": 3}, {**alone, "repeat": 1, "verdict": "unreadable"}
    ).figures
    assert list(figures) == ["unreadable"]
    assert figures["unreadable"].value == 0.5


def test_reading_r77_a_group_is_named_and_asked_as_the_first_of_its_settings() -> None:
    """`one` and `renamed` are one prompt by its digest, under two names."""
    lines = [
        verdict("x", "a", "a", setting=name) for name in ("renamed", "one", "other", "renamed")
    ]
    header, verdicts = columns(*lines)

    groups = measure(header, verdicts).groups

    assert [group.settings for group in groups] == [["one", "renamed"], ["other"]]
    assert [(group.setting.prompt.name, group.verdicts) for group in groups] == [("p", 2), ("p", 1)]
    assert [group.settings for group in measure(header, verdicts, ["oth*"]).groups] == [["other"]]
