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
    resamples = _resamples(len(rows[0]))
    means = np.empty((len(rows), BOOTSTRAP_RESAMPLES))
    for values, resampled in zip(rows, means, strict=True):
        given = np.asarray(values, dtype=np.float64)
        if (given == given[0]).all():  # so is every resample
            resampled[:] = given.mean()
        else:
            resampled[:] = _means(given, resamples)
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


def _means(values: "Array", resamples: "Indices") -> "Array":
    """Return each resample's mean, to the bits of NumPy's `mean` of its values side by side.

    NumPy adds from eight to 128 neighbours in eight lanes, then the rest. Whole rows of what was
    drawn first, second and so on are added in that order here, in two thirds of the time.
    """
    import numpy as np

    drawn = values.take(resamples, mode="clip")  # no index is out of bounds
    n = len(drawn)
    if not _LANES <= n <= _UNSPLIT:
        means: Array = np.ascontiguousarray(drawn.T).mean(axis=1)
        return means
    whole = n - n % _LANES
    lanes = drawn[:_LANES]
    for first in range(_LANES, whole, _LANES):
        lanes += drawn[first : first + _LANES]
    while len(lanes) > 1:
        lanes = lanes[0::2] + lanes[1::2]
    total: Array = lanes[0]
    for row in drawn[whole:]:
        total += row
    return total / n


@cache
def _resamples(n: int) -> "Indices":
    """Return the indices that every metric of an n-seed measurement shares, a resample a column.

    Shapes: (n, resamples).
    """
    import numpy as np

    rng = np.random.default_rng(BOOTSTRAP_SEED)
    return np.ascontiguousarray(rng.integers(0, n, size=(BOOTSTRAP_RESAMPLES, n)).T)
