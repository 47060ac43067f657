"""One round of many seeds at once, a column a seed.

The arithmetic of `epc.core.weights` in the same order: running sums and totals are added from
strategy to strategy, and a tie divides nothing. So a column takes the very steps of one seed there,
to the last bit (ADR 3).
"""

from typing import TYPE_CHECKING, Any, Final

from epc.core.weights import UpdateRule

if TYPE_CHECKING:
    from numpy import bool_, float64
    from numpy.typing import NDArray

    Array = NDArray[float64]
    Flags = NDArray[bool_]
    Indices = NDArray[Any]

_INT8: Final = 127
_FEW: Final = 256  # columns; below it what a call costs outweighs what it adds


def spin(weights: "Array", u: "Array") -> "Indices":
    """Return where each column's roulette wheel stops (`epc.core.weights.choose`).

    Shapes: weights (K, seeds); u and the result (seeds,).
    """
    import numpy as np

    if len(u) <= _FEW:
        passed_by = np.add.accumulate(weights[:-1], axis=0) <= u
        few: Indices = passed_by.sum(axis=0, dtype=np.intp)
        return few
    running, passed = np.zeros(len(u)), np.empty(len(u), np.bool_)
    # Small indices keep a block in the cache; most strategy sets are small.
    chosen: Indices = np.zeros(len(u), np.int8 if len(weights) <= _INT8 else np.intp)
    for row in weights[:-1]:  # the last strategy is what is left where rounding leaves none
        running += row
        np.less_equal(running, u, out=passed)
        chosen += passed.view(np.int8)
    return chosen


def advance(
    weights: "Array", chosen: "Indices", *, won: "Flags", decided: "Flags", rule: UpdateRule
) -> None:
    """Take every column one round on, in place (`epc.core.weights.update`, and ties).

    Shapes: weights (K, seeds), in C order; the rest (seeds,).
    """
    import numpy as np

    flat, seeds = weights.reshape(-1), weights.shape[1]
    at = chosen * np.intp(seeds) + np.arange(seeds)
    before = flat.take(at)
    after = before + np.where(won, rule.alpha_win, -rule.alpha_lose)
    np.maximum(after, rule.weight_floor, out=after)
    flat[at] = np.where(decided, after, before)
    total = _total(weights)
    total[~decided] = 1  # a tie divides nothing, not even by a sum that rounding left off 1
    weights /= total


def _total(weights: "Array") -> "Array":
    """Return each column's sum, added from strategy to strategy."""
    import numpy as np

    if weights.shape[1] <= _FEW:
        summed: Array = np.add.accumulate(weights, axis=0)[-1]
        return summed
    total = np.zeros(weights.shape[1])
    for row in weights:
        total += row
    return total
