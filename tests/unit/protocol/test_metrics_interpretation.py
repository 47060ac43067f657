"""EPC-5.2: the paper's class of a gamma, and whether the noise allows it."""

import pytest

from epc.protocol.config import Configuration
from epc.protocol.metrics import COIN_GAMMA, COIN_MEAN, gamma_class, interpreted
from epc.simulation.training import coin_bands


@pytest.mark.parametrize(
    ("gamma", "name"),
    [
        (0.0, "weak"),
        (0.1999, "weak"),
        (0.2, "between"),
        (0.5, "between"),
        (0.5001, "substantial"),
        (3.3, "substantial"),
    ],
)
def test_epc_5_2_above_a_half_is_substantial_below_a_fifth_weak(gamma: float, name: str) -> None:
    assert gamma_class(gamma) == name


@pytest.mark.parametrize(
    ("excess", "side"),
    [([0.01, 0.2], "above"), ([-0.1, 0.0], "within"), ([0, 0.2], "within"), ([-2, -1], "below")],
)
def test_epc_5_2_a_gamma_is_held_against_its_own_noise_floor(
    excess: list[float], side: str
) -> None:
    assert interpreted(1.1, excess, COIN_GAMMA) == f"substantial, {side} noise"


@pytest.mark.parametrize(
    ("gamma", "words"),
    [
        (0.1, "weak, below coin-flip range"),
        (0.73, "substantial, within coin-flip range"),
        (1.62, "substantial, above coin-flip range"),
    ],
)
def test_epc_5_2_without_a_control_a_gamma_is_held_against_a_coin_flip(
    gamma: float, words: str
) -> None:
    assert interpreted(gamma, coin=COIN_GAMMA) == words
    assert interpreted(0.3) == "between, noise unknown"


def test_reading_r15_the_coin_flip_s_range_is_what_the_simulation_gives() -> None:
    band = coin_bands(Configuration())["gamma"]

    assert (round(band.low, 2), round(band.high, 2)) == COIN_GAMMA
    assert round(band.mean, 2) == COIN_MEAN
