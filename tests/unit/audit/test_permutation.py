"""Reading R39: the tests behind an audit's p-value."""

from itertools import combinations, product
from math import comb, inf, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epc.audit.permutation import (
    arrangements,
    by_seeds,
    by_tasks,
    by_weights,
    residuals,
    splits,
)
from epc.protocol.table import VerdictTable
from epc.protocol.weights import UpdateRule
from epc.simulation.training import Odds, train, uniform_start
from epc.spec.coupling import LEVEL
from epc.spec.epc_v1 import DOMAINS

RULE = UpdateRule()
A, B, TIE = 0, 1, 2


def repeated(text: list[list[int]], visual: list[list[int]]) -> VerdictTable:
    """Return a table of single verdicts, a strategy a row and a task a column."""
    return VerdictTable(
        counts={
            domain: np.eye(3, dtype=np.int64)[np.array(rows)]
            for domain, rows in zip(DOMAINS, (text, visual), strict=True)
        },
        repeated=True,
    )


def test_reading_r39_opposite_preferences_are_the_most_extreme_of_three_splits() -> None:
    """Worked by hand.

    The first strategy wins both text tasks and loses both visual ones, the second the other way
    round. Four tasks split into two pairs in three ways; the observed one leaves 2 steps of 0.06
    a strategy over, each other one mixes the domains and leaves nothing.
    """
    tested = by_tasks(repeated([[A, A], [B, B]], [[B, B], [A, A]]), RULE)

    assert tested.p_value == pytest.approx(1 / 3)
    assert tested.smallest == pytest.approx(1 / 3)
    assert tested.smallest > LEVEL


def test_reading_r39_eight_tasks_a_domain_can_decide() -> None:
    text = [[A] * 8, [B] * 8]
    tested = by_tasks(repeated(text, text[::-1]), RULE)

    # 12,870 splits of 16 tasks into two sets of 8; a split and its mirror image are one.
    assert tested.p_value == pytest.approx(2 / 12870)
    assert tested.smallest <= LEVEL


ALIKE = [[A] * 8, [B] * 8, [B] * 8]
NOT_ASKED = {"text": np.zeros((2, 3, 3), int), "visual": np.zeros((2, 5, 3), int)}


@pytest.mark.parametrize(
    "table",
    [
        *(repeated([[said] * 8] * 3, [[said] * 8] * 3) for said in (A, B, TIE)),
        *(repeated([[said] * 8] * 3, [[said] * 20] * 3) for said in (A, B, TIE)),
        repeated([[A] * 8] * 3, [[B] * 8] * 3),  # a whole domain leans, and no strategy
        repeated(ALIKE, ALIKE),
        VerdictTable(counts=NOT_ASKED, repeated=True),
    ],
    ids=[
        *("all A", "all B", "all ties", "all A, unequal", "all B, unequal", "all ties, unequal"),
        *("a domain leans", "alike in both domains", "no verdict"),
    ],
)
def test_reading_r39_what_prefers_no_strategy_in_one_domain_alone_never_rejects(
    table: VerdictTable,
) -> None:
    assert by_tasks(table, RULE).p_value == 1


def test_reading_r39_one_task_against_nineteen_cannot_decide() -> None:
    assert by_tasks(repeated([[A], [B]], [[B] * 19, [A] * 19]), RULE).smallest > LEVEL


def test_reading_r39_a_strategy_that_was_never_asked_about_says_nothing() -> None:
    verdict_table = repeated([[A] * 8, [B] * 8], [[B] * 8, [A] * 8])
    further_verdict_table = VerdictTable(
        counts={
            domain: np.concatenate([counts, np.zeros((1, 8, 3), np.int64)])
            for domain, counts in verdict_table.counts.items()
        },
        repeated=True,
    )

    assert by_tasks(further_verdict_table, RULE) == by_tasks(verdict_table, RULE)


