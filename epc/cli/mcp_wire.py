"""Lines of the Model Context Protocol: each request is answered, whatever it holds.

The protocol's package passes over a line that is no request of its form, so that whoever sent it
waits for ever; and it stops at the end of the input, whatever is still being answered.
"""

import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from io import TextIOWrapper
from types import TracebackType
from typing import Any, Final, Self

import anyio
import mcp_types as types
from mcp.server import MCPServer
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from epc.json_text import parse
from epc.printable import spelt
from epc.protocol.results import Json

_PATIENCE_S: Final = 30  # for what is still being answered when the input ends
_NO_JSON: Final = "a request is JSON that can be read in one way only"
Name = int | str


class Server(MCPServer[Any]):
    """A server that answers a malformed request with an error, and the last one too."""

    async def run_stdio_async(self) -> None:
        """Answer the lines of standard input on standard output until the input ends."""
        wire = _Wire()
        server = self._lowlevel_server
        async with stdio_server(stdin=wire) as (requests, answers):  # type: ignore[arg-type]
            wire.answers = answers
            await server.run(requests, wire, server.create_initialization_options())


class _Wire:
    """Standard input as lines of requests, and the stream of what answers them.

    `_open` are the requests without an answer yet; once the input has ended, their last answer sets
    `_all_answered`.
    """

    answers: Any

    def __init__(self) -> None:
        self._open: set[Name | None] = set()
        self._all_answered: anyio.Event | None = None

    async def __aiter__(self) -> AsyncIterator[str]:
        lines = anyio.wrap_file(TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace"))
        async for line in lines:
            if not line.strip():
                continue
            message = _message_of(line)
            if isinstance(message, types.JSONRPCError):
                await self.answers.send(SessionMessage(message))
                continue
            if isinstance(message, types.JSONRPCRequest):
                self._open.add(message.id)
            yield line
        self._all_answered = anyio.Event()
        if self._open:
            with anyio.move_on_after(_PATIENCE_S):
                await self._all_answered.wait()

    async def send(self, item: SessionMessage) -> None:
        """Send a message in which no character acts on a terminal, whoever it comes from."""
        message = item.message
        content = _spelt_out(message.model_dump(by_alias=True, exclude_unset=True))
        await self.answers.send(replace(item, message=type(message).model_validate(content)))
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
            self._open.discard(message.id)
            if self._all_answered is not None and not self._open:
                self._all_answered.set()

    async def aclose(self) -> None:
        """Close the stream of answers."""
        await self.answers.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


def _message_of(line: str) -> types.JSONRPCMessage:
    """Return the message of a line, or the error that answers it."""
    value, problems = parse(line)
    if problems:
        return _refusal(
            None, types.PARSE_ERROR, "a request is JSON that can be read in one way only"
        )
    if not isinstance(value, dict):
        return _refusal(None, types.INVALID_REQUEST, "a request is one JSON object")
    name = value.get("id")
    if "id" in value and (isinstance(name, bool) or not isinstance(name, Name)):
        return _refusal(None, types.INVALID_REQUEST, "id: a request has a text or a whole number")
    try:
        message: types.JSONRPCMessage = types.jsonrpc_message_adapter.validate_python(
            value, by_name=False
        )
    except ValidationError:
        message = _refusal(name, types.INVALID_REQUEST, _problem(value))
    if isinstance(message, types.JSONRPCNotification) and name is not None:
        message = _refusal(name, types.INVALID_REQUEST, _problem(value))
    return message


def _problem(value: Json) -> str:
    """Return what of a request is not as JSON-RPC has it."""
    if value.get("jsonrpc") != "2.0":
        return 'jsonrpc: "2.0" is missing'
    if not isinstance(value.get("method"), str):
        return "method: a request has a text"
    return "params: a request has an object"


def _refusal(name: Name | None, code: int, problem: str) -> types.JSONRPCError:
    error = types.ErrorData(code=code, message=problem)
    return types.JSONRPCError(jsonrpc="2.0", id=name, error=error)


def _spelt_out(value: Any) -> Any:
    """Return JSON whose texts hold no character that is not seen, but for ends of lines."""
    if isinstance(value, str):
        return "\n".join(map(spelt, value.split("\n")))
    if isinstance(value, list):
        return [*map(_spelt_out, value)]
    if isinstance(value, dict):
        return {key: _spelt_out(item) for key, item in value.items()}
    return value
