"""libcurl's transfers on asyncio's loop (ADR 7).

The sockets have a selector of their own, and the loop watches that selector as one more file. To
begin and to end watching a socket happens once a request, and costs the loop five times as much.
"""

import asyncio
import math
import selectors
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pycurl import Curl, CurlMulti

_EITHER = selectors.EVENT_READ | selectors.EVENT_WRITE  # the bits are those of libcurl


class TransferError(Exception):
    """A transfer failed: why, by libcurl's number and in its words."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message


class Transfers:
    """Requests under way on the running loop, over connections that are kept for later ones."""

    def __init__(self, *, most_connections: int) -> None:
        import pycurl

        self._under_way: dict[Curl, asyncio.Future[None]] = {}
        self._soon: asyncio.Handle | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._due = math.inf
        self._watched: set[int] = set()
        self._selector = selectors.DefaultSelector()
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._selector, self._move_ready)
        self._multi = pycurl.CurlMulti()
        self._multi.setopt(pycurl.M_MAXCONNECTS, most_connections)
        self._multi.setopt(pycurl.M_SOCKETFUNCTION, self._watch)
        self._multi.setopt(pycurl.M_TIMERFUNCTION, self._set_timer)

    async def perform(self, handle: "Curl") -> None:
        """Carry out the transfer that a handle is prepared for.

        Raises: TransferError if it fails.
        """
        future = self._under_way[handle] = self._loop.create_future()
        self._multi.add_handle(handle)
        try:
            await future
        finally:
            self._let_go(handle)

    def close(self) -> None:
        """Break off what is under way, and close every connection."""
        for handle, future in list(self._under_way.items()):
            self._let_go(handle)
            future.cancel()
        self._multi.close()
        for handle in filter(None, (self._soon, self._timer)):
            handle.cancel()
        self._loop.remove_reader(self._selector)
        self._selector.close()

    def _let_go(self, handle: "Curl") -> None:
        if self._under_way.pop(handle, None) is not None:
            self._multi.remove_handle(handle)

    def _watch(self, what: int, descriptor: int, _multi: "CurlMulti", _kept: Any) -> None:
        """Watch a socket for what libcurl waits for, or no more."""
        if not what & _EITHER:
            if descriptor in self._watched:
                self._watched.remove(descriptor)
                self._selector.unregister(descriptor)
        elif descriptor in self._watched:
            self._selector.modify(descriptor, what)
        else:
            self._watched.add(descriptor)
            self._selector.register(descriptor, what)

    def _set_timer(self, milliseconds: int) -> None:
        """Let libcurl act after so long; never if it is less than 0.

        It sets another time with each request, and mostly a later one. So a timer stays as it is,
        and looks when it ends whether there is longer to wait.
        """
        self._due = math.inf if milliseconds < 0 else self._loop.time() + milliseconds / 1000
        if milliseconds == 0:  # but not within this call of libcurl's
            self._soon = self._soon or self._loop.call_soon(self._move_late)
        elif self._timer is None or self._due < self._timer.when():
            self._wait()

    def _wait(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        late = self._due < math.inf
        self._timer = self._loop.call_at(self._due, self._end_wait) if late else None

    def _end_wait(self) -> None:
        self._timer = None
        if self._loop.time() < self._due:
            self._wait()
        else:
            self._move_late()

    def _move_ready(self) -> None:
        for key, events in self._selector.select(0):
            self._multi.socket_action(key.fd, events)
        self._settle()

    def _move_late(self) -> None:
        import pycurl

        self._soon = None
        self._multi.socket_action(pycurl.SOCKET_TIMEOUT, 0)
        self._settle()

    def _settle(self) -> None:
        """Tell those whose transfers have ended."""
        _, done, failed = self._multi.info_read()
        for handle in done:
            if (future := self._under_way.get(handle)) and not future.done():
                future.set_result(None)
        for handle, code, message in failed:
            if (future := self._under_way.get(handle)) and not future.done():
                future.set_exception(TransferError(code, message))
