"""What a run takes, asked in each of three ways: against the arithmetic of the protocol."""

from datetime import UTC, datetime

import pytest

from epc.engine.cost_estimate import Need, Pace, Way, need
from epc.errors import UsageError

NOW = datetime(2026, 7, 2, tzinfo=UTC)
SLOW = Pace(seconds=2.0, at_once=1_000_000)  # as many at once as there are


def takes(
    way: Way, *, rounds: int = 3, seeds: int = 2, pairs: float = 1.0, pace: Pace = SLOW
) -> Need:
    return need(None, None, way, seeds=seeds, rounds=rounds, pace=pace, now=NOW, pairs=pairs)


def test_a_fresh_run_asks_three_calls_in_each_round_of_four_phases() -> None:
    """Of each round the strategy's answer, the baseline's, and the comparison."""
    found = takes("fresh")

    assert found.calls == 2 * 4 * 3 * 3
    assert found.cost == 0
    # Executor and evaluator wait for each other, round for round, through two phases in a row.
    assert found.seconds == 2.0 * 2 * 2 * 3
    one = takes("fresh", pace=Pace(seconds=2.0, at_once=1))
    assert one.seconds == 2.0 * found.calls
    assert found.tokens_in > found.tokens_out > 0


def test_an_exhaustive_run_asks_every_pair_once_however_many_seeds_there_are() -> None:
    """11 strategies on 16 tasks: an answer each, and a verdict each."""
    found, more = takes("exhaustive"), takes("exhaustive", seeds=30)
    twice = takes("exhaustive", pairs=2.0)

    assert found.calls == more.calls == 2 * 11 * 16
    assert found.seconds == 2.0 * 2
    assert (twice.calls, twice.tokens_in) == (2 * found.calls, 2 * found.tokens_in)
    assert twice.tokens_out == 2 * found.tokens_out
    assert takes("memo", pairs=2.0).calls == takes("memo").calls < takes("fresh").calls


def test_what_cannot_be_asked_in_a_way_is_refused_and_a_wrong_request_is_an_error() -> None:
    pace = Pace(seconds=1.0, at_once=1)
    plan_options = {"seeds": 2, "rounds": 3, "pace": pace, "now": NOW}

    refused = need("mock/coin-flip", "mock/deterministic", "memo", **plan_options)  # type: ignore[arg-type]  # as above

    assert refused.refused
    assert (refused.calls, refused.seconds) == (0, 0)
    with pytest.raises(UsageError):
        need("nobody/knows", "mock/deterministic", "fresh", **plan_options)  # type: ignore[arg-type]  # as above
