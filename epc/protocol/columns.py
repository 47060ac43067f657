"""The learning rules for many seeds at once: `epc.protocol.rules`, a column a seed.

What is added there from left to right is added here row by row, so both end in the same bits.
"""

from collections.abc import Mapping
from math import inf
from typing import Any, Final, Protocol

from epc.arrays import Array, Indices, np
from epc.protocol.rules import CELLS, WIN_RATES, Bayes, BradleyTerry, Rule, Thompson
from epc.protocol.table import OUTCOMES
from epc.protocol.weights import UpdateRule

_A, _B = 0, 1  # places of the decided verdicts in `OUTCOMES`
_UNDECIDED: Final = tuple(not verdict.decided for verdict in OUTCOMES)


class Columns(Protocol):
    """The states of many seeds, which `move` changes in place.

    `policy` is always that of the states, in one array that stays the same object.

    Shapes: policy (K, seeds).
    """

    policy: Array

    def move(self, at: Indices, verdicts: Indices) -> None:
        """Take every column one round on; a tie changes nothing.

        `at`: the place of each chosen strategy in the policy, read row by row.

        Shapes: (seeds,) each.
        """


def columns_of(rule: Rule, state: Array) -> Columns:
    """Return the states of a rule, to be moved.

    Shapes: state (as the rule's, seeds), in C order.
    """
    columns: Columns = _COLUMNS[type(rule)](rule, state)
    return columns


def starts(rule: Rule, strategies: int, seeds: int) -> Array:
    """Return the states at the start of a pure phase, a column a seed."""
    start = np.array(rule.start(strategies))
    return np.repeat(start[:, None], seeds, axis=1)


def policies(rule: Rule, state: Array) -> Array:
    """Return the policies of states, a column a seed; by the protocol's own rule the states.

    Shapes: (K, seeds).
    """
    return columns_of(rule, np.ascontiguousarray(state)).policy


class _Weights:
    """The weights of EPC-2.3: step, floor, then divide (step 4; Readings R3 and R4)."""

    def __init__(self, rule: UpdateRule, state: Array) -> None:
        self.policy = state
        self._flat = state.reshape(-1)
        self._step = np.array([rule.alpha_win, -rule.alpha_lose, 0.0, 0.0])
        self._tied, self._floor = np.array(_UNDECIDED), rule.weight_floor

    def move(self, at: Indices, verdicts: Indices) -> None:
        after = self._flat.take(at)
        after += self._step.take(verdicts)
        tied = self._tied.take(verdicts) if verdicts.max(initial=_A) > _B else None
        floor = self._floor if tied is None else np.where(tied, -inf, self._floor)
        self._flat[at] = np.maximum(after, floor, out=after)
        total = added(self.policy)
        if tied is not None:
            # A tie divides nothing, not even by a sum that rounding left off 1.
            np.putmask(total, tied, 1.0)
        self.policy /= total


class _Bayes:
    """A posterior over which strategy is the best."""

    def __init__(self, rule: Bayes, state: Array) -> None:
        self.policy = state
        self._flat = state.reshape(-1)
        self._best = np.array([rule.high, 1 - rule.high, 1.0, 1.0])
        self._others = np.array([rule.low, 1 - rule.low, 1.0, 1.0])
        self._tied = np.array(_UNDECIDED)

    def move(self, at: Indices, verdicts: Indices) -> None:
        best = self._flat.take(at) * self._best.take(verdicts)
        self.policy *= self._others.take(verdicts)
        self._flat[at] = best
        total = added(self.policy)
        np.putmask(total, self._tied.take(verdicts), 1.0)
        self.policy /= total


class _BradleyTerry:
    """A strength for each strategy; the policy is its share of all."""

    def __init__(self, rule: BradleyTerry, state: Array) -> None:
        self._step, self._state = rule.step, state
        self._flat = state.reshape(-1)
        self.policy = state / added(state)

    def move(self, at: Indices, verdicts: Indices) -> None:
        strength = self._flat.take(at)
        moved = self._step * (strength / (strength + 1))
        lost = np.where(verdicts == _B, strength / (1 + moved), strength)
        self._flat[at] = np.where(verdicts == _A, strength + moved, lost)
        np.divide(self._state, added(self._state), out=self.policy)


class _Thompson:
    """Beta posteriors on cells; the policy is how probable each strategy's highest draw is.

    Shapes: `_below` and `_ratio` (K, CELLS, seeds).
    """

    def __init__(self, _: Thompson, state: Array) -> None:
        seeds = state.shape[1]
        self._flat, self._seeds = state.reshape(-1), seeds
        self._rows = np.arange(CELLS)[:, None] * seeds
        rates, certain = np.array(WIN_RATES), np.ones(CELLS)
        self._likely = np.stack([rates, 1 - rates, certain, certain], axis=1)
        self._tied = np.array(_UNDECIDED)
        cells = state.reshape(-1, CELLS, seeds)
        self._below = np.stack([_up_to_the_middle(part) for part in cells])
        self._ratio = _ratio(cells, self._below)
        self._terms = np.empty_like(self._ratio)
        self.policy = np.empty((len(cells), seeds))
        self._weigh()

    def move(self, at: Indices, verdicts: Indices) -> None:
        at = self._rows + (at // self._seeds * ((CELLS - 1) * self._seeds) + at)
        moved = self._flat.take(at)
        moved *= self._likely.take(verdicts, axis=1)
        total = added(moved)
        np.putmask(total, self._tied.take(verdicts), 1.0)
        moved /= total
        below = _up_to_the_middle(moved)
        self._flat[at] = moved
        self._below.reshape(-1)[at] = below
        self._ratio.reshape(-1)[at] = _ratio(moved, below)
        self._weigh()

    def _weigh(self) -> None:
        np.multiply(self._ratio, np.multiply.reduce(self._below), out=self._terms)
        # NumPy adds cells one after the other, unless they lie side by side: a lone column.
        if self._seeds > 1:
            np.add.reduce(self._terms, axis=1, out=self.policy)
        else:
            self.policy[:] = np.add.accumulate(self._terms, axis=1)[:, -1]
        self.policy /= added(self.policy)


_COLUMNS: Final[Mapping[type[Any], Any]] = {
    UpdateRule: _Weights,
    Bayes: _Bayes,
    BradleyTerry: _BradleyTerry,
    Thompson: _Thompson,
}


def added(rows: Array) -> Array:
    """Return the sum of rows, added one after the other. Shapes: (n, seeds); (seeds,)."""
    # NumPy adds rows one after the other, but what lies side by side in pairs: a lone column.
    total: Array = np.add.reduce(rows) if rows.shape[1] > 1 else np.add.accumulate(rows)[-1]
    return total


def _up_to_the_middle(part: Array) -> Array:
    """Return how probable a draw below the middle of each cell is. Shapes: (CELLS, seeds)."""
    below = np.zeros_like(part)
    np.add.accumulate(part[:-1], axis=0, out=below[1:])
    below += part / 2
    return below


def _ratio(above: Array, below: Array) -> Array:
    """Return mass over what is below the middle of its cell; 0 where nothing is."""
    ratio: Array = np.divide(above, below, out=np.zeros_like(above), where=below > 0)
    return ratio
