"""How often whole measurements are called coupled: what a plan promises (Reading R75).

A design is tasks, seeds and a way of asking. Measurements of an evaluator that answers as a pilot
did are simulated and put to the audit's rule, so that what is promised is what an audit will say.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Final

from epc.audit.pilot import Answering
from epc.audit.redirection import by_spread, permutable, permuted
from epc.audit.side_checks import clustered, clusters
from epc.audit.transfer import Crossings, crossings
from epc.audit.units import Units, units_of
from epc.protocol.draws import stream_of
from epc.protocol.weights import UpdateRule
from epc.simulation.evaluators import STRATEGIES
from epc.simulation.populations import Population
from epc.simulation.study_runs import RULE, Reuse, simulate_runs
from epc.spec.coupling import FEWEST_SPLITS, LEVEL, MARGIN
from epc.spec.epc_v1 import DOMAINS, PHASES, PUBLICATION_SEEDS, ROUNDS
from epc.statistics.intervals import Interval, mean, share_interval

SCREENED: Final = 40
_A_POINT: Final = 20
_SIZED: Final = 4  # runs of a point, for the width of an interval
_STREAM: Final = 20261127
_FAR: Final = 2.5  # standard errors

Spread = Callable[[Callable[["Point"], "Outcome"], Sequence["Point"], str], Iterable["Outcome"]]


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Design:
    """How a measurement asks: tasks in each domain, seeds, and whether every pair is asked once."""

    tasks: int
    seeds: int
    reuse: Reuse

    def verdicts(self, *, strategies: int = STRATEGIES) -> int:
        """Return how many verdicts it asks for."""
        if self.reuse == "exhaustive":
            return len(DOMAINS) * strategies * self.tasks
        return self.seeds * len(PHASES) * ROUNDS


FEW_TASKS: Final = Design(tasks=8, seeds=30, reuse="fresh")
MORE_TASKS: Final = replace(FEW_TASKS, tasks=32)
MORE_SEEDS: Final = replace(FEW_TASKS, seeds=120)
DESIGNS: Final = tuple(
    sorted(
        [
            *(
                Design(tasks=n, seeds=PUBLICATION_SEEDS, reuse="exhaustive")
                for n in (8, 16, 32, 64, 128)
            ),
            *(Design(tasks=n, seeds=10, reuse="fresh") for n in (8, 32)),
            *(FEW_TASKS, MORE_TASKS, MORE_SEEDS),
            Design(tasks=128, seeds=PUBLICATION_SEEDS, reuse="fresh"),
        ],
        key=lambda design: (design.verdicts(), design.tasks),
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """So many simulated measurements; `number` tells points of one design apart."""

    population: Population
    design: Design
    runs: int
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How many of so many measurements were called coupled, and how wide some intervals were."""

    runs: int
    coupled: int
    widths: tuple[float, ...]

    @property
    def power(self) -> float:
        """The share called coupled."""
        return self.coupled / self.runs

    @property
    def error(self) -> float:
        """The standard error of the power, with a run more of either kind."""
        share = (self.coupled + 1) / (self.runs + 2)
        return sqrt(share * (1 - share) / self.runs)

    @property
    def interval(self) -> Interval:
        """The 95% interval of the power."""
        return share_interval(self.coupled, self.runs) or (0.0, 1.0)

    @property
    def width(self) -> float | None:
        """The mean width of the regret's interval for the domain, of the wider direction."""
        return mean(self.widths) if self.widths else None

    def __add__(self, other: "Outcome") -> "Outcome":
        """Return the outcome of both."""
        return Outcome(
            runs=self.runs + other.runs,
            coupled=self.coupled + other.coupled,
            widths=self.widths + other.widths,
        )


