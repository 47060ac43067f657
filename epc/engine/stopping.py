"""How calls end that get no answer: at the first error, at a limit, or when the time is up."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from msgspec import Struct, field

from epc.engine.budget import Budget, BudgetError, CostCapError
from epc.errors import EpcError

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
