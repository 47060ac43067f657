"""Other tests that could stand behind the word: each returns one p-value for two domains."""

from math import comb

import numpy as np
from numpy.random import Generator
from studies.coupling.reference import Array, Table, splits


def _arranged(
    one: Table, two: Table, permutations: int, rng: Generator
) -> tuple[Table, Array, int]:
    """Return all groups in one table, and which stand first: the run's own row, then others."""
    sizes = one.won.shape[1], two.won.shape[1]
    pooled = Table(won=np.hstack([one.won, two.won]), decided=np.hstack([one.decided, two.decided]))
    own = np.r_[np.ones(sizes[0]), np.zeros(sizes[1])]
    drawn = 0 if comb(sum(sizes), sizes[0]) <= permutations else 1
    return pooled, np.vstack([own, splits(sizes, permutations, rng)]), drawn


def _share(told: Array, drawn: int) -> float:
    return float((drawn + (told[1:] >= told[0] - 1e-9).sum()) / (drawn + len(told) - 1))


def studentised(one: Table, two: Table, permutations: int, rng: Generator) -> float:
    """Permute groups; the statistic adds squared differences of rates over their variances."""
    pooled, keep, drawn = _arranged(one, two, permutations, rng)
    gap = np.zeros((len(keep), len(one.won)))
    spread = np.zeros(gap.shape)
    for mask, sign in ((keep, 1), (1 - keep, -1)):
        rates, decided = pooled.rates(mask), np.maximum(mask @ pooled.decided.T, 1)
        count = mask.sum(1, keepdims=True)
        squares = (
            mask @ (pooled.won**2).T
            - 2 * rates * (mask @ (pooled.won * pooled.decided).T)
            + rates**2 * (mask @ (pooled.decided**2).T)
        )
        gap = gap + sign * rates
        # A variance of nothing is that of one verdict in twenty.
        spread = spread + squares / decided**2 * count / np.maximum(count - 1, 1) + 0.0125 / count
    return _share((gap**2 / spread).sum(1), drawn)


def bradley_terry(one: Table, two: Table, permutations: int, rng: Generator) -> float:
    """Permute groups; the statistic is the misfit of one ranking with a shift and scale a domain.

    Log-odds of the win rates, with half a verdict added to each side, have a quadratic
    likelihood; ranking, shifts and scales (never negative) are fitted in turn.
    """
    pooled, keep, drawn = _arranged(one, two, permutations, rng)
    odds, weight = [], []
    for mask in (keep, 1 - keep):
        won, decided = mask @ pooled.won.T, mask @ pooled.decided.T
        lost = decided - won
        odds.append(np.log((won + 0.5) / (lost + 0.5)))
        weight.append(1 / (1 / (won + 0.5) + 1 / (lost + 0.5)))
    value, heavy = np.stack(odds), np.stack(weight)
    shift = (value * heavy).sum(-1, keepdims=True) / heavy.sum(-1, keepdims=True)
    scale = np.ones(shift.shape)
    ranking = np.zeros(value.shape[1:])
    for _ in range(25):
        ranking = (heavy * scale * (value - shift)).sum(0) / np.maximum(
            (heavy * scale**2).sum(0), 1e-9
        )
        ranking /= np.maximum(np.sqrt((ranking**2).mean(-1, keepdims=True)), 1e-9)
        middle = (heavy * ranking).sum(-1, keepdims=True) / heavy.sum(-1, keepdims=True)
        level = (heavy * value).sum(-1, keepdims=True) / heavy.sum(-1, keepdims=True)
        slope = (heavy * (ranking - middle) * (value - level)).sum(-1, keepdims=True)
        scale = np.maximum(
            slope / np.maximum((heavy * (ranking - middle) ** 2).sum(-1, keepdims=True), 1e-9), 0
        )
        shift = level - scale * middle
    told = (heavy * (value - shift - scale * ranking) ** 2).sum((0, -1))
    return _share(told, drawn)


def sign_flips(weights: Array, flips: int, rng: Generator) -> float:
    """Exchange the domains of whole seeds; the statistic is the length of the mean difference.

    Shapes: weights (2, seeds, K) of the phases text and visual.
    """
    gap = weights[0] - weights[1]
    signs = np.vstack([np.ones(len(gap)), rng.choice([-1.0, 1.0], (flips, len(gap)))])
    return _share(((signs @ gap) ** 2).sum(1), 1)
