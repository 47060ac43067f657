"""Shares of clustered observations: by hand, and by the coverage that they promise."""

from collections.abc import Callable
from math import exp, sqrt

import numpy as np
import pytest
from scipy import stats

from epc.statistics.clusters import (
    agreement_interval,
    bounded_mean,
    clustered_mean,
    clustered_mean_of_shares,
    clustered_share,
    left_out_interval,
    linearised_interval,
    share_of_rows,
)
from epc.statistics.inference import t_point
from epc.statistics.intervals import Z, share_interval, wilson


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
    # the last -0.9 / 20. The first two weigh 0.3 each, more than twice the mean of 0.1, the others
    # 0.05: each is divided by 1 less that.
    heavy = (0.12 / 0.7) ** 2 + (0.13 / 0.7) ** 2
    spread = (heavy + 7 * (0.005 / 0.95) ** 2 + (0.045 / 0.95) ** 2) * 9 / 10
    effective = 0.7 * 0.3 / spread * (Z / stats.t.isf(0.025, 9)) ** 2
    assert value == pytest.approx(0.7)
    assert interval == pytest.approx(share_interval(0.7 * effective, effective))


def test_reading_r102_a_mean_of_shares_leans_away_from_the_ends_and_has_an_interval_there() -> None:
    at_end = np.ones(10), np.ones(10), np.arange(10)

    value, interval = clustered_mean_of_shares([at_end, at_end])

    effective = 10 * (Z / stats.t.isf(0.025, 9)) ** 2
    assert value == 1
    assert interval == pytest.approx(share_interval(effective, effective))


def test_reading_r102_an_item_that_outweighs_the_others_is_held_against_them() -> None:
    # Three items: one of eight verdicts, two of one each. By the jackknife of a ratio, written out.
    hits = np.array([1.0, 1, 1, 1, 1, 1, 0, 0, 1, 0])
    clusters = np.array([0] * 8 + [1, 2])
    share, interval = clustered_share(hits, np.ones(10), clusters, fewest=0.0)

    without = [1 / 2, 6 / 9, 7 / 9]  # the share without each item, of 7 in 10
    spread = 2 / 3 * sum((part - 0.7) ** 2 for part in without)
    effective = 0.7 * 0.3 / spread * (Z / stats.t.isf(0.025, 2)) ** 2
    assert share == 0.7
    assert interval == pytest.approx(wilson(0.7 * effective, effective))
    half = stats.t.isf(0.025, 2) * sqrt(spread)
    assert clustered_mean(hits, clusters)[1] == pytest.approx((0.7 - half, 0.7 + half))


def test_a_mean_of_clusters_is_that_of_their_sums() -> None:
    # Clusters of 2, 1 and 1 values about 2.5: they move the mean by -0.5, -0.125 and 0.625.
    values, clusters = np.array([1.0, 2.0, 2.0, 5.0]), np.array([0, 0, 1, 2])

    value, interval = clustered_mean(values, clusters)

    half = stats.t.isf(0.025, 2) * sqrt((0.5**2 + 0.125**2 + 0.625**2) * 3 / 2)
    assert value == 2.5
    assert interval == pytest.approx((2.5 - half, 2.5 + half))
    _, tenth = clustered_mean(values, clusters, 0.1)
    assert tenth
    assert tenth[1] - 2.5 == pytest.approx(half * stats.t.isf(0.05, 2) / stats.t.isf(0.025, 2))
    assert clustered_mean(values, np.zeros(4, int)) == (2.5, None)
    # Without clusters it is the interval of any textbook.
    plain = stats.t.interval(0.95, 3, values.mean(), stats.sem(values))
    assert clustered_mean(values, np.arange(4))[1] == pytest.approx(plain)


def test_a_figure_that_no_cluster_moves_has_no_interval_and_ends_hold_one() -> None:
    assert linearised_interval(0.5, np.zeros(4), np.arange(4)) is None
    off = np.array([0.25, -0.25])
    half = stats.t.isf(0.025, 1) * sqrt(0.125 * 2)
    assert linearised_interval(0.5, off, np.arange(2)) == pytest.approx((0.5 - half, 0.5 + half))
    assert linearised_interval(0.5, off, np.arange(2), ends=(-1.0, 1.5)) == (-1.0, 1.5)


def test_a_mean_on_a_scale_has_the_interval_of_a_share_of_it() -> None:
    values, clusters = np.array([1.0] * 30 + [3.0] * 70), np.arange(100)

    value, interval = bounded_mean(values, clusters, (1.0, 3.0))
    _, share = clustered_share((values - 1) / 2, np.ones(100), clusters)

    assert value == pytest.approx(2.4)
    assert share
    assert interval == pytest.approx((1 + 2 * share[0], 1 + 2 * share[1]))
    assert bounded_mean(values, np.zeros(100, int), (1.0, 3.0))[1] is None
    # All at the end of the scale: each cluster is one observation.
    _, at_end = bounded_mean(np.full(20, 3.0), np.arange(20), (1.0, 3.0))
    effective = 20 * (Z / stats.t.isf(0.025, 19)) ** 2
    lowest, _ = share_interval(effective, effective) or (0.0, 0.0)
    assert at_end == pytest.approx((1 + 2 * lowest, 3.0))


