"""The loop on which models are asked: uvloop's."""

import asyncio

from epc.engine import event_loop


async def loops_module() -> str:
    return type(asyncio.get_running_loop()).__module__


def test_models_are_asked_on_uvloop() -> None:
    assert event_loop.run(loops_module()) == "uvloop"
