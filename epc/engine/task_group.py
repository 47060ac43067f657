"""Doing several things at once that stop together: at an error, a limit, or when the time is up."""

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final, TypeVar

from msgspec import Struct, field

from epc.engine.budget import Budget, BudgetError, CostCapError
from epc.errors import EpcError, StoppedError

T = TypeVar("T")


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
    tasks = [asyncio.create_task(coroutine) for coroutine in work]
    try:
        return await asyncio.gather(*tasks)
    except BaseException as failure:
        await _end(tasks, failure)
        raise


async def await_both(first: Coroutine[Any, Any, T], second: Coroutine[Any, Any, T]) -> tuple[T, T]:
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


LANDING_S: Final = 30.0  # how long a stopped run waits for calls that are under way


class Stopping(Struct, kw_only=True):
    """The first error, after which nothing more is asked, and the calls that may still land.

    `stopped` is told of it. `failure` is why the last attempt got no answer, if none came since.
    """

    budget: Budget
    stopped: Callable[[EpcError], None]
    error: EpcError | None = None
    failure: str | None = None
    _under_way: set["asyncio.Task[Any]"] = field(default_factory=set)
    _loop: asyncio.AbstractEventLoop | None = None
    _alarm: asyncio.TimerHandle | None = None
    _given_up: bool = False

    def stop(self, error: EpcError) -> EpcError:
        """Let nothing more be asked, because of an error; return the first that there was."""
        if self.error is None:
            self.error = self._explained(error)
            self.budget.look_again()
            self._set_alarm(LANDING_S, self.error)
            self.stopped(self.error)
        return self.error

    def require_going(self) -> None:
        """Refuse to begin anything once there was an error: an answer might find nobody.

        Raises: that error.
        """
        if self.error is not None:
            raise self.error

    @contextmanager
    def landing(self) -> Iterator[None]:
        """Have a call under way within the block, and stop where it ends in an error.

        Raises: the first error that there was.
        """
        self.require_going()
        if not self._under_way:
            self._loop = asyncio.get_running_loop()  # which asks the system each time
        task = asyncio.current_task(self._loop)
        assert task is not None
        if self._alarm is None and (left_s := self.budget.left_s()) is not None:
            self._set_alarm(left_s, self.budget.too_late())
        self._under_way.add(task)
        try:
            yield
        except CostCapError:
            raise  # a cheaper call may fit: the others go on
        except EpcError as error:
            raise self.stop(error) from None
        except asyncio.CancelledError:
            if self.error is not None and self._given_up and not task.uncancel():
                raise self.error from None
            raise
        finally:
            self._under_way.discard(task)

    def close(self) -> None:
        """Wait for nothing more."""
        if self._alarm is not None:
            self._alarm.cancel()

    def _explained(self, error: EpcError) -> EpcError:
        """Return an error with what kept the endpoint from answering before a limit was reached."""
        if self.failure is None or not isinstance(error, BudgetError):
            return error
        return BudgetError(f"{error}\n  last error: {self.failure}")

    def _set_alarm(self, seconds: float, error: EpcError) -> None:
        """Let the calls that are still under way after so long end in an error."""
        self.close()
        self._alarm = asyncio.get_running_loop().call_later(seconds, self._give_up, error)

    def _give_up(self, error: EpcError) -> None:
        self.error, self._given_up = self.error or self._explained(error), True
        for task in self._under_way:
            task.cancel()
