"""The rounds of many seeds at once, a column a seed.

The arithmetic of `epc.protocol.weights` in the same order: running sums and totals are added from
strategy to strategy, and a tie divides nothing. So a column takes the very steps of one seed there,
to the last bit (ADR 3).
"""

from math import inf
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from epc.protocol.table import OUTCOMES
from epc.protocol.weights import UpdateRule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy import bool_, float64
    from numpy.typing import NDArray

    Array = NDArray[float64]
    Flags = NDArray[bool_]
    Indices = NDArray[Any]

_INT8: Final = 127
_MOST_SPUN_AT_ONCE: Final = 256  # columns; below it what a call costs outweighs what it adds


class Moves(NamedTuple):
    """What each of `OUTCOMES` does to the weight of the strategy that it is about.

    `step` is added to it, `floor` is the least it may then be, and `tied` ones divide nothing.

    Shapes: all (4,).
    """

    step: "Array"
    floor: "Array"
    tied: "Flags"

    @classmethod
    def under(cls, rule: UpdateRule) -> "Moves":
        """Return the moves of a rule (EPC-2.3 step 4; Readings R3 and R4)."""
        import numpy as np

        decided = [verdict.decided for verdict in OUTCOMES]
        return cls(
            step=np.array([rule.alpha_win, -rule.alpha_lose, 0.0, 0.0]),
            floor=np.where(decided, rule.weight_floor, -inf),
            tied=~np.array(decided),
        )


def play(
    weights: "Array",
    spun: "Iterable[Array]",
    ask: "Callable[[int, Indices], Indices]",
    rule: UpdateRule,
) -> None:
    """Take every column through its rounds, in place: one for each of the wheel's draws.

    `ask` is told the round's number, from 0, and the strategy that each column chose, and answers
    with verdicts as places in `OUTCOMES`.

    Shapes: weights (K, seeds), in C order; the draws, what is chosen and the verdicts (seeds,).
    Source: EPC-2.3; `epc.protocol.weights.choose` and `update`.
    """
    import numpy as np

    seeds = weights.shape[1]
    moves, flat, columns = Moves.under(rule), weights.reshape(-1), np.arange(seeds)
    for number, u in enumerate(spun):
        if seeds <= _MOST_SPUN_AT_ONCE:
            passed_by = np.add.accumulate(weights, axis=0) <= u
            passed_by[-1] = False  # the last strategy is what is left where rounding leaves none
            chosen: Indices = passed_by.argmin(axis=0)
        else:
            chosen = _spin(weights, u)
        verdicts = ask(number, chosen)
        at = chosen * seeds
        at += columns
        after = flat.take(at)
        after += moves.step.take(verdicts)
        flat[at] = np.maximum(after, moves.floor.take(verdicts), out=after)
        # NumPy adds rows one after the other, but what lies side by side in pairs: a lone column.
        total = np.add.reduce(weights) if seeds > 1 else np.add.accumulate(weights)[-1]
        # A tie divides nothing, not even by a sum that rounding left off 1.
        np.putmask(total, moves.tied.take(verdicts), 1.0)
        weights /= total


def _spin(weights: "Array", u: "Array") -> "Indices":
    """Return where the roulette wheel stops, of many columns.

    Shapes: weights (K, seeds); u and the result (seeds,).
    """
    import numpy as np

    running, passed = np.zeros(len(u)), np.empty(len(u), np.bool_)
    # Small numbers keep a block in the cache; most strategy sets are small.
    chosen: Indices = np.zeros(len(u), np.int8 if len(weights) <= _INT8 else np.intp)
    for row in weights[:-1]:
        running += row
        np.less_equal(running, u, out=passed)
        chosen += passed.view(np.int8)
    return chosen.astype(np.intp)  # what callers multiply them by need not be small