def test_reading_r39_a_hundred_rounds_of_one_answer_are_one_answer() -> None:
    """Two tasks a domain cannot decide anything, however often they were asked."""
    text, visual = [[A, A], [B, B]], [[B, B], [A, A]]
    often = repeated(text, visual)
    often = VerdictTable(
        counts={domain: 100 * counts for domain, counts in often.counts.items()}, repeated=False
    )

    assert by_tasks(often, RULE).p_value == pytest.approx(1 / 3)


tables = st.integers(2, 4).flatmap(
    lambda k: st.tuples(
        *[
            st.lists(
                st.lists(st.sampled_from([A, B, TIE]), min_size=4, max_size=4),
                min_size=k,
                max_size=k,
            )
        ]
        * 2
    )
)


@settings(max_examples=60, deadline=None)
@given(tables, st.permutations(range(4)))
def test_reading_r39_names_of_domains_and_order_of_tasks_do_not_matter(
    rows: tuple[list[list[int]], list[list[int]]], order: list[int]
) -> None:
    text, visual = rows
    moved = [[row[task] for task in order] for row in text]

    p_value = by_tasks(repeated(text, visual), RULE).p_value

    assert by_tasks(repeated(visual, text), RULE).p_value == pytest.approx(p_value)
    assert by_tasks(repeated(moved, visual), RULE).p_value == pytest.approx(p_value)
    assert 1 / 35 <= p_value + 1e-12 <= 1 + 1e-12  # 70 splits of 8 into 4 and 4, mirrored


@settings(max_examples=40, deadline=None)
@given(tables)
def test_reading_r39_agrees_with_every_split_worked_out_the_long_way(
    rows: tuple[list[list[int]], list[list[int]]],
) -> None:
    """An independent computation for complete tables, whose additive fit is the two-way means."""
    worth = {A: 0.08, B: -0.04, TIE: 0.0}
    joined = [[worth[v] for v in (*t, *w)] for t, w in zip(*rows, strict=True)]
    grand = np.mean(joined)
    rests = [
        [
            x - np.mean(row) - np.mean([other[task] for other in joined]) + grand
            for task, x in enumerate(row)
        ]
        for row in joined
    ]

    def statistic(chosen: tuple[int, ...]) -> float:
        return float(sum(sum(row[task] for task in chosen) ** 2 for row in rests))

    observed = statistic((0, 1, 2, 3))
    splits = list(combinations(range(8), 4))
    extreme = sum(bool(statistic(split) >= observed - 1e-12) for split in splits)

    assert by_tasks(repeated(*rows), RULE).p_value == pytest.approx(extreme / len(splits))


def test_reading_r39_splits_are_listed_as_far_as_they_may_be_and_drawn_beyond() -> None:
    """Five units are dealt out as two and three in 10 ways."""
    every, listed = splits(2, 3, listed_limit=10)
    some, is_all = splits(2, 3, listed_limit=9, drawn=7)

    assert (listed, is_all) == (True, False)
    assert len(set(map(tuple, every.tolist()))) == 10
    assert (every.sum(axis=1).tolist(), some.sum(axis=1).tolist()) == ([2] * 10, [2] * 7)


def test_reading_r39_drawn_arrangements_come_behind_the_one_that_was_observed() -> None:
    ways = arrangements(2, 3, listed_limit=9, drawn=7)

    assert ways.shape == (8, 5)
    assert ways[0].tolist() == [1, 1, 0, 0, 0]


def test_reading_r39_three_seeds_that_agree_are_one_of_four_swaps() -> None:
    """Swaps of three seeds are 8, 4 up to the mirror image; the observed one is the extreme."""
    text = np.array([[0.6, 0.4], [0.7, 0.3], [0.8, 0.2]])

    assert by_seeds(text, text[:, ::-1]).p_value == pytest.approx(1 / 4)
    assert by_seeds(text, text[:, ::-1]).unit == "seed"


def test_reading_r39_equal_vectors_and_failed_seeds_never_reject() -> None:
    still = np.full((30, 11), 1 / 11)

    assert by_seeds(still, still).p_value == 1


