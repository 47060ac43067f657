"""How often the intervals of verdicts hold the truth, by the earlier rule and today's.

Worlds are drawn apart from the program (`interval_worlds.py`); the intervals alone are its own.
Beside them stands another method that is known to be good, by its name. Writes
`intervals-verdicts.csv`, which `site/docs/statistics.md` shows:
`nice .venv/bin/python tests/studies/intervals.py --out intervals-verdicts.csv`.
"""

import csv
import sys
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import stats

sys.path.insert(0, str(Path(__file__).parents[1]))  # as pytest has it for the tests

from studies.interval_worlds import Sample, World, worlds

from epc.statistics.clusters import clustered_share, share_of_rows
from epc.statistics.earlier import INTERVALS as EARLIER
from epc.statistics.observed import TODAY, Intervals
from epc.statistics.paired import paired_difference

Array = NDArray[np.float64]
Ends = tuple[float, float] | None
HEAD = ("row", "figure", "items", "cover before", "width before", "cover", "width",
        "another method", "its cover", "its width")  # fmt: skip


def main() -> None:
    """Write a row for each world."""
    parser = ArgumentParser()
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--worlds", type=int, default=1000)
    options = parser.parse_args()
    rows = [_row(world, number, options.worlds) for number, world in enumerate(worlds())]
    with options.out.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([HEAD, *rows])


def _row(world: World, number: int, draws: int) -> list[str]:
    methods = METHODS[world.kind]
    found: list[list[Ends]] = [[], [], []]
    for draw in range(draws):
        sample = world.draw(np.random.default_rng([number, draw]))
        for ends, method in zip(found, methods[1:], strict=True):
            ends.append(method(sample))
    (before, w0), (after, w1), (further, w2) = (_cover(ends, world.truth) for ends in found)
    print(f"{world.row:6}{world.name:56} {before:6} {w0:6} {after:6} {w1:6} {further:6} {w2}",
          flush=True)  # fmt: skip
    return [
        world.row,
        KINDS[world.kind],
        world.name,
        before,
        w0,
        after,
        w1,
        methods[0],
        further,
        w2,
    ]


def _cover(ends: list[Ends], truth: float) -> tuple[str, str]:
    """Return in percent how often intervals hold the truth, and half their mean width.

    No interval holds nothing; it has no width.
    """
    known = [interval for interval in ends if interval is not None and interval[0] == interval[0]]
    held = sum(low - 1e-9 <= truth <= high + 1e-9 for low, high in known)
    width = f"{np.mean([high - low for low, high in known]) / 2:.3f}" if known else "-"
    return f"{100 * held / len(ends):.1f}", width


def _of(intervals: Intervals, kind: str) -> Callable[[Sample], Ends]:
    """Return the program's interval of a kind of figure, by one of its rules."""
    by_kind: dict[str, Callable[[Sample], Ends]] = {
        "share": lambda s: intervals.share(s["hits"], s["n"], s["item"], verdicts=s["verdicts"])[1],
        "means": lambda s: intervals.mean_of_shares(
            [
                (s["one"], np.ones(len(s["one"])), s["items_one"]),
                (s["two"], np.ones(len(s["two"])), s["items_two"]),
            ]
        )[1],
        "kappa": lambda s: intervals.kappa(
            s["left"], s["right"], s["item"], verdicts=s["verdicts"]
        )[1],
        "error": lambda s: intervals.calibration(s["confidence"], s["right"], s["item"]).ci95,
        "correlation": lambda s: intervals.correlation(s["x"], s["y"], s["item"])[1],
    }
    return by_kind[kind]


def _logit(share: float, variance: float, freedom: float) -> Ends:
    """Return Student's interval of a share on the logit's scale."""
    room = share * (1 - share)
    if room <= 0 or variance <= 0:
        return None
    middle = np.log(share / (1 - share))
    half = stats.t.isf(0.025, freedom) * np.sqrt(variance) / room
    low, high = (1 / (1 + np.exp(-(middle + end))) for end in (-half, half))
    return float(low), float(high)


def _t_logit(sample: Sample) -> Ends:
    """Student's t by item on the logit's scale; of unequal items by Bell's and McCaffrey's."""
    hits, n = sample["hits"], sample["n"]
    weight = n / n.sum()
    share = float(hits.sum() / n.sum())
    parts = (hits - share * n) / n.sum() / np.sqrt(1 - weight)
    # Satterthwaite's freedom of the corrected variance, items varying alike.
    freedom = float((weight**2).sum() ** 2 / (weight**4).sum()) - 1
    return _logit(share, float((parts**2).sum()), max(1.0, min(len(n) - 1, freedom)))


