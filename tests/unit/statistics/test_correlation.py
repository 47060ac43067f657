"""The correlation's interval: by leaving out, written out."""

from math import atanh, sqrt, tanh

import numpy as np
import pytest
from scipy import stats

from epc.statistics.correlation import correlation


def test_reading_r102_a_correlation_has_the_jackknifes_interval_on_fishers_scale() -> None:
    x = np.array([1.0, 2.0, 2.0, 4.0, 5.0, 3.0])
    y = np.array([2.0, 1.0, 3.0, 4.0, 4.0, 5.0])
    clusters = np.array([0, 0, 1, 2, 3, 4])

    value, interval = correlation(x, y, clusters)

    z = [
        atanh(stats.pearsonr(x[clusters != out], y[clusters != out]).statistic) for out in range(5)
    ]
    half = stats.t.isf(0.025, 4) * sqrt(4 / 5 * sum((part - np.mean(z)) ** 2 for part in z))
    middle = atanh(stats.pearsonr(x, y).statistic)
    assert value == pytest.approx(tanh(middle))
    assert interval == pytest.approx((tanh(middle - half), tanh(middle + half)))


def test_a_correlation_far_from_zero_is_as_precise() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 50))

    near, far = (correlation(x + off, y + off, np.arange(50)) for off in (0.0, 1e6))

    assert far[0] == pytest.approx(near[0], abs=1e-9)
    assert far[1] == pytest.approx(near[1], abs=1e-9)


def test_without_spread_there_is_no_correlation_and_where_it_is_perfect_no_interval() -> None:
    x = np.array([1.0, 2.0, 3.0, 4.0])

    assert correlation(x, np.ones(4), np.arange(4)) == (None, None)
    value, interval = correlation(x, 2 * x, np.arange(4))
    assert value == pytest.approx(1)
    assert interval is None
    assert correlation(x, np.array([1.0, 3.0, 2.0, 4.0]), np.zeros(4, int))[1] is None
    # Without the last row the second side never varies.
    assert correlation(x, np.array([1.0, 1.0, 1.0, 2.0]), np.arange(4))[1] is None
    # Without the second row all lie on a line.
    assert correlation(x, np.array([1.0, 9.0, 3.0, 4.0]), np.arange(4))[1] is None
