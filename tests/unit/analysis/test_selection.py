"""Intervals of the best of n cover what they say; the study has more worlds (Reading R94)."""

from math import sqrt
from typing import Any

import numpy as np
import pytest
from scipy import stats

from epc.analysis.selection import ALL, _judged, _wanted_domains, selections
from epc.errors import UsageError
from epc.records.banks import Bank


def test_reading_r94_intervals_cover_a_taste_of_none_and_the_luck_that_there_is() -> None:
    """Scores are gold and noise that is new at each asking, so all that is not gold is luck.

    The truth of luck is the mean over all repeats; that of taste is 0.
    """
    rng = np.random.default_rng(17)
    right = np.tile([1.0, 0.0, 0.0, 0.0], (80, 1))
    ids = np.arange(80)
    found: dict[str, list[tuple[float, float, float]]] = {}
    for _ in range(150):
        bank = Bank(
            judge="j",
            item=ids,
            cluster=ids,
            domain=np.zeros(80, np.int64),
            domains=["all"],
            scores=right[:, None] + rng.normal(0, 1, (80, 8, 4)),
            gold=right,
            left_out=0,
        )
        (done,) = selections([bank], 2)
        for name, figure in done.domains["all"].gains[-1].figures.items():
            assert figure.ci95
            found.setdefault(name, []).append((figure.value, *figure.ci95))

    for name in ("taste_least", "taste_most", "luck", "fresh", "gold"):
        values, low, high = np.array(found[name]).T
        truth = 0.0 if name.startswith("taste") else values.mean()
        assert 0.88 <= ((low <= truth) & (truth <= high)).mean() <= 1, name


Values = Any  # arrays, of any shape


def bank(scores: Values, gold: Values, **input_fields: Any) -> Bank:
    ids = np.arange(len(gold))
    fields: dict[str, Any] = {
        "judge": "j", "item": ids, "cluster": ids, "domain": np.zeros(len(gold), np.int64),
        "domains": [ALL], "scores": scores, "gold": gold, "left_out": 3,
    }  # fmt: skip
    return Bank(**fields | input_fields)


def two_askings(items: int = 20) -> tuple[Values, Values]:
    rng = np.random.default_rng(5)
    gold = np.zeros((items, 3))
    gold[np.arange(items), rng.integers(0, 3, items)] = 1.0
    return gold[:, None] + rng.normal(0, 1, (items, 2, 3)), gold


def test_reading_r94_gains_are_those_of_the_best_by_one_asking_seen_by_both() -> None:
    scores, gold = two_askings()
    rows = np.arange(20)
    best = [scores[:, asking].argmax(axis=1) for asking in (0, 1)]

    def gain(values: Values, asking: int) -> Values:
        return values[rows, best[asking]] - values.mean(axis=1)

    believed = sum(gain(scores[:, asking], asking) for asking in (0, 1)) / 2
    fresh = sum(gain(scores[:, 1 - asking], asking) for asking in (0, 1)) / 2
    right = sum(gold[rows, best[asking]] for asking in (0, 1)) / 2
    luck = (believed - fresh).sum() / believed.sum()

    (selection,) = selections([bank(scores, gold)], None)
    last = selection.domains[ALL].gains[-1]

    assert (selection.k, selection.askings, selection.pick, selection.left_out) == (1, 2, "mean", 3)
    assert selection.domains[ALL].items == 20
    assert [gains.n for gains in selection.domains[ALL].gains] == [1, 2, 3]
    figures = last.figures
    for name, values in (
        *(("believed", believed), ("fresh", fresh), ("luck", believed - fresh)),
        ("gold_gain", right - 1 / 3),
    ):
        plain = stats.t.interval(0.95, 19, values.mean(), stats.sem(values))
        assert figures[name].value == pytest.approx(values.mean()), name
        assert figures[name].ci95 == pytest.approx(plain), name
        assert (figures[name].n, figures[name].items) == (20, 20)
    assert figures["gold"].value == pytest.approx(right.mean())
    assert figures["gold"].ci95
    assert 0 <= figures["gold"].ci95[0] < figures["gold"].ci95[1] <= 1
    # A ratio's spread: of (part - share * whole) / sum of whole.
    assert figures["luck_share"].value == pytest.approx(luck)
    off = (believed - fresh - luck * believed) / believed.sum()
    half = stats.t.isf(0.025, 19) * sqrt((off**2).sum() * 20 / 19)
    assert figures["luck_share"].ci95 == pytest.approx((luck - half, luck + half))


def test_reading_r94_taste_is_the_fresh_gain_less_what_right_answers_are_paid() -> None:
    scores, gold = two_askings()
    rows = np.arange(20)
    fresh, price, better = (np.zeros(20) for _ in range(3))
    bought = np.zeros(20)
    for asking in (0, 1):
        best, other_score = scores[:, asking].argmax(axis=1), scores[:, 1 - asking]
        paid = other_score[gold == 1] - other_score[gold == 0].reshape(20, 2).mean(axis=1)
        more = gold[rows, best] - 1 / 3
        fresh += (other_score[rows, best] - other_score.mean(axis=1)) / 2
        price, better = price + paid / 2, better + more / 2
        bought += np.where(paid > 0, paid * more, 0.0) / 2

    (selection,) = selections([bank(scores, gold)], 1)
    figures = selection.domains[ALL].gains[-1].figures

    least = fresh - bought
    plain = stats.t.interval(0.95, 19, least.mean(), stats.sem(least))
    assert figures["taste_least"].value == pytest.approx(least.mean())
    assert figures["taste_least"].ci95 == pytest.approx(plain)
    most = fresh.mean() - price.mean() * better.mean()
    assert figures["taste_most"].value == pytest.approx(most)
    # The product of two means moves with either, times the other.
    off = fresh - fresh.mean() - price.mean() * (better - better.mean())
    off -= (price - price.mean()) * better.mean()
    half = stats.t.isf(0.025, 19) * sqrt(((off / 20) ** 2).sum() * 20 / 19)
    assert figures["taste_most"].ci95 == pytest.approx((most - half, most + half))


