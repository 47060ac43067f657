"""The study behind the audit: how often a word is false, missed or true, by whole runs."""

from collections.abc import Iterable
from functools import cache
from typing import Final

from studies.words.candidates import SAYS, by_others, by_rules
from studies.words.cases import CASES, endless
from studies.words.points import STREAM, Found, Point, Size

from epc.arrays import Array, Generator, np
from epc.audit.control import simulated
from epc.audit.redirection import p_value_of, redirected_interval
from epc.audit.transfer import Rates, crossings, figures_of
from epc.audit.units import units_of
from epc.simulation.evaluators import STRATEGIES
from epc.simulation.populations import Population
from epc.simulation.study_runs import RULE, Run, simulate_runs
from epc.simulation.synthetic import CONTROL, FIGURES, GAMMA, parts, simulate
from epc.simulation.training import gammas
from epc.spec.coupling import MARGIN
from epc.spec.domains import Direction
from epc.spec.epc_v1 import DIRECTIONS, REFERENCE, ROUNDS
from epc.statistics.intervals import Interval, mean_interval, spread_interval

_TRUTH_SEEDS: Final = 131_072  # puts 0.001 on a mean whose interval is a hundred times wider
_DRAWS: Final = 16  # of a population, for what is true of it
_WHEELS: Final = 4_096
_DIRECTION: Final[Direction] = "text_to_visual"  # the two directions are each other's mirror image
_INTO: Final = 1  # the second domain, which that direction ends in
_SIZED: Final = 1  # run of a point, for the word that nothing crosses beyond the margin


def work(point: Point) -> Found:
    """Simulate a point's runs and put them to every rule, or form every interval."""
    if point.kind == "size":
        return Found(point=point, size=_size(CASES[point.evaluator], point.rng))
    if point.kind == "cover gamma":
        population = Population(evaluator=point.evaluator)
        return Found(point=point, intervals=_intervals(_runs(population, point)))
    population = CASES[point.evaluator]
    if point.kind == "cover domain":
        return Found(point=point, intervals=_of_the_domain(population, _runs(population, point)))
    names = [f"{at:03}" for at in range(population.strategies)]
    coupled = dict.fromkeys(SAYS, 0)
    sized = beyond = 0
    for number, run in enumerate(_runs(population, point)):
        units = units_of(run.table, names, population.groups)
        says = by_rules(units, rounds=population.rounds, rule=RULE)
        says |= by_others(run.table, units, run.vectors, RULE)
        for rule in SAYS:
            coupled[rule] += says[rule]
        if number < _SIZED and units.bearable:
            sized += 1
            most = crossings(units, rounds=population.rounds, rule=RULE).most
            beyond += most is not None and most < MARGIN
    return Found(point=point, coupled=coupled, sized=sized, beyond=beyond)


def _runs(population: Population, point: Point) -> list[Run]:
    return simulate_runs(
        population, runs=point.runs, seeds=point.seeds, reuse=point.reuse, rng=point.rng
    )


def _size(population: Population, rng: Generator) -> Size:
    """Return what crosses in the direction where more does."""
    sides = _endless(population, rng)
    larger = {
        name: float(np.maximum(*(side[name].mean(axis=0) for side in sides)).mean())
        for name in ("redirected", "regret", "crossing")
    }
    return Size(**larger)


def _endless(population: Population, rng: Generator) -> list[dict[str, Array]]:
    """Return the figures of a population whose domains have tasks without end, by domain.

    Shapes: each (2, `_DRAWS`).
    """
    rates, ties = endless(population, _DRAWS, rng)
    return figures_of(Rates(*rates), ties, rounds=population.rounds, rule=RULE, wheels=_WHEELS)


@cache
def _means(text: str) -> dict[str, float]:
    """Return the mean of every figure of an evaluator, over many seeds of its own stream."""
    many = parts(text, seeds=_TRUTH_SEEDS, strategies=STRATEGIES, stream=STREAM)
    means = np.concatenate([simulate(part) for part in many], axis=1).mean(axis=1).tolist()
    return dict(zip(FIGURES, means, strict=True))


@cache
def _domain_means(name: str) -> dict[str, float]:
    """Return the true figures into the second domain of an evaluator that all runs share."""
    rng = Point(kind="cover domain", evaluator=name).rng
    into = _endless(CASES[name], rng)[_INTO]
    return {_OF_THE_DOMAIN[figure]: float(into[figure].mean()) for figure in _OF_THE_DOMAIN}


GAMMA_BOOTSTRAP: Final = "gamma: percentile bootstrap"
GAMMA_STUDENT: Final = "gamma: Student's t"
EXCESS: Final = "excess: simulated control"
_OF_THE_DOMAIN: Final = {
    figure: f"{says}: for the domain"
    for figure, says in (
        ("redirected", "redirected choices"),
        ("regret", "transfer regret"),
        ("crossing", "crossing regret"),
    )
}


def _intervals(runs: Iterable[Run]) -> dict[str, list[Interval]]:
    intervals: dict[str, list[Interval]] = {GAMMA_BOOTSTRAP: [], GAMMA_STUDENT: [], EXCESS: []}
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
            intervals[name].append(interval)
    return intervals


def _of_the_domain(population: Population, runs: Iterable[Run]) -> dict[str, list[Interval]]:
    intervals: dict[str, list[Interval]] = {name: [] for name in _OF_THE_DOMAIN.values()}
    names = [f"{at:03}" for at in range(population.strategies)]
    for run in runs:
        units = units_of(run.table, names, population.groups)
        crossed = crossings(units, rounds=population.rounds, rule=RULE)
        into = crossed.into[_INTO]
        p_value = p_value_of(units, crossed.crossings, rounds=population.rounds, rule=RULE)
        of_figure = {
            "redirected": redirected_interval(into.redirected, p_value),
            "regret": into.regret.interval,
            "crossing": into.crossing.interval,
        }
        for figure, name in _OF_THE_DOMAIN.items():
            interval = of_figure[figure]
            assert interval is not None, "a study's runs have two tasks or more"
            intervals[name].append(interval)
    return intervals


def truth(evaluator: str, interval: str) -> float:
    """Return what an interval of an evaluator should hold."""
    if interval in _OF_THE_DOMAIN.values():
        return _domain_means(evaluator)[interval]
    means, at = _means(evaluator), DIRECTIONS.index(_DIRECTION)
    return means[GAMMA[at]] - (means[CONTROL[at]] if interval == EXCESS else 0.0)
