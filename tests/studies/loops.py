"""How often the figures of an optimiser's run err: levels, power, and what intervals cover.

Worlds are drawn apart from the program (loop_worlds.py); the figures are those of the report.
Writes the tables `loop-*.csv`: `nice python tests/studies/loops.py site/docs/data`; with `gold`
behind it, those of Reading R102 alone.
"""

import csv
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # as pytest has it for the tests

from scipy import stats
from studies.loop_worlds import (
    FEW,
    GATES,
    MARGINS,
    WORLDS,
    Array,
    Change,
    Scored,
    World,
    changes,
    run,
    truths,
)

from epc.analysis.loop import LoopReport
from epc.analysis.loop_decisions import assess, gate
from epc.analysis.loop_files import Files
from epc.records.loop import GOLD, Check, Log
from epc.records.loop import LogLine as Line
from epc.records.typed import as_json
from epc.statistics.gains import (
    assisted_gain,
    can_be_priced,
    exchange,
    exchange_over_runs,
    gain,
    labels_for_margin,
    parted,
)

RUNS: Final = 500
OFTEN: Final = 1500  # a standard error of 0.6 points at 95%
COVERED: Final = 2000  # a standard error of half a point
_JUDGE: Final = "A"
_NAMES: Final = ("seed", "final")
LEVELS: Final = ("believed > 0", "fresh > 0", "gold > 0", "gold < 0", "labels alone > 0")
Rate = dict[str, float | int | str]


def files_of(scored: Scored) -> Files:
    """Return a run as the files that the program reads."""
    rows = [
        Line(candidate=name, item=f"v{item}", output=f"{name}{item}", judge=_JUDGE, score=score)
        for name, scores in zip(_NAMES, scored.validation.tolist(), strict=True)
        for item, score in enumerate(scores)
    ]
    checks = [
        Check(candidate=name, item=f"x{item}", output=f"{name}{item}", judge=judge, score=score)
        for judge, both in ((_JUDGE, scored.test), (GOLD, scored.gold))
        for name, scores in zip(_NAMES, both.tolist(), strict=True)
        for item, score in enumerate(scores)
        if judge == _JUDGE or scored.labelled[item]
    ]
    return Files(log=Log(name="log", sha256="", rows=rows), checks=checks)


def reports(world: World, runs: int, seed: int = 1) -> Iterator[tuple[Scored, LoopReport | None]]:
    """Yield runs of a world with their reports; None where the optimiser kept its seed."""
    rng = np.random.default_rng(seed)
    for _ in range(runs):
        scored = run(world, rng)
        yield scored, assess(files_of(scored)).report if scored.final else None


def levels(world: World, runs: int = RUNS) -> Rate:
    """Return how often each interval is wholly on one side of 0.

    In shares of all runs; taste in those of the runs that have it. `labels alone` is the gain by
    gold without the judge's help.
    """
    counts = Counter[str]()
    for scored, report in reports(world, runs):
        if report is None:
            counts["kept"] += 1
            continue
        taste = report.exchange.taste if report.exchange else None
        counts["priced"] += taste is not None
        counts["worth"] += round(report.gold.worth) if report.gold else 0
        labels = (scored.gold[1] - scored.gold[0])[scored.labelled]
        for name, figure in (
            ("believed", report.believed),
            ("fresh", report.fresh),
            ("gold", report.gold),
            ("labels alone", gain(labels)),
            ("taste", taste),
        ):
            if figure and figure.ci95:
                counts[f"{name} > 0"] += figure.ci95[0] > 0
                counts[f"{name} < 0"] += figure.ci95[1] < 0
    judged = {name: counts[name] / runs for name in LEVELS}
    taste_of = {name: counts[name] / counts["priced"] for name in ("taste > 0", "taste < 0")}
    checked = runs - counts["kept"]
    rest = {"no price": 1 - counts["priced"] / checked, "kept the seed": counts["kept"] / runs}
    worth = {"labels worth": round(counts["worth"] / checked)}
    return {"world": world.name, **judged, **taste_of, **rest, **worth}


def covers(world: World, runs: int = COVERED) -> Rate:
    """Return how often intervals hold the truth, among runs that have the figure."""
    rng, truth = np.random.default_rng(2), truths()
    held_flags: dict[str, list[bool]] = defaultdict(list)
    for _ in range(runs):
        scored = run(world, rng)
        if not scored.final:
            continue
        judge, gold = scored.test[1] - scored.test[0], (scored.gold[1] - scored.gold[0])
        some = scored.labelled
        figures = {"fresh": gain(judge), "gold": assisted_gain(gold[some], judge[some], judge)}
        if can_be_priced(gold[some]):
            paid = exchange(judge[some], gold[some], np.ones(some.sum(), dtype=np.bool_))
            figures |= {"price": paid.price, "taste": paid.taste}
        expected = truth(scored.skill, scored.style)
        for name, figure in figures.items():
            if figure.ci95:
                held_flags[name].append(figure.ci95[0] <= expected[name] <= figure.ci95[1])
    return {
        "world": world.name,
        **{name: float(np.mean(hits)) for name, hits in held_flags.items()},
    }


