"""Two raters on the same rows: by textbooks' formulas, and by hand."""

from math import sqrt

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from epc.statistics.paired import (
    design_effect,
    difference_interval,
    kappa,
    mean_of_two,
    paired_difference,
)

Array = NDArray[np.float64]


def rows_of(table: list[list[int]]) -> tuple[Array, Array]:
    """Return one row for each count of a table, as shares of what either rater said."""
    places = [
        (i, j) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)
    ]
    said = np.eye(len(table))
    left, right = zip(*places, strict=True)
    return said[list(left)], said[list(right)]


def fleiss(table: Array, point: float) -> tuple[float, float]:
    """Return the interval of kappa by equation 13 of Fleiss, Cohen and Everitt (1969)."""
    n, p = table.sum(), table / table.sum()
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    chance = float(rows @ columns)
    value = (float(np.trace(p)) - chance) / (1 - chance)
    total = 0.0
    for i in range(len(p)):
        for j in range(len(p)):
            if i == j:
                total += p[i, i] * (1 - (rows[i] + columns[i]) * (1 - value)) ** 2
            else:
                total += p[i, j] * ((columns[i] + rows[j]) * (1 - value)) ** 2
    total -= (value - chance * (1 - value)) ** 2
    half = point * sqrt(total / n) / (1 - chance)
    return value - half, value + half


@pytest.mark.parametrize(
    "table",
    [
        [[6, 1], [2, 3]],
        [[0, 4], [4, 92]],
        [[0, 3], [100, 297]],
        [[20, 3, 1], [4, 30, 2], [0, 5, 9]],
    ],
)
def test_reading_r102_kappa_has_the_interval_of_a_table_with_two_rows_more(
    table: list[list[int]],
) -> None:
    left, right = rows_of(table)
    counts = np.array(table, dtype=float)

    value, interval = kappa(left, right, np.arange(len(left)))

    p = counts / counts.sum()
    chance = float(p.sum(axis=1) @ p.sum(axis=0))
    assert value == pytest.approx((np.trace(p) - chance) / (1 - chance))
    more = counts + 2 / len(table) ** 2
    assert interval == pytest.approx(fleiss(more, stats.t.isf(0.025, len(left) - 1)))


def test_reading_r102_judges_that_fail_different_answers_may_have_kappa_0() -> None:
    value, interval = kappa(*rows_of([[0, 4], [4, 92]]), np.arange(100))

    # By hand: agreement 0.92, by chance 0.04 x 0.04 + 0.96 x 0.96 = 0.9232.
    assert value == pytest.approx((0.92 - 0.9232) / (1 - 0.9232))
    assert interval
    assert interval[0] < 0 < interval[1]


def test_reading_r102_one_word_has_kappa_0_and_the_same_word_twice_has_none() -> None:
    value, interval = kappa(*rows_of([[0, 0], [20, 60]]), np.arange(80))

    assert value == pytest.approx(0)
    assert interval
    assert interval[0] < 0 < interval[1]
    assert kappa(*rows_of([[0, 0], [0, 60]]), np.arange(60)) == (None, None)
    assert kappa(*rows_of([[3, 1], [1, 3]]), np.zeros(8, int))[1] is None


def test_reading_r102_an_answer_that_nobody_gave_is_no_cell_of_kappas_table() -> None:
    left, right = rows_of([[30, 5], [6, 20]])
    none = np.zeros((61, 1))

    with_ties = kappa(np.hstack([left, none]), np.hstack([right, none]), np.arange(61))

    assert with_ties == kappa(left, right, np.arange(61))


def test_reading_r102_kappas_rows_are_divided_by_the_design_effect() -> None:
    left, right = rows_of([[12, 3], [2, 11]])
    thrice = np.tile(left, (3, 1)), np.tile(right, (3, 1)), np.tile(np.arange(28), 3)

    value, interval = kappa(*thrice)

    # A row that stands three times in its cluster varies 28 / 27 x 3 as much as three rows would,
    # which the unbiased variance of 84 rows brings to 83 / 84 of that.
    effect = 3 * 28 / 27 * 83 / 84
    more = np.array([[36, 9], [6, 33]]) / effect + 0.5
    assert value == kappa(left, right, np.arange(28))[0]
    assert interval == pytest.approx(fleiss(more, stats.t.isf(0.025, 27)))


def test_a_design_effect_is_never_below_1_and_rows_that_do_not_vary_are_one_each_cluster() -> None:
    off = np.array([1.0, -1.0, 1.0, -1.0])

    assert design_effect(off, float((off**2).sum()), np.array([0, 0, 1, 1])) == 1
    together = design_effect(off, float((off**2).sum()), np.array([0, 1, 0, 1]))
    # Both clusters move by 2 and -2: 8 x 2 / 1, against 4 x 4 / 3.
    assert together == pytest.approx(16 / (16 / 3))
    assert design_effect(np.zeros(6), 0.0, np.array([0, 0, 0, 1, 1, 1])) == 3


def test_reading_r102_a_paired_difference_is_bonetts_and_prices_with_t() -> None:
    # Of 12 rows the judge alone passes 1, people alone 2: p 2/14, q 3/14.
    people, judge = np.ones(12), np.ones(12)
    people[0], judge[1], judge[2] = 0, 0, 0

    value, interval = paired_difference(people, judge, np.arange(12))

    half = stats.t.isf(0.025, 11) * sqrt((5 / 14 - 1 / 14**2) / 14)
    assert value == pytest.approx(-1 / 12)
    assert interval == pytest.approx((-1 / 14 - half, -1 / 14 + half))
    assert paired_difference(people, judge, np.zeros(12, int)) == (value, None)


def test_reading_r102_equal_rows_have_a_width_that_copies_do_not_narrow() -> None:
    same = np.array([1.0, 0.0] * 5)

    _, once = paired_difference(same, same, np.arange(10))
    _, copied = paired_difference(np.tile(same, 4), np.tile(same, 4), np.tile(np.arange(10), 4))

    half = stats.t.isf(0.025, 9) * sqrt(2 / 12 / 12)
    assert once == pytest.approx((-half, half))
    assert copied == pytest.approx(once)


def test_a_difference_of_counts_has_the_normal_point_where_it_is_given() -> None:
    # 3 up, 1 down of 40: p 4/42, q 2/42.
    half = 1.96 * sqrt((6 / 42 - (2 / 42) ** 2) / 42)
    assert difference_interval(3, 1, 40, 1.96) == pytest.approx((2 / 42 - half, 2 / 42 + half))


def test_a_mean_of_two_shares_has_the_interval_of_their_distances() -> None:
    # Distances down 0.3 and 0.4, up 0.1 and 0.2.
    value, interval = mean_of_two((0.7, 0.6), ((0.4, 0.8), (0.2, 0.8)))
    assert value == pytest.approx(0.65)
    assert interval == pytest.approx((0.65 - 0.25, 0.65 + sqrt(0.05) / 2))
    _, together = mean_of_two((0.7, 0.6), ((0.4, 0.8), (0.2, 0.8)), 1.0)
    assert together == pytest.approx((0.65 - 0.35, 0.65 + 0.15))
    _, against = mean_of_two((0.5, 0.5), ((0.4, 0.6), (0.4, 0.6)), -1.0)
    assert against == pytest.approx((0.5, 0.5))
