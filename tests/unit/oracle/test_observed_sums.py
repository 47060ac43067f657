"""Shares and means with their intervals by hand, and against SciPy (Reading R77)."""

from math import inf, sqrt

import pytest
from oracle.observed_sums import beyond, linear, share, student
from scipy import stats

Z = float(stats.norm.isf(0.025))


@pytest.mark.parametrize("freedom", [1, 2, 5, 40])
@pytest.mark.parametrize("beyond_it", [0.05, 0.1, 0.5])
def test_students_points_are_scipys(freedom: int, beyond_it: float) -> None:
    expected = float(stats.t.isf(beyond_it / 2, freedom))

    assert student(freedom, beyond_it) == pytest.approx(expected, rel=1e-11)
    assert beyond(expected, freedom) == pytest.approx(beyond_it, abs=1e-11)


def test_a_share_of_nothing_is_no_share() -> None:
    assert share([]) is None
    assert share([(0.0, 0.0, "x")]) is None


def test_reading_r77_a_share_of_less_than_two_observations_has_no_interval() -> None:
    """Four items, three of them right: each moves the share by 1/16, the wrong one by -3/16.

    So the spread is (3 / 256 + 9 / 256) 4 / 3 = 1 / 16, which 3/16 has of 3 observations. With the
    quantiles 1.96 and, of three degrees of freedom, 3.18 they are worth 1.14.
    """
    found = share([(1.0, 1.0, "w"), (1.0, 1.0, "x"), (1.0, 1.0, "y"), (0.0, 1.0, "z")])

    assert found == {"value": 0.75, "ci95": None, "n": 4, "items": 4}


@pytest.mark.parametrize(
    ("right", "worth"),
    [
        # (30 / 16 + 10 * 9 / 16) / 1600 * 40 / 39 is the spread of 30 right ones of 40.
        (30, 0.1875 / (3 / 640 * 40 / 39)),
        (40, 40),  # without any spread it is worth its items
    ],
)
def test_reading_r77_a_share_has_wilsons_interval_at_what_its_items_are_worth(
    right: int, worth: float
) -> None:
    value, n = right / 40, worth * (Z / float(stats.t.isf(0.025, 39))) ** 2
    middle = (value + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z * sqrt(value * (1 - value) / n + Z * Z / (4 * n * n)) / (1 + Z * Z / n)

    found = share([(float(at < right), 1.0, at) for at in range(40)])

    assert found is not None
    assert found["ci95"] == pytest.approx([middle - half, min(1.0, middle + half)], abs=1e-12)


def test_reading_r77_a_share_of_one_item_has_no_interval() -> None:
    found = share([(1.0, 1.0, "x"), (0.0, 1.0, "x"), (0.0, 0.0, "y")])

    assert found is not None
    assert (found["value"], found["n"], found["items"]) == (0.5, 2, 1)


def test_reading_r77_a_figure_spreads_as_its_items_move_it() -> None:
    """Moves of 1, 0 (two that cancel) and -1: (1 + 1) 3 / 2 is 3, and t(2) times its root."""
    moves = [("x", 1.0), ("y", 2.0), ("y", -2.0), ("z", -1.0)]
    half = float(stats.t.isf(0.025, 2)) * sqrt(3)

    found = linear(0.5, moves, 7)

    assert found["ci95"] == pytest.approx([0.5 - half, 0.5 + half], abs=1e-10)
    assert (found["value"], found["n"], found["items"]) == (0.5, 7, 3)
    # Two items that move it by a tenth each way: 2 / 100 * 2 / 1, and t(1) times its root.
    small = float(stats.t.isf(0.025, 1)) * 0.2
    of_two = linear(0.5, [("x", 0.1), ("y", -0.1)], 2)
    assert of_two["ci95"] == pytest.approx([0.5 - small, 0.5 + small], abs=1e-10)
    assert linear(0.5, moves, 7, (-1.0, inf))["ci95"][0] == -1.0
    assert linear(0.5, moves, 7, (-inf, 1.0))["ci95"][1] == 1.0


@pytest.mark.parametrize(
    "moves", [[], [("x", 1.0)], [("x", 1.0), ("x", 2.0)], [("x", 0.0), ("y", 0.0)]]
)
def test_reading_r77_a_figure_that_nothing_moves_or_one_item_has_no_interval(
    moves: list[tuple[object, float]],
) -> None:
    found = linear(0.5, moves, 2)

    assert (found["value"], found["ci95"]) == (0.5, None)
