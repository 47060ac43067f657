"""Models in Anthropic's, Gemini's and Bedrock's protocols, against a real server that speaks them.

Three protocols are held against one list of promises.
"""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from endpoint_support import Endpoint, Received, Reply, serving
from native_support import (
    ANTHROPIC,
    BEDROCK,
    CANARY,
    GOOGLE,
    SECRETS,
    addresses,
    google,
    native,
    refused,
    says,
)

from epc.engine import asking
from epc.engine.budget import price_of
from epc.engine.catalog import open_model
from epc.engine.hosted import Hosted
from epc.engine.model import CallError, Completion, Prompt
from epc.engine.remote import require_decoding
from epc.errors import UsageError
from epc.protocol.config import REFERENCE_DECODING, Decoding, Reasoning

EACH = (ANTHROPIC, GOOGLE, BEDROCK)
TEXT = "Evaluate. “Ü”\n\tlast line"


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    with serving() as server:
        server.behave = lambda received: native(says(received), received)
        for name, value in {**SECRETS, **addresses(server.url)}.items():
            monkeypatch.setenv(name, value)
        yield server


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "FIRST_PAUSE_S", 0.001)
    monkeypatch.setattr(asking, "LONGEST_PAUSE_S", 0.002)


def ask(
    name: str, text: str = TEXT, decoding: Decoding = REFERENCE_DECODING, **further_fields: Any
) -> Completion:
    async def asking_it() -> Completion:
        model = open_model(name)
        try:
            return await model.complete(Prompt(text=text, **further_fields), decoding)
        finally:
            await model.close()

    return asyncio.run(asking_it())


WHOLE = Decoding(temperature=0.0, max_tokens=10, top_p=0.9, stop=("\n",))
HARMS = ["CIVIC_INTEGRITY", "DANGEROUS_CONTENT", "HARASSMENT", "HATE_SPEECH", "SEXUALLY_EXPLICIT"]
UNFILTERED = [{"category": f"HARM_CATEGORY_{harm}", "threshold": "BLOCK_NONE"} for harm in HARMS]
UNTHOUGHT = {"includeThoughts": False, "thinkingBudget": 0}


@pytest.mark.parametrize(
    ("name", "path", "headers", "body"),
    [
        (
            ANTHROPIC,
            "/v1/messages",
            {"x-api-key": CANARY, "anthropic-version": "2023-06-01"},
            {
                "model": "claude-test-4-5",
                "messages": [{"role": "user", "content": TEXT}],
                "max_tokens": 10,
                "temperature": 0.0,
                "top_p": 0.9,
                "stop_sequences": ["\n"],
            },
        ),
        (
            GOOGLE,
            "/v1beta/models/gemini-2.5-flash:generateContent",
            {"x-goog-api-key": CANARY},
            {
                "contents": [{"role": "user", "parts": [{"text": TEXT}]}],
                "safetySettings": UNFILTERED,
                "generationConfig": {
                    "maxOutputTokens": 10,
                    "thinkingConfig": UNTHOUGHT,
                    "temperature": 0.0,
                    "topP": 0.9,
                    "stopSequences": ["\n"],
                },
            },
        ),
        (
            BEDROCK,
            "/model/nova/converse",
            {"authorization": f"Bearer {CANARY}"},
            {
                "messages": [{"role": "user", "content": [{"text": TEXT}]}],
                "inferenceConfig": {
                    "maxTokens": 10,
                    "temperature": 0.0,
                    "topP": 0.9,
                    "stopSequences": ["\n"],
                },
            },
        ),
    ],
)
def test_epc_2_6_b_an_endpoint_receives_what_was_asked_and_nothing_else(
    endpoint: Endpoint, name: str, path: str, headers: dict[str, str], body: Any
) -> None:
    ask(name, decoding=WHOLE)

    (request,) = endpoint.received
    assert request.path == path
    assert {key: request.headers.get(key) for key in headers} == headers
    with_key = {key for key, value in request.headers.items() if CANARY in value}
    assert with_key == {key for key, value in headers.items() if CANARY in value}
    assert request.body == body


