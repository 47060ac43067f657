"""Reading R102: the point of all pairs, against a multivariate t drawn by SciPy."""

import numpy as np
import pytest
from scipy import stats

from epc.statistics.all_pairs import all_pairs_point, mean_of_strata


def test_reading_r102_of_two_rows_the_point_is_student_s() -> None:
    rng = np.random.default_rng(1)

    point = all_pairs_point(rng.normal(size=(2, 41)), rng)

    assert point == pytest.approx(stats.t.ppf(0.975, 40), abs=0.02)


def test_reading_r102_of_independent_rows_the_point_is_tukey_s() -> None:
    """Rows of one spread: the studentised range, over the root of 2; its freedom is the rows'."""
    rng = np.random.default_rng(2)
    values = rng.normal(size=(6, 4000))
    values -= values.mean(axis=1, keepdims=True)

    point = all_pairs_point(values, rng)

    assert point == pytest.approx(
        stats.studentized_range.ppf(0.95, 6, np.inf) / np.sqrt(2), abs=0.03
    )


def test_reading_r102_pairs_that_are_shown_leave_and_make_the_rest_easier() -> None:
    """A row far above five equal ones is shown, so the rest are the pairs of the five.

    The far row still has to be held against: that it is less than they are is not shown.
    """
    rng = np.random.default_rng(3)
    values = rng.normal(size=(6, 400))
    values -= values.mean(axis=1, keepdims=True)
    together = all_pairs_point(values, rng)
    values[0] += 5
    shape = np.cov(values) / 400
    drawn = stats.multivariate_t(np.zeros(6), shape, df=399, seed=4).rvs(60_000)
    gaps = drawn[:, :, None] - drawn[:, None, :]
    spread = np.diag(shape)[:, None] + np.diag(shape)[None] - 2 * shape
    t = np.divide(gaps, np.sqrt(spread), out=np.zeros_like(gaps), where=spread > 0)
    t[:, 0, :] = -np.inf  # that the first is more than each has been shown

    point = all_pairs_point(values, rng)

    assert point == pytest.approx(np.quantile(t.max(axis=(1, 2)), 0.95), abs=0.03)
    assert point < together - 0.03


def test_reading_r102_rows_that_are_equal_are_never_shown_to_differ() -> None:
    row = np.random.default_rng(5).normal(size=30)

    assert all_pairs_point(np.stack([row, row]), np.random.default_rng(6)) == np.inf


def test_reading_r105_strata_weigh_alike_and_their_variances_add_up() -> None:
    """Means by SciPy's draws of the covariance: each stratum's, summed, by the square of two."""
    rng = np.random.default_rng(7)
    small, large = rng.normal(size=(4, 30)), rng.normal(size=(4, 300)) + 3.0
    strata = np.repeat([0, 1], [30, 300])
    means = (small.mean(axis=1) + large.mean(axis=1)) / 2
    shape = (np.cov(small) / 30 + np.cov(large) / 300) / 4
    drawn = stats.multivariate_t(np.zeros(4), shape, df=328, seed=8).rvs(60_000)
    gaps = np.abs(drawn[:, :, None] - drawn[:, None, :])
    spread = np.diag(shape)[:, None] + np.diag(shape)[None] - 2 * shape
    t = np.divide(gaps, np.sqrt(spread), out=np.zeros_like(gaps), where=spread > 0)

    found, off = mean_of_strata(np.hstack([small, large]), strata)
    point = all_pairs_point(np.hstack([small, large]), rng, strata=strata)

    assert found == pytest.approx(means)
    assert off @ off.T == pytest.approx(shape)
    assert point == pytest.approx(np.quantile(t.max(axis=(1, 2)), 0.95), abs=0.03)
