"""Replies in providers' own protocols: Anthropic's Messages, Gemini's generateContent, Converse.

As of a chat completion, whatever the model did is an answer (Reading R4): text, a refusal, an end
before any word, a prompt that a filter held back. A reply that says neither what the model wrote
nor why it stopped is none. Text that a guardrail puts in place of the model's is no answer of it.
"""

from collections.abc import Iterable
from typing import Any, Final, TypeVar

import msgspec
from msgspec import Struct, field

from epc.records.reply_parts import AnotherProtocolError, ReplyContent, counted, named, separated

T = TypeVar("T")
# Keys by which a reply shows its protocol.
OF_MESSAGE: Final = frozenset({"content", "stop_reason"})
OF_GENERATED: Final = frozenset({"candidates", "promptFeedback", "usageMetadata"})
OF_CONVERSE: Final = frozenset({"output", "stopReason"})
_FILTERED: Final = "content_filter"
_GUARDRAIL: Final = "guardrail_intervened"
# Why a reply ended, in the words of chat completions; any other reason stays as it is said.
_ENDS: Final = {
    # Messages and Converse
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "max_tokens",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "refusal": _FILTERED,
    "content_filtered": _FILTERED,
    _GUARDRAIL: _FILTERED,
    # generateContent
    "STOP": "stop",
    "MAX_TOKENS": "max_tokens",
    **dict.fromkeys(
        ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY"),
        _FILTERED,
    ),
}


class _Block(Struct, frozen=True):
    text: str | None = None
    thinking: str | None = None


class _ThinkingDetails(Struct, frozen=True):
    thinking_tokens: Any = None


class _MessageUsage(Struct, frozen=True):
    input_tokens: Any = None
    cache_creation_input_tokens: Any = None
    cache_read_input_tokens: Any = None
    output_tokens: Any = None
    output_tokens_details: _ThinkingDetails | None = None


class _Message(Struct, frozen=True):
    content: tuple[_Block, ...]
    stop_reason: str | None = None
    model: Any = None
    usage: _MessageUsage | None = None


def read_message(value: Any) -> ReplyContent:
    """Return what a message of Anthropic's says.

    Raises: ValueError if it is none, or says nothing; AnotherProtocolError if it is an object of
    another kind.
    Source: Anthropic's API reference, "Create a Message"; "Handling stop reasons".
    """
    message = _typed(value, _Message, OF_MESSAGE)
    usage = message.usage or _MessageUsage()
    details = usage.output_tokens_details or _ThinkingDetails()
    return _reply_of(
        _joined(block.text for block in message.content),
        thought=_joined(block.thinking for block in message.content),
        end=message.stop_reason,
        served_model=message.model,
        tokens_in=_sum(
            usage.input_tokens, usage.cache_creation_input_tokens, usage.cache_read_input_tokens
        ),
        tokens_out=counted(usage.output_tokens),
        reasoning_tokens=counted(details.thinking_tokens),
    )


class _Part(Struct, frozen=True):
    text: str | None = None
    thought: bool = False


class _Content(Struct, frozen=True):
    parts: tuple[_Part, ...] = ()


class _Candidate(Struct, frozen=True, rename="camel"):
    content: _Content | None = None
    finish_reason: str | None = None


class _Feedback(Struct, frozen=True, rename="camel"):
    block_reason: str | None = None


class _GeneratedUsage(Struct, frozen=True, rename="camel"):
    prompt_token_count: Any = None
    candidates_token_count: Any = 0  # left out where it is 0, as the next is
    thoughts_token_count: Any = None


class _Generated(Struct, frozen=True, rename="camel"):
    candidates: tuple[_Candidate, ...] | None = None
    prompt_feedback: _Feedback = field(default_factory=_Feedback)
    usage_metadata: _GeneratedUsage | None = None
    model_version: Any = None


