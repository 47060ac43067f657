"""The states of a learning rule, a column a seed; one seed is a lone column.

Rows are added one after the other, never in pairs, so a column ends in the same bits whatever
stands beside it (ADR 3).
"""

from math import inf
from typing import Final, Protocol

from epc.arrays import Array, Indices, np
from epc.protocol.table import OUTCOMES

A, B = 0, 1  # places of the decided verdicts in `OUTCOMES`
UNDECIDED: Final = tuple(not verdict.decided for verdict in OUTCOMES)


class Columns(Protocol):
    """The states of many seeds, which `move` changes in place.

    `policy` is always that of the states, in one array that stays the same object.

    Shapes: policy (K, seeds).
    """

    policy: Array

    def move(self, flat_index: Indices, verdicts: Indices) -> None:
        """Take every column one round on; a tie changes nothing.

        `flat_index`: the place of each chosen strategy in the policy, read row by row.

        Shapes: (seeds,) each.
        """


class WeightColumns:
    """The weights of EPC-2.3: step, floor, then divide (step 4; Readings R3 and R4)."""

    def __init__(self, state: Array, *, win: float, loss: float, floor: float) -> None:
        self.policy = state
        self._flat = state.reshape(-1)
        self._step = np.array([win, loss, 0.0, 0.0])
        self._floors = np.array([floor, floor, -inf, -inf])
        # Against one number NumPy looks at every value by itself, against a row at eight at once.
        self._floor = np.full(state.shape[1], floor)

    def move(self, indices: Indices, verdicts: Indices) -> None:
        """Take every column one round on."""
        after = self._flat.take(indices)
        after += self._step.take(verdicts)
        tied = verdicts > B if verdicts.max(initial=A) > B else None
        floor = self._floor if tied is None else self._floors.take(verdicts)
        self._flat[indices] = np.maximum(after, floor, out=after)
        total = added(self.policy)
        if tied is not None:
            # A tie divides nothing, not even by a sum that rounding left off 1.
            total *= ~tied
            total += tied
        self.policy /= total


def added(rows: Array) -> Array:
    """Return the sum of rows, added one after the other. Shapes: (n, seeds); (seeds,)."""
    # NumPy adds rows one after the other, but what lies side by side in pairs: a lone column.
    total: Array = np.add.reduce(rows) if rows.shape[1] > 1 else np.add.accumulate(rows)[-1]
    return total
