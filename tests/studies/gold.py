"""How often intervals of luck, taste, thresholds and quality hold the truth, and words are right.

    python tests/studies/gold.py selection|threshold|quality|words [REPEATS] [PLACE]

It prints for each world and figure its truth, its mean and spread, and the share of intervals that
hold the truth: of selection that of 200,000 items, of a threshold where the curve of 400,000 items
turns, of quality that of `gold_worlds.py`. Words are those of `epc audit` about its first three
worlds. PLACE is the table that it writes, but for selection; a standard error is half a point at
2,000 repeats, 0.7 at 1,000 and 1 at 500.
"""

import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from multiprocessing import Pool
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from program_support import run_program
from studies.gold_worlds import ROUNDS, WORLDS, World
from studies.loops import write

from epc.analysis.selection import selections
from epc.audit.quality import LabelledVerdicts, Quality, quality
from epc.protocol.weights import UpdateRule
from epc.records.banks import Bank
from epc.statistics.selection import picks, sizes_of, turning_point

Rates = Any
Liking = Callable[[Any, Rates], Rates]
Row = dict[str, float | int | str]
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


def figures_of(bank: Bank) -> Any:
    (done,) = selections([bank], 2)
    return done.domains["all"].gains[-1].figures


def of_selection(repeats: int) -> Iterator[tuple[str, str, float, list[tuple[float, ...]]]]:
    for world, liking in LIKINGS.items():
        truth = figures_of(bank(liking, 200_000, 1))
        seen = [figures_of(bank(liking, 200, 100 + seed)) for seed in range(repeats)]
        for name in FIGURES:
            rows = [(f[name].value, *f[name].ci95) for f in seen if name in f]
            yield world, name, truth[name].value, rows


ANSWERS: Final = 16
# The spread of a judge's noise about gold, and how many answers please it and are wrong.
PLEASED: Final = {
    "turns at once": (1.0, 0.5),
    "turns clearly": (0.7, 0.12),
    "turns on a flat top": (0.7, 0.03),
    "turns between the last two n": (0.7, 0.01),
    "rises to the end": (2.0, 0.0),
    "a blind judge: flat": (np.inf, 0.0),
}


def answers(world: str, items: int, rng: Any) -> tuple[Rates, Rates]:
    """Return scores and gold. Shapes: (items, ANSWERS)."""
    noise, pleasing = PLEASED[world]
    ability = rng.normal(0, 0.7, (items, 1))
    right = rng.random((items, ANSWERS)) < 1 / (1 + np.exp(-ability - 0.3))
    scores = rng.normal(0, 1, right.shape) * min(noise, 1e6) + right
    hack = rng.random(right.shape) < pleasing
    return np.where(hack, 6 + rng.normal(0, 1, right.shape), scores), (right & ~hack).astype(float)


def turn_of(world: str) -> float:
    """Return the first n of the program's at which the best of so many answers is worse."""
    if not PLEASED[world][1]:
        return np.inf
    rng, worth = np.random.default_rng(1), np.zeros(ANSWERS)
    for _ in range(4):
        scores, gold = answers(world, 100_000, rng)
        at = np.arange(len(scores))
        best = np.zeros(len(scores), np.intp)
        for n in range(ANSWERS):
            best = np.where(scores[:, n] > scores[at, best], n, best)
            worth[n] += gold[at, best].sum()
    sizes = np.array(sizes_of(ANSWERS))
    curve = worth[sizes - 1]
    return float(sizes[1:][np.diff(curve) < 0][0])


def of_threshold(repeats: int, items: int = 200) -> Iterator[Row]:
    for world in PLEASED:
        turn, rng, ends = turn_of(world), np.random.default_rng(7), []
        for _ in range(repeats):
            scores, gold = answers(world, items, rng)
            gains = picks(scores[:, None], gold, 1).gold
            ends.append(turning_point(gains, np.arange(items), sizes_of(ANSWERS)))
        low, high = (np.array([end or np.inf for end in side]) for side in zip(*ends, strict=True))
        yield {
            "world": world,
            "turns at": int(turn) if turn < np.inf else "never",
            "shown": float(np.mean(high < np.inf)),
            "shown too early": float(np.mean(high < turn)),
            "begins too late": float(np.mean(low > turn)),
            "covered": float(np.mean((low <= turn) & (turn <= high))),
            "median": f"{np.median(low):.0f} to {np.median(high):.0f}",
        }


