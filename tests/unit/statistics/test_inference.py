"""The closed forms against SciPy, which gets there by other ways, and by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from epc.statistics.inference import (
    binomial_tail,
    critical,
    fisher_tail,
    holm,
    pairs_needed,
    sign_test,
    t_point,
    t_two_sided,
    upper_bound,
)

COUNTS = st.tuples(st.integers(0, 60), st.integers(0, 60)).map(sorted)


def test_a_binomial_tail_by_hand() -> None:
    # Two or three heads of three coins: (3 + 1) / 8.
    assert binomial_tail(2, 3, 0.5) == pytest.approx(0.5, abs=1e-15)
    assert binomial_tail(0, 3, 0.0) == 1
    assert binomial_tail(1, 3, 0.0) == 0
    assert binomial_tail(3, 3, 1.0) == 1
    assert binomial_tail(4, 3, 1.0) == 0


@given(COUNTS, st.floats(0.001, 0.999))
def test_a_binomial_tail_is_scipy_s(counts: list[int], share: float) -> None:
    hits, n = counts

    expected = float(stats.binom.sf(hits - 1, n, share))
    assert binomial_tail(hits, n, share) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_s_exact_test_is_scipy_s(up: int, down: int) -> None:
    expected = float(stats.binomtest(up, up + down).pvalue) if up + down else 1.0

    assert sign_test(up, down) == pytest.approx(expected, rel=1e-9)


@given(COUNTS, COUNTS)
def test_fisher_s_exact_test_is_scipy_s(left: list[int], right: list[int]) -> None:
    table = np.array([[hits, n - hits] for hits, n in (left, right)])
    expected = float(stats.fisher_exact(table, alternative="greater").pvalue)

    assert fisher_tail(*left, *right) == pytest.approx(expected, rel=1e-9)


def test_fisher_s_exact_test_by_hand() -> None:
    # Both hits among the two of three: one way of the three pairs that could be the hits.
    assert fisher_tail(2, 2, 0, 1) == pytest.approx(1 / 3)


@given(COUNTS.filter(lambda counts: counts[1] > 0))
def test_an_upper_bound_is_clopper_and_pearson_s(counts: list[int]) -> None:
    hits, n = counts
    expected = 1.0 if hits == n else float(stats.beta.ppf(0.95, hits + 1, n - hits))

    assert upper_bound(hits, n) == pytest.approx(expected, abs=1e-9)


def test_no_hits_are_bounded_by_the_rule_of_three() -> None:
    assert upper_bound(0, 29) == pytest.approx(1 - 0.05 ** (1 / 29), abs=1e-12)


@given(st.floats(0, 50), st.integers(1, 300))
def test_student_s_t_is_scipy_s(t: float, freedom: int) -> None:
    expected = float(2 * stats.t.sf(t, freedom))

    assert t_two_sided(t, freedom) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("freedom", [9_999, 10_000])
def test_a_tail_of_student_s_t_is_scipy_s_up_to_ten_thousand_degrees(freedom: int) -> None:
    expected = float(2 * stats.t.sf(2.0, freedom))

    assert t_two_sided(2.0, freedom) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("freedom", [1, 2, 9, 58, 1000, 2001, 10**6])
@pytest.mark.parametrize("error", [0.05, 0.1])
def test_a_point_of_student_s_t_is_scipy_s(freedom: int, error: float) -> None:
    expected = float(stats.t.isf(error / 2, freedom))

    assert t_point(freedom, error) == pytest.approx(expected, rel=1e-9)


def test_holm_by_hand() -> None:
    # Sorted .01, .02, .04: times 3, 2, 1; the last may not fall below the one before.
    adjusted = holm({"a": 0.04, "b": 0.01, "c": 0.02})

    assert adjusted == pytest.approx({"a": 0.04, "b": 0.03, "c": 0.04})
    assert list(adjusted) == ["a", "b", "c"]
    assert holm({"a": 0.9, "b": 0.8}) == {"a": 1, "b": 1}
    assert holm({}) == {}


@given(st.integers(1, 200), st.floats(0.01, 0.5))
def test_the_critical_count_is_the_first_that_is_rare_enough(n: int, share: float) -> None:
    first = critical(n, share)

    assert float(stats.binom.sf(first - 1, n, share)) <= 0.05 + 1e-12
    assert float(stats.binom.sf(first - 2, n, share)) > 0.05 - 1e-12


def test_the_pairs_that_a_share_takes() -> None:
    # Where nothing changes by itself one change is proof: 1 - 0.95^n >= 0.9 from n = 45 on.
    assert pairs_needed(0.05, 0.0) == 45
    assert pairs_needed(0.05, 0.05) is None
    n = pairs_needed(0.2, 0.05)
    assert n is not None
    first = int(stats.binom.isf(0.05, n, 0.05)) + 1
    assert float(stats.binom.sf(first - 1, n, 0.2)) >= 0.9


def test_no_tail_of_student_s_t_is_negative_however_far_out() -> None:
    # Rounding alone would leave -4e-16 and the like of 1 less a sum that comes to 1.
    tails = [t_two_sided(10.0**far, freedom) for far in range(2, 12) for freedom in range(1, 80)]

    assert min(tails) == 0
