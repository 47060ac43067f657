"""Figures whose observations come in clusters, as several verdicts on one item do."""

from collections.abc import Callable
from math import exp, inf, sqrt
from typing import Final

from epc.arrays import Array, Codes, np, ranks
from epc.statistics.inference import ALPHA, t_point
from epc.statistics.intervals import Interval, normal_point, wilson

_MOST_BLOCKS: Final = 64  # more leave out so little that they only cost time
_ROUNDED: Final = 1e-12  # of a variance by observation: less is rounding
_NOTHING: Final = 1e-20  # a variance that rounding leaves
_HEAVY: Final = 2.0  # times the mean weight of a cluster


def clustered_share(
    hits: Array,
    n: Array,
    clusters: Codes,
    *,
    verdicts: float | None = None,
    fewest: float = 2.0,
) -> tuple[float, Interval | None]:
    """Return the share of hits with its 95% interval.

    Wilson's interval at the effective number of observations: as many independent ones as would
    vary as much as the clusters do, no more than there are, and fewer where clusters are few.
    `verdicts` is how many there are where `n` weighs them: ten askings of one question may say more
    than one does. Where no cluster differs from another, each counts as one observation. No
    interval for a single cluster, or for fewer than `fewest` effective observations.

    Shapes: each (m,); `hits` of `n` in each, and the cluster that it belongs to.
    Unit:   share, 0 to 1.
    Source: the linearised variance of a ratio; E. L. Korn and B. I. Graubard, Survey Methodology
        24 (1998), 193-201, with Wilson's interval in the place of Clopper and Pearson's.
    """
    total = float(n.sum())
    share = float(hits.sum()) / total
    spread, count = spread_between((hits - share * n) / total, clusters, n)
    limit = total if verdicts is None else verdicts
    return share, score_interval(share, spread, count, limit=limit, fewest=fewest)


def share_of_rows(
    hits: Array, clusters: Codes, n: Array | None = None
) -> tuple[float, Interval | None]:
    """Return a share of rows that are 0 or 1 with its 95% interval.

    Where each cluster has one row the variance is known, and the interval is Wilson's of as many
    rows, however few. Else it is `clustered_share`'s.

    Shapes: each (m,); `n` is what each row weighs, and `hits` that or 0.
    Unit:   share, 0 to 1.
    """
    rows = len(hits)
    n = np.ones(rows) if n is None else n
    if len(np.unique(clusters)) < rows:
        return clustered_share(hits, n, clusters, verdicts=rows, fewest=0.0)
    share = float(hits.sum() / n.sum())
    return share, wilson(share * rows, rows)


def bounded_mean(values: Array, clusters: Codes, ends: Interval) -> tuple[float, Interval | None]:
    """Return the mean of values on a scale with its 95% interval, which lies on the scale.

    Seen as a share of the scale, with `clustered_share`'s interval: the variance falls towards the
    ends as a share's does, so that the interval leans away from them. Student's is symmetrical,
    passes the ends, and is too short near them, where few clusters differ.

    Shapes: each (m,).
    """
    low, high = ends
    shares = (values - low) / (high - low)
    share = min(1.0, max(0.0, float(shares.mean())))
    off = (shares - share) / len(shares)
    spread, count = spread_between(off, clusters, np.ones(len(off)))
    interval = score_interval(share, spread, count)
    if interval is not None:
        interval = (low + (high - low) * interval[0], low + (high - low) * interval[1])
    return float(values.mean()), interval


def score_interval(
    share: float,
    spread: float,
    count: int,
    *,
    limit: float = inf,
    fewest: float = 0.0,
    error: float = ALPHA,
) -> Interval | None:
    """Return Wilson's interval at the number of observations that would vary as the clusters do.

    `spread` is the variance of the share between `count` clusters; `limit` is how many
    observations there can be. The interval misses in `error` of cases.
    """
    if count < 2:  # noqa: PLR2004  (two is what a spread takes, not a setting)
        return None
    varies = spread > _ROUNDED / (limit if limit < inf else count)
    effective = min(share * (1 - share) / spread, limit) if varies else float(count)
    z = normal_point(error)
    effective *= (z / t_point(count - 1, error)) ** 2
    return None if effective < fewest else wilson(share * effective, effective, z)


def clustered_mean_of_shares(
    strata: list[tuple[Array, Array, Codes]],
) -> tuple[float, Interval | None]:
    """Return the unweighted mean of several shares with its 95% interval.

    Wilson's interval at the number of observations whose share would vary as much: near 0 and 1
    Student's is too short, and passes them. A cluster may have observations in several strata. No
    interval for a single cluster.

    Shapes: hits, n and clusters of each stratum, as `clustered_share` takes them.
    Unit:   share, 0 to 1.
    Source: the linearised variance of a ratio; E. B. Wilson, J. Am. Stat. Assoc. 22 (1927).
    """
    shares = [float(hits.sum() / n.sum()) for hits, n, _ in strata]
    middle = sum(shares) / len(shares)
    parts = list(zip(shares, strata, strict=True))
    off = np.concatenate([(hits - share * n) / n.sum() for share, (hits, n, _) in parts])
    weights = np.concatenate([n / n.sum() for _, n, _ in strata])
    clusters = np.concatenate([clusters for _, _, clusters in strata])
    spread, count = spread_between(off / len(strata), clusters, weights)
    return middle, score_interval(middle, spread, count)


