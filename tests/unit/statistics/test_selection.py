"""What picking the best of n gains: by listing every case, and by worlds whose truth is known."""

from itertools import combinations
from math import erf, exp, pi, sqrt

import numpy as np
import pytest

from epc.arrays import Array
from epc.statistics.inference import t_point
from epc.statistics.selection import Picks, picks, turning_point

ITEMS = 6_000
ONE_RIGHT = np.tile([1.0, 0.0, 0.0, 0.0], (ITEMS, 1))


def listed(scores: Array, gold: Array, k: int, n: int) -> list[float]:
    """Return believed, fresh and gold of one item, every subset and combination by itself."""
    askings, answers = scores.shape
    totals = np.zeros(3)
    cases = 0
    for chosen in combinations(range(askings), k):
        others = [a for a in range(askings) if a not in chosen]
        mine = [sum(scores[a][r] for a in chosen) / k for r in range(answers)]
        again = [sum(scores[a][r] for a in others) / len(others) for r in range(answers)]
        for subset in combinations(range(answers), n):
            best = max(mine[r] for r in subset)
            tied = [r for r in subset if mine[r] > best - 1e-9]
            picked = [
                sum(of[r] for r in tied) / len(tied) - sum(of) / answers
                for of in (mine, again, gold.tolist())
            ]
            totals += picked
            cases += 1
    return [float(total) / cases for total in totals]


@pytest.mark.parametrize("k", [1, 2, 3])
def test_reading_r94_counting_gives_what_listing_every_case_gives(k: int) -> None:
    rng = np.random.default_rng(5)
    scores = rng.integers(1, 4, (7, 4, 5)).astype(float)  # many ties
    gold = rng.integers(0, 2, (7, 5)).astype(float)

    done = picks(scores, gold, k)

    for index, n in enumerate(done.sizes):
        for item in range(7):
            counted = [float(of[index, item]) for of in (done.believed, done.fresh, done.gold)]
            assert counted == pytest.approx(listed(scores[item], gold[item], k, n))


def test_reading_r94_a_lower_bound_passes_over_an_answer_that_was_luckily_scored() -> None:
    """Of any two askings the first answer's mean is above 5, and its bound far below."""
    scores = np.array([[[8.0, 5.0], [4.0, 5.0], [7.0, 5.0]]])
    gold = np.array([[0.0, 1.0]])

    by_mean, by_bound = (picks(scores, gold, 2, lower=lower) for lower in (False, True))

    # A bound with one degree of freedom: 7.5 - 6.3 x 0.7 / sqrt(2) is the highest of the three.
    assert 7.5 - t_point(1, 0.1) * sqrt(0.5) / sqrt(2) < 5
    assert by_mean.gold[:, 0].tolist() == [0, -0.5]
    assert by_bound.gold[:, 0].tolist() == [0, 0.5]


def judged(price: Array, taste: float, noise: float) -> tuple[float, float, Array]:
    """Return the fresh gain and both bounds of taste, best of four by four of eight askings."""
    rng = np.random.default_rng(11)
    liking = price[:, None] * ONE_RIGHT + rng.normal(0, taste, (ITEMS, 4))
    scores = liking[:, None] + rng.normal(0, 1, (ITEMS, 8, 4)) * noise
    done = picks(scores, ONE_RIGHT, 4)
    least, most = bounds(done)
    return least, most, done.believed[-1] - done.fresh[-1]


def bounds(done: Picks) -> tuple[float, float]:
    fresh, gain = done.fresh[-1].mean(), done.gold[-1].mean()
    return float(fresh - done.bought[-1].mean()), float(fresh - done.price.mean() * gain)


def best_of_four_normals() -> float:
    """Return the mean of the largest of four standard normal numbers, by summing its density."""
    x = np.linspace(-8, 8, 16_001)
    below = np.array([(1 + erf(value / sqrt(2))) / 2 for value in x])
    density = 4 * below**3 * np.array([exp(-value * value / 2) for value in x]) / sqrt(2 * pi)
    return float((x * density).sum() * (x[1] - x[0]))


def test_reading_r94_noise_that_is_new_at_each_asking_is_luck_and_no_taste() -> None:
    least, most, luck = judged(np.ones(ITEMS), taste=0, noise=1)

    assert least == pytest.approx(0, abs=0.02)
    assert most == pytest.approx(0, abs=0.02)
    assert luck.mean() > 0.1


def test_reading_r94_noise_that_is_frozen_to_an_answer_is_taste_and_no_luck() -> None:
    least, most, luck = judged(np.ones(ITEMS), taste=0.7, noise=0)

    assert (least, most) == pytest.approx((0.26, 0.50), abs=0.03)
    assert luck.mean() == pytest.approx(0, abs=1e-9)


def test_reading_r94_a_price_that_varies_by_item_widens_the_bounds_alone() -> None:
    """Half the items pay 2 points, half none: 1/2 x 2 x 3/4 less 1 x 3/8 is 3/8."""
    least, most, _ = judged(np.tile([0.0, 2.0], ITEMS // 2), taste=0, noise=0)

    assert (least, most) == pytest.approx((0, 0.375), abs=1e-6)


def test_reading_r94_taste_alone_is_at_most_all_of_the_gain() -> None:
    """Of the best of four by taste a right answer has a quarter, so an item seems to pay for it.

    With s the spread and m the best of four: m s is the gain; where the right one is picked the
    price is 4/3 m s, in a quarter of the items, less what all positive prices are, 1/4 of their
    mean: that part looks honest.
    """
    spread = 1.4
    gain = best_of_four_normals() * spread
    positive = spread * sqrt(4 / 3) / sqrt(2 * pi)  # the mean of a normal price's positive part
    honest = gain / 3 - positive / 4

    least, most, _ = judged(np.zeros(ITEMS), taste=spread, noise=0)

    assert honest == pytest.approx(0.32, abs=0.005)
    assert (least, most) == pytest.approx((gain - honest, gain), abs=0.04)
    assert least == pytest.approx(1.12, abs=0.03)


@pytest.mark.parametrize(
    ("gains", "ends"),
    [
        ((0, 0.1, 0.2, 0.25), (None, None)),
        ((0, 0.2, 0.3, 0.1), (4, 4)),
        ((0, -0.1, -0.2, -0.3), (2, 2)),
        ((0, 0.3, 0.3, 0.1), (3, 4)),
        ((0, 0.3, 0.3, 0.3), (3, None)),
    ],
)
def test_reading_r94_the_hacking_threshold_is_where_gold_is_shown_to_fall(
    gains: tuple[float, ...], ends: tuple[int | None, int | None]
) -> None:
    rng = np.random.default_rng(3)
    gold = np.array(gains)[:, None] + rng.normal(0, 0.1, (4, 400))
    gold[0] = 0

    assert turning_point(gold, np.arange(400), [1, 2, 3, 4]) == ends


def test_reading_r94_a_flat_curve_has_a_threshold_in_1_of_40_tables_at_most() -> None:
    rng = np.random.default_rng(4)
    found = 0
    for _ in range(300):
        gold = np.concatenate([np.zeros((1, 100)), rng.normal(0, 0.3, (3, 100))])
        found += turning_point(gold, np.arange(100), [1, 2, 3, 4])[1] is not None

    assert found / 300 < 0.025 + 2 * (0.025 / 300) ** 0.5
