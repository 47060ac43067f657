"""Agreement of two judges: questions are the units of intervals, and a kind of task needs ten."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from epc.analysis.agreement import Agreement, AgreementRecord, JudgeAgreements, _corrected
from epc.analysis.succession import (
    Measurement,
    Succession,
    Successor,
    best_of_each,
    judge_agreements,
)
from epc.analysis.verdicts_by_item import Ballot, ItemVerdict
from epc.records.verdicts.types import Judge, Prompt, Setting
from epc.statistics.clusters import clustered_share
from epc.statistics.figures import ClusteredFigure

A, B = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)


def ballot(model: str, chosen: list[tuple[float, float, float]]) -> Ballot:
    """Return a judge's choices, of each item in both orders alike; ten plain, the rest hard."""
    return Ballot(
        name=f"{model}/P",
        sources=("LLMBar",),
        setting=Setting(
            judge=Judge(name=model, model=model, platform="unknown"),
            prompt=Prompt(name="P", sha256="0" * 64),
            decoding={"temperature": 0.0},
            date="unknown",
        ),
        verdicts={
            ((f"q{place}", "a", "b"), first): ItemVerdict(
                saying=saying,
                score=None,
                gold=-1,
                subset="plain" if place < 10 else "hard",
                answers=frozenset(),
            )
            for place, saying in enumerate(chosen)
            for first in (0, 1)
        },
    )


def test_both_orders_of_an_item_are_one_observation_and_few_items_no_kind_of_task() -> None:
    """Of 15 items 9 are alike in both orders: 18 of 30 verdicts, in clusters of two."""
    old = ballot("old", [A] * 15)
    new = ballot("new", [A] * 9 + [B] * 6)
    hits = np.repeat([1.0] * 9 + [0.0] * 6, 2)

    all_agreements, plain = judge_agreements([old], [new]).agreements  # "hard" has five items only

    figure = all_agreements.alike
    assert (figure.value, figure.n, figure.items) == (0.6, 30, 15)
    assert figure.ci95 == clustered_share(hits, np.ones(30), np.repeat(np.arange(15), 2))[1]
    assert all_agreements.same_decoding
    assert (plain.subset, plain.items, plain.alike.value) == ("plain", 10, 0.9)
    assert all_agreements.shifts["first_place"].value == 0  # one order each way


def test_the_best_by_the_lower_end_comes_first_and_a_judge_in_two_files_is_one() -> None:
    old, good, bad = ballot("old", [A] * 12), ballot("good", [A] * 12), ballot("bad", [B] * 12)

    agreements = judge_agreements([old, old], [bad, good, good]).agreements

    assert [agreement.model for agreement in agreements if agreement.subset is None] == [
        "good",
        "bad",
    ]
    assert agreements[0].alike.value == pytest.approx(1)


def test_pairs_of_one_question_are_one_unit_of_the_interval() -> None:
    def asked_once(ballot: Ballot) -> Ballot:
        said = {(("q", key[0][0], "b"), key[1]): each for key, each in ballot.verdicts.items()}
        return replace(ballot, verdicts=said)

    old, new = (asked_once(ballot(name, [A] * 9)) for name in ("old", "new"))
    agreements = judge_agreements([old], [new]).agreements

    assert [
        (agreement.items, agreement.alike.items, agreement.alike.ci95) for agreement in agreements
    ] == [(9, 1, None)]


TIE = (0.0, 0.0, 1.0)


def ballot_entry(saying: tuple[float, float, float] = A, **fields: Any) -> ItemVerdict:
    fixed: dict[str, Any] = {"score": None, "gold": -1, "subset": "s", "answers": frozenset()}
    return ItemVerdict(saying=saying, **fixed | fields)


def ballot_of(
    model: str, rows: dict[tuple[str, int], ItemVerdict], prompt: str = "0" * 64
) -> Ballot:
    setting = ballot(model, []).setting
    return replace(
        ballot(model, []),
        setting=replace(setting, prompt=Prompt(name="P", sha256=prompt)),
        verdicts={((name, "a", "b"), first): one for (name, first), one in rows.items()},
    )


