"""How a watch does over its days: false alarms, delays, and when it stops saying `holds`.

The evaluators here are made apart from the program: each is a way to draw, for many watches at
once, what share of a panel of 24 pairs changes on each day. `drift.py` prints the tables.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from epc.statistics.e_process import WINDOW, watch
from epc.statistics.intervals import share_interval

Array = NDArray[np.float64]
# (the mean share that changes, (watches, days)) to what changed
Days = Callable[[float, tuple[int, int], Generator], Array]

PAIRS = 24
YEAR = 365
TOLERATED, CEILING = 0.1, 0.2
QUIET_DAYS, QUIET = 200, 0.02
SIZES = (0.12, 0.15, 0.2, 0.3, 0.5, 1.0)
AGES = (3, 5, 7, 10, 14, 21)


def apart(share: float, shape: tuple[int, int], rng: Generator) -> Array:
    """Each pair for itself."""
    return rng.binomial(PAIRS, share, shape) / PAIRS


def together(share: float, shape: tuple[int, int], rng: Generator) -> Array:
    """All pairs of a day together, or none."""
    return np.where(rng.random(shape) < share, 1.0, 0.0)


def uneven(share: float, shape: tuple[int, int], rng: Generator) -> Array:
    """Good days and bad: each has its own rate, drawn from a beta distribution."""
    return rng.binomial(PAIRS, _rates(share, shape, rng)) / PAIRS


def restless(share: float, shape: tuple[int, int], rng: Generator) -> Array:
    """A few pairs that are tossed like coins, the others fixed."""
    chances = np.clip(share * PAIRS - 0.5 * np.arange(PAIRS), 0, 0.5)
    return sum((rng.random(shape) < chance for chance in chances), np.zeros(shape)) / PAIRS


def storms(share: float, shape: tuple[int, int], rng: Generator) -> Array:
    """Spells of about ten days on which all pairs change together, between calm ones; one mean."""
    stormy = _sticky(rng.random(shape), 0.9, rng) < 0.5
    return np.where(stormy, together(share, shape, rng), apart(share, shape, rng))


def wandering(share: float, shape: tuple[int, int], rng: Generator) -> Array:
    """A rate that stays for days and is never above the share: autocorrelated, and within it."""
    return rng.binomial(PAIRS, _sticky(rng.uniform(0, share, shape), 0.9, rng)) / PAIRS


def weekends(share: float, shape: tuple[int, int], rng: Generator) -> Array:
    """Twice the share at weekends, three fifths of it on the other days."""
    rates = np.where(np.arange(shape[1]) % 7 < 5, 0.6, 2) * share
    return rng.binomial(PAIRS, rates, shape) / PAIRS


def sticky(share: float, shape: tuple[int, int], rng: Generator) -> Array:
    """A day keeps the rate of the day before in half of all cases."""
    return rng.binomial(PAIRS, _sticky(_rates(share, shape, rng), 0.5, rng)) / PAIRS


def spells(share: float, shape: tuple[int, int], rng: Generator) -> Array:
    """As before, but a rate stays for five days on average."""
    return rng.binomial(PAIRS, _sticky(_rates(share, shape, rng), 0.8, rng)) / PAIRS


# Whatever happened before, a day's expected share is the one that is named, or below it.
WITHIN: dict[str, Days] = {
    "each pair for itself": apart,
    "all pairs together": together,
    "good days and bad": uneven,
    "a few restless pairs": restless,
    "storms and calm": storms,
    "a rate that wanders below it": wandering,
}
# Only the long-run mean is the one that is named: nothing is promised.
BEYOND: dict[str, Days] = {
    "weekends": weekends,
    "bad days that last, 2 on average": sticky,
    "bad days that last, 5 on average": spells,
}


def _rates(share: float, shape: tuple[int, int], rng: Generator) -> Array:
    return rng.beta(5 * share, 5 * (1 - share), shape) if share < 1 else np.ones(shape)


def _sticky(drawn: Array, kept: float, rng: Generator) -> Array:
    """Return the same with each day that of the day before it, as often as `kept` says."""
    stays = rng.random(drawn.shape) < kept
    for day in range(1, drawn.shape[1]):
        drawn[:, day] = np.where(stays[:, day], drawn[:, day - 1], drawn[:, day])
    return drawn


def alarms(rng: Generator) -> Iterator[str]:
    """False alarms in 2,000 watches of a year, 24 pairs, 10% tolerated"""
    yield "| days | 10% change | 95% interval | 5% change | 95% interval |"
    yield "|---|---|---|---|---|"
    for name, days in (WITHIN | BEYOND).items():
        cells = []
        for share in (TOLERATED, TOLERATED / 2):
            years = days(share, (2000, YEAR), rng)
            cells.append(_counted([_alarm(year) is not None for year in years]))
        yield f"| {name} | {' | '.join(cells)} |"


def delays(rng: Generator) -> Iterator[str]:
    """Day of the alarm, median and 90th percentile of 300 watches; 2% change before"""
    kinds = ("each pair for itself", "good days and bad")
    heads = [f"{kind}, from day 1 | after {QUIET_DAYS} quiet days" for kind in kinds]
    yield f"| changed to | {' | '.join(heads)} |"
    yield "|---|---|---|---|---|"
    for share in SIZES[1:]:
        cells = []
        for kind in kinds:
            for quiet in (0, QUIET_DAYS):
                found = [_alarm(days) for days in drifts(WITHIN[kind], share, 300, quiet, rng)]
                waits = [np.inf if day is None else day - quiet + 1 for day in found]
                middle, late = np.quantile(waits, (0.5, 0.9), method="lower")
                cells.append(f"{middle:.0f} ({late:.0f})".replace("inf", "over 200"))
        yield f"| {share:.0%} | {' | '.join(cells)} |"


def holding(rng: Generator) -> Iterator[str]:
    """How many of 300 watches say `holds` so many days into a drift, after 200 quiet days"""
    yield f"| days | changed to | before, day 10 | {' | '.join(f'day {age}' for age in AGES)} |"
    yield f"|---|---|---|{'---|' * len(AGES)}"
    for kind in ("each pair for itself", "good days and bad", "all pairs together"):
        for share in SIZES[:-1]:
            watches = drifts(WITHIN[kind], share, 300, QUIET_DAYS, rng)
            cells = [
                np.mean(
                    [
                        watch(days[: QUIET_DAYS + age], tolerated=TOLERATED).state == "holds"
                        for days in watches
                    ]
                )
                for age in AGES
            ]
            old = np.mean([held_by_its_lifetime(days[: QUIET_DAYS + 10]) for days in watches])
            yield f"| {kind} | {share:.0%} | {old:.0%} | {' | '.join(f'{c:.0%}' for c in cells)} |"


def wrong(rng: Generator) -> Iterator[str]:
    """How many of 1,000 watches ever say `holds` from the 21st day to the end of a year's drift"""
    yield "| days | changed to 20% | 95% interval | changed to 30% | 95% interval |"
    yield "|---|---|---|---|---|"
    for name, days in (WITHIN | BEYOND).items():
        if days is wandering:
            continue  # it stays below the share that is named
        cells = []
        for share in (CEILING, 0.3):
            watches = drifts(days, share, 1000, QUIET_DAYS, rng, lasting=YEAR)
            cells.append(_counted([held_late(shares) for shares in watches]))
        yield f"| {name} | {' | '.join(cells)} |"