def test_reading_r94_a_domain_of_less_than_ten_questions_is_not_stated_by_itself() -> None:
    scores, gold = two_askings()
    domain = np.repeat([0, 1], [11, 9])

    (selection,) = selections([bank(scores, gold, domain=domain, domains=["big", "small"])], None)
    (ten,) = selections(
        [bank(scores, gold, domain=np.repeat([0, 1], [10, 10]), domains=["a", "b"])], None
    )

    assert {name: of.items for name, of in selection.domains.items()} == {ALL: 20, "big": 11}
    assert [*ten.domains] == [ALL, "a", "b"]
    twice = bank(scores, gold, cluster=np.repeat(np.arange(9), [4, *[2] * 8]))
    (few,) = selections([twice], None)
    assert few.domains == {}, "nine clusters are nine questions, however many items they have"


def test_reading_r94_a_judge_picks_by_as_many_askings_as_it_has() -> None:
    scores, gold = two_askings()
    more = np.concatenate([scores, scores, scores], axis=1)

    def done(*given: Any, **how: Any) -> tuple[int, str, bool]:
        (selection,) = selections([bank(more, gold)], *given, **how)
        return (
            selection.k,
            selection.pick,
            "gold_gain_lower" in selection.domains[ALL].gains[-1].figures,
        )

    assert done(None) == (1, "mean", False)
    assert done(4) == (4, "mean", False)
    assert done(None, lower=True) == (3, "lower", True)
    assert done(2, lower=True) == (2, "lower", True)
    for given, how, words in (
        ((7,), {}, "was asked 6 times, not 7"),
        ((1,), {"lower": True}, "at least 2 askings"),
    ):
        with pytest.raises(UsageError, match=words):
            done(*given, **how)
    # By all askings nothing is left that is fresh.
    (whole_selection,) = selections([bank(scores, gold)], 2)
    assert {*whole_selection.domains[ALL].gains[-1].figures} == {"believed", "gold", "gold_gain"}
    many_bank = bank(np.zeros((10, 20, 2)), np.zeros((10, 2)))
    with pytest.raises(UsageError, match="too many combinations"):
        [*selections([many_bank], 10)]


def test_reading_r91_picks_of_the_others_are_judged_by_how_many_answers_they_beat() -> None:
    scores = np.array([[[1.0, 2.0, 2.0], [1.0, 2.0, 4.0]], [[3.0, 0.0, 0.0], [3.0, 0.0, 0.0]]])
    gold = np.array([[0.0, 1.0, 0.0], [np.nan, 0.0, 1.0]])
    judge = bank(scores, gold)
    top = bank(np.array([[[0.0, 5.0, 5.0]], [[0.0, 0.0, 9.0]]]), gold)
    first = bank(np.array([[[5.0, 1.0, 1.0]], [[5.0, 1.0, 1.0]]]), gold)

    labelled_verdicts = _judged(judge, [top, first], np.array([True, True]))

    # The judge's means are 1, 2, 3 and 3, 0, 0: of two others they beat 0, 1/2, 1 and 1, 1/4, 1/4.
    assert labelled_verdicts.won.tolist() == [[0.75, 0.0], [0.25, 1.0]]
    assert labelled_verdicts.decided.tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert labelled_verdicts.tied.tolist() == [[0.0, 0.0], [0.0, 0.0]]
    # The first item's pick of both answers is half right; the second's has a label that is missing.
    assert labelled_verdicts.gold[0].tolist() == [0.5, 0.0]
    assert labelled_verdicts.labels.tolist() == [[1.0, 1.0], [0.0, 0.0]]
    first_labelled_verdicts = _judged(
        bank(scores, gold, cluster=np.array([4, 4])), [top], np.array([True, True])
    )
    assert first_labelled_verdicts.won.tolist() == [[1.0]]
    assert first_labelled_verdicts.decided.tolist() == [[2.0]]


def test_reading_r91_domains_are_those_named_or_the_two_with_most_items() -> None:
    scores, gold = np.zeros((7, 1, 2)), np.zeros((7, 2))
    partial_bank = bank(scores, gold, domain=np.array([0, 1, 1, 2, 2, 2, 3]),
                domains=["one", "Two b", "three", "four", "none"])  # fmt: skip

    assert _wanted_domains(partial_bank, []) == {"three": 2, "two_b": 1}
    assert _wanted_domains(partial_bank, ["four", "one"]) == {"four": 3, "one": 0}
    for names, words in ((["none", "one"], "no common item is of the domain 'none'"),
                         (["one"], "takes two domains")):  # fmt: skip
        with pytest.raises(UsageError, match=words):
            _wanted_domains(partial_bank, names)
