"""Replies in providers' own protocols, read by hand-made replies."""

from typing import Any

import msgspec
import pytest

from epc.records.native_replies import read_converse, read_generated, read_message
from epc.records.reply_parts import AnotherProtocolError, ReplyContent

Json = dict[str, Any]

MESSAGE: Json = {
    "type": "message",
    "model": "claude-1",
    "content": [
        {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
        {"type": "redacted_thinking", "data": "eA=="},
        {"type": "text", "text": "A"},
        {"type": "text", "text": "B"},
    ],
    "stop_reason": "end_turn",
    "usage": {
        "input_tokens": 8,
        "cache_creation_input_tokens": 100,
        "cache_read_input_tokens": 1000,
        "output_tokens": 40,
        "output_tokens_details": {"thinking_tokens": 38},
    },
}
GENERATED: Json = {
    "candidates": [
        {
            "content": {
                "role": "model",
                "parts": [
                    {"text": "Hm.", "thought": True},
                    {"text": "A", "thoughtSignature": "c2ln"},
                    {"text": "B"},
                ],
            },
            "finishReason": "STOP",
        }
    ],
    # The prompt's count includes what a cache held.
    "usageMetadata": {
        "promptTokenCount": 1108,
        "cachedContentTokenCount": 1000,
        "candidatesTokenCount": 2,
        "thoughtsTokenCount": 38,
    },
    "modelVersion": "gemini-1",
}
CONVERSED: Json = {
    "output": {
        "message": {
            "role": "assistant",
            "content": [
                {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "c2ln"}}},
                {"reasoningContent": {"redactedContent": "eA=="}},
                {"text": "A"},
                {"text": "B"},
            ],
        }
    },
    "stopReason": "end_turn",
    "usage": {
        "inputTokens": 8,
        "cacheReadInputTokens": 1000,
        "cacheWriteInputTokens": 100,
        "outputTokens": 40,
    },
}


@pytest.mark.parametrize(
    ("said", "served", "reasoning_tokens"),
    [
        (read_message(MESSAGE), "claude-1", 38),
        (read_generated(GENERATED), "gemini-1", 38),
        (read_converse(CONVERSED), None, None),
    ],
)
def test_reading_r79_thoughts_are_told_from_the_answer_and_paid_for(
    said: ReplyContent, served: str | None, reasoning_tokens: int | None
) -> None:
    assert said == ReplyContent(
        answer="AB",
        reasoning="Hm.",
        finish_reason="stop",
        served_model=served,
        system_fingerprint=None,
        tokens_in=1108,  # 8 + 1000 + 100
        tokens_out=40,  # 2 + 38
        reasoning_tokens=reasoning_tokens,
    )


def test_a_count_that_gemini_leaves_out_beside_others_is_zero() -> None:
    blocked = read_generated(
        {"promptFeedback": {"blockReason": "X"}, "usageMetadata": {"promptTokenCount": 18}}
    )
    silent = read_generated({"candidates": [{"finishReason": "STOP"}]})

    assert (blocked.tokens_in, blocked.tokens_out) == (18, 0)
    assert (silent.tokens_in, silent.tokens_out) == (None, None)


def test_reading_r79_a_block_of_thought_within_the_text_is_none_of_the_answer() -> None:
    text = [{"type": "text", "text": "<thinking>Hm.</thinking>\nB"}]

    answer = read_message({**MESSAGE, "content": text})
    refused = read_message({**MESSAGE, "content": text, "stop_reason": "refusal"})

    assert (answer.answer, answer.reasoning) == ("B", "Hm.")
    assert refused.answer == text[0]["text"], "a refusal is kept as it is"


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        *((r, "content_filter") for r in ("SAFETY", "RECITATION", "BLOCKLIST", "SPII")),
        *((r, "content_filter") for r in ("PROHIBITED_CONTENT", "IMAGE_SAFETY")),
        ("MAX_TOKENS", "max_tokens"),
        ("LANGUAGE", "LANGUAGE"),
    ],
)
def test_reading_r4_the_end_of_a_candidate_is_told_in_one_spelling(
    reason: str, finish: str
) -> None:
    answer = read_generated({"candidates": [{"finishReason": reason}]})

    assert (answer.answer, answer.finish_reason) == ("", finish)


READERS = {"message": read_message, "generated": read_generated, "converse": read_converse}


def failure(name: str, value: Any) -> type[ValueError] | None:
    """Return how a reader refuses a reply."""
    try:
        READERS[name](value)
    except ValueError as error:
        return type(error)
    return None


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("value", [None, [], "A", 5, {"error": {"message": "busy"}}])
def test_reading_r4_what_says_nothing_is_no_answer(name: str, value: Any) -> None:
    assert failure(name, value) not in (None, AnotherProtocolError)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("message", {"type": "message", "content": [], "stop_reason": None}),
        ("message", {"type": "message", "content": "A", "stop_reason": "end_turn"}),
        ("generated", {"candidates": [{"content": {"parts": []}}]}),
        ("generated", {"candidates": "A"}),
        ("converse", {"stopReason": None, "output": {"message": {"content": []}}}),
        ("converse", {"stopReason": "end_turn", "output": {"message": {}}}),
    ],
)
def test_reading_r4_neither_words_nor_a_reason_is_no_answer(name: str, value: Json) -> None:
    assert failure(name, value) not in (None, AnotherProtocolError)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("value", [{}, {"choices": []}, {"object": "chat.completion"}])
def test_a_reply_of_another_protocol_is_told_from_a_failure(name: str, value: Json) -> None:
    with pytest.raises(AnotherProtocolError):
        READERS[name](value)


def test_no_reader_takes_the_reply_of_another() -> None:
    replies = {"message": MESSAGE, "generated": GENERATED, "converse": CONVERSED}
    for name, reader in READERS.items():
        for other in replies.keys() - {name}:
            with pytest.raises(AnotherProtocolError):
                reader(replies[other])
        assert msgspec.json.encode(reader(replies[name]))
