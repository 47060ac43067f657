"""Learning rules other than the protocol's, in fractions or doubles alike (Reading R81).

Written from the reading's text, sharing no code with epc. A state is a list of numbers of one kind;
every rule adds, subtracts, multiplies and divides only, so fractions stay fractions.
"""

from __future__ import annotations

from functools import reduce
from operator import add, mul
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

if TYPE_CHECKING:
    from fractions import Fraction

Number = TypeVar("Number", float, "Fraction")
CELLS: Final = 16


class Rule(Protocol):
    """What is begun with, what is learnt, and what the next choice's weights are."""

    def begin(self, count: int, kind: type[Number]) -> list[Number]:
        """Return the state that a pure phase begins with."""

    def learn(self, state: list[Number], chosen: int, won: bool) -> list[Number]:  # noqa: FBT001  (a verdict)
        """Return the state after a verdict."""

    def weights(self, state: list[Number]) -> list[Number]:
        """Return the weights."""


def rule_of(config: dict[str, Any]) -> Rule | None:
    """Return the rule that a case states, None for the protocol's."""
    stated = dict(config.get("rule", {}))
    made = {"bayes": Bayes, "bradley-terry": BradleyTerry, "thompson": Thompson}
    return made[stated.pop("name")](stated) if stated else None


def normal(parts: list[Number]) -> list[Number]:
    """Divide by the sum, taken from left to right."""
    total = reduce(add, parts)
    return [part / total for part in parts]


class Bayes:
    """Each strategy's weight times how likely the verdict was if it is the best."""

    def __init__(self, rates: dict[str, float]) -> None:
        """Keep how often the best strategy wins, and the others."""
        self.high, self.low = rates["high"], rates["low"]

    def begin(self, count: int, kind: type[Number]) -> list[Number]:
        """Prefer none."""
        return [kind(1) / count] * count

    def learn(self, state: list[Number], chosen: int, won: bool) -> list[Number]:  # noqa: FBT001  (a verdict)
        """Multiply and divide by the sum."""
        kind = type(state[0])
        high, low = kind(self.high), kind(self.low)
        best, other = (high, low) if won else (1 - high, 1 - low)
        return normal([w * (best if at == chosen else other) for at, w in enumerate(state)])

    def weights(self, state: list[Number]) -> list[Number]:
        """Return the state."""
        return state


class BradleyTerry:
    """Strengths; a win adds step s/(s+1) to s, a loss divides by 1 + step s/(s+1)."""

    def __init__(self, rates: dict[str, float]) -> None:
        """Keep the step."""
        self.step = rates["step"]

    def begin(self, count: int, kind: type[Number]) -> list[Number]:
        """Give all the opponent's strength."""
        return [kind(1)] * count

    def learn(self, state: list[Number], chosen: int, won: bool) -> list[Number]:  # noqa: FBT001  (a verdict)
        """Move the chosen strength."""
        strength = state[chosen]
        moved = type(strength)(self.step) * (strength / (strength + 1))
        after = strength + moved if won else strength / (1 + moved)
        return state[:chosen] + [after] + state[chosen + 1 :]  # noqa: RUF005  (of one kind)

    def weights(self, state: list[Number]) -> list[Number]:
        """Return each strength's share."""
        return normal(state)


class Thompson:
    """Beta posteriors on 16 win rates; the weight is the probability of the highest draw."""

    def __init__(self, rates: dict[str, int]) -> None:
        """Keep the prior."""
        self.wins, self.losses = rates["prior_wins"], rates["prior_losses"]

    def begin(self, count: int, kind: type[Number]) -> list[Number]:
        """Put a prior after a prior."""
        prior = [
            reduce(mul, [rate] * (self.wins - 1) + [1 - rate] * (self.losses - 1), kind(1))
            for rate in win_rates(kind)
        ]
        return normal(prior) * count

    def learn(self, state: list[Number], chosen: int, won: bool) -> list[Number]:  # noqa: FBT001  (a verdict)
        """Multiply the chosen posterior by its likelihood."""
        rates = win_rates(type(state[0]))
        at = CELLS * chosen
        own = state[at : at + CELLS]
        own = [mass * (rate if won else 1 - rate) for mass, rate in zip(own, rates, strict=True)]
        return state[:at] + normal(own) + state[at + CELLS :]

    def weights(self, state: list[Number]) -> list[Number]:
        """Sum, over the cells, the own mass times that of all others up to the cell's middle."""
        own = [state[at : at + CELLS] for at in range(0, len(state), CELLS)]
        middle = [[sum(row[:cell]) + row[cell] / 2 for cell in range(CELLS)] for row in own]
        found = []
        for at, row in enumerate(own):
            others = [other for number, other in enumerate(middle) if number != at]
            terms = [
                reduce(mul, [other[cell] for other in others], row[cell]) for cell in range(CELLS)
            ]
            found.append(reduce(add, terms))
        return normal(found)


def win_rates(kind: type[Number]) -> list[Number]:
    """Return the middles of 16 equal cells."""
    return [kind(2 * cell + 1) / (2 * CELLS) for cell in range(CELLS)]
