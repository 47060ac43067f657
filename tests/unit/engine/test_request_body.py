"""What a user may add to requests: nothing that must not stand in a record."""

from typing import Any

import pytest

from epc.engine.request_body import (
    DEEPSEEK,
    EFFORT,
    LLAMACPP,
    OPENROUTER,
    QWEN,
    TEMPLATE,
    require_sendable,
    response_format,
)
from epc.errors import UsageError
from epc.protocol.config import REASONING


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"provider": {"only": ["openai"], "allow_fallbacks": False}},
        {"chat_template_kwargs": {"enable_thinking": False}},
        {"stop_token_ids": [1, 2], "logit_bias": {"15": -100}, "min_tokens": 1},
        {"sport": "skateboarding-championship-of-2026", "hfx": "akia"},
        {"url": "https://host:8000/path@v1"},
        {"metadata": {"basic": "a basic idea"}},
    ],
)
def test_what_a_request_may_need_is_sendable(body: dict[str, Any]) -> None:
    require_sendable(body)


@pytest.mark.parametrize(
    "body",
    [
        {"api_key": "x"},
        {"extra": [{"Authorization": "x"}]},
        {"deep": {"deeper": [["Basic dXNlcjpodW50ZXIy"]]}},
        {"x": "AKIAIOSFODNN7EXAMPLE"},
        {"access_token": 1},
        {"x": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2ln"},
    ],
)
def test_what_looks_like_a_credential_is_refused_by_its_place(body: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="looks like a credential"):
        require_sendable(body)


def test_a_secret_of_the_environment_is_refused_by_its_variable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("WEATHER_API_KEY", "plain-words-of-mine")

    with pytest.raises(
        UsageError, match=r"--body a\.b holds the value of WEATHER_API_KEY"
    ) as refused:
        require_sendable({"a": {"b": ["so plain-words-of-mine, you see"]}})

    assert "plain-words" not in str(refused.value)


def test_reading_r79_every_way_to_ask_for_reasoning_has_each_level() -> None:
    for levels in (EFFORT, OPENROUTER, DEEPSEEK, TEMPLATE, LLAMACPP):
        assert {*levels} == {*REASONING}
    assert {*QWEN} == {"none", "high"}
    assert EFFORT["low"] == {"reasoning_effort": "low"}
    assert OPENROUTER["none"] == {"reasoning": {"effort": "none"}}
    assert DEEPSEEK["none"] == {"thinking": {"type": "disabled"}}
    assert DEEPSEEK["high"] == {"thinking": {"type": "enabled"}, "reasoning_effort": "high"}
    off = {"chat_template_kwargs": {"enable_thinking": False, "thinking": False}}
    on = {"enable_thinking": True, "thinking": True}
    assert TEMPLATE["none"] == LLAMACPP["none"] == off
    assert TEMPLATE["low"] == {"chat_template_kwargs": on, "reasoning_effort": "low"}
    assert LLAMACPP["low"] == {"chat_template_kwargs": {**on, "reasoning_effort": "low"}}
    assert QWEN["high"] == {"enable_thinking": True}
    assert QWEN["none"] == {"enable_thinking": False}


def test_a_constraint_is_json_a_schema_or_nothing_that_a_body_has() -> None:
    assert response_format("json") == {"type": "json_object"}
    assert response_format(None) is response_format("ab") is None
    document = response_format("judge_reply")
    assert document is not None
    assert (document["type"], document["json_schema"]["name"]) == ("json_schema", "judge_reply")
    assert document["json_schema"]["strict"] is True
    inner = document["json_schema"]["schema"]
    assert {*inner["properties"]} == {*inner["required"]}, "strict modes refuse optional keys"


@pytest.mark.parametrize(
    ("key", "words"),
    [("temperature", "use --temperature"), ("max_completion_tokens", "use --max-tokens"),
     ("messages", "the protocol sets it"), ("tools", "the protocol sets it")],
)  # fmt: skip
def test_what_the_protocol_or_an_option_sets_is_refused(key: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        require_sendable({key: 1})
