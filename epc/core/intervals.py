"""Intervals over seeds: the protocol's bootstrap of a mean, and a share's own interval.

Sources: EPC-2.5(f), Readings R10 and R33.
"""

from collections.abc import Sequence
from functools import cache
from math import fsum, sqrt
from typing import TYPE_CHECKING, Final

from epc.core.inference import t_point
from epc.spec.epc_v1 import BOOTSTRAP_RESAMPLES, BOOTSTRAP_SEED, CONFIDENCE

if TYPE_CHECKING:
    from numpy import float64, int64
    from numpy.typing import NDArray

    Array = NDArray[float64]
    Indices = NDArray[int64]

# The normal distribution's point at (1 + CONFIDENCE) / 2, as a literal: a computed one may differ
# in its last bit from machine to machine.
_Z: Final = 1.959963984540054
_LANES, _UNSPLIT = 8, 128  # how NumPy adds neighbours: in lanes, longer rows in two halves
_ABREAST: Final = 4  # rows at a time; more would no longer fit a core's cache

Interval = tuple[float, float]


def mean(values: Sequence[float]) -> float:
    """Return the arithmetic mean, correctly rounded in its sum."""
    return fsum(values) / len(values)


def variance_of(values: Sequence[float]) -> float:
    """Return the unbiased variance, correctly rounded in its sums; of a single value it is 0."""
    middle = mean(values)
    return fsum((value - middle) ** 2 for value in values) / max(1, len(values) - 1)


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
    import numpy as np

    if not rows or len(rows[0]) < 2:  # noqa: PLR2004  (two is what a spread takes, not a setting)
        return [None for _ in rows]
    given = np.array(rows, dtype=np.float64)
    means = np.empty((len(given), BOOTSTRAP_RESAMPLES))
    abreast = _ABREAST if given.shape[1] <= _UNSPLIT else 1  # of many seeds, memory counts
    for first in range(0, len(given), abreast):
        means[first : first + abreast] = _means(given[first : first + abreast])
    tail = (1 - CONFIDENCE) / 2
    # 0.025 and 0.975 as written in R10: 1 - tail would be off by an ulp.
    edges = [round(tail, 3), round(1 - tail, 3)]
    low, high = np.quantile(means, edges, axis=1, method="linear").tolist()
    return list(zip(low, high, strict=True))


def share_interval(hits: float, n: int) -> Interval | None:
    """Return the 95% Wilson interval of a share of seeds; None for a single seed.

    Resampling thirty zeros gives thirty zeros again, and an interval from 0 to 0 would claim that
    the rate is known exactly. Wilson's does not (Reading R33). Where each of the n is itself a
    share, `hits` is their sum: a share varies at most as a coin does, so the interval then covers
    at least as often as it says.

    Unit:   share, 0 to 1.
    Source: E. B. Wilson, J. Am. Stat. Assoc. 22 (1927), 209-212.
    """
    if n < 2:  # noqa: PLR2004  (as above)
        return None
    z2 = _Z**2
    middle = (hits + z2 / 2) / (n + z2)
    half = _Z / (n + z2) * sqrt(hits * (n - hits) / n + z2 / 4)
    return max(0.0, middle - half), min(1.0, middle + half)


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


def _means(rows: "Array") -> "Array":
    """Return the mean of each row's resamples, to the bits of NumPy's `mean` of one resample.

    NumPy adds from eight to 128 neighbours in eight lanes, then the rest. What was drawn first,
    second and so on is added in that order here, of all rows and resamples at once: some rows
    abreast take half the time that they take one by one.

    Shapes: (m, n) in, (m, resamples) out.
    """
    import numpy as np

    n = rows.shape[1]
    means: Array
    if not _LANES <= n <= _UNSPLIT:
        apart = rows.take(_resamples(n), axis=1, mode="clip").swapaxes(1, 2)
        means = np.ascontiguousarray(apart).mean(axis=2)
        return means
    # (n, resamples, m); no index is out of bounds
    drawn = np.ascontiguousarray(rows.T).take(_resamples(n), axis=0, mode="clip")
    whole = n - n % _LANES
    lanes = drawn[:_LANES]
    for first in range(_LANES, whole, _LANES):
        lanes += drawn[first : first + _LANES]
    while len(lanes) > 1:
        lanes = lanes[0::2] + lanes[1::2]
    total = lanes[0]
    for row in drawn[whole:]:
        total += row
    means = total.T / n
    return means


@cache
def _resamples(n: int) -> "Indices":
    """Return the indices that every metric of an n-seed measurement shares, a resample a column.

    Shapes: (n, resamples).
    """
    import numpy as np

    rng = np.random.default_rng(BOOTSTRAP_SEED)
    return np.ascontiguousarray(rng.integers(0, n, size=(BOOTSTRAP_RESAMPLES, n)).T)
