"""Reading R70: policies, and what crosses between domains, against values worked by hand."""

import random
from math import sqrt

import numpy as np
import pytest
from audit_support import table
from budget_support import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from epc.audit.resampled import Estimate, Figure, Parts, estimated, parts_of
from epc.audit.transfer import (
    Rates,
    crossings,
    figures_of,
    in_order_of,
    policies,
    rates_of,
    redirected,
    reductions,
    won_shares,
)
from epc.audit.units import Units, units_of
from epc.protocol.weights import UpdateRule, choose, update

RULE = UpdateRule()
NO_TIE = np.zeros(2)
Array = NDArray[np.float64]


def column(*rates: float) -> Array:
    return np.array(rates)[:, None]


def policy(*phases: Array, rounds: int, wheels: int = 2**15, tie: float = 0) -> list[float]:
    """Return one policy, the mean of both halves of the wheels."""
    ties = np.full(len(phases[0]), tie)
    way = [(rates, ties) for rates in phases]
    (ended,) = policies([way], rounds=rounds, rule=RULE, wheels=wheels)
    assert ended.shape == (2, len(phases[0]), 1)
    return list(ended.mean(axis=0)[:, 0])


def test_epc_2_3_no_round_leaves_every_weight_where_it_began() -> None:
    assert policy(column(1, 0), column(0, 1), rounds=0) == [0.5, 0.5]


def test_epc_2_3_one_round_has_two_outcomes_that_can_be_written_down() -> None:
    """x always wins, y always loses; the wheel stops at either as often.

    x: 0.58 / 1.08; y: 0.46 / 0.96, so x has 0.5 / 0.96. The mean of x is 0.528935...
    """
    x = (0.58 / 1.08 + 0.5 / 0.96) / 2

    figures = policy(column(1, 0), rounds=1)

    assert figures == pytest.approx([x, 1 - x], abs=1e-4)  # the outcomes are 0.016 apart


def test_epc_2_3_two_rounds_have_four_outcomes_that_can_be_written_down() -> None:
    x = 0.0
    for first, weight in (((0.58 / 1.08), 0.5), ((0.5 / 0.96), 0.5)):
        won, lost = (first + 0.08) / 1.08, first / 0.96
        x += weight * (first * won + (1 - first) * lost)

    assert policy(column(1, 0), rounds=2) == pytest.approx([x, 1 - x], abs=2e-4)
    # A phase of one round after one of one round is two rounds, in the same domain.
    assert policy(column(1, 0), column(1, 0), rounds=1) == pytest.approx([x, 1 - x], abs=2e-4)


def test_epc_2_3_a_detour_of_one_round_has_four_outcomes_that_can_be_written_down() -> None:
    """x loses in the first domain and wins in the second, y the other way round."""
    x = 0.0
    for first, weight in ((0.46 / 0.96, 0.5), (0.5 / 1.08, 0.5)):
        x += weight * (first * (first + 0.08) / 1.08 + (1 - first) * first / 0.96)

    assert policy(column(0, 1), column(1, 0), rounds=1) == pytest.approx([x, 1 - x], abs=2e-4)


def test_reading_r72_a_tie_uses_up_its_round_and_moves_nothing() -> None:
    """Half of the rounds tie, so the one round moves x half as far; all of them: not at all."""
    x = (0.58 / 1.08 + 0.5 / 0.96) / 2

    assert policy(column(1, 0), rounds=1, tie=0.5)[0] == pytest.approx((0.5 + x) / 2, abs=3e-4)
    assert policy(column(1, 0), rounds=5, tie=1.0) == [0.5, 0.5]


def simulated(first: list[float], second: list[float], rounds: int, runs: int) -> list[float]:
    """Return the mean final weight of x over wheels in plain Python, by the protocol's updates."""
    rng = random.Random(20261123)
    ended = []
    for _ in range(runs):
        weights: tuple[float, ...] = (0.5, 0.5)
        for rates in (first, second):
            for _ in range(rounds):
                chosen = choose(weights, rng.random())
                won = rng.random() < rates[chosen]
                weights = update(weights, chosen=chosen, won=won)
        ended.append(weights[0])
    return ended


@pytest.mark.parametrize(
    ("first", "second"), [([0.2, 0.7], [0.9, 0.4]), ([0.6, 0.6], [0.1, 0.8]), ([1, 0], [0, 1])]
)
def test_reading_r70_a_policy_is_that_of_single_wheels_simulated_elsewhere(
    first: list[float], second: list[float]
) -> None:
    ended = simulated(first, second, 12, 1500)
    error = sqrt(np.var(ended) / len(ended))

    figure = policy(column(*first), column(*second), rounds=12)[0]

    assert abs(figure - np.mean(ended)) < 5 * error + 1e-9


