"""Rate limits as endpoints state them: durations, Retry-After, and a gate that holds calls back."""

import asyncio
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from epc.engine import limits
from epc.engine.limits import Gate, duration, retry_after

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
    assert gate.waited_s == 20


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
    gate.learn(headers)

    asyncio.run(gate.passage())

    assert slept == held
