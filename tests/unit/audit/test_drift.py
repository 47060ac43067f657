"""Readings R44 and R45: two verdict tables, pair by pair."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats
from studies.evaluators import Odds, changed, coin, favourites, measure, shifted, table

from epc.audit import drift
from epc.audit.drift import (
    Noise,
    TableDrift,
    compare_fresh,
    compare_mixed,
    compare_reused,
    decide,
    nothing,
    p_of,
    together,
)
from epc.protocol.verdict import Verdict

A, B, TIE = Verdict.A, Verdict.B, Verdict.TIE
VERDICTS = st.sampled_from([A, B, TIE])
PAIRS = st.lists(st.tuples(VERDICTS, VERDICTS), min_size=1, max_size=80)
FACTS = Noise(assumed=0.0)


def split(pairs: list[tuple[Verdict, Verdict]]) -> tuple[list[Verdict], list[Verdict]]:
    return [a for a, _ in pairs], [b for _, b in pairs]


def rng() -> np.random.Generator:
    return np.random.default_rng(44)


# --- answers that were reused


def test_reading_r44_reused_answers_by_hand() -> None:
    left = [A] * 18 + [B, TIE]
    right = [B] * 3 + [A] * 15 + [A, A]

    table_drift = compare_reused(left, right, noise=Noise(assumed=0.05))

    assert (
        table_drift.changed,
        table_drift.towards_a,
        table_drift.towards_b,
        table_drift.pairs,
    ) == (5, 2, 3, 20)
    assert table_drift.estimate == 0.25
    expected = float(stats.binomtest(5, 20, 0.05, alternative="greater").pvalue)
    assert table_drift.p_values["changed"] == pytest.approx(expected)
    assert table_drift.p_values["direction"] == 1.0
    assert table_drift.p_value == pytest.approx(2 * expected)
    assert table_drift.verdict == "drifted"  # 2 x 0.0026
    wilson = stats.binomtest(5, 20).proportion_ci(method="wilson")
    assert table_drift.ci95 == pytest.approx((wilson.low, wilson.high))


def test_reading_r44_flips_that_were_measured_take_the_place_of_the_assumption() -> None:
    left, right = [A, B] * 50, [A, B] * 45 + [B, A] * 5

    table_drift = compare_reused(left, right, noise=Noise(asked=40, flips=3))

    expected = stats.fisher_exact(np.array([[10, 90], [3, 37]]), alternative="greater").pvalue
    assert table_drift.p_values["changed"] == pytest.approx(float(expected))
    assert table_drift.verdict == "cannot_tell"  # no more flips than by asking again, but up to 16%


def test_reading_r44_a_shift_in_leaning_needs_no_noise_level() -> None:
    """Ten of a hundred changed, all of them to B: noise of 15% would go both ways."""
    left, right = [A] * 100, [A] * 90 + [B] * 10

    table_drift = compare_reused(left, right, noise=Noise(asked=100, flips=15))

    assert table_drift.p_values["changed"] > 0.5
    assert table_drift.p_values["direction"] == pytest.approx(2 / 2**10)
    assert table_drift.verdict == "drifted"


def test_reading_r44_of_facts_one_changed_verdict_is_drift() -> None:
    table_drift = compare_reused([A] * 176, [A] * 175 + [B], noise=FACTS)

    assert (table_drift.verdict, table_drift.p_value, table_drift.changed) == ("drifted", 0, 1)


def test_reading_r45_the_same_takes_evidence() -> None:
    # 1 - 0.05^(1/n) is 0.0981 at n = 29 and 0.1015 at n = 28.
    few, enough = ([A] * n for n in (28, 29))

    assert compare_reused(few, few, noise=FACTS).verdict == "cannot_tell"
    assert compare_reused(enough, enough, noise=FACTS).verdict == "same"
    assert compare_reused([], [], noise=FACTS).verdict == "cannot_tell"


@given(st.lists(VERDICTS, max_size=80), st.integers(0, 40), st.integers(0, 40))
def test_reading_r45_a_table_never_drifted_from_itself(
    verdicts: list[Verdict], flips: int, more: int
) -> None:
    table_drift = compare_reused(verdicts, verdicts, noise=Noise(asked=flips + more, flips=flips))

    assert table_drift.verdict in ("same", "cannot_tell")
    assert table_drift.p_value == 1


@given(PAIRS)
def test_reading_r44_nothing_depends_on_which_run_is_named_first(
    pairs: list[tuple[Verdict, Verdict]],
) -> None:
    left, right = split(pairs)
    table_drift = compare_reused(left, right, noise=Noise())
    back = compare_reused(right, left, noise=Noise())

    assert (table_drift.p_value, table_drift.verdict, table_drift.ci95) == (
        back.p_value,
        back.verdict,
        back.ci95,
    )
    assert (table_drift.towards_a, table_drift.towards_b) == (back.towards_b, back.towards_a)


@pytest.mark.slow
@pytest.mark.parametrize("recheck", [0, 40])
def test_reading_r44_flips_alone_are_called_drift_in_at_most_one_of_twenty(recheck: int) -> None:
    """Every pair flips with a chance of its own, 5% on average; half of the pairs never do."""
    draw = np.random.default_rng(recheck)
    runs, pairs = 2000, 160
    chance = np.where(np.arange(pairs) % 2, 0.1, 0.0)
    found = 0
    for _ in range(runs):
        flipped = draw.random(pairs) < chance
        again = draw.random(recheck) < chance[draw.permutation(pairs)[:recheck]]
        noise = Noise(asked=recheck, flips=int(again.sum()))
        left = [A, A, B, B] * (pairs // 4)
        right = [_flipped(v) if f else v for v, f in zip(left, flipped, strict=True)]
        found += compare_reused(left, right, noise=noise).verdict == "drifted"
    assert found / runs <= 0.05 + 3 * (0.05 * 0.95 / runs) ** 0.5


def _flipped(verdict: Verdict) -> Verdict:
    return B if verdict is A else A


# --- where one word ends and the next begins


@pytest.mark.parametrize(
    ("p_changed", "upper", "verdict"),
    [
        (0.025, None, "drifted"),  # 2 x 0.025 is the level itself
        (0.0251, None, "cannot_tell"),
        (0.5, 0.1, "cannot_tell"),  # a bound on the margin is not below it
        (0.5, 0.0999, "same"),
        (0.025, 0.0, "drifted"),
    ],
)
def test_reading_r45_the_words_meet_at_the_level_and_at_the_margin(
    p_changed: float, upper: float | None, verdict: str
) -> None:
    assert decide({"changed": p_changed, "direction": 1.0}, upper, 0.1) == verdict


def test_reading_r44_two_p_values_are_one_by_bonferroni_and_never_above_1() -> None:
    assert together({"changed": 0.25, "direction": 0.125}) == 0.25
    assert together({"changed": 0.75, "direction": 0.625}) == 1.0


def test_reading_r44_what_was_seen_is_one_of_the_shuffles() -> None:
    assert (p_of(0), p_of(1999)) == (1 / 2000, 1)


# --- answers that were asked afresh


def fresh(left: NDArray[np.int64], right: NDArray[np.int64], *, paired: bool = False) -> TableDrift:
    return compare_fresh(left, right, paired=paired, rng=rng())


def test_reading_r44_seeds_that_are_swapped_by_hand() -> None:
    """One pair, five seeds: all A on one side, all B on the other. 2 of 2^5 swaps go as far."""
    left = np.array([[[4, 0, 0]]] * 5)
    right = np.array([[[0, 4, 0]]] * 5)

    table_drift = fresh(left, right, paired=True)

    assert table_drift.p_values["changed"] == pytest.approx(2 / 32, abs=4 * (0.0625 / 2000) ** 0.5)
    assert table_drift.p_values["direction"] == table_drift.p_values["changed"]
    assert table_drift.estimate == 1  # every verdict's probability went from 0 to 1
    assert table_drift.verdict == "cannot_tell"  # five seeds can show nothing


def test_reading_r44_a_pair_that_one_run_alone_asked_about_is_not_compared() -> None:
    both, left_alone, right_alone = [2, 0, 0], [1, 0, 0], [0, 1, 0]
    left = np.array([[both, left_alone, [0, 0, 0]]] * 3)
    right = np.array([[both, [0, 0, 0], right_alone]] * 3)

    assert fresh(left, right).pairs == 1


def test_reading_r44_seeds_that_are_shuffled_by_hand() -> None:
    """Six seeds a side: 2 of the 924 ways to choose six of twelve go as far."""
    left = np.array([[[4, 0, 0]]] * 6)
    right = np.array([[[0, 4, 0]]] * 6)

    table_drift = fresh(left, right)

    assert table_drift.p_values["changed"] == pytest.approx(
        2 / 924, abs=4 * (2 / 924 / 2000) ** 0.5
    )
    assert table_drift.verdict == "drifted"


def test_reading_r44_the_excess_is_unbiased_by_hand() -> None:
    """Two answers a side, A and B on both: within, they never agree; between, half the time."""
    left = right = np.array([[[1, 0, 0]], [[0, 1, 0]]])

    figure, bound = drift._excess(left.astype(float), right.astype(float), paired=False)

    assert figure == pytest.approx(0 / 2 - 1 / 2)
    assert bound is None


def test_reading_r45_the_bound_of_fresh_runs_is_the_jackknife_s_over_the_seeds_of_both() -> None:
    """Each seed of either run is left out in turn, ten and twelve times, with Student's t of 9."""
    draw = np.random.default_rng(45)
    left, right = draw.integers(0, 5, (10, 6, 3)), draw.integers(1, 4, (12, 6, 3))

    def excess(a: NDArray[np.int64], b: NDArray[np.int64]) -> float:
        figure, _ = drift._excess(a.astype(float), b.astype(float), paired=False)
        assert figure is not None
        return figure

    figure, bound = drift._excess(left.astype(float), right.astype(float), paired=False)

    without = [
        [excess(np.delete(left, seed, axis=0), right) for seed in range(10)],
        [excess(left, np.delete(right, seed, axis=0)) for seed in range(12)],
    ]
    variance = sum(float(np.var(figures)) * (len(figures) - 1) for figures in without)
    assert figure is not None
    assert bound == pytest.approx(figure + float(stats.t.ppf(0.95, 9)) * variance**0.5)


