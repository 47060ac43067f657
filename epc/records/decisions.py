"""Replies with typed answers, as decision models give them (Reading R100).

TypeSafe's System One has answers by name, Cloudflare the same within an envelope, OpenAI's
Decisions a list. An answer to something else than was asked is no answer.
"""

from typing import Any

import msgspec
from msgspec import Struct

from epc.judge.decided import Asking, Decision, askings, reply_of
from epc.spec.refusals import REFUSED


class _Chance(Struct, frozen=True):
    value: str | int
    probability: float


class _Answer(Struct, frozen=True):
    type: str
    name: str | None = None
    choice: str | None = None
    score: float | None = None
    probabilities: dict[str, float] | list[_Chance] | None = None


class _Usage(Struct, frozen=True):
    input_tokens: int | None = None
    output_tokens: int | None = None


class _Answers(Struct, frozen=True):
    answers: dict[str, _Answer] | list[_Answer]
    model: str | None = None
    usage: _Usage = _Usage()


class _Envelope(Struct, frozen=True):
    result: _Answers | None = None


class Decided(Struct, frozen=True, kw_only=True):
    """What a reply says: an answer in the words of a record, or a refusal. Unit: tokens."""

    answer: str
    finish_reason: str
    model: str | None
    tokens_in: int | None
    tokens_out: int | None


def holds_decisions(value: Any) -> bool:
    """Return whether a reply is one of typed answers."""
    return isinstance(value, dict) and not {"answers", "success"}.isdisjoint(value)


def read_decisions(value: Any, prompt: str) -> Decided:
    """Return what typed answers to a prompt's questions say.

    Raises: ValueError or LookupError if they are none.
    """
    reply = msgspec.convert(value, _Envelope).result or msgspec.convert(value, _Answers)
    answers = reply.answers
    if isinstance(answers, list):
        answers = {answer.name or "": answer for answer in answers}
    pairs = [(asking, answers[asking.name]) for asking in askings(prompt)]
    refused = any(answer.type == REFUSED for _, answer in pairs)
    decisions = {} if refused else {asking.name: _decision(asking, one) for asking, one in pairs}
    return Decided(
        answer="" if refused else reply_of(prompt, decisions),
        finish_reason=REFUSED if refused else "stop",
        model=reply.model,
        tokens_in=reply.usage.input_tokens,
        tokens_out=reply.usage.output_tokens,
    )


def _decision(asking: Asking, answer: _Answer) -> Decision:
    """Return one answer as a decision among the options; a score is its likeliest level.

    Raises: ValueError if it is no such answer.
    """
    stated = answer.probabilities or {}
    if isinstance(stated, list):
        stated = {str(chance.value): chance.probability for chance in stated}
    if stated and (
        stated.keys() != asking.options.keys() or not all(0 <= p <= 1 for p in stated.values())
    ):
        raise ValueError(answer)
    probabilities = {option: stated[option] for option in asking.options if stated}
    chosen = answer.choice
    if asking.type == "score":
        level = None if answer.score is None else str(round(answer.score))
        chosen = max(probabilities, key=probabilities.__getitem__, default=level)
    if answer.type != asking.type or chosen not in asking.options:
        raise ValueError(answer)
    return Decision(chosen=chosen, probabilities=probabilities)
