"""The study behind the audit: how often a word is false, missed or true, by whole simulated runs.

A point is up to `A_POINT` runs of one evaluator, simulated from a stream of its own, so points can
be worked anywhere and in any order. What they found is added up to the rows of the tables.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Final, Literal
from zlib import crc32

from epc.audit.candidate_tests import SAYS, by_others, by_rules
from epc.audit.control import simulated
from epc.audit.study_cases import CASES, COVERED, CROSSINGS, EXPENSIVE, NULLS
from epc.audit.transfer import Rates, crossings, figures_of
from epc.audit.units import units_of
from epc.simulation.evaluators import STRATEGIES
from epc.simulation.populations import Population, drawn
from epc.simulation.study_runs import RULE, Reuse, Run, simulate_runs
from epc.simulation.synthetic import CONTROL, FIGURES, GAMMA, parts, simulate
from epc.simulation.training import gammas
from epc.spec.coupling import MARGIN
from epc.spec.epc_v1 import DIRECTIONS, REFERENCE, ROUNDS, Direction
from epc.statistics.inference import upper_bound
from epc.statistics.intervals import Interval, mean_interval, spread_interval

if TYPE_CHECKING:
    from numpy.random import Generator

Kind = Literal["decide", "size", "cover"]

_STREAM: Final = 20260706
_TRUTH_SEEDS: Final = 131_072  # puts 0.001 on a mean whose interval is a hundred times wider
_DRAWS: Final = 16  # of a population, for what is true of it
_MANY_TASKS: Final = 1_024
_WHEELS: Final = 4_096
_TAIL: Final = 0.005  # of a 99% interval, on either side
_DIRECTION: Final[Direction] = "text_to_visual"  # the two directions are each other's mirror image

A_POINT: Final = 25  # runs
SIZED: Final = 3  # of them, for the word that nothing crosses beyond the margin
SEEDS: Final = (10, 30)  # EPC-2.5(g): screening and publication
# Verdicts of an exhaustive run do not depend on its seeds, and rule 2 looks at verdicts alone.
WAYS: Final[tuple[tuple[Reuse, int], ...]] = (("fresh", 10), ("fresh", 30), ("exhaustive", 30))


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """So many simulated runs of one evaluator; `number` tells points of one cell apart."""

    kind: Kind
    evaluator: str
    seeds: int = 0
    reuse: Reuse = "fresh"
    runs: int = 0
    number: int = 0

    @property
    def cell(self) -> tuple[str, Reuse, int]:
        """What points have in common that are added up."""
        return (self.evaluator, self.reuse, self.seeds)

    @property
    def rng(self) -> "Generator":
        """A stream that stays the same when other cells join the study."""
        from numpy.random import PCG64, Generator, SeedSequence

        entropy = crc32(repr((self.kind, *self.cell)).encode())
        return Generator(PCG64(SeedSequence([_STREAM, entropy], spawn_key=(self.number,))))


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """What truly crosses for an evaluator, in the direction where more does: mean over draws."""

    redirected: float
    regret: float
    crossing: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a point came to: runs called coupled by rule, a size, or intervals by name."""

    point: Point
    coupled: Mapping[str, int] = field(default_factory=dict)
    sized: int = 0
    beyond: int = 0
    size: Size | None = None
    intervals: Mapping[str, list[Interval]] = field(default_factory=dict)


