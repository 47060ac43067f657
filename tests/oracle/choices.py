"""The table behind `epc which` a second time: from its JSON alone, by SciPy.

Intervals are the roots of the score equation. What chance alone does to the largest t is drawn from
the covariance that stands in the table, not from the answers that it was computed of.
"""

from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, stats

Array = NDArray[np.float64]


def interval(domain: dict[str, Any], way: int, asked: int, error: float) -> tuple[float, float]:
    """Return the interval of a way's share, of `asked` answers at most."""
    share, spread, n = domain["right"][way], domain["covariance"][way][way], domain["questions"]
    z, t = stats.norm.isf(error / 2), stats.t.isf(error / 2, n - 1)
    count = (n if spread < 1e-15 else min(asked, share * (1 - share) / spread)) * (z / t) ** 2

    def off(truth: float) -> float:
        return float((share - truth) ** 2 * count - z**2 * truth * (1 - truth))

    low = 0.0 if share == 0 else optimize.brentq(off, 0, share)
    high = 1.0 if share == 1 else optimize.brentq(off, share, 1)
    return float(low), float(high)


def covariance(domain: dict[str, Any]) -> Array:
    """Return the whole matrix of what stands up to the diagonal."""
    size = len(domain["right"])
    matrix = np.zeros((size, size))
    for n, row in enumerate(domain["covariance"]):
        matrix[n, : n + 1] = row
        matrix[: n + 1, n] = row
    return matrix


def point(domain: dict[str, Any], draws: int, seed: int) -> float:
    """Return the t that a pair must pass, by step-down over one list of ordered pairs."""
    right, matrix, n = np.array(domain["right"]), covariance(domain), domain["questions"]
    values, vectors = np.linalg.eigh(matrix)
    rng = np.random.default_rng(seed)
    drawn = rng.normal(size=(draws, len(right))) @ (vectors * np.sqrt(np.maximum(0, values))).T
    drawn /= np.sqrt(rng.chisquare(n - 1, draws) / (n - 1))[:, None]
    pairs = {}
    for better in range(len(right)):
        for worse in range(len(right)):
            spread = matrix[better, better] + matrix[worse, worse] - 2 * matrix[better, worse]
            if better != worse and spread > 1e-18:
                pairs[better, worse] = (right[better] - right[worse]) / sqrt(spread), sqrt(spread)
    while True:
        largest = np.full(draws, -np.inf)
        for (better, worse), (_, error) in pairs.items():
            np.maximum(largest, (drawn[:, better] - drawn[:, worse]) / error, out=largest)
        edge = float(np.quantile(largest, 0.95))
        left = {pair: found for pair, found in pairs.items() if found[0] <= edge}
        if len(left) == len(pairs):
            return edge
        pairs = left