# Half of the program's wheels for what sets an interval's width. All of those of the figure itself:
# they are the same in every table, so that fewer move all tables' figures alike.
FEWER: Final = {"_WHEELS_WITHOUT": 64}


def quality_of(world: World, seed: int) -> dict[str, tuple[float, ...]]:
    """Return each figure with its interval of one table of a world."""
    module = import_module("epc.audit.quality")
    for name, wheels in FEWER.items():
        setattr(module, name, wheels)
    rng = np.random.default_rng([WORLDS.index(world), seed])
    tables = (world.table(domain, world.tasks[domain], rng) for domain in (0, 1))
    names = [f"s{number:02}" for number in range(world.strategies)]
    sides = {
        name: LabelledVerdicts(**dict(zip(LabelledVerdicts.__slots__, table, strict=True)))
        for name, table in zip("xy", tables, strict=True)
    }
    done = quality(sides, names, rounds=ROUNDS, rule=UpdateRule())
    if not isinstance(done, Quality):
        return {}
    return {
        name: (figure.value, *figure.ci95)
        for of in (done.domains["y"], done.directions["x_to_y"])
        for name in of.__struct_fields__
        if getattr(figure := getattr(of, name), "ci95", None)
    }


def of_quality(repeats: int) -> Iterator[Row]:
    for world in WORLDS:
        truth = world.truth()
        with Pool() as pool:
            every = pool.map(partial(quality_of, world), range(repeats))
        row: Row = {"world": world.name, "tables": repeats}
        for name, middle in truth.items():
            rows = np.array([of[name] for of in every if name in of])
            if len(rows) and (rows[:, 2] - rows[:, 1]).max() > 0:
                row[name] = float(np.mean((rows[:, 1] <= middle) & (middle <= rows[:, 2])))
        yield row


def said_of(world: World, seed: int) -> dict[str, bool]:
    """Return what `epc audit` says of one table of a world, in y and of the way there."""
    rng = np.random.default_rng([WORLDS.index(world), seed])
    lines = ["strategy,domain,task,verdict,gold"]
    for domain in (0, 1):
        won, _, _, gold, _ = world.table(domain, world.tasks[domain], rng).astype(int).tolist()
        lines += [
            f"s{strategy:02},{'xy'[domain]},task {task},{'BA'[verdict]},{'BA'[label]}"
            for task, both in enumerate(zip(won, gold, strict=True))
            for strategy, (verdict, label) in enumerate(zip(*both, strict=True))
        ]
    with TemporaryDirectory() as folder:
        votes = Path(folder) / "votes.csv"
        votes.write_text("\n".join(lines), "utf-8")
        done = json.loads(run_program("audit", votes, "--format", "json").stdout)
    transfer = done["groups"][0]["transfer"]
    word = transfer["quality"]["domains"]["y"]["word"]
    low, _ = transfer["quality"]["directions"]["x_to_y"]["beyond"]["ci95"]
    found = {name: word == name for name in ("harms", "gains", "gain_not_shown")}
    return found | {"coupled": transfer["word"] == "coupled", "loses more than by gold": low > 0}


def of_words(repeats: int) -> Iterator[Row]:
    for world in WORLDS[:3]:
        all_flags = [said_of(world, seed) for seed in range(repeats)]
        shares = {
            name: float(np.mean([flags[name] for flags in all_flags])) for name in all_flags[0]
        }
        yield {"world": world.name, **world.lesson(), **shares}


STUDIES: Final = {"threshold": of_threshold, "quality": of_quality, "words": of_words}


def main() -> None:
    what, *more = sys.argv[1:]
    repeats = int(more[0]) if more else 500
    if what == "selection":
        for world, name, truth, rows in of_selection(repeats):
            values, low, high = np.array(rows).T
            covered = ((low <= truth) & (truth <= high)).mean()
            print(f"{world:28} {name:18} {truth:+.3f} sd {values.std():.3f} covered {covered:.3f}")
        return
    table = []
    for row in STUDIES[what](repeats):
        print(row, flush=True)
        table.append(row)
    if more[1:]:
        write(Path(more[1]), table)


if __name__ == "__main__":
    main()
