"""The evaluators of the study, by the names that its tables have.

In a null no strategy is better in one domain than in the other but by strength, noise or chance, so
`coupled` is a false word of it. In a crossing preferences are opposed.
"""

from dataclasses import replace
from typing import Final

import numpy as np

from epc.arrays import Array, Generator
from epc.simulation.populations import Population, drawn
from epc.spec.epc_v1 import MIN_TASKS, ROUNDS

_MANY_TASKS: Final = 1_024
_SAME: Final = "favourite:high=0.8,low=0.3"
_STRONG: Final = "domain-favourites:high=0.8,low=0.3"
_FAIR: Final = "domain-favourites:high=0.7,low=0.4"

NULLS: Final[dict[str, Population]] = {
    "coin": Population(),
    "always A": Population(evaluator="always-a"),
    "always B": Population(evaluator="always-b"),
    "A in 80%": Population(evaluator="position-bias:a=0.8"),
    "coin, 30% ties": Population(ties=(0.3, 0.3)),
    "same favourite, 0.95/0.1": Population(evaluator="favourite:high=0.95,low=0.1"),
    "same favourite, 0.8/0.3": Population(evaluator=_SAME),
    "one ranking": Population(ranking=1),
    "one ranking, baseline +1 logit": Population(ranking=1, shift=1),
    "one ranking, baseline +2 logits": Population(ranking=1, shift=2),
    "one ranking, baseline +3 logits": Population(ranking=1, shift=3),
    "one ranking, noise x2": Population(ranking=1, noise=(1, 2)),
    "one ranking, noise x4": Population(ranking=1, noise=(1, 4)),
    "one ranking, ties 0 and 40%": Population(ranking=1, ties=(0, 0.4)),
    "same favourite, ties 0 and 40%": Population(evaluator=_SAME, ties=(0, 0.4)),
    "fixed ranking 0/1, ties 0 and 40%": Population(ranking=1000, ties=(0, 0.4)),
    "one ranking, task effects sd 1": Population(ranking=1, effects=1),
    "one ranking, interaction sd 0.5": Population(ranking=1, interaction=(0.5, 0.5)),
    "one ranking, interaction sd 1": Population(ranking=1, interaction=(1, 1)),
    "one ranking, temperature 0, flips 3%": Population(ranking=1, flips=0.03),
    "two topics of 4, undeclared": Population(interaction=(1, 1), topic=4),
    "two topics of 4, declared": Population(interaction=(1, 1), topic=4, declared=True),
    "8 topics of 4, undeclared": Population(interaction=(1, 1), topic=4, tasks=(32, 32)),
    "8 topics of 4, declared": Population(
        interaction=(1, 1), topic=4, tasks=(32, 32), declared=True
    ),
    "coin, two strategies lack 85%": Population(missing=0.85),
    "one ranking, two strategies lack 40%": Population(ranking=1, missing=0.4),
    "3 strategies": Population(ranking=1, strategies=3),
    "25 strategies": Population(ranking=1, strategies=25),
    "10 rounds": Population(ranking=1, rounds=10),
    "16 tasks": Population(ranking=1, effects=1, interaction=(0.5, 0.5), tasks=(16, 16)),
    "64 tasks": Population(ranking=1, effects=1, interaction=(0.5, 0.5), tasks=(64, 64)),
    "8 and 40 tasks": Population(ranking=1, effects=1, interaction=(1, 1), tasks=(8, 40)),
    "8 and 100 tasks": Population(ranking=1, effects=1, interaction=(1, 1), tasks=(8, 100)),
    "8 tasks, interaction sd 2, and 40": Population(ranking=1, interaction=(2, 0), tasks=(8, 40)),
    "100 rounds": Population(ranking=1, rounds=100),
}

CROSSINGS: Final[dict[str, Population]] = {
    "0.6/0.45": Population(evaluator="domain-favourites:high=0.6,low=0.45"),
    "0.7/0.4": Population(evaluator=_FAIR),
    "0.8/0.3": Population(evaluator=_STRONG),
    "0.95/0.1": Population(evaluator="domain-favourites:high=0.95,low=0.1"),
    "0.7/0.4, interaction sd 0.5": Population(evaluator=_FAIR, interaction=(0.5, 0.5)),
    "0.7/0.4, interaction sd 1": Population(evaluator=_FAIR, interaction=(1, 1)),
    "0.8/0.3, temperature 0, flips 3%": Population(evaluator=_STRONG, flips=0.03),
    "favourite in one domain, 0.8": Population(evaluator="one-domain:high=0.8,low=0.5"),
    "scattered, sd 0.5": Population(apart=0.5),
    "scattered, sd 1": Population(apart=1),
    "0.8/0.3, 16 tasks": Population(evaluator=_STRONG, tasks=(16, 16)),
    "0.8/0.3, 64 tasks": Population(evaluator=_STRONG, tasks=(64, 64)),
    "0.8/0.3, 8 and 40 tasks": Population(
        evaluator=_STRONG, effects=1, interaction=(0.5, 0.5), tasks=(8, 40)
    ),
    "0.8/0.3, 8 and 100 tasks": Population(
        evaluator=_STRONG, effects=1, interaction=(0.5, 0.5), tasks=(8, 100)
    ),
}

CASES: Final = NULLS | CROSSINGS
EXPENSIVE: Final = ("100 rounds",)  # a fifth of the runs: its p-value takes wheels
UNDECLARED: Final = ("two topics of 4, undeclared", "8 topics of 4, undeclared")
COVERED: Final = (
    "coin-flip",
    "always-a",
    "favourite:high=0.95,low=0.1",
    "domain-favourites:high=0.95,low=0.1",
    "domain-favourites:high=0.7,low=0.4",
    "coin-flip:tie=0.3",
)
# Every run has the same true figures, so an interval for the domain holds them or does not.
COVERED_DOMAINS: Final = (
    "coin",
    "same favourite, 0.8/0.3",
    "0.7/0.4",
    "0.7/0.4, interaction sd 0.5",
    "0.8/0.3",
    "0.8/0.3, temperature 0, flips 3%",
    "0.8/0.3, 16 tasks",
    "0.8/0.3, 64 tasks",
)


def quick(population: Population) -> bool:
    """Return whether a population is quick to simulate: the fewest tasks, short trainings."""
    return population.tasks == (MIN_TASKS, MIN_TASKS) and population.rounds <= ROUNDS


def endless(
    population: Population, draws: int, rng: Generator
) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """Return both domains' win rates, and their ties, over tasks without end.

    Shapes: (strategies, draws) twice, (strategies,) twice.
    """
    many = replace(population, tasks=(_MANY_TASKS, _MANY_TASKS), missing=0.0)
    judged = drawn(many, draws, rng).values()
    first, second = (
        np.ascontiguousarray((each.a / np.maximum(1 - each.tie, 1e-9)).mean(axis=2).T)
        for each in judged
    )
    one, other = (each.tie.mean(axis=(0, 2)) for each in judged)
    return (first, second), (one, other)
