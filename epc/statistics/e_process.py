"""Test of whether an evaluator still answers as it did, day by day.

A gambler starts with a capital of 1 and bets, each day, that more of the panel will answer
otherwise than is tolerated. While the evaluator is as it was, no way of betting makes money on
average, so the capital is an e-process: by Ville's inequality the chance that it *ever* reaches
1 / error is at most `error`, however often one looks and whenever one stops.

That an evaluator holds is about the recent past, and quiet days of long ago are no evidence of it.
So a second gambler bets on quiet, begins anew on every day, and counts for no more than the
poorest of these beginnings: of the first day and of each that is `WINDOW` days old or older.
Suppose a drift to `CEILING` or more began on some day and lasts. Betting on quiet
since that very day makes no money on average, and from the drift's `WINDOW`-th day on it is among
these beginnings. So the chance that `holds` is *ever* said from then on is at most `error`,
whenever the drift began. Of a younger drift nothing is promised. There `holds` goes as the capital
falls, and at once after a week in which more than the tolerated share changed (Reading R46).

A day counts as one number between 0 and 1, the share of the panel that answers otherwise. Nothing
is assumed of how the pairs within a day depend on each other, or of its distribution: only that,
whatever happened before, its expectation is at most the share that is tolerated (without drift), or
at least `CEILING` (in a drift).

Sources: I. Waudby-Smith and A. Ramdas, J. R. Stat. Soc. B 86 (2024), 1-27 (betting on a bounded
mean); J. Ville (1939); J. Shin, A. Ramdas and A. Rinaldo, New England J. Stat. Data Sci. 2 (2024),
229-260, arXiv 2203.03532 (an e-process begun on every day); S. Shekhar and A. Ramdas, ICML 2024,
arXiv 2309.09111 (that all of them must agree).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import exp, fsum, log1p
from typing import Final, Literal

from epc.statistics.intervals import mean

State = Literal["holds", "drifted", "cannot_tell"]

WATCH_ERROR: Final = 0.05
CEILING: Final = 0.2  # Reading R46: or twice what is tolerated, if that is more
# Shares of the largest bet that can never lose everything; the capital is spread over all of them.
_BETS: Final = (0.05, 0.1, 0.2, 0.4, 0.6, 0.9)
# Reading R46: three whole weeks, so that weekdays weigh alike. Twenty-fold within a ceiling of 0.2
# takes 14 days without any change; 21 leave room for an evaluator that flips one answer in twenty.
WINDOW: Final = 21
RECENT: Final = 7
# Nearly the largest bet: the window leaves no time for small ones, and all would not survive a day
# on which everything changed.
_QUIET_BET: Final = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Bets:
    """State of the bets after some days.

    `capital` is what betting on drift has come to, `peak` the most it ever was; `quiet` is what
    betting on quiet has come to since the day that is worst for it. `holds` speaks against a drift
    to `ceiling` or more; `recent` is the share that answered otherwise in the last week. `alarm` is
    the index of the day on which it was drift, `last_held_day` of the last on which it held.
    """

    state: State
    capital: float
    peak: float
    quiet: float
    ceiling: float
    recent: float | None
    alarm: int | None
    last_held_day: int | None


def watch(shares: Sequence[float], *, tolerated: float) -> Bets:
    """Return what the shares of all days so far come to.

    Drift once found stays found: a capital that falls again does not take an alarm back. `holds`
    is said of today: it is taken back as soon as the recent past no longer supports it.

    Shapes: any number of days; each share 0 to 1. `tolerated` is above 0 and below a half.
    Source: Reading R46.
    """
    capitals = drift_capital(shares, tolerated)
    ceiling = max(CEILING, 2 * tolerated)
    calm = quiet_capital(shares, ceiling)
    weeks = [mean(shares[max(0, day - RECENT) : day]) for day in range(1, len(shares) + 1)]
    alarm = next((day for day, capital in enumerate(capitals) if capital >= 1 / WATCH_ERROR), None)
    before = len(shares) if alarm is None else alarm
    quiet_days = [d for d in range(before) if calm[d] >= 1 / WATCH_ERROR and weeks[d] <= tolerated]
    state: State = "cannot_tell"
    if alarm is not None:
        state = "drifted"
    elif quiet_days and quiet_days[-1] == len(shares) - 1:
        state = "holds"
    return Bets(
        state=state,
        capital=capitals[-1] if capitals else 1.0,
        peak=max(capitals, default=1.0),
        quiet=calm[-1] if calm else 1.0,
        ceiling=ceiling,
        recent=weeks[-1] if weeks else None,
        alarm=alarm,
        last_held_day=quiet_days[-1] if quiet_days else None,
    )


def drift_capital(shares: Sequence[float], tolerated: float) -> list[float]:
    """Return, day by day, the capital of betting that more than `tolerated` answers otherwise.

    Most drifts begin late, and money that was bet on quiet days is gone by then. So of the capital
    1 / (k (k + 1)) is kept back until day k, for every k: what is not yet in play after t days is
    1 / (t + 1). A mixture of fair games is a fair game.
    """
    stakes, capitals = [0.0] * len(_BETS), []
    for day, share in enumerate(shares, 1):
        fresh = 1 / (day * (day + 1))
        gains = (1 + bet * (share / tolerated - 1) for bet in _BETS)
        stakes = [(stake + fresh) * gain for stake, gain in zip(stakes, gains, strict=True)]
        capitals.append(fsum(stakes) / len(stakes) + 1 / (day + 1))
    return capitals


def quiet_capital(shares: Sequence[float], ceiling: float) -> list[float]:
    """Return, day by day, the least that betting on less than `ceiling` has come to.

    The least over all days on which the betting may have begun with a capital of 1: the first day
    and every one that is at least `WINDOW` days old, today included. That is the worth of betting
    from the first day on, divided by the most it was before one of these days.
    """
    gains = (log1p(_QUIET_BET * (ceiling - share) / (1 - ceiling)) for share in shares)
    worth = list(accumulate(gains, initial=0.0))
    highest = list(accumulate(worth, max))
    return [exp(worth[day] - highest[max(0, day - WINDOW)]) for day in range(1, len(worth))]
