"""The study behind the audit: error rates, power and coverage, by simulation of whole runs.

A point is a hundred runs of one evaluator, simulated from a stream of its own, so points can be
worked anywhere and in any order. What they found is added up to the rows of the published tables.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from epc.audit.candidate_tests import from_table, from_weights
from epc.audit.control import simulated
from epc.simulation.evaluators import STRATEGIES
from epc.simulation.study_runs import RULE, STREAM, Kind, Point, Reuse, Run, simulate_runs
from epc.simulation.synthetic import CONTROL, FIGURES, GAMMA, parts, simulate
from epc.simulation.training import gammas
from epc.spec.coupling import LEVEL
from epc.spec.epc_v1 import DIRECTIONS, REFERENCE, ROUNDS, Direction
from epc.statistics.intervals import Interval, mean_interval, share_interval, spread_interval

_TRUTH_SEEDS: Final = 131_072  # puts 0.001 on a mean whose interval is a hundred times wider
_CONTROL_SEEDS: Final = 32_768
_DIRECTION: Final[Direction] = "text_to_visual"  # the two directions are each other's mirror image

A_POINT: Final = 100  # runs
REUSES: Final[tuple[Reuse, ...]] = ("fresh", "exhaustive")
SEEDS: Final = (10, 30)  # EPC-2.5(g): screening and publication

# Evaluators that prefer alike in both domains: every `coupled` is a false one.
NULLS: Final = (
    "coin-flip",
    "always-a",
    "always-b",
    "favourite:high=0.95,low=0.1",
    "favourite:high=0.7,low=0.4",
    "position-bias:a=0.8",
    "coin-flip:tie=0.3",
    "scattered-alike:sd=1",
)
# Evaluators whose preferences differ, each family from mild to strong; the number is its strength.
ALTERNATIVES: Final[dict[str, tuple[str, float]]] = {
    f"{family}:high={high},low={low}": (family, round(high - low, 2))
    for family, low_of in (("domain-favourites", (0.45, 0.4, 0.3, 0.1)), ("one-domain", (0.5,) * 4))
    for high, low in zip((0.6, 0.7, 0.8, 0.95), low_of, strict=True)
} | {f"scattered:sd={sd}": ("scattered", sd) for sd in (0.25, 0.5, 0.75, 1.0)}
COVERED: Final = (
    "coin-flip",
    "always-a",
    "favourite:high=0.95,low=0.1",
    "domain-favourites:high=0.95,low=0.1",
    "domain-favourites:high=0.7,low=0.4",
    "coin-flip:tie=0.3",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a point's runs came to: rejections by test, or intervals by name.

    Shapes: intervals (runs, 2).
    """

    point: Point
    rejected: dict[str, int]
    intervals: dict[str, list[Interval]]


def points(runs: int) -> list[Point]:
    """Return the whole study, the longest points first.

    So many runs of every evaluator without coupling; half as many for coverage, whose runs cost ten
    times as much, and a quarter for power, which need not be told from 5%.
    """

    def cell(kind: Kind, text: str, seeds: int, reuse: Reuse, runs: int) -> Iterator[Point]:
        for number in range(-(-runs // A_POINT)):
            yield Point(
                kind=kind,
                evaluator=text,
                seeds=seeds,
                reuse=reuse,
                runs=min(A_POINT, runs - number * A_POINT),
                number=number,
            )

    return [
        *(p for n in SEEDS for e in COVERED for p in cell("cover", e, n, "fresh", runs // 2)),
        *(
            p
            for texts, some in ((NULLS, runs), (ALTERNATIVES, runs // 4))
            for reuse in REUSES
            for n in SEEDS
            for e in texts
            for p in cell("decide", e, n, reuse, some)
        ),
    ]


def work(point: Point) -> Found:
    """Simulate a point's runs and put them to every test, or form every interval."""
    runs = simulate_runs(point)
    if point.kind == "cover":
        return Found(point=point, rejected={}, intervals=_intervals(runs))
    rejected: dict[str, int] = {}
    for run in runs:
        p_values = from_table(run.table, RULE)
        p_values |= from_weights(run.vectors, paired=run.paired, expected=_controls(point.drawn))
        for test, p_value in p_values.items():
            rejected[test] = rejected.get(test, 0) + (p_value <= LEVEL)
    return Found(point=point, rejected=rejected, intervals={})


@cache
def _means(text: str, seeds: int) -> dict[str, float]:
    """Return the mean of every figure of an evaluator, over many seeds of its own stream."""
    import numpy as np

    rows = [simulate(p) for p in parts(text, seeds=seeds, strategies=STRATEGIES, stream=STREAM)]
    means = np.concatenate(rows, axis=1).mean(axis=1).tolist()
    return dict(zip(FIGURES, means, strict=True))


def _controls(text: str) -> dict[str, float]:
    return _means(text, _CONTROL_SEEDS)


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
class Rejections:
    """How often a test rejected at `LEVEL`, in runs of one evaluator."""

    evaluator: str
    seeds: int
    reuse: Reuse
    test: str
    runs: int
    rejected: int

    @property
    def rate(self) -> float:
        """The share of runs."""
        return self.rejected / self.runs

    @property
    def interval(self) -> Interval:
        """The 95% interval of the rate, Wilson's."""
        return share_interval(self.rejected, self.runs) or (0.0, 1.0)


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


def rejections(found: Iterable[Found]) -> list[Rejections]:
    """Return the rows of error rates and power, in the order of the study."""
    runs: dict[tuple[str, int, Reuse], int] = {}
    hits: dict[tuple[tuple[str, int, Reuse], str], int] = {}
    for one in found:
        if one.point.kind == "decide":
            runs[one.point.cell] = runs.get(one.point.cell, 0) + one.point.runs
            for test, count in one.rejected.items():
                hits[one.point.cell, test] = hits.get((one.point.cell, test), 0) + count
    return [
        Rejections(
            evaluator=cell[0],
            seeds=cell[1],
            reuse=cell[2],
            test=test,
            runs=runs[cell],
            rejected=count,
        )
        for (cell, test), count in hits.items()
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
    means, at = _means(text, _TRUTH_SEEDS), DIRECTIONS.index(_DIRECTION)
    return means[GAMMA[at]] - (means[CONTROL[at]] if excess else 0.0)
