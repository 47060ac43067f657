"""How near the printed figures come to what is true of the domain, and how often intervals hold it.

    python tests/studies/coupling/intervals.py --out intervals.csv
    python tests/studies/coupling/intervals.py --only "favourites" --runs 50

A case fixes win rates and ties by strategy in two domains. A run draws tasks, asks every pair once,
and puts the table to the program. What is true is worked out beside it, by 100,000 wheels on the
rates themselves, with code that the program does not share. A table on which a strategy is left out
(Reading R72) has figures of the others, and is held against what is true of these.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
from numpy.random import Generator

sys.path.insert(0, str(Path(__file__).parents[2]))
from studies.coupling import product
from studies.coupling.cells import write
from studies.coupling.generators import (
    FLOOR,
    LOSS,
    ROUNDS,
    WIN,
    Array,
    Counts,
    in_order,
    logistic,
    redirected,
    regret,
)

FIGURES = "redirected", "regret", "crossing"
WHEELS, AT_ONCE, SEED = 100_000, 20_000, 20261131
COLUMNS = (
    *("case", "strategies", "tasks", "whole", "figure", "truth", "mean", "sd", "intervals"),
    *("held", "below", "above", "width"),
)


@dataclass(frozen=True, kw_only=True)
class Case:
    """Log-odds of winning, two rows of K; each task adds to them; shares of ties by domain."""

    name: str
    odds: Array
    tasks: tuple[int, ...]
    task_sd: float = 0.0
    interaction_sd: float = 0.0
    ties: tuple[float, float] = (0.0, 0.0)
    runs: float = 1.0  # times as many as others
    rates: Array = field(init=False)

    def __post_init__(self) -> None:
        """Work out the win rates over tasks without end, by Gauss and Hermite's sum."""
        points, weights = np.polynomial.hermite_e.hermegauss(60)
        spread = np.hypot(self.task_sd, self.interaction_sd)
        wins = logistic(self.odds[..., None] + spread * points)
        object.__setattr__(self, "rates", (wins * weights).sum(-1) / weights.sum())

    def tables(self, tasks: int, rng: Generator) -> tuple[Counts, Counts]:
        """Ask every pair of so many tasks once: counts (K, tasks, 3) of A, B and ties."""
        both = []
        for odds, ties in zip(self.odds, self.ties, strict=True):
            shape = len(odds), tasks
            value = odds[:, None] + self.interaction_sd * rng.standard_normal(shape)
            value = value + self.task_sd * rng.standard_normal(tasks)
            choices = np.where(rng.random(shape) < logistic(value), 0, 1)
            choices[rng.random(shape) < ties] = 2
            both.append(np.eye(3, dtype=np.int64)[choices])
        return both[0], both[1]

    def truth(self, kept: tuple[int, ...]) -> list[dict[str, float]]:
        """Return the figures into text and into visual, of the strategies that were kept."""
        uniform = np.full(len(kept), 1 / len(kept))
        rates = self.rates[:, kept]
        found = []
        for own, other in ((0, 1), (1, 0)):
            target, start = rates[own], rates[other]
            ways = (
                (start, self.ties[other]),
                (target, self.ties[own]),
                (in_order(start, target), self.ties[other]),
            )
            ended = []
            for first, ties in ways:
                parts = []
                for number in range(WHEELS // AT_ONCE):
                    rng = np.random.default_rng([SEED, number])
                    begun = trained(np.tile(uniform, (AT_ONCE, 1)), first, ties, rng)
                    parts.append(trained(begun, target, self.ties[own], rng).mean(0))
                ended.append(np.mean(parts, axis=0))
            crossed, again, matched = ended
            figures = (
                redirected(crossed, again),
                regret(crossed, again, target),
                regret(crossed, matched, target),
            )
            found.append(dict(zip(FIGURES, map(float, figures), strict=True)))
        return found


def trained(start: Array, rates: Array, ties: float, rng: Generator) -> Array:
    """Return the weights (wheels, K) after a phase."""
    weights, rows = start.copy(), np.arange(len(start))
    for _ in range(ROUNDS):
        spun, said, tied = rng.random((3, len(start)))
        chosen = np.minimum((np.cumsum(weights, axis=1) <= spun[:, None]).sum(1), len(rates) - 1)
        held_weight = weights[rows, chosen]
        moved = np.maximum(FLOOR, held_weight + np.where(said < rates[chosen], WIN, -LOSS))
        weights[rows, chosen] = np.where(tied < ties, held_weight, moved)
        weights /= weights.sum(1, keepdims=True)
    return weights


def favourites(high: float, low: float, strategies: int = 11) -> Array:
    """Return log-odds of one favourite in each domain."""
    odds = np.full((2, strategies), np.log(low / (1 - low)))
    odds[0, 2] = odds[1, 3] = np.log(high / (1 - high))
    return odds


def exchanged(strategies: int, place: int) -> Array:
    """Return one ranking, of which the best and the one at `place` are exchanged in visual."""
    own = np.random.default_rng(strategies).standard_normal(strategies)
    best, other = own.argsort()[::-1][[0, place]]
    turned = own.copy()
    turned[[best, other]] = own[[other, best]]
    return np.stack([own, turned])


def scattered(strategies: int) -> Array:
    """Return two rankings that have nothing in common."""
    return np.random.default_rng(strategies).standard_normal((2, strategies))


ONE = exchanged(11, 1)[0]
CASES = (
    Case(
        name="favourites 0.8/0.3 exchanged", odds=favourites(0.8, 0.3), tasks=(8, 16, 40, 100, 250)
    ),
    Case(name="best and second exchanged", odds=exchanged(4, 1), tasks=(8, 16, 40, 100, 250)),
    Case(
        name="favourites 0.7/0.4, tasks differ",
        odds=favourites(0.7, 0.4),
        interaction_sd=1.0,
        tasks=(40,),
    ),
    Case(name="coin", odds=np.zeros((2, 11)), tasks=(8,)),
    Case(name="best and second exchanged", odds=exchanged(11, 1), tasks=(250,)),
    Case(name="ties 0 and 40%", odds=favourites(0.8, 0.3), ties=(0.0, 0.4), tasks=(40,)),
    Case(name="scattered", odds=scattered(25), tasks=(40,), runs=0.5),
    Case(name="scattered", odds=scattered(52), tasks=(100,), runs=0.25),
    Case(name="noise x4 in visual", odds=np.stack([ONE, ONE / 4]), tasks=(40,)),
)


def rows(case: Case, tasks: int, runs: int) -> Iterator[tuple[object, ...]]:
    """Yield a line a figure: what is true, what was printed on average, how many intervals held."""
    truth, strategies, whole = cache(case.truth), case.odds.shape[1], 0
    rng = np.random.default_rng([SEED, tasks, strategies, *case.name.encode()])
    seen: dict[str, list[tuple[float, float, float, float]]] = {name: [] for name in FIGURES}
    for _ in range(runs):
        kept, into = product.figures_into_both(*case.tables(tasks, rng))
        whole += len(kept) == strategies
        for true, figures in zip(truth(kept), into, strict=True):
            for name in FIGURES:
                seen[name].append((true[name], *figures[name]))
    for name in FIGURES:
        true, value, low, high = np.array(seen[name]).T
        off = value - true
        yield (
            *(case.name, strategies, tasks, f"{whole / runs:.2f}", name, f"{true.mean():.4f}"),
            *(f"{value.mean():.4f}", f"{off.std():.4f}", len(off)),
            *(f"{x.mean():.3f}" for x in ((low <= true) & (true <= high), high < true, low > true)),
            f"{(high - low).mean():.3f}",
        )


def page_rows(lines: Iterable[Mapping[str, str]]) -> list[str]:
    """Return the rows of which `site/docs/data/coupling-intervals.csv` has some."""
    return [
        "| {case} | {strategies} | {tasks} | {figure} |".format(**line)
        + "".join(f" {float(line[name]):.3f} |" for name in ("truth", "mean", "sd"))
        + "".join(f" {100 * float(line[name]):.0f}% |" for name in ("held", "below", "above"))
        + f" {float(line['width']):.2f} | {line['intervals']} |"
        for line in lines
    ]


def main() -> None:
    """Write the table, a case after the other."""
    write(
        __doc__,
        COLUMNS,
        lambda only, runs: (
            line
            for case in CASES
            if only in case.name
            for tasks in case.tasks
            for line in rows(case, tasks, max(1, round(runs * case.runs)))
        ),
        runs=120,
    )


if __name__ == "__main__":
    main()
