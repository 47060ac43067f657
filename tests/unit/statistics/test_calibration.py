"""The calibration error beside what chance alone gives."""

import numpy as np
import pytest

from epc.statistics.calibration import calibration


def test_reading_r102_the_error_is_the_bins_distances_of_confidence_and_share_right() -> None:
    # Bin 0.6 to 0.7: 0.6 and 0.65 of which one is right, off by 0.25; bin 0.9 to 1: off by 0.05.
    confidence = np.array([0.6, 0.65, 0.95, 0.95])
    found = calibration(confidence, np.array([1.0, 0.0, 1.0, 0.9]), np.arange(4))

    assert found.error == pytest.approx((0.25 + 0.0) / 4)


def test_reading_r102_a_judge_that_is_sure_and_right_has_no_error_even_by_chance() -> None:
    found = calibration(np.ones(10), np.ones(10), np.arange(10))

    assert (found.error, found.by_chance, found.ci95) == (0, 0, (0, 0))


def test_reading_r102_an_error_that_chance_explains_may_be_zero_and_another_may_not() -> None:
    rng = np.random.default_rng(3)
    confidence = rng.uniform(0.5, 1, 300)
    true = calibration(confidence, np.where(rng.random(300) < confidence, 1.0, 0.0), np.arange(300))
    false = calibration(
        confidence, np.where(rng.random(300) < confidence - 0.3, 1.0, 0.0), np.arange(300)
    )

    assert true.ci95
    assert true.ci95[0] == 0
    # Of about 60 verdicts in each of five bins, sd 0.43 / 60 ** 0.5 = 0.055, times (2 / pi) ** 0.5.
    assert true.by_chance == pytest.approx(0.044, abs=0.01)
    assert false.ci95
    assert 0.15 < false.ci95[0] < 0.3 < false.ci95[1]


def test_reading_r102_verdicts_of_one_item_are_drawn_together() -> None:
    rng = np.random.default_rng(4)
    confidence = rng.uniform(0.5, 1, 100)
    right = np.where(rng.random(100) < confidence, 1.0, 0.0)

    once = calibration(confidence, right, np.arange(100))
    four = calibration(np.tile(confidence, 4), np.tile(right, 4), np.tile(np.arange(100), 4))

    assert four.error == pytest.approx(once.error)
    assert four.by_chance == pytest.approx(once.by_chance)


def test_one_item_has_no_interval() -> None:
    assert calibration(np.array([0.7, 0.8]), np.array([1.0, 0.0]), np.zeros(2, int)).ci95 is None