def points(runs: int) -> list[Point]:
    """Return the whole study.

    So many runs of every null; half as many for power and coverage, which need not be told from 5%.
    """

    def cell(kind: Kind, text: str, seeds: int, reuse: Reuse, runs: int) -> Iterator[Point]:
        for number in range(-(-runs // A_POINT)):
            some = min(A_POINT, runs - number * A_POINT)
            yield Point(
                kind=kind, evaluator=text, seeds=seeds, reuse=reuse, runs=some, number=number
            )

    return [
        *(Point(kind="size", evaluator=name) for name in CASES),
        *(
            point
            for names, some in ((NULLS, runs), (CROSSINGS, -(-runs // 2)))
            for name in names
            for reuse, seeds in WAYS
            for point in cell(
                "decide", name, seeds, reuse, -(-some // 5) if name in EXPENSIVE else some
            )
        ),
        *(
            point
            for seeds in SEEDS
            for text in COVERED
            for point in cell("cover", text, seeds, "fresh", runs // 2)
        ),
    ]


def work(point: Point) -> Found:
    """Simulate a point's runs and put them to every rule, or form every interval."""
    if point.kind == "size":
        return Found(point=point, size=_size(CASES[point.evaluator], point.rng))
    if point.kind == "cover":
        population = Population(evaluator=point.evaluator)
        return Found(point=point, intervals=_intervals(_runs(population, point)))
    population = CASES[point.evaluator]
    names = [f"{at:03}" for at in range(population.strategies)]
    coupled = dict.fromkeys(SAYS, 0)
    sized = beyond = 0
    for number, run in enumerate(_runs(population, point)):
        units = units_of(run.table, names, population.groups)
        says = by_rules(units, rounds=population.rounds, rule=RULE)
        says |= by_others(run.table, units, run.vectors, RULE)
        for rule in SAYS:
            coupled[rule] += says[rule]
        if number < SIZED and units.bearable:
            sized += 1
            most = crossings(units, rounds=population.rounds, rule=RULE).most
            beyond += most is not None and most < MARGIN
    return Found(point=point, coupled=coupled, sized=sized, beyond=beyond)


def _runs(population: Population, point: Point) -> list[Run]:
    return simulate_runs(
        population, runs=point.runs, seeds=point.seeds, reuse=point.reuse, rng=point.rng
    )


def _size(population: Population, rng: "Generator") -> Size:
    """Return what crosses where a domain has tasks without end."""
    from dataclasses import replace

    import numpy as np

    endless = replace(population, tasks=(_MANY_TASKS, _MANY_TASKS), missing=0.0)
    judged = drawn(endless, _DRAWS, rng)
    sides = [(each.a / np.maximum(1 - each.tie, 1e-9)).mean(axis=2).T for each in judged.values()]
    tie = np.stack([each.tie.mean(axis=(0, 2)) for each in judged.values()]).mean(axis=0)
    first, second = (np.ascontiguousarray(side) for side in sides)
    found = figures_of(
        Rates(first, second), tie, rounds=population.rounds, rule=RULE, wheels=_WHEELS
    )
    larger = {
        name: float(np.maximum(*(side[name].mean(axis=0) for side in found)).mean())
        for name in ("redirected", "regret", "crossing")
    }
    return Size(**larger)


@cache
def _means(text: str) -> dict[str, float]:
    """Return the mean of every figure of an evaluator, over many seeds of its own stream."""
    import numpy as np

    many = parts(text, seeds=_TRUTH_SEEDS, strategies=STRATEGIES, stream=_STREAM)
    means = np.concatenate([simulate(part) for part in many], axis=1).mean(axis=1).tolist()
    return dict(zip(FIGURES, means, strict=True))


GAMMA_BOOTSTRAP: Final = "gamma: percentile bootstrap"
GAMMA_STUDENT: Final = "gamma: Student's t"
EXCESS: Final = "excess: simulated control"


def _intervals(runs: Iterable[Run]) -> dict[str, list[Interval]]:
    found: dict[str, list[Interval]] = {GAMMA_BOOTSTRAP: [], GAMMA_STUDENT: [], EXCESS: []}
    domain = REFERENCE[_DIRECTION]
    for run in runs:
        each = gammas(run.vectors[_DIRECTION], run.vectors[domain]).tolist()
        control = simulated(
            each,
            run.vectors[domain].T.tolist(),
            table=run.table,
            domain=domain,
            rounds=ROUNDS,
            rule=RULE,
        )
        for name, interval in (
            (GAMMA_BOOTSTRAP, mean_interval(each)),
            (GAMMA_STUDENT, spread_interval(each)),
            (EXCESS, control.interval),
        ):
            assert interval is not None, "a study's runs have two seeds or more"
            found[name].append(interval)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """How often each rule says `coupled` in runs of one evaluator.

    `beyond` counts `no_coupling_beyond_margin` by the intervals, in `sized` of the runs.
    """

    evaluator: str
    reuse: Reuse
    seeds: int
    runs: int
    coupled: Mapping[str, int]
    sized: int
    beyond: int

    @property
    def way(self) -> str:
        """How the runs were made."""
        return f"{self.reuse}, {self.seeds} seeds"

    def rate(self, rule: str) -> float:
        """The share of runs that a rule calls coupled."""
        return self.coupled[rule] / self.runs

    def interval(self, rule: str) -> Interval:
        """The 99% interval of that share, by Clopper and Pearson."""
        hits, n = self.coupled[rule], self.runs
        return 1 - upper_bound(n - hits, n, _TAIL), upper_bound(hits, n, _TAIL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How often a nominal 95% interval covered the truth, and how wide it was on average."""

    evaluator: str
    seeds: int
    interval: str
    runs: int
    covered: int
    truth: float
    width: float

    @property
    def rate(self) -> float:
        """The share of runs."""
        return self.covered / self.runs


def sizes(found: Iterable[Found]) -> dict[str, Size]:
    """Return what truly crosses, by evaluator."""
    return {one.point.evaluator: one.size for one in found if one.size is not None}


def words(found: Iterable[Found]) -> list[Words]:
    """Return the rows of words, in the order of the study."""
    cells: dict[tuple[str, Reuse, int], list[Found]] = {}
    for one in found:
        if one.point.kind == "decide":
            cells.setdefault(one.point.cell, []).append(one)
    return [
        Words(
            evaluator=evaluator,
            reuse=reuse,
            seeds=seeds,
            runs=sum(one.point.runs for one in some),
            coupled={rule: sum(one.coupled[rule] for one in some) for rule in SAYS},
            sized=sum(one.sized for one in some),
            beyond=sum(one.beyond for one in some),
        )
        for (evaluator, reuse, seeds), some in cells.items()
    ]


def coverage(found: Iterable[Found]) -> list[Coverage]:
    """Return the rows of coverage, in the order of the study."""
    gathered: dict[tuple[str, int, str], list[Interval]] = {}
    for one in found:
        for name, intervals in one.intervals.items():
            key = (one.point.evaluator, one.point.seeds, name)
            gathered.setdefault(key, []).extend(intervals)
    rows = []
    for (text, seeds, name), intervals in gathered.items():
        truth = _truth(text, excess=name == EXCESS)
        rows.append(
            Coverage(
                evaluator=text,
                seeds=seeds,
                interval=name,
                runs=len(intervals),
                covered=sum(low <= truth <= high for low, high in intervals),
                truth=truth,
                width=sum(high - low for low, high in intervals) / len(intervals),
            )
        )
    return rows


def _truth(text: str, *, excess: bool) -> float:
    means, at = _means(text), DIRECTIONS.index(_DIRECTION)
    return means[GAMMA[at]] - (means[CONTROL[at]] if excess else 0.0)
