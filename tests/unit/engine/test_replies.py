"""What a reply means whose status or whose names do not say it plainly."""

import json

import pytest

from epc.engine.replies import meant_status, refuses_field, without_secrets


def failed(code: object) -> bytes:
    return json.dumps({"error": {"code": code, "message": "m"}}).encode()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (failed(429), 429),
        (failed(400), 400),
        (failed(599), 599),
        (failed(399), 200),
        (failed(600), 200),
        (failed(7), 200),
        (failed("rate_limited"), 200),
        (failed(None), 200),
        (b'{"error": "no object"}', 200),
        (b'{"error": ', 200),
        (b'{"choices": [], "error": {"code": 500}}', 200),
        (b"{}", 200),
    ],
)
def test_a_status_inside_the_body_counts_where_it_is_a_failure(body: bytes, expected: int) -> None:
    assert meant_status(200, body) == expected


def test_a_field_is_refused_by_a_reply_that_names_it_and_says_it_is_unknown() -> None:
    body = b"Unsupported parameter: 'max_tokens' is not supported with this model"

    assert refuses_field(400, body, "max_tokens")
    assert not refuses_field(500, body, "max_tokens")
    assert not refuses_field(400, body, "max_completion_tokens")


def test_no_text_and_no_key_of_a_value_holds_a_secret() -> None:
    value = {"sk-1": ["sk-1", {"a": "x sk-1"}], "n": 1, "none": None}

    cleaned = without_secrets(value, lambda text: text.replace("sk-1", "***"))

    assert cleaned == {"***": ["***", {"a": "x ***"}], "n": 1, "none": None}
