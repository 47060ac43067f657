"""Readers of a provider's reply: an answer, a refusal, nothing, or no answer at all.

Whatever the model did is an answer, and is not asked for again (Reading R4): text, a list of
parts, a refusal, or no word before it stopped. Where there is no choice, or a choice says neither
what the model wrote nor why it stopped, there is no answer. A record keeps the reply beside the
answer that was read from it, so validation reads it again by the same rules.

Decision models give typed answers (Reading R100): TypeSafe's System One by name, Cloudflare the
same within an envelope, OpenAI's Decisions a list. An answer to something else than was asked is
no answer.
"""

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import PureWindowsPath
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from epc.json_text import storable
from epc.records.decisions import Asking, Decision, askings, reply_of
from epc.records.layout import TOO_LARGE, UNRECORDED
from epc.records.native_replies import (
    OF_CONVERSE,
    OF_GENERATED,
    OF_MESSAGE,
    read_converse,
    read_generated,
    read_message,
)
from epc.records.reply_parts import (
    AnotherProtocolError,
    ReplyContent,
    counted,
    decoded,
    named,
    separated,
)
from epc.records.rows import Call
from epc.spec.refusals import REFUSED, WITHHELD


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


def _decision(asking: Asking, answer: _Answer) -> Decision:
    """Return one answer as a decision among the options; a score is its likeliest level.

    Raises: ValueError if it is no such answer.
    """
    chances = answer.probabilities or {}
    if isinstance(chances, list):
        chances = {str(chance.value): chance.probability for chance in chances}
    if chances and (
        chances.keys() != asking.options.keys() or not all(0 <= p <= 1 for p in chances.values())
    ):
        raise ValueError(answer)
    probabilities = {option: chances[option] for option in asking.options if chances}
    chosen = answer.choice
    if asking.type == "score":
        level = None if answer.score is None else str(round(answer.score))
        chosen = max(probabilities, key=probabilities.__getitem__, default=level)
    if answer.type != asking.type or chosen not in asking.options:
        raise ValueError(answer)
    return Decision(chosen=chosen, probabilities=probabilities)


_OF_DECISIONS: Final = {
    "answers",
    "success",
}  # keys by which a reply shows that it is typed answers
_SHOWN: Final = 80
# The finish reasons by which gateways, and Zhipu, say that generation broke off.
_FAILED: Final = ("error", "network_error")
_SENSITIVE: Final = {"sensitive": "content_filter"}  # Zhipu's word for what a filter withheld


def read_completion(value: Any) -> ReplyContent:
    """Return what a chat completion says.

    Raises: ValueError, LookupError, TypeError or AttributeError if it is none, or says nothing;
    of these AnotherProtocolError if it is an object of another kind.
    """
    message, text, finish = _chosen(value)
    usage = value.get("usage") if isinstance(value.get("usage"), dict) else {}
    details = usage.get("completion_tokens_details")
    if not isinstance(details, dict):
        details = usage  # as Perplexity counts them
    served = named(value.get("model"))
    # Reading R79: a refusal is no answer, so nothing is told apart in it.
    inside, answer = ("", text) if finish == REFUSED else separated(text)
    return ReplyContent(
        answer=answer,
        reasoning="\n".join(filter(None, (reasoning_of(message), inside))),
        finish_reason=finish,
        served_model=None if served is None else _file_name(served),
        system_fingerprint=named(value.get("system_fingerprint")),
        tokens_in=counted(usage.get("prompt_tokens")),
        tokens_out=counted(usage.get("completion_tokens")),
        reasoning_tokens=counted(details.get("reasoning_tokens")),
    )


def read_decided(value: Any, prompt: str) -> ReplyContent:
    """Return what typed answers to a prompt's questions say, as a chat completion's is.

    Raises: ValueError or LookupError if they are none.
    """
    reply = msgspec.convert(value, _Envelope).result or msgspec.convert(value, _Answers)
    answers = reply.answers
    if isinstance(answers, list):
        answers = {answer.name or "": answer for answer in answers}
    pairs = [(asking, answers[asking.name]) for asking in askings(prompt)]
    refused = any(answer.type == REFUSED for _, answer in pairs)
    decisions = (
        {}
        if refused
        else {asking.name: _decision(asking, typed_answer) for asking, typed_answer in pairs}
    )
    return ReplyContent(
        answer="" if refused else reply_of(prompt, decisions),
        reasoning="",
        finish_reason=REFUSED if refused else "stop",
        served_model=named(reply.model),
        system_fingerprint=None,
        tokens_in=counted(reply.usage.input_tokens),
        tokens_out=counted(reply.usage.output_tokens),
        reasoning_tokens=None,
    )


def contradictions(call: Call) -> Iterator[tuple[str, str]]:
    """Yield each key of a call that its own reply contradicts, with what both say.

    A reply that came with headers is one that this program read alone. Older records hold others,
    of batches or read by Inspect: of these the answer must be in the reply.
    """
    reply = call.reply
    if not reply or UNRECORDED.fullmatch(reply):
        return
    content: ReplyContent | None = None
    try:
        value = decoded(reply)
        if call.headers is not None:
            content = _read(value, call.prompt)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        yield "reply", f"holds no answer: {_short(reply)}"
        return
    if call.finish_reason == TOO_LARGE:
        return  # only its beginning is kept
    blank = call.finish_reason in WITHHELD or bool(call.reasoning or call.reasoning_tokens)
    if content is None and not spoken(value, call.answer, blank=blank):
        yield "answer", f"says {_short(call.answer)}, which its reply does not"
    for key, expected in asdict(content).items() if content is not None else ():
        reply_value = storable(expected) if isinstance(expected, str) else expected
        if (call_value := getattr(call, key) or None) != (reply_value or None):
            yield key, f"says {_short(call_value)}, its reply says {_short(reply_value)}"