def gates(world: World, runs: int = RUNS) -> float:
    """Return how often the gate ships; where the seed was kept it refuses."""
    rng = np.random.default_rng(3)
    drawn = [run(world, rng) for _ in range(runs)]
    expected_words = [gate(files_of(s), [], unplanned=True).word for s in drawn if s.final]
    return expected_words.count("ship") / runs


def by_spread(gold: Array, judge: Array, labels: int) -> tuple[float, float]:
    """Return gold's gain and its half width by spread alone, as before Reading R102.

    Student's of the labels, helped by the regression on the judge where some items have no label.
    """
    y, x = gold[:labels], judge[:labels]
    t = stats.t.ppf(0.975, labels - 1)
    if labels == len(gold) or not y.any():
        return float(y.mean()), float(t * y.std(ddof=1) / np.sqrt(labels))
    slope, intercept = np.polyfit(x, y, 1)
    left = y - slope * x - intercept
    variance = (left**2).sum() / (labels - 2) / labels + slope**2 * judge.var(ddof=1) / len(gold)
    half = stats.t.ppf(0.975, labels - 2) * np.sqrt(variance)
    return float(intercept + slope * judge.mean()), float(half)


def few_changes(world: Change, runs: int = OFTEN) -> Rate:
    """Return how often the gold gain's interval holds the truth, before and now, and its width."""
    rng, truth = np.random.default_rng(9), world.better - world.worse
    rows = []
    for _ in range(runs):
        judge, gold = changes(world, rng)
        middle, before = by_spread(gold, judge, world.labels)
        ends = assisted_gain(gold[: world.labels], judge[: world.labels], judge).ci95
        assert ends is not None
        now = (ends[1] - ends[0]) / 2
        held_before, held_now = abs(middle - truth) <= before + 1e-12, ends[0] <= truth <= ends[1]
        rows.append((held_before, held_now, before == 0, 100 * before, 100 * now))
    held_before, held_now, no_width, half_before, half_now = np.mean(rows, axis=0).tolist()
    return {
        "better": f"{world.better:.0%}",
        "worse": f"{world.worse:.0%}",
        "labels": f"{world.labels} of {world.items}",
        "held before": held_before,
        "width 0 before": no_width,
        "held now": held_now,
        "half before": f"{half_before:.1f}",
        "half now": f"{half_now:.1f}",
    }


def margins(world: Change, runs: int = RUNS) -> Rate:
    """Return how often the gate ships a final of known worth, before Reading R102 and now."""
    rng, before, now = np.random.default_rng(10), 0, 0
    for _ in range(runs):
        judge, gold = changes(world, rng)
        some = np.arange(world.items) < world.labels
        both = (np.stack([np.zeros_like(part), part]) for part in (judge, gold))
        test, labels = both
        scored = Scored(
            final=1,
            validation=np.stack([np.zeros(60), np.ones(60)]),
            test=test,
            gold=labels,
            labelled=some,
            skill=0,
            style=0,
        )
        files = files_of(scored)
        now += gate(files, [], unplanned=True).word == "ship"
        fresh = gain(judge).ci95
        assert fresh is not None
        middle, half = by_spread(gold, judge, world.labels) if world.labels else (0.0, 0.0)
        before += fresh[0] > 0 and middle + half >= 0
    return {
        "judge": "bribed" if world.bribe else "honest",
        "labels": f"{world.labels} of {world.items}",
        "true gain": f"{100 * (world.better - world.worse):+.0f}",
        "ships before": before / runs,
        "ships now": now / runs,
    }


def planned(true_gain: float, margin: float, runs: int = OFTEN) -> Rate:
    """Return how often as many labels as a plan says exclude a loss by the margin."""
    labels = labels_for_margin(true_gain, margin)
    share = (0.4 + true_gain) / 2, (0.4 - true_gain) / 2
    rng = np.random.default_rng(11)
    gold = rng.choice([1.0, -1.0, 0.0], p=[*share, 0.6], size=(runs, labels))
    half = stats.t.ppf(0.975, labels - 1) * gold.std(axis=1, ddof=1) / np.sqrt(labels)
    shown = float((gold.mean(axis=1) - half > -margin).mean())
    return {
        "what": f"{labels} labels exclude a loss of {margin:.0%}, {true_gain:+.0%}",
        "share": shown,
    }


def tried_again(*, anew: bool, finals: int = 20, runs: int = RUNS) -> float:
    """Return how often one of many finals that change nothing passes 100 items, all used again.

    Each final has outputs of its own, as good as the seed's. The seed is asked again each time, for
    the outputs that it had or, `anew`, for others: then the finals' trials have nothing in common.
    """
    rng, passed = np.random.default_rng(4), 0
    seeds = finals if anew else 1
    for _ in range(runs):
        effect = rng.normal(0, 0.7, 100)
        liking = 5 + effect + rng.normal(0, 1.6, (finals + seeds, 100))
        asked = [
            np.clip(np.rint(liked + rng.normal(size=(finals, 100))), 1, 10)
            for liked in (liking[:seeds], liking[seeds:])
        ]
        every = (gain(final - seed).ci95 for seed, final in zip(*asked, strict=True))
        passed += any(ends is not None and ends[0] > 0 for ends in every)
    return passed / runs


