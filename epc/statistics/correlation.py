"""Pearson's correlation of observations in clusters."""

from math import atanh, sqrt, tanh
from typing import Final

from epc.arrays import Array, Codes, np
from epc.statistics.clusters import by_cluster
from epc.statistics.inference import t_point
from epc.statistics.intervals import Interval

_CERTAIN: Final = 1e-12  # of 1: so near to it the logarithm is rounding


def correlation(x: Array, y: Array, clusters: Codes) -> tuple[float | None, Interval | None]:
    """Return Pearson's correlation with its 95% interval; None where one side never varies.

    Each cluster is left out in turn, on R. A. Fisher's scale. No interval where the correlation is
    1, or would be without some cluster.

    Shapes: each (m,).
    Source: the jackknife of Fisher's z; J. N. Arvesen, Ann. Math. Stat. 40 (1969), 2076-2100.
    """
    if not np.ptp(x) or not np.ptp(y):
        return None, None
    x, y = (side - side.mean() for side in (x, y))
    sums = np.stack([by_cluster(part, clusters) for part in (x**0, x, y, x * x, y * y, x * y)])
    total, count = sums.sum(axis=1), sums.shape[1]
    (value,) = _correlations(total[:, None])
    if count < 2:  # noqa: PLR2004  (two make a spread)
        return float(value), None
    left_out = _correlations(total[:, None] - sums)
    edges = np.append(left_out, value)
    if not (np.abs(edges) < 1 - _CERTAIN).all():
        return float(value), None
    z = np.arctanh(left_out)
    half = t_point(count - 1) * sqrt((count - 1) / count * float(((z - z.mean()) ** 2).sum()))
    middle = atanh(value)
    return float(value), (tanh(middle - half), tanh(middle + half))


def _correlations(sums: Array) -> Array:
    """Return correlations from n and the sums of x, y, xx, yy, xy; NaN where a side never varies.

    Shapes: (6, m) in, (m,) out.
    """
    n, x, y, xx, yy, xy = sums
    squares = np.stack([xx - x * x / n, yy - y * y / n])
    squares[squares <= _CERTAIN * np.stack([xx, yy])] = np.nan  # what rounding leaves
    values: Array = (xy - x * y / n) / np.sqrt(squares[0] * squares[1])
    return values
