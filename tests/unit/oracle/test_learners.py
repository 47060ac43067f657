"""The learning rules of the second implementation, each by hand (Readings R3 and R81)."""

from collections.abc import Sequence
from typing import Any

import pytest
from oracle.learners import learner_of

OWN = {"alpha_win": 0.25, "alpha_lose": 0.125, "weight_floor": 0.0625}
BAYES = {"rule": {"name": "bayes", "high": 0.75, "low": 0.25}}
STRENGTHS = {"rule": {"name": "bradley-terry", "step": 1.0}}
THOMPSON = {"rule": {"name": "thompson", "prior_wins": 1, "prior_losses": 1}}
ODD = range(1, 32, 2)  # a cell's win rate is an odd number of 32nds


def weights(
    config: dict[str, Any], verdicts: Sequence[tuple[int, bool]], strategies: int = 2
) -> list[float]:
    learner = learner_of(config)
    state = learner.begin(strategies)
    for chosen, won in verdicts:
        learner.learn(state, chosen, won=won)
    return learner.weights(state)


@pytest.mark.parametrize("config", [OWN, BAYES, STRENGTHS, THOMPSON])
def test_reading_r1_a_pure_phase_begins_even(config: dict[str, Any]) -> None:
    assert weights(config, [], 4) == [0.25] * 4


def test_reading_r3_a_win_lifts_a_weight_and_a_loss_lowers_it_no_deeper_than_the_floor() -> None:
    """1/2 + 1/4 is 3/4 of 5/4. 1/2 - 1/8 is 3/8 of 7/8. 2/5 - 1/8 is 11/40 of 35/40.

    With a floor of 7/16 a loss leaves 7/16 of 15/16.
    """
    assert weights(OWN, [(0, True)]) == pytest.approx([3 / 5, 2 / 5])
    assert weights(OWN, [(0, False)]) == pytest.approx([3 / 7, 4 / 7])
    assert weights(OWN, [(0, True), (1, False)]) == pytest.approx([24 / 35, 11 / 35])
    assert weights(OWN | {"weight_floor": 0.4375}, [(0, False)]) == pytest.approx([7 / 15, 8 / 15])


def test_reading_r81_beliefs_by_bayes_theorem() -> None:
    """A win: 3/4 to 1/4. Another: 9/16 to 1/16. Then a loss of the other: 27/64 to 1/64."""
    assert weights(BAYES, [(0, True)]) == [0.75, 0.25]
    assert weights(BAYES, [(0, True), (0, True), (1, False)]) == pytest.approx([27 / 28, 1 / 28])


def test_reading_r81_strengths_move_by_how_surprising_a_verdict_is() -> None:
    """A win at even strength: 1 + 1/2 against 1. A loss: 1 / (1 + 1/2) against 1."""
    assert weights(STRENGTHS, [(0, True)]) == pytest.approx([3 / 5, 2 / 5])
    assert weights(STRENGTHS, [(0, False)]) == pytest.approx([2 / 5, 3 / 5])


def test_reading_r81_thompsons_state_is_sixteen_cells_a_strategy() -> None:
    learner = learner_of(THOMPSON)
    state = learner.begin(2)

    learner.learn(state, 0, won=False)

    # 31 + 29 + ... + 1 is 256.
    assert state[:16] == pytest.approx([(32 - rate) / 256 for rate in ODD])
    assert state[16:] == [1 / 16] * 16


@pytest.mark.parametrize(
    ("wins", "losses", "cells"),
    [
        (2, 1, [rate / 256 for rate in ODD]),
        (1, 2, [(32 - rate) / 256 for rate in ODD]),
        # 1 + 9 + ... + 961 is 5,456, and 32 * 256 less that is 2,736.
        (3, 1, [rate * rate / 5456 for rate in ODD]),
        (2, 2, [rate * (32 - rate) / 2736 for rate in ODD]),
    ],
)
def test_reading_r81_a_prior_counts_wins_and_losses_from_one_on(
    wins: int, losses: int, cells: list[float]
) -> None:
    prior = {"name": "thompson", "prior_wins": wins, "prior_losses": losses}

    assert learner_of({"rule": prior}).begin(2) == pytest.approx(cells * 2)


@pytest.mark.parametrize(
    ("won", "strategies", "expected"),
    [
        # An odd number o has o/256 of the first one's draws, and o/32 of the other's are below:
        # 5456/8192 = 341/512, and of a loss, by the mirror, 171/512.
        (True, 2, [341 / 512, 171 / 512]),
        (False, 2, [171 / 512, 341 / 512]),
        # Odd cubes add up to 130,816: (o/256)(o/32)(o/32) to 511/1024. The first one's draws below
        # the middle of a cell are (o * o + 1)/1024, so each of the others has
        # (130816 + 256)/2/2**18 = 1/4.
        (True, 3, [511 / 1023, 256 / 1023, 256 / 1023]),
    ],
)
def test_reading_r81_thompson_weighs_by_whose_draw_is_the_highest(
    *, won: bool, strategies: int, expected: list[float]
) -> None:
    assert weights(THOMPSON, [(0, won)], strategies) == pytest.approx(expected, abs=1e-15)