def test_reading_r70_ways_differ_by_their_verdicts_alone() -> None:
    """All first phases have the same draws, and so have all second ones, whatever else is asked."""
    good, bad = ((column(*rates), np.zeros(3)) for rates in ((0.9, 0.3, 0.5), (0.2, 0.3, 0.5)))
    ways = [(good,), (bad, good), (good, good)]

    both = policies(ways, rounds=10, rule=RULE, wheels=8)
    alone = policies(ways[2:], rounds=10, rule=RULE, wheels=8)

    assert np.array_equal(both[2], alone[0])
    assert not np.array_equal(both[1], both[2])


def test_reading_r70_tables_differ_by_their_verdicts_alone() -> None:
    """16,384 columns are a block: six tables of 4,096 wheels take two. All have the same draws."""
    rates = np.tile(column(0.9, 0.2), 6)
    rates[0, 3] = 0.8

    (ended,) = policies([[(rates, NO_TIE)]], rounds=5, rule=RULE, wheels=4096)
    (alone,) = policies([[(rates[:, 3:4], NO_TIE)]], rounds=5, rule=RULE, wheels=4096)

    assert ended.shape == (2, 2, 6)
    assert ended.sum(axis=1) == pytest.approx(np.ones((2, 6)))
    assert len(set(ended[0, 0])) == 2
    assert ended[:, :, 3:4] == pytest.approx(alone, abs=1e-12)  # summed in another order


def test_reading_r72_ties_of_one_domain_slow_the_training_in_it_alone() -> None:
    """One round a phase, all rounds tied in the first domain: nothing is learned there."""
    first, second = column(1, 0), column(0, 1)
    (tied, alone) = policies(
        [[(first, np.ones(2)), (second, NO_TIE)], [(second, NO_TIE)]],
        rounds=1,
        rule=RULE,
        wheels=2**15,
    )

    assert tied.mean(axis=0) == pytest.approx(alone.mean(axis=0), abs=2e-4)
    units = units_of(table([["At", "At"], ["Bt", "BB"]], [["AB", "BA"], ["BA", "AB"]]), ["x", "y"])
    shares = dict(zip(units.domains, (ties.tolist() for ties in units.ties), strict=True))
    assert shares == {"text": [0.5, 0.25], "visual": [0, 0]}
    assert units.tie.tolist() == [0.25, 0.125]


def test_reading_r72_rates_are_won_shares_of_what_was_decided() -> None:
    """x: 3 of 4; y: none decided, so 3 of 5, which is all that was won of all that was decided."""
    shares = won_shares(np.array([[3.0, 0, 0]]), np.array([[4.0, 0, 1]]))

    assert shares.tolist() == [[0.75], [0.6], [0]]
    assert won_shares(np.zeros((1, 2)), np.zeros((1, 2))).tolist() == [[0], [0]]


def test_reading_r72_rates_are_of_the_units_that_are_marked() -> None:
    units = units_of(table(["AB", "BB"], ["AA", "AB"]), ["x", "y"])
    first = np.array([[1.0, 1, 0, 0], [0, 0, 0, 1]])

    rates = rates_of(units, first, 1 - first)

    # Units in order: text (x lost, y lost), (x won, y lost); visual (won, lost), (won, won).
    assert rates.first.tolist() == [[1 / 2, 1], [0, 1]]
    assert rates.second.tolist() == [[1, 2 / 3], [1 / 2, 0]]


def test_reading_r70_redirected_choices_have_half_their_signs_from_the_other_half() -> None:
    crossed = np.array([[[0.2], [0.8]], [[0.4], [0.6]]])  # two halves of the wheels
    again = np.array([[[0.5], [0.5]], [[0.5], [0.5]]])
    assert redirected(crossed, again)[:, 0] == pytest.approx([0.3, 0.1])

    # The halves disagree about the sign, and all wheels together say that of the first.
    crossed[1] = [[0.6], [0.4]]
    assert redirected(crossed, again)[:, 0] == pytest.approx([0.0, -0.1])


