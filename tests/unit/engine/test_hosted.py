"""A hosted model against a real server on the loopback interface (EPC-2.6(b), Reading R4)."""

import asyncio
import resource
import time
import tracemalloc
from base64 import b64encode
from importlib import import_module
from typing import Any

import pytest
from endpoint_support import Endpoint, Reply, completion, refusal
from hosted_support import CANARY, ask

from epc.engine import asking as again
from epc.engine.hosted import open_hosted
from epc.engine.limits import gate_of
from epc.engine.model import CallError, Completion, Prompt
from epc.errors import UsageError
from epc.protocol.config import REFERENCE_DECODING, Decoding

GARBAGE = {
    "no JSON": Reply(body=b"<html>Bad gateway</html>"),
    "cut JSON": Reply(body=completion("A").body[:-20]),
    "nothing": Reply(),
    "a list": Reply(body=b"[1, 2]"),
    "a number": Reply(body=b"5"),
    "null": Reply(body=b"null"),
    "not UTF-8": Reply(body=b'{"choices": "\xff"}'),
    "an error with status 200": Reply(body=b'{"error": {"message": "overloaded"}}'),
    "no choices and an error": completion("A", choices=[], error={"message": "busy"}),
    "choices of text": completion("A", choices="A"),
    "a null choice": completion("A", choices=[None]),
    "a choice without message": completion("A", choices=[{"index": 0}]),
    "a message of text": completion("A", choices=[{"index": 0, "message": "A"}]),
    "no content and no reason": completion(None, choices=[{"message": {"content": None}}]),
    "a failure half-way": completion(
        "A", choices=[{"message": {"content": "A"}, "finish_reason": "error"}]
    ),
    "content of numbers": completion("A", choices=[{"message": {"content": 5}}]),
    "a choice that is a list": completion("A", choices=[["A"]]),
    "brackets without end": Reply(body=b"[" * 200_000),
    "parts of numbers": completion("A", choices=[{"message": {"content": [{"text": 5}]}}]),
    "parts that are none": completion("A", choices=[{"message": {"content": ["A"]}}]),
    "no text and no reason": completion(None, choices=[{"message": {"content": ""}}]),
    "no parts and no reason": completion(None, choices=[{"message": {"content": []}}]),
    "no choices": completion("A", choices=[]),
    "null choices": completion("A", choices=None),
    "no choices, and a filter that withheld nothing": completion(
        "A", choices=[], prompt_filter_results=[{"content_filter_results": {"filtered": False}}]
    ),
    "no choices, and no completion": Reply(body=b'{"choices": []}'),
    "null choices, and no completion": Reply(body=b'{"choices": null, "model": "m"}'),
    "an answer and an error": completion("A", error={"message": "half-way", "code": 502}),
    "a choice with an error": completion(
        "A", choices=[{"message": {"content": "A"}, "error": {"code": 502}}]
    ),
    "a stream": Reply(
        body=b'data: {"object": "chat.completion.chunk", "choices": [{"delta": {"content": "A"}}]}'
        b"\n\ndata: [DONE]\n\n",
        headers={"Content-Type": "text/event-stream"},
    ),
    "a piece of a stream": completion(
        "A", object="chat.completion.chunk", choices=[{"index": 0, "delta": {"content": "A"}}]
    ),
    "a completion of the old kind": completion("A", choices=[{"text": "A"}]),
    "a picture": Reply(body=b"\x89PNG\r\n", headers={"Content-Type": "image/png"}),
    "plain text": Reply(body=b"A", headers={"Content-Type": "text/plain"}),
    "a web page": Reply(body=completion("A").body, headers={"Content-Type": "text/html"}),
    "UTF-16": Reply(body=completion("A").body.decode().encode("utf-16")),
    "a larger body than is taken": Reply(body=b" " * (33 * 2**20)),
    "a completion in a larger body": Reply(body=completion("A").body + b" " * (33 * 2**20)),
}


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
        reply=completion(answer.text).body.decode(),
        headers={"content-type": "application/json"},
    )
    assert answer.text in ("A", "B")
    assert 0 < answer.latency_s < 30


def test_choices_in_another_order_are_read_by_their_index(endpoint: Endpoint) -> None:
    choices = [
        {"index": 1, "message": {"content": "B"}, "finish_reason": "length"},
        {"index": 0, "message": {"content": "A"}, "finish_reason": "stop"},
    ]
    endpoint.script = [completion("A", choices=choices)]

    answer = ask()

    assert (answer.text, answer.finish_reason) == ("A", "stop")


def test_the_reply_is_kept_with_its_allowed_headers_and_without_secrets(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-0123456789")
    whole_reply = completion("A", echoed="Bearer sk-canary-0123456789")
    headers = {"x-request-id": "req-7", "x-ratelimit-limit-tokens": "9", "set-cookie": "a=b"}
    endpoint.script = [Reply(body=whole_reply.body, headers=headers)]

    answer = ask()

    assert answer.headers is not None
    assert answer.headers["x-request-id"] == "req-7"
    assert "set-cookie" not in answer.headers
    assert answer.reply == whole_reply.body.decode().replace(
        "sk-canary-0123456789", "[OPENAI_API_KEY]"
    )


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
        "max_completion_tokens": decoding.max_tokens,
        **more,
    }


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


