"""How often the intervals of luck, taste and quality cover the truth, in worlds of our own making.

    python tests/studies/gold.py selection|quality [REPEATS]

It prints for each world and figure its mean, its spread and the share of intervals that hold the
mean over all repeats (of selection: the figure of 200,000 items).
"""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from epc.analysis.selection import selections
from epc.audit.quality import Judged, Quality, quality
from epc.protocol.weights import UpdateRule
from epc.records.banks import Bank

STRATEGIES = 11
Rates = Any
Liking = Callable[[Any, Rates], Rates]
# What a judge thinks of four answers, the first of them right, before the noise of an asking.
LIKINGS: dict[str, Liking] = {
    "gold alone": lambda _, right: right,
    "gold and taste": lambda rng, right: right + rng.normal(0, 0.7, right.shape),
    "a price that varies": lambda rng, right: right * rng.integers(0, 2, (len(right), 1)) * 2,
    "taste alone": lambda rng, right: rng.normal(0, 1.4, right.shape),
}
FIGURES = ("believed", "fresh", "luck", "luck_share", "taste_least", "taste_most", "gold")


def bank(liking: Liking, items: int, seed: int) -> Bank:
    rng = np.random.default_rng(seed)
    right = np.tile([1.0, 0.0, 0.0, 0.0], (items, 1))
    scores = liking(rng, right)[:, None] + rng.normal(0, 1, (items, 8, 4))
    ids = np.arange(items)
    return Bank(
        judge="j",
        item=ids,
        cluster=ids,
        domain=np.zeros(items, np.int64),
        domains=["all"],
        scores=scores,
        gold=right,
        left_out=0,
    )


def figures_of(one: Bank) -> Any:
    (done,) = selections([one], 2)
    return done.domains["all"].gains[-1].figures


def of_selection(repeats: int) -> Iterator[tuple[str, str, float, list[tuple[float, ...]]]]:
    for world, liking in LIKINGS.items():
        truth = figures_of(bank(liking, 200_000, 1))
        seen = [figures_of(bank(liking, 200, 100 + seed)) for seed in range(repeats)]
        for name in FIGURES:
            rows = [(f[name].value, *f[name].ci95) for f in seen if name in f]
            yield world, name, truth[name].value, rows


def logistic(x: Rates) -> Rates:
    return 1 / (1 + np.exp(-x))


def tables(world: str, tasks: int, seed: int) -> dict[str, Judged]:
    """Return verdicts and labels of a world whose strategies are the same at every seed."""
    fixed, rng = np.random.default_rng(42), np.random.default_rng(seed)
    skill, length = fixed.normal(0, 1, (2, STRATEGIES))
    length -= length.mean()
    gold = {"x": 0.5 * skill + 0.6 * length, "y": 0.5 * skill - 1.2 * length}
    if world == "right in 80%":
        gold = dict.fromkeys("xy", 0.9 * skill)
    if world == "perfect":
        gold = {"x": 0.8 * skill + 1.2 * length, "y": 0.8 * skill - 1.2 * length}
    shape, sides = (tasks, STRATEGIES), {}
    for name, g in gold.items():
        right = (rng.random(shape) < logistic(g)).astype(float)
        won = right
        if world == "loves length":
            won = (rng.random(shape) < logistic(0.3 * g + 1.8 * length)).astype(float)
        elif world == "right in 80%":
            won = np.where(rng.random(shape) < 0.8, right, 1 - right)
        ones = np.ones(shape)
        sides[name] = Judged(won=won, decided=ones, tied=0 * ones, gold=right, labels=ones)
    return sides


def of_quality(repeats: int) -> Iterator[tuple[str, str, float, list[tuple[float, ...]]]]:
    names = [f"s{number:02}" for number in range(STRATEGIES)]
    for tasks in (40, 16):
        for world in ("loves length", "right in 80%", "perfect"):
            rows: dict[str, list[tuple[float, ...]]] = {}
            for seed in range(repeats):
                done = quality(tables(world, tasks, seed), names, rounds=30, rule=UpdateRule())
                assert isinstance(done, Quality)
                for of in (done.domains["y"], done.directions["x_to_y"]):
                    for name in of.__struct_fields__:
                        figure = getattr(of, name)
                        if getattr(figure, "ci95", None) and figure.ci95[0] < figure.ci95[1]:
                            rows.setdefault(name, []).append((figure.value, *figure.ci95))
            for name, each in rows.items():
                yield f"{world}, {tasks} tasks", name, float(np.mean(each, axis=0)[0]), each


def main() -> None:
    what, *more = sys.argv[1:]
    of = of_selection if what == "selection" else of_quality
    for world, name, truth, rows in of(int(more[0]) if more else 500):
        values, low, high = np.array(rows).T
        covered = ((low <= truth) & (truth <= high)).mean()
        print(f"{world:28} {name:18} {truth:+.3f} sd {values.std():.3f} covered {covered:.3f}")


if __name__ == "__main__":
    main()