def test_a_share_of_too_few_effective_observations_has_no_interval() -> None:
    hits, clusters = np.array([1.0, 0.0] * 5), np.repeat([0, 1], 5)

    assert clustered_share(hits, np.ones(10), clusters, fewest=0.0)[1] is not None
    assert clustered_share(hits, np.ones(10), clusters)[1] is None
    # Of ten independent ones 9 (z / t)^2 are effective.
    effective = 9 * (Z / stats.t.isf(0.025, 9)) ** 2
    for fewest, there_is in ((effective - 1e-9, True), (effective + 1e-9, False)):
        interval = clustered_share(hits, np.ones(10), np.arange(10), fewest=fewest)[1]
        assert (interval is not None) is there_is


def mean_without(values: list[float]) -> Callable[[frozenset[int]], float | None]:
    return lambda out: float(np.mean([v for index, v in enumerate(values) if index not in out]))


def test_leaving_out_a_cluster_at_a_time_gives_a_mean_its_textbook_interval() -> None:
    values = [1.0, 2.0, 4.0, 9.0, 4.0]
    plain = stats.t.interval(0.95, 4, np.mean(values), stats.sem(values))
    spread, middle = float(stats.sem(values)) ** 2, float(np.mean(values))

    assert left_out_interval(mean_without(values), 5) == pytest.approx(plain)
    half = stats.t.isf(0.025, 4) * sqrt(spread + 0.5)
    further_interval = left_out_interval(mean_without(values), 5, extra_variance=0.5)
    assert further_interval == pytest.approx((middle - half, middle + half))
    half = stats.t.isf(0.025, 1) * sqrt(spread)
    few = left_out_interval(mean_without(values), 5, informative=2)
    assert few == pytest.approx((middle - half, middle + half))
    assert left_out_interval(mean_without(values), 5, informative=9) == pytest.approx(plain)
    assert left_out_interval(mean_without(values), 5, informative=1) is None
    assert left_out_interval(mean_without(values), 1) is None
    assert left_out_interval(lambda out: None if 3 in out else 1.0, 5) is None
    assert left_out_interval(lambda out: 1.0 if out else None, 5) is None


def test_of_more_than_64_clusters_every_64th_is_left_out_together() -> None:
    left_out: list[frozenset[int]] = []

    def noted(out: frozenset[int]) -> float:
        left_out.append(out)
        return float(min(out, default=-1))

    interval = left_out_interval(noted, 130)

    assert left_out[0] == frozenset()
    assert left_out[1] == frozenset({0, 64, 128})
    assert left_out[2] == frozenset({1, 65, 129})
    assert left_out[3] == frozenset({2, 66})
    assert len(left_out) == 65
    # 0 to 63 have a sum of squares about their mean of 64 (64^2 - 1) / 12 = 21,840.
    half = stats.t.isf(0.025, 63) * sqrt(63 / 64 * 21_840)
    assert interval == pytest.approx((-1 - half, -1 + half))


def test_an_agreement_s_interval_is_that_of_the_logarithm_of_its_disagreement() -> None:
    values = [0.5, 0.75, 1.0, 0.75, 1.0]
    off = 1 - float(np.mean(values))
    variance = float(stats.sem(values)) ** 2

    half = stats.t.isf(0.025, 4) * sqrt(variance / off**2 + 1 / 3**2)
    expected = (max(-1.0, 1 - off * exp(half)), 1 - off * exp(-half))
    assert agreement_interval(mean_without(values), 5, 3) == pytest.approx(expected)
    assert expected[0] > -1
    assert (agreement_interval(mean_without(values), 5, 1) or (0,))[0] == -1
    assert agreement_interval(mean_without(values), 5, 0) is None
    assert agreement_interval(mean_without([1.0] * 5), 5, 3) is None
    assert agreement_interval(mean_without(values), 1, 3) is None


def test_reading_r102_askings_of_one_question_may_say_more_than_one_does() -> None:
    # 40 questions of ten askings: of half of them 6 are right, of the others 8.
    hits, clusters = np.array([0.6, 0.8] * 20), np.arange(40)

    _, once = clustered_share(hits, np.ones(40), clusters)
    _, ten = clustered_share(hits, np.ones(40), clusters, verdicts=400)
    _, more = clustered_share(hits, np.ones(40), clusters, verdicts=1e9)

    # The variance is 0.1 ** 2 / 39: 819 verdicts would vary as much, and there are 400.
    few = (Z / t_point(39)) ** 2
    assert once == pytest.approx(share_interval(0.7 * 40 * few, 40 * few))
    assert ten == pytest.approx(share_interval(0.7 * 400 * few, 400 * few))
    assert more == pytest.approx(share_interval(0.7 * 819 * few, 819 * few))
    # Where no question differs there is nothing to tell how much ten askings say: each counts once.
    _, alike = clustered_share(np.full(40, 0.7), np.ones(40), clusters, verdicts=400)
    assert alike == pytest.approx(once)


def test_reading_r102_a_share_of_single_rows_has_wilsons_interval() -> None:
    hits = np.array([1.0] * 6 + [0.0] * 2)

    assert share_of_rows(hits, np.arange(8)) == (0.75, share_interval(6, 8))
    assert share_of_rows(np.ones(1), np.zeros(1, int)) == (1.0, wilson(1, 1))
    weighted = share_of_rows(hits * 3, np.arange(8), np.full(8, 3.0))
    assert weighted == (0.75, share_interval(6, 8))
    # Two rows an item: as `clustered_share`, however few.
    pairs = np.repeat(np.arange(4), 2)
    assert share_of_rows(hits, pairs) == clustered_share(hits, np.ones(8), pairs, fewest=0.0)