@pytest.mark.parametrize(
    ("own", "other", "dealt"),
    [
        ([0.2, 0.9, 0.5], [0.1, 0.8, 0.3], [0.2, 0.9, 0.5]),  # one order: nothing changes
        ([0.2, 0.9, 0.5], [0.8, 0.3, 0.1], [0.9, 0.5, 0.2]),
        ([0.2, 0.9, 0.5], [0.4, 0.4, 0.1], [0.7, 0.7, 0.2]),  # two first places share both rates
        # By name the rates are (0.2, 0.5, 0.9), by name backwards (0.9, 0.5, 0.2).
        ([0.2, 0.9, 0.5], [0.4, 0.4, 0.4], [0.55, 0.5, 0.55]),
    ],
)
def test_reading_r70_one_domains_rates_in_the_order_of_the_other(
    own: list[float], other: list[float], dealt: list[float]
) -> None:
    assert in_order_of(column(*own), column(*other))[:, 0] == pytest.approx(dealt)


def test_reading_r70_tables_are_ordered_each_by_itself() -> None:
    own, other = np.array([[0.1, 0.9], [0.7, 0.3]]), np.array([[0.6, 0.2], [0.5, 0.8]])

    assert in_order_of(own, other).tolist() == [[0.7, 0.3], [0.1, 0.9]]


rates = st.lists(st.floats(0, 1), min_size=2, max_size=5)


@settings(max_examples=examples(100))
@given(rates, st.integers(0, 8))
def test_reading_r70_everything_is_exactly_zero_where_both_domains_are_one(
    shares: list[float], rounds: int
) -> None:
    side = column(*shares)

    figures = figures_of(
        Rates(side, side.copy()),
        (np.zeros(len(shares)), np.zeros(len(shares))),
        rounds=rounds,
        rule=RULE,
        wheels=16,
    )

    for into in figures:
        assert not into["redirected"].any()
        assert not into["regret"].any()
        assert not into["crossing"].any()


def test_reading_r70_everything_is_zero_to_the_bit_where_every_task_says_the_same() -> None:
    units = units_of(table(["AAAA", "BBBB", "AAAA"], ["AAAA", "BBBB", "AAAA"]), ["x", "y", "z"])

    actual_crossings = crossings(units, rounds=30, rule=RULE)

    for into in actual_crossings.into:
        for figure in (into.redirected, into.regret, into.crossing):
            assert figure == Estimate(value=0, variance=0, of_halves=0, freedom=3)
    assert actual_crossings.crossings.interval == (0, 0)


def test_reading_r70_harm_is_none_where_training_elsewhere_teaches_the_same() -> None:
    """Twice as many rounds on one ranking can only help: harm is below zero, regret is zero."""
    units = units_of(table(["AAAA", "BBBB"], ["AAAA", "BBBB"]), ["x", "y"])

    (first, second) = crossings(units, rounds=10, rule=RULE).into

    assert first.harm.value < -0.05
    assert second.harm.value < -0.05


def test_reading_r70_opposed_domains_cost_what_single_wheels_elsewhere_say() -> None:
    """x wins all of text and none of visual.

    Regret in text is x's share after text twice, less that after visual and text. With two
    strategies redirected choices are the same number.
    """
    runs = 1000
    repeated_figures = simulated([1, 0], [1, 0], 15, runs)
    crossed = simulated([0, 1], [1, 0], 15, runs)
    error = sqrt((np.var(repeated_figures) + np.var(crossed)) / runs)
    expected = np.mean(repeated_figures) - np.mean(crossed)
    units = units_of(table(["AAAA", "BBBB"], ["BBBB", "AAAA"]), ["x", "y"])
    actual_crossings = crossings(units, rounds=15, rule=RULE)

    for into in actual_crossings.into:
        assert abs(into.regret.value - expected) < 6 * error
        assert abs(into.redirected.value - expected) < 6 * error
        # Another order explains all of it: dealt out in the text order, visual is text.
        assert into.crossing.value == into.regret.value
    both_totals = sum(into.crossing.value for into in actual_crossings.into)
    assert actual_crossings.crossings.value == pytest.approx(both_totals)


def test_reading_r74_a_reduction_is_what_crossed_before_less_what_crosses_after() -> None:
    """The same draws train both, so that the figures of either domain subtract."""
    before = units_of(table(["AAAA", "BBBB"], ["BBBB", "AAAA"]), ["x", "y"])
    after = units_of(table(["AAAA", "BBBB"], ["AABB", "AAAA"]), ["x", "y"])
    later_into, now = (crossings(units, rounds=15, rule=RULE).into for units in (before, after))

    reduced = reductions(before, after, rounds=15, rule=RULE)

    apart = [one.regret.value - two.regret.value for one, two in zip(later_into, now, strict=True)]
    assert abs(apart[0] - apart[1]) > 0.001
    assert [into["regret"].less.value for into in reduced] == pytest.approx(apart)
    for reduction, one, two in zip(reduced, later_into, now, strict=True):
        assert (reduction["regret"].before, reduction["regret"].after) == (one.regret, two.regret)