def test_reading_r45_the_bound_of_paired_runs_leaves_a_seed_out_of_both_at_once() -> None:
    draw = np.random.default_rng(46)
    left, right = (draw.integers(1, 5, (10, 6, 3)).astype(float) for _ in range(2))

    figure, bound = drift._excess(left, right, paired=True)

    each = []
    for seed in range(10):
        a, b = (np.delete(side, seed, axis=0) for side in (left, right))
        each.append(drift._excess(a, b, paired=True)[0])
    assert figure is not None
    error = (float(np.var(np.array(each, dtype=float))) * 9) ** 0.5
    assert bound == pytest.approx(figure + float(stats.t.ppf(0.95, 9)) * error)


def test_reading_r45_a_fresh_run_never_drifted_from_itself() -> None:
    draw = np.random.default_rng(1)
    for seeds in (1, 2, 12):
        run = measure(coin(), seeds, draw).counts
        table_drift = fresh(run, run, paired=True)
        assert table_drift.p_value == 1
        assert table_drift.verdict == ("same" if seeds == 12 else "cannot_tell")


@pytest.mark.parametrize("paired", [False, True])
def test_reading_r44_fresh_runs_may_be_named_in_either_order(*, paired: bool) -> None:
    draw = np.random.default_rng(2)
    left = measure(coin(), 10, draw).counts
    right = measure(favourites(0.8, 0.4), 10, draw).counts

    assert fresh(left, right, paired=paired) == fresh(right, left, paired=paired)


