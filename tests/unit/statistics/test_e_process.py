"""Reading R46: a test that may be run every day."""

from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from epc.statistics.e_process import drift_capital, quiet_capital, watch

QUIET_DAYS = 200
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
def test_reading_r46_on_average_nobody_wins_at_the_tolerated_share_nor_at_the_ceiling(
    days: int,
) -> None:
    # One of ten answers otherwise on average: all ten on a day in ten, or one every day, or ...
    for steps in (
        [(1.0, 0.1), (0.0, 0.9)],
        [(0.1, 1.0)],
        [(0.5, 0.15), (0.25, 0.1), (0.0, 0.75)],
    ):
        assert sum(share * p for share, p in steps) == pytest.approx(0.1)
        assert mean_of(steps, days, "drift") == pytest.approx(1, abs=1e-12)
    assert mean_of([(0.5, 0.1), (0.0, 0.9)], days, "drift") < 1  # below it the bet loses
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
    states = [watch(shares[:days], tolerated=0.1).state for days in range(len(shares) + 1)]

    assert states[0] == "cannot_tell"
    if "drifted" in states:
        assert set(states[states.index("drifted") :]) == {"drifted"}


def days_of(kind: str, share: float, shape: tuple[int, int]) -> NDArray[np.float64]:
    """Return what share of 24 pairs changed, watch by watch and day by day, `share` on average."""
    rng = np.random.default_rng(46)
    rates = np.full(shape, share)
    if kind == "all pairs together":
        return (rng.random(shape) < share).astype(np.float64)
    if kind == "good days and bad":
        rates = rng.beta(5 * share, 5 * (1 - share), shape)
    return rng.binomial(24, rates) / 24


KINDS = ("each pair for itself", "all pairs together", "good days and bad")


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_reading_r46_at_most_one_year_in_twenty_gives_a_false_alarm(kind: str) -> None:
    """400 years of daily watching, at the very share that is tolerated, whatever the days do."""
    years = days_of(kind, 0.1, (400, 365)).tolist()

    alarms = sum(watch(year, tolerated=0.1).alarm is not None for year in years)

    # 5% of 400, and three standard errors of such a count.
    assert alarms <= 20 + 3 * (400 * 0.05 * 0.95) ** 0.5


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
    assert set(states[15:]) == {"holds"}


# --- what `holds` looks at

QUIET_DAY = 1 + 0.95 * (0.2 - 0) / (1 - 0.2)  # 1.2375


def test_reading_r46_quiet_by_hand() -> None:
    # No change gains 0.95 x 0.2 / 0.8, three in ten lose 0.95 x 0.1 / 0.8, all lose 0.95.
    assert quiet_capital([0.0, 0.3], 0.2) == pytest.approx([1.2375, 1.2375 * 0.88125])
    assert quiet_capital([1.0], 0.2) == pytest.approx([0.05])
    # On day 21 the first day is 21 days old; on day 22 the second is, and the first has been left.
    figures = quiet_capital([0.0] * 25, 0.2)
    assert figures[20] == pytest.approx(QUIET_DAY**21)
    assert figures[21:] == pytest.approx([QUIET_DAY**21] * 4)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=80), st.floats(0.02, 0.9))
def test_reading_r46_betting_on_quiet_counts_for_its_poorest_beginning(
    shares: list[float], ceiling: float
) -> None:
    gains = [1 + 0.95 * (ceiling - share) / (1 - ceiling) for share in shares]
    for day, capital in enumerate(quiet_capital(shares, ceiling)):
        begun = [0, *range(day - 20 + 1)]  # the first day, and each that is 21 days old or older
        assert capital == pytest.approx(min(prod(gains[start : day + 1]) for start in begun))


@given(st.integers(21, 300), st.lists(st.floats(0, 1), max_size=15))
def test_reading_r46_quiet_days_of_long_ago_count_for_nothing(
    quiet: int, recent: list[float]
) -> None:
    three_weeks, longer = ([0.0] * days + recent for days in (21, quiet))

    assert quiet_capital(longer, 0.2)[-1] == pytest.approx(quiet_capital(three_weeks, 0.2)[-1])


def test_reading_r46_a_week_above_what_is_tolerated_ends_holding_at_once() -> None:
    quiet = [0.0] * 40
    states = [watch(quiet + [0.12] * days, tolerated=0.1).state for days in range(8)]

    # Six days of 0.12 and one without a change are 0.103 a day.
    assert states == [*["holds"] * 6, "cannot_tell", "cannot_tell"]
    bets = watch(quiet + [0.12] * 7, tolerated=0.1)
    assert bets.quiet > 20
    assert bets.recent == pytest.approx(0.12)
    assert bets.last_held_day == 44  # the fifth day of the drift


def test_reading_r46_a_day_on_which_all_changed_is_outlived() -> None:
    bets = [watch([0.0] * 30 + [1.0] + [0.0] * more, tolerated=0.1) for more in range(40)]

    # 0.05 x 1.2375 to the 29th is 24; on the day before it is 19.4.
    states = [outcome.state for outcome in bets]
    assert states == ["cannot_tell"] * 29 + ["holds"] * 11
    assert {outcome.last_held_day for outcome in bets[:29]} == {29}


def test_reading_r46_after_an_alarm_nothing_holds() -> None:
    bets = watch([0.0] * 30 + [1.0] * 6 + [0.0] * 120, tolerated=0.1)

    assert bets.state == "drifted"
    assert bets.quiet > 20
    assert (bets.last_held_day, bets.alarm) == (29, 35)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_reading_r46_a_drift_of_three_weeks_is_hardly_ever_said_to_hold(kind: str) -> None:
    """A year of drift to the ceiling, looked at every day from its 21st on."""
    quiet, drift = days_of(KINDS[0], 0.02, (200, QUIET_DAYS)), days_of(kind, 0.2, (200, 365))

    found = [
        watch(days, tolerated=0.1).last_held_day for days in np.hstack([quiet, drift]).tolist()
    ]

    # 5% of 200, and three standard errors of such a count.
    late = sum(held is not None and held >= QUIET_DAYS + 20 for held in found)
    assert late <= 10 + 3 * (200 * 0.05 * 0.95) ** 0.5


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.12, 0.15, 0.2, 0.3])
def test_reading_r46_ten_days_into_a_drift_hardly_a_watch_still_says_that_it_holds(
    share: float,
) -> None:
    quiet = days_of(KINDS[0], 0.02, (300, QUIET_DAYS))
    days = np.hstack([quiet, days_of(KINDS[0], share, (300, 10))]).tolist()

    before = [watch(shares[:QUIET_DAYS], tolerated=0.1).state for shares in days]
    drifting = [watch(shares, tolerated=0.1).state for shares in days]

    assert before.count("holds") >= 297
    # Before, all 300 said so at every share. 0.12 is hardly more than what is tolerated.
    assert drifting.count("holds") <= (75 if share == 0.12 else 15)
