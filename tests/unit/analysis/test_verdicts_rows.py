"""Recorded verdicts as numbers (Reading R77)."""

import numpy as np
from observed_support import ALIKE, columns, verdict

from epc.analysis.verdicts_figures import of_gold
from epc.analysis.verdicts_rows import TIE, UNREADABLE, Rows, rows_of, same_settings
from epc.records.verdicts.converting import digest

ALONE = {"item": "x", "setting": "one", "file": "f", "a_sha256": digest("a"), "a_length": 2}


def rows(*lines: dict[str, object]) -> Rows:
    return rows_of(columns(*lines)[1])


def test_a_verdict_that_is_absent_or_unreadable_says_nothing() -> None:
    actual_rows = rows(
        verdict("x", "a", "a"), verdict("x", "b", "unreadable"), ALONE | {"a_score": 3.0}
    )

    assert actual_rows.verdict.tolist() == [0, UNREADABLE, -1]
    assert actual_rows.readable.tolist() == [True, False, False]
    assert actual_rows.scored.tolist() == [False, False, True]
    assert actual_rows.score[2] == 3.0


def test_two_scores_are_the_verdict_that_they_make() -> None:
    pair = {key: value for key, value in verdict("x", "a", "a").items() if key != "verdict"}
    scores = [(2, 1), (1, 2), (1, 1)]

    actual_rows = rows(*({**pair, "a_score": a, "b_score": b} for a, b in scores))

    assert actual_rows.verdict.tolist() == [0, 1, TIE]
    assert not actual_rows.scored.any()


def test_each_item_has_three_orders_a_first_b_first_and_not_stated() -> None:
    unstated = {key: value for key, value in verdict("x", "a", "a").items() if key != "first"}
    actual_rows = rows(
        verdict("x", "a", "a"), verdict("x", "b", "a"), unstated, verdict("y", "a", "a")
    )

    assert len(np.unique(actual_rows.order)) == 4
    assert actual_rows[actual_rows.first == 1].item.tolist() == [actual_rows.item[1]]


def test_persons_are_counted_by_what_they_said() -> None:
    actual_rows = rows(verdict("x", "a", "a", humans=("b", "tie", "b")), verdict("y", "a", "a"))

    assert actual_rows.humans.tolist() == [[0, 2, 1], [0, 0, 0]]


def test_the_longer_candidate_and_only_long_answers_are_known() -> None:
    long = {"answer_sha256": digest("why"), "answer_length": 100}
    actual_rows = rows(
        verdict("x", "a", "a", **long),
        verdict("y", "a", "a", **long | {"answer_length": 99}, b_length=3),
        verdict("z", "a", "a", b_length=2),
    )

    assert actual_rows.longer.tolist() == [0, 1, -1]
    assert (actual_rows.answer >= 0).tolist() == [True, False, False]


def test_settings_are_one_where_judge_prompt_and_decoding_are() -> None:
    header, _ = columns()

    assert same_settings(header.settings) == ALIKE


def test_the_better_candidate_is_a_or_b_and_a_tie_is_no_better_one() -> None:
    actual_rows = rows(*(verdict(f"x{gold}", "a", "a", gold=gold) for gold in ("a", "b", "tie")))

    assert actual_rows.gold.tolist() == [0, 1, TIE]
    assert dict(of_gold(actual_rows))["accuracy"].n == len("ab")


def test_audit_7_questions_of_one_group_are_one_cluster_and_others_their_own() -> None:
    actual_rows = rows(
        verdict("x", "a", "a", group="g"),
        verdict("y", "a", "a", group="g"),
        verdict("z", "a", "a"),
        verdict("x", "b", "a", group="g"),
    )

    x, y, z, again = actual_rows.cluster.tolist()
    assert x == y == again != z
    assert len({*actual_rows.unit.tolist()}) == 3  # an item weighs as one, in whatever group
