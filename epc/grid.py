"""Points of some work spread over processes.

A point says all that its figures depend on, its random stream among it, so they are the same to the
last digit wherever it runs and however many run beside it.
"""

import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from multiprocessing.context import BaseContext

Point = TypeVar("Point")
Result = TypeVar("Result")

FEW: Final = 16  # snapshots; up to as many, other processes take longer to begin than they save
_ALLOCATIONS: Final = 20_000  # more new objects than most points hold, or hundreds of calls


def spread(
    work: Callable[[Point], Result], points: Sequence[Point], *, few: int = 1
) -> Iterator[Result]:
    """Yield the result of every point, in the points' order.

    All cores that this process may use work; up to `few` points are worked on here. `work` and the
    points go to other processes, so both can be pickled.
    """
    from concurrent.futures import ProcessPoolExecutor

    carry = partial(_carry, work)
    count = 1 if len(points) <= few else min(cores(), len(points))
    if count == 1:
        yield from map(carry, points)
        return
    context = _processes_with(getattr(work, "func", work).__module__)
    with ProcessPoolExecutor(count, context, _leave_interrupts_to_parent) as pool:
        yield from pool.map(carry, points)


def _processes_with(module: str) -> "BaseContext":
    """Return how processes begin that have a module: by a server that imported it, where it can.

    A fork of this very process would have the locks that its other threads hold.
    """
    import multiprocessing

    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([module])
    return context


def cores() -> int:
    """Return how many cores this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _leave_interrupts_to_parent() -> None:
    """Ignore Ctrl-C, which reaches every process: the one that asked ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _carry(work: Callable[[Point], Result], point: Point) -> Result:
    with seldom_collected():
        return work(point)


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Have Python look for cyclic garbage seldom while the block runs, which leaves next to none.

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