@pytest.mark.parametrize("name", EACH)
def test_epc_2_6_b_a_temperature_of_none_is_not_sent(endpoint: Endpoint, name: str) -> None:
    ask(name, decoding=Decoding(temperature=None, max_tokens=10))

    (request,) = endpoint.received
    assert "temperature" not in json.dumps(request.body)


@pytest.mark.parametrize(
    ("model", "thinking"),
    [
        ("gemini-2.5-flash", UNTHOUGHT),
        ("gemini-3-flash-preview", UNTHOUGHT),
        ("gemini-2.5-pro", {"includeThoughts": True}),
        ("gemini-3.1-pro", {"includeThoughts": True}),
        ("gemini-2.0-flash", None),
        ("gemini-1.5-pro", None),
        ("gemma-3-27b-it", None),
    ],
)
def test_epc_2_6_d_gemini_is_told_not_to_think_where_it_can_be(
    endpoint: Endpoint, model: str, thinking: Any
) -> None:
    ask(f"google/{model}")

    (request,) = endpoint.received
    assert request.body["generationConfig"].get("thinkingConfig") == thinking


def test_a_name_with_a_slash_stays_one_part_of_the_path(endpoint: Endpoint) -> None:
    ask("bedrock/arn:aws:bedrock:us-east-1:1:inference-profile/us.amazon.nova-lite-v1:0")

    (request,) = endpoint.received
    assert request.path.startswith("/model/arn:aws:bedrock:us-east-1:1:inference-profile%2Fus.")


@pytest.mark.parametrize(
    ("name", "served"),
    [
        (ANTHROPIC, "claude-test-4-5-20260101"),
        (GOOGLE, "gemini-2.5-flash-001"),
        (BEDROCK, None),
    ],
)
def test_epc_2_2_an_answer_comes_with_what_the_provider_says_of_it(
    endpoint: Endpoint, name: str, served: str | None
) -> None:
    answer = ask(name)

    assert answer.text in ("A", "B")
    assert answer.served_model == served
    assert (answer.tokens_in, answer.tokens_out, answer.retries) == (21, 3, 0)
    assert answer.finish_reason == "stop"
    assert answer.latency_s is not None
    assert answer.headers == {"content-type": "application/json"}


@pytest.mark.parametrize("name", EACH)
def test_the_reply_is_kept_byte_for_byte(endpoint: Endpoint, name: str) -> None:
    (sent,) = endpoint.script = [native("A", Received(path=_path_of(name), headers={}, body={}))]
    spaced = Reply(body=b" " + sent.body.replace(b", ", b" ,\n"))
    endpoint.script = [spaced]

    answer = ask(name)

    assert (answer.text, answer.reply) == ("A", spaced.body.decode())


def _path_of(name: str) -> str:
    paths = {ANTHROPIC: "/v1/messages", GOOGLE: ":generateContent", BEDROCK: "/converse"}
    return paths[name]


@pytest.mark.parametrize("name", EACH)
def test_a_key_that_comes_back_is_written_nowhere(endpoint: Endpoint, name: str) -> None:
    endpoint.behave = lambda received: native(f"A {CANARY}", received)

    answer = ask(name)

    assert answer.text.startswith("A [")
    assert CANARY not in f"{answer}"


@pytest.mark.parametrize("name", EACH)
def test_retry_after_holds_every_call_to_the_endpoint(endpoint: Endpoint, name: str) -> None:
    endpoint.behave = refused(429, "slow down", Retry_After="3600")

    with pytest.raises(CallError, match=r"HTTP 429: .*\(1 attempts\)"):
        ask(name)


@pytest.mark.parametrize("name", EACH)
@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"[]", b"null", b'"A"', b"<html>busy</html>", b'{"content": "A"', b"\xff"),
        b'{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}',
        b'{"type": "message", "content": "A", "stopReason": 5, "candidates": "A"}',
    ],
)
def test_reading_r4_a_reply_without_an_answer_is_asked_again(
    endpoint: Endpoint, name: str, body: bytes
) -> None:
    lost: list[int] = []

    async def lose() -> None:
        lost.append(1)

    endpoint.script = [Reply(body=body)]
    endpoint.behave = lambda received: native("A", received)

    answer = ask(name, lost=lose)

    assert (answer.text, answer.retries, lost) == ("A", 1, [1])