def _two_logit(sample: Sample) -> Ends:
    """Student's t of the mean of two shares on the logit's scale."""
    one, two = sample["one"], sample["two"]
    if np.array_equal(sample["items_one"], sample["items_two"]):
        both = (one + two) / 2
        return _logit(float(both.mean()), float(both.var(ddof=1)) / len(both), len(both) - 1)
    variance = (one.var(ddof=1) / len(one) + two.var(ddof=1) / len(two)) / 4
    return _logit(float(one.mean() + two.mean()) / 2, float(variance), len(one) + len(two) - 2)


def _bootstrap_kappa(sample: Sample) -> Ends:
    """The bootstrap by item, percentiles of 400."""
    rng = np.random.default_rng(0)
    left, right, item = sample["left"], sample["right"], sample["item"]
    count = int(item.max()) + 1
    products = left[:, :, None] * right[:, None, :]
    tables = np.zeros((count, *products.shape[1:]))
    np.add.at(tables, item, products)
    drawn = rng.multinomial(count, np.full(count, 1 / count), 400) @ tables.reshape(count, -1)
    shares = (drawn / drawn.sum(axis=1, keepdims=True)).reshape(400, *products.shape[1:])
    seen = np.trace(shares, axis1=1, axis2=2)
    chance = (shares.sum(axis=1) * shares.sum(axis=2)).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        values = (seen - chance) / (1 - chance)
    known = values[np.isfinite(values)]
    return tuple(np.quantile(known, [0.025, 0.975])) if len(known) else None


def _bootstrap_error(sample: Sample) -> Ends:
    """The bootstrap by item, percentiles of 200."""
    rng = np.random.default_rng(0)
    item, gap = sample["item"], sample["confidence"] - sample["right"]
    bins = np.minimum((sample["confidence"] * 10).astype(int), 9)
    count = int(item.max()) + 1
    sums = np.zeros((count, 10))
    np.add.at(sums, (item, bins), gap)
    rows = np.bincount(item)
    drawn = rng.multinomial(count, np.full(count, 1 / count), 200)
    values = np.abs(drawn @ sums).sum(axis=1) / (drawn @ rows)
    return tuple(np.quantile(values, [0.025, 0.975]))


def _fisher(sample: Sample) -> Ends:
    """Fisher's z with 1 / (n - 3)."""
    x, y = sample["x"], sample["y"]
    if not np.ptp(x) or not np.ptp(y):
        return None
    r = float(np.corrcoef(x, y)[0, 1])
    if abs(r) >= 1 - 1e-9:
        return None
    half = 1.96 / np.sqrt(len(x) - 3)
    return float(np.tanh(np.arctanh(r) - half)), float(np.tanh(np.arctanh(r) + half))


def _exact(sample: Sample) -> Ends:
    """Clopper's and Pearson's, exact."""
    hits, n = int(sample["hits"].sum()), len(sample["hits"])
    low = stats.beta.ppf(0.025, hits, n - hits + 1) if hits else 0.0
    high = stats.beta.ppf(0.975, hits + 1, n - hits) if hits < n else 1.0
    return float(low), float(high)


def _t_difference(sample: Sample) -> Ends:
    """Student's t by item."""
    gap = sample["right"] - sample["left"]
    means = np.bincount(sample["item"], gap) / np.bincount(sample["item"])
    half = stats.t.isf(0.025, len(means) - 1) * means.std(ddof=1) / np.sqrt(len(means))
    return float(means.mean() - half), float(means.mean() + half)


KINDS = {
    "share": "share", "rows": "share of single rows", "means": "mean of two shares",
    "kappa": "kappa", "error": "calibration error", "correlation": "correlation",
    "difference": "difference of shares",
}  # fmt: skip
METHODS: dict[str, tuple[str, *tuple[Callable[[Sample], Ends], ...]]] = {
    **{
        kind: (name, _of(EARLIER, kind), _of(TODAY, kind), method)
        for kind, name, method in (
            ("share", "t, logit", _t_logit),
            ("means", "t, logit", _two_logit),
            ("kappa", "bootstrap", _bootstrap_kappa),
            ("error", "bootstrap", _bootstrap_error),
            ("correlation", "Fisher's z", _fisher),
        )
    },
    "rows": (
        "exact",
        lambda s: clustered_share(s["hits"], np.ones(len(s["hits"])), s["item"])[1],
        lambda s: share_of_rows(s["hits"], s["item"])[1],
        _exact,
    ),
    "difference": (
        "t",
        _t_difference,
        lambda s: paired_difference(s["left"], s["right"], s["item"])[1],
        _t_difference,
    ),
}

if __name__ == "__main__":
    main()
