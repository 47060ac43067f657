"""Synthetic evaluators run through the protocol, thousands of seeds at once.

A block's arrays fit a processor's cache, and each block has a stream of its own, so the figures do
not depend on how many blocks are simulated where.

gamma has no built-in zero (Reading R15). Thirty rounds against a blind evaluator, one that does not
look at the answers, move the weights too. The blind evaluator of reference tosses a coin; the one
that a run is best held against says A, B and tie as often as the run's own evaluator did.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import Final

from msgspec import Struct

from epc.arrays import Array, Generator, Indices, np
from epc.errors import ShapeError
from epc.protocol.batch_replay import play
from epc.protocol.config import Configuration
from epc.protocol.draws import generator
from epc.protocol.rules import Rule, policies, starts
from epc.protocol.weights import UpdateRule
from epc.spec.domains import Domain, Domains, Phase, PhaseName
from epc.statistics.intervals import quantiles

BLOCK: Final = 2048  # seeds; eleven rows of them are 180 kB
_PROTOCOLS_OWN: Final = UpdateRule()


class Odds(Struct, frozen=True, eq=False, kw_only=True, dict=True):
    """How often an evaluator says A and tie to each strategy's answer; the rest is B.

    Shapes: both (K,), or (K, evaluators), of which seed s has the one at s modulo their number.
    Raises: ShapeError unless both are shares that sum to at most 1.
    """

    a: Array
    tie: Array

    def __post_init__(self) -> None:
        if self.a.shape != self.tie.shape or not self.a.size:
            raise ShapeError(f"odds of A {self.a.shape} against those of a tie {self.tie.shape}")
        if min(self.a.min(), self.tie.min()) < 0 or (self.a + self.tie).max() > 1 + _ROUNDING:
            raise ShapeError("odds of A and a tie are shares whose sum is at most 1")

    @property
    def strategies(self) -> int:
        """K."""
        return len(self.a)

    @cached_property
    def not_b(self) -> Array | None:
        """Upper bound of a uniform draw for A or a tie, row by row; None where nothing is a tie."""
        if not self.tie.any():
            return None
        # Where rounding leaves A and a tie more than all of it, A keeps what is its own.
        return np.maximum(self.a, 1 - self.tie).reshape(-1)


_ROUNDING: Final = 1e-9
Preferences = Mapping[Domain, Odds]
Vectors = dict[PhaseName, Array]


def blind(strategies: int, *, a: float, tie: float = 0.0) -> Odds:
    """Return the odds of an evaluator that does not look at the answers."""
    return Odds(a=np.full(strategies, a), tie=np.full(strategies, tie))


def uniform_start(strategies: int, seeds: int, rule: Rule = _PROTOCOLS_OWN) -> Array:
    """Return the states at the start of a pure phase for many seeds (Reading R1).

    Shapes: (K, seeds) for the protocol's own rule, whose states are its weights.
    """
    return starts(rule, strategies, seeds)


def train(start: Array, *, rounds: int, rule: Rule, odds: Odds, rng: Generator) -> Array:
    """Return the states after a phase, a column a seed; `policies` are the weights (Reading R78).

    Each round draws two uniforms a seed: the wheel's, then the verdict's.

    Shapes: as the rule's states, in and out.
    Source: EPC-2.3; Readings R2, R3, R4.
    """

    def draws() -> Iterator[Array]:
        drawn = np.empty((2, start.shape[1]))
        for _ in range(rounds):
            rng.random(out=drawn)
            yield drawn

    state = np.array(start, order="C")
    train_by(draws(), state, rule=rule, odds=odds)
    return state


def train_by(draws: Iterable[Array], state: Array, *, rule: Rule, odds: Odds) -> None:
    """Take states through a phase whose draws are given, round by round, in place; else as `train`.

    Shapes: each draw (2, seeds), read before the next is taken; states in C order.
    """
    drawn = np.empty((2, 0))
    says_a, not_b = odds.a.reshape(-1), odds.not_b
    evaluators, seeds = says_a.size // odds.strategies, state.shape[1]
    judge_of_seed = np.tile(np.arange(evaluators), -(-seeds // evaluators))[:seeds]

    def spins() -> Iterator[Array]:
        nonlocal drawn
        for drawn in draws:
            yield drawn[0]

    def ask(_: int, chosen: Indices, flat_index: Indices) -> Indices:
        column = flat_index if evaluators == seeds else chosen * evaluators + judge_of_seed
        verdicts: Indices = (drawn[1] >= says_a.take(column)).view(np.int8)
        if not_b is not None:
            verdicts += drawn[1] >= not_b.take(column)
        return verdicts

    play(state, spins(), ask, rule)


def measure(
    preferences: Preferences,
    *,
    seeds: int,
    rounds: int,
    rule: Rule,
    entropy: Sequence[int],
    phases: Sequence[Phase] | None = None,
) -> Iterator[Vectors]:
    """Yield the final weights of the phases, or of those named, block by block of seeds.

    `entropy` seeds the blocks' streams, SeedSequence([*entropy, block]).

    Shapes: each (K, seeds of the block).
    Source: EPC-2.1.
    """
    strategies = next(iter(preferences.values())).strategies
    phases = phases or Domains.from_names(preferences).phases
    for block in range(-(-seeds // BLOCK)):
        rng = generator([*entropy, block])
        width = min(BLOCK, seeds - block * BLOCK)
        done: Vectors = {}
        for phase in phases:
            start = (
                uniform_start(strategies, width, rule) if phase.start is None else done[phase.start]
            )
            done[phase.name] = train(
                start, rounds=rounds, rule=rule, odds=preferences[phase.domain], rng=rng
            )
        yield {name: policies(rule, state) for name, state in done.items()}


def gammas(coupled: Array, pure: Array) -> Array:
    """Return gamma, a seed each (EPC-2.5 eq. (1)), within rounding of `epc.protocol.metrics.gamma`.

    Shapes: (K, seeds) each; (seeds,).
    """
    moved = coupled - pure
    ratio: Array = np.sqrt((moved * moved).sum(axis=0) / (pure * pure).sum(axis=0))
    return ratio


def divergences(left: Array, right: Array) -> Array:
    """Return JSD in nats, a seed each, within rounding of `epc.protocol.metrics.jsd`.

    Shapes: (K, seeds) each; (seeds,).
    """
    middle = (left + right) / 2
    terms = _terms(left, middle) + _terms(right, middle)
    nats: Array = np.maximum(0.0, terms.sum(axis=0) / 2)
    return nats


def concentrations(weights: Array) -> Array:
    """Return PCI, a seed each, within rounding of `epc.protocol.metrics.pci`.

    Shapes: (K, seeds); (seeds,).
    """
    middle = weights.mean(axis=0)
    ratio: Array = np.sqrt(((weights - middle) ** 2).mean(axis=0)) / middle
    return ratio


def _terms(share: Array, middle: Array) -> Array:
    """Return share * ln(share / middle), with 0 ln 0 = 0."""
    ratio = np.divide(share, middle, out=np.ones_like(share), where=share > 0)
    terms: Array = share * np.log(ratio)
    return terms


BAND_SEEDS: Final = 2000
_BAND_STREAM: Final = 20260701
BAND_QUANTILES: Final = (0.05, 0.95)


class Band(Struct, frozen=True, kw_only=True):
    """How a figure is spread over single seeds of a blind evaluator; 90% of them in low to high."""

    mean: float
    low: float
    high: float


@cache
def blind_band(*, strategies: int, rounds: int, rule: Rule, a: float = 0.5) -> dict[str, Band]:
    """Return a blind evaluator's bands of `gamma` and `jsd`, each direction alike.

    It says A with odds `a`, else B; a coin unless told otherwise. `BAND_SEEDS` are simulated from a
    fixed stream, which puts a Monte-Carlo standard error of about 0.006 on gamma's mean.

    Source: Readings R15 and R36; EPC-2.8 (the coin-flip evaluator).
    """
    rng = np.random.default_rng(_BAND_STREAM)
    odds = blind(strategies, a=a)
    start = uniform_start(strategies, BAND_SEEDS, rule)

    def trained(before: Array) -> Array:
        return train(before, rounds=rounds, rule=rule, odds=odds, rng=rng)

    coupled, pure = (policies(rule, end) for end in (trained(trained(start)), trained(start)))
    return {"gamma": _band(gammas(coupled, pure)), "jsd": _band(divergences(coupled, pure))}


def coin_bands(config: Configuration) -> dict[str, Band]:
    """Return what a coin flip's `gamma` and `jsd` are under a configuration."""
    return blind_band(strategies=len(config.strategies), rounds=config.rounds, rule=config.rule)


def _band(values: Array) -> Band:
    low, high = quantiles(values, BAND_QUANTILES)
    return Band(mean=float(values.mean()), low=float(low), high=float(high))
