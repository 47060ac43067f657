"""Reading R71: the p-value of redirected choices, by enumeration and by hand."""

from itertools import combinations
from math import sqrt

import numpy as np
import pytest
from audit_support import Rows, table
from numpy.typing import NDArray
from oracle.observed_wheels import by_chance

from epc.audit import redirection
from epc.audit.redirection import (
    RedirectionTest,
    recursion,
    redirected_interval,
    redirection_test,
)
from epc.audit.resampled import Estimate
from epc.audit.transfer import Rates
from epc.audit.units import Groups, Units, units_of
from epc.protocol.weights import UpdateRule
from epc.spec.epc_v1 import ROUNDS

RULE = UpdateRule()
Array = NDArray[np.float64]
NOTHING = Estimate(value=0.0, variance=None, of_halves=None, freedom=0)


def units(text: Rows, visual: Rows, groups: Groups | None = None) -> Units:
    return units_of(table(text, visual), "xyzuvw"[: len(text)], groups)


def ended(*phases: list[float], rounds: int = 1, tie: float = 0, rule: UpdateRule = RULE) -> Array:
    """Return the recursion's weights after phases from a uniform start."""
    k = len(phases[0])
    weights = np.full((k, 1), 1 / k)
    for rates in phases:
        ties = np.full(k, tie)
        weights = recursion(weights, np.array(rates)[:, None], ties, rounds=rounds, rule=rule)
    return weights[:, 0]


def test_reading_r70_a_round_of_the_recursion_is_the_mean_of_what_the_round_could_do() -> None:
    """x wins: (0.58, 0.5) / 1.08; y loses: (0.5, 0.46) / 0.96. Each with probability a half."""
    one = ended([1, 0])

    x = (0.58 / 1.08 + 0.5 / 0.96) / 2
    assert one == pytest.approx([x, 1 - x], abs=1e-15)

    two = ended([1, 0], rounds=2)
    y = 1 - x
    x2 = x * (x + 0.08) / 1.08 + y * x / 0.96
    assert two == pytest.approx([x2, 1 - x2], abs=1e-15)
    assert ended([1, 0], [1, 0]) == pytest.approx([x2, 1 - x2], abs=1e-15)


def test_reading_r70_a_round_of_mixed_rates_has_every_outcome_at_its_probability() -> None:
    """Three strategies, rates 0.5, 0.25 and 0, a third of the rounds tied."""
    expected = np.zeros(3)
    for chosen, rate in enumerate((0.5, 0.25, 0.0)):
        for step, share in ((0.08, rate * 2 / 3), (-0.04, (1 - rate) * 2 / 3), (0.0, 1 / 3)):
            weights = np.full(3, 1 / 3)
            weights[chosen] += step
            expected += share / 3 * weights / weights.sum()

    assert ended([0.5, 0.25, 0.0], tie=1 / 3) == pytest.approx(expected, abs=1e-15)


def test_epc_2_3_c_the_floor_holds_a_weight_that_loses() -> None:
    """With a step of 0.6 and a floor of 0.2, 0.5 falls to 0.2 and the other has 0.5 / 0.7."""
    rule = UpdateRule(alpha_win=0.5, alpha_lose=0.6, weight_floor=0.2)

    x = (0.2 / 0.7 + 0.5 / 0.7) / 2  # either loses with probability a half
    assert ended([0, 0], rule=rule) == pytest.approx([x, 1 - x])
    # x wins: 1.0 / 1.5; y loses: 0.5 / 0.7.
    assert ended([1, 0], rule=rule)[0] == pytest.approx((1.0 / 1.5 + 0.5 / 0.7) / 2)


def test_reading_r70_the_statistic_adds_both_directions() -> None:
    """One round a phase. K is 2, so half the absolute difference of the pair is that of x."""
    rates = Rates(np.array([[1.0], [0.0]]), np.array([[0.25], [0.75]]))

    (found,) = redirection._redirected(rates, np.zeros(2), rounds=1, rule=RULE)

    first, second = [1.0, 0.0], [0.25, 0.75]
    into_first = abs(ended(second, first)[0] - ended(first, first)[0])
    into_second = abs(ended(first, second)[0] - ended(second, second)[0])
    assert found == pytest.approx(into_first + into_second, abs=1e-15)
    assert found > 0.02


