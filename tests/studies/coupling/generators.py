"""Evaluators whose preferences are given, and the verdict tables that they leave.

Independent of the program: only the protocol's text (EPC-2.3) and readings R1 to R6 are used.
A table holds, for each domain, how often A, B and a tie were said of a strategy and a task.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Array = NDArray[np.float64]
Counts = NDArray[np.int64]

WIN, LOSS, FLOOR, ROUNDS, STRATEGIES = 0.08, 0.04, 0.001, 30, 11


@dataclass(frozen=True, slots=True, kw_only=True)
class Chances:
    """The probability of A, B and a tie: two arrays (runs, strategies, tasks, 3)."""

    text: Array
    visual: Array


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """What was said: two arrays (runs, strategies, tasks, 3).

    `weights` are those of the phases text and visual: (2, runs, seeds, strategies).
    """

    text: Counts
    visual: Counts
    weights: Array


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of evaluator: each run draws its own preferences, tasks and cells."""

    name: str
    chances: Callable[[Generator, int], Chances]
    crossing: bool = False
    group: int = 1  # tasks that are declared to belong together
    repeats: int = 1  # how often an exhaustive run asks each pair
    absent: int = 0  # strategies that are mostly absent from the visual domain
    rounds: int = ROUNDS
    exhaustive_only: bool = False

    def groups(self, tasks: int) -> list[int]:
        """Return the number of the group of each task."""
        return [task // self.group for task in range(tasks)]


# How cells come to be ---------------------------------------------------------------------


def logistic(value: Array) -> Array:
    """Return the probability that has the given log-odds."""
    return np.asarray(1 / (1 + np.exp(-value)), np.float64)


def verdicts(win: Array, ties: float = 0.0) -> Array:
    """Return cells (..., 3) from the probability of A among decided verdicts."""
    return np.stack([win * (1 - ties), (1 - win) * (1 - ties), np.full_like(win, ties)], axis=-1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """A domain of `ranked`: log-odds = (ranking + shift) / noise + task + interaction + topic."""

    tasks: int = 8
    shift: float = 0.0
    noise: float = 1.0
    ties: float = 0.0
    task_sd: float = 0.0
    interaction_sd: float = 0.0
    topics: int = 0
    topic_sd: float = 1.0
    flips: float | None = None  # None: the verdict is drawn anew; else the cell is fixed and flips

    def cells(self, ranking: Array, rng: Generator) -> Array:
        """Return the cells (runs, strategies, tasks, 3) for rankings (runs, strategies)."""
        runs, strategies = ranking.shape
        odds = np.repeat(((ranking + self.shift) / self.noise)[:, :, None], self.tasks, axis=2)
        odds += self.task_sd * rng.standard_normal((runs, 1, self.tasks))
        odds += self.interaction_sd * rng.standard_normal((runs, strategies, self.tasks))
        if self.topics:
            effect = rng.standard_normal((runs, strategies, self.topics))
            odds += self.topic_sd * np.repeat(effect, self.tasks // self.topics, axis=2)
        win = logistic(odds)
        if self.flips is not None:
            said = rng.random(win.shape) < win
            win = np.where(said, 1 - self.flips, self.flips)
        return verdicts(win, self.ties)


def ranked(
    text: Domain, visual: Domain | None = None, *, strategies: int = STRATEGIES, sd: float = 1.0
) -> Callable[[Generator, int], Chances]:
    """Return an evaluator with one ranking, whose strength may differ by domain."""

    def build(rng: Generator, runs: int) -> Chances:
        ranking = sd * rng.standard_normal((runs, strategies))
        return Chances(text=text.cells(ranking, rng), visual=(visual or text).cells(ranking, rng))

    return build


def scattered(
    domain: Domain, *, sd: float, visual: Domain | None = None
) -> Callable[[Generator, int], Chances]:
    """Return an evaluator whose rankings in the two domains have nothing in common."""

    def build(rng: Generator, runs: int) -> Chances:
        one, two = sd * rng.standard_normal((2, runs, STRATEGIES))
        return Chances(text=domain.cells(one, rng), visual=(visual or domain).cells(two, rng))

    return build


def favourites(
    high: float,
    low: float,
    *,
    text: Domain | None = None,
    visual: Domain | None = None,
    both: bool = True,
) -> Callable[[Generator, int], Chances]:
    """Return an evaluator with one favourite a domain; `both=False`: none in visual."""

    def build(rng: Generator, runs: int) -> Chances:
        odds = np.full((2, runs, STRATEGIES), np.log(low / (1 - low)))
        odds[0, :, 2] = np.log(high / (1 - high))
        if both:
            odds[1, :, 7] = np.log(high / (1 - high))
        one = text or Domain()
        return Chances(text=one.cells(odds[0], rng), visual=(visual or one).cells(odds[1], rng))

    return build


def fixed(ties: float) -> Callable[[Generator, int], Chances]:
    """Return an evaluator that always prefers half of the strategies; ties in one domain only."""

    def build(rng: Generator, runs: int) -> Chances:
        win = np.repeat((np.arange(STRATEGIES) < STRATEGIES // 2).astype(float)[:, None], 8, axis=1)
        cells = np.repeat(win[None], runs, axis=0)
        return Chances(text=verdicts(cells), visual=verdicts(cells, ties))

    return build


def flat(text: float, visual: float, *, tasks: tuple[int, int] = (8, 8), ties: float = 0.0,
         strategies: int = STRATEGIES) -> Callable[[Generator, int], Chances]:  # fmt: skip
    """Return an evaluator that says A with one probability a domain, whatever it reads."""

    def build(rng: Generator, runs: int) -> Chances:
        return Chances(
            text=verdicts(np.full((runs, strategies, tasks[0]), text), ties),
            visual=verdicts(np.full((runs, strategies, tasks[1]), visual), ties),
        )

    return build


# How cells are asked ----------------------------------------------------------------------


def exhaustive(kind: Kind, runs: int, rng: Generator) -> Tables:
    """Ask each pair `kind.repeats` times."""
    chances = kind.chances(rng, runs)
    text = rng.multinomial(kind.repeats, chances.text)
    visual = rng.multinomial(kind.repeats, chances.visual)
    if kind.absent:
        # The absent strategies keep one task in eight: which one differs by run and strategy.
        tasks = visual.shape[2]
        kept = rng.random((runs, kind.absent, tasks)).argsort(axis=2) < max(1, tasks // 8)
        visual[:, : kind.absent] *= kept[..., None]
    # Its seeds draw from what was said: ten of them, as a run has.
    said = [table / np.maximum(table.sum(-1, keepdims=True), 1) for table in (text, visual)]
    weights = _phases(said[0], said[1], 10, kind.rounds, rng)[2]
    return Tables(text=text, visual=visual, weights=weights)


def fresh(kind: Kind, runs: int, seeds: int, rng: Generator) -> Tables:
    """Play the protocol's four phases for every run and seed, and pool the verdicts."""
    chances = kind.chances(rng, runs)
    text, visual, weights = _phases(chances.text, chances.visual, seeds, kind.rounds, rng)
    return Tables(text=text, visual=visual, weights=weights)


def _phases(
    text: Array, visual: Array, seeds: int, rounds: int, rng: Generator
) -> tuple[Counts, Counts, Array]:
    runs, strategies = text.shape[:2]
    totals = [np.zeros(cells.shape, np.int64) for cells in (text, visual)]
    uniform = np.full((runs * seeds, strategies), 1 / strategies)
    first = _play(uniform, text, totals[0], rounds, rng)
    second = _play(uniform, visual, totals[1], rounds, rng)
    _play(first, visual, totals[1], rounds, rng)
    _play(second, text, totals[0], rounds, rng)
    return totals[0], totals[1], np.stack([first, second]).reshape(2, runs, seeds, strategies)


def _play(start: Array, cells: Array, counts: Counts, rounds: int, rng: Generator) -> Array:
    weights, wheels = start.copy(), np.arange(len(start))
    run = wheels // (len(start) // len(cells))
    strategies, tasks = cells.shape[1:3]
    for _ in range(rounds):
        u, said = rng.random((2, len(wheels)))
        task = rng.integers(0, tasks, len(wheels))
        running = np.cumsum(weights, axis=1)
        chosen = np.minimum((running <= u[:, None]).sum(axis=1), strategies - 1)
        odds = cells[run, chosen, task]
        won, lost = said < odds[:, 0], (said >= odds[:, 0]) & (said < odds[:, 0] + odds[:, 1])
        np.add.at(counts, (run, chosen, task, np.where(won, 0, np.where(lost, 1, 2))), 1)
        held_weight = weights[wheels, chosen]
        moved = np.maximum(FLOOR, held_weight + np.where(won, WIN, -LOSS))
        weights[wheels, chosen] = np.where(won | lost, moved, held_weight)
        weights /= weights.sum(axis=1, keepdims=True)
    return weights


# The kinds --------------------------------------------------------------------------------

STEADY = Domain()
VARIED = Domain(task_sd=1.0, interaction_sd=0.5)

NULLS = (
    Kind(name="coin", chances=flat(0.5, 0.5)),
    Kind(name="coin, ties 30%", chances=flat(0.5, 0.5, ties=0.3)),
    Kind(name="always A", chances=flat(1.0, 1.0)),
    Kind(name="always B", chances=flat(0.0, 0.0)),
    Kind(name="leans to A 70%", chances=flat(0.7, 0.7)),
    Kind(name="leans to A 70% in one domain", chances=flat(0.7, 0.5)),
    Kind(name="coin, K = 3", chances=flat(0.5, 0.5, strategies=3)),
    Kind(name="one ranking", chances=ranked(STEADY)),
    Kind(name="one ranking, K = 3", chances=ranked(STEADY, strategies=3)),
    Kind(name="one ranking, K = 25", chances=ranked(STEADY, strategies=25)),
    Kind(name="one ranking, R = 10", chances=ranked(STEADY), rounds=10),
    Kind(name="baseline 1 logit stronger", chances=ranked(STEADY, Domain(shift=-1.0))),
    Kind(name="baseline 2 logits stronger", chances=ranked(STEADY, Domain(shift=-2.0))),
    Kind(name="baseline 3 logits stronger", chances=ranked(STEADY, Domain(shift=-3.0))),
    Kind(name="noise x2", chances=ranked(STEADY, Domain(noise=2.0))),
    Kind(name="noise x4", chances=ranked(STEADY, Domain(noise=4.0))),
    Kind(name="ties 0 and 40%, one ranking", chances=ranked(STEADY, Domain(ties=0.4))),
    Kind(name="ties 0 and 40%, fixed 0/1", chances=fixed(0.4)),
    Kind(name="task effects sd 1", chances=ranked(Domain(task_sd=1.0))),
    Kind(name="interaction sd 0.5", chances=ranked(Domain(interaction_sd=0.5))),
    Kind(name="interaction sd 1", chances=ranked(Domain(interaction_sd=1.0))),
    Kind(name="two topics of four, undeclared", chances=ranked(Domain(topics=2), sd=0.5)),
    Kind(name="two topics of four, declared", chances=ranked(Domain(topics=2), sd=0.5), group=4),
    Kind(
        name="eight topics of four, declared",
        chances=ranked(Domain(tasks=32, topics=8), sd=0.5),
        group=4,
    ),
    Kind(
        name="two strategies mostly absent from one domain, blind",
        chances=flat(0.5, 0.5),
        absent=2,
        exhaustive_only=True,
    ),
    Kind(name="temperature 0, flips 3%", chances=ranked(Domain(flips=0.03))),
    Kind(name="8 and 16 tasks", chances=ranked(VARIED, replace(VARIED, tasks=16))),
    Kind(name="8 and 40 tasks", chances=ranked(VARIED, replace(VARIED, tasks=40))),
    Kind(name="8 and 100 tasks", chances=ranked(VARIED, replace(VARIED, tasks=100))),
    Kind(name="40 and 40 tasks", chances=ranked(replace(VARIED, tasks=40))),
    Kind(
        name="repeated: coin on 8, leaning on 60",
        chances=flat(0.5, 0.7, tasks=(8, 60)),
        repeats=10,
        exhaustive_only=True,
    ),
)

CROSSINGS = tuple(
    replace(kind, crossing=True)
    for kind in (
        Kind(name="favourites 0.6/0.45", chances=favourites(0.6, 0.45)),
        Kind(name="favourites 0.7/0.4", chances=favourites(0.7, 0.4)),
        Kind(name="favourites 0.8/0.3", chances=favourites(0.8, 0.3)),
        Kind(name="favourites 0.95/0.1", chances=favourites(0.95, 0.1)),
        Kind(
            name="favourites 0.7/0.4, interaction sd 0.5",
            chances=favourites(0.7, 0.4, text=Domain(interaction_sd=0.5)),
        ),
        Kind(
            name="favourites 0.8/0.3, task effects, interaction sd 1",
            chances=favourites(0.8, 0.3, text=Domain(task_sd=1.0, interaction_sd=1.0)),
        ),
        Kind(
            name="favourites 0.8/0.3, flips 3%",
            chances=favourites(0.8, 0.3, text=Domain(flips=0.03)),
        ),
        Kind(name="favourite in one domain 0.8/0.3", chances=favourites(0.8, 0.3, both=False)),
        Kind(name="scattered sd 0.5", chances=scattered(STEADY, sd=0.5)),
        Kind(name="scattered sd 1", chances=scattered(STEADY, sd=1.0)),
        Kind(
            name="favourites 0.8/0.3, task effects, 8 and 40 tasks",
            chances=favourites(0.8, 0.3, text=VARIED, visual=replace(VARIED, tasks=40)),
        ),
        Kind(
            name="favourites 0.8/0.3, task effects, 8 and 100 tasks",
            chances=favourites(0.8, 0.3, text=VARIED, visual=replace(VARIED, tasks=100)),
        ),
        Kind(
            name="favourites 0.7/0.4, 16 and 16 tasks",
            chances=favourites(0.7, 0.4, text=Domain(tasks=16)),
        ),
        Kind(
            name="favourites 0.7/0.4, 64 and 64 tasks",
            chances=favourites(0.7, 0.4, text=Domain(tasks=64)),
        ),
    )
)


def tables(kind: Kind, mode: str, runs: int, rng: Generator) -> Tables:
    """Return tables of `runs` measurements; mode is `exhaustive` or `fresh N`."""
    if mode == "exhaustive":
        return exhaustive(kind, runs, rng)
    return fresh(kind, runs, int(mode.removeprefix("fresh ")), rng)


# What an evaluator's preferences would leave, without a wheel ------------------------------


def mean_field(start: Array, rates: Array, rounds: int) -> Array:
    """Return the expected policy if each round's expectation stood for every wheel.

    Shapes: both (..., K); rates are of decided verdicts, so that no round is a tie.
    """
    policy = start
    for _ in range(rounds):
        win, loss = policy * rates, policy * (1 - rates)
        drop = policy - np.maximum(FLOOR, policy - LOSS)
        scaled = loss / (1 - drop)
        policy = (
            policy * (win.sum(-1, keepdims=True) / (1 + WIN) + scaled.sum(-1, keepdims=True))
            + win * (WIN / (1 + WIN))
            - scaled * drop
        )
        policy /= policy.sum(-1, keepdims=True)  # an error of rounding would double each round
    return policy


def redirected(crossed: Array, pure: Array) -> Array:
    """Return the share of choices that are other: shapes (..., K) to (...)."""
    return np.asarray(0.5 * np.abs(crossed - pure).sum(-1))


def regret(crossed: Array, pure: Array, rates: Array) -> Array:
    """Return the win rate that the detour costs: shapes (..., K) to (...)."""
    return np.asarray(((pure - crossed) * rates).sum(-1))


def in_order(own: Array, other: Array) -> Array:
    """Return `own` rates dealt out in the order of `other`.

    Equal ranks get the mean of both orders of their places.
    """
    dealt = np.zeros(own.shape)
    for step in (1, -1):
        order = np.argsort(other[..., ::step], axis=-1, kind="stable")
        one = np.empty(own.shape)
        np.put_along_axis(one, order, np.sort(own, axis=-1), -1)
        dealt += one[..., ::step] / 2
    return dealt


def crossing_regrets(one: Array, two: Array) -> Array:
    """Return what another order of strategies costs in either domain: (..., K) to (2, ...)."""
    found = []
    for own, other in ((one, two), (two, one)):
        uniform = np.full(own.shape, 1 / own.shape[-1])
        crossed, ordered = (
            mean_field(mean_field(uniform, first, ROUNDS), own, ROUNDS)
            for first in (other, in_order(other, own))
        )
        found.append(regret(crossed, ordered, own))
    return np.stack(found)
