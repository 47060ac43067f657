"""EPC-2.5 and Readings R8, R9, R12: the metrics of weight vectors."""

from collections.abc import Callable
from math import log, nextafter, sqrt
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon

from epc.errors import ShapeError, SimplexError
from epc.protocol.metrics import cpci, gamma, jsd, mpci, pci, zero_cause, zero_coupling

LN2 = log(2)


def simplex(size: int) -> st.SearchStrategy[tuple[float, ...]]:
    parts = st.lists(st.floats(0, 1), min_size=size, max_size=size).filter(lambda p: sum(p) > 1e-3)
    return parts.map(lambda p: tuple(x / sum(p) for x in p))


pairs = st.integers(1, 12).flatmap(lambda size: st.tuples(simplex(size), simplex(size)))


@pytest.mark.parametrize(
    ("coupled", "pure", "expected"),
    [
        ([0.5, 0.5], [0.5, 0.5], 0),
        ([1, 0], [0, 1], sqrt(2)),
        # The norm below is the pure one: |(0.4, -0.4)| = sqrt(0.32); |(0.6, 0.4)| = sqrt(0.52)
        ([1, 0], [0.6, 0.4], pytest.approx(sqrt(0.32 / 0.52), abs=1e-15)),
        ([0.6, 0.4], [1, 0], pytest.approx(sqrt(0.32), abs=1e-15)),
        # The most there is, from a uniform one: |(3/4, -1/4, ...)| = sqrt(3)/2, |(1/4, ...)| = 1/2
        ([1, 0, 0, 0], [0.25] * 4, pytest.approx(sqrt(3), abs=1e-15)),
    ],
)
def test_epc_2_5_eq_1_by_hand(coupled: list[float], pure: list[float], expected: float) -> None:
    assert gamma(coupled, pure) == expected


@given(pairs)
def test_epc_2_5_eq_1_is_numpys_norm(pair: tuple[tuple[float, ...], tuple[float, ...]]) -> None:
    coupled, pure = (np.array(v) for v in pair)
    expected = np.linalg.norm(coupled - pure) / np.linalg.norm(pure)

    assert gamma(*pair) == pytest.approx(float(expected), abs=1e-12)
    assert 0 <= gamma(*pair) <= sqrt(len(pure)) * sqrt(2)


def test_reading_r9_disjoint_vectors_diverge_by_ln_2() -> None:
    assert jsd([1, 0], [0, 1]) == LN2


def test_reading_r9_by_hand() -> None:
    # m = (3/4, 1/4); (ln(4/3) + (1/2) ln(2/3) + (1/2) ln 2) / 2
    expected = (log(4 / 3) + 0.5 * log(2 / 3) + 0.5 * log(2)) / 2

    assert jsd([1, 0], [0.5, 0.5]) == pytest.approx(expected, abs=1e-15)


@given(pairs)
def test_reading_r9_is_the_square_of_scipys_distance(
    pair: tuple[tuple[float, ...], tuple[float, ...]],
) -> None:
    distance = float(jensenshannon(*pair))
    assume(np.isfinite(distance))  # SciPy takes the root of a rounding below zero

    assert jsd(*pair) == pytest.approx(distance**2, abs=1e-12)


@given(pairs)
def test_epc_2_5_swapping_jsds_arguments_changes_nothing(
    pair: tuple[tuple[float, ...], tuple[float, ...]],
) -> None:
    left, right = pair

    assert jsd(left, right) == jsd(right, left)
    assert 0 <= jsd(left, right) <= LN2
    assert jsd(left, left) == 0


@given(pairs, st.randoms())
def test_epc_2_5_relabelling_the_strategies_changes_nothing(
    pair: tuple[tuple[float, ...], tuple[float, ...]], random: Random
) -> None:
    order = list(range(len(pair[0])))
    random.shuffle(order)
    left, right = ([v[i] for i in order] for v in pair)

    assert gamma(left, right) == gamma(*pair)
    assert jsd(left, right) == pytest.approx(jsd(*pair), abs=1e-16)


@pytest.mark.parametrize("metric", [gamma, jsd, cpci, zero_cause])
def test_epc_2_5_vectors_of_two_lengths_and_what_is_no_distribution_are_refused(
    metric: Callable[[list[float], list[float]], object],
) -> None:
    with pytest.raises(ShapeError):
        metric([1.0], [0.5, 0.5])
    if metric is not zero_cause:
        with pytest.raises(SimplexError):
            metric([0.5, 0.4], [0.5, 0.5])


@pytest.mark.parametrize(
    ("coupling", "zero"),
    [
        *((gamma([0.5 + gap, 0.5 - gap], [0.5, 0.5]), gap <= 1e-13) for gap in (0, 1e-13, 1e-11)),
        (0.1, False),
        (1e-12, True),
        (nextafter(1e-12, 1), False),
    ],
)
def test_reading_r8_zero_is_at_most_1e_12(*, coupling: float, zero: bool) -> None:
    assert zero_coupling(coupling) is zero


def test_reading_r8_no_update_is_not_collapse() -> None:
    third = 1 / 3

    assert zero_cause([third] * 3, [third] * 3) == "no_update"
    assert zero_cause([1, 0, 0], [1, 0, 0]) == "collapse"
    assert zero_cause([0.6, 0.2, 0.2], [0.6, 0.2, 0.2]) == "identical"
    assert zero_cause([0.6, 0.2, 0.2], [0.2, 0.6, 0.2]) is None


def test_reading_r12_pci_by_hand() -> None:
    # mean 1/4; deviations 3/4, -1/4 three times; variance 3/16; sigma/mu = sqrt(3)
    assert pci([1, 0, 0, 0]) == pytest.approx(sqrt(3), abs=1e-15)
    assert pci([0.25] * 4) == 0
    # mean 1/2; deviations 1/4; sigma/mu = 1/2
    assert pci([0.75, 0.25]) == 0.5


def test_reading_r12_cpci_is_half_the_l1_distance() -> None:
    assert cpci([1, 0], [0, 1]) == 1
    assert cpci([0.75, 0.25], [0.5, 0.5]) == 0.25


def test_reading_r12_mpci_adds_the_mean_pci_and_the_cpci() -> None:
    assert mpci([0.5, 0.0], 0.25) == 0.5  # half of one half, and a quarter