def p_by_enumeration(units: Units, rounds: int) -> float:
    """Return the share of all choices of first units that redirect as much, both halves listed."""
    total, first = len(units.won), units.first
    found = []
    for chosen in combinations(range(total), first):
        at = np.isin(np.arange(total), chosen)
        sides = [
            list(units.won[side].sum(axis=0) / units.decided[side].sum(axis=0))
            for side in (at, ~at)
        ]
        found.append(
            sum(
                np.abs(ended(b, a, rounds=rounds) - ended(a, a, rounds=rounds)).sum() / 2
                for a, b in (sides, sides[::-1])
            )
        )
    own = found[0]  # the first choice is that of the first units
    return float(np.mean(np.array(found) >= own * (1 - 1e-9)))


@pytest.mark.parametrize(
    ("text", "visual"),
    [
        (["AAAA", "BBBB"], ["BBBB", "AAAA"]),
        (["AABA", "BBAB", "ABAB"], ["BABB", "AAAB", "BBAA"]),
        (["AABA", "BBAB", "ABAB"], ["ABAB", "BBAB", "ABAA"]),
        (["AAA", "BBA"], ["BABAB", "AABAA"]),
        (["AB", "BA"], ["AB", "BA"]),
    ],
)
def test_reading_r71_p_value_is_that_of_all_splits_listed(
    text: list[str], visual: list[str]
) -> None:
    input_units = units(text, visual)

    test, _ = redirection_test(input_units, NOTHING, rounds=4, rule=RULE)

    assert test.p_value == pytest.approx(p_by_enumeration(input_units, 4), abs=1e-12)
    assert test == RedirectionTest(
        p_value=test.p_value, unit="task", method="permutation", splits=input_units.splits
    )


def test_reading_r71_four_opposed_tasks_a_domain_are_the_most_extreme_of_35_splits() -> None:
    test, chance = redirection_test(
        units(["AAAA", "BBBB"], ["BBBB", "AAAA"]), NOTHING, rounds=30, rule=RULE
    )

    assert test.p_value == pytest.approx(1 / 35)
    assert test.splits == 35
    assert all(0 < share < 0.5 for share in chance)


def test_reading_r71_where_nothing_crosses_every_split_is_as_extreme() -> None:
    for rounds in (0, 30, 31):
        test, chance = redirection_test(
            units(["AAAA", "BBBB"], ["AAAA", "BBBB"]), NOTHING, rounds=rounds, rule=RULE
        )
        assert test.p_value == 1
        assert chance == (0, 0)


def test_reading_r71_more_splits_than_are_listed_are_drawn_and_the_observed_one_counts() -> None:
    """8 and 8 have 6,435: of 1,999 drawn none but its mirror image or itself is as extreme."""
    input_units = units(["A" * 8, "B" * 8], ["B" * 8, "A" * 8])

    test, _ = redirection_test(input_units, NOTHING, rounds=5, rule=RULE)

    assert test.splits == 6435
    assert round(test.p_value * 2000) in {1, 2, 3}


def test_reading_r70_past_thirty_rounds_the_wheels_themselves_are_permuted() -> None:
    """499 are drawn, so the least p-value is 1 in 500; fewer are all listed, the observed first.

    7 and 7 have 1,716 splits: too many for wheels, and not the first 499 of the list, which all
    share most of the observed first domain.
    """
    least = {
        n: redirection_test(
            units(["A" * n, "B" * n], ["B" * n, "A" * n]), NOTHING, rounds=31, rule=RULE
        )[0].p_value
        for n in (8, 7, 4)
    }

    assert least == pytest.approx({8: 1 / 500, 7: 1 / 500, 4: 1 / 35})


def test_reading_r70_past_thirty_rounds_drawn_splits_are_from_all_of_the_list() -> None:
    """A round more changes little, so the p-value is about that of all 1,716 after thirty rounds.

    Of 500 drawn splits it has a standard error of 0.018; the first 499 of the list give 0.08.
    """
    input_units = units(["ABBABBB", "BAABABA", "ABABBAA"], ["BBBABAA", "AAAAAAA", "ABABABB"])

    listed, drawn = (
        redirection_test(input_units, NOTHING, rounds=rounds, rule=RULE)[0].p_value
        for rounds in (30, 31)
    )

    assert listed == pytest.approx(0.189, abs=0.001)
    assert drawn == pytest.approx(listed, abs=0.06)


