"""How a watch does over its days: false alarms, power and delays, and when it stops saying `holds`.

The evaluators are made here, apart from the program, and their first answers are frozen: a day is
compared with what the first day answered, flips included. Only the rule is the program's: what is
tolerated, and the bets. `drift.py` prints the tables.

Flips are counted as `--recheck` counts them: the share of pairs that differ when they are asked
twice. Three kinds of evaluators have the same flips: all pairs flip alike; `restless` pairs are
tossed like coins and the others never flip; and pairs are of all sorts in between.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from epc.analysis.drift_watch import tolerated
from epc.statistics.e_process import watch
from epc.statistics.intervals import share_interval

Array = NDArray[np.float64]

RUNS, YEAR, QUIET_DAYS = 2000, 365, 200
CANDIDATES, PAIRS = 60, 24
KINDS = ("alike", "restless", "all sorts")
FLIPS = (0.0, 0.025, 0.05, 0.075, 0.1, 0.2, 0.3)
SORTS = 0.5  # the first parameter of the beta distribution that twice a pair's chance follows
AGES = (3, 5, 7, 10, 14, 21)
Watches = list[tuple[list[float], float]]  # the shares of all days, and what is tolerated


def chances(kind: str, flips: float, shape: tuple[int, int], rng: Generator) -> Array:
    """Return by how much each pair departs from its usual answer; two askings differ as `flips`."""
    if kind == "alike":
        return np.full(shape, (1 - (1 - 2 * flips) ** 0.5) / 2)
    if kind == "restless":
        return np.where(rng.random(shape) < 2 * flips, 0.5, 0.0)
    return rng.beta(SORTS, _second(flips), shape) / 2 if flips else np.zeros(shape)


def _second(flips: float) -> float:
    """Return the second parameter: of a chance c/2 two askings differ with probability c - c²/2."""
    low, high = 1e-3, 1e4
    for _ in range(100):
        middle = (low * high) ** 0.5
        share = SORTS / (SORTS + middle)
        square = share * (SORTS + 1) / (SORTS + middle + 1)
        low, high = (middle, high) if share - square / 2 > flips else (low, middle)
    return low


def watches(
    kind: str,
    flips: float,
    rng: Generator,
    *,
    runs: int = RUNS,
    days: int = YEAR,
    changed: float = 0.0,
    quiet: int = 0,
    candidates: int = CANDIDATES,
    pairs: int = PAIRS,
) -> Watches:
    """Return watches whose evaluator turns over a share of its pairs, for good, after quiet days.

    A watch whose candidates were never unanimous is left out: it asks nothing.
    """
    chance = chances(kind, flips, (runs, candidates), rng)
    askings = rng.random((3, runs, candidates)) < chance
    first, alike = askings[0], (askings == askings[0]).all(axis=0)
    a, b, c = askings
    differ = ((a ^ b).mean(axis=1) + (a ^ c).mean(axis=1) + (b ^ c).mean(axis=1)) / 3
    turned = rng.random((runs, candidates)) < changed
    watches: Watches = []
    for run in range(runs):
        panel = np.flatnonzero(alike[run])[:pairs]
        if not len(panel):
            continue
        answers = rng.random((days, len(panel))) < chance[run, panel]
        answers[quiet:] ^= turned[run, panel]
        shares = (answers != first[run, panel]).mean(axis=1).tolist()
        watches.append((shares, tolerated(float(differ[run]), len(panel))))
    return watches


def false_alarms(rng: Generator) -> Iterator[str]:
    """False alarms of unchanged evaluators within 365 days, 2,000 watches each"""
    yield f"| two askings differ | {' | '.join(f'{kind} | 95% interval' for kind in KINDS)} |"
    yield f"|---|{'---|---|' * len(KINDS)}"
    for flips in FLIPS:
        cells = [_counted(_alarms(watches(kind, flips, rng))) for kind in KINDS]
        yield f"| {flips:.1%} | {' | '.join(cells)} |"


def small_panels(rng: Generator) -> Iterator[str]:
    """The same of 1,000 watches each, where the run has few pairs, or few were answered alike"""
    yield f"| candidates | pairs, at most | two askings differ | {' | '.join(KINDS)} |"
    yield f"|---|---|---|{'---|' * len(KINDS)}"
    for candidates, pairs in ((5, 24), (10, 24), (20, 24), (30, 24), (60, 6), (60, 12)):
        for flips in (0.1, 0.2):
            size = {"runs": 1000, "candidates": candidates, "pairs": pairs}
            cells = [f"{np.mean(_alarms(watches(k, flips, rng, **size))):.1%}" for k in KINDS]
            yield f"| {candidates} | {pairs} | {flips:.0%} | {' | '.join(cells)} |"


def delays(rng: Generator) -> Iterator[str]:
    """How many of 1,000 drifts are found within 165 days, and the median day of those found"""
    yield "| two askings differ | changed | from day 1 | median | after 200 quiet days | median |"
    yield "|---|---|---|---|---|---|"
    for flips in (0.0, 0.025, 0.05, 0.1):
        for changed in (0.1, 0.2, 0.3):
            cells = []
            for quiet in (0, QUIET_DAYS):
                new_watches = watches(
                    "alike",
                    flips,
                    rng,
                    runs=1000,
                    days=quiet + 165,
                    changed=changed,
                    quiet=quiet,
                )
                found = [day - quiet + 1 for day in _alarm_days(new_watches) if day is not None]
                cells.append(f"{len(found) / len(new_watches):.0%} | {np.median(found):.0f}")
            yield f"| {flips:.1%} | {changed:.0%} | {' | '.join(cells)} |"


def holding(rng: Generator) -> Iterator[str]:
    """How many of 500 watches say `holds` so many days into a drift, after 200 quiet days"""
    yield f"| two askings differ | changed | before | {' | '.join(f'day {a}' for a in AGES)} |"
    yield f"|---|---|---|{'---|' * len(AGES)}"
    for flips in (0.0, 0.05):
        for changed in (0.1, 0.2, 0.3):
            new_watches = watches(
                "alike",
                flips,
                rng,
                runs=500,
                days=QUIET_DAYS + 21,
                changed=changed,
                quiet=QUIET_DAYS,
            )
            cells = [
                np.mean(
                    [_state(shares[: QUIET_DAYS + age], allowed) for shares, allowed in new_watches]
                )
                for age in (0, *AGES)
            ]
            yield f"| {flips:.0%} | {changed:.0%} | {' | '.join(f'{c:.0%}' for c in cells)} |"


def steady(rng: Generator) -> Iterator[str]:
    """How many of 300 unchanged watches say `holds` on a day"""
    days = (14, 15, 21, 60, 200)
    yield f"| two askings differ | evaluator | {' | '.join(f'day {day}' for day in days)} |"
    yield f"|---|---|{'---|' * len(days)}"
    for flips in (0.0, 0.05, 0.1):
        for kind in KINDS[: 3 if flips else 1]:
            new_watches = watches(kind, flips, rng, runs=300, days=max(days))
            cells = [
                f"{np.mean([_state(shares[:day], allowed) for shares, allowed in new_watches]):.0%}"
                for day in days
            ]
            yield f"| {flips:.0%} | {kind} | {' | '.join(cells)} |"


def _alarm_days(made: Watches) -> list[int | None]:
    return [watch(shares, tolerated=allowed).alarm for shares, allowed in made]


def _alarms(made: Watches) -> list[bool]:
    return [day is not None for day in _alarm_days(made)]


def _state(shares: Sequence[float], allowed: float) -> bool:
    return watch(shares, tolerated=allowed).state == "holds"


def _counted(found: Sequence[bool]) -> str:
    interval = share_interval(sum(found), len(found))
    assert interval is not None
    low, high = interval
    return f"{sum(found) / len(found):.1%} | {low:.1%} to {high:.1%}"


TABLES = (false_alarms, small_panels, delays, holding, steady)
