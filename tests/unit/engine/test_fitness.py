"""Whether a model can be an evaluator: how it is asked, and what its answers say of it."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from engine_support import Told

from epc.audit.probes import SIDES, Probe
from epc.engine.fitness import _FIRST, Diagnosis, Reply, _other_ways, _probe, examine, kind_of
from epc.engine.model import CallError, Completion, Prompt
from epc.protocol.config import REFERENCE_DECODING, Decoding
from epc.protocol.prompt import evaluation_text
from epc.protocol.verdict import Verdict
from epc.spec.epc_v1 import BASELINE


def diagnosis(*letters: str, probe: Probe = _FIRST) -> Diagnosis:
    answers = tuple(
        Reply(probe=probe, completion=Completion(text=letter), seconds=float(n))
        for n, letter in enumerate(letters)
    )
    return Diagnosis(
        model=Told(), decoding=REFERENCE_DECODING, changes={}, calls=len(letters), answers=answers
    )


def diagnosis_of(says: Callable[[Prompt], str]) -> Diagnosis:
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
    assert not diagnosis("A", "A", probe=_probe(1, "answer")).repeats  # never asked
    assert diagnosis("A", "A").reusable
    assert diagnosis("A", "B", "A").seconds == 1


def test_a_model_that_picks_the_good_answer_in_both_orders_is_ready() -> None:
    """One pair is asked three times and once turned round, the two others twice: eight calls."""
    result = diagnosis_of(lambda prompt: "A" if good_is_first(prompt) else "B")

    assert (result.outcome, result.one_place, result.calls) == ("ready", 0, 8)
    assert all((a.verdict is Verdict.A) == (a.probe.first == "answer") for a in result.answers)
    assert len(result.answers) == 8


def test_reading_r41_no_label_tells_which_answer_is_the_good_one() -> None:
    seen: list[Prompt] = []

    def letter(prompt: Prompt) -> str:
        seen.append(prompt)
        return "A"

    diagnosis_of(letter)

    assert {prompt.pair and prompt.pair.strategy for prompt in seen} == {BASELINE}
    for prompt in seen:
        assert prompt.pair is not None
        assert prompt.text == evaluation_text(prompt.pair, method="prompt")
    first, *_ = seen
    assert first.pair is not None
    assert (first.pair.domain, first.pair.task) == (
        "text",
        "Explain why leaves turn red in autumn.",
    )
    assert (first.pair.response or "").startswith("In autumn the green pigment")
    assert (first.pair.baseline or "").startswith("A train ticket")


@pytest.mark.parametrize("always", ["A", "B", "neither of them"])
def test_a_model_that_says_one_letter_or_none_is_unfit(always: str) -> None:
    assert diagnosis_of(lambda _: always).outcome == "unfit"


def test_a_model_that_picks_the_wrong_answer_is_limited() -> None:
    assert diagnosis_of(lambda prompt: "B" if good_is_first(prompt) else "A").outcome == "limited"


def test_a_model_that_reasons_is_asked_without_and_with_little_and_with_more_room() -> None:
    assert list(_other_ways({"temperature": None})) == [
        {"temperature": None, "reasoning": "none"},
        {"temperature": None, "reasoning": "low", "max_tokens": 2000},
        {"temperature": None, "max_tokens": 2000},
    ]
    assert list(_other_ways({"reasoning": "none"})) == [{"reasoning": "none", "max_tokens": 2000}]


QUESTIONS = [_probe(pair, first) for pair in range(3) for first in SIDES]


def answers(*given: tuple[Probe, Completion]) -> Diagnosis:
    all_answers = tuple(Reply(probe=probe, completion=done, seconds=1.0) for probe, done in given)
    return Diagnosis(
        model=Told(),
        decoding=REFERENCE_DECODING,
        changes={},
        calls=len(all_answers),
        answers=all_answers,
    )


def right(**changed: Any) -> list[tuple[Probe, Completion]]:
    return [
        (probe, Completion(text="A" if probe.first == "answer" else "B", **changed))
        for probe in QUESTIONS
    ]


def problems(result: Diagnosis) -> list[str]:
    return [finding.problem for finding in result.findings]


def test_a_letter_that_stays_where_it_is_prefers_a_place() -> None:
    pairs = right()
    assert answers(*pairs).findings == []
    diagnosis = answers(*pairs[:1], (pairs[1][0], Completion(text="A")), *pairs[2:])
    assert (diagnosis.one_place, diagnosis.outcome) == (1, "limited")
    assert problems(diagnosis) == [
        "it gave one letter in both orders of 1 of 3 pairs: it prefers a place"
    ]
    all_diagnosis = answers(*((probe, Completion(text="B")) for probe, _ in pairs))
    assert (all_diagnosis.one_place, all_diagnosis.outcome) == (3, "unfit")


def test_the_worse_answer_of_a_pair_in_both_orders_is_wrong() -> None:
    pairs = right()
    turned = [(pairs[2][0], Completion(text="B")), (pairs[3][0], Completion(text="A"))]

    result = answers(*pairs[:2], *turned, *pairs[4:])

    assert (result.outcome, result.one_place) == ("limited", 0)
    assert problems(result) == ["it preferred an answer to something else in 1 of 3 pairs"]


def test_what_is_no_verdict_is_counted_by_kind_and_a_cut_says_what_to_try() -> None:
    pairs = right()
    silent = [(pairs[0][0], Completion(text=" ")), (pairs[2][0], Completion(text="Hm."))]

    result = answers(*pairs, *silent)

    assert problems(result)[0] == "2 of 8 answers are no verdict: silence, text"
    assert "name another" in result.findings[0].remedy
    cut = answers(*pairs, (pairs[2][0], Completion(text="", finish_reason="length")))
    assert "try --max-tokens" in cut.findings[0].remedy
    none = answers(*((probe, Completion(text="neither of them")) for probe, _ in pairs))
    assert none.outcome == "unfit"


def test_one_question_with_several_verdicts_and_reasoning_are_findings() -> None:
    pairs = right()
    again = (pairs[0][0], Completion(text="B"))

    result = answers(again, *pairs, pairs[0])

    assert problems(result) == ["one question got different verdicts, asked 3 times"]
    thought = answers(*right(reasoning_tokens=5)[:2], *right(reasoning="so")[2:4], *pairs[4:])
    assert problems(thought) == ["4 of 6 answers came after reasoning"]
    assert not result.reusable


@pytest.mark.parametrize(
    ("text", "reason", "kind"),
    [("A", "stop", "letter"), (" B.", "stop", "letter"), ("", "stop", "silence"),
     ("\n", "stop", "silence"), ("Both are fine.", "stop", "text"),
     ("I can't help with that.", "stop", "refusal")],
)  # fmt: skip
def test_an_answer_answers_in_one_of_four_ways(text: str, reason: str, kind: str) -> None:
    assert kind_of(text, reason) == kind


@pytest.mark.parametrize(
    ("content", "parts"), [('["A"]', True), ('"A"', False), ("{}", False), ("", False)]
)
def test_a_reply_in_parts_is_known_by_its_list(content: str, *, parts: bool) -> None:
    reply = f'{{"choices": [{{"message": {{"content": {content}}}}}]}}'
    done = Completion(text="A", reply=reply)

    assert Reply(probe=_FIRST, completion=done, seconds=0).in_parts is parts
    assert not Reply(probe=_FIRST, completion=Completion(text="A"), seconds=0).in_parts


class Refuses(Told):
    """A model that takes no temperature, or fails for another reason."""

    def __init__(self, setting: Any, *, always: bool = False) -> None:
        super().__init__(lambda prompt: "A" if good_is_first(prompt) else "B")
        self.setting, self.always, self.calls = setting, always, 0

    async def complete(self, prompt: Prompt, decoding: Decoding) -> Completion:
        self.calls += 1
        if self.always or decoding.temperature is not None:
            raise CallError("no", setting=self.setting)
        return await super().complete(prompt, decoding)


def test_a_refused_temperature_is_left_out_and_anything_else_stops_it() -> None:
    model = Refuses("temperature")

    result = asyncio.run(examine(model, {}))

    assert (result.changes, result.calls) == ({"temperature": None}, 9)
    assert result.decoding.temperature is None
    assert result.outcome == "ready"
    for setting, calls in ((None, 1), ("reasoning", 1), ("temperature", 2)):
        stubborn = Refuses(setting, always=True)
        with pytest.raises(CallError):
            asyncio.run(examine(stubborn, {}))
        assert stubborn.calls == calls, "what is refused in all ways is not asked for ever"
