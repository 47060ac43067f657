"""Intervals of recorded verdicts as they were computed up to rule 2: published ones keep theirs.

Verification alone uses them (`epc.records.earlier`); every page states today's.
"""

from math import atanh, sqrt, tanh
from typing import Final

from epc.arrays import Array, Codes, np
from epc.statistics.calibration import Calibration, error_of
from epc.statistics.clusters import left_out_interval, linearised_interval, spread_between
from epc.statistics.inference import t_point
from epc.statistics.intervals import Interval, Z, wilson
from epc.statistics.observed import Intervals
from epc.statistics.paired import linearised

_ROUNDED: Final = 1e-12  # of a variance by observation: less is rounding
_CERTAIN: Final = 1e-12


def _share(
    hits: Array, n: Array, clusters: Codes, *, verdicts: float | None = None
) -> tuple[float, Interval | None]:
    """Return a share: no more observations than `n` adds up to, however many the verdicts."""
    del verdicts
    total = float(n.sum())
    share = float(hits.sum()) / total
    spread, count = spread_between((hits - share * n) / total, clusters)
    if count < 2:  # noqa: PLR2004  (two make a spread)
        return share, None
    effective = min(share * (1 - share) / spread, total) if spread > _ROUNDED / total else count
    effective *= (Z / t_point(count - 1)) ** 2
    return share, None if effective < 2 else wilson(share * effective, effective)  # noqa: PLR2004


def _mean(values: Array, clusters: Codes) -> tuple[float, Interval | None]:
    middle = float(values.mean())
    spread, count = spread_between((values - middle) / len(values), clusters)
    if count < 2:  # noqa: PLR2004  (as above)
        return middle, None
    half = t_point(count - 1) * sqrt(spread)
    return middle, (middle - half, middle + half)


def _mean_of_shares(strata: list[tuple[Array, Array, Codes]]) -> tuple[float, Interval | None]:
    shares = [float(hits.sum() / n.sum()) for hits, n, _ in strata]
    middle = sum(shares) / len(shares)
    off = np.concatenate(
        [
            (hits - share * n) / n.sum() / len(strata)
            for share, (hits, n, _) in zip(shares, strata, strict=True)
        ]
    )
    clusters = np.concatenate([clusters for _, _, clusters in strata])
    return middle, linearised_interval(middle, off, clusters, ends=(0.0, 1.0))


def _kappa(
    left: Array, right: Array, clusters: Codes, *, verdicts: float | None = None
) -> tuple[float | None, Interval | None]:
    del verdicts
    measured = linearised(left.T @ right)
    if measured is None:
        return None, None
    value, moves = measured
    off = (left @ moves * right).sum(axis=1) / len(left)
    return value, linearised_interval(value, off, clusters, ends=(-1.0, 1.0))


def _correlation(x: Array, y: Array, clusters: Codes) -> tuple[float | None, Interval | None]:
    if not np.ptp(x) or not np.ptp(y):
        return None, None
    left, right = ((side - side.mean()) / side.std() for side in (x, y))
    value = float((left * right).mean())
    if (room := 1 - value**2) <= _CERTAIN:
        return value, None
    off = (left * right - value * (left**2 + right**2) / 2) / room / len(x)
    ends = linearised_interval(atanh(value), off, clusters)
    return value, None if ends is None else (tanh(ends[0]), tanh(ends[1]))


def _calibration(confidence: Array, right: Array, clusters: Codes) -> Calibration:
    _, cluster = np.unique(clusters, return_inverse=True)

    def error(left_out: frozenset[int]) -> float:
        mask = ~np.isin(cluster, [*left_out])
        return error_of(confidence[mask], right[mask])

    interval = left_out_interval(error, int(cluster.max()) + 1)
    return Calibration(error=error(frozenset()), ci95=interval)


INTERVALS: Final = Intervals(
    share=_share,
    mean=_mean,
    mean_of_shares=_mean_of_shares,
    kappa=_kappa,
    correlation=_correlation,
    calibration=_calibration,
)
