"""The event loop on which models are asked: uvloop's.

Answers come on a thread of the HTTP client, which wakes the loop. uvloop is woken in one step, and
nothing else runs meanwhile. asyncio's own loop lets go of the interpreter half way, so a program
that ends right then is aborted: measured in 3 of 10 runs of one request (ADR 7).
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    """Do some work to its end on a loop of its own, as `asyncio.run` does; Ctrl-C cancels it."""
    import uvloop

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work)