def linearised_interval(
    value: float, off: Array, clusters: Codes, *, ends: Interval = (-inf, inf)
) -> Interval | None:
    """Return a figure's 95% interval by Student's t, held to the `ends` that it cannot pass.

    `off` is what each observation moves the figure by, to first order. No interval for a single
    cluster, or where no cluster differs from another.

    Shapes: each (m,).
    Source: Taylor linearisation; K. M. Wolter, Introduction to Variance Estimation (2007), ch. 6.
    """
    spread, count = spread_between(off, clusters)
    if spread <= _NOTHING:
        return None
    half = t_point(count - 1) * sqrt(spread)
    return max(ends[0], value - half), min(ends[1], value + half)


def clustered_mean(
    values: Array, clusters: Codes, error: float = ALPHA
) -> tuple[float, Interval | None]:
    """Return a mean with its interval by Student's t, of 95% or another; None for a single cluster.

    Shapes: each (m,).
    Source: the linearised variance of a ratio, the clusters' sums over their sizes.
    """
    middle = float(values.mean())
    off = (values - middle) / len(values)
    spread, count = spread_between(off, clusters, np.ones(len(off)))
    if count < 2:  # noqa: PLR2004  (as above)
        return middle, None
    half = t_point(count - 1, error) * sqrt(spread)
    return middle, (middle - half, middle + half)


Statistic = Callable[[frozenset[int]], float | None]


def left_out_interval(
    statistic: Statistic,
    clusters: int,
    *,
    extra_variance: float = 0.0,
    informative: int | None = None,
) -> Interval | None:
    """Return the 95% interval of any statistic, from leaving out some clusters at a time.

    `statistic` takes the numbers of the clusters left out. `extra_variance` is variance that the
    clusters at hand cannot show; `informative` is how many of them bear the variance. No interval
    for a single cluster, or where the statistic is undefined without some of them.

    Source: the delete-a-group jackknife with Student's t; J. Shao and D. Tu, The Jackknife and
        Bootstrap (1995), section 2.3.
    """
    jackknife = _left_out(statistic, clusters)
    if jackknife is None:
        return None
    estimate, variance, blocks = jackknife
    freedom = min(blocks, blocks if informative is None else informative) - 1
    if freedom < 1:
        return None
    half = t_point(freedom) * sqrt(variance + extra_variance)
    return estimate - half, estimate + half


def agreement_interval(
    statistic: Statistic, clusters: int, differing: int
) -> tuple[float, float] | None:
    """Return the 95% interval of an agreement that is 1 less a ratio of disagreements.

    The interval of the ratio's logarithm: near 1 few clusters bear the ratio, and its estimate is
    skewed. As many count as differ, and one more that may be of any size. No interval where none
    differs, else as `left_out_interval`.

    Source: the delta method; the jackknife as there.
    """
    jackknife = _left_out(statistic, clusters)
    if jackknife is None or not differing or jackknife[0] >= 1:
        return None
    estimate, variance, blocks = jackknife
    off = 1 - estimate
    half = t_point(blocks - 1) * sqrt(variance / off**2 + 1 / differing**2)
    return max(-1.0, 1 - off * exp(half)), 1 - off * exp(-half)


def _left_out(statistic: Statistic, clusters: int) -> tuple[float, float, int] | None:
    """Return a statistic, its jackknife variance, and how many blocks were left out in turn."""
    blocks = min(clusters, _MOST_BLOCKS)
    estimate = statistic(frozenset())
    if blocks < 2 or estimate is None:  # noqa: PLR2004  (as above)
        return None
    parts = [statistic(frozenset(range(block, clusters, blocks))) for block in range(blocks)]
    defined = [part for part in parts if part is not None]
    if len(defined) < blocks:
        return None
    middle = sum(defined) / blocks
    variance = (blocks - 1) / blocks * sum((part - middle) ** 2 for part in defined)
    return estimate, variance, blocks


def spread_between(off: Array, clusters: Codes, weights: Array | None = None) -> tuple[float, int]:
    """Return the variance of a figure between clusters drawn independently, and their number.

    `off` is what each observation moves the figure by. A cluster that weighs much draws the figure
    to itself, so that it seems to move it less. Where one weighs more than twice the mean, each is
    compared with the figure without it: what it moves is divided by 1 less its weight.

    Shapes: each (m,); `weights` of the observations, in any unit.
    Source: the jackknife of a ratio; for the border D. C. Hoaglin and R. E. Welsch, The American
        Statistician 32 (1978), 17-22.
    """
    places = ranks(clusters)
    parts = np.bincount(places, weights=off)
    count = len(parts)
    if count < 2:  # noqa: PLR2004  (as above)
        return 0.0, count
    if weights is not None:
        weight = np.bincount(places, weights=weights) / weights.sum()
        if weight.max() > _HEAVY / count * (1 + _ROUNDED):
            parts = parts / (1 - weight) * (count - 1) / count
    return float((parts**2).sum()) * count / (count - 1), count


def by_cluster(values: Array, clusters: Codes) -> Array:
    """Return the sum of each cluster's values.

    Shapes: (m,) in, (clusters,) out.
    """
    return np.bincount(ranks(clusters), weights=values).astype(np.float64)
