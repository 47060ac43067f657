"""Rate limits as endpoints state them: durations, Retry-After, and a gate that holds calls back."""

import asyncio
import gc
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epc.engine import limits
from epc.engine.limits import Gate, duration, gate_of, retry_after, usual_tokens

NOW = datetime(2026, 7, 2, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("12", 12.0),
        ("0", 0.0),
        ("0.25", 0.25),
        (" 7 ", 7.0),
        ("250ms", 0.25),
        ("1s", 1.0),
        ("6m0s", 360.0),
        ("1m30.5s", 90.5),
        ("2h", 7200.0),
        ("1d2h3m4s5ms", 93784.005),
        ("", None),
        ("soon", None),
        ("-5", None),
        ("-5s", None),
        ("nan", None),
        ("inf", None),
        ("1e999", None),
        ("5 s", None),
        ("5sec", None),
        ("s", None),
    ],
)
def test_a_duration_is_read_in_any_of_its_forms(text: str, seconds: float | None) -> None:
    assert duration(text) == (None if seconds is None else pytest.approx(seconds, abs=1e-9))


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "20"}, 20.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "2m"}, 120.0),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
        ({"retry-after": "Thu, 02 Jul 2026 12:00:45 GMT"}, 45.0),
        ({"retry-after": "Thu, 02 Jul 2026 14:00:45 +0200"}, 45.0),
        ({"retry-after": "Thu, 02 Jul 2026 12:00:45"}, 45.0),
        ({"retry-after": "Thu, 02 Jul 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "later"}, None),
        ({"retry-after": "Thu, 99 Jul 2026 11:00:00 GMT"}, None),
        ({"retry-after": "-1"}, None),
    ],
)
def test_retry_after_is_seconds_milliseconds_or_a_date(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert retry_after(headers, now=NOW) == seconds


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What the gate would have slept; its clock goes on as if it had."""
    pauses: list[float] = []
    really = asyncio.sleep

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        await really(0)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    monkeypatch.setattr(limits, "time", SimpleNamespace(monotonic=lambda: sum(pauses)))
    return pauses


def test_an_open_gate_is_passed_at_once(slept: list[float]) -> None:
    asyncio.run(Gate().passage())

    assert slept == []


def test_a_gate_holds_until_the_latest_of_what_it_was_told(slept: list[float]) -> None:
    gate = Gate()
    gate.hold(20)
    gate.hold(5)

    asyncio.run(gate.passage())
    asyncio.run(gate.passage())

    assert slept == [20]


def test_a_hold_that_grows_while_somebody_waits_is_waited_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gate, clock = Gate(), [0.0]

    async def sleep(seconds: float) -> None:
        clock[0] += seconds
        if clock[0] == 20:
            gate.hold(10)

    monkeypatch.setattr(limits, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    monkeypatch.setattr(asyncio, "sleep", sleep)
    gate.hold(20)

    asyncio.run(gate.passage())

    assert clock == [30]


def test_nobody_waits_a_day_for_a_limit(slept: list[float]) -> None:
    gate = Gate()
    gate.hold(86_400)

    asyncio.run(gate.passage())

    assert slept == [600]


@pytest.mark.parametrize(
    ("headers", "held"),
    [
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0s"}, [360]),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "250ms"}, [0.25]),
        (
            {
                "x-ratelimit-remaining-requests": "0",
                "x-ratelimit-reset-requests": "3s",
                "x-ratelimit-remaining-tokens": " 0 ",
                "x-ratelimit-reset-tokens": "8s",
            },
            [8],
        ),
        ({"x-ratelimit-remaining-requests": "1", "x-ratelimit-reset-requests": "6m0s"}, []),
        ({"x-ratelimit-remaining-requests": "0"}, []),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "soon"}, []),
        ({"x-ratelimit-reset-requests": "6m0s"}, []),
        ({}, []),
    ],
)
def test_nothing_left_holds_until_the_stated_reset(
    slept: list[float], headers: dict[str, str], held: list[float]
) -> None:
    gate = Gate()

    async def passing() -> None:
        gate.learn(await gate.passage(), headers)
        await gate.passage()

    asyncio.run(passing())

    assert slept == held


def limit_headers(kind: str, **values: str) -> dict[str, str]:
    return {f"x-ratelimit-{name}-{kind}": value for name, value in values.items()}


@pytest.mark.parametrize(
    ("kind", "told", "passages"),
    [
        # 6,000 a minute, 1,000 of them used, all back in 10 s: 100 come back each second.
        (
            "tokens",
            {"limit": "6000", "remaining": "5000", "reset": "10s"},
            [(1000, []), (4000, []), (1500, [5]), (300, [5, 3])],  # 1,000 are left, then none
        ),
        ("tokens", {"limit": "600", "remaining": "300", "reset": "3s"}, [(10, []), (10**5, [3])]),
        (
            "tokens",
            {"limit": "600", "remaining": "600"},
            [(10, []), (600, []), (60, [6])],
        ),
        (
            "requests",
            {"limit": "60", "remaining": "2", "reset": "58s"},
            [(0, []), (0, []), (0, []), (0, [1]), (0, [1, 1])],
        ),
    ],
    ids=["tokens", "more than the limit", "not used, so full within a minute", "requests"],
)
def test_what_is_limited_is_held_back_until_enough_has_come_back(
    slept: list[float], kind: str, told: dict[str, str], passages: list[tuple[int, list[float]]]
) -> None:
    gate = Gate()

    async def passing() -> None:
        for number, (size, expected) in enumerate(passages):
            ticket = await gate.passage("m", size)
            assert slept == pytest.approx(expected)
            if not number:
                gate.learn(ticket, limit_headers(kind, **told))

    asyncio.run(passing())


def test_what_was_sent_after_a_request_is_taken_off_what_its_reply_says(
    slept: list[float],
) -> None:
    gate = Gate()

    async def passing() -> None:
        first = await gate.passage("m", 100)
        second = await gate.passage("m", 500)
        # When the first came in, 1,000 were left; the second has had 500 of them since.
        gate.learn(first, limit_headers("tokens", limit="1100", remaining="1000", reset="1s"))
        await gate.passage("m", 500)
        assert slept == []
        # A word about the second is newer; one more about the first is not.
        gate.learn(second, limit_headers("tokens", limit="1100", remaining="500", reset="6s"))
        gate.learn(first, limit_headers("tokens", limit="1100", remaining="1100", reset="0s"))
        await gate.passage("m", 200)

    asyncio.run(passing())

    assert slept == [2]  # 500 - 500 = 0 left, 100 come back each second


def test_limits_are_kept_by_model_and_holds_by_endpoint(slept: list[float]) -> None:
    gate = Gate()

    async def passing() -> None:
        told = limit_headers("tokens", limit="600", remaining="0", reset="60s")
        gate.learn(await gate.passage("judge", 10), told)
        await gate.passage("writer", 600)
        assert slept == []
        gate.hold(7)
        await gate.passage("writer", 1)

    asyncio.run(passing())

    assert slept == [7]


def test_anthropic_s_spelling_is_understood(slept: list[float]) -> None:
    gate = Gate()
    reset = datetime.now(UTC) + timedelta(seconds=40)
    told = {
        "anthropic-ratelimit-requests-remaining": "0",
        "anthropic-ratelimit-requests-reset": reset.isoformat(timespec="seconds"),
    }

    async def passing() -> None:
        gate.learn(await gate.passage(), told)
        await gate.passage()

    asyncio.run(passing())

    assert 30 < sum(slept) <= 40


@settings(deadline=None)
@given(
    limit=st.integers(10, 1000),
    sizes=st.lists(st.integers(1, 200), min_size=1, max_size=60),
    rate=st.integers(1, 50),
)
def test_a_provider_s_own_bucket_is_never_overdrawn(
    limit: int, sizes: list[int], rate: int
) -> None:
    """The provider counts on its side; whoever keeps to what it says is never refused."""
    clock, bucket = [0.0], [float(limit), 0.0]
    gate, refused = Gate(), []

    async def sleep(seconds: float) -> None:
        clock[0] += seconds

    async def passing() -> None:
        for size in (min(size, limit) for size in sizes):
            ticket = await gate.passage("m", size)
            bucket[0] = min(limit, bucket[0] + rate * (clock[0] - bucket[1]))
            bucket[1] = clock[0]
            if bucket[0] < size - 0.001:  # headers are rounded
                refused.append(size)
            bucket[0] -= size
            left, until_full = bucket[0], (limit - bucket[0]) / rate
            told = limit_headers("tokens", limit=str(limit), remaining=f"{left:.9f}")
            gate.learn(ticket, {**told, "x-ratelimit-reset-tokens": f"{until_full:.9f}"})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits, "time", SimpleNamespace(monotonic=lambda: clock[0]))
        patch.setattr(asyncio, "sleep", sleep)
        asyncio.run(passing())

    assert refused == []


def test_two_roles_at_one_endpoint_share_a_gate_and_others_do_not() -> None:
    first = gate_of("https://host/v1", "key")

    assert gate_of("https://host/v1", "key") is first
    assert gate_of("https://host/v1", "another") is not first
    assert gate_of("https://other/v1", "key") is not first


def test_a_gate_that_nobody_holds_is_forgotten() -> None:
    gate_of("https://gone/v1", None).hold(100)
    gc.collect()

    assert gate_of("https://gone/v1", None)._open_at == 0


def test_tokens_are_estimated_by_bytes_and_what_may_be_written() -> None:
    assert usual_tokens("x" * 400, 10) == 110
    assert usual_tokens("\u4e2d" * 400, 10) == 310
    assert usual_tokens("\ud800", 0) == 0
