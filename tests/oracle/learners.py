"""The learning rules by another hand, from their text in Readings R3 and R81 alone.

A learner keeps a list of numbers, changes it in place, and says the agent's weights.
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from math import fsum
from operator import mul
from typing import Any, Final, Protocol

_CELLS: Final = 16


class Learner(Protocol):
    """What an agent does with a verdict."""

    def begin(self, strategies: int) -> list[float]:
        """Return what a pure phase begins with."""

    def learn(self, state: list[float], chosen: int, *, won: bool) -> None:
        """Change a state by a verdict on a strategy."""

    def weights(self, state: list[float]) -> list[float]:
        """Return how probable each strategy is in the next choice."""


def learner_of(config: Mapping[str, Any]) -> Learner:
    """Return the learner of a manifest's `config`."""
    rule = config.get("rule")
    if rule is None:
        return _Steps(config["alpha_win"], config["alpha_lose"], config["weight_floor"])
    if rule["name"] == "thompson":
        return _Sampling(int(rule["prior_wins"]), int(rule["prior_losses"]))
    if rule["name"] == "bradley-terry":
        return _Strengths(rule["step"])
    return _Best(rule["high"], rule["low"])


class _Steps:
    """A win lifts a weight, a loss lowers it to the floor at most."""

    def __init__(self, up: float, down: float, floor: float) -> None:
        self._up, self._down, self._floor = up, down, floor

    def begin(self, strategies: int) -> list[float]:
        return [1 / strategies] * strategies

    def learn(self, state: list[float], chosen: int, *, won: bool) -> None:
        moved = state[chosen] + (self._up if won else -self._down)
        state[chosen] = max(self._floor, moved)
        whole = fsum(state)
        state[:] = [weight / whole for weight in state]

    def weights(self, state: list[float]) -> list[float]:
        return list(state)


class _Best:
    """Beliefs about which strategy is the best, by Bayes' theorem."""

    def __init__(self, high: float, low: float) -> None:
        self._high, self._low = high, low

    def begin(self, strategies: int) -> list[float]:
        return [1 / strategies] * strategies

    def learn(self, state: list[float], chosen: int, *, won: bool) -> None:
        for at in range(len(state)):
            chance = self._high if at == chosen else self._low
            state[at] *= chance if won else 1 - chance
        state[:] = _normal(state)

    def weights(self, state: list[float]) -> list[float]:
        return list(state)


class _Strengths:
    """Bradley-Terry strengths against an opponent of strength 1."""

    def __init__(self, step: float) -> None:
        self._step = step

    def begin(self, strategies: int) -> list[float]:
        return [1.0] * strategies

    def learn(self, state: list[float], chosen: int, *, won: bool) -> None:
        strength = state[chosen]
        pull = self._step * (strength / (1 + strength))
        state[chosen] = strength + pull if won else strength / (1 + pull)

    def weights(self, state: list[float]) -> list[float]:
        return _normal(state)


class _Sampling:
    """Thompson sampling from Beta posteriors on cells; a row of cells after the other."""

    def __init__(self, wins: int, losses: int) -> None:
        self._wins, self._losses = wins, losses

    def begin(self, strategies: int) -> list[float]:
        prior = []
        for cell in range(_CELLS):
            rate = (cell + 0.5) / _CELLS
            factors = [rate] * (self._wins - 1) + [1 - rate] * (self._losses - 1)
            prior.append(list(accumulate(factors, mul, initial=1.0))[-1])
        return _normal(prior) * strategies

    def learn(self, state: list[float], chosen: int, *, won: bool) -> None:
        here = slice(chosen * _CELLS, (chosen + 1) * _CELLS)
        rates = [(cell + 0.5) / _CELLS for cell in range(_CELLS)]
        chances = rates if won else [1 - rate for rate in rates]
        state[here] = _normal(list(map(mul, state[here], chances)))

    def weights(self, state: list[float]) -> list[float]:
        rows = [state[at : at + _CELLS] for at in range(0, len(state), _CELLS)]
        under = []
        for row in rows:
            sums = [0.0, *accumulate(row)]
            under.append([before + mass / 2 for before, mass in zip(sums, row, strict=False)])
        every = [list(accumulate(column, mul))[-1] for column in zip(*under, strict=True)]
        highest = [0.0] * len(rows)
        for at, (row, own) in enumerate(zip(rows, under, strict=True)):
            for mass, middle, all_under in zip(row, own, every, strict=True):
                if middle:
                    highest[at] += mass / middle * all_under
        return _normal(highest)


def _normal(parts: Sequence[float]) -> list[float]:
    """Return parts divided by their sum, which is added from left to right."""
    *_, whole = accumulate(parts)
    return [part / whole for part in parts]
