"""The table behind `epc which`, by hand: four questions, two judges that score, one that picks."""

from collections.abc import Iterator
from math import isnan
from typing import Any

import pytest
from msgspec.structs import replace

from epc.analysis.choice_table import BenchmarkJudge, PriceEstimate, choices
from epc.records.choices import Choices
from epc.records.verdicts.columns import Verdicts, columns_of
from epc.records.verdicts.types import Row

QUESTIONS = {"q1": "Math", "q2": "Math", "q3": "Focus", "q4": "Focus"}
# Each asking's scores of the right and the wrong answer, by question.
SCORES = {
    "often": {
        "q1": [(9, 1), (9, 1)],
        "q2": [(5, 5), (6, 5)],
        "q3": [(2, 8), (9, 1)],
        "q4": [(7, 3), (7, 3)],
    },
    "twice": {
        "q1": [(1, 9), (1, 9)],
        "q2": [(9, 2), (2, 9)],
        "q3": [(8, 3), (8, 3)],
        "q4": [(7, 7), (7, 7)],
    },
}
# Where the right answer stood, and the candidate that was picked: 0 is the right one.
PICKS = {
    "picks": {
        "q1": [(0, 0), (0, 0), (1, 1)],
        "q2": [(0, 0), (1, 0)],
        "q3": [(0, 1), (1, 1)],
        "q4": [(0, 0), (1, 1)],
    },
}


def digest(name: str) -> str:
    return name.encode().hex().ljust(64, "0")


def rows() -> Iterator[Row]:
    def row(setting: str, question: str, repeat: int, **said: Any) -> Row:
        return Row(
            item=question,
            setting=setting,
            file="f",
            subset=QUESTIONS[question],
            question_sha256=digest(question),
            candidates=(digest("yes"), digest("no")),  # of every question
            right=0,
            repeat=repeat,
            **said,
        )

    for judge, by_question in SCORES.items():
        for question, askings in by_question.items():
            for repeat, scores in enumerate(askings):
                said = {"input_tokens": 100.0, "output_tokens": 10.0} if judge == "often" else {}
                yield row(judge, question, repeat, scores=tuple(map(float, scores)), **said)
    for judge, picked in PICKS.items():
        for question, answers in picked.items():
            for repeat, (place, pick) in enumerate(answers):
                order = (0, 1) if place == 0 else (1, 0)
                yield row(judge, question, repeat, order=order, picked=pick)


def price_of(model: str, read: float, written: float) -> PriceEstimate:
    return PriceEstimate(usd=None if isnan(read) else read + 10 * written, basis=f"{model}'s price")


def table(verdicts: Verdicts, *judges: str) -> Choices:
    benchmark_judges = [
        BenchmarkJudge(
            model=name,
            tag=f"v1.0-{name}",
            source="A source",
            prompt="p",
            settings=frozenset({name}),
        )
        for name in judges
    ]
    return choices(benchmark_judges, verdicts, price_of, benchmark="B", decides="d", chance=0.5)


@pytest.fixture(scope="module")
def verdicts() -> Verdicts:
    return columns_of([*rows()])


def shares(found: Choices, domain: str = "all") -> dict[tuple[tuple[str, ...], int], float]:
    ways = zip(found.ways, found.domains[domain].right, strict=True)
    return {(way.models, way.askings): right for way, right in ways}


def test_the_answer_with_the_highest_mean_score_is_taken_and_ties_are_shared(
    verdicts: Verdicts,
) -> None:
    """Often, once: q1 1, q2 (.5 + 1) / 2, q3 (0 + 1) / 2, q4 1; twice: 1, 1, 11 to 9 is 1, 1.

    Twice, once: 0, .5, 1, .5; twice: 0, 11 to 11 is .5, 1, .5.
    """
    figures = shares(table(verdicts, "often", "twice"))

    assert figures[("often",), 1] == pytest.approx((1 + 0.75 + 0.5 + 1) / 4)
    assert figures[("often",), 2] == pytest.approx(1)
    assert figures[("twice",), 1] == pytest.approx((0 + 0.5 + 1 + 0.5) / 4)
    assert figures[("twice",), 2] == pytest.approx((0 + 0.5 + 1 + 0.5) / 4)


