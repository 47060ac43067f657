"""Reading R46: a test that may be run every day."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epc.statistics.e_process import TOLERATED, drift_capital, quiet_capital, watch

SHARES = st.lists(st.floats(0, 1), min_size=1, max_size=60)


def mean_of(steps: list[tuple[float, float]], days: int, share_of: str) -> float:
    """Return the mean capital over every path of a game: (share, probability) a day."""
    total = 0.0
    for path in product(steps, repeat=days):
        shares = [share for share, _ in path]
        probability = float(np.prod([p for _, p in path]))
        capitals = drift_capital(shares, 0.1) if share_of == "drift" else quiet_capital(shares, 0.2)
        total += probability * capitals[-1]
    return total


@pytest.mark.parametrize("days", [1, 2, 5])
def test_reading_r46_on_average_nobody_wins_at_the_tolerated_share(days: int) -> None:
    # One of ten answers otherwise on average: all ten on a day in ten, or one every day, or ...
    for steps in (
        [(1.0, 0.1), (0.0, 0.9)],
        [(0.1, 1.0)],
        [(0.5, 0.15), (0.25, 0.1), (0.0, 0.75)],
    ):
        assert sum(share * p for share, p in steps) == pytest.approx(0.1)
        assert mean_of(steps, days, "drift") == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("days", [1, 2, 5])
def test_reading_r46_below_the_tolerated_share_betting_on_drift_loses(days: int) -> None:
    assert mean_of([(0.5, 0.1), (0.0, 0.9)], days, "drift") < 1


@pytest.mark.parametrize("days", [1, 2, 5])
def test_reading_r46_on_average_nobody_wins_by_betting_on_quiet_at_the_ceiling(days: int) -> None:
    assert mean_of([(1.0, 0.2), (0.0, 0.8)], days, "quiet") == pytest.approx(1, abs=1e-12)


def test_reading_r46_it_stays_fair_when_a_day_depends_on_the_days_before() -> None:
    """A wily provider: a day that follows flips has all pairs flipped, but only one in ten does."""
    after = {0.2: [(1.0, 0.1), (0.0, 0.9)], 0.0: [(0.2, 0.5), (0.0, 0.5)]}

    total = sum(
        0.5 * chance * drift_capital([first, second], 0.1)[-1]
        for first, seconds in after.items()
        for second, chance in seconds
    )
    assert total == pytest.approx(1, abs=1e-12)


def test_reading_r46_two_days_by_hand() -> None:
    # Day 1: half is in play; a share of 0.3 is 3 times 0.1, so a bet b returns 1 + 2 b.
    bets = [Fraction(n, 100) for n in (5, 10, 20, 40, 60, 90)]
    after = [Fraction(1, 2) * (1 + 2 * b) for b in bets]
    assert drift_capital([0.3], 0.1) == pytest.approx([float(sum(after) / 6 + Fraction(1, 2))])
    # Day 2: a sixth joins; a share of 0 loses the bet. A third is still kept back.
    then = [(stake + Fraction(1, 6)) * (1 - b) for stake, b in zip(after, bets, strict=True)]
    assert drift_capital([0.3, 0.0], 0.1)[1] == pytest.approx(float(sum(then) / 6 + Fraction(1, 3)))


@given(SHARES, st.floats(0.01, 0.5))
def test_reading_r46_a_capital_is_never_negative_and_its_reserve_never_gone(
    shares: list[float], tolerated: float
) -> None:
    capitals = drift_capital(shares, tolerated)

    assert len(capitals) == len(shares)
    assert all(capital > 1 / (day + 2) for day, capital in enumerate(capitals))
    assert all(capital >= 0 for capital in quiet_capital(shares, min(0.9, 2 * tolerated)))


@given(SHARES)
def test_reading_r46_an_alarm_is_never_taken_back(shares: list[float]) -> None:
    states = [watch(shares[:days], tolerated=TOLERATED).state for days in range(len(shares) + 1)]

    assert states[0] == "cannot_tell"
    if "drifted" in states:
        assert set(states[states.index("drifted") :]) == {"drifted"}


@pytest.mark.slow
def test_reading_r46_at_most_one_year_in_twenty_gives_a_false_alarm() -> None:
    """1,000 years of daily watching, at the very share that is tolerated."""
    rng = np.random.default_rng(46)
    for years in (
        rng.binomial(24, 0.1, (1000, 365)) / 24,  # pairs that flip each for itself
        np.where(rng.random((1000, 365)) < 0.1, 1.0, 0.0),  # all pairs together, on bad days
    ):
        alarms = sum(watch(year.tolist(), tolerated=0.1).alarm is not None for year in years)
        # 5% of 1,000, and three standard errors of such a count.
        assert alarms <= 50 + 3 * (1000 * 0.05 * 0.95) ** 0.5


def test_reading_r46_a_changed_evaluator_is_found_within_days_early_and_late() -> None:
    quiet, changed = [1 / 24] * 200, [12 / 24] * 30

    early, late = watch(changed, tolerated=0.1), watch(quiet + changed, tolerated=0.1)

    assert early.alarm is not None
    assert early.alarm < 7
    assert late.alarm is not None
    assert 200 <= late.alarm < 214


def test_reading_r46_quiet_takes_evidence_too() -> None:
    states = [watch([0.0] * days, tolerated=0.1).state for days in range(60)]

    # Betting on quiet gains at most a quarter a day, so twenty-fold takes at least 14 days.
    assert set(states[:14]) == {"cannot_tell"}
    assert states[-1] == "holds"
    assert "drifted" not in states
