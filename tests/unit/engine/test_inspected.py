"""Models in their providers' own protocols, against a real server that speaks them.

Over 400 lines, because three protocols are held against one list of promises.
"""

import asyncio
import json
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
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

from epc.engine import asking, inspected
from epc.engine.budget import price_of
from epc.engine.catalog import open_model
from epc.engine.model import CallError, Completion, Prompt
from epc.errors import UsageError
from epc.protocol.config import REFERENCE_DECODING, Decoding

# The SDKs are others' code: what they deprecate among themselves is no finding here.
pytestmark = [pytest.mark.extra, pytest.mark.filterwarnings("ignore::DeprecationWarning")]

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
    name: str, text: str = TEXT, decoding: Decoding = REFERENCE_DECODING, **more: Any
) -> Completion:
    async def asking_it() -> Completion:
        model = open_model(name)
        try:
            return await model.complete(Prompt(text=text, **more), decoding)
        finally:
            await model.close()

    return asyncio.run(asking_it())


def test_epc_2_6_b_anthropic_receives_what_was_asked_and_nothing_else(endpoint: Endpoint) -> None:
    ask(ANTHROPIC, decoding=Decoding(temperature=0.0, max_tokens=10, top_p=0.9, stop=("\n",)))

    (request,) = endpoint.received
    assert request.path == "/v1/messages"
    assert request.headers["authorization"] == f"Bearer {CANARY}"
    # The version that still takes a temperature (the SDK's own refuses it for every model).
    assert request.headers["anthropic-version"] == "2023-06-01"
    assert request.body == {
        "model": "claude-test-4-5",
        "messages": [{"role": "user", "content": TEXT}],
        "max_tokens": 10,
        "temperature": 0.0,
        "top_p": 0.9,
        "stop_sequences": ["\n"],
        "stream": False,
        "tools": [],
    }


@pytest.mark.parametrize("name", EACH)
def test_epc_2_6_b_a_temperature_of_none_is_not_sent(endpoint: Endpoint, name: str) -> None:
    ask(name, decoding=Decoding(temperature=None, max_tokens=10))

    (request,) = endpoint.received
    assert "temperature" not in json.dumps(request.body)


def test_epc_2_6_b_what_inspect_leaves_out_stops_the_run(endpoint: Endpoint) -> None:
    # Inspect believes that this generation takes no temperature, and sends none.
    with pytest.raises(CallError, match=r"temperature 0\.0 was asked for, and Inspect sent none"):
        ask("bedrock/anthropic.claude-opus-5-20260801-v1:0")

    assert len(endpoint.received) == 1


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
    assert answer.reply is not None
    assert f'"text": "{answer.text}"' in answer.reply
    assert "headers" not in answer.reply


@pytest.mark.parametrize("name", EACH)
def test_retry_after_holds_every_call_to_the_endpoint(endpoint: Endpoint, name: str) -> None:
    endpoint.behave = refused(429, "slow down", Retry_After="3600")

    with pytest.raises(CallError, match=r"HTTP 429: .*\(1 attempts\)"):
        ask(name)


