"""What a user may add to requests: nothing that must not stand in a record."""

from typing import Any

import pytest

from epc.engine.request_body import require_sendable
from epc.errors import UsageError


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


def test_a_secret_variable_is_refused_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEATHER_API_KEY", "plain-words-of-mine")

    with pytest.raises(
        UsageError, match=r"--body a\.b holds the value of WEATHER_API_KEY"
    ) as refused:
        require_sendable({"a": {"b": ["so plain-words-of-mine, you see"]}})

    assert "plain-words" not in str(refused.value)
