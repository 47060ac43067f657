"""What the study covers: every evaluator in every way a run is made, in points of a few runs.

A point is up to `A_POINT` runs of one evaluator, simulated from a stream of its own, so points can
be worked anywhere and in any order.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from studies.words.cases import (
    CASES,
    COVERED,
    COVERED_DOMAINS,
    CROSSINGS,
    EXPENSIVE,
    NULLS,
    quick,
)

from epc.arrays import Generator
from epc.protocol.draws import stream_of
from epc.simulation.study_runs import Reuse
from epc.statistics.intervals import Interval

Kind = Literal["decide", "size", "cover gamma", "cover domain"]

STREAM: Final = 20260706
A_POINT: Final = 25  # runs
SEEDS: Final = (10, 30)  # EPC-2.5(g): screening and publication
# Verdicts of an exhaustive run do not depend on its seeds, and rule 2 looks at verdicts alone.
FRESH: Final[tuple[Reuse, int]] = ("fresh", 30)
EXHAUSTIVE: Final[tuple[Reuse, int]] = ("exhaustive", 30)
WAYS: Final[tuple[tuple[Reuse, int], ...]] = (("fresh", 10), FRESH, EXHAUSTIVE)


def way(reuse: Reuse, seeds: int) -> str:
    """Return in words how runs were made."""
    return f"{reuse}, {seeds} seeds"


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
    def rng(self) -> Generator:
        """A stream that stays the same when other cells join the study."""
        return stream_of(STREAM, (self.kind, *self.cell), self.number)


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


def points(runs: int, *, first_look: bool = False) -> list[Point]:
    """Return the whole study, or for a first look the cells that are quick to simulate.

    So many runs of every null, and half as many for power and for the coverage of intervals for
    the domain, which need not be told from 5%. The coverage of gamma's intervals is cheap, so it
    has five times as many.
    """

    def some_of(names: Iterable[str]) -> list[str]:
        return [name for name in names if not first_look or quick(CASES[name])]

    def cell(kind: Kind, text: str, seeds: int, reuse: Reuse, runs: int) -> Iterator[Point]:
        for number in range(-(-runs // A_POINT)):
            some = min(A_POINT, runs - number * A_POINT)
            yield Point(
                kind=kind, evaluator=text, seeds=seeds, reuse=reuse, runs=some, number=number
            )

    return [
        *(Point(kind="size", evaluator=name) for name in some_of(CASES)),
        *(
            point
            for names, some in ((NULLS, runs), (CROSSINGS, -(-runs // 2)))
            for name in some_of(names)
            for reuse, seeds in WAYS
            for point in cell(
                "decide", name, seeds, reuse, -(-some // 5) if name in EXPENSIVE else some
            )
        ),
        *(
            point
            for seeds in SEEDS
            for text in COVERED
            for point in cell("cover gamma", text, seeds, "fresh", 5 * runs)
        ),
        *(
            point
            for name in some_of(COVERED_DOMAINS)
            for reuse, seeds in (FRESH, EXHAUSTIVE)
            for point in cell("cover domain", name, seeds, reuse, runs // 2)
        ),
    ]
