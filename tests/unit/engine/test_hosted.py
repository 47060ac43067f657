"""A hosted model against a real server on the loopback interface (EPC-2.6(b), Reading R4)."""

import asyncio
import json
import resource
import time
from base64 import b64encode
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from types import SimpleNamespace
from typing import Any

import pytest
from engine_support import Endpoint, Reply, completion, refusal, serving

from epc.core.config import REFERENCE_DECODING, Decoding
from epc.engine import hosted, limits
from epc.engine.hosted import open_hosted
from epc.engine.model import CallError, Completion, Prompt
from epc.engine.providers import PROVIDERS
from epc.errors import UsageError

CANARY = "sk-canary-0123456789abcdef"
GARBAGE = {
    "no JSON": Reply(body=b"<html>Bad gateway</html>"),
    "cut JSON": Reply(body=completion("A").body[:-20]),
    "nothing": Reply(),
    "a list": Reply(body=b"[1, 2]"),
    "a number": Reply(body=b"5"),
    "null": Reply(body=b"null"),
    "not UTF-8": Reply(body=b'{"choices": "\xff"}'),
    "an error with status 200": Reply(body=b'{"error": {"message": "overloaded"}}'),
    "no choices": completion("A", choices=[]),
    "choices null": completion("A", choices=None),
    "choices of text": completion("A", choices="A"),
    "a null choice": completion("A", choices=[None]),
    "a choice without message": completion("A", choices=[{"index": 0}]),
    "a message of text": completion("A", choices=[{"index": 0, "message": "A"}]),
    "null content": completion(None),
    "a choice that is a list": completion("A", choices=[["A"]]),
    "brackets without end": Reply(body=b"[" * 200_000),
    "content in parts": completion("A", choices=[{"message": {"content": [{"text": "A"}]}}]),
}


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    with serving() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", CANARY)
        for proxy in ("HTTP_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"):
            monkeypatch.delenv(proxy, raising=False)
        yield server


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What would have been slept; nothing is, but the clock goes on as if it were."""
    slept: list[float] = []
    really = asyncio.sleep

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        await really(0)

    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + sum(slept))
    monkeypatch.setattr(asyncio, "sleep", sleep)
    monkeypatch.setattr(hosted, "time", clock)
    monkeypatch.setattr(limits, "time", clock)
    return slept


def ask(
    text: str = "Evaluate.", decoding: Decoding = REFERENCE_DECODING, *, model: str = "gpt-4o-0806"
) -> Completion:
    async def asking() -> Completion:
        opened = open_hosted("openai", model)
        try:
            return await opened.complete(Prompt(text=text), decoding)
        finally:
            await opened.close()

    return asyncio.run(asking())


def test_epc_2_2_an_answer_comes_with_what_the_provider_says_of_it(endpoint: Endpoint) -> None:
    answer = ask()

    assert answer.latency_s is not None
    assert answer == Completion(
        text=answer.text,
        served_model="served-model-0806",
        system_fingerprint="fp_44709d6fcb",
        finish_reason="stop",
        tokens_in=21,
        tokens_out=3,
        latency_s=answer.latency_s,
    )
    assert answer.text in ("A", "B")
    assert 0 < answer.latency_s < 30


@pytest.mark.parametrize(
    ("decoding", "more"),
    [
        (REFERENCE_DECODING, {}),
        (Decoding(temperature=0.0, max_tokens=400), {}),
        (Decoding(temperature=0.7, max_tokens=3, top_p=0.9), {"top_p": 0.9}),
        (Decoding(temperature=0.0, max_tokens=3, stop=("\n", "B")), {"stop": ["\n", "B"]}),
    ],
)
def test_epc_2_6_b_the_wire_carries_the_decoding_and_one_user_message(
    endpoint: Endpoint, decoding: Decoding, more: dict[str, Any]
) -> None:
    ask("Evaluate. “Ü”\n\tlast line ", decoding)

    (request,) = endpoint.received
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {CANARY}"
    assert request.body == {
        "model": "gpt-4o-0806",
        "messages": [{"role": "user", "content": "Evaluate. “Ü”\n\tlast line "}],
        "temperature": decoding.temperature,
        "max_tokens": decoding.max_tokens,
        **more,
    }


def test_epc_2_6_b_an_evaluator_decodes_greedily_into_ten_tokens() -> None:
    model = hosted.Hosted(PROVIDERS["openai"], "m", base_url="http://127.0.0.1:9/v1", key="none")

    assert model.default_decoding("evaluator") == Decoding(temperature=0.0, max_tokens=10)
    assert model.default_decoding("executor") == Decoding(temperature=0.0, max_tokens=400)


def test_a_provider_without_a_key_is_asked_without_one(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_BASE_URL", endpoint.url)

    async def asking() -> None:
        model = open_hosted("ollama", "m")
        await model.complete(Prompt(text="x"), REFERENCE_DECODING)
        await model.close()

    asyncio.run(asking())

    assert "authorization" not in endpoint.received[0].headers


def test_a_key_is_needed_to_begin_and_not_to_plan() -> None:
    model = open_hosted("openai", "gpt-4o")

    with pytest.raises(UsageError, match="set OPENAI_API_KEY to your key for openai"):
        model.require_key()
    open_hosted("ollama", "m").require_key()


@pytest.mark.parametrize(
    ("soft", "expected"), [(1024, 480), (256, 96), (10**6, 512), (resource.RLIM_INFINITY, 512)]
)
def test_calls_under_way_leave_files_to_open_and_accounts_their_limits(
    monkeypatch: pytest.MonkeyPatch, soft: int, expected: int
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, soft))

    # two endpoints, one a role, and 64 descriptors for the rest
    assert open_hosted("vllm", "m").concurrency == expected
    assert open_hosted("openai", "gpt-4o").concurrency == 128


def test_epc_5_3_the_identity_tells_a_gateway_from_a_provider(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", CANARY)
    monkeypatch.setenv("DEEPSEEK_API_KEY", CANARY)

    through = open_hosted("openrouter", "openai/gpt-4o").identity
    direct = open_hosted("deepseek", "deepseek-chat").identity

    assert (through.model, through.gateway) == ("openrouter/openai/gpt-4o", "openrouter")
    assert (direct.gateway, direct.endpoint) == (None, "https://api.deepseek.com/v1")


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_reading_r4_a_passing_failure_is_asked_again(
    endpoint: Endpoint, pauses: list[float], status: int
) -> None:
    endpoint.script = [refusal(status), refusal(status), completion("A")]

    assert ask().text == "A"
    assert len(endpoint.received) == 3
    assert endpoint.received[0].body == endpoint.received[2].body
    # A pause grows from try to try, and is spread at random over its upper half.
    assert len(pauses) == 2
    assert 0.25 <= pauses[0] <= 0.5 <= pauses[1] <= 1.0


def test_an_answer_says_how_often_it_was_asked_for(endpoint: Endpoint, pauses: list[float]) -> None:
    endpoint.script = [refusal(500), Reply(body=b"{}"), refusal(503), completion("A")]

    assert ask().retries == 3
    assert ask().retries == 0


@pytest.mark.parametrize(
    ("said", "paused"),
    [
        ("7", 7.0),
        ("0.25", 0.25),
        ("90", 90.0),
        ("0", 0.0),
        ("Wed, 21 Oct 2020 07:28:00 GMT", 0.0),
    ],
)
def test_retry_after_is_honoured_to_the_second(
    endpoint: Endpoint, pauses: list[float], said: str, paused: float
) -> None:
    endpoint.script = [refusal(429, "slow down", Retry_After=said), completion("B")]

    assert ask().text == "B"
    assert pauses == [paused]


@pytest.mark.parametrize("said", ["-5", "nan", "inf", "soon", ""])
def test_a_retry_after_that_says_nothing_is_no_pause_of_its_own(
    endpoint: Endpoint, pauses: list[float], said: str
) -> None:
    endpoint.script = [refusal(429, "slow down", Retry_After=said), completion("B")]

    assert ask().text == "B"
    assert len(pauses) == 1
    assert 0.25 <= pauses[0] <= 0.5


def test_retry_after_may_be_a_date_or_milliseconds(endpoint: Endpoint, pauses: list[float]) -> None:
    until = format_datetime(datetime.now(UTC) + timedelta(seconds=40), usegmt=True)
    endpoint.script = [
        refusal(503, Retry_After=until),
        refusal(429, retry_after_ms="1500", Retry_After="9"),
        completion("B"),
    ]

    assert ask().text == "B"
    assert 30 < pauses[0] <= 40
    assert pauses[1] == 1.5


def test_an_endpoint_that_wants_an_hour_stops_the_run_at_once(
    endpoint: Endpoint, pauses: list[float]
) -> None:
    endpoint.behave = lambda _: refusal(429, "come back later", Retry_After="3600")

    with pytest.raises(CallError, match=r"HTTP 429: come back later \(1 attempts?\)"):
        ask()

    assert pauses == []
    assert len(endpoint.received) == 1


def test_a_connection_reset_in_the_middle_of_an_answer_is_asked_again(
    endpoint: Endpoint, pauses: list[float]
) -> None:
    whole = completion("A")
    endpoint.script = [Reply(body=whole.body, cut=25), Reply(body=whole.body, cut=0), whole]

    assert ask().text == "A"
    assert len(endpoint.received) == 3


@pytest.mark.parametrize("name", GARBAGE)
def test_reading_r4_a_reply_without_an_answer_is_asked_again(
    endpoint: Endpoint, pauses: list[float], name: str
) -> None:
    endpoint.script = [GARBAGE[name], completion("A")]

    assert ask().text == "A"
    assert len(endpoint.received) == 2


def test_an_empty_answer_is_an_answer(endpoint: Endpoint) -> None:
    endpoint.script = [completion("")]

    assert ask().text == ""
    assert len(endpoint.received) == 1


@pytest.mark.parametrize(
    ("changed", "field", "kept"),
    [
        ({"model": ""}, "served_model", None),
        ({"model": None}, "served_model", None),
        ({"model": 5}, "served_model", None),
        ({"system_fingerprint": ""}, "system_fingerprint", None),
        ({"usage": None}, "tokens_in", None),
        ({"usage": {}}, "tokens_out", None),
        ({"usage": 5}, "tokens_in", None),
        ({"usage": {"prompt_tokens": "21"}}, "tokens_in", None),
        ({"usage": {"prompt_tokens": -1}}, "tokens_in", None),
        ({"usage": {"prompt_tokens": True}}, "tokens_in", None),
        ({"usage": {"prompt_tokens": 0}}, "tokens_in", 0),
        ({"choices": [{"message": {"content": "A"}, "finish_reason": ""}]}, "finish_reason", None),
    ],
)
def test_what_an_endpoint_gets_wrong_beside_its_answer_is_left_out(
    endpoint: Endpoint, changed: dict[str, Any], field: str, kept: object
) -> None:
    # Kept as it came, such a value would make the run's own journal unreadable.
    endpoint.script = [completion("A", **changed)]

    assert getattr(ask(), field) == kept
    assert len(endpoint.received) == 1


def test_a_reply_that_never_ends_is_given_up_at_the_deadline(
    endpoint: Endpoint, pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosted, "DEADLINE_S", 0.5)
    endpoint.script = [Reply(drip=True)]
    endpoint.behave = lambda _: completion("A")

    began = time.monotonic()

    assert ask().text == "A"
    assert len(endpoint.received) >= 2  # bytes kept coming, but not an answer
    assert time.monotonic() - began < 20


def test_reading_r4_a_failure_that_does_not_pass_stops_the_run(
    endpoint: Endpoint, pauses: list[float]
) -> None:
    endpoint.behave = lambda _: refusal(503, "overloaded")

    with pytest.raises(CallError) as stopped:
        ask()

    assert len(endpoint.received) == 8
    assert len(pauses) == 7
    for pause, most in zip(pauses, (0.5, 1, 2, 4, 8, 16, 32), strict=True):
        assert most / 2 <= pause <= most
    assert "HTTP 503" in str(stopped.value)
    assert "overloaded" in str(stopped.value)
    assert "(8 attempts)" in str(stopped.value)
    assert str(stopped.value).endswith(f"\n  fix: see whether {endpoint.url} is well")


def test_a_server_that_is_gone_stops_the_run(
    endpoint: Endpoint, pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving() as gone:
        monkeypatch.setenv("OPENAI_BASE_URL", gone.url)

    with pytest.raises(CallError, match=r"openai/gpt-4o-0806: .* \(8 attempts\)"):
        ask()

    assert endpoint.received == []


QUOTA = "You exceeded your current quota, please check your plan and billing details."


@pytest.mark.parametrize(
    ("reply", "remedy"),
    [
        (refusal(400, "max_tokens is too large"), "check the model's name and what it accepts"),
        (refusal(401, "Incorrect API key"), "check the key in OPENAI_API_KEY"),
        (refusal(402, "Insufficient Balance"), "settle the account, or use another key in "),
        (refusal(403, "not for you"), "the key in OPENAI_API_KEY may not use this model"),
        (refusal(404, "no such model"), "check its name and OPENAI_BASE_URL"),
        (refusal(422, "odd"), "see the message"),
        (refusal(429, f"{QUOTA} insufficient_quota"), "or use another key in OPENAI_API_KEY"),
    ],
)
def test_a_failure_that_asking_again_cannot_mend_stops_at_once(
    endpoint: Endpoint, pauses: list[float], reply: Reply, remedy: str
) -> None:
    endpoint.script = [reply]

    with pytest.raises(CallError) as stopped:
        ask()

    message = str(stopped.value)
    assert len(endpoint.received) == 1
    assert pauses == []
    assert message.startswith(f"openai/gpt-4o-0806: HTTP {reply.status}: ")
    assert json.loads(reply.body)["error"]["message"][:20] in message
    assert remedy in message
    assert CANARY not in message


def test_an_empty_account_is_known_by_its_code(endpoint: Endpoint, pauses: list[float]) -> None:
    error = {"message": "You cannot do that.", "code": "insufficient_quota"}
    endpoint.script = [Reply(status=429, body=json.dumps({"error": error}).encode())]

    with pytest.raises(CallError, match="settle the account, or use another key in OPENAI_API_KEY"):
        ask()

    assert len(endpoint.received) == 1


def test_a_rate_limit_that_advises_on_billing_is_no_empty_account(
    endpoint: Endpoint, pauses: list[float]
) -> None:
    # As OpenAI words it for accounts without a payment method.
    advice = (
        "Rate limit reached for gpt-4o on requests per min (RPM): Limit 3. Please try again in "
        "20s. Visit https://platform.openai.com/account/billing to add a payment method."
    )
    endpoint.script = [refusal(429, advice), completion("A")]

    assert ask().text == "A"
    assert len(endpoint.received) == 2


@pytest.mark.parametrize(
    ("user_info", "key"),
    [
        ("", CANARY),
        ("user:p%40ss-canary@", CANARY),
        ("user:p%40ss-canary@", ""),
        ("token-canary-1@", CANARY),
        ("token-canary-1@", ""),
    ],
)
def test_no_secret_is_in_a_message_even_if_the_server_sends_it_back(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, user_info: str, key: str
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url.replace("://", f"://{user_info}"))
    monkeypatch.setenv("OPENAI_API_KEY", key)
    endpoint.behave = lambda request: refusal(401, f"refused {request.headers['authorization']}")

    with pytest.raises(CallError) as stopped:
        ask()

    message = str(stopped.value)
    assert "refused" in message
    sent = endpoint.received[0].headers["authorization"]
    secrets = [CANARY, sent.split()[-1], "p@ss-canary", "p%40ss-canary", "token-canary-1"]
    secrets.append(b64encode(b"user:p@ss-canary").decode())
    assert [secret for secret in secrets if secret in message] == []


def test_an_identity_holds_no_secret(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url.replace("://", "://user:pw@") + "?key=1#x")

    assert open_hosted("openai", "m").identity.endpoint == endpoint.url


def test_as_many_calls_as_there_are_places_share_one_client(endpoint: Endpoint) -> None:
    async def asking() -> list[Completion]:
        model = open_hosted("openai", "m")
        try:
            asked = [Prompt(text=f"Evaluate. {n}") for n in range(40)]
            return await asyncio.gather(
                *(model.complete(prompt, REFERENCE_DECODING) for prompt in asked)
            )
        finally:
            await model.close()

    answers = asyncio.run(asking())

    assert len(answers) == 40
    assert sorted(endpoint.prompts) == sorted(f"Evaluate. {n}" for n in range(40))


FILTERED = "The response was filtered due to the prompt triggering the content_filter policy."


@pytest.mark.parametrize(
    "reply",
    [
        refusal(400, FILTERED),
        Reply(status=400, body=b'{"error": {"message": "no", "code": "content_filter"}}'),
        refusal(400, "data_inspection_failed: inappropriate content"),
        completion(
            None, choices=[{"message": {"content": None}, "finish_reason": "content_filter"}]
        ),
    ],
)
def test_reading_r37_an_answer_that_was_withheld_is_no_failure(
    endpoint: Endpoint, pauses: list[float], reply: Reply
) -> None:
    endpoint.script = [reply]

    answer = ask()

    assert (answer.text, answer.finish_reason) == ("", "content_filter")
    assert len(endpoint.received) == 1


def test_a_429_holds_every_call_to_the_endpoint(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint.script = [refusal(429, Retry_After="30"), completion("A"), completion("B")]
    clock = [0.0]
    for module in (hosted, limits):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: clock[0]))

    async def asking() -> tuple[list[float], int]:
        first, both, over = asyncio.Event(), asyncio.Event(), asyncio.Event()
        slept: list[float] = []

        async def sleep(seconds: float) -> None:
            slept.append(seconds)
            (both if first.is_set() else first).set()
            await over.wait()

        monkeypatch.setattr(asyncio, "sleep", sleep)
        model = open_hosted("openai", "m")
        try:
            told = asyncio.create_task(model.complete(Prompt(text="x"), REFERENCE_DECODING))
            await first.wait()
            clock[0] = 10.0
            other = asyncio.create_task(model.complete(Prompt(text="y"), REFERENCE_DECODING))
            await both.wait()
            held = list(slept), len(endpoint.received)
            clock[0] = 31.0
            over.set()
            await asyncio.gather(told, other)
            return held
        finally:
            await model.close()

    slept, received = asyncio.run(asyncio.wait_for(asking(), 30))

    assert slept == [30, 20]  # the one that was told, and one that only came later
    assert received == 1
    assert len(endpoint.received) == 3


def test_no_request_left_holds_the_next_until_the_reset(
    endpoint: Endpoint, pauses: list[float]
) -> None:
    empty = completion("A")
    headers = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1m30s"}
    endpoint.script = [Reply(body=empty.body, headers=headers), completion("B")]

    async def asking() -> list[float]:
        model = open_hosted("openai", "m")
        try:
            await model.complete(Prompt(text="x"), REFERENCE_DECODING)
            before = list(pauses)
            await model.complete(Prompt(text="y"), REFERENCE_DECODING)
            return before
        finally:
            await model.close()

    assert asyncio.run(asking()) == []
    assert sum(pauses) == pytest.approx(90, abs=1)