def test_reading_r39_many_seeds_are_swapped_at_random_and_always_alike() -> None:
    rng = np.random.default_rng(4)
    text, visual = rng.dirichlet(np.ones(5), (2, 40))

    tested = by_seeds(text, visual)

    assert tested == by_seeds(text, visual)
    assert tested.smallest == pytest.approx(1 / 10_000)
    assert by_seeds(text, visual[:, ::-1] * 0.0 + text[:, ::-1]).p_value < tested.p_value


def ended(shares: list[float], *, seeds: int, stream: int) -> "np.typing.NDArray[np.float64]":
    """Return pure vectors after 30 rounds of an evaluator with these win rates."""
    odds = Odds(a=np.array(shares), tie=np.zeros(len(shares)))
    start = uniform_start(len(shares), seeds)
    rng = np.random.default_rng(stream)
    return train(start, rounds=30, rule=RULE, odds=odds, rng=rng).T


def test_reading_r39_arbitrary_answers_that_repeat_are_not_called_coupled() -> None:
    """Win rates of a coin that was tossed once for each of eight tasks: its seeds all agree."""
    tossed = np.random.default_rng(0).binomial(8, 0.5, (2, 11)) / 8
    text, visual = (ended(s.tolist(), seeds=30, stream=n) for n, s in enumerate(tossed))

    assert by_seeds(text, visual).p_value < 0.01
    assert by_weights(text, visual, rounds=30, rule=RULE).p_value > 0.05


def test_reading_r39_strong_favourites_stand_out_from_weights_alone() -> None:
    text = ended([0.95] + [0.1] * 10, seeds=10, stream=1)
    visual = ended([0.1] * 10 + [0.95], seeds=10, stream=2)

    tested = by_weights(text, visual, rounds=30, rule=RULE)

    assert tested.p_value < 0.01
    assert tested.unit == "seed"
    assert by_weights(text, text, rounds=30, rule=RULE).p_value == 1


# Domains of unequal size


def called(first: float, second: float, sizes: tuple[int, int], *, runs: int = 60) -> int:
    """Count how often repeated verdicts of these shares of A are called coupled at 5%."""
    rng = np.random.default_rng(6)
    found = 0
    for _ in range(runs):
        text, visual = (
            (rng.random((11, size)) > share).astype(int).tolist()
            for share, size in zip((first, second), sizes, strict=True)
        )
        found += by_tasks(repeated(text, visual), RULE).p_value <= 0.05
    return found


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(8, 8), (8, 40), (8, 60), (60, 8)])
@pytest.mark.parametrize("leaning", [0.5, 0.95, 1.0])
def test_reading_r39_a_domain_that_varies_more_does_not_pass_for_one_that_differs(
    sizes: tuple[int, int], leaning: float
) -> None:
    """A repeated coin against one that leans: no strategy is preferred anywhere."""
    # 5% of 60 are 3; more than 9 come by chance once in 1,000 times
    assert called(0.5, leaning, sizes) <= 9


def test_reading_r39_no_task_is_dropped_from_the_larger_domain() -> None:
    """Which of 40 visual tasks differs moves the p-value, wherever it stands."""
    rng = np.random.default_rng(2)
    text, visual = (rng.integers(0, 2, (3, size)) for size in (8, 40))
    before = by_tasks(repeated(text.tolist(), visual.tolist()), RULE).p_value
    unmoved = 0
    for task in range(40):
        turned = visual.copy()
        turned[0, task] = 1 - turned[0, task]
        unmoved += by_tasks(repeated(text.tolist(), turned.tolist()), RULE).p_value == before

    assert unmoved == 0