@pytest.mark.parametrize("name", EACH)
def test_a_server_of_another_protocol_stops_the_run_at_its_first_call(
    endpoint: Endpoint, name: str
) -> None:
    endpoint.script = [Reply(body=b'{"object": "chat.completion", "choices": []}')]

    with pytest.raises(CallError, match=r"fix: start the server, or set [A-Z]+_BASE_URL"):
        ask(name)


@pytest.mark.parametrize("name", EACH)
def test_a_connection_that_breaks_is_asked_again(endpoint: Endpoint, name: str) -> None:
    whole_reply = native("A", Received(path=_path_of(name), headers={}, body={}))
    endpoint.script = [Reply(body=whole_reply.body, cut=25)]
    endpoint.behave = lambda received: native("A", received)

    assert ask(name).text == "A"
    assert len(endpoint.received) == 2


def test_reading_r37_a_withheld_answer_of_anthropic_is_no_failure(endpoint: Endpoint) -> None:
    endpoint.behave = refused(400, "Output blocked by content filtering policy")

    answer = ask(ANTHROPIC)

    assert (answer.text, answer.finish_reason) == ("", "content_filter")


def anthropic(stop: str | None, content: list[dict[str, Any]]) -> Reply:
    """Return a reply of Anthropic's that ended for a reason of its own."""
    whole_document = json.loads(
        native("A", Received(path="/v1/messages", headers={}, body={})).body
    )
    return Reply(
        body=json.dumps({**whole_document, "content": content, "stop_reason": stop}).encode()
    )


def converse(stop: str, content: list[dict[str, Any]]) -> Reply:
    """Return a reply of Bedrock's that ended for a reason of its own."""
    message = {"role": "assistant", "content": content}
    return Reply(body=json.dumps({"output": {"message": message}, "stopReason": stop}).encode())


NO = [{"type": "text", "text": "No."}]


@pytest.mark.parametrize(
    ("name", "reply", "answer"),
    [
        (ANTHROPIC, anthropic("refusal", []), ("", "content_filter")),
        (ANTHROPIC, anthropic("refusal", NO), ("No.", "content_filter")),
        (ANTHROPIC, anthropic("max_tokens", []), ("", "max_tokens")),
        (ANTHROPIC, anthropic("end_turn", []), ("", "stop")),
        (ANTHROPIC, anthropic("pause_turn", NO), ("No.", "pause_turn")),
        (ANTHROPIC, anthropic("model_context_window_exceeded", []), ("", "length")),
        (GOOGLE, google([{"finishReason": "MAX_TOKENS"}]), ("", "max_tokens")),
        (GOOGLE, google([{"finishReason": "SAFETY"}]), ("", "content_filter")),
        (GOOGLE, google([{"content": {"role": "model"}}]), ("", "stop")),
        (GOOGLE, google([{"finishReason": "OTHER"}]), ("", "OTHER")),
        (GOOGLE, google([], promptFeedback={"blockReason": "OTHER"}), ("", "content_filter")),
        (BEDROCK, converse("max_tokens", []), ("", "max_tokens")),
        (BEDROCK, converse("content_filtered", [{"text": "No."}]), ("No.", "content_filter")),
        (BEDROCK, converse("guardrail_intervened", [{"text": "A"}]), ("", "content_filter")),
    ],
)
def test_reading_r4_what_the_model_did_is_an_answer_and_not_asked_again(
    endpoint: Endpoint, name: str, reply: Reply, answer: tuple[str, str]
) -> None:
    endpoint.script = [reply]

    input_reply = ask(name)

    assert (input_reply.text, input_reply.finish_reason) == answer
    assert len(endpoint.received) == 1


