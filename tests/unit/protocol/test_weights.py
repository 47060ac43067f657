"""EPC-2.3: the simplex, the roulette wheel and the update."""

from fractions import Fraction
from math import nextafter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epc.errors import ShapeError
from epc.protocol.weights import UpdateRule, choose, simplex_problem, uniform, update

weights = st.lists(st.floats(0.001, 1), min_size=1, max_size=20).map(
    lambda parts: tuple(part / sum(parts) for part in parts)
)


def test_epc_2_3_c_floor_applies_before_renormalising() -> None:
    after = update([0.01, 0.99], chosen=0, won=False)

    assert after[0] == 0.001 / (0.001 + 0.99)


def test_epc_2_3_c_floor_holds_the_sampled_strategy_only() -> None:
    after = update([0.0005, 0.4995, 0.5], chosen=1, won=True)

    assert after[0] == 0.0005 / (0.0005 + 0.5795 + 0.5)  # stays below the floor, unfloored


def test_reading_r3_a_final_weight_may_be_below_the_floor() -> None:
    after = update([0.001, 0.999], chosen=1, won=True)

    assert after[0] == pytest.approx(0.001 / 1.08, abs=1e-15)
    assert after[0] < 0.001


def test_epc_2_3_4_a_win_adds_alpha_and_renormalises() -> None:
    after = update([0.5, 0.5], chosen=0, won=True)

    assert after == (0.58 / 1.08, 0.5 / 1.08)


def test_epc_2_3_4_a_loss_takes_alpha_and_renormalises() -> None:
    after = update([0.5, 0.5], chosen=0, won=False)

    assert after == (0.46 / 0.96, 0.5 / 0.96)


def test_epc_2_3_b_other_rates_are_used_when_given() -> None:
    rule = UpdateRule(alpha_win=0.5, alpha_lose=0.25, weight_floor=0.1)

    assert update([0.5, 0.5], chosen=0, won=True, rule=rule) == (1 / 1.5, 0.5 / 1.5)
    lost = update([0.3, 0.7], chosen=0, won=False, rule=rule)
    assert lost == pytest.approx((0.1 / 0.8, 0.7 / 0.8), abs=1e-15)  # 0.05 is raised to the floor


@given(weights, st.data())
def test_epc_2_3_an_update_stays_on_the_simplex(
    before: tuple[float, ...], data: st.DataObject
) -> None:
    chosen = data.draw(st.integers(0, len(before) - 1))
    after = update(before, chosen=chosen, won=data.draw(st.booleans()))

    assert simplex_problem(after) is None
    assert len(after) == len(before)


@given(weights, st.data())
def test_epc_2_3_an_update_is_the_exact_one_to_rounding(
    before: tuple[float, ...], data: st.DataObject
) -> None:
    chosen, won = data.draw(st.integers(0, len(before) - 1)), data.draw(st.booleans())
    exact = [Fraction(w) for w in before]
    exact[chosen] = max(
        Fraction(1, 1000), exact[chosen] + (Fraction(8, 100) if won else Fraction(-4, 100))
    )

    after = update(before, chosen=chosen, won=won)

    for got, want in zip(after, exact, strict=True):
        assert abs(Fraction(got) - want / sum(exact)) < Fraction(1, 10**14)


@given(weights, st.data())
def test_epc_2_3_a_win_never_lowers_and_a_loss_above_the_floor_never_raises(
    before: tuple[float, ...], data: st.DataObject
) -> None:
    chosen = data.draw(st.integers(0, len(before) - 1))
    tiny = 1e-12  # one rounding of the division

    assert update(before, chosen=chosen, won=True)[chosen] >= before[chosen] - tiny
    if before[chosen] > 0.001:
        assert update(before, chosen=chosen, won=False)[chosen] <= before[chosen] + tiny


def test_reading_r1_the_start_is_uniform() -> None:
    assert uniform(4) == (0.25, 0.25, 0.25, 0.25)
    with pytest.raises(ShapeError):
        uniform(0)


@pytest.mark.parametrize(
    ("u", "chosen"),
    [(0.0, 0), (nextafter(0.5, 0), 0), (0.5, 1), (0.74, 1), (0.75, 2), (nextafter(1, 0), 2)],
)
def test_reading_r2_the_wheel_stops_at_the_first_running_sum_above_u(u: float, chosen: int) -> None:
    assert choose([0.5, 0.25, 0.25], u) == chosen


def test_reading_r2_the_last_index_where_rounding_leaves_none() -> None:
    tenths = [0.1] * 10  # sums to 0.9999999999999999 from left to right

    assert choose(tenths, nextafter(1, 0)) == 9


def test_reading_r2_a_strategy_without_weight_is_never_chosen_before_the_last() -> None:
    assert choose([0.0, 1.0], 0.0) == 1


@pytest.mark.parametrize(
    ("stored", "says"),
    [
        ([], "no weights"),
        ([0.5, 0.4], "sum to 0.9"),
        ([-0.1, 1.1], "weight 0 is -0.1"),
        ([float("nan"), 1.0], "weight 0 is nan"),
        ([float("inf"), 0.0], "weight 0 is inf"),
    ],
)
def test_epc_2_3_what_is_no_distribution_is_named(stored: list[float], says: str) -> None:
    assert says in (simplex_problem(stored) or "")


def test_epc_2_3_a_distribution_has_no_problem() -> None:
    assert simplex_problem([0.25, 0.75]) is None
