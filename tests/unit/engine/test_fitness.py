"""Whether a model can be an evaluator: how it is asked, and what its answers say of it."""

import asyncio
from collections.abc import Callable

import pytest
from engine_support import Told

from epc.engine.fitness import _FIRST, Answer, Asked, Diagnosis, _other_ways, examine
from epc.engine.model import Completion, Prompt
from epc.protocol.config import REFERENCE_DECODING
from epc.protocol.verdict import Verdict


def diagnosis(*letters: str, asked: Asked = _FIRST) -> Diagnosis:
    answers = tuple(
        Answer(asked=asked, completion=Completion(text=letter), seconds=float(n))
        for n, letter in enumerate(letters)
    )
    return Diagnosis(
        model=Told(), decoding=REFERENCE_DECODING, changes={}, calls=len(letters), answers=answers
    )


def found(says: Callable[[Prompt], str]) -> Diagnosis:
    return asyncio.run(examine(Told(says), {}))


def good_is_first(prompt: Prompt) -> bool:
    """Return whether the answer that is about the task stands first."""
    assert prompt.pair is not None
    words = {"leaves": "chlorophyll", "bread": "paper bag", "tides": "gravity"}
    mark = next(each for word, each in words.items() if word in prompt.pair.task)
    return mark in (prompt.pair.response or "")


def test_one_question_that_got_two_verdicts_does_not_repeat() -> None:
    assert diagnosis("A", "A").repeats
    assert not diagnosis("A", "B").repeats
    assert not diagnosis("A", "A", asked=Asked(pair=1, good_first=True)).repeats  # never asked
    assert diagnosis("A", "A").reusable
    assert diagnosis("A", "B", "A").seconds == 1


def test_a_model_that_picks_the_good_answer_in_both_orders_is_ready() -> None:
    """One pair is asked three times and once turned round, the two others twice: eight calls."""
    result = found(lambda prompt: "A" if good_is_first(prompt) else "B")

    assert (result.outcome, result.one_place, result.calls) == ("ready", 0, 8)
    assert all((a.verdict is Verdict.A) == a.asked.good_first for a in result.answers)
    assert len(result.answers) == 8


@pytest.mark.parametrize("always", ["A", "B", "neither of them"])
def test_a_model_that_says_one_letter_or_none_is_unfit(always: str) -> None:
    assert found(lambda _: always).outcome == "unfit"


def test_a_model_that_picks_the_wrong_answer_is_limited() -> None:
    assert found(lambda prompt: "B" if good_is_first(prompt) else "A").outcome == "limited"


def test_a_model_that_reasons_is_asked_without_and_with_little_and_with_more_room() -> None:
    assert list(_other_ways({"temperature": None})) == [
        {"temperature": None, "reasoning": "none"},
        {"temperature": None, "reasoning": "low", "max_tokens": 2000},
        {"temperature": None, "max_tokens": 2000},
    ]
    assert list(_other_ways({"reasoning": "none"})) == [{"reasoning": "none", "max_tokens": 2000}]
