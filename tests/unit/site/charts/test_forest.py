"""Round numbers on a scale."""

import pytest

from epc.site.charts.forest import ticks_of


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.0, 4.0, [0, 1, 2, 3, 4]),
        (0.0, 8.0, [0, 2, 4, 6, 8]),
        (0.0, 1.0, [0, 0.5, 1]),  # steps of 0.2 would be six numbers
        (0.0, 40.0, [0, 10, 20, 30, 40]),
        (-0.05, 0.35, [-0.2, 0, 0.2, 0.4]),
        (1.0, 35.0, [0, 10, 20, 30, 40]),
        (3.0, 3.0, [2, 2.5, 3, 3.5, 4]),
    ],
)
def test_a_scale_has_five_round_numbers_at_the_most(
    low: float, high: float, expected: list[float]
) -> None:
    found = ticks_of(low, high)

    assert found == pytest.approx(expected)
    assert len(found) <= 5
