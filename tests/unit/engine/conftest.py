"""An endpoint to ask, and a clock that does not wait."""

import asyncio
import time
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from endpoint_support import Endpoint, serving
from hosted_support import CANARY

from epc.engine import asking as again
from epc.engine import limits


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
    monkeypatch.setattr(again, "time", clock)
    monkeypatch.setattr(limits, "time", clock)
    return slept
