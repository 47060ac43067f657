"""The event loop on which models are asked: uvloop where it is installed, asyncio's own elsewhere.

uvloop is written in C on libuv, so that reading and writing hundreds of connections costs less. It
runs the same coroutines in the same way, and there is none for Windows.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    """Do some work to its end on a loop of its own, as `asyncio.run` does; Ctrl-C cancels it."""
    with asyncio.Runner(loop_factory=_factory()) as runner:
        return runner.run(work)


def _factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:
        return None
    made: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return made
