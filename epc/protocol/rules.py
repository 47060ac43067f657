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
from typing import Any, ClassVar, Final, Protocol

from msgspec import Struct

from epc.arrays import Array, Indices, np
from epc.protocol.columns import UNDECIDED, A, B, Columns, added
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
        """Return the worth of a win and of a loss."""

    def start(self, strategies: int) -> State:
        """Return the state at the start of a pure phase, whose policy is uniform (Reading R1)."""

    def policy(self, state: State) -> Weights:
        """Return the probability of each strategy in the next choice. Shapes: (K,)."""

    def columns(self, state: Array) -> Columns:
        """Return the states of many seeds, to be moved.

        Shapes: state (as the rule's, seeds), in C order.
        """

    def after(self, state: State, *, chosen: int, won: bool) -> State:
        """Return the state after one decided round."""


class _Learner(Struct, frozen=True, kw_only=True):
    """A rule that is stated by its columns: one seed is a lone column."""

    @property
    def worth(self) -> tuple[float, float]:
        """A win and a loss count alike."""
        return 1.0, -1.0

    def columns(self, state: Array) -> Columns:
        """Return the states of many seeds, to be moved."""
        raise NotImplementedError

    def policy(self, state: State) -> Weights:
        """Return the probability of each strategy in the next choice. Shapes: (K,)."""
        return _of_one(self.columns(_column(state)).policy)

    def after(self, state: State, *, chosen: int, won: bool) -> State:
        """Return the state after one decided round."""
        column = _column(state)
        self.columns(column).move(np.array([chosen]), np.array([A if won else B]))
        return _of_one(column)


class Bayes(_Learner, frozen=True, kw_only=True):
    """A posterior over which strategy is the best: each verdict multiplies it by its likelihood.

    The best strategy wins with probability `high`, every other one with `low`. The policy is the
    posterior, so a strategy is chosen as often as it is believed to be the best.

    Source: Reading R81.
    """

    name: ClassVar[str] = "bayes"
    high: float = 0.65
    low: float = 0.35

    def start(self, strategies: int) -> State:
        """Return a prior that prefers none."""
        return (1 / strategies,) * strategies

    def columns(self, state: Array) -> Columns:
        """Return posteriors, which are the policy."""
        return _Posteriors(self, state)


class _Posteriors:
    def __init__(self, rule: Bayes, state: Array) -> None:
        self.policy = state
        self._flat = state.reshape(-1)
        self._best = np.array([rule.high, 1 - rule.high, 1.0, 1.0])
        self._others = np.array([rule.low, 1 - rule.low, 1.0, 1.0])
        self._tied = np.array(UNDECIDED)

    def move(self, indices: Indices, verdicts: Indices) -> None:
        best = self._flat.take(indices) * self._best.take(verdicts)
        self.policy *= self._others.take(verdicts)
        self._flat[indices] = best
        total = added(self.policy)
        np.putmask(total, self._tied.take(verdicts), 1.0)
        self.policy /= total


class BradleyTerry(_Learner, frozen=True, kw_only=True):
    """A strength for each strategy, moved by how surprising a verdict was.

    A strategy of strength s beats the baseline, whose strength as an opponent is 1, with
    probability p = s / (s + 1). A win makes s + step p of it, a loss s / (1 + step p): the gradient
    steps exp(step (1 - p)) and exp(-step p) to the first order, without the exponential.
    The policy is each strategy's share of all strengths.

    Source: R. A. Bradley, M. E. Terry, Biometrika 39 (1952), 324-345; Reading R81.
    """

    name: ClassVar[str] = "bradley-terry"
    step: float = 1.0

    def start(self, strategies: int) -> State:
        """Return strengths equal to the baseline's."""
        return (1.0,) * strategies

    def columns(self, state: Array) -> Columns:
        """Return strengths, whose shares are the policy."""
        return _Strengths(self, state)


class _Strengths:
    def __init__(self, rule: BradleyTerry, state: Array) -> None:
        self._step, self._state = rule.step, state
        self._flat = state.reshape(-1)
        self.policy = state / added(state)

    def move(self, indices: Indices, verdicts: Indices) -> None:
        strength = self._flat.take(indices)
        moved = self._step * (strength / (strength + 1))
        lost = np.where(verdicts == B, strength / (1 + moved), strength)
        self._flat[indices] = np.where(verdicts == A, strength + moved, lost)
        np.divide(self._state, added(self._state), out=self.policy)


class Thompson(_Learner, frozen=True, kw_only=True):
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

    def start(self, strategies: int) -> State:
        """Return the Beta(prior_wins, prior_losses) prior of every strategy."""
        prior, rates = np.ones((CELLS, 1)), _column(WIN_RATES)
        for _ in range(self.prior_wins - 1):
            prior *= rates
        for _ in range(self.prior_losses - 1):
            prior *= 1 - rates
        return _of_one(prior / added(prior)) * strategies

    def columns(self, state: Array) -> Columns:
        """Return posteriors on cells."""
        return _BetaCells(state)


class _BetaCells:
    """Beta posteriors of many seeds, with what their policy is made of.

    Shapes: `_below` and `_ratio` (K, CELLS, seeds).
    """

    def __init__(self, state: Array) -> None:
        seeds = state.shape[1]
        self._flat, self._seeds = state.reshape(-1), seeds
        self._rows = np.arange(CELLS)[:, None] * seeds
        rates, certain = np.array(WIN_RATES), np.ones(CELLS)
        self._likely = np.stack([rates, 1 - rates, certain, certain], axis=1)
        self._tied = np.array(UNDECIDED)
        cells = state.reshape(-1, CELLS, seeds)
        self._below = np.stack([_up_to_the_middle(part) for part in cells])
        self._ratio = _ratio(cells, self._below)
        self._terms = np.empty_like(self._ratio)
        self.policy = np.empty((len(cells), seeds))
        self._weigh()

    def move(self, indices: Indices, verdicts: Indices) -> None:
        indices = self._rows + (indices // self._seeds * ((CELLS - 1) * self._seeds) + indices)
        moved = self._flat.take(indices)
        moved *= self._likely.take(verdicts, axis=1)
        total = added(moved)
        np.putmask(total, self._tied.take(verdicts), 1.0)
        moved /= total
        below = _up_to_the_middle(moved)
        self._flat[indices] = moved
        self._below.reshape(-1)[indices] = below
        self._ratio.reshape(-1)[indices] = _ratio(moved, below)
        self._weigh()

    def _weigh(self) -> None:
        np.multiply(self._ratio, np.multiply.reduce(self._below), out=self._terms)
        # NumPy adds cells one after the other, unless they lie side by side: a lone column.
        if self._seeds > 1:
            np.add.reduce(self._terms, axis=1, out=self.policy)
        else:
            self.policy[:] = np.add.accumulate(self._terms, axis=1)[:, -1]
        self.policy /= added(self.policy)


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


def starts(rule: Rule, strategies: int, seeds: int) -> Array:
    """Return the states at the start of a pure phase, a column a seed."""
    return np.repeat(_column(rule.start(strategies)), seeds, axis=1)


def policies(rule: Rule, state: Array) -> Array:
    """Return the policies of states, a column a seed; by the protocol's own rule the states.

    Shapes: (K, seeds).
    """
    return rule.columns(np.ascontiguousarray(state)).policy


def _column(values: State) -> Array:
    return np.array(values)[:, None]


def _of_one(column: Array) -> State:
    return tuple(column[:, 0].tolist())
