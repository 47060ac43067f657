"""One judge's figures a second time, by hand (Reading R77)."""

from types import SimpleNamespace
from typing import Any

import pytest
from observed_support import columns, verdict
from oracle.observed_figures import humans, places, repeated, scored
from oracle.observed_rows import Verdict, rows_of

from epc.records.observed.converting import digest


def answer(task: str, length: int | None, score: float | None) -> Any:
    return SimpleNamespace(task=task, score=score, stated={"a_length": length})


def test_reading_r77_what_twice_the_length_gains_is_a_slope_within_questions() -> None:
    """Of x twice the length is a point more, of y four times the length nothing.

    Off their means by log2: -1/2, 1/2 and -1, 1; the squares add up to 5/2, and scores times
    lengths to 1/2. A question of one answer, or of one length, says nothing.
    """
    rows = [answer("x", 2, 1), answer("x", 4, 2), answer("y", 2, 1), answer("y", 8, 1)]
    idle = [answer("z", 4, 5), answer("w", 3, 1), answer("w", 3, 4)]
    nothing = [answer("x", None, 9), answer("x", 0, 9), answer("x", 64, None)]

    found = scored([*rows, *idle, *nothing])["score_per_doubling"]

    assert found is not None
    assert found["value"] == pytest.approx(0.2)
    assert (found["n"], found["items"]) == (4, 2)
    assert scored(idle) == {}


def verdicts(*lines: dict[str, Any]) -> list[Verdict]:
    return rows_of(columns(*lines)[1])


def both(item: str, plain: str, turned: str) -> list[dict[str, Any]]:
    return [verdict(item, "a", plain), verdict(item, "b", turned)]


def value(figure: Any) -> tuple[object, int]:
    return pytest.approx(figure["value"]), figure["n"]


def test_reading_r77_places_are_of_pairs_in_both_orders_and_the_first_of_decided_ones() -> None:
    """Alike: x and the ties of z. First place: x takes it once of twice, y never, w both times."""
    of = verdicts(
        *(*both("x", "a", "a"), *both("y", "b", "a"), *both("z", "tie", "tie")),
        *both("w", "a", "b"),
    )
    fewer = verdicts(*both("x", "a", "a"), *both("y", "tie", "b"), *both("z", "a", "unreadable"))

    assert value(places(of)["place_consistency"]) == (2 / 4, 4)
    assert value(places(of)["first_place"]) == ((1 / 2 + 0 + 1) / 3, 3)
    assert value(places(fewer)["place_consistency"]) == (1 / 3, 3)
    assert value(places(fewer)["place_consistency_readable"]) == (1 / 2, 2)
    assert value(places(fewer)["first_place"]) == (1 / 2, 1)


def test_reading_r77_persons_are_held_against_the_judge_and_each_other() -> None:
    """x: of a, a, b the judge says a: 2/3; of three pairs of persons one is alike. Without one of
    the first two the others tie, without the third they say a: the judge does, and b does not.
    y: one person and no majority of others; z: two that disagree have no majority either.
    """
    of = verdicts(
        verdict("x", "a", "a", humans=("a", "a", "b")),
        verdict("y", "a", "b", humans=("a",)),
        verdict("z", "a", "b", humans=("a", "b")),
    )

    found = humans(of)

    assert value(found["humans_mean"]) == ((2 / 3 + 0 + 1 / 2) / 3, 3)
    assert value(found["humans_mean_ceiling"]) == ((1 / 3 + 0) / 2, 2)
    assert value(found["humans_majority"]) == (1 / 2, 2)
    # x without b: a; z without either: the other.
    assert value(found["humans_others"]) == ((1 + 0 + 1) / 3, 3)
    assert value(found["humans_others_ceiling"]) == (0, 3)


def again(item: str, said: str, why: str, repeat: int) -> dict[str, Any]:
    long = {"answer_sha256": digest(why), "answer_length": 500}
    return verdict(item, "a", said, repeat=repeat, **long)


def test_reading_r77_asking_again_is_compared_two_by_two_and_one_long_answer_is_no_second() -> None:
    of = verdicts(again("x", "a", "why", 0), again("x", "b", "but", 1), again("x", "b", "why", 2))

    copied, contrary, figures = repeated(of)

    assert (copied, contrary) == (1, 1)
    assert value(figures["repeat_consistency"]) == (1 / 2, 2)
    assert value(figures["repeat_consistency_all"]) == (1 / 3, 3)
    assert repeated(of[:1])[:2] == (0, 0)
