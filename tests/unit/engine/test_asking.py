"""Asking until there is an answer or none can be had (Reading R4), against a real server."""

import asyncio
from types import SimpleNamespace

import pytest
from endpoint_support import Endpoint, Reply, completion, refusal, serving
from engine_support import PATIENCE_S
from hosted_support import ask

from epc.engine import asking as again
from epc.engine import limits
from epc.engine.hosted import open_hosted
from epc.engine.model import CallError, Prompt
from epc.protocol.config import REFERENCE_DECODING


@pytest.mark.parametrize("status", [202, 204, 206, 408, 409, 425, 429, *range(500, 600)])
def test_reading_r4_a_passing_failure_is_asked_again(
    endpoint: Endpoint, pauses: list[float], status: int
) -> None:
    failed = Reply(status=204) if status == 204 else refusal(status)  # which has no body
    endpoint.script = [failed, failed, completion("A")]

    assert ask().text == "A"
    assert len(endpoint.received) == 3
    assert endpoint.received[0].body == endpoint.received[2].body
    # A pause grows from try to try, and is spread at random over its upper half.
    assert len(pauses) == 2
    assert 0.25 <= pauses[0] <= 0.5 <= pauses[1] <= 1.0


def test_an_answer_says_how_often_it_was_asked_for(endpoint: Endpoint, pauses: list[float]) -> None:
    endpoint.script = [refusal(500), Reply(body=b"{"), refusal(503), completion("A")]

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


def test_an_endpoint_that_wants_an_hour_stops_the_run_at_once(
    endpoint: Endpoint, pauses: list[float]
) -> None:
    endpoint.behave = lambda _: refusal(429, "come back later", Retry_After="3600")

    with pytest.raises(
        CallError, match="HTTP 429: come back later; it is to be asked again in 3,600 s"
    ):
        ask()

    assert pauses == []
    assert len(endpoint.received) == 1


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


def test_a_server_that_goes_after_its_first_answer_is_waited_for(
    pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def asking() -> None:
        with serving() as going:
            monkeypatch.setenv("OPENAI_BASE_URL", going.url)
            going.behave = lambda _: Reply(
                body=completion("A").body, headers={"Connection": "close"}
            )
            model = open_hosted("openai", "gpt-4o-0806")
            await model.complete(Prompt(text="x"), REFERENCE_DECODING)
        try:
            await model.complete(Prompt(text="y"), REFERENCE_DECODING)
        finally:
            await model.close()

    with pytest.raises(CallError, match=r"nothing listens there \(8 attempts\)"):
        asyncio.run(asking())

    assert len(pauses) == 7


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_an_endpoint_that_has_moved_is_named_by_its_variable(
    endpoint: Endpoint, pauses: list[float], status: int
) -> None:
    endpoint.behave = lambda _: refusal(status, "moved", Location="http://127.0.0.1:9/v1")

    with pytest.raises(CallError, match=f"HTTP {status}") as stopped:
        ask()

    assert "no key is sent on: set OPENAI_BASE_URL to where it leads" in str(stopped.value)
    assert (len(endpoint.received), pauses) == (1, [])


def test_a_429_holds_every_call_to_the_endpoint(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint.script = [refusal(429, Retry_After="30"), completion("A"), completion("B")]
    clock = [0.0]
    for module in (again, limits):
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
            task = asyncio.create_task(model.complete(Prompt(text="x"), REFERENCE_DECODING))
            await first.wait()
            clock[0] = 10.0
            other_task = asyncio.create_task(model.complete(Prompt(text="y"), REFERENCE_DECODING))
            await both.wait()
            held = list(slept), len(endpoint.received)
            clock[0] = 31.0
            over.set()
            await asyncio.gather(task, other_task)
            return held
        finally:
            await model.close()

    slept, received = asyncio.run(asyncio.wait_for(asking(), PATIENCE_S))

    assert slept == [30, 20]  # the one that was told, and one that only came later
    assert received == 1
    assert len(endpoint.received) == 3


@pytest.mark.parametrize(
    ("body", "start"),
    [
        ("<html>\n  Bad   Gateway</html>", "<html> Bad Gateway</html>"),
        (" \n", "an empty body"),
        ("a" * 199 + "bc", "a" * 199 + "b"),
    ],
)
def test_the_start_of_a_body_is_one_line_that_says_what_it_is(body: str, start: str) -> None:
    assert again.start_of(body) == start
