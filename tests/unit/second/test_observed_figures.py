"""One judge's figures a second time, by hand (Reading R77)."""

from types import SimpleNamespace
from typing import Any

import pytest

from epc.second.observed_figures import scored


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
