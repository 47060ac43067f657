"""Shares of clustered observations: by hand, and by the coverage that they promise."""

import numpy as np
import pytest

from epc.statistics.clusters import clustered_mean_of_shares, clustered_share
from epc.statistics.inference import t_point
from epc.statistics.intervals import Z, share_interval


def test_independent_observations_have_wilsons_interval_but_for_the_freedom() -> None:
    hits = np.array([1.0] * 30 + [0.0] * 70)

    share, interval = clustered_share(hits, np.ones(100), np.arange(100))

    # 99 observations and not 100: the variance between them is divided by n - 1.
    effective = 99 * (Z / t_point(99)) ** 2
    assert share == 0.3
    assert interval == pytest.approx(share_interval(0.3 * effective, effective))


def test_a_cluster_said_twice_is_no_further_evidence() -> None:
    hits, clusters = np.array([1.0] * 30 + [0.0] * 70), np.arange(100)

    once = clustered_share(hits, np.ones(100), clusters)
    twice = clustered_share(np.tile(hits, 2), np.ones(200), np.tile(clusters, 2))

    assert twice[1] == pytest.approx(once[1])


def test_where_no_cluster_differs_each_is_one_observation() -> None:
    _, interval = clustered_share(np.ones(60), np.ones(60), np.repeat(np.arange(20), 3))

    effective = 20 * (Z / t_point(19)) ** 2
    assert interval == pytest.approx(share_interval(effective, effective))


def test_one_cluster_has_no_interval() -> None:
    one = np.array([1.0, 0.0]), np.ones(2), np.zeros(2, int)

    assert clustered_share(*one) == (0.5, None)
    assert clustered_mean_of_shares([one, one]) == (0.5, None)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_the_interval_covers_as_often_as_it_says(share: float) -> None:
    """Items whose own share varies by a beta distribution, four verdicts each: 2,000 draws."""
    rng = np.random.default_rng(77)
    clusters = np.repeat(np.arange(40), 4)
    covered = 0
    for _ in range(2000):
        own = rng.beta(2 * share, 2 * (1 - share), 40)
        hits = (rng.random(160) < own[clusters]).astype(float)
        _, interval = clustered_share(hits, np.ones(160), clusters)
        assert interval
        covered += interval[0] <= share <= interval[1]

    assert 0.935 <= covered / 2000 <= 0.98


def test_a_mean_of_shares_is_not_weighted_by_their_sizes() -> None:
    many = np.array([1.0] * 9 + [0.0]), np.ones(10), np.arange(10)
    few = np.array([0.0, 1.0]), np.ones(2), np.arange(2)

    value, interval = clustered_mean_of_shares([many, few])

    # Ten clusters: 0 has (0.1 / 10 - 0.5 / 2) / 2, 1 has (0.1 / 10 + 0.5 / 2) / 2, seven 0.1 / 20,
    # the last -0.9 / 20.
    spread = (0.12**2 + 0.13**2 + 7 * 0.005**2 + 0.045**2) * 10 / 9
    assert value == pytest.approx(0.7)
    half = t_point(9) * spread**0.5
    assert interval == pytest.approx((0.7 - half, min(1.0, 0.7 + half)))
