"""Scales of scores, and what lies outside them (AUDIT 2)."""

import pytest

from epc.errors import UsageError
from epc.records.verdicts.scales import known_scale, scale_of


@pytest.mark.parametrize(
    ("values", "low", "high", "step"),
    [
        ((0, 0.5, 1), 0, 1, 0.5),
        ((0.13, 0.88, 0.5, 0.91), 0, 1, 0.1),
        ((1, 2, 3), 1, 3, 1),
        ((1, 4), 1, 4, 1),
        ((1, 2, 5), 1, 5, 1),
        ((0, 5), 0, 5, 1),
        ((1, 10, 7), 1, 10, 1),
        ((0, 9), 0, 10, 1),
        ((12, 87, 3), 0, 100, 10),
        ((1, 5, -1, -1), 1, 5, 1),  # sentinels are no scores
        ((1, 5, 999, 99), 1, 5, 1),
    ],
)
def test_reading_r101_2_the_first_scale_that_holds_all_but_sentinels(
    values: tuple[float, ...], low: float, high: float, step: float
) -> None:
    scale = known_scale(map(float, values))

    assert scale is not None
    assert (scale.low, scale.high, scale.step, scale.stated) == (low, high, step, False)


def test_reading_r101_2_no_scale_holds_what_reaches_beyond_them_all() -> None:
    assert known_scale([-7.0, 3.0]) is None
    assert known_scale([1.0, 250.0]) is None


def test_reading_r101_2_a_scale_may_be_stated_with_its_step() -> None:
    assert scale_of("0-1:0.5").step == 0.5
    assert (scale_of("1-5", [1.0, 2.0]).high, scale_of("1-5", [1.0, 2.0]).step) == (5, 1)
    for text in ("5-1", "1", "a-b", "1-5:x"):
        with pytest.raises(UsageError, match="no scale"):
            scale_of(text)