def _read(value: Any, prompt: str) -> ReplyContent:
    """Return what a reply says, in the protocol that its keys are of.

    Raises: as that protocol's reader.
    """
    keys = value.keys() if isinstance(value, dict) and "choices" not in value else set()
    if not _OF_DECISIONS.isdisjoint(keys):
        return read_decided(value, prompt)
    if not OF_MESSAGE.isdisjoint(keys):
        return read_message(value)
    if not OF_GENERATED.isdisjoint(keys):
        return read_generated(value)
    if not OF_CONVERSE.isdisjoint(keys):
        return read_converse(value)
    return read_completion(value)


def spoken(reply: Any, answer: str, *, blank: bool = False) -> bool:
    """Return whether a reply of any protocol says an answer, whatever blanks it is parted by.

    `blank`: an empty answer goes with any reply; else only with one that says nothing.
    """
    text = "".join("".join(_texts(reply)).split())
    folded = "".join(answer.split())
    return folded in text if folded else blank or not text


def _texts(value: Any, key: str = "") -> Iterator[str]:
    """Yield what a model wrote for its reader, wherever it stands in a reply."""
    if isinstance(value, dict) and not value.get("thought"):
        for name, inner in value.items():
            yield from _texts(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner, key)
    elif isinstance(value, str) and key in ("text", "content", "refusal"):
        yield value


def reasoning_of(message: Mapping[str, Any]) -> str:
    """Return the reasoning that a message holds beside its content, in either spelling."""
    text = message.get("reasoning_content") or message.get("reasoning")
    parts = message.get("content")
    if not text and isinstance(parts, list):
        text = "".join(map(_thought, parts))
    return text.strip() if isinstance(text, str) else ""


def _thought(part: Any) -> str:
    """Return the text of a part of reasoning: a text, or parts itself."""
    if not isinstance(part, dict) or part.get("type") not in ("thinking", "reasoning"):
        return ""
    inside = part.get("thinking", part.get("summary", part.get("text")))
    if isinstance(inside, list):
        texts = (block.get("text") for block in inside if isinstance(block, dict))
        return "".join(text for text in texts if isinstance(text, str))
    return inside if isinstance(inside, str) else ""


def _chosen(value: Any) -> tuple[Any, str, str | None]:
    """Return the message of a chat completion, what it says, and why it ended.

    Raises: ValueError, LookupError, TypeError or AttributeError if it is none, or says nothing.
    """
    match value:
        case {"error": error} | {"choices": [{"error": error}, *_]} if error:
            raise ValueError(value)
        case {"choices": [_, *_] as choices}:
            match _first(choices):
                case {"message": message, **choice}:
                    finish = named(choice.get("finish_reason"))
                    return message, *_answer(message, _SENSITIVE.get(finish or "", finish))
            raise ValueError(value)
        # Reading R4: without a choice there is no answer, unless a filter withheld it.
        case {"prompt_filter_results": results} if '"filtered": true' in json.dumps(results):
            return {}, "", "content_filter"
        case {"choices": _} | {"object": "chat.completion"}:
            raise ValueError(value)
        case dict():
            raise AnotherProtocolError(value)
    raise ValueError(value)


def _first(choices: list[Any]) -> Any:
    """Return the choice of the lowest index; a choice that names none stands where it is listed.

    Raises: ValueError if a choice is no object.
    """
    if not all(isinstance(choice, dict) for choice in choices):
        raise ValueError(choices)
    indices = [choice.get("index") for choice in choices]
    if not all(isinstance(index, int) for index in indices):
        return choices[0]
    return choices[indices.index(min(indices))]


def _answer(message: Any, finish: str | None) -> tuple[str, str | None]:
    """Return what a message says, and why it ended.

    Raises: ValueError if it says nothing and no reason is given, or the endpoint says it failed.
    """
    content, refusal = message.get("content"), message.get("refusal")
    if isinstance(content, list):
        refusal = refusal or _joined(content, "refusal")
        content = _joined(content, "text")
    if not isinstance(content, str | None) or finish in _FAILED:
        raise ValueError(message)
    if not content and isinstance(refusal, str) and refusal:
        return refusal, REFUSED
    if not content and finish is None:
        raise ValueError(message)
    return content or "", finish


def _joined(parts: list[Any], kind: str) -> str:
    """Return the parts of one kind as one text; reasoning, pictures and the like are others."""
    return "".join(part[kind] for part in parts if part.get("type", "text") == kind)


@lru_cache(maxsize=64)  # an endpoint says the same name with every reply
def _file_name(model: str) -> str:
    """Return a model's name; of one that is a file's whole path, as llama.cpp's, its last part."""
    path = PureWindowsPath(model)
    return path.name if path.root else model


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
