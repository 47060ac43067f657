"""The learning rules by another hand, from their text in Readings R3 and R81 alone.

A learner keeps a list of numbers of one kind, changes it in place, and says the agent's weights. It
adds, subtracts, multiplies and divides only, so fractions stay fractions: the conformance vectors
are worked out with them, and doubles go beside them in the order that the readings declare.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from operator import mul
from typing import Any, Final, Protocol, TypeVar

Number = TypeVar("Number", float, Fraction)

_CELLS: Final = 16


class Learner(Protocol):
    """What an agent does with a verdict."""

    def begin(self, strategies: int, kind: type[Number]) -> list[Number]:
        """Return what a pure phase begins with."""

    def learn(self, state: list[Number], chosen: int, *, won: bool) -> None:
        """Change a state by a verdict on a strategy."""

    def weights(self, state: list[Number]) -> list[Number]:
        """Return how probable each strategy is in the next choice."""


def learner_of(config: Mapping[str, Any]) -> Learner:
    """Return the learner of a manifest's `config`."""
    rule = config.get("rule")
    if rule is None:
        return Steps(config["alpha_win"], config["alpha_lose"], config["weight_floor"])
    if rule["name"] == "thompson":
        return _Sampling(int(rule["prior_wins"]), int(rule["prior_losses"]))
    if rule["name"] == "bradley-terry":
        return _Strengths(rule["step"])
    return _Best(rule["high"], rule["low"])


class Steps:
    """A win lifts a weight, a loss lowers it to the floor at most."""

    def __init__(self, up: float, down: float, floor: float) -> None:
        self._up, self._down, self.floor = up, down, floor

    def moved(self, weight: Number, *, won: bool) -> Number:
        """Return where a verdict takes a weight, the floor aside."""
        return weight + type(weight)(self._up if won else -self._down)

    def begin(self, strategies: int, kind: type[Number]) -> list[Number]:
        return [kind(1) / strategies] * strategies

    def learn(self, state: list[Number], chosen: int, *, won: bool) -> None:
        moved = self.moved(state[chosen], won=won)
        state[chosen] = max(type(moved)(self.floor), moved)
        state[:] = _normal(state)

    def weights(self, state: list[Number]) -> list[Number]:
        return list(state)


class _Best:
    """Beliefs about which strategy is the best, by Bayes' theorem."""

    def __init__(self, high: float, low: float) -> None:
        self._high, self._low = high, low

    def begin(self, strategies: int, kind: type[Number]) -> list[Number]:
        return [kind(1) / strategies] * strategies

    def learn(self, state: list[Number], chosen: int, *, won: bool) -> None:
        for index, weight in enumerate(state):
            chance = type(weight)(self._high if index == chosen else self._low)
            state[index] = weight * (chance if won else 1 - chance)
        state[:] = _normal(state)

    def weights(self, state: list[Number]) -> list[Number]:
        return list(state)


class _Strengths:
    """Bradley-Terry strengths against an opponent of strength 1."""

    def __init__(self, step: float) -> None:
        self._step = step

    def begin(self, strategies: int, kind: type[Number]) -> list[Number]:
        return [kind(1)] * strategies

    def learn(self, state: list[Number], chosen: int, *, won: bool) -> None:
        strength = state[chosen]
        pull = type(strength)(self._step) * (strength / (1 + strength))
        state[chosen] = strength + pull if won else strength / (1 + pull)

    def weights(self, state: list[Number]) -> list[Number]:
        return _normal(state)


class _Sampling:
    """Thompson sampling from Beta posteriors on cells; a row of cells after the other."""

    def __init__(self, wins: int, losses: int) -> None:
        self._wins, self._losses = wins, losses

    def begin(self, strategies: int, kind: type[Number]) -> list[Number]:
        prior = []
        for rate in _rates(kind):
            factors = [rate] * (self._wins - 1) + [1 - rate] * (self._losses - 1)
            prior.append(list(accumulate(factors, mul, initial=kind(1)))[-1])
        return _normal(prior) * strategies

    def learn(self, state: list[Number], chosen: int, *, won: bool) -> None:
        here = slice(chosen * _CELLS, (chosen + 1) * _CELLS)
        rates = _rates(type(state[0]))
        chances = rates if won else [1 - rate for rate in rates]
        state[here] = _normal(list(map(mul, state[here], chances)))

    def weights(self, state: list[Number]) -> list[Number]:
        rows = [state[position : position + _CELLS] for position in range(0, len(state), _CELLS)]
        nothing = type(state[0])(0)
        under = list(map(_under_the_middle, rows))
        every = [list(accumulate(column, mul))[-1] for column in zip(*under, strict=True)]
        highest = [nothing] * len(rows)
        for position, (row, own) in enumerate(zip(rows, under, strict=True)):
            for mass, middle, all_under in zip(row, own, every, strict=True):
                if middle:
                    highest[position] += mass / middle * all_under
        return _normal(highest)


def _under_the_middle(cells: Sequence[Number]) -> list[Number]:
    """Return how much lies below the middle of each cell."""
    found, below = [], cells[0] - cells[0]
    for mass in cells:
        found.append(below + mass / 2)
        below += mass
    return found


def _rates(kind: type[Number]) -> list[Number]:
    """Return the middles of the cells."""
    return [kind(2 * cell + 1) / (2 * _CELLS) for cell in range(_CELLS)]


def _normal(parts: Sequence[Number]) -> list[Number]:
    """Return parts divided by their sum, which is added from left to right."""
    *_, whole = accumulate(parts)
    return [part / whole for part in parts]
