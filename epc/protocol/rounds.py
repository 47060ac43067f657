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
_MOST_SPUN_AT_ONCE: Final = 256  # columns; below it what a call costs outweighs what it adds


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
    own = np.arange(seeds)
    for number, u in enumerate(spun):
        if seeds <= _MOST_SPUN_AT_ONCE:
            passed_by = np.add.accumulate(policy, axis=0) <= u
            passed_by[-1] = False  # the last strategy is what is left where rounding leaves none
            chosen: Indices = passed_by.argmin(axis=0)
        else:
            chosen = _spin(policy, u)
        at = chosen * seeds
        at += own
        move(at, ask(number, chosen, at))


def _spin(weights: Array, u: Array) -> Indices:
    """Return where the roulette wheel stops, of many columns.

    Shapes: weights (K, seeds); u and the result (seeds,).
    """
    running, passed = np.zeros(len(u)), np.empty(len(u), np.bool_)
    # Small numbers keep a block in the cache; most strategy sets are small.
    chosen: Indices = np.zeros(len(u), np.int8 if len(weights) <= _INT8 else np.intp)
    for row in weights[:-1]:
        running += row
        np.less_equal(running, u, out=passed)
        chosen += passed.view(np.int8)
    return chosen.astype(np.intp)  # what callers multiply them by need not be small
