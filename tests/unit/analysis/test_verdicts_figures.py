"""Figures of one judge by hand (Reading R77)."""

from typing import Any

import pytest
from observed_support import columns, report, verdict

from epc.analysis.verdicts_figures import of_all, of_gold, of_places, of_scores, repeats
from epc.analysis.verdicts_rows import Rows, rows_of
from epc.records.verdicts.converting import digest


def rows(*lines: dict[str, Any]) -> Rows:
    return rows_of(columns(*lines)[1])


def both_orders(item: str, plain: str, turned: str) -> list[dict[str, Any]]:
    return [verdict(item, "a", plain), verdict(item, "b", turned)]


def test_places_are_of_pairs_in_both_orders_and_the_first_of_decided_ones() -> None:
    """Alike: x and the ties of z. First place: x takes it once of twice, y never, and z nothing."""
    of = rows(
        *both_orders("x", "a", "a"), *both_orders("y", "b", "a"), *both_orders("z", "tie", "tie")
    )
    of_half = rows(
        *both_orders("x", "a", "a"),
        *both_orders("y", "tie", "b"),
        *both_orders("z", "a", "unreadable"),
    )

    figures, fewer = dict(of_places(of)), dict(of_places(of_half))

    assert figures["place_consistency"].value == pytest.approx(2 / 3)
    assert (figures["first_place"].value, figures["first_place"].n) == (1 / 4, 2)
    assert fewer["place_consistency"].value == pytest.approx(1 / 3)
    assert fewer["place_consistency_readable"].value == 1 / 2
    assert (fewer["first_place"].value, fewer["first_place"].n) == (1 / 2, 1)


def test_what_is_right_is_the_better_candidate_wherever_it_stands() -> None:
    of = rows(
        verdict("x", "a", "a", gold="a"),
        verdict("y", "a", "a", gold="b"),
        verdict("z", "b", "tie", gold="b"),
        verdict("w", "b", "a"),
    )

    figures = dict(of_gold(of))

    assert figures["accuracy"].value == pytest.approx(1 / 3)
    assert (figures["accuracy_gold_first"].value, figures["accuracy_gold_first"].n) == (1 / 2, 2)
    assert figures["accuracy_gold_second"].value == 0


def test_ties_unreadable_answers_and_the_longer_candidate_are_counted() -> None:
    """Candidate a is the longer one in each."""
    of = rows(
        verdict("x", "a", "a"),
        verdict("y", "a", "b"),
        verdict("z", "a", "tie"),
        verdict("w", "a", "unreadable"),
    )

    figures = dict(of_all(of))

    assert figures["ties"].value == 1 / 4
    assert figures["unreadable"].value == 1 / 4
    assert (figures["longer"].value, figures["longer"].n) == (1 / 2, 2)


def repeated_verdict(item: str, said: str, answer: str, repeat: int) -> dict[str, Any]:
    long = {"answer_sha256": digest(answer), "answer_length": 500}
    return verdict(item, "a", said, repeat=repeat, **long)


def test_asking_again_is_compared_two_by_two_and_one_long_answer_is_no_second() -> None:
    """Three askings are three pairs; the answers of the first and the last are the same text."""
    of = rows(
        repeated_verdict("x", "a", "why", 0),
        repeated_verdict("x", "b", "but", 1),
        repeated_verdict("x", "b", "why", 2),
    )

    copied, contrary, figures = repeats(of)

    assert (copied, contrary) == (1, 1)
    assert (figures["repeat_consistency"].value, figures["repeat_consistency"].n) == (1 / 2, 2)
    assert figures["repeat_consistency_all"].value == pytest.approx(1 / 3)


def scored(question: str, text: str, length: int, score: float) -> dict[str, Any]:
    fixed = {"setting": "one", "file": "f", "question_sha256": digest(question)}
    answer = {"a_sha256": digest(text), "a_length": length, "a_score": score}
    return {"item": question + text, **fixed, **answer}


def test_a_score_gains_by_twice_the_length_within_questions() -> None:
    """As for the second computation: (1/2) / (1/2 + 2) a doubling; z has one answer alone."""
    of = rows(
        scored("x", "1", 2, 1),
        scored("x", "2", 4, 2),
        scored("y", "1", 2, 1),
        scored("y", "2", 8, 1),
        scored("z", "1", 4, 5),
    )

    ((_, figure),) = of_scores(of)

    assert figure.value == pytest.approx(0.2)
    assert (figure.n, figure.items) == (4, 2)


def test_confidence_is_held_against_how_often_verdicts_are_right() -> None:
    """40 of 40 are right at .95, 5 of 10 at .5."""
    sure = [verdict(f"s{n}", "a", "a", gold="a", confidence=0.95) for n in range(40)]
    unsure = [verdict(f"u{n}", "a", "ab"[n % 2], gold="a", confidence=0.5) for n in range(10)]

    figures = report(*sure, *unsure).groups[0].figures

    assert figures["ece"].value == pytest.approx((40 * 0.05 + 10 * 0) / 50)
    assert figures["brier"].value == pytest.approx((40 * 0.05**2 + 10 * 0.5**2) / 50)


def test_reading_r26_an_item_asked_more_often_weighs_no_more() -> None:
    """One item right three times, another wrong once."""
    often = [verdict("1", "a", "a", gold="a", repeat=n) for n in range(3)]

    accuracy = report(*often, verdict("2", "a", "b", gold="a")).groups[0].figures["accuracy"]

    assert (accuracy.value, accuracy.n) == (0.5, 4)
