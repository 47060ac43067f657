"""A spot check is exact, and the odds on its page are those that are computed and simulated."""

from functools import cache
from itertools import pairwise
from math import comb
from pathlib import Path

import numpy as np
import pytest

from epc.statistics.e_process import agreement, exact_interval, p_odd

PAGE = Path(__file__).parents[3] / "site" / "docs" / "spot-check.md"
# The rows of the table: how often the record is not what the evaluator mostly says.
WRONG = {
    "random verdicts": 0.5,
    "another model that agrees on 70%": 0.3,
    "another model that agrees on 80%": 0.2,
    "90% copies, the rest turned": 0.1,
    "90% copies, the rest random": 0.05,
}


def passing(pairs: int, *, wrong: float, flips: float) -> float:
    """Return the probability that a record is not found to differ.

    `wrong` is the share of recorded verdicts that are not what the evaluator mostly says, `flips`
    the share of pairs on which two fresh answers of it differ.
    """
    odd, even = (1 - flips) * wrong, flips
    rest = 1 - odd - even
    total = 0.0
    for uneven in range(pairs + 1):
        for is_odd in range(uneven + 1):
            if p_odd(is_odd, uneven) > 0.05:
                ways = comb(pairs, uneven) * comb(uneven, is_odd)
                share = odd**is_odd * even ** (uneven - is_odd) * rest ** (pairs - uneven)
                total += ways * share
    return total


def honest(flips: float) -> float:
    """Return the share of wrong verdicts in a record that is the evaluator's own.

    Of three answers of which any two differ on a share of the pairs, each is the odd one on half of
    that share.
    """
    return flips / 2 / (1 - flips)


def test_the_interval_is_clopper_and_pearsons() -> None:
    """All of 20: the lower end is the share of which 20 in a row have probability 0.025."""
    assert exact_interval(20, 20) == pytest.approx((0.025 ** (1 / 20), 1.0))
    assert exact_interval(0, 20) == pytest.approx((0.0, 1 - 0.025 ** (1 / 20)))
    assert exact_interval(15, 20) == pytest.approx((0.50895, 0.91343), abs=1e-5)  # SciPy's


def test_each_of_three_answers_is_the_odd_one_as_likely_as_another() -> None:
    assert p_odd(0, 0) == 1.0
    assert p_odd(3, 3) == pytest.approx(1 / 27)
    assert p_odd(1, 2) == pytest.approx(5 / 9)  # 1 - (2/3)^2


def test_the_words() -> None:
    same = [("A", "A", "A"), ("B", "B", "B")] * 10
    three_wrong = [("B", "A", "A")] * 2 + [("A", "B", "B")] + same[:17]
    one_sided = [("A", "A", "A")] * 20

    assert agreement(same).verdict == "agrees"
    assert (agreement(same).agreed, agreement(same).chance) == (20, 0.5)
    assert agreement(three_wrong).verdict == "differs"  # 1/27 is below 0.05
    assert agreement(three_wrong[1:] + same[:1]).verdict == "agrees"  # 1/9 is not
    assert agreement(one_sided).verdict == "cannot_tell"


def test_an_answer_that_is_neither_tells_nothing() -> None:
    found = agreement([("tie", "A", "B")] * 4 + [("A", "A", "B")] * 2)

    assert (found.uneven, found.odd, found.flipped, found.agreed) == (2, 0, 6, 2)


def test_an_honest_record_differs_in_at_most_one_of_twenty_checks() -> None:
    for pairs in (10, 20, 50, 100):
        for flips in (0.0, 0.01, 0.05, 0.2, 0.5):
            assert passing(pairs, wrong=honest(flips), flips=flips) >= 0.95


def test_more_pairs_catch_more() -> None:
    for wrong in WRONG.values():
        odds = [passing(n, wrong=wrong, flips=0.02) for n in (20, 50, 100)]
        assert all(a > b for a, b in pairwise(odds))


def rows() -> dict[str, list[str]]:
    cells = [line.strip("|").split("|") for line in PAGE.read_text().splitlines() if "|" in line]
    return {row[0].strip(): [cell.strip() for cell in row[1:]] for row in cells}


@pytest.mark.parametrize("who", [*WRONG, "the evaluator itself"])
def test_the_odds_on_the_page_are_the_computed_ones(who: str) -> None:
    expected = []
    for flips in (0.0, 0.05):
        wrong = WRONG.get(who, honest(flips))
        expected += [passing(n, wrong=wrong, flips=flips) for n in (20, 50, 100)]

    assert rows()[who] == [_percent(odds) for odds in expected]


def _percent(odds: float) -> str:
    return f"{100 * odds:.1f}%" if odds >= 0.001 else "below 0.1%"


@cache
def word(answers: tuple[tuple[str, str, str], ...]) -> str:
    """Return what is said of a check, in whatever order its questions come."""
    return agreement(answers).verdict


@pytest.mark.parametrize("flips", [0.0, 0.05])
@pytest.mark.parametrize("who", ["random verdicts", "another model that agrees on 80%", "honest"])
def test_simulated_checks_pass_as_often_as_computed(who: str, flips: float) -> None:
    """Each evaluator has a true verdict a pair, which an answer misses with a small probability.

    Two answers then differ on the share `flips` of the pairs: 2 q (1 - q) = flips.
    """
    rng, n, checks = np.random.default_rng(20261123), 20, 2_000
    q = (1 - (1 - 2 * flips) ** 0.5) / 2
    true = rng.random((checks, n)) < 0.5
    answers = [true ^ (rng.random(true.shape) < q) for _ in range(3)]
    if who != "honest":
        answers[0] = true ^ (rng.random(true.shape) < WRONG[who])
    passed = sum(
        word(tuple(sorted(zip(*each, strict=True)))) != "differs"
        for each in zip(*(np.where(answer, "B", "A").tolist() for answer in answers), strict=True)
    )
    wrong = WRONG.get(who, honest(flips))

    computed = passing(n, wrong=wrong, flips=flips)

    assert passed / checks == pytest.approx(computed, abs=0.035)
