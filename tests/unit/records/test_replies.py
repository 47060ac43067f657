"""A kept reply is read again: an answer that it does not give is found."""

import json
from typing import Any

import pytest
from endpoint_support import Received, completion
from engine_support import call
from native_support import native

from epc.records.replies import contradictions
from epc.records.rows import Call
from epc.records.typed import parse

OPENAI = completion("A").body.decode()
ANTHROPIC = json.dumps(
    {
        "model": "claude",
        "content": [{"type": "thinking", "thinking": "B?"}, {"type": "text", "text": " A"}],
        "stop_reason": "end_turn",
    }
)
GOOGLE = json.dumps(
    {"candidates": [{"content": {"parts": [{"text": "B?", "thought": True}, {"text": "A\n"}]}}]}
)
BEDROCK = json.dumps({"output": {"message": {"content": [{"text": "A"}], "role": "assistant"}}})
REFUSING = json.dumps({"choices": [{"message": {"content": None, "refusal": "I won't."}}]})
SEEN: dict[str, Any] = {
    "headers": {"content-type": "application/json"},
    "served_model": "served-model-0806",
    "system_fingerprint": "fp_44709d6fcb",
    "tokens_in": 21,
    "tokens_out": 3,
    "finish_reason": "stop",
}


def contradicting_keys(**changed: Any) -> list[str]:
    row = parse(call(0) | {"finish_reason": "stop"} | changed, Call)
    return [key for key, _ in contradictions(row)]


@pytest.mark.parametrize("reply", [OPENAI, ANTHROPIC, GOOGLE, BEDROCK])
def test_epc_2_5_d_an_answer_that_its_reply_does_not_give_is_found(reply: str) -> None:
    assert contradicting_keys(reply=reply, answer="A") == []
    assert contradicting_keys(reply=reply, answer="B") == ["answer"]
    assert contradicting_keys(reply=reply, answer="") == ["answer"]


def test_epc_2_5_d_whatever_was_read_of_a_reply_is_compared() -> None:
    row = SEEN | {"reply": OPENAI, "answer": "A"}

    assert contradicting_keys(**row) == []
    for key, other in {
        "answer": "B",
        "served_model": "another",
        "system_fingerprint": None,
        "tokens_in": 22,
        "tokens_out": 4,
        "finish_reason": "length",
        "reasoning": "because",
        "reasoning_tokens": 5,
    }.items():
        assert contradicting_keys(**row | {key: other}) == [key]


@pytest.mark.parametrize(
    ("path", "served"),
    [
        ("/v1/messages", "claude-test-4-5-20260101"),
        (":generateContent", "gemini-2.5-flash-001"),
        ("/converse", None),
    ],
)
def test_epc_2_5_d_a_reply_in_a_provider_s_own_protocol_is_read_again_whole(
    path: str, served: str | None
) -> None:
    reply = native("A", Received(path=path, headers={}, body={})).body.decode()
    seen = SEEN | {"served_model": served, "system_fingerprint": None, "reply": reply}

    assert contradicting_keys(**seen, answer="A") == []
    assert contradicting_keys(**seen, answer="B") == ["answer"]
    assert contradicting_keys(
        **seen | {"tokens_in": 22, "finish_reason": "length"}, answer="A"
    ) == [
        *("finish_reason", "tokens_in"),
    ]


@pytest.mark.parametrize(
    "reply",
    ["", "B", "{", "[" * 200_000, "[]", "5", '{"choices": []}', OPENAI[:-20], '{"error": {}}'],
)
def test_epc_2_5_d_what_is_no_completion_vouches_for_no_answer(reply: str) -> None:
    expected = ["reply"] if reply else []  # none was kept
    assert contradicting_keys(**SEEN, reply=reply, answer="A") == expected


def test_epc_2_5_d_what_is_kept_in_part_is_no_contradiction() -> None:
    note = "(a reply of 5,000,000 bytes, too large to record)"

    assert contradicting_keys(reply=note, answer="B") == []
    assert contradicting_keys(reply=f"{note} ", answer="B") == ["reply"]
    assert contradicting_keys(reply=OPENAI, answer="", finish_reason="too_large") == []


def test_epc_2_5_d_an_empty_answer_needs_a_reply_that_says_nothing() -> None:
    said_nothing = json.dumps({"candidates": [], "usageMetadata": {}})

    assert contradicting_keys(reply=said_nothing, answer="") == []
    assert contradicting_keys(reply=GOOGLE, answer="", finish_reason="content_filter") == []
    assert contradicting_keys(reply=REFUSING, answer="I won't.", finish_reason="refusal") == []
    assert contradicting_keys(reply=REFUSING, answer="") == ["answer"]


def test_a_half_of_a_surrogate_pair_is_stored_as_it_was_answered() -> None:
    reply = OPENAI.replace('"A"', r'"A \ud83d"')

    assert contradicting_keys(**SEEN, reply=reply, answer="A \ufffd") == []
