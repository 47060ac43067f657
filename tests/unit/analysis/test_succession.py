"""Agreement of two judges: questions are the units of intervals, and a kind of task needs ten."""

from dataclasses import replace

import numpy as np
import pytest

from epc.analysis.ballots import Ballot, Said
from epc.analysis.succession import agreed
from epc.records.observed.types import Judge, Prompt, Setting
from epc.statistics.clusters import clustered_share

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
        said={
            ((f"q{place}", "a", "b"), first): Said(
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

    every, plain = agreed([old], [new]).agreements  # "hard" has five items only

    figure = every.alike
    assert (figure.value, figure.n, figure.items) == (0.6, 30, 15)
    assert figure.ci95 == clustered_share(hits, np.ones(30), np.repeat(np.arange(15), 2))[1]
    assert every.same_decoding
    assert (plain.subset, plain.items, plain.alike.value) == ("plain", 10, 0.9)
    assert every.shifts["first_place"].value == 0  # one order each way


def test_the_best_by_the_lower_end_comes_first_and_a_judge_in_two_files_is_one() -> None:
    old, good, bad = ballot("old", [A] * 12), ballot("good", [A] * 12), ballot("bad", [B] * 12)

    found = agreed([old, old], [bad, good, good]).agreements

    assert [each.model for each in found if each.subset is None] == ["good", "bad"]
    assert found[0].alike.value == pytest.approx(1)


def test_pairs_of_one_question_are_one_unit_of_the_interval() -> None:
    def asked_once(given: Ballot) -> Ballot:
        said = {(("q", key[0][0], "b"), key[1]): each for key, each in given.said.items()}
        return replace(given, said=said)

    old, new = (asked_once(ballot(name, [A] * 9)) for name in ("old", "new"))
    found = agreed([old], [new]).agreements

    assert [(each.items, each.alike.items, each.alike.ci95) for each in found] == [(9, 1, None)]
