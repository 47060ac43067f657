"""Learning rules: how an agent's choices follow from the verdicts that it got (EPC-2.7, EPC-6.3).

The protocol's own rule is `epc.protocol.weights.UpdateRule`. The others take its place: AltRule.
A rule has a state, and a policy: the probability of each strategy in the next choice, which the
roulette wheel of EPC-2.3 step 1 is turned over and which a record publishes as `weights` (Reading
R78). A phase that continues another one begins with its state. A tie changes nothing (R4).

Every rule adds, subtracts, multiplies and divides, in a fixed order, and does nothing else: no
exponential and no logarithm, whose last bit differs between machines (ADR 3). So all of them give
the same bits everywhere, and exact answers are fractions.
"""

from collections.abc import Callable, Mapping
from math import prod
from typing import Any, ClassVar, Final, Protocol

from msgspec import Struct

from epc.protocol.weights import UpdateRule, Weights

State = tuple[float, ...]

CELLS: Final = 16  # a power of two, so that every win rate is an exact double
WIN_RATES: Final = tuple((2 * cell + 1) / (2 * CELLS) for cell in range(CELLS))


class Rule(Protocol):
    """A learning rule: frozen rates and pure functions of a state.

    `worth` is what a win and a loss count in the test of whether preferences differ (Reading R39).
    """

    name: ClassVar[str]
    __struct_fields__: ClassVar[tuple[str, ...]]

    def __hash__(self) -> int:
        """Return the same number for equal rates."""

    @property
    def worth(self) -> tuple[float, float]:
        """What a win and a loss are worth."""

    def start(self, strategies: int) -> State:
        """Return the state at the start of a pure phase, whose policy is uniform (Reading R1)."""

    def policy(self, state: State) -> Weights:
        """Return the probability of each strategy in the next choice. Shapes: (K,)."""

    def after(self, state: State, *, chosen: int, won: bool) -> State:
        """Return the state after one decided round."""


class Bayes(Struct, frozen=True, kw_only=True):
    """A posterior over which strategy is the best: each verdict multiplies it by its likelihood.

    The best strategy wins with probability `high`, every other one with `low`. The policy is the
    posterior, so a strategy is chosen as often as it is believed to be the best.

    Source: Reading R81.
    """

    name: ClassVar[str] = "bayes"
    high: float = 0.65
    low: float = 0.35

    @property
    def worth(self) -> tuple[float, float]:
        """A win and a loss count alike."""
        return 1.0, -1.0

    def start(self, strategies: int) -> State:
        """Return a prior that prefers none."""
        return (1 / strategies,) * strategies

    def policy(self, state: State) -> Weights:
        """Return the posterior, which is the state."""
        return state

    def after(self, state: State, *, chosen: int, won: bool) -> State:
        """Return the posterior after a verdict. Shapes: (K,)."""
        best, others = (self.high, self.low) if won else (1 - self.high, 1 - self.low)
        after = [believed * others for believed in state]
        after[chosen] = state[chosen] * best
        return shares(after)


class BradleyTerry(Struct, frozen=True, kw_only=True):
    """A strength for each strategy, moved by how surprising a verdict was.

    A strategy of strength s beats the baseline, whose strength as an opponent is 1, with
    probability p = s / (s + 1). A win makes s + step p of it, a loss s / (1 + step p): the gradient
    steps exp(step (1 - p)) and exp(-step p) to the first order, without the exponential.
    The policy is each strategy's share of all strengths.

    Source: R. A. Bradley, M. E. Terry, Biometrika 39 (1952), 324-345; Reading R81.
    """

    name: ClassVar[str] = "bradley-terry"
    step: float = 1.0

    @property
    def worth(self) -> tuple[float, float]:
        """A win and a loss count alike."""
        return 1.0, -1.0

    def start(self, strategies: int) -> State:
        """Return strengths equal to the baseline's."""
        return (1.0,) * strategies

    def policy(self, state: State) -> Weights:
        """Return each strength's share of all. Shapes: (K,)."""
        return shares(state)

    def after(self, state: State, *, chosen: int, won: bool) -> State:
        """Return the strengths after a verdict. Shapes: (K,)."""
        after, strength = list(state), state[chosen]
        moved = self.step * (strength / (strength + 1))
        after[chosen] = strength + moved if won else strength / (1 + moved)
        return tuple(after)


