"""Reading R75: a plan promises what an independent simulation of it finds.

That simulation is `Independent`, in NumPy alone: its own evaluator, wheel, policies, permutations
and correction for bias, written from the readings.
"""

from dataclasses import dataclass
from math import pi, sin, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from audit_support import fewer_wheels
from budget_support import is_night

from epc.audit import power
from epc.audit.pilot import PUBLISHED
from epc.audit.power import Design, Outcome, Plan, planned, population_of, simulated, work

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

FAIR = "domain-favourites:high=0.7,low=0.4"
STRATEGIES = 5
THRESHOLDS = {0.7: 0.524401, 0.4: -0.253347}  # of the standard normal distribution


def spread_here(work: Any, points: Any, _: str) -> Any:
    return map(work, points)


@dataclass
class Independent:
    """Exhaustive measurements of an evaluator that repeats itself, and Reading R71 upon them."""

    rng: np.random.Generator
    tasks: int

    def coupled(self) -> bool:
        won = np.concatenate([self.verdicts(1), self.verdicts(STRATEGIES - 3)])
        own = np.arange(2 * self.tasks) < self.tasks
        shuffled = [self.rng.permutation(own) for _ in range(199)]
        sides = np.array([own, *shuffled], float)
        first, second = sides @ won / self.tasks, (1 - sides) @ won / self.tasks
        statistic = self.mean_field(first, second)
        p_value = (statistic >= statistic[0] - 1e-12).mean()
        return bool(p_value <= 0.05 and self.cost(won[own], won[~own]) >= 0.02)

    def verdicts(self, favourite: int) -> "Array":
        """Return one verdict for each task and strategy, 1 or 0; tasks share a fifth of it."""
        rates = np.where(np.arange(STRATEGIES) == favourite, THRESHOLDS[0.7], THRESHOLDS[0.4])
        shared = sin(pi / 2 * 0.2)
        number = sqrt(shared) * self.rng.normal(size=(self.tasks, 1)) + sqrt(
            1 - shared
        ) * self.rng.normal(size=(self.tasks, STRATEGIES))
        return np.asarray(number < rates, float)

    @staticmethod
    def mean_field(first: "Array", second: "Array") -> "Array":
        """Return redirected choices, both directions added, of weights that follow their mean."""

        def train(weights: "Array", rates: "Array") -> "Array":
            for _ in range(30):
                after = np.zeros_like(weights)
                for index in range(STRATEGIES):
                    for chance, step in ((rates[index], 0.08), (1 - rates[index], -0.04)):
                        reached = np.maximum(weights[index] + step, 0.001)
                        share = weights[index] * chance / (1 - weights[index] + reached)
                        after += weights * share
                        after[index] += (reached - weights[index]) * share
                weights = after / after.sum(axis=0)
            return weights

        first, second = (np.ascontiguousarray(rates.T) for rates in (first, second))
        start = np.full_like(first, 1 / STRATEGIES)
        alone = train(start, first), train(start, second)
        into_first = train(alone[1], first) - train(alone[0], first)
        into_second = train(alone[0], second) - train(alone[1], second)
        return np.asarray((np.abs(into_first) + np.abs(into_second)).sum(axis=0) / 2)

    def cost(self, first: "Array", second: "Array") -> float:
        """Return the smaller of both regrets, in the direction where it is larger.

        Both domains are cut in halves again and again: a half is off by twice as much.
        """
        whole_regret = self.regrets([(first.mean(axis=0), second.mean(axis=0))], wheels=2000)[0]
        halves: list[tuple[Array, Array]] = []
        middle = self.tasks // 2
        for _ in range(40):
            left, right = (self.rng.permutation(self.tasks) for _ in range(2))
            halves += [
                (first[left[part]].mean(axis=0), second[right[part]].mean(axis=0))
                for part in (slice(0, middle), slice(middle, None))
            ]
        corrected = 2 * whole_regret - self.regrets(halves, wheels=25).mean(axis=0)
        return float(corrected.min(axis=1).max())

    def regrets(self, tables: "Sequence[tuple[Array, Array]]", *, wheels: int) -> "Array":
        """Return the regret and the crossing regret into either domain: (tables, 2, 2)."""
        totals = np.zeros((len(tables), 2, 2))
        for side in (0, 1):
            own = np.array([pair[side] for pair in tables])
            other = np.array([pair[1 - side] for pair in tables])
            matched = np.array([self.ordered(*rows) for rows in zip(other, own, strict=True)])
            crossed = self.policy((other, own), wheels)
            for index, first in enumerate((own, matched)):
                totals[:, side, index] = ((self.policy((first, own), wheels) - crossed) * own).sum(
                    axis=1
                )
        return totals

    @staticmethod
    def ordered(values: "Array", order: "Array") -> "Array":
        """Return values dealt out in another's order; equals share both orders of their places."""
        dealt = np.zeros(STRATEGIES)
        places = np.arange(STRATEGIES)
        for tie_break in (places, -places):
            dealt[np.lexsort((tie_break, order))] += np.sort(values) / 2
        return dealt

    def policy(self, phases: "Sequence[Array]", wheels: int) -> "Array":
        """Return the mean final weights of so many wheels for each table."""
        tables = len(phases[0])
        weights = np.full((STRATEGIES, tables * wheels), 1 / STRATEGIES)
        column = np.arange(tables * wheels)
        # The same draws whatever the rates, so that two policies differ by the rates alone.
        rng = np.random.default_rng(tables)
        for rates in phases:
            each = np.repeat(rates.T, wheels, axis=1)
            for _ in range(30):
                spun = rng.random(len(column))
                chosen = np.minimum((weights.cumsum(axis=0) <= spun).sum(axis=0), STRATEGIES - 1)
                won = rng.random(len(column)) < each[chosen, column]
                moved = weights[chosen, column] + np.where(won, 0.08, -0.04)
                weights[chosen, column] = np.maximum(moved, 0.001)
                weights /= weights.sum(axis=0)
        return np.asarray(weights.reshape(STRATEGIES, tables, wheels).mean(axis=2)).T


