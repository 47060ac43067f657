"""Doing several things at once that stop together.

Where one is stopped, because a call got no answer or a limit was reached, the others are not cut
off: what they have under way is sent and paid for, and `Caller` sees to it that they end soon.
Any other failure cancels them.
"""

import asyncio
import gc
import signal
import threading
from collections.abc import Coroutine, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final, TypeVar

from epc.errors import StoppedError

T = TypeVar("T")
_ALLOCATIONS: Final = 20_000  # more new objects than hundreds of calls under way hold


def run_until_ctrl_c(work: Coroutine[Any, Any, T]) -> T:
    """Return the result of some work, or cancel it on Ctrl-C when no callback is under way.

    asyncio's handler cancels at the moment of the signal. A callback that has just seen its future
    not done then fails to set it, and Python prints a traceback although nothing is wrong.

    Raises: KeyboardInterrupt after Ctrl-C; a second one ends the program wherever it is.
    """
    return asyncio.run(_between_callbacks(work))


async def _between_callbacks(work: Coroutine[Any, Any, T]) -> T:
    cancel = signal.getsignal(signal.SIGINT)
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or not callable(cancel):
        return await work
    loop, waiting = asyncio.get_running_loop(), True

    def cancel_unless_ended() -> None:
        if waiting:
            cancel(signal.SIGINT, None)

    def cancel_soon(_number: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        loop.call_soon_threadsafe(cancel_unless_ended)

    signal.signal(signal.SIGINT, cancel_soon)
    try:
        return await work
    finally:
        waiting = False
        signal.signal(signal.SIGINT, cancel)


async def all_of(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Await everything at once; the first failure is raised when the others have ended, too."""
    tasks = [asyncio.create_task(each) for each in work]
    try:
        return await asyncio.gather(*tasks)
    except BaseException as failure:
        await _end(tasks, failure)
        raise


async def both(first: Coroutine[Any, Any, T], second: Coroutine[Any, Any, T]) -> tuple[T, T]:
    """Await two things at once with one task more, not two; both take about as long.

    A failure of the second is noticed when the first has ended.
    """
    task = asyncio.create_task(second)
    try:
        return await first, await task
    except BaseException as failure:
        await _end([task], failure)
        raise


async def _end(tasks: "list[asyncio.Task[T]]", failure: BaseException) -> None:
    if not isinstance(failure, StoppedError):
        for task in tasks:
            if not task.cancelling():
                task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Have Python look for cyclic garbage seldom while the block runs: calls leave next to none.

    Each look goes through all that is under way, and by default there is one every 700 objects.
    """
    before = gc.get_threshold()
    gc.freeze()  # what importing has made is not looked at, either
    gc.set_threshold(_ALLOCATIONS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