def test_agreement_by_chance_is_that_of_places_each_judge_by_itself() -> None:
    """By place one says first, second, second, tie; the other first, first, tie, tie."""
    mine = ballot_of("m", {
        ("q1", 0): ballot_entry(A), ("q2", 0): ballot_entry(B), ("q3", 1): ballot_entry(A),
                    ("q4", 0): ballot_entry(TIE)})  # fmt: skip
    theirs = ballot_of("k", {
        ("q1", 0): ballot_entry(A), ("q2", 0): ballot_entry(A), ("q3", 1): ballot_entry(TIE),
                      ("q4", 0): ballot_entry(TIE), ("q5", 0): ballot_entry(A)})  # fmt: skip

    (agreement,) = judge_agreements([mine], [theirs]).agreements

    # (1/4, 2/4, 1/4) and (2/4, 0, 2/4).
    assert agreement.chance == 0.25 * 0.5 + 0.25 * 0.5
    assert (agreement.alike.value, agreement.items) == (0.5, 4)
    assert judge_agreements([mine], [theirs]).recorded == 4
    # The other says first as often and a quarter more: one more first, one less second.
    assert agreement.shifts["first_place"].value == (0 + 1 + 0 + 0) / 4
    assert {*agreement.shifts} == {"first_place"}


def test_the_better_candidate_s_share_moves_where_there_is_one_and_scores_by_their_mean() -> None:
    mine = ballot_of(
        "m",
        {
            ("q1", 0): ballot_entry(A, gold=0),
            ("q2", 0): ballot_entry(A, gold=1),
            ("q3", 0): ballot_entry(B),
        },
    )
    theirs = ballot_of(
        "k", {("q1", 0): ballot_entry(B), ("q2", 0): ballot_entry(B), ("q3", 0): ballot_entry(A)}
    )

    (agreement,) = judge_agreements([mine], [theirs]).agreements

    assert agreement.shifts["better"].value == 0  # one lost, one won
    assert agreement.shifts["better"].n == 2
    scores = {"m": [1.0, 2.0, 2.0, 3.0], "k": [1.0, 2.0, 4.0, 4.0]}
    scored = [
        ballot_of(name, {(f"q{n}", 0): ballot_entry(score=score) for n, score in enumerate(given)})
        for name, given in scores.items()
    ]
    (first_agreement,) = judge_agreements(scored[:1], scored[1:]).agreements
    assert first_agreement.alike.value == 0.5
    assert first_agreement.chance == (1 * 1 + 2 * 1) / 16
    assert {*first_agreement.shifts} == {"score"}
    assert first_agreement.shifts["score"].value == pytest.approx(0.75)


def test_reading_r76_an_answer_that_both_have_is_no_second_opinion() -> None:
    same = frozenset({"x"})
    mine = ballot_of("m", {("q1", 0): ballot_entry(A, answers=same), ("q2", 0): ballot_entry(A)})
    theirs = ballot_of(
        "k", {("q1", 0): ballot_entry(A, answers=same | {"y"}), ("q2", 0): ballot_entry(B)}
    )

    (agreement,) = judge_agreements([mine], [theirs]).agreements

    assert (agreement.items, agreement.shared_answers, agreement.alike.value) == (1, 1, 0)
    assert (
        judge_agreements(
            [mine], [ballot_of("k", {("q1", 0): ballot_entry(A, answers=same)})]
        ).agreements
        == ()
    )


def test_a_prompt_that_is_not_known_may_have_been_the_same_and_counts_its_items() -> None:
    mine = ballot_of(
        "m", {("q1", 0): ballot_entry(), ("q1", 1): ballot_entry(), ("q2", 0): ballot_entry()}
    )

    def unlike(*other_ballots: Ballot) -> list[tuple[str, int]]:
        found = judge_agreements([mine], other_ballots)
        assert found.agreements == ()
        return [
            (uncompared_judge.model, uncompared_judge.items) for uncompared_judge in found.unlike
        ]

    hidden = ballot_of("k", {("q1", 0): ballot_entry(), ("q2", 1): ballot_entry()}, "unknown")
    assert unlike(hidden) == [("k", 2)]
    assert unlike(ballot_of("k", {("q9", 0): ballot_entry()}, "unknown")) == []
    assert unlike(ballot_of("k", {("q1", 0): ballot_entry()}, "1" * 64)) == [], "another prompt"