def dealt(first: int, second: int) -> tuple[Units, Parts]:
    # Units whose counts sort as the domains stand here.
    units = units_of(table(["B" * first] * 2, ["A" * second] * 2), ["x", "y"])
    assert units.first == first
    return units, parts_of(units)


def difference_of_means(parts: Parts, figures: list[float], other: list[float]) -> Figure:
    """Return one domain's mean less the other's: of all units, of halves, without each unit."""
    n, values = len(figures), np.array([*figures, *other])

    def means(rows: Array) -> Array:
        sides = (slice(0, n), slice(n, None))
        first, second = (rows[:, s] @ values[s] / rows[:, s].sum(axis=1) for s in sides)
        return np.tile(first - second, (2, 1))

    rows = (np.ones((1, len(values))), parts.halves, parts.halves, 1 - np.eye(len(values)))
    return Figure(*(means(row @ parts.members) for row in rows))


def test_reading_r74_jackknife_of_a_straight_statistic_has_no_bias_and_the_formulas_variance() -> (
    None
):
    """A difference of two means has a variance of s1^2 / 6 + s2^2 / 4."""
    text, visual = [1.0, 2, 4, 8, 16, 32], [3.0, 1, 4, 1]
    _, parts = dealt(6, 4)

    estimate = estimated(difference_of_means(parts, text, visual), parts)

    assert estimate.value == pytest.approx(np.mean(text) - np.mean(visual))
    formula = np.var(text, ddof=1) / 6 + np.var(visual, ddof=1) / 4
    # That of halves is 1.5 times less; over 300 other sets of 64 cuts it is off by a fifth.
    assert estimate.variance is not None
    assert estimate.of_halves is not None
    assert 0.6 * formula < estimate.of_halves < 1.4 * formula
    assert estimate.variance >= 1.5 * estimate.of_halves


def test_reading_r74_the_spread_is_that_of_the_corrected_figure() -> None:
    """Where halves do not move at all, the corrected figure moves twice as far as the whole.

    Of the four units of the smaller domain two are lost, so that its variance counts twice.
    """
    text, visual = [1.0, 2, 4, 8, 16, 32], [3.0, 1, 4, 1]
    _, parts = dealt(6, 4)
    moving = difference_of_means(parts, text, visual)
    still = moving._replace(**dict.fromkeys(("apart", "halves"), np.full_like(moving.halves, 5.0)))

    estimate = estimated(still, parts)

    formula = np.var(text, ddof=1) / 6 + np.var(visual, ddof=1) / 4
    assert estimate.value == pytest.approx(2 * moving.full[0, 0] - 5)
    assert estimate.variance == pytest.approx(2 * 4 * formula)


def test_reading_r74_a_bias_that_falls_with_the_number_of_units_is_taken_off() -> None:
    """A figure that is 5 + 12 / n: of 8 units 6.5, of 4 units 8, so 5 is left.

    The wheels that the parts share are off by 0.25, which makes no difference.
    """
    _, parts = dealt(8, 8)
    halves = np.full((2, 128), 8.0)
    constant = Figure(np.full((2, 1), 6.5), halves, halves + 0.25, np.full((2, 16), 6.7))

    estimate = estimated(constant, parts)

    assert estimate == Estimate(value=5, variance=0, of_halves=0, freedom=7)


