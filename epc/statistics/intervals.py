"""Intervals over seeds: the protocol's bootstrap of a mean, and a share's own interval.

Sources: EPC-2.5(f), Readings R10 and R33.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from math import fsum, sqrt
from typing import Final

from epc.arrays import Array, np
from epc.spec.epc_v1 import BOOTSTRAP_RESAMPLES, BOOTSTRAP_SEED, CONFIDENCE
from epc.statistics.inference import ALPHA, t_point


def sum_of_squares(values: Iterable[float]) -> float:
    """Return the sum of the values' squares, correctly rounded in its sum.

    A square is a product: `x**2` is the C library's `pow`, which rounds one in 1,200 another way.
    """
    return fsum(x * x for x in values)


# The normal distribution's point at (1 + CONFIDENCE) / 2, as a literal: a computed one may differ
# in its last bit from machine to machine.
Z: Final = 1.959963984540054

Interval = tuple[float, float]


def mean(values: Sequence[float]) -> float:
    """Return the arithmetic mean, correctly rounded in its sum."""
    return fsum(values) / len(values)


def variance_of(values: Sequence[float]) -> float:
    """Return the unbiased variance, correctly rounded in its sums; of a single value it is 0."""
    middle = mean(values)
    return sum_of_squares(value - middle for value in values) / max(1, len(values) - 1)


def mean_interval(values: Sequence[float]) -> Interval | None:
    """Return the 95% interval of the mean over seeds; None for a single seed.

    One seed says nothing about the spread between seeds, and a zero-width interval would claim
    that it does (Reading R10).

    Shapes: (n,).
    Unit:   that of the values.
    Source: EPC-2.5(f).
    """
    return mean_intervals([values])[0]


def mean_intervals(rows: Sequence[Sequence[float]]) -> list[Interval | None]:
    """Return `mean_interval` of several figures of the same seeds.

    Shapes: each (n,).
    """
    if not rows or len(rows[0]) < 2:  # noqa: PLR2004  (two is what a spread takes, not a setting)
        return [None for _ in rows]
    values = np.array(rows, dtype=np.float64)
    edges = np.repeat([[mean(row)] for row in rows], 2, axis=1)  # every resample of equal values
    varied = (values != values[:, :1]).any(axis=1)
    tail = (1 - CONFIDENCE) / 2
    # 0.025 and 0.975 as written in R10: 1 - tail would be off by an ulp.
    shares = [round(tail, 3), round(1 - tail, 3)]
    means = _means(values[varied])
    edges[varied] = np.stack(quantiles(means, shares), axis=-1)
    return [(low, high) for low, high in edges.tolist()]


def quantiles(values: Array, shares: Sequence[float]) -> list[Array]:
    """Return linear quantiles along the last axis, to the bit those of `numpy.quantile`.

    That one loads numpy.ma, which takes as long as a hundred calls of a run.

    Shapes: (..., n); each result (...).
    """
    last = values.shape[-1] - 1
    places = [share * last for share in shares]
    below = [int(position) for position in places]
    ends = {min(index + step, last) for index in below for step in (0, 1)}
    ordered = np.partition(values, sorted(ends), axis=-1)
    results = []
    for position, index in zip(places, below, strict=True):
        low, high = ordered[..., index], ordered[..., min(index + 1, last)]
        part = position - index
        near = low + (high - low) * part
        results.append(near if part < 0.5 else high - (high - low) * (1 - part))  # noqa: PLR2004  (the nearer end)
    return results


def share_interval(hits: float, n: float) -> Interval | None:
    """Return the 95% Wilson interval of a share of seeds; None for a single seed.

    Resampling thirty zeros gives thirty zeros again, and an interval from 0 to 0 would claim that
    the rate is known exactly. Wilson's does not (Reading R33). Where each of the n is itself a
    share, `hits` is their sum: a share varies at most as a coin does, so the interval then covers
    at least as often as it says.

    Unit:   share, 0 to 1.
    Source: E. B. Wilson, J. Am. Stat. Assoc. 22 (1927), 209-212.
    """
    return None if n < 2 else wilson(hits, n)  # noqa: PLR2004  (as above)


def normal_point(error: float) -> float:
    """Return the distance from 0 that a standard normal exceeds with probability `error`."""
    if error == ALPHA:
        return Z
    from statistics import NormalDist

    return NormalDist().inv_cdf(1 - error / 2)


def wilson(hits: float, n: float, z: float = Z) -> Interval:
    """Return the score interval of a share, 95% or to another normal point.

    `n` may be a part of one observation.

    Unit:   share, 0 to 1.
    Source: E. B. Wilson, J. Am. Stat. Assoc. 22 (1927), 209-212.
    """
    z2 = z * z
    middle = (hits + z2 / 2) / (n + z2)
    half = z / (n + z2) * sqrt(hits * (n - hits) / n + z2 / 4)
    low = max(0.0, middle - half) if hits else 0.0  # and not the 7e-18 that is left of it
    high = min(1.0, middle + half) if hits != n else 1.0
    return low, high


def spread_interval(values: Sequence[float], *, variance: float = 0.0) -> Interval | None:
    """Return the 95% interval of a mean over seeds by Student's t; None for a single seed.

    The percentile bootstrap that the protocol asks for covers 88 to 90% at ten seeds where 95 are
    promised; this one covers 94 to 95 (`site/docs/statistics.md`). `variance` is what the mean
    has beside the spread between seeds.

    Shapes: (n,).
    Unit:   that of the values.
    Source: Reading R39.
    """
    n = len(values)
    if n < 2:  # noqa: PLR2004  (as above)
        return None
    middle = mean(values)
    half = t_point(n - 1) * sqrt(variance_of(values) / n + variance)
    return middle - half, middle + half


def moments_interval(middle: float, sd: float, n: int) -> Interval | None:
    """Return the 95% interval of a mean of which no more is known than a publication prints.

    `sd` is the sample's over `n` seeds. None for a single seed.

    Unit:   that of the mean.
    Source: Reading R39.
    """
    if n < 2:  # noqa: PLR2004  (as above)
        return None
    half = t_point(n - 1) * sd / sqrt(n)
    return middle - half, middle + half


def _means(rows: Array) -> Array:
    """Return the mean of each row's resamples, correctly rounded in its sum on any machine.

    A sum of drawn values is one of how often each was drawn times the value: a product of matrices,
    which a BLAS adds up in an order of its own. So the values are cut into whole numbers of a unit
    so large, and what is left of them of a unit so small, that either product has no rounding at
    all. A row too wide for two such units, with values 2**-43 of its largest (for 30 seeds) or
    less, is added resample by resample.

    Shapes: (m, n) in, (m, resamples) out.
    """
    m, n = rows.shape
    bits = 53 - (n - 1).bit_length()  # bits of a double that no sum of n carries out of
    _, exponent = np.frexp(np.abs(rows).max(axis=1, keepdims=True))
    high = _to_unit(rows, exponent - bits)
    low = rows - high
    sums = np.concatenate([high, low]) @ _drawn(n)
    means: Array = sums[:m]
    means += sums[m:]
    for wide in np.flatnonzero((low != _to_unit(low, exponent - 2 * bits)).any(axis=1)):
        means[wide] = [fsum(np.repeat(rows[wide], drawn)) for drawn in _drawn(n).T.astype(np.intp)]
    means /= n
    return means


def _to_unit(values: Array, exponent: Array) -> Array:
    """Return values rounded to multiples of 2**exponent."""
    rounded: Array = np.ldexp(np.rint(np.ldexp(values, -exponent)), exponent)
    return rounded


@cache
def _drawn(n: int) -> Array:
    """Return how often each seed was drawn into each resample of n seeds; all metrics share it.

    Shapes: (n, resamples).
    Source: Reading R10.
    """
    rng = np.random.default_rng(BOOTSTRAP_SEED)
    indices = rng.integers(0, n, size=(BOOTSTRAP_RESAMPLES, n))
    drawn: Array = np.zeros((n, BOOTSTRAP_RESAMPLES))
    np.add.at(drawn, (indices, np.arange(BOOTSTRAP_RESAMPLES)[:, None]), 1)
    return drawn
