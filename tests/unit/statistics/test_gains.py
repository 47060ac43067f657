"""Readings R93 and R95: gains, prices and parts, against sums worked out another way."""

import numpy as np
import pytest
from scipy import stats

from epc.statistics.gains import (
    FEWEST_CHANGED,
    assisted_gain,
    can_be_priced,
    changes_are_few,
    difference_of_gains,
    error_rate,
    exchange,
    gain,
    gain_of_few,
    labels_for_margin,
    parted,
)


def test_reading_r93_labels_of_all_items_need_no_help() -> None:
    gold = np.tile([1.0, 0, 0, -1, 1], 4)
    judge = np.tile([2.0, 0, 1, -1, 0], 4)
    actual_assisted_gain = assisted_gain(gold, judge, judge)

    assert actual_assisted_gain.value == pytest.approx(0.2)
    assert actual_assisted_gain.ci95 == gain(gold).ci95
    assert (actual_assisted_gain.labelled, actual_assisted_gain.worth) == (20, 20)
    assert actual_assisted_gain.correlation == pytest.approx(np.corrcoef(gold, judge)[0, 1])


def test_reading_r93_the_judge_helps_where_labels_are_missing() -> None:
    """The intercept form of the same regression, by SciPy."""
    rng = np.random.default_rng(3)
    every = rng.normal(1, 1, 60)
    judge = every[:20]
    gold = 0.4 * judge + rng.normal(0, 0.3, 20)
    line = stats.linregress(judge, gold)
    residuals = gold - line.intercept - line.slope * judge
    variance = (residuals**2).sum() / 18 / 20 + line.slope**2 * every.var(ddof=1) / 60
    half = stats.t.ppf(0.975, 18) * np.sqrt(variance)
    actual_assisted_gain = assisted_gain(gold, judge, every)

    assert actual_assisted_gain.value == pytest.approx(line.intercept + line.slope * every.mean())
    assert actual_assisted_gain.ci95 == pytest.approx(
        (actual_assisted_gain.value - half, actual_assisted_gain.value + half)
    )
    assert actual_assisted_gain.worth == pytest.approx(gold.var(ddof=1) / variance)
    assert actual_assisted_gain.worth > 20


def test_reading_r93_a_judge_that_never_changes_helps_nothing() -> None:
    actual_assisted_gain = assisted_gain(np.array([1.0, 0, 1]), np.zeros(3), np.zeros(9))

    assert actual_assisted_gain.value == pytest.approx(2 / 3)
    assert (actual_assisted_gain.worth, actual_assisted_gain.correlation) == (3, 0)


@pytest.mark.parametrize(
    ("better", "worse", "middle", "variance"),
    [
        # (b + 1) / 42 less (c + 1) / 42; their sum less the square of that, over 42.
        (0, 0, 0, 84 / 42**3),
        (1, 0, 1 / 42, 125 / 42**3),
        (2, 1, 1 / 42, 209 / 42**3),
    ],
)
def test_reading_r102_few_labels_that_change_never_have_an_interval_without_width(
    better: int, worse: int, middle: float, variance: float
) -> None:
    """The judge's scores do not help: 300 of them leave the interval as it is."""
    gold = np.zeros(40)
    gold[:better], gold[better : better + worse] = 1, -1
    judge = np.random.default_rng(1).normal(size=300)
    figure = assisted_gain(gold, judge[:40] + gold, judge)
    half = 1.959963984540054 * np.sqrt(variance)

    assert figure.value == pytest.approx((better - worse) / 40)
    assert figure.ci95 == pytest.approx((middle - half, middle + half))
    assert figure.worth == 40


def test_reading_r102_half_a_label_is_half_a_change_and_a_wide_scale_has_its_own_unit() -> None:
    halves = gain_of_few(np.array([0.5, -0.5, *[0.0] * 38])).ci95
    half = 1.959963984540054 * np.sqrt(3 / 42 / 42)
    wide = gain_of_few(np.array([4.0, -4.0, *[0.0] * 38])).ci95
    wide_half = 4 * 1.959963984540054 * np.sqrt(4 / 42 / 42)

    assert halves == pytest.approx((-half, half))
    assert wide == pytest.approx((-wide_half, wide_half))


def test_reading_r102_an_interval_by_counting_stays_within_what_there_can_be() -> None:
    """(4 - 1) / 5 and its half width 1.96 sqrt((5 / 5 - 0.36) / 5) = 0.70 pass 1 together."""
    ends = gain_of_few(np.ones(3)).ci95

    assert ends == pytest.approx((0.6 - 1.959964 * np.sqrt(0.128), 1.0))


@pytest.mark.parametrize("changed", [FEWEST_CHANGED - 1, FEWEST_CHANGED])
def test_reading_r102_ten_changed_labels_show_their_spread(changed: int) -> None:
    gold = np.repeat([1.0, 0.0], [changed, 60])

    assert changes_are_few(gold) == (changed < 10)
    figure = assisted_gain(gold, np.zeros(len(gold)), np.zeros(len(gold)))
    assert (figure.ci95 == gain(gold).ci95) == (changed == 10)


