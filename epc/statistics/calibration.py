"""How far confidence is from how often it is right, and how far it would be by chance."""

from dataclasses import dataclass
from typing import Final

from epc.arrays import Array, Codes, np
from epc.statistics.clusters import left_out_interval
from epc.statistics.intervals import Interval, quantiles

_BINS: Final = 10  # of confidence, of equal width
_DRAWS: Final = 200
_SEED: Final = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """The expected calibration error, its 95% interval, and its mean if confidence were true."""

    error: float
    ci95: Interval | None
    by_chance: float


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
    bins = np.minimum((confidence * _BINS).astype(np.int64), _BINS - 1)

    def error_of(hits: Array) -> float:
        gaps = np.bincount(bins, weights=confidence - hits)
        return float(np.abs(gaps).sum() / len(hits))

    def error(left_out: frozenset[int]) -> float:
        mask = ~np.isin(cluster, [*left_out])
        gaps = np.bincount(bins[mask], weights=(confidence - right)[mask])
        return float(np.abs(gaps).sum() / mask.sum())

    rng = np.random.default_rng(_SEED)
    drawn = [
        error_of(np.where(rng.random(count)[cluster] < confidence, 1.0, 0.0)) for _ in range(_DRAWS)
    ]
    measured, interval = error_of(right), left_out_interval(error, count)
    (limit,) = quantiles(np.array(drawn), [0.95])
    if interval is not None:
        low = max(0.0, interval[0]) if measured > limit else 0.0
        interval = low, min(1.0, interval[1])
    return Calibration(error=measured, ci95=interval, by_chance=float(np.mean(drawn)))
