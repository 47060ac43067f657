"""The rules that competed: each sees a crossing, and each has the null that it is known for."""

from itertools import combinations

import numpy as np
import pytest
from studies.words.candidates import (
    ADOPTED,
    OLD,
    SAYS,
    bradley_terry,
    by_others,
    by_rules,
    studentised,
)
from studies.words.cases import CASES

from epc.audit.units import Units, units_of
from epc.protocol.table import VerdictTable
from epc.protocol.weights import UpdateRule
from epc.simulation.study_runs import Reuse, simulate_runs
from epc.spec.coupling import LEVEL

RULE = UpdateRule()
ROUNDS = 30


def table(text: list[list[int]], visual: list[list[int]]) -> VerdictTable:
    """Return a table of single verdicts: 1 where a strategy won on a task, 0 where it lost."""
    counts = {}
    for domain, rows in (("text", text), ("visual", visual)):
        won = np.array(rows)
        counts[domain] = np.stack([won, 1 - won, 0 * won], axis=2)
    return VerdictTable(counts=counts, repeated=True)


def units(one: VerdictTable) -> Units:
    return units_of(one, [f"s{at}" for at in range(one.strategies)])


OPPOSED = table([[1] * 8, [0] * 8], [[0] * 8, [1] * 8])
ALIKE = table([[1] * 8, [0] * 8], [[1] * 8, [0] * 8])


def called(name: str, reuse: Reuse, seeds: int, runs: int) -> dict[str, int]:
    population = CASES[name]
    names = [f"{at:02}" for at in range(population.strategies)]
    found = dict.fromkeys(SAYS, 0)
    rng = np.random.default_rng(5)
    for run in simulate_runs(population, runs=runs, seeds=seeds, reuse=reuse, rng=rng):
        of_run = units_of(run.table, names, population.groups)
        says = by_rules(of_run, rounds=population.rounds, rule=RULE)
        says |= by_others(run.table, of_run, run.vectors, RULE)
        assert set(says) == set(SAYS)
        for rule in SAYS:
            found[rule] += says[rule]
    return found


def test_reading_r71_opposed_verdicts_are_coupled_by_every_rule_of_tables() -> None:
    says = by_rules(units(OPPOSED), rounds=ROUNDS, rule=RULE)

    assert all(says.values())
    # Of 6,435 ways to deal 16 tasks out in halves one alone separates them as they are.
    assert studentised(OPPOSED, RULE) <= 0.002
    assert bradley_terry(units(OPPOSED)) <= LEVEL


def test_reading_r71_equal_verdicts_are_coupled_by_none() -> None:
    assert not any(by_rules(units(ALIKE), rounds=ROUNDS, rule=RULE).values())
    assert studentised(ALIKE, RULE) == 1
    assert bradley_terry(units(ALIKE)) == 1


@pytest.mark.parametrize(
    ("text", "visual"),
    [
        (  # of each strategy as many verdicts on every task: 4, 2 and, on a task alone, 1
            [[(4, 4), (0, 4), (0, 4)], [(0, 2), (0, 2), (2, 2)], [(1, 1), (0, 0), (0, 0)]],
            [[(2, 4), (0, 4), (0, 4)], [(0, 2), (1, 2), (1, 2)], [(0, 1), (0, 0), (0, 0)]],
        ),
        (
            [[(3, 4), (4, 4), (2, 4)], [(1, 2), (0, 2), (1, 2)], [(1, 1), (0, 1), (1, 1)]],
            [[(1, 4), (0, 4), (1, 4)], [(2, 2), (1, 2), (2, 2)], [(0, 1), (1, 1), (0, 1)]],
        ),
    ],
)
def test_reading_r71_strengths_count_by_their_variance(
    text: list[list[tuple[int, int]]], visual: list[list[tuple[int, int]]]
) -> None:
    """By loops over all splits and 2,000 slopes, logits at Berkson's weights n p (1 - p)."""
    counts = {
        domain: np.array([[(won, n - won, 0) for won, n in row] for row in rows])
        for domain, rows in (("text", text), ("visual", visual))
    }
    one = units(VerdictTable(counts=counts, repeated=True))
    slopes = np.linspace(0, np.pi / 2, 2000)

    def of_side(tasks: list[int]) -> tuple[list[float], list[float]]:
        logits, weights = [], []
        for at in range(3):
            n = max(1.0, sum(float(one.decided[task, at]) for task in tasks))
            p = 0.02 + 0.96 * sum(float(one.won[task, at]) for task in tasks) / n
            logits.append(float(np.log(p) - np.log(1 - p)))
            weights.append(n * p * (1 - p))
        return logits, weights

    def statistic(first: tuple[int, ...]) -> float:
        sides = of_side(list(first)), of_side([task for task in range(6) if task not in first])
        (x, of_x), (y, of_y) = sides
        offs = [np.cos(slopes) * y[at] - np.sin(slopes) * x[at] for at in range(3)]
        shares = [
            1 / (np.cos(slopes) ** 2 / of_y[at] + np.sin(slopes) ** 2 / of_x[at]) for at in range(3)
        ]
        middle = sum(o * w for o, w in zip(offs, shares, strict=True)) / sum(shares)
        squared = sum((o - middle) ** 2 * w for o, w in zip(offs, shares, strict=True))
        return float(np.min(squared))

    every = [statistic(first) for first in combinations(range(6), 3)]
    as_large = [value for value in every if value >= every[0] * (1 - 1e-3)]

    assert bradley_terry(one) == len(as_large) / 20


def test_reading_r74_three_tasks_a_domain_couple_by_no_rule_of_transfer() -> None:
    few = table([[1] * 3, [0] * 3], [[0] * 3, [1] * 3])  # 10 ways to deal them out

    assert not any(by_rules(units(few), rounds=ROUNDS, rule=RULE).values())


@pytest.mark.slow
def test_reading_r71_noise_fools_the_old_word_and_not_the_new_one() -> None:
    found = called("one ranking, noise x4", "fresh", 30, 6)

    assert found[OLD] >= 5
    assert found[ADOPTED] <= 1
    assert found["regret"] >= 3  # training there teaches less, which is no opposed preference


@pytest.mark.slow
def test_reading_r70_a_repeated_coin_fools_a_test_over_seeds() -> None:
    found = called("coin", "exhaustive", 30, 6)

    assert found["seeds"] >= 5
    assert found[ADOPTED] <= 1