@pytest.mark.parametrize("name", EACH)
@pytest.mark.parametrize(
    "body", [b"", b"[]", b"null", b'"A"', b"{}", b"<html>busy</html>", b'{"content": "A"', b"\xff"]
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


@pytest.mark.parametrize("name", [ANTHROPIC, BEDROCK])
def test_a_connection_that_breaks_is_asked_again(endpoint: Endpoint, name: str) -> None:
    whole = native("A", Received(path="/v1/messages", headers={}, body={}))
    endpoint.script = [Reply(body=whole.body, cut=25)]
    endpoint.behave = lambda received: native("A", received)

    assert ask(name).text == "A"
    assert len(endpoint.received) == 2


def test_reading_r37_a_withheld_answer_of_anthropic_is_no_failure(endpoint: Endpoint) -> None:
    endpoint.behave = refused(400, "Output blocked by content filtering policy")

    answer = ask(ANTHROPIC)

    assert (answer.text, answer.finish_reason) == ("", "content_filter")


def anthropic(stop: str, content: list[dict[str, Any]]) -> Reply:
    """Return a reply of Anthropic's that ended for a reason of its own."""
    whole = json.loads(native("A", Received(path="/v1/messages", headers={}, body={})).body)
    return Reply(body=json.dumps({**whole, "content": content, "stop_reason": stop}).encode())


@pytest.mark.parametrize(
    ("name", "reply", "answer"),
    [
        (ANTHROPIC, anthropic("refusal", []), ("", "content_filter")),
        (
            ANTHROPIC,
            anthropic("refusal", [{"type": "text", "text": "No."}]),
            ("No.", "content_filter"),
        ),
        (ANTHROPIC, anthropic("max_tokens", []), ("", "max_tokens")),
        (ANTHROPIC, anthropic("end_turn", []), ("", "stop")),
        (GOOGLE, google([{"finishReason": "MAX_TOKENS"}]), ("", "max_tokens")),
        (GOOGLE, google([{"content": {"role": "model"}}]), ("", "stop")),
        (GOOGLE, google([{"finishReason": "OTHER"}]), ("", "unknown")),
    ],
)
def test_reading_r4_what_the_model_did_is_an_answer_and_not_asked_again(
    endpoint: Endpoint, name: str, reply: Reply, answer: tuple[str, str]
) -> None:
    endpoint.script = [reply]

    given = ask(name)

    assert (given.text, given.finish_reason) == answer
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


def test_epc_2_2_the_identity_says_where_a_model_is_asked(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BEDROCK_BASE_URL")

    assert open_model(ANTHROPIC).identity.endpoint == endpoint.url.removesuffix("/v1")
    assert (
        open_model(BEDROCK).identity.endpoint == "https://bedrock-runtime.us-east-1.amazonaws.com"
    )
    assert open_model("inspect/mistral/m").identity.endpoint == "inspect:mistral"
    assert open_model("inspect/openrouter/a/b").identity.gateway == "openrouter"


def test_any_provider_of_inspect_is_asked_by_its_name(endpoint: Endpoint) -> None:
    answer = ask("inspect/anthropic/claude-test-4-5")

    assert answer.text in ("A", "B")
    assert endpoint.received[0].path == "/v1/messages"


def test_a_provider_that_inspect_does_not_know_stops_the_run(endpoint: Endpoint) -> None:
    with pytest.raises(CallError, match=r"inspect/nobody/m: Inspect cannot ask it: .*nobody"):
        ask("inspect/nobody/m")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("inspect/mistral", "models of Inspect are named inspect/provider/model"),
        ("anthropic/bedrock/claude", "are named inspect/anthropic/bedrock/claude"),
    ],
)
def test_a_name_that_leads_nowhere_says_which_does(name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        open_model(name)


@pytest.mark.parametrize("package", ["inspect-ai", "anthropic"])
def test_without_the_extra_one_error_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    def installed(name: str) -> str:
        if name == package:
            raise PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr("importlib.metadata.version", installed)

    with pytest.raises(UsageError) as refused_:
        open_model(ANTHROPIC)

    assert str(refused_.value) == (
        f"this needs the extra `inspect`; not installed: {package}\n"
        "  fix: pip install 'epc-registry[inspect]'"
    )


def test_a_key_is_needed_to_begin_and_not_to_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    model = open_model(ANTHROPIC)

    assert isinstance(model, inspected.Inspected)
    with pytest.raises(UsageError, match="set ANTHROPIC_API_KEY to your key for anthropic"):
        model.require_key()


def test_prices_are_those_of_the_provider() -> None:
    known = price_of("anthropic/claude-sonnet-4-5")

    assert known is not None
    assert price_of("inspect/anthropic/claude-sonnet-4-5") == known
    assert price_of("bedrock/amazon.nova-lite-v1:0") is not None
    assert price_of("bedrock/no-such-model") is None


def test_an_address_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "localhost")

    with pytest.raises(UsageError, match="the value of ANTHROPIC_BASE_URL is no address"):
        open_model(ANTHROPIC)