@pytest.mark.slow
@pytest.mark.parametrize("odds", [coin(), favourites(0.95, 0.1)], ids=["coin", "favourites"])
def test_reading_r44_fresh_runs_of_one_evaluator_seldom_seem_to_differ(
    odds: Odds, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The wheel goes where earlier verdicts sent it, and the test holds its level all the same."""
    monkeypatch.setattr(drift, "SHUFFLES", 199)
    draw, runs = np.random.default_rng(3), 120
    verdicts = [
        compare_fresh(
            measure(odds, 12, draw).counts, measure(odds, 12, draw).counts, paired=False, rng=draw
        ).verdict
        for _ in range(runs)
    ]
    assert verdicts.count("drifted") / runs <= 0.05 + 3 * (0.05 * 0.95 / runs) ** 0.5


def test_reading_r44_a_small_shift_everywhere_shows_in_the_direction() -> None:
    draw = np.random.default_rng(4)
    before, after = measure(coin(), 30, draw), measure(shifted(coin(), 0.06), 30, draw)

    table_drift = fresh(before.counts, after.counts)

    assert table_drift.verdict == "drifted"
    assert table_drift.p_values["direction"] < table_drift.p_values["changed"]


@pytest.mark.slow
def test_reading_r45_a_bound_is_not_below_the_truth() -> None:
    """Verdict probabilities moved by 0.1 everywhere, either way: never `same`."""
    draw = np.random.default_rng(5)
    before = coin()
    after = {d: p + 0.1 * np.where(draw.random(p.shape) < 0.5, 1, -1) for d, p in before.items()}
    uppers = [
        fresh(measure(before, 30, draw).counts, measure(after, 30, draw).counts).upper
        for _ in range(8)
    ]
    assert sum(upper is not None and upper >= 0.1 for upper in uppers) >= 7


def test_reading_r44_many_seeds_are_put_together_and_nothing_is_lost() -> None:
    draw = np.random.default_rng(6)
    run = draw.integers(0, 3, (450, 4, 3))

    grouped = drift._grouped(run)

    assert grouped.shape == (150, 4, 3)
    assert (grouped.sum(axis=0) == run.sum(axis=0)).all()


# --- one of each


def test_reading_r44_one_verdict_against_many_by_hand() -> None:
    """Each of two pairs: the odd one of five is the one that stands alone by 1 in 5."""
    counts = np.array([[4, 0, 0], [4, 0, 0]])

    table_drift = compare_mixed([B, B], counts, rng=rng())

    assert table_drift.p_values["changed"] == pytest.approx(1 / 25, abs=4 * (0.04 / 2000) ** 0.5)
    # Both at B lean 3.2 from the expected 1.2, both at A no more than 0.8.
    assert table_drift.p_values["direction"] == table_drift.p_values["changed"]
    assert table_drift.estimate == 1
    assert table_drift.verdict == "cannot_tell"  # 2 x 0.04


def test_reading_r44_one_table_against_many_answers() -> None:
    draw = np.random.default_rng(7)
    odds = table(draw)
    counts = measure(odds, 10, draw).counts.sum(axis=0)
    once = [A if p else B for p in np.concatenate([odds[d].ravel() for d in odds])]
    seen = counts.sum(axis=1) > 0
    same_table_drift = compare_mixed(
        [v for v, s in zip(once, seen, strict=True) if s], counts[seen], rng=rng()
    )
    turned = changed(odds, 0.05, draw)
    once = [A if p else B for p in np.concatenate([turned[d].ravel() for d in turned])]
    other_table_drift = compare_mixed(
        [v for v, s in zip(once, seen, strict=True) if s], counts[seen], rng=rng()
    )

    assert (same_table_drift.p_value, same_table_drift.verdict) == (
        1,
        "cannot_tell",
    )  # it never says same
    assert other_table_drift.verdict == "drifted"


def test_reading_r45_without_a_common_pair_nothing_can_be_told() -> None:
    assert compare_mixed([], np.zeros((0, 3), np.int64), rng=rng()) == nothing("mixed", 0.1)
