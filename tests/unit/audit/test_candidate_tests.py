"""The candidate tests: each against a value from elsewhere, and against its own level."""

from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import stats

from epc.audit.candidate_tests import (
    ADOPTED,
    chi_squared_tail,
    from_table,
    from_weights,
    likelihood_ratio,
    student_p,
)
from epc.protocol.table import VerdictTable
from epc.protocol.weights import UpdateRule
from epc.spec.epc_v1 import DIRECTIONS, PHASE_NAMES, Direction, PhaseName

if TYPE_CHECKING:
    from numpy.typing import NDArray

RULE = UpdateRule()


def table(text: list[list[list[int]]], visual: list[list[list[int]]]) -> VerdictTable:
    return VerdictTable(counts={"text": np.array(text), "visual": np.array(visual)}, repeated=False)


@pytest.mark.parametrize("freedom", [1, 2, 3, 8, 11, 40])
@pytest.mark.parametrize("value", [0.01, 1.0, 7.5, 60.0])
def test_reading_r39_the_tail_of_chi_squared_is_that_of_scipy(freedom: int, value: float) -> None:
    assert chi_squared_tail(value, freedom) == pytest.approx(stats.chi2.sf(value, freedom))


def test_reading_r39_no_degree_of_freedom_rejects_nothing() -> None:
    assert chi_squared_tail(0.0, 3) == 1
    assert chi_squared_tail(5.0, 0) == 1


def test_reading_r39_the_likelihood_ratio_is_that_of_scipy() -> None:
    one = table([[[8, 2, 1]], [[5, 5, 0]]], [[[3, 7, 0]], [[6, 4, 3]]])

    expected = sum(
        stats.chi2_contingency(counts, correction=False, lambda_="log-likelihood").statistic
        for counts in ([[8, 2], [3, 7]], [[5, 5], [6, 4]])
    )
    assert likelihood_ratio(one) == pytest.approx(stats.chi2.sf(expected, 2))


def test_reading_r39_student_is_that_of_scipy() -> None:
    values = np.random.default_rng(0).normal(0.3, 1, 12)

    assert student_p(values) == pytest.approx(stats.ttest_1samp(values, 0).pvalue)
    assert student_p(np.zeros(5)) == 1
    assert student_p(np.ones(5)) == 0


def test_reading_r39_tables_without_variation_are_never_told_apart() -> None:
    always_a = table([[[3, 0, 0]] * 4] * 3, [[[2, 0, 0]] * 4] * 3)

    assert set(from_table(always_a, RULE).values()) == {1.0}


def test_reading_r39_a_strategy_that_wins_in_one_domain_alone_is_seen_by_all() -> None:
    wins, loses, even = [[9, 1, 0]] * 8, [[1, 9, 0]] * 8, [[5, 5, 0]] * 8
    apart = table([wins, even, loses], [loses, even, wins])

    found = from_table(apart, RULE)

    assert found[ADOPTED] == pytest.approx(
        1 / 6435
    )  # the one split of its kind, of 16 choose 8 / 2
    assert max(found.values()) < 0.01


def test_reading_r39_tests_of_weights_see_what_is_there_and_only_that() -> None:
    rng = np.random.default_rng(5)
    same: dict[PhaseName, NDArray[np.float64]] = {
        name: rng.dirichlet(np.ones(4), size=20).T for name in PHASE_NAMES
    }
    apart: dict[PhaseName, NDArray[np.float64]] = {
        **same,
        "visual": rng.dirichlet([9, 1, 1, 1], size=20).T,
    }
    still: dict[Direction, NDArray[np.float64]] = {d: np.zeros(20) for d in DIRECTIONS}
    expected = {f"control_{m}_{d}": 0.0 for m in ("gamma", "jsd") for d in still}

    assert from_weights(same, paired=still, expected=expected)["weights"] > 0.05
    found = from_weights(apart, paired=still, expected=expected)
    assert found["weights"] < 0.01
    assert found["gamma: excess"] < 0.01  # gamma is not near 0, which was said to be its control
    assert found["gamma: paired draws"] == 1
