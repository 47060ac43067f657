"""Figures of the protocol for a synthetic evaluator, over as many seeds as are wanted.

A million seeds leave 80 MB of figures and no weights: blocks are simulated, measured, forgotten.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from math import sqrt
from typing import Final

from epc.arrays import Array, Generator, np
from epc.protocol.draws import generator
from epc.protocol.metrics import interpreted
from epc.protocol.results import Json
from epc.protocol.rules import Rule, policies
from epc.protocol.weights import UpdateRule
from epc.simulation.evaluators import evaluator
from epc.simulation.training import (
    BLOCK,
    Preferences,
    Vectors,
    concentrations,
    divergences,
    gammas,
    train,
    uniform_start,
)
from epc.spec.domains import Direction, Domain
from epc.spec.epc_v1 import DIRECTIONS, DOMAINS, PHASES, REFERENCE, ROUNDS, ZERO_COUPLING
from epc.statistics.intervals import moments_interval, share_interval

# The rows of a block of figures.
GAMMA: Final = tuple(f"gamma_{direction}" for direction in DIRECTIONS)
CONTROL: Final = tuple(f"control_gamma_{direction}" for direction in DIRECTIONS)
JSD: Final = tuple(f"jsd_{direction}" for direction in DIRECTIONS)
CONTROL_JSD: Final = tuple(f"control_jsd_{direction}" for direction in DIRECTIONS)
PCI: Final = tuple(f"pci_{domain}" for domain in DOMAINS)
FIGURES: Final = (*GAMMA, *CONTROL, *JSD, *CONTROL_JSD, *PCI)
QUANTILES: Final = (0.025, 0.05, 0.5, 0.95, 0.975)
BLOCKS_A_PART: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A stretch of blocks of one simulation, to be simulated anywhere.

    The written evaluator and not its odds, so that a part is small and its text says what it is.
    """

    evaluator: str
    strategies: int
    rounds: int
    stream: int
    first: int
    seeds: int
    rule: Rule


def parts(
    text: str,
    *,
    seeds: int,
    rounds: int = ROUNDS,
    strategies: int,
    stream: int = 0,
    rule: Rule | None = None,
) -> list[Part]:
    """Return a simulation's parts; which seeds are in which does not depend on where they run."""
    size = BLOCK * BLOCKS_A_PART
    return [
        Part(
            evaluator=text,
            strategies=strategies,
            rounds=rounds,
            stream=stream,
            first=number * BLOCKS_A_PART,
            seeds=min(size, seeds - number * size),
            rule=rule or UpdateRule(),
        )
        for number in range(-(-seeds // size))
    ]


def simulate(part: Part) -> Array:
    """Return the figures of a part's seeds.

    Shapes: (len(FIGURES), seeds).
    Source: EPC-2.5; Readings R12 and R15.
    """
    preferences = evaluator(part.evaluator, strategies=part.strategies)
    blocks = []
    for block in range(-(-part.seeds // BLOCK)):
        key = (part.first + block,)
        rng = generator(part.stream, spawn_key=key)
        width = min(BLOCK, part.seeds - block * BLOCK)
        blocks.append(figures(preferences, rng, seeds=width, rounds=part.rounds, rule=part.rule))
    return np.concatenate(blocks, axis=1)


def figures(
    preferences: Preferences, rng: Generator, *, seeds: int, rounds: int, rule: Rule
) -> Array:
    """Return the figures of one block of seeds, each with a control of its own (Reading R15).

    Shapes: (len(FIGURES), seeds).
    """
    strategies = preferences[DOMAINS[0]].strategies

    def trained(start: Array, domain: Domain) -> Array:
        return train(start, rounds=rounds, rule=rule, odds=preferences[domain], rng=rng)

    fresh = uniform_start(strategies, seeds, rule)
    done: Vectors = {}
    for phase in PHASES:
        start = fresh if phase.start is None else done[phase.start]
        done[phase.name] = trained(start, phase.domain)
    control = {d: policies(rule, trained(trained(fresh, d), d)) for d in DOMAINS}
    done = {name: policies(rule, state) for name, state in done.items()}
    return np.stack(
        [
            *(gammas(done[d], done[REFERENCE[d]]) for d in DIRECTIONS),
            *(gammas(control[REFERENCE[d]], done[REFERENCE[d]]) for d in DIRECTIONS),
            *(divergences(done[d], done[REFERENCE[d]]) for d in DIRECTIONS),
            *(divergences(control[REFERENCE[d]], done[REFERENCE[d]]) for d in DIRECTIONS),
            *(concentrations(done[d]) for d in DOMAINS),
        ]
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """A figure over single seeds: its mean with the simulation's own error, and its quantiles."""

    mean: float
    standard_error: float
    sd: float
    q025: float
    q05: float
    median: float
    q95: float
    q975: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulation:
    """Figures of a synthetic evaluator.

    `excess` is gamma minus its control; `zero` the number of seeds whose gamma is zero (Reading
    R8). The standard errors say how far the simulation itself may be off.
    """

    seeds: int
    spread: dict[str, Spread]
    excess: dict[Direction, tuple[float, float]]
    zero: dict[Direction, int]

    @property
    def gamma_sd(self) -> float:
        """The spread of gamma over single seeds, in the direction where it is wider."""
        return max(self.spread[name].sd for name in GAMMA)

    @property
    def readings(self) -> dict[Direction, str]:
        """The paper's reading of each mean gamma, and whether the noise allows it (EPC-5.2)."""
        return {
            direction: interpreted(
                self.spread[f"gamma_{direction}"].mean,
                moments_interval(mean, error * sqrt(self.seeds), self.seeds),
            )
            for direction, (mean, error) in self.excess.items()
        }

    def as_json(self) -> Json:
        """Return the figures as plain JSON."""
        return {
            "seeds": self.seeds,
            "figures": {name: asdict(spread) for name, spread in self.spread.items()},
            "excess": {
                direction: {"mean": mean, "standard_error": error}
                for direction, (mean, error) in self.excess.items()
            },
            "epc_5_2": self.readings,
            "zero_coupling_rate": {
                direction: {"rate": hits / self.seeds, "ci95": share_interval(hits, self.seeds)}
                for direction, hits in self.zero.items()
            },
        }


def summarise(blocks: Iterable[Array], seeds: int) -> Simulation:
    """Return the summary of all parts' figures, given in order."""
    rows = np.empty((len(FIGURES), seeds))
    column = 0
    for block in blocks:
        rows[:, column : column + block.shape[1]] = block
        column += block.shape[1]
    row = dict(zip(FIGURES, rows, strict=True))
    excess = {}
    for direction, gamma, control in zip(DIRECTIONS, GAMMA, CONTROL, strict=True):
        beyond = row[gamma] - row[control]
        excess[direction] = (float(beyond.mean()), _error(beyond))
    return Simulation(
        seeds=seeds,
        zero={
            direction: int((row[gamma] <= ZERO_COUPLING).sum())
            for direction, gamma in zip(DIRECTIONS, GAMMA, strict=True)
        },
        excess=excess,
        spread={name: _spread(row[name]) for name in FIGURES},
    )


def _spread(values: Array) -> Spread:
    q025, q05, median, q95, q975 = np.quantile(values, QUANTILES).tolist()
    return Spread(
        mean=float(values.mean()),
        standard_error=_error(values),
        sd=_sd(values),
        q025=q025,
        q05=q05,
        median=median,
        q95=q95,
        q975=q975,
    )


def _sd(values: Array) -> float:
    return float(values.std(ddof=1)) if len(values) > 1 else 0.0


def _error(values: Array) -> float:
    return _sd(values) / sqrt(len(values))