def test_reading_r70_chance_is_what_arrangements_redirect_on_average() -> None:
    """Two tasks that disagree: of {a a | b b} and {a b | a b} twice only the first redirects."""
    input_units = units(["AA", "BB"], ["BB", "AA"])

    _, chance = redirection_test(input_units, NOTHING, rounds=1, rule=RULE)

    # One round after one round: x is redirected by the two starts' distance, much as they are.
    whole = abs(ended([0, 1], [1, 0])[0] - ended([1, 0], [1, 0])[0])
    assert chance == pytest.approx((whole / 3, whole / 3), abs=0.002)


def test_reading_r73_more_than_twice_as_many_units_are_held_against_their_own_spread() -> None:
    """3 and 6 are permuted, 3 and 7 are not: t = 0.3 / 0.1 with two degrees of freedom."""
    crossing = Estimate(value=0.3, variance=0.01, of_halves=0.01, freedom=2)

    even, uneven = (
        redirection_test(units(["AAA", "BBB"], ["B" * n, "A" * n]), crossing, rounds=3, rule=RULE)[
            0
        ]
        for n in (6, 7)
    )

    assert (even.method, uneven.method) == ("permutation", "jackknife")
    assert even.p_value == pytest.approx(1 / 84)
    assert uneven.splits == 120
    # Of two degrees of freedom the tail is (1 - t / sqrt(2 + t^2)) / 2.
    assert uneven.p_value == pytest.approx((1 - 3 / sqrt(11)) / 2)


@pytest.mark.parametrize(
    ("value", "variance", "p_value"),
    [
        (0.0, 0.01, 0.5),
        (-0.3, 0.01, (1 + 3 / sqrt(11)) / 2),  # less than nothing crosses
        (0.3, None, 1.0),  # a single unit has no spread
        (0.0, 0.0, 1.0),
    ],
)
def test_reading_r73_the_bound_is_one_sided(
    value: float, variance: float | None, p_value: float
) -> None:
    input_units = units(["AAA", "BBB"], ["B" * 7, "A" * 7])
    crossing = Estimate(value=value, variance=variance, of_halves=variance, freedom=2)

    test, _ = redirection_test(input_units, crossing, rounds=3, rule=RULE)

    assert test.p_value == pytest.approx(p_value)


def test_reading_r74_groups_are_what_is_dealt_out() -> None:
    groups: Groups = {"text": ["one", "one", "two", "two"], "visual": ["one", "one", "two", "two"]}

    test, _ = redirection_test(
        units(["AAAA", "BBBB"], ["BBBB", "AAAA"], groups), NOTHING, rounds=3, rule=RULE
    )

    assert (test.unit, test.splits) == ("group", 3)
    assert test.p_value == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("p_value", "low"), [(0.05, 0.3 - 2.364624252 * 0.1), (0.0501, 0.0), (1.0, 0.0)]
)
def test_reading_r74_zero_is_in_the_interval_of_a_share_that_is_not_shown(
    p_value: float, low: float
) -> None:
    """Student's t with 7 degrees of freedom has its 97.5% point at 2.3646."""
    share = Estimate(value=0.3, variance=0.01, of_halves=0.01, freedom=7)

    assert redirected_interval(share, p_value) == pytest.approx((low, 0.3 + 2.364624252 * 0.1))


def test_reading_r74_a_share_of_choices_is_between_none_and_all() -> None:
    wide = Estimate(value=0.4, variance=1.0, of_halves=1.0, freedom=7)

    assert redirected_interval(wide, 0.01) == (0.0, 1.0)
    assert redirected_interval(NOTHING, 0.01) is None


def test_reading_r71_chance_into_either_domain_is_that_of_the_second_computation() -> None:
    """Two tasks of text against four; half of visual's verdicts on the third strategy tie."""
    input_units = units(["AA", "BB", "AB"], ["BBAA", "ABBA", "BtAt"])
    lost = input_units.decided - input_units.won
    tasks = np.stack([input_units.won, lost, input_units.tied], axis=2).astype(int).tolist()
    ties = (input_units.ties[0].tolist(), input_units.ties[1].tolist())

    _, chance = redirection_test(input_units, NOTHING, rounds=ROUNDS, rule=RULE)

    assert chance == pytest.approx(by_chance(tasks, input_units.first, ties), abs=1e-12)
    assert abs(chance[0] - chance[1]) > 0.01