def test_reading_r74_halves_of_a_cut_are_disjoint_and_even_in_both_domains() -> None:
    units = units_of(table(["AAAAA", "BBBBB"], ["BBBB", "AAAA"]), ["x", "y"])

    halves = parts_of(units).halves

    assert halves.shape == (128, 9)
    assert (halves[::2] + halves[1::2] == 1).all()
    sizes = {units.domains[0]: units.first, units.domains[1]: 9 - units.first}
    upper = halves[::2, : units.first].sum(axis=1), halves[::2, units.first :].sum(axis=1)
    assert [set(side) for side in upper] == [{size // 2} for size in sizes.values()]
    assert len({tuple(half) for half in halves}) > 50


def test_reading_r74_many_units_are_left_out_in_sixteen_blocks_of_mixed_neighbours() -> None:
    units, parts = dealt(40, 5)

    assert parts.members.shape == (16 + 5, 45)
    assert parts.first == 16
    assert (parts.members.sum(axis=0) == 1).all()  # each unit in one block
    assert sorted(parts.members[:16, :40].sum(axis=1)) == [2] * 8 + [3] * 8
    assert (parts.members[16:, 40:].sum(axis=1) == 1).all()
    apart = [np.ptp(np.flatnonzero(block)) for block in parts.members[:16]]
    assert max(apart) > 3, "units are sorted, so a block of neighbours would be alike"
    assert units.largest == 40


def test_reading_r74_the_only_unit_of_a_domain_is_in_both_halves() -> None:
    units = units_of(table(["A", "B"], ["BBBB", "AAAA"]), ["x", "y"])

    (only,) = np.flatnonzero(parts_of(units).halves.all(axis=0))
    actual_crossings = crossings(units, rounds=15, rule=RULE)

    assert units.won[only].tolist() == [1, 0]
    assert actual_crossings.crossings.variance is None
    assert actual_crossings.crossings.interval is None
    assert all(0 <= into.regret.value <= 1 for into in actual_crossings.into)
    assert all(0 <= into.redirected.value <= 1 for into in actual_crossings.into)


def test_reading_r74_an_interval_is_students_with_the_blocks_of_the_smaller_domain() -> None:
    assert Estimate(value=0.1, variance=0.04, of_halves=0.04, freedom=7).interval == pytest.approx(
        (0.1 - 2.364624251 * 0.2, 0.1 + 2.364624251 * 0.2)
    )
    units = units_of(table(["A" * 3, "B" * 3], ["B" * 5, "A" * 5]), ["x", "y"])
    assert crossings(units, rounds=2, rule=RULE).crossings.freedom == 2
    assert dealt(40, 5)[1].freedom == 4
    assert dealt(40, 30)[1].freedom == 15


@pytest.mark.parametrize(
    ("fewest", "factor"),
    [(8, 1.5 * 8 / 6), (40, 1.5 * 40 / 38), (80, 1.25 * 80 / 78), (2, 1.5 * 2)],
)
def test_reading_r74_a_figure_that_only_halves_move_has_their_spread(
    fewest: int, factor: float
) -> None:
    """A square whose root the sample shows as 0: both halves of a cut have 2, or both have 0."""
    _, parts = dealt(fewest, 100)
    halves = np.tile([2.0, 2.0, 0.0, 0.0], (2, 32))
    whole_totals, reduced_totals = np.zeros((2, 1)), np.zeros((2, len(parts.members)))
    lacking = 1 - parts.halves
    reduced_totals[:] = (
        halves[0] @ lacking / lacking.sum(axis=0) / 2
    )  # what blocks move by is nothing

    estimate = estimated(Figure(whole_totals, halves, halves, reduced_totals), parts)

    assert (estimate.value, estimate.of_halves) == (-1, 0)
    assert estimate.variance == pytest.approx(factor)  # 0 and 2 have a variance of 1


def test_reading_r74_wheels_noise_cancels_in_the_variance_and_is_all_that_is_left_without_it() -> (
    None
):
    """Cuts that differ by 2 and 4 in the two halves of wheels: (1 x 2) on average, of 8 - 2 units.

    The figure differs by 1 between the halves of its wheels, so twice the figure is off by 1.
    Halves with wheels of their own differ by 4, so the mean of 128 is off by (4 / 2)^2 / 128.
    Where the two disagree about the sign the product is negative, and wheels' noise is all.
    """
    _, parts = dealt(8, 8)
    halves = np.zeros((2, 128))
    halves[:, ::2] = [[2.0], [4.0]]
    whole, apart = np.array([[0.5], [-0.5]]), np.tile([[2.0], [-2.0]], 128)
    figure = Figure(whole, apart, halves, np.zeros((2, 16)))
    assert estimated(figure, parts).variance == 1.5 * 2 * 8 / 6 + 1 + 4 / 128

    halves[1] *= -1
    assert estimated(figure, parts).variance == 1 + 4 / 128


def test_reading_r74_preferences_that_no_task_contradicts_have_an_interval_of_some_width() -> None:
    """Every task says the same, so that wheels are all the noise: three strategies, two opposed."""
    rows = ["A" * 8, "B" * 8, "A" * 8], ["B" * 8, "A" * 8, "A" * 8]
    units = units_of(table(*rows), ["x", "y", "z"])

    actual_crossings = crossings(units, rounds=30, rule=RULE)

    for into in actual_crossings.into:
        for figure in (into.redirected, into.regret, into.harm):
            assert figure.variance is not None
            assert figure.variance > 0