@pytest.mark.parametrize("name", EACH)
def test_nothing_listening_is_found_at_the_first_try(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    with serving() as gone:
        for variable, address in {**SECRETS, **addresses(gone.url)}.items():
            monkeypatch.setenv(variable, address)

    with pytest.raises(CallError, match=r"fix: start the server, or set [A-Z]+_BASE_URL"):
        ask(name)


def test_a_prompt_that_is_too_long_is_a_failure_and_not_an_answer(endpoint: Endpoint) -> None:
    endpoint.behave = refused(400, "prompt is too long: 300000 tokens > 200000 maximum")

    with pytest.raises(CallError, match="prompt is too long"):
        ask(ANTHROPIC)


def test_a_temperature_beside_thinking_is_refused_with_what_to_do(endpoint: Endpoint) -> None:
    endpoint.behave = refused(400, "`temperature` may only be set to 1 when thinking is enabled")

    with pytest.raises(CallError, match="`--temperature none`") as failed:
        ask(ANTHROPIC, decoding=Decoding(temperature=0.0, max_tokens=2000, reasoning="low"))

    assert failed.value.setting == "temperature"


def test_epc_2_2_the_identity_says_where_a_model_is_asked(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BEDROCK_BASE_URL")

    assert open_model(ANTHROPIC).identity.endpoint == endpoint.url.removesuffix("/v1")
    assert (
        open_model(BEDROCK).identity.endpoint == "https://bedrock-runtime.us-east-1.amazonaws.com"
    )


def test_without_a_region_one_line_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("AWS_REGION", "AWS_DEFAULT_REGION", "BEDROCK_BASE_URL"):
        monkeypatch.delenv(variable, raising=False)

    with pytest.raises(UsageError, match=r"^set AWS_REGION to the region of your account, such as"):
        open_model(BEDROCK)


@pytest.mark.parametrize(
    ("name", "variable"),
    [(ANTHROPIC, "ANTHROPIC_API_KEY"), (BEDROCK, "AWS_BEARER_TOKEN_BEDROCK")],
)
def test_a_key_is_needed_to_begin_and_not_to_plan(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, name: str, variable: str
) -> None:
    monkeypatch.delenv(variable, raising=False)
    model = open_model(name)

    assert isinstance(model, Hosted)
    with pytest.raises(UsageError, match=f"set {variable} to your key for"):
        model.require_key()


@pytest.mark.parametrize(
    ("name", "body", "said"),
    [
        (ANTHROPIC, {"system": "Be brief."}, "--body system: the protocol sets it"),
        (ANTHROPIC, {"thinking": {"type": "disabled"}}, "--reasoning sets thinking as well"),
        (GOOGLE, {"contents": []}, "--body contents: the protocol sets it"),
        (GOOGLE, {"generationConfig": {"topP": 1}}, "--body topP: use --top-p"),
        (GOOGLE, {"generationConfig": {"temperature": 1}}, "--body temperature: use --temperature"),
        (GOOGLE, {"generationConfig": {"thinkingConfig": {}}}, "--reasoning sets thinkingConfig"),
        (BEDROCK, {"inferenceConfig": {"maxTokens": 1}}, "--body maxTokens: use --max-tokens"),
        (BEDROCK, {"inferenceConfig": [7]}, "--body inferenceConfig is no object"),
    ],
)
def test_what_has_an_option_or_is_the_protocol_s_is_no_body(
    endpoint: Endpoint, name: str, body: dict[str, Any], said: str
) -> None:
    reasoning: Reasoning | None = None if name == BEDROCK else "none"

    with pytest.raises(UsageError, match=said):
        require_decoding(
            open_model(name),
            Decoding(temperature=0.0, max_tokens=10, reasoning=reasoning, body=body),
        )


def test_what_a_user_adds_goes_to_its_place(endpoint: Endpoint) -> None:
    chosen = {"generationConfig": {"seed": 7, "thinkingConfig": {"thinkingBudget": 128}}}

    ask(GOOGLE, decoding=Decoding(temperature=0.0, max_tokens=10, body=chosen))

    (request,) = endpoint.received
    assert request.body["generationConfig"] == {
        "maxOutputTokens": 10,
        "temperature": 0.0,
        "seed": 7,
        "thinkingConfig": {"thinkingBudget": 128},
    }


def test_prices_are_those_of_the_provider() -> None:
    assert price_of("anthropic/claude-sonnet-4-5") is not None
    assert price_of("bedrock/amazon.nova-lite-v1:0") is not None
    assert price_of("bedrock/no-such-model") is None


def test_an_address_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "localhost")

    with pytest.raises(UsageError, match="the value of ANTHROPIC_BASE_URL is no address"):
        open_model(ANTHROPIC)
