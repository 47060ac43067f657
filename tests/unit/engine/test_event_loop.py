"""The loop on which models are asked: uvloop's, or asyncio's own where there is none."""

import asyncio
import sys

import pytest

from epc.engine import event_loop


async def loops_module() -> str:
    return type(asyncio.get_running_loop()).__module__


def test_uvloop_asks_where_it_is_installed() -> None:
    pytest.importorskip("uvloop")

    assert event_loop.run(loops_module()) == "uvloop"


def test_asyncios_own_loop_asks_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvloop", None)

    assert event_loop.run(loops_module()).startswith("asyncio.")
