"""Evaluators with tasks: how often each strategy's answer to each task wins, by named parameters.

A synthetic evaluator says how often each strategy wins. A population says besides how its tasks
differ, so that a measurement of a few of them is one draw of many. Every run draws tasks anew, and
a ranking of the strategies where the population has one.
"""

from dataclasses import dataclass
from math import pi, sin, sqrt
from statistics import NormalDist
from typing import Final, NamedTuple

from epc.arrays import Array, Flags, Generator, np
from epc.simulation.evaluators import STRATEGIES, evaluator
from epc.spec.domains import Domain
from epc.spec.epc_v1 import DOMAINS, MIN_TASKS, ROUNDS

_LACKING: Final = 2  # strategies, of those whose pairs are missing
_SURE: Final = 700.0  # a logit beyond which a probability is 0 or 1
_COIN: Final = 0.5
_RARE: Final = 1e-12
_NORMAL: Final = NormalDist()


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """An evaluator and the tasks it judges. Standard deviations are of logits.

    What comes in pairs is of the text domain and the visual one.

    evaluator    how often each strategy wins, written as for `epc simulate`
    ranking      sd of a ranking of the strategies that both domains share, drawn for each run
    apart        sd of what each domain adds to it, drawn for each run
    shift        what every strategy loses in the visual domain, where the baseline is stronger
    noise        what logits are divided by in each domain
    effects      sd of a task, over all strategies
    interaction  sd of a strategy on a task, or on a topic, in each domain
    topic        how many tasks share a topic; `declared` says that they are declared as a group
    flips        None, or how often an evaluator that repeats its answers gives the other one
    repeats      None, or the share of a verdict's variance that is the pair's own: 1 is the same
                 answer each time, 0 another one each time; win rates stay what they are
    alike        the share that all strategies on a task have in common, where `repeats` is stated
    ties         share of comparisons that end undecided
    missing      share of the visual tasks that two strategies have no pair on
    """

    evaluator: str = "coin-flip"
    strategies: int = STRATEGIES
    tasks: tuple[int, int] = (MIN_TASKS, MIN_TASKS)
    rounds: int = ROUNDS
    ranking: float = 0.0
    apart: float = 0.0
    shift: float = 0.0
    noise: tuple[float, float] = (1.0, 1.0)
    effects: float = 0.0
    interaction: tuple[float, float] = (0.0, 0.0)
    topic: int = 1
    declared: bool = False
    flips: float | None = None
    repeats: float | None = None
    alike: float = 0.0
    ties: tuple[float, float] = (0.0, 0.0)
    missing: float = 0.0

    @property
    def groups(self) -> dict[Domain, list[str]] | None:
        """The declared group of every task, or None."""
        if not self.declared:
            return None
        sizes = zip(DOMAINS, self.tasks, strict=True)
        return {domain: [f"{task // self.topic:06}" for task in range(n)] for domain, n in sizes}


class VerdictOdds(NamedTuple):
    """How often A and a tie are said of every pair of one domain; `present` marks those that exist.

    Shapes: all (runs, K, tasks).
    """

    a: Array
    tie: Array
    present: Flags


def drawn(population: Population, runs: int, rng: Generator) -> dict[Domain, VerdictOdds]:
    """Return what the evaluator says of every pair, for so many runs with tasks of their own."""
    base = evaluator(population.evaluator, strategies=population.strategies)
    shape = (runs, population.strategies, 1)
    shared = population.ranking * rng.standard_normal(shape)
    by_domain = {}
    for index, domain in enumerate(DOMAINS):
        odds, tasks = base[domain], population.tasks[index]
        taste = logits(odds.a / np.maximum(1 - odds.tie, np.finfo(float).tiny))[None, :, None]
        taste = taste + shared + population.apart * rng.standard_normal(shape)
        taste = taste / population.noise[index] - population.shift * index
        taste = taste + population.effects * rng.standard_normal((runs, 1, tasks))
        topics = -(-tasks // population.topic)
        of_topics = rng.standard_normal((runs, population.strategies, topics))
        mixed = np.repeat(of_topics, population.topic, axis=2)[..., :tasks]
        wins = shares(taste + population.interaction[index] * mixed)
        if population.flips is not None:
            wins = np.where(rng.random(wins.shape) < wins, 1 - population.flips, population.flips)
        if population.repeats is not None:
            wins = _repeated(wins, population, rng)
        tie = odds.tie[None, :, None] + population.ties[index]
        mask = np.ones(wins.shape, np.bool_)
        if index and population.missing:
            mask[:, :_LACKING] = rng.random((runs, _LACKING, tasks)) >= population.missing
        by_domain[domain] = VerdictOdds(wins * (1 - tie), np.broadcast_to(tie, wins.shape), mask)
    return by_domain


def _repeated(wins: Array, population: Population, rng: Generator) -> Array:
    """Return pairs of which each keeps to an answer of its own, with the strategies' win rates.

    A verdict is A where a normal number is below a threshold. Part of the number is the task's,
    part the pair's, and the rest is drawn with every answer.

    Shapes: (runs, K, tasks), the rates of each strategy.
    Source: K. Pearson, Philosophical Transactions A 195 (1900), 1-47 (tetrachoric correlation);
    W. F. Sheppard, 192 (1899), 101-167 (its arcsine, exact at a win rate of one half).
    """
    repeats, shared = (
        sin(pi / 2 * min(1.0, s)) for s in (population.repeats or 0, population.alike)
    )
    shared = min(shared, repeats)
    runs, _, tasks = wins.shape
    thresholds = np.vectorize(_NORMAL.inv_cdf)(np.clip(wins, _RARE, 1 - _RARE))
    drawn = sqrt(shared) * rng.standard_normal((runs, 1, tasks))
    drawn = drawn + sqrt(repeats - shared) * rng.standard_normal(wins.shape)
    rates: Array = np.vectorize(_NORMAL.cdf)((thresholds - drawn) / sqrt(max(1 - repeats, _RARE)))
    return rates


def logits(rates: Array) -> Array:
    """Return the logits of rates; those of 0 and 1 are finite, and as good as infinite."""
    with np.errstate(divide="ignore"):
        values: Array = np.clip(np.log(rates) - np.log1p(-rates), -_SURE, _SURE)
    return values


def shares(logit: Array) -> Array:
    """Return the rates that logits stand for."""
    rates: Array = _COIN * (1 + np.tanh(logit / 2))
    return rates
