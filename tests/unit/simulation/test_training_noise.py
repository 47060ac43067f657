"""Reading R15: what the figures are when there is nothing to measure."""

import pytest

from epc.protocol.weights import UpdateRule
from epc.simulation.training import blind_band

RULE = UpdateRule()


def test_reading_r15_a_coin_flip_has_gamma_of_about_1_17() -> None:
    band = blind_band(strategies=11, rounds=30, rule=RULE)

    # The figures on record: mean 1.17, 90% of seeds in 0.73 to 1.62, JSD 0.27.
    assert band["gamma"].mean == pytest.approx(1.17, abs=0.02)
    assert band["gamma"].low == pytest.approx(0.73, abs=0.03)
    assert band["gamma"].high == pytest.approx(1.62, abs=0.03)
    assert band["jsd"].mean == pytest.approx(0.27, abs=0.01)


def test_reading_r15_an_evaluator_that_always_says_the_same_has_a_gamma_too() -> None:
    always_a = blind_band(strategies=11, rounds=30, rule=RULE, a=1)
    always_b = blind_band(strategies=11, rounds=30, rule=RULE, a=0)

    # The figures on record: 1.29 for always A, 0.94 for always B.
    assert always_a["gamma"].mean == pytest.approx(1.29, abs=0.02)
    assert always_b["gamma"].mean == pytest.approx(0.94, abs=0.02)


def test_reading_r15_no_rounds_move_nothing() -> None:
    band = blind_band(strategies=11, rounds=0, rule=RULE)

    assert (band["gamma"].mean, band["gamma"].high) == (0, 0)
