"""Watching an evaluator day by day with a test that may be looked at every day.

A gambler starts with a capital of 1 and bets, each day, that more of the panel will answer
otherwise than is tolerated. While the evaluator is as it was, no way of betting makes money on
average, so the capital is an e-process: by Ville's inequality the chance that it *ever* reaches
1 / error is at most `error`, however often one looks and whenever one stops. A second gambler
bets on quiet, and what that one wins is evidence that the evaluator holds (Reading R46).

A day counts as one number between 0 and 1, the share of the panel that answers otherwise. Nothing
is assumed of how the pairs within a day depend on each other, or of its distribution: only that,
whatever happened before, its expectation is at most the share that is tolerated.

Sources: I. Waudby-Smith and A. Ramdas, J. R. Stat. Soc. B 86 (2024), 1-27 (betting on a bounded
mean); J. Ville (1939); J. Shin, A. Ramdas and A. Rinaldo, arXiv 2203.03532 (later beginnings).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import Final, Literal

State = Literal["holds", "drifted", "cannot_tell"]

TOLERATED: Final = 0.1  # Reading R46: a tenth of the panel may answer otherwise
WATCH_ERROR: Final = 0.05
# Shares of the largest bet that can never lose everything; the capital is spread over all of them.
_BETS: Final = (0.05, 0.1, 0.2, 0.4, 0.6, 0.9)


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """Where the bets stand after some days.

    `capital` is what betting on drift has come to, `peak` the most it ever was, `quiet` what
    betting on quiet has come to; `alarm` is the index of the day on which it was drift.
    """

    state: State
    capital: float
    peak: float
    quiet: float
    alarm: int | None


def watch(shares: Sequence[float], *, tolerated: float, error: float = WATCH_ERROR) -> Watched:
    """Return what the shares of all days so far come to.

    Drift once found stays found: a capital that falls again does not take an alarm back.

    Shapes: any number of days; each share 0 to 1. `tolerated` is above 0 and at most a half.
    Source: Reading R46.
    """
    capitals = drift_capital(shares, tolerated)
    calm = quiet_capital(shares, 2 * tolerated)
    alarm = next((day for day, capital in enumerate(capitals) if capital >= 1 / error), None)
    state: State = "cannot_tell"
    if alarm is not None:
        state = "drifted"
    elif calm and calm[-1] >= 1 / error:
        state = "holds"
    return Watched(
        state=state,
        capital=capitals[-1] if capitals else 1.0,
        peak=max(capitals, default=1.0),
        quiet=calm[-1] if calm else 1.0,
        alarm=alarm,
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
    """Return, day by day, the capital of betting that less than `ceiling` answers otherwise."""
    stakes, capitals = [1.0] * len(_BETS), []
    for share in shares:
        gains = (1 + bet * (ceiling - share) / (1 - ceiling) for bet in _BETS)
        stakes = [stake * gain for stake, gain in zip(stakes, gains, strict=True)]
        capitals.append(fsum(stakes) / len(stakes))
    return capitals
