"""How far confidence is from how often it is right, and how far it would be by chance."""

from dataclasses import dataclass
from typing import Final

from epc.arrays import Array, Codes, np
from epc.statistics.clusters import left_out_interval
from epc.statistics.intervals import Interval, quantiles

_BINS: Final = 10  # of confidence, of equal width
_DRAWS: Final = 200
_SEED: Final = 20261128
_ROUNDED: Final = 1e-9  # of an error: less is rounding


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """The expected calibration error, its 95% interval, and its mean if confidence were true."""

    error: float
    ci95: Interval | None
    by_chance: float | None = None


# Reading R102: the error is never below 0, so that chance alone gives one above it.
def calibration(confidence: Array, right: Array, clusters: Codes) -> Calibration:
    """Return the expected calibration error in ten bins.

    Verdicts that are right as often as their confidence says still have an error. Their errors are
    drawn 200 times; unless the error at hand is above the 95% point of these, the interval begins
    at 0. Verdicts of one cluster are drawn together: that they are independent is not known.

    Shapes: each (m,), `right` 0 and 1.
    Source: M. P. Naeini, G. F. Cooper and M. Hauskrecht, AAAI (2015), 2901-2907; J. Broecker and
        L. A. Smith, Weather and Forecasting 22 (2007), 651-661, for errors by chance.
    """
    _, cluster = np.unique(clusters, return_inverse=True)
    count = int(cluster.max()) + 1

    def error(left_out: frozenset[int]) -> float:
        mask = ~np.isin(cluster, [*left_out])
        return error_of(confidence[mask], right[mask])

    rng = np.random.default_rng(_SEED)
    uniforms = (rng.random(count)[cluster] for _ in range(_DRAWS))
    drawn = [error_of(confidence, np.where(u < confidence, 1.0, 0.0)) for u in uniforms]
    measured, interval = error(frozenset()), left_out_interval(error, count)
    (limit,) = quantiles(np.array(drawn), [0.95])
    if interval is not None:
        low = max(0.0, interval[0]) if measured > limit + _ROUNDED else 0.0
        interval = low, min(1.0, interval[1])
    return Calibration(error=measured, ci95=interval, by_chance=float(np.mean(drawn)))


def error_of(confidence: Array, right: Array) -> float:
    """Return the distance of confidence and share right, over ten bins of confidence.

    Shapes: each (m,), `right` 0 and 1.
    """
    bins = np.minimum((confidence * _BINS).astype(np.int64), _BINS - 1)
    gaps = np.bincount(bins, weights=confidence - right)
    return float(np.abs(gaps).sum() / len(right))