@pytest.mark.parametrize("name", GARBAGE)
def test_reading_r4_a_reply_without_an_answer_is_asked_again(
    endpoint: Endpoint, pauses: list[float], name: str
) -> None:
    gate = gate_of(endpoint.url, CANARY)
    gate.heard_at = time.monotonic()  # it has answered before
    endpoint.script = [GARBAGE[name], completion("A")]

    assert ask().text == "A"
    assert len(endpoint.received) == 2


@pytest.mark.parametrize("name", ["a larger body than is taken", "cut JSON"])
def test_reading_r4_what_is_no_answer_ends_in_an_error_and_its_memory_is_given_back(
    endpoint: Endpoint, pauses: list[float], name: str
) -> None:
    """Four calls at once, eight attempts each: no frame and no handle keeps a body."""
    bodies = {"cut JSON": Reply(body=completion("x" * (8 * 2**20)).body[:-20])}
    reply = bodies.get(name, GARBAGE[name])
    import_module("aiohttp")  # which stays, unlike a body
    endpoint.behave = lambda _: reply
    tracemalloc.start()
    held: list[int] = []

    async def asking() -> list[object]:
        opened = open_hosted("openai", "gpt-4o-0806")
        try:
            completions = (
                opened.complete(Prompt(text=f"{n}"), REFERENCE_DECODING) for n in range(4)
            )
            return list(await asyncio.gather(*completions, return_exceptions=True))
        finally:
            held.append(tracemalloc.get_traced_memory()[0])
            await opened.close()

    try:
        answers = asyncio.run(asking())
    finally:
        tracemalloc.stop()

    assert ["(8 attempts)" in str(answer) for answer in answers] == [True] * 4
    assert {type(answer) for answer in answers} == {CallError}
    assert len(endpoint.received) == 4 * again.ATTEMPTS
    assert held[0] < 4 * 2**20


def test_an_empty_answer_is_an_answer(endpoint: Endpoint) -> None:
    endpoint.script = [completion("")]

    assert ask().text == ""
    assert len(endpoint.received) == 1


def message(finish: str | None, **said: Any) -> Reply:
    """Return a completion whose message is as given."""
    choice = {"index": 0, "message": {"role": "assistant", **said}, "finish_reason": finish}
    return completion(None, choices=[choice])


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        (message("stop", content=None, refusal="No."), ("No.", "refusal")),
        (message(None, content=None, refusal="No."), ("No.", "refusal")),
        (message("stop", refusal="No."), ("No.", "refusal")),
        (message("stop", content="", refusal="No."), ("No.", "refusal")),
        (message("stop", content="A", refusal=None), ("A", "stop")),
        (message("stop", content=[{"type": "refusal", "refusal": "No."}]), ("No.", "refusal")),
        (message("length", content=None), ("", "length")),
        (message("stop", content=None), ("", "stop")),
        (message("length"), ("", "length")),
        (message("stop", content=[{"type": "text", "text": "A"}]), ("A", "stop")),
        (message("stop", content=[{"text": "A"}]), ("A", "stop")),
        (
            message(
                "stop",
                content=[
                    {"type": "thinking", "thinking": [{"type": "text", "text": "B?"}]},
                    {"type": "text", "text": "one, "},
                    {"type": "text", "text": "two"},
                ],
            ),
            ("one, two", "stop"),
        ),
        (message("length", content=[{"type": "thinking", "thinking": "B?"}]), ("", "length")),
    ],
)
def test_reading_r4_what_the_model_did_is_an_answer_and_not_asked_again(
    endpoint: Endpoint, reply: Reply, answer: tuple[str, str]
) -> None:
    endpoint.script = [reply]

    input_reply = ask()

    assert (input_reply.text, input_reply.finish_reason) == answer
    assert input_reply.reply == reply.body.decode()
    assert len(endpoint.received) == 1


@pytest.mark.parametrize(
    ("changed", "field", "kept"),
    [
        ({"model": ""}, "served_model", None),
        ({"model": "m" * 301}, "served_model", None),
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
    monkeypatch.setattr(again, "DEADLINE_S", 0.5)
    gate = gate_of(endpoint.url, CANARY)
    gate.heard_at = time.monotonic()  # so it is there
    endpoint.script = [Reply(drip=True)]
    endpoint.behave = lambda _: completion("A")

    assert ask().text == "A"
    assert len(endpoint.received) >= 2  # bytes kept coming, but not an answer


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


def test_as_many_calls_as_there_are_places_share_one_client(endpoint: Endpoint) -> None:
    async def asking() -> list[Completion]:
        model = open_hosted("openai", "m")
        try:
            prompts = [Prompt(text=f"Evaluate. {n}") for n in range(40)]
            return await asyncio.gather(
                *(model.complete(prompt, REFERENCE_DECODING) for prompt in prompts)
            )
        finally:
            await model.close()

    answers = asyncio.run(asking())

    assert len(answers) == 40
    assert sorted(endpoint.prompts) == sorted(f"Evaluate. {n}" for n in range(40))