def test_reading_r39_tasks_added_to_one_domain_lose_no_power() -> None:
    """A favourite in each domain, 0.8 against 0.3, each verdict drawn once."""
    rng = np.random.default_rng(5)
    found = {8: 0, 40: 0}
    for tasks in found:
        for _ in range(60):
            shares = [np.full((3, 1), 0.3), np.full((3, 1), 0.3)]
            shares[0][0] = shares[1][2] = 0.8
            text, visual = (
                (rng.random((3, size)) > share).astype(int).tolist()
                for share, size in zip(shares, (8, tasks), strict=True)
            )
            found[tasks] += by_tasks(repeated(text, visual), RULE).p_value <= 0.05

    assert found[40] > found[8]


def test_reading_r39_unequal_domains_that_never_overlap_are_the_most_extreme() -> None:
    """Five tasks against 20 are no surer than five against five, which have 126 splits."""
    text, visual = [[A] * 5, [B] * 5], [[B] * 20, [A] * 20]

    tested = by_tasks(repeated(text, visual), RULE)

    assert tested.p_value == tested.smallest == pytest.approx(1 / 126)
    assert by_tasks(repeated(visual, text), RULE) == tested


def test_reading_r72_missing_pair_is_no_tie_in_the_test() -> None:
    """Two of five strategies lack most text tasks; a coin says the rest."""
    rng = np.random.default_rng(9)
    found = 0
    for _ in range(100):
        table = repeated(*(rng.integers(0, 2, (5, 20)).tolist() for _ in DOMAINS))
        table.counts["text"][:2, 3:] = 0
        found += by_tasks(table, RULE).p_value <= 0.05

    assert found <= 13  # more than 13 of 100 at 5% come by chance once in 1,000 times


@pytest.mark.parametrize("seed", range(8))
def test_reading_r39_unequal_domains_are_tested_by_signs_task_by_task(seed: int) -> None:
    """Without vectors: every sign of seven tasks up to the mirror image, 64 of them."""
    draw = np.random.default_rng(seed)
    table = repeated(draw.integers(0, 3, (3, 3)).tolist(), draw.integers(0, 2, (3, 4)).tolist())
    left = residuals(table, RULE)
    sides = [left[:, :3].T.tolist(), left[:, 3:].T.tolist()]

    def statistic(tasks: list[list[list[float]]]) -> float:
        means = [[sum(column) / len(side) for column in zip(*side, strict=True)] for side in tasks]
        apart = sum((a - b) ** 2 for a, b in zip(*means, strict=True))
        variance = sum(
            sum(
                (value - middle) ** 2
                for task in side
                for value, middle in zip(task, mean, strict=True)
            )
            / (len(side) * (len(side) - 1))
            for side, mean in zip(tasks, means, strict=True)
        )
        if apart < 1e-15:
            return 0.0
        return apart / variance if variance > 1e-15 else inf

    freed = []
    for side in sides:
        mean = [sum(column) / len(side) for column in zip(*side, strict=True)]
        wide = sqrt(len(side) / (len(side) - 1))
        freed.append([[wide * (v - m) for v, m in zip(task, mean, strict=True)] for task in side])
    observed, extreme = statistic(sides), 0
    for signs in product((1, -1), repeat=6):
        all_iterators = iter((*signs, 1))
        turned = [
            [[s * v for v in task] for task in side for s in (next(all_iterators),)]
            for side in freed
        ]
        extreme += statistic(turned) >= observed * (1 - 1e-9)
    smallest = 2 / comb(6, 3)
    expected = max(smallest, (1 + extreme) / 65)

    assert by_tasks(table, RULE).p_value == pytest.approx(expected)


def test_reading_r39_what_hardly_any_arbitrary_evaluator_shows_stands_out() -> None:
    """Each domain gives a third more to its favourite: 2 (1/3)^2 apart. An arbitrary evaluator of
    11 strategies leaves them much closer, although all its weights together are 4/11 and more.
    """
    even = np.full(11, (1 - 0.42) / 10)
    favoured = [even.copy() for _ in range(2)]
    for place, vector in enumerate(favoured):
        vector[place] = 0.42
    left, right = (np.tile(vector, (30, 1)) for vector in favoured)

    assert by_weights(left, right, rounds=30, rule=RULE).p_value < LEVEL