def over_runs(world: World, logs: int = 5, sets: int = 200) -> float:
    """Return how often Student's interval over five runs holds the mean gain of all runs."""
    rng = np.random.default_rng(5)
    drawn = [run(world, rng) for _ in range(logs * sets)]
    truth = np.mean([draw.expected["fresh"] if draw.final else 0.0 for draw in drawn])
    fresh = np.array([(draw.test[1] - draw.test[0]).mean() for draw in drawn]).reshape(sets, logs)
    ends = [gain(row).ci95 or (0.0, 0.0) for row in fresh]
    return float(np.mean([low <= truth <= high for low, high in ends]))


def exchanges(world: World, logs: int = 30, sets: int = 1000) -> Rate:
    """Return how often intervals over runs hold the price and the taste of all runs."""
    rng = np.random.default_rng(8)
    drawn = [run(world, rng) for _ in range(logs * sets)]
    parts = [np.stack([draw.test[1] - draw.test[0] for draw in drawn])]
    parts.append(np.stack([draw.gold[1] - draw.gold[0] for draw in drawn]))
    parts.append(np.repeat([[draw.final > 0] for draw in drawn], world.items, axis=1))
    judge, gold, changed = (part.reshape(sets, -1) for part in parts)
    every, member = np.arange(judge.size), np.repeat(np.arange(logs), world.items)
    truth = as_json(exchange_over_runs(judge.ravel(), gold.ravel(), changed.ravel(), every))
    held_flags: dict[str, list[bool]] = defaultdict(list)
    for row in zip(judge, gold, changed, strict=True):
        for name, figure in as_json(exchange_over_runs(*row, member)).items():
            low, high = figure["ci95"] or (np.inf, -np.inf)
            held_flags[name].append(low <= truth[name]["value"] <= high)
    return {
        "world": world.name,
        **{name: float(np.mean(hits)) for name, hits in held_flags.items()},
    }


def drifts(anchors: int, runs: int = 2000, items: int = 200) -> tuple[float, float]:
    """Return how often the parts of a change hold the judge's and the system's true parts."""
    rng, held_totals = np.random.default_rng(6), np.zeros(2)
    for _ in range(runs):
        item = rng.normal(0, 1, items)
        old, new = item + rng.normal(0, 0.7, items), item + 0.3 + rng.normal(0, 0.7, items)
        harsher = rng.normal(0, 0.5, (2, items))  # what the new judge sees otherwise, by output
        first = np.rint(5 + old + rng.normal(0, 0.5, items))
        after = np.rint(5 + new - 0.4 + harsher[0] + rng.normal(0, 0.5, items))
        again = np.rint(5 + old - 0.4 + harsher[1] + rng.normal(0, 0.5, items))
        places = rng.permutation(items)[:anchors]
        parts = parted(after - first, (again - first)[places], places)
        for number, (figure, truth) in enumerate(((parts.judge, -0.4), (parts.system, 0.3))):
            assert figure.ci95 is not None
            held_totals[number] += figure.ci95[0] <= truth <= figure.ci95[1]
    return tuple((held_totals / runs).tolist())


def main() -> None:
    """Write every table, or those of gold alone."""
    folder = Path(sys.argv[1])
    write(folder / "loop-gold.csv", [few_changes(world) for world in FEW])
    write(folder / "loop-margins.csv", [margins(world) for world in MARGINS])
    if sys.argv[2:] == ["gold"]:
        return
    write(folder / "loop-levels.csv", [levels(world) for world in WORLDS])
    write(folder / "loop-covers.csv", [covers(world) for world in WORLDS[:-1]])
    write(folder / "loop-runs.csv", [exchanges(world) for world in WORLDS[:5]])
    rows: list[Rate] = [{"what": f"the gate ships: {w.name}", "share": gates(w)} for w in GATES]
    passed = "one of 20 unchanged finals passes the same items"
    rows.append({"what": passed, "share": tried_again(anew=False)})
    rows.append({"what": f"{passed}, the seed answering anew", "share": tried_again(anew=True)})
    rows.append({"what": "five runs: the mean gain is covered", "share": over_runs(WORLDS[3])})
    rows += [planned(gold, 0.05) for gold in (0.0, 0.05, 0.1)]
    for anchors in (10, 30, 100, 200):
        judge, system = drifts(anchors)
        rows.append(
            {"what": f"{anchors} anchors of 200: the judge's part is covered", "share": judge}
        )
        rows.append({"what": f"{anchors} anchors of 200: the system's part", "share": system})
    write(folder / "loop-gates.csv", rows)


def write(path: Path, rows: list[Rate]) -> None:
    """Write rows as a table, shares to three digits."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(names)
        for row in rows:
            cells = [row.get(name, "") for name in names]
            table.writerow(f"{c:.3f}" if isinstance(c, float) else c for c in cells)


if __name__ == "__main__":
    main()