def test_two_judges_of_a_source_are_asked_once_each_and_their_scores_add_up(
    verdicts: Verdicts,
) -> None:
    """By the runs of askings, which both begin together: the sums of the right and the wrong one.

    q1 10 to 10 twice: .5. q2 14 to 7, 8 to 14: .5. q3 10 to 11, 17 to 4: .5. q4 14 to 10: 1.
    """
    figures = shares(table(verdicts, "often", "twice"))

    assert figures[("often", "twice"), 1] == pytest.approx((0.5 + 0.5 + 0.5 + 1) / 4)


def test_of_picks_each_place_of_the_right_answer_weighs_alike_however_often_it_was_there(
    verdicts: Verdicts,
) -> None:
    """q1: at the first place 2 of 2, at the second 0 of 1, so 1/2. q2: 1. q3: 0. q4: 1/2."""
    verdict_table = table(verdicts, "often", "picks")

    assert shares(verdict_table)[("picks",), 1] == pytest.approx((0.5 + 1 + 0 + 0.5) / 4)
    assert shares(verdict_table, "Math")[("picks",), 1] == pytest.approx(0.75)
    assert [way.models for way in verdict_table.ways] == [("often",), ("often",), ("picks",)]


def test_reading_r105_all_is_the_mean_of_the_domains_however_many_questions_each_has() -> None:
    """Without q4 Focus has one question, shows no spread and leaves; with q5 it has three.

    Often, once: Math (1 + .75) / 2 = .875; Focus (.5 + 1 + 1) / 3; together the mean of the two.
    """
    more = [replace(row, item="q5", question_sha256=digest("q5")) for row in rows()
            if row.item == "q4"]  # fmt: skip
    wider = columns_of([*rows(), *more])
    narrower = columns_of([row for row in rows() if row.item != "q4"])

    wide, narrow = table(wider, "often", "twice"), table(narrower, "often", "twice")

    assert wide.domains["all"].questions == 5
    assert shares(wide)[("often",), 1] == pytest.approx((0.875 + 2.5 / 3) / 2, abs=1e-6)
    assert [*narrow.domains] == ["all", "Math"]
    assert shares(narrow)[("often",), 1] == pytest.approx(0.875)


def test_shares_vary_together_as_their_questions_do(verdicts: Verdicts) -> None:
    """Often, twice: always 1. Picks: .5, 1 and 0, .5 vary by 1/8, over 2 questions of each domain.

    The sum of both domains' variances, 1/16 each, is divided by the square of their number.
    """
    domain = table(verdicts, "often", "picks").domains["all"]

    assert domain.questions == 4
    assert domain.variance(1, 1) == pytest.approx(0)
    assert domain.variance(2, 2) == pytest.approx(2 / 16 / 4, rel=1e-5)
    # Often, once: 1, .75 beside .5, 1, and .5, 1 beside 0, .5: -1/16 and 1/8, by 1, by 2.
    together = (-1 / 32 + 1 / 16) / 4
    assert domain.variance(0, 2) == domain.variance(2, 0) == pytest.approx(together, rel=1e-5)


def test_a_question_that_one_judge_was_asked_about_less_often_is_out_for_all() -> None:
    short = columns_of(
        [row for row in rows() if (row.setting, row.item, row.repeat) != ("twice", "q4", 1)]
    )
    verdict_table = table(short, "often", "twice")

    assert verdict_table.domains["all"].questions == 2  # of q3 alone no spread is known
    assert shares(verdict_table)[("often",), 1] == pytest.approx((1 + 0.75) / 2)


def test_a_price_is_that_of_the_prompt_read_once_and_of_all_answers(verdicts: Verdicts) -> None:
    """100 tokens read once, ten written at each asking; the other judge's tokens nobody counted."""
    ways = {(way.models, way.askings): way for way in table(verdicts, "often", "twice").ways}

    assert ways[("often",), 1].usd == 100 + 10 * 10
    assert ways[("often",), 2].usd == 100 + 10 * 20
    assert ways[("twice",), 1].usd is None
    assert ways[("often", "twice"), 1].usd is None
    assert ways[("often", "twice"), 1].priced == "often's price; twice's price"