class Thompson(Struct, frozen=True, kw_only=True):
    """Thompson sampling: a Beta posterior of each strategy's win rate; the highest draw is chosen.

    Posteriors are held on `CELLS` win rates, the middles of as many equal cells. The policy is the
    probability that a strategy's draw is the highest, by the midpoint rule on these cells, so the
    wheel's one draw chooses as K draws from the posteriors would.

    Shapes: a state (K x CELLS,), strategy by strategy, each strategy's part a distribution.
    Source: W. R. Thompson, Biometrika 25 (1933), 285-294; Reading R81.
    """

    name: ClassVar[str] = "thompson"
    prior_wins: int = 1
    prior_losses: int = 1

    @property
    def worth(self) -> tuple[float, float]:
        """A win and a loss count alike."""
        return 1.0, -1.0

    def start(self, strategies: int) -> State:
        """Return the Beta(prior_wins, prior_losses) prior of every strategy."""
        prior = [1.0] * CELLS
        for _ in range(self.prior_wins - 1):
            prior = [weight * rate for weight, rate in zip(prior, WIN_RATES, strict=True)]
        for _ in range(self.prior_losses - 1):
            prior = [weight * (1 - rate) for weight, rate in zip(prior, WIN_RATES, strict=True)]
        return shares(prior) * strategies

    def policy(self, state: State) -> Weights:
        """Return how probable it is that each strategy's draw is the highest. Shapes: (K,)."""
        posteriors = [state[at : at + CELLS] for at in range(0, len(state), CELLS)]
        below = [_up_to_the_middle(part) for part in posteriors]
        all_below = [prod(cell) for cell in zip(*below, strict=True)]
        chances = []
        for masses, middles in zip(posteriors, below, strict=True):
            # Of a strategy without mass at or below a cell, no draw is the highest there.
            cells = zip(masses, middles, all_below, strict=True)
            chances.append(
                _total([mass / low * every if low else 0.0 for mass, low, every in cells])
            )
        return shares(chances)

    def after(self, state: State, *, chosen: int, won: bool) -> State:
        """Return the posteriors after a verdict."""
        at = chosen * CELLS
        likely = WIN_RATES if won else [1 - rate for rate in WIN_RATES]
        posterior = [
            weight * rate for weight, rate in zip(state[at : at + CELLS], likely, strict=True)
        ]
        return (*state[:at], *shares(posterior), *state[at + CELLS :])


RULES: Final[Mapping[str, Callable[..., Rule]]] = {
    rule.name: rule for rule in (UpdateRule, Thompson, BradleyTerry, Bayes)
}


def rule_of(document: Mapping[str, Any]) -> Rule:
    """Return the rule that a design or a record of valid shape states; unnamed, the protocol's."""
    default = RULES[document.get("name", UpdateRule.name)]
    default_rates = rates_of(default())  # to JSON Schema 5.0 is an integer, and 1 a number
    rates = {key: type(default_rates[key])(rate) for key, rate in document.items() if key != "name"}
    return default(**rates)


def rates_of(rule: Rule) -> dict[str, float]:
    """Return a rule's rates by their names."""
    return {name: getattr(rule, name) for name in rule.__struct_fields__}


def rule_json(rule: Rule) -> dict[str, Any]:
    """Return a rule as a record states it: the protocol's by its rates alone, as ever."""
    name_field = {} if isinstance(rule, UpdateRule) else {"name": rule.name}
    return name_field | rates_of(rule)


def rule_text(rule: Rule) -> str:
    """Return a rule in words."""
    rates = rates_of(rule)
    if isinstance(rule, UpdateRule):
        return f"{rule.alpha_win} on a win, {rule.alpha_lose} on a loss"
    return f"{rule.name}, " + ", ".join(f"{name} {rate:g}" for name, rate in rates.items())


def shares(parts: "list[float] | State") -> State:
    """Return each part divided by their sum, which is added from left to right."""
    total = _total(parts)
    return tuple(part / total for part in parts)


def _total(parts: "list[float] | State") -> float:
    total = 0.0
    for part in parts:
        total += part
    return total


def _up_to_the_middle(part: State) -> State:
    """Return how probable a draw below the middle of each cell is."""
    below, middles = 0.0, []
    for mass in part:
        middles.append(below + mass / 2)
        below += mass
    return tuple(middles)
