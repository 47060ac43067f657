"""Whole runs of synthetic evaluators, as a measurement would record them: weights and verdicts.

Where `epc.simulation.synthetic` simulates seeds, these are runs of ten or thirty of them, each
with the verdict table that tests and controls are made from.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal
from zlib import crc32

from epc.protocol.table import VERDICTS, VerdictTable
from epc.protocol.weights import UpdateRule
from epc.simulation.evaluators import STRATEGIES, evaluator
from epc.simulation.training import Odds, Preferences, Trace, gammas, train, uniform_start
from epc.spec.epc_v1 import (
    DIRECTIONS,
    DOMAINS,
    MIN_TASKS,
    PHASES,
    REFERENCE,
    ROUNDS,
    Direction,
    Domain,
    PhaseName,
)

if TYPE_CHECKING:
    from numpy import float64, int64
    from numpy.random import Generator
    from numpy.typing import NDArray

    Array = NDArray[float64]

STREAM: Final = 20260706
RULE: Final = UpdateRule()

Kind = Literal["decide", "cover"]
Reuse = Literal["fresh", "exhaustive"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """So many simulated runs of one evaluator; `number` tells points of one cell apart."""

    kind: Kind
    evaluator: str
    seeds: int
    reuse: Reuse
    runs: int
    number: int

    @property
    def cell(self) -> tuple[str, int, Reuse]:
        """What points have in common that are added up."""
        return (self.evaluator, self.seeds, self.reuse)

    @property
    def drawn(self) -> str:
        """The evaluator of these runs: scattered preferences are drawn anew for every point."""
        family, _, _ = self.evaluator.partition(":")
        return f"{self.evaluator},draw={self.number}" if "scattered" in family else self.evaluator


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One simulated run: final weights, verdict table, and gamma beside its paired control.

    Shapes: vectors (K, seeds); paired (seeds,).
    """

    vectors: dict[PhaseName, "Array"]
    table: VerdictTable
    paired: dict[Direction, "Array"]


def simulate_runs(point: Point) -> list[Run]:
    """Return a point's runs.

    In an exhaustive run every cell of the verdict table is drawn once from the evaluator's odds and
    used by all of the run's seeds; in a fresh one every round asks anew.
    """
    from numpy.random import PCG64, Generator, SeedSequence

    # The cell's text enters, so that a cell's runs stay when another is added to the study.
    entropy = crc32(repr((point.kind, *point.cell)).encode())

    def stream(part: int) -> "Generator":
        key = (point.number, part)
        return Generator(PCG64(SeedSequence([STREAM, entropy], spawn_key=key)))

    preferences, counts = evaluator(point.drawn), _no_counts(point.runs)
    rng = stream(0)
    if point.reuse == "exhaustive":
        preferences, counts = _asked_once(preferences, point, rng)
    seeds = point.runs * point.seeds
    done: dict[PhaseName, Array] = {}
    paired: dict[Direction, Array] = {}
    for phase in PHASES:
        odds, trace = preferences[phase.domain], Trace.empty(ROUNDS, seeds)
        draws = rng if phase.start is None else stream(phase.stream)
        start = uniform_start(STRATEGIES, seeds) if phase.start is None else done[phase.start]
        done[phase.name] = train(start, rounds=ROUNDS, rule=RULE, odds=odds, rng=draws, trace=trace)
        if point.reuse == "fresh":
            counts[phase.domain] += _counted(trace, point, rng)
    for direction, phase in zip(DIRECTIONS, PHASES[len(DOMAINS) :], strict=True):
        pure, odds = done[REFERENCE[direction]], preferences[phase.domain]
        start = train(
            uniform_start(STRATEGIES, seeds), rounds=ROUNDS, rule=RULE, odds=odds, rng=rng
        )
        control = train(start, rounds=ROUNDS, rule=RULE, odds=odds, rng=stream(phase.stream))
        paired[direction] = gammas(done[direction], pure) - gammas(control, pure)
    return [_run(number, point, done, counts, paired) for number in range(point.runs)]


def _run(
    number: int,
    point: Point,
    done: dict[PhaseName, "Array"],
    counts: "dict[Domain, NDArray[int64]]",
    paired: dict[Direction, "Array"],
) -> Run:
    own = slice(number * point.seeds, (number + 1) * point.seeds)
    return Run(
        vectors={name: weights[:, own] for name, weights in done.items()},
        table=VerdictTable(
            counts={domain: counts[domain][number] for domain in DOMAINS},
            repeated=point.reuse == "exhaustive",
        ),
        paired={direction: values[own] for direction, values in paired.items()},
    )


def _no_counts(runs: int) -> "dict[Domain, NDArray[int64]]":
    import numpy as np

    shape = (runs, STRATEGIES, MIN_TASKS, len(VERDICTS))
    return {domain: np.zeros(shape, np.int64) for domain in DOMAINS}


def _asked_once(
    preferences: Preferences, point: Point, rng: "Generator"
) -> "tuple[Preferences, dict[Domain, NDArray[int64]]]":
    """Return the odds that the runs' own tables amount to, a column a seed, and the tables."""
    import numpy as np

    counts, odds = _no_counts(point.runs), {}
    for domain in DOMAINS:
        said = rng.random((point.runs, STRATEGIES, MIN_TASKS))
        given = preferences[domain]
        verdict = np.where(
            said < given.a[:, None], 0, np.where(said < 1 - given.tie[:, None], 1, 2)
        )
        counts[domain] += verdict[..., None] == np.arange(len(VERDICTS))
        shares = np.repeat(counts[domain].mean(axis=2), point.seeds, axis=0)
        odds[domain] = Odds(
            a=np.ascontiguousarray(shares[..., 0].T), tie=np.ascontiguousarray(shares[..., 2].T)
        )
    return odds, counts


def _counted(trace: Trace, point: Point, rng: "Generator") -> "NDArray[int64]":
    """Return a phase's verdict tables; the task of each round is drawn here, evenly."""
    import numpy as np

    task = rng.integers(0, MIN_TASKS, size=trace.chosen.shape)
    run = np.arange(trace.chosen.shape[1]) // point.seeds
    cell = (run * STRATEGIES + trace.chosen) * MIN_TASKS + task
    shape = (point.runs, STRATEGIES, MIN_TASKS, len(VERDICTS))
    flat = np.bincount((cell * len(VERDICTS) + trace.verdict).reshape(-1), minlength=np.prod(shape))
    return flat.reshape(shape)
