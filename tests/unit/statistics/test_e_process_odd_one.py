"""The exact odds that the first of three answers stands alone."""

import pytest

from epc.statistics.e_process import odd_ones, p_odd


def test_each_of_three_answers_is_the_odd_one_as_likely_as_another() -> None:
    assert p_odd(0, 0) == 1.0
    assert p_odd(3, 3) == pytest.approx(1 / 27)
    assert p_odd(1, 2) == pytest.approx(5 / 9)  # 1 - (2/3)^2


def test_an_answer_that_is_neither_of_two_that_differ_tells_nothing() -> None:
    alone = [("B", "A", "A")] * 2
    beside = [("A", "A", "B")] * 3
    neither = [("tie", "A", "B")] * 4

    assert odd_ones([*alone, *beside, *neither]) == (2, 5)