WAYS: Final[tuple[Reuse, ...]] = ("exhaustive", "fresh")
_NONE: Final = Outcome(runs=0, coupled=0, widths=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Outcomes of all designs that were tried; `recommended` has the wanted power at least cost.

    None where no design has, or no power was wanted.
    """

    outcomes: dict[Design, Outcome]
    recommended: Design | None

    @property
    def tasks_help_more(self) -> bool:
        """Return whether four times the tasks buy more power than four times the seeds."""
        tasks, seeds = (self.outcomes[design] for design in (MORE_TASKS, MORE_SEEDS))
        return tasks.power - seeds.power > _FAR * sqrt(tasks.error**2 + seeds.error**2)


def population_of(
    evaluator: str, answers: Answering, *, strategies: int, rounds: int = ROUNDS
) -> Population:
    """Return an evaluator with stated win rates that answers as a pilot did."""
    return Population(
        evaluator=evaluator,
        strategies=strategies,
        rounds=rounds,
        repeats=answers.repeats,
        alike=answers.alike,
    )


def planned(population: Population, wanted: float | None, spread: Spread, *, runs: int) -> Plan:
    """Try every design, and find the cheapest one with a wanted power.

    Each is looked at in a few runs. Those that could have the power are then simulated anew, the
    cheapest first, until one has it: what is promised is from runs that chose nothing.
    """
    outcomes = {
        design: simulated(population, design, spread, runs=min(runs, SCREENED), first=0)
        for design in DESIGNS
    }
    if wanted is None:
        return Plan(outcomes=outcomes, recommended=None)
    for design in DESIGNS:
        screened = outcomes[design]
        if screened.power + _FAR * screened.error < wanted:
            continue
        outcome = simulated(population, design, spread, runs=runs, first=SCREENED // _A_POINT)
        outcomes[design] = outcome
        if outcome.power >= wanted:
            return Plan(outcomes=outcomes, recommended=design)
    return Plan(outcomes=outcomes, recommended=None)


def simulated(
    population: Population, design: Design, spread: Spread, *, runs: int, first: int
) -> Outcome:
    """Return what so many simulated measurements of a design come to."""
    points = list(_points(population, design, runs=runs, first=first))
    title = f"{design.reuse}, {design.tasks} tasks, {design.seeds} seeds"
    return sum(spread(work, points, title), start=_NONE)


def powers(
    population: Population, spread: Spread, *, seeds: int, runs: int
) -> dict[Reuse, Outcome]:
    """Return how often the rule calls a population with tasks of its own coupled, by way of asking.

    Its two domains may differ in size. Each way is simulated in so many measurements.
    """
    return {
        reuse: sum(
            spread(
                work,
                list(
                    _split(
                        population,
                        Design(tasks=min(population.tasks), seeds=seeds, reuse=reuse),
                        runs=runs,
                    )
                ),
                f"power, {reuse}",
            ),
            start=_NONE,
        )
        for reuse in WAYS
    }


def _points(population: Population, design: Design, *, runs: int, first: int) -> Iterator[Point]:
    population = replace(population, tasks=(design.tasks, design.tasks))
    return _split(population, design, runs=runs, first=first)


def _split(population: Population, design: Design, *, runs: int, first: int = 0) -> Iterator[Point]:
    for number in range(-(-runs // _A_POINT)):
        yield Point(
            population=population,
            design=design,
            runs=min(_A_POINT, runs - number * _A_POINT),
            number=first + number,
        )


def work(point: Point) -> Outcome:
    """Simulate a point's measurements and put each to the rule."""
    population, design = point.population, point.design
    rng = stream_of(_STREAM, (population, design), point.number)
    names = [f"{index:03}" for index in range(population.strategies)]
    coupled, widths = 0, []
    for index, run in enumerate(
        simulate_runs(population, runs=point.runs, seeds=design.seeds, reuse=design.reuse, rng=rng)
    ):
        units = units_of(run.table, names, population.groups)
        says, crossed = called_coupled(units, rounds=population.rounds, rule=RULE)
        coupled += says
        if index < _SIZED and units.bearable:
            crossed = crossed or crossings(units, rounds=population.rounds, rule=RULE)
            intervals = [into.regret.interval for into in crossed.into]
            widths.append(
                max(interval[1] - interval[0] for interval in intervals if interval is not None)
            )
    return Outcome(runs=point.runs, coupled=coupled, widths=tuple(widths))


def called_coupled(units: Units, *, rounds: int, rule: UpdateRule) -> tuple[bool, Crossings | None]:
    """Return whether the rule says coupled of verdicts, and what crosses where that was needed.

    Source: Reading R71.
    """
    if not units.bearable or units.splits < FEWEST_SPLITS or clustered(clusters(units)):
        return False, None
    if permutable(units):
        if permuted(units, rounds=rounds, rule=rule) > LEVEL:
            return False, None
        crossed = crossings(units, rounds=rounds, rule=rule)
        return crossed.cost >= MARGIN, crossed
    crossed = crossings(units, rounds=rounds, rule=rule)
    return by_spread(crossed.crossings) <= LEVEL and crossed.cost >= MARGIN, crossed
