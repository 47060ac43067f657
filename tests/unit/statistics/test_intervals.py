"""EPC-2.5(f): intervals of several figures at once are those of each figure alone."""

from fractions import Fraction
from math import fsum

import numpy as np
import pytest
from budget_support import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from epc.statistics.intervals import (
    mean,
    mean_interval,
    mean_intervals,
    moments_interval,
    quantiles,
    share_interval,
    spread_interval,
    sum_of_squares,
    variance_of,
    wilson,
)

FIGURES = st.one_of(st.floats(-2, 2), st.floats(0, 1e-30), st.sampled_from([0.0, 2**-53, 1.0]))


def as_reading_r10_says(values: list[float]) -> tuple[float, float]:
    """One figure's percentile bootstrap, as the reading spells it."""
    n = len(values)
    indices = np.random.default_rng(20260702).integers(0, n, size=(2000, n))
    means = [fsum(drawn) / n for drawn in np.array(values)[indices].tolist()]
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


@settings(deadline=None, max_examples=examples(90))
@given(
    st.one_of(st.integers(2, 40), st.integers(120, 140)).flatmap(
        lambda n: st.lists(
            st.one_of(
                st.lists(FIGURES, min_size=n, max_size=n),
                FIGURES.map(lambda value: [value] * n),
            ),
            min_size=1,
            max_size=6,
        )
    )
)
def test_epc_2_5_f_figures_of_the_same_seeds_share_resamples_to_the_last_bit(
    rows: list[list[float]],
) -> None:
    assert mean_intervals(rows) == [as_reading_r10_says(row) for row in rows]
    assert [mean_interval(row) for row in rows] == mean_intervals(rows)


@pytest.mark.parametrize("n", [31, 32, 33, 1000])
def test_adr_3_a_resample_s_sum_is_rounded_once_whatever_order_a_machine_adds_in(n: int) -> None:
    """Sizes about a power of two, and many seeds: no product may carry out of a double."""
    rng = np.random.default_rng(n)
    row = (rng.choice([1.0, -1.0, 1e-6], n) * rng.random(n)).tolist()
    shuffled = np.random.default_rng(20260702).integers(0, n, size=(2000, n))[:, ::-1]
    backwards = [fsum(drawn) / n for drawn in np.array(row)[shuffled].tolist()]

    assert mean_interval(row) == tuple(np.quantile(backwards, [0.025, 0.975]))


@pytest.mark.parametrize(
    "row", [[0.1] + [1e-33] * 29, [1.0, 2**-53, 2**-110], [1.0, -1.0, 1e-40], [5e-324, 1.0]]
)
def test_adr_3_a_value_far_below_its_row_s_largest_is_added_too(row: list[float]) -> None:
    assert mean_interval(row) == as_reading_r10_says(row)


def test_reading_r10_a_single_seed_has_no_interval() -> None:
    assert mean_intervals([[0.5], [0.25]]) == [None, None]
    assert mean_intervals([]) == []


def test_mean_and_variance_by_hand() -> None:
    assert (mean([1.0, 2.0, 6.0]), variance_of([1.0, 2.0, 6.0])) == (3.0, 7.0)
    assert (mean([4.0]), variance_of([4.0])) == (4.0, 0.0)


@pytest.mark.parametrize("shape", [(1,), (2,), (3, 7), (2, 10_000)])
def test_quantiles_are_numpys_to_the_bit(shape: tuple[int, ...]) -> None:
    shares = [0.0, 0.025, 0.3, 0.5, 0.975, 1.0]
    drawn = np.random.default_rng(1).standard_normal(shape)
    for values in (drawn, np.round(drawn, 1)):
        expected = np.quantile(values, shares, axis=-1)

        assert np.array_equal(np.stack(quantiles(values, shares)), expected)


def test_reading_r39_a_published_mean_and_spread_have_students_interval() -> None:
    """Four seeds that spread by 2 spread their mean by 1; t is 3.182446 for three degrees."""
    assert moments_interval(5.0, 2.0, 4) == pytest.approx((5 - 3.182446, 5 + 3.182446), abs=1e-6)
    assert moments_interval(5.0, 2.0, 1) is None


@given(st.lists(st.floats(2**-20, 2), max_size=12))
def test_adr_3_squares_are_rounded_as_products_are_and_their_sum_once(values: list[float]) -> None:
    squares = [float(Fraction(value) * Fraction(value)) for value in values]

    assert sum_of_squares(values) == float(sum(map(Fraction, squares), Fraction(0)))


@pytest.mark.parametrize(("hits", "n"), [(3, 4), (0, 10), (10, 10), (17, 250), (0.5, 1.5)])
def test_a_share_s_interval_ends_where_the_score_test_just_rejects(hits: float, n: float) -> None:
    """Both ends are the roots of (share - p)^2 = z^2 p (1 - p) / n, z the normal's 97.5% point."""
    z2, share = stats.norm.ppf(0.975) ** 2, hits / n
    roots = np.roots([1 + z2 / n, -(2 * share + z2 / n), share**2])

    assert wilson(hits, n) == pytest.approx(sorted(roots.real), abs=1e-9)
    assert share_interval(hits, n) == (wilson(hits, n) if n >= 2 else None)


def test_a_share_s_interval_stays_a_share() -> None:
    ends = [wilson(hits, n) for n in range(1, 60) for hits in (0, n)]

    assert min(low for low, _ in ends) == 0
    assert max(high for _, high in ends) == 1
    assert share_interval(1, 2) is not None


def test_no_hit_leaves_the_low_end_at_nothing_and_all_hits_the_high_end_at_one() -> None:
    """Issue 54: zero-coupling intervals began at 6.9e-18; in exact arithmetic the ends are 0, 1."""
    sizes = [n / 10 for n in range(1, 2_000)]

    assert {wilson(0.0, n)[0] for n in sizes} == {0.0}
    assert {wilson(n, n)[1] for n in sizes} == {1.0}


def test_reading_r39_a_mean_over_seeds_has_students_interval() -> None:
    values = [1.0, 2.0, 6.0]
    plain = stats.t.interval(0.95, 2, 3.0, stats.sem(values))

    assert spread_interval(values) == pytest.approx(plain)
    half = stats.t.isf(0.025, 2) * np.sqrt(stats.sem(values) ** 2 + 0.25)
    assert spread_interval(values, variance=0.25) == pytest.approx((3 - half, 3 + half))
    assert spread_interval([1.0, 1.0]) == (1.0, 1.0)
    assert spread_interval([1.0]) is None
    assert moments_interval(3.0, 1.0, 1) is None
    assert moments_interval(3.0, 1.0, 2) is not None