def steady(rng: Generator) -> Iterator[str]:
    """When `holds` is first said, and how many of 300 watches say it on day 200"""
    kinds = ("each pair for itself", "good days and bad")
    yield f"| change | {' | '.join(f'{kind}, first | day 200' for kind in kinds)} |"
    yield "|---|---|---|---|---|"
    for share in (0.0, 0.02, 0.05, 0.07, 0.1):
        cells = []
        for kind in kinds:
            days = WITHIN[kind] if share else apart
            watches = days(share, (300, QUIET_DAYS), rng).tolist()
            firsts = [_first(shares) for shares in watches[:60]]
            said = [watch(shares, tolerated=TOLERATED).state == "holds" for shares in watches]
            first = float(np.median(firsts))
            cells += [f"day {first:.0f}" if first < QUIET_DAYS else "-", f"{np.mean(said):.0%}"]
        yield f"| {share:.0%} | {' | '.join(cells)} |"


def drifts(
    days: Days, share: float, watches: int, quiet: int, rng: Generator, *, lasting: int = 200
) -> list[list[float]]:
    """Return watches whose evaluator changes after so many quiet days."""
    before = apart(QUIET, (watches, quiet), rng)
    return np.hstack([before, days(share, (watches, lasting), rng)]).tolist()  # type: ignore[no-any-return]  # numpy types lists as Any


def held_late(shares: Sequence[float]) -> bool:
    """Return whether `holds` was said when a drift after the quiet days was a window old."""
    held = watch(shares, tolerated=TOLERATED).held
    return held is not None and held >= QUIET_DAYS + WINDOW - 1


def held_by_its_lifetime(shares: Sequence[float]) -> bool:
    """Return whether the rule of before said `holds`: one bet on quiet, over all days."""
    bets = np.array([0.05, 0.1, 0.2, 0.4, 0.6, 0.9])[:, None]
    gains = 1 + bets * (CEILING - np.asarray(shares)) / (1 - CEILING)
    quiet = float(np.prod(gains, axis=1).mean()) >= 20
    return quiet and _alarm(shares) is None


def _alarm(shares: Sequence[float] | Array) -> int | None:
    return watch(list(shares), tolerated=TOLERATED).alarm


def _first(shares: Sequence[float]) -> int:
    """Return on which day `holds` is first said."""
    for day in range(1, len(shares) + 1):
        if watch(shares[:day], tolerated=TOLERATED).state == "holds":
            return day
    return len(shares)


def _counted(found: Sequence[bool]) -> str:
    interval = share_interval(sum(found), len(found))
    assert interval is not None
    low, high = interval
    return f"{sum(found) / len(found):.1%} | {low:.1%} to {high:.1%}"


TABLES = (alarms, delays, holding, wrong, steady)
