"""How many calls show a changed evaluator: the table, gamma, and a watch, by simulation.

Prints the tables that drift.csv holds row by row. `make drift-study` runs it; it takes about
fifteen minutes.
"""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.random import Generator

sys.path.insert(0, str(Path(__file__).parents[1]))  # as pytest has it for the tests

from studies.evaluators import Odds, changed, coin, favourites, measure, shifted, table
from studies.watched import TABLES as WATCHED

from epc.audit import drift
from epc.audit.drift import Noise, compare_fresh, compare_reused
from epc.protocol.verdict import Verdict
from epc.spec.epc_v1 import DIRECTIONS
from epc.statistics.inference import ALPHA, critical, holm, pairs_needed, t_two_sided
from epc.statistics.intervals import mean, variance_of

SHARES = (0.05, 0.1, 0.2, 0.3)
PAIRS = 176
POINTS = 1.959963984540054 + 1.2815515655446004
ROUNDS_A_SEED = 120


def main() -> None:
    """Print every table."""
    began = time.monotonic()
    vars(drift)["SHUFFLES"] = 199  # a tenth of what the program makes: time is short
    for number, part in enumerate((needed, gammas, fresh, false, *WATCHED)):
        print(f"\n## {part.__doc__}\n")
        for line in part(np.random.default_rng(number)):
            print(line)
    print(f"\n{time.monotonic() - began:.0f} s")


def needed(_: Generator) -> Iterator[str]:
    """Pairs that the table test takes, power 90%, exact"""
    level = ALPHA / 2  # Bonferroni: one of two p-values
    yield "| verdicts changed | facts | 5% flip anyway | power of 176 pairs |"
    yield "|---|---|---|---|"
    for share in SHARES:
        first = critical(PAIRS, 0.05, level)
        hits = np.random.default_rng(0).binomial(PAIRS, share, 100_000)
        yield (
            f"| {share:.0%} | {pairs_needed(share, 0.0, error=level)} "
            f"| {pairs_needed(share, 0.05, error=level) or 'none'} "
            f"| {(hits >= first).mean():.0%} |"
        )


def gammas(rng: Generator) -> Iterator[str]:
    """What gamma takes to see the same change, power 90%, deterministic evaluators"""
    yield "| verdicts changed | change of gamma, median | seeds a run | comparisons a run, fresh |"
    yield "|---|---|---|---|"
    for share in SHARES:
        steps, seeds = [], []
        for _ in range(8):
            before = table(rng)
            runs = [measure(odds, 1000, rng) for odds in (before, changed(before, share, rng))]
            # The better direction of the two, as if it had been known beforehand.
            best = min(_seeds(*(run.gamma[d].tolist() for run in runs)) for d in DIRECTIONS)
            steps.append(best[1])
            seeds.append(best[0])
        middle = float(np.median(seeds))
        yield (
            f"| {share:.0%} | {np.median(steps):.3f} | {middle:,.0f} "
            f"| {middle * ROUNDS_A_SEED:,.0f} |"
        )


def _seeds(left: list[float], right: list[float]) -> tuple[float, float]:
    """Return the seeds that a difference of means takes, and the difference."""
    gap = abs(mean(left) - mean(right))
    return POINTS**2 * (variance_of(left) + variance_of(right)) / gap**2, gap


def fresh(rng: Generator) -> Iterator[str]:
    """Power of runs that asked every round afresh, 5% level"""
    cases: list[tuple[str, Odds, Callable[[Odds], Odds]]] = [
        ("coin flip, 6 points more A", coin(), lambda o: shifted(o, 0.06)),
        ("coin flip, 15 points more A", coin(), lambda o: shifted(o, 0.15)),
        ("favourites 0.95 / 0.1, 10% of pairs turned over", favourites(0.95, 0.1), _tenth(rng)),
        ("favourites 0.6 / 0.5, 10% of pairs turned over", favourites(0.6, 0.5), _tenth(rng)),
        ("fixed table, 10% of pairs turned over", table(rng), _tenth(rng)),
    ]
    yield "| evaluator and change | seeds | table | gamma, either direction |"
    yield "|---|---|---|---|"
    for name, before, change in cases:
        for seeds in (10, 30):
            found = [_told_apart(before, change(before), seeds, rng) for _ in range(40)]
            by_table, by_gamma = (np.mean([f[i] for f in found]) for i in (0, 1))
            yield f"| {name} | {seeds} | {by_table:.0%} | {by_gamma:.0%} |"


def _tenth(rng: Generator) -> Callable[[Odds], Odds]:
    return lambda odds: changed(odds, 0.1, rng)


def _told_apart(before: Odds, after: Odds, seeds: int, rng: Generator) -> tuple[bool, bool]:
    """Return whether the table and whether gamma tell two runs apart."""
    left, right = measure(before, seeds, rng), measure(after, seeds, rng)
    table_drift = compare_fresh(left.counts, right.counts, paired=False, rng=rng)
    p_values = {}
    for d in DIRECTIONS:
        before_d, after_d = (run.gamma[d].tolist() for run in (left, right))
        error = ((variance_of(before_d) + variance_of(after_d)) / seeds) ** 0.5
        p_values[d] = t_two_sided((mean(after_d) - mean(before_d)) / error, 2 * seeds - 2)
    return table_drift.verdict == "drifted", min(holm(p_values).values()) <= ALPHA


def false(rng: Generator) -> Iterator[str]:
    """How often nothing changed and drift is found, 5% level"""
    yield "| evaluator | compared | drifted | same |"
    yield "|---|---|---|---|"
    for name, recheck in (("5% flip, assumed", 0), ("5% flip, 60 rechecked", 60)):
        verdicts = [_reused(0.05, recheck, rng) for _ in range(3000)]
        yield _row(name, "reused, 176 pairs", verdicts)
    for name, odds in (
        ("coin flip", coin()),
        ("favourites 0.95 / 0.1", favourites(0.95, 0.1)),
        ("favourites 0.6 / 0.5", favourites(0.6, 0.5)),
    ):
        for seeds in (10, 30):
            verdicts = [
                compare_fresh(
                    measure(odds, seeds, rng).counts,
                    measure(odds, seeds, rng).counts,
                    paired=False,
                    rng=rng,
                ).verdict
                for _ in range(120)
            ]
            yield _row(name, f"fresh, {seeds} seeds", verdicts)


def _reused(flips: float, recheck: int, rng: Generator) -> str:
    left = rng.random(PAIRS) < 0.5
    right = left ^ (rng.random(PAIRS) < flips)
    verdicts = [[Verdict.A if a else Verdict.B for a in side] for side in (left, right)]
    noise = Noise(asked=recheck, flips=int(rng.binomial(recheck, flips)))
    return compare_reused(verdicts[0], verdicts[1], noise=noise).verdict


def _row(name: str, compared: str, found: Sequence[str]) -> str:
    return f"| {name} | {compared} | {_share(found, 'drifted')} | {_share(found, 'same')} |"


def _share(found: Sequence[str], verdict: str) -> str:
    return f"{found.count(verdict) / len(found):.1%}"


if __name__ == "__main__":
    main()
