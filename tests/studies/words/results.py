"""What the points of the study add up to: the rows of its tables."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from studies.words.candidates import SAYS
from studies.words.points import Found, Size, way
from studies.words.study import truth

from epc.simulation.study_runs import Reuse
from epc.statistics.inference import upper_bound
from epc.statistics.intervals import Interval

_TAIL: Final = 0.005  # of a 99% interval, on either side


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
        return way(self.reuse, self.seeds)

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
    reuse: Reuse
    seeds: int
    interval: str
    runs: int
    covered: int
    truth: float
    width: float

    @property
    def way(self) -> str:
        """How the runs were made."""
        return way(self.reuse, self.seeds)

    @property
    def rate(self) -> float:
        """The share of runs."""
        return self.covered / self.runs


def sizes(results: Iterable[Found]) -> dict[str, Size]:
    """Return what truly crosses, by evaluator."""
    return {one.point.evaluator: one.size for one in results if one.size is not None}


def words(results: Iterable[Found]) -> list[Words]:
    """Return the rows of words, in the order of the study."""
    cells: dict[tuple[str, Reuse, int], list[Found]] = {}
    for one in results:
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


def coverage(results: Iterable[Found]) -> list[Coverage]:
    """Return the rows of coverage, in the order of the study."""
    gathered: dict[tuple[str, Reuse, int, str], list[Interval]] = {}
    for one in results:
        for name, intervals in one.intervals.items():
            gathered.setdefault((*one.point.cell, name), []).extend(intervals)
    rows = []
    for (evaluator, reuse, seeds, name), intervals in gathered.items():
        true = truth(evaluator, name)
        rows.append(
            Coverage(
                evaluator=evaluator,
                reuse=reuse,
                seeds=seeds,
                interval=name,
                runs=len(intervals),
                covered=sum(low <= true <= high for low, high in intervals),
                truth=true,
                width=sum(high - low for low, high in intervals) / len(intervals),
            )
        )
    return rows