def read_generated(value: Any) -> ReplyContent:
    """Return what a reply of Gemini's generateContent says.

    Raises: as `read_message`.
    Source: Gemini's API reference, "GenerateContentResponse"; "Thinking".
    """
    reply = _typed(value, _Generated, OF_GENERATED)
    if reply.candidates:
        candidate = reply.candidates[0]
    elif reply.prompt_feedback.block_reason is not None:
        candidate = _Candidate(finish_reason="SAFETY")
    else:
        raise ValueError(value)  # Reading R4: nothing was answered, and nothing withheld
    content = candidate.content or _Content()
    usage = reply.usage_metadata or _GeneratedUsage(candidates_token_count=None)
    return _reply_of(
        _joined(part.text for part in content.parts if not part.thought),
        thought=_joined(part.text for part in content.parts if part.thought),
        end=candidate.finish_reason,
        served_model=reply.model_version,
        tokens_in=counted(usage.prompt_token_count),  # of a cache too
        tokens_out=_sum(usage.candidates_token_count, usage.thoughts_token_count),
        reasoning_tokens=counted(usage.thoughts_token_count),
    )


class _ReasoningText(Struct, frozen=True):
    text: str | None = None


class _Reasoning(Struct, frozen=True, rename="camel"):
    reasoning_text: _ReasoningText = field(default_factory=_ReasoningText)


class _ConverseBlock(Struct, frozen=True, rename="camel"):
    text: str | None = None
    reasoning_content: _Reasoning = field(default_factory=_Reasoning)


class _ConverseMessage(Struct, frozen=True):
    content: tuple[_ConverseBlock, ...]


class _Output(Struct, frozen=True):
    message: _ConverseMessage


class _ConverseUsage(Struct, frozen=True, rename="camel"):
    input_tokens: Any = None
    cache_read_input_tokens: Any = None
    cache_write_input_tokens: Any = None
    output_tokens: Any = None


class _Conversed(Struct, frozen=True, rename="camel"):
    output: _Output
    stop_reason: str
    usage: _ConverseUsage = field(default_factory=_ConverseUsage)


def read_converse(value: Any) -> ReplyContent:
    """Return what a reply of Bedrock's Converse says; it does not name the model that served.

    Raises: as `read_message`.
    Source: Amazon Bedrock's API reference, "Converse".
    """
    reply = _typed(value, _Conversed, OF_CONVERSE)
    blocks, usage = reply.output.message.content, reply.usage
    text = _joined(block.text for block in blocks)
    return _reply_of(
        "" if reply.stop_reason == _GUARDRAIL else text,
        thought=_joined(block.reasoning_content.reasoning_text.text for block in blocks),
        end=reply.stop_reason,
        served_model=None,
        tokens_in=_sum(
            usage.input_tokens, usage.cache_read_input_tokens, usage.cache_write_input_tokens
        ),
        tokens_out=counted(usage.output_tokens),
        reasoning_tokens=None,
    )


def _typed(value: Any, kind: type[T], keys: frozenset[str]) -> T:
    """Return a reply as the type of its protocol.

    Raises: ValueError if it is none; AnotherProtocolError if it has no key of the protocol's.
    """
    if not isinstance(value, dict) or "error" in value:
        raise ValueError(value)
    if keys.isdisjoint(value):
        raise AnotherProtocolError(value)
    return msgspec.convert(value, kind)


def _reply_of(
    text: str,
    *,
    thought: str,
    end: str | None,
    served_model: Any,
    tokens_in: int | None,
    tokens_out: int | None,
    reasoning_tokens: int | None,
) -> ReplyContent:
    """Return a reply's parts.

    Raises: ValueError if it says nothing, and not why.
    """
    if not text and not end:
        raise ValueError(end)
    finish = named(_ENDS.get(end or "", end))
    # Reading R79: a refusal is no answer, so nothing is told apart in it.
    inside, answer = ("", text) if finish == _FILTERED else separated(text)
    return ReplyContent(
        answer=answer,
        reasoning="\n".join(filter(None, (thought.strip(), inside))),
        finish_reason=finish,
        served_model=named(served_model),
        system_fingerprint=None,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        reasoning_tokens=reasoning_tokens,
    )


def _joined(texts: Iterable[str | None]) -> str:
    return "".join(filter(None, texts))


def _sum(first: Any, *counts: Any) -> int | None:
    """Return a number of tokens plus those counted beside it; None where it is not stated."""
    tokens = counted(first)
    if tokens is None:
        return None
    return tokens + sum(filter(None, map(counted, counts)))