@pytest.mark.slow
@fewer_wheels()
def test_reading_r75_the_recommended_plan_has_the_promised_power(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """At temperature 0, with a strategy x task interaction, as the published snapshots have it.

    Widths of intervals are another test's: none is simulated here. By day ten runs of each:
    powers that are .35 apart are told apart, as 0.99 and 0.09 were; by night .1.
    """
    few = tuple(Design(tasks=n, seeds=30, reuse="exhaustive") for n in (8, 48))
    monkeypatch.setattr(power, "DESIGNS", few)
    monkeypatch.setattr(power, "_A_POINT", 5)
    monkeypatch.setattr(power, "SCREENED", 5)
    monkeypatch.setattr(power, "_SIZED", 0)
    population = population_of(FAIR, PUBLISHED, strategies=STRATEGIES)

    runs = 200 if is_night() else 10
    plan = planned(population, 0.8, spread_here, runs=runs)

    assert plan.recommended == few[1]
    promised = plan.outcomes[plan.recommended]
    assert promised.runs == runs
    independent = Independent(np.random.default_rng(11), plan.recommended.tasks)
    folder = sum(independent.coupled() for _ in range(runs)) / runs
    error = sqrt(promised.error**2 + folder * (1 - folder) / runs)
    assert abs(folder - promised.power) <= 0.02 + 2 * error


@fewer_wheels()
def test_reading_r75_fifty_fresh_seeds_are_no_longer_promised_what_independent_verdicts_have(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """0.6 against 0.45, which was promised 0.99 and had 0.09: by ten runs told apart for sure."""
    monkeypatch.setattr(power, "_SIZED", 0)
    population = population_of("domain-favourites:high=0.6,low=0.45", PUBLISHED, strategies=11)

    outcome = simulated(
        population, Design(tasks=8, seeds=50, reuse="fresh"), spread_here, runs=10, first=0
    )

    assert outcome.power <= 0.35


@fewer_wheels()
def test_reading_r75_points_differ_in_their_runs_and_repeat_themselves() -> None:
    population = population_of(FAIR, PUBLISHED, strategies=3)
    design = Design(tasks=8, seeds=2, reuse="exhaustive")

    first, repeated_outcome = (
        simulated(population, design, spread_here, runs=2, first=0) for _ in range(2)
    )
    other_outcome = simulated(population, design, spread_here, runs=2, first=1)

    assert first == repeated_outcome
    assert first.widths != other_outcome.widths
    assert first + other_outcome == Outcome(
        runs=4,
        coupled=first.coupled + other_outcome.coupled,
        widths=first.widths + other_outcome.widths,
    )


def test_reading_r75_designs_are_tried_from_the_fewest_verdicts_on() -> None:
    verdicts = [design.verdicts() for design in power.DESIGNS]

    # 2 domains of 11 strategies and 8 to 128 tasks; 4 phases of 30 rounds for each fresh seed.
    assert verdicts == [176, 352, 704, 1200, 1200, 1408, 2816, 3600, 3600, 3600, 14400]
    assert Design(tasks=16, seeds=30, reuse="exhaustive").verdicts() == 2 * 11 * 16
    # What helps more is told by four times the tasks and, beside it, four times the seeds.
    few, tasks, seeds = power.FEW_TASKS, power.MORE_TASKS, power.MORE_SEEDS
    assert (tasks.tasks, tasks.seeds) == (4 * few.tasks, few.seeds)
    assert (seeds.tasks, seeds.seeds) == (few.tasks, 4 * few.seeds)
    assert Design(tasks=16, seeds=30, reuse="fresh").verdicts() == 30 * 4 * 30


def test_reading_r75_a_plan_says_where_tasks_help_more_than_seeds() -> None:
    def outcome(share: float) -> Outcome:
        return Outcome(runs=400, coupled=int(400 * share), widths=(0.2, 0.4))

    def plan(tasks: float, seeds: float) -> Plan:
        outcomes = {power.MORE_TASKS: outcome(tasks), power.MORE_SEEDS: outcome(seeds)}
        return Plan(outcomes=outcomes, recommended=None)

    assert plan(0.9, 0.3).tasks_help_more
    assert not plan(0.9, 0.88).tasks_help_more
    assert not plan(0.3, 0.9).tasks_help_more
    assert outcome(0.5).width == pytest.approx(0.3)
    assert Outcome(runs=1, coupled=0, widths=()).width is None


def test_reading_r74_a_design_of_three_tasks_is_never_called_coupled() -> None:
    population = population_of("domain-favourites:high=1,low=0", PUBLISHED, strategies=3)
    design = Design(tasks=3, seeds=2, reuse="exhaustive")

    point = next(power._points(population, design, runs=5, first=0))

    assert work(point).coupled == 0
