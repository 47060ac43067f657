"""Whether a judge favours its own outputs: the difference, and its spread over questions."""

from math import sqrt

import numpy as np
import pytest
from scipy import stats

from epc.analysis.observed_own import _difference


def test_reading_r24_own_outputs_gain_over_others_by_the_difference_of_two_means() -> None:
    """Own outputs gain 1/2 on average, others' 1/4; each question moves the difference by itself.

    Off by +1/2 and -1/2 of two own outputs, by 1/4 and -1/4 of two others': halved, +-1/4 and
    +-1/8. Squared they add up to 2/16 + 2/64 = 5/32, times 4/3 for four questions.
    """
    mine = (np.array([1.0, 0.0]), np.array([0, 1]))
    theirs = (np.array([0.0, 0.5]), np.array([2, 3]))
    half = float(stats.t.isf(0.025, 3)) * sqrt(5 / 32 * 4 / 3)

    found = _difference([(mine, theirs)])

    assert (found.value, found.n, found.items) == (0.25, 2, 4)
    assert found.ci95 == pytest.approx((0.25 - half, 0.25 + half), abs=1e-9)


def test_reading_r24_several_other_judges_count_alike() -> None:
    one, none = np.array([1.0]), np.array([0.0, 0.0, 0.0])
    favours = ((one, np.array([0])), (np.array([0.0]), np.array([1])))
    does_not = ((none, np.array([0, 2, 3])), (np.array([0.0]), np.array([1])))

    found = _difference([favours, does_not])

    assert (found.value, found.n, found.items) == (0.5, 4, 4)