@pytest.mark.parametrize(("true_gain", "labels"), [(0.0, 1256), (0.05, 312), (0.1, 137)])
def test_reading_r102_a_plan_says_how_many_labels_exclude_a_loss(
    true_gain: float, labels: int
) -> None:
    """That many, and hardly fewer, exclude a loss of 5 points 8 times in 10."""
    draws = np.random.default_rng(2)
    share = (0.4 + true_gain) / 2, (0.4 - true_gain) / 2
    gold = draws.choice([1.0, -1.0, 0.0], p=[*share, 0.6], size=(6000, labels))
    half = stats.t.ppf(0.975, labels - 1) * gold.std(axis=1, ddof=1) / np.sqrt(labels)

    assert labels_for_margin(true_gain, 0.05) == labels
    assert (gold.mean(axis=1) - half > -0.05).mean() == pytest.approx(0.8, abs=0.02)


def test_reading_r93_price_is_the_slope_over_changed_outputs_and_taste_what_is_left() -> None:
    """Outputs that did not change are no part of the price, and of the taste with their zeros."""
    rng = np.random.default_rng(4)
    gold = rng.integers(0, 2, 200).astype(float)
    judge = 0.5 + 2 * gold + rng.normal(0, 0.1, 200)
    changed = np.arange(200) % 4 > 0
    gold[~changed] = judge[~changed] = 0
    slope = stats.linregress(gold[changed], judge[changed]).slope
    actual_exchange = exchange(judge, gold, changed)

    assert actual_exchange.price.value == pytest.approx(slope)
    taste = judge.mean() - slope * gold.mean()
    assert actual_exchange.taste.value == pytest.approx(taste)
    for figure in (actual_exchange.price, actual_exchange.taste):
        assert figure.ci95 is not None
        assert figure.ci95[0] < (figure.value or 0) < figure.ci95[1]
    # The taste is 0.5 on the three quarters that changed; its interval is about sd / sqrt(n) wide.
    assert actual_exchange.taste.value == pytest.approx(0.375, abs=0.05)


def test_reading_r93_intervals_of_an_exchange_are_those_of_matrices() -> None:
    """The sandwich HC3 by matrices."""
    rng = np.random.default_rng(5)
    gold = np.repeat([-1.0, 0, 1], [6, 70, 14])
    judge = 1 + 2 * gold + rng.normal(0, 0.5 + np.abs(gold), 90)
    actual_exchange = exchange(judge, gold, np.ones(90, dtype=bool))
    design = np.stack([np.ones(90), gold], axis=1)
    inverse = np.linalg.inv(design.T @ design)
    intercept, slope = inverse @ design.T @ judge
    off = judge - intercept - slope * gold
    off /= 1 - np.diag(design @ inverse @ design.T)
    moves = (inverse @ design.T * off)[1]
    half = stats.t.ppf(0.975, 88) * np.sqrt((moves**2).sum())

    assert actual_exchange.price.ci95 == pytest.approx((slope - half, slope + half))
    taste = judge.mean() - slope * gold.mean()
    of_taste = (judge - slope * gold - taste) / 90 - gold.mean() * moves
    half = stats.t.ppf(0.975, 89) * np.sqrt((of_taste**2).sum())
    assert actual_exchange.taste.ci95 == pytest.approx((taste - half, taste + half))


@pytest.mark.parametrize(
    ("equal", "other", "can"), [(10, 10, True), (9, 99, False), (99, 9, False)]
)
def test_reading_r93_a_price_takes_ten_of_equal_and_ten_of_other_gold(
    equal: int, other: int, *, can: bool
) -> None:
    assert can_be_priced(np.array([0.0] * equal + [1.0] * other)) == can


def test_reading_r93_labels_that_err_in_a_tenth_disagree_in_18_percent() -> None:
    assert error_rate(0.18) == pytest.approx(0.1)
    assert error_rate(0) == 0
    assert error_rate(0.9) == 0.5


def test_reading_r93_luck_has_the_width_of_two_independent_intervals() -> None:
    left, right = gain(np.array([1.0, 2, 3])), gain(np.array([0.0, 1, 5, 2]))
    figure = difference_of_gains(left, right)
    halves = [(f.ci95[1] - f.ci95[0]) / 2 for f in (left, right, figure) if f.ci95]

    assert figure.value == 0
    assert halves[2] == pytest.approx(np.hypot(halves[0], halves[1]))


def test_reading_r95_the_parts_of_a_change_add_up() -> None:
    change = np.array([1.0, 2, 0, 1, 3, 1, 2, 2, 0, 1, 1, 4])
    places = np.arange(10)
    anchors = np.array([1.0, 1, 0, 0, 2, 1, 1, 1, 0, 0])
    change_parts = parted(change, anchors, places)
    covariance = np.cov(change[:10], anchors)[0, 1]
    variance = change.var(ddof=1) / 12 + anchors.var(ddof=1) / 10 - 2 * covariance / 12

    assert change_parts.change.value == 1.5
    assert change_parts.judge.value == pytest.approx(0.7)
    assert change_parts.system.value == pytest.approx(0.8)
    half = stats.t.ppf(0.975, 9) * np.sqrt(variance)
    assert change_parts.system.ci95 == pytest.approx((0.8 - half, 0.8 + half))