def test_a_choice_among_several_widens_the_interval_s_lower_end() -> None:
    figure = ClusteredFigure(value=0.8, ci95=(0.7, 0.9), n=22, items=11)
    wider = stats.t.isf(0.025 / 4, 10) / stats.t.isf(0.025, 10)

    assert _corrected(figure, 4) == pytest.approx(0.8 - wider * 0.1)
    assert _corrected(figure, 1) == pytest.approx(0.7)
    assert _corrected(ClusteredFigure(value=0.8, ci95=None, n=1, items=1), 4) is None
    two_clustered_figures = ClusteredFigure(value=0.8, ci95=(0.7, 0.9), n=2, items=2)
    assert _corrected(two_clustered_figures, 2) == pytest.approx(
        0.8 - 0.1 * stats.t.isf(0.0125, 1) / stats.t.isf(0.025, 1)
    )


def agreement(model: str, low: float, **fields: Any) -> Agreement:
    fixed: dict[str, Any] = {
        "judge": f"{model}/P", "model": model, "sources": ("s",), "prompt": "P",
        "same_decoding": True, "subset": None, "items": 1000, "shared_answers": 0,
        "alike": ClusteredFigure(value=low + 0.05, ci95=(low, low + 0.1), n=1000, items=1000),
        "chance": 0.5, "shifts": {},
    }  # fmt: skip
    return Agreement(**fixed | fields)


def succession(*successors: Successor) -> Succession:
    return Succession(
        name="old", as_of="2026-11-26", state=(), named={"new": "served", "newer": "served"},
        aliases=(), recorded=10, elsewhere=(), successors=successors,
        measurement=Measurement(why="w", command="c", calls=1),
        named_by={"new": ("x", "y"), "newer": ("z",)},
    )  # fmt: skip


def test_reading_r96_a_successor_exceeds_chance_by_the_margin_and_loses_no_right_answers() -> None:
    def shift(value: float) -> dict[str, ClusteredFigure]:
        return {
            "better": ClusteredFigure(
                value=value, ci95=(value - 0.03, value + 0.03), n=9, items=1000
            )
        }

    assert agreement("k", 0.61).unfit(1) == ""
    assert "not shown to exceed chance by 10 points, as the best of 2" in (
        agreement("k", 0.6).unfit(2)
    )
    assert "exceed chance" in agreement("k", 0.601).unfit(50), "the best of many is lucky"
    none = agreement("k", 0.9, alike=ClusteredFigure(value=0.9, ci95=None, n=1, items=1))
    assert none.unfit(1) == "the common items are too few for an interval"
    assert none.floor == 0
    assert agreement("k", 0.9, shifts=shift(-0.06)).unfit(1) == ""
    assert "lower by more than 10 points (-8.0 [" in agreement("k", 0.9, shifts=shift(-0.08)).unfit(
        1
    )
    lost = {"better": ClusteredFigure(value=0.0, ci95=None, n=1, items=1)}
    assert "may be lower" in agreement("k", 0.9, shifts=lost).unfit(1)


def test_only_who_is_served_and_fit_over_all_tasks_can_be_named() -> None:
    gone = Successor(agreement=agreement("gone", 0.9), state="ended", living=False)
    kind = Successor(agreement=agreement("kind", 0.9, subset="s"), state="served", living=True)
    weak = Successor(agreement=agreement("weak", 0.4), state="served", living=True)
    good = Successor(agreement=agreement("good", 0.8), state="served", living=True)

    actual_succession = succession(gone, kind, weak, good)

    assert actual_succession.living == [weak, good]
    found = JudgeAgreements(
        recorded=1, agreements=tuple(s.agreement for s in (gone, kind, weak, good))
    )
    record = AgreementRecord.from_agreements(found)
    assert record.ways == {"gone": 1, "weak": 1, "good": 1}
    assert record.best({"weak", "good", "kind"}) == (good.agreement,)
    assert record.best({"weak"}) == ()
    assert actual_succession.instead == [
        "x and y names new instead: served",
        "z names newer instead: served",
    ]


def test_each_other_judge_stands_once_in_its_best_way_with_the_kinds_of_that_way() -> None:
    def one(low: float, **fields: Any) -> Successor:
        return Successor(agreement=agreement("k", low, **fields), state="served", living=True)

    best, other_successor = one(0.8), one(0.7, prompt="Q")
    kinds = [one(0.6, subset="s"), one(0.5, subset="s", prompt="Q"), one(0.4, subset="t")]
    alone = Successor(agreement=agreement("l", 0.5), state="served", living=True)

    first, second = best_of_each(succession(best, other_successor, alone, *kinds))

    assert (first.successor, first.ways) == (best, 2)
    assert [kind.subset for kind in first.kinds] == ["s", "t"]
    assert (second.successor, second.ways, second.kinds) == (alone, 1, ())
