"""The rounds of many seeds at once, a column a seed.

The arithmetic of `epc.protocol.rules` in the same order: running sums and totals are added from
strategy to strategy, and a tie divides nothing. So a column takes the very steps of one seed there,
to the last bit (ADR 3).
"""

from collections.abc import Callable, Iterable
from typing import Final

from epc.arrays import Array, Indices, np
from epc.protocol.columns import columns_of
from epc.protocol.rules import Rule

_INT8: Final = 127
_FEW: Final = 256  # columns; below it what a call costs outweighs what it adds


def play(
    state: Array,
    spun: Iterable[Array],
    ask: Callable[[int, Indices, Indices], Indices],
    rule: Rule,
) -> None:
    """Take every column through its rounds, in place: one for each of the wheel's draws.

    `ask` is told the round's number, from 0, the strategy that each column chose, and its place in
    a table of strategies by columns that is read row by row. It answers with verdicts as places in
    `OUTCOMES`.

    Shapes: state (as the rule's, seeds), in C order; the draws, what is chosen and the verdicts
            (seeds,).
    Source: EPC-2.3; `epc.protocol.weights.choose` and `epc.protocol.rules.Rule.after`.
    """
    columns = columns_of(rule, state)
    policy, move = columns.policy, columns.move
    seeds = state.shape[1]
    wheel = _Wheel(policy)
    seed_index = np.arange(seeds)
    for number, u in enumerate(spun):
        chosen = wheel.spin(u)
        at = chosen * seeds
        at += seed_index
        move(at, ask(number, chosen, at))


class _Wheel:
    """The roulette wheels of many columns, over one array of weights that changes between spins.

    Shapes: weights (K, seeds).
    """

    def __init__(self, weights: Array) -> None:
        # The last strategy is what is left where rounding leaves none.
        self._weights, self._rows = weights[:-1], list(weights[:-1])
        strategies, seeds = weights.shape
        self._few = seeds <= _FEW
        self._running = np.empty(seeds)
        self._passed = np.empty((strategies - 1, seeds), np.bool_)
        # Small numbers keep a block in the cache; most strategy sets are small.
        self._small = np.int8 if strategies <= _INT8 else np.intp

    def spin(self, u: Array) -> Indices:
        """Return where every wheel stops. Shapes: (seeds,) both."""
        running, passed = self._running, self._passed
        if self._few:
            np.less_equal(np.add.accumulate(self._weights), u, out=passed)
        else:
            running[:] = 0
            for row, passed_by in zip(self._rows, passed, strict=True):
                running += row
                np.less_equal(running, u, out=passed_by)
        chosen: Indices = np.add.reduce(passed, dtype=self._small)
        return chosen.astype(np.intp)  # what callers multiply them by need not be small
