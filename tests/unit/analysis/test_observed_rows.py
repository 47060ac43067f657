"""Recorded verdicts as numbers (Reading R77)."""

import numpy as np
from observed_support import ALIKE, columns, verdict

from epc.analysis.observed_figures import of_gold
from epc.analysis.observed_rows import TIE, UNREADABLE, Rows, rows_of, same_settings
from epc.records.observed.converting import digest

ALONE = {"item": "x", "setting": "one", "file": "f", "a_sha256": digest("a"), "a_length": 2}


def rows(*lines: dict[str, object]) -> Rows:
    return rows_of(columns(*lines)[1])


def test_a_verdict_that_is_absent_or_unreadable_says_nothing() -> None:
    found = rows(verdict("x", "a", "a"), verdict("x", "b", "unreadable"), ALONE | {"a_score": 3.0})

    assert found.verdict.tolist() == [0, UNREADABLE, -1]
    assert found.readable.tolist() == [True, False, False]
    assert found.scored.tolist() == [False, False, True]
    assert found.score[2] == 3.0


def test_two_scores_are_the_verdict_that_they_make() -> None:
    pair = {key: value for key, value in verdict("x", "a", "a").items() if key != "verdict"}
    scores = [(2, 1), (1, 2), (1, 1)]

    found = rows(*({**pair, "a_score": a, "b_score": b} for a, b in scores))

    assert found.verdict.tolist() == [0, 1, TIE]
    assert not found.scored.any()


def test_each_item_has_three_orders_a_first_b_first_and_not_stated() -> None:
    unstated = {key: value for key, value in verdict("x", "a", "a").items() if key != "first"}
    found = rows(verdict("x", "a", "a"), verdict("x", "b", "a"), unstated, verdict("y", "a", "a"))

    assert len(np.unique(found.order)) == 4
    assert found[found.first == 1].item.tolist() == [found.item[1]]


def test_persons_are_counted_by_what_they_said() -> None:
    found = rows(verdict("x", "a", "a", humans=("b", "tie", "b")), verdict("y", "a", "a"))

    assert found.humans.tolist() == [[0, 2, 1], [0, 0, 0]]


def test_the_longer_candidate_and_only_long_answers_are_known() -> None:
    long = {"answer_sha256": digest("why"), "answer_length": 100}
    found = rows(
        verdict("x", "a", "a", **long),
        verdict("y", "a", "a", **long | {"answer_length": 99}, b_length=3),
        verdict("z", "a", "a", b_length=2),
    )

    assert found.longer.tolist() == [0, 1, -1]
    assert (found.answer >= 0).tolist() == [True, False, False]


def test_settings_are_one_where_judge_prompt_and_decoding_are() -> None:
    header, _ = columns()

    assert same_settings(header.settings) == ALIKE


def test_the_better_candidate_is_a_or_b_and_a_tie_is_no_better_one() -> None:
    found = rows(*(verdict(f"x{gold}", "a", "a", gold=gold) for gold in ("a", "b", "tie")))

    assert found.gold.tolist() == [0, 1, TIE]
    assert dict(of_gold(found))["accuracy"].n == len("ab")
