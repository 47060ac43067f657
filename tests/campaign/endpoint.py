"""An OpenAI-compatible endpoint on the loopback interface that fails as a scenario says.

It answers by the prompt alone, keeps a log of every request and of what became of it, and can be
shut to connections for a while. It runs in a thread of its own, so that a run under test has its
event loop, its cancellation and its signals to itself.
"""

import asyncio
import hashlib
import json
import threading
from collections import Counter
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import random

T = TypeVar("T")

SERVED = "judge-0806"
FINGERPRINT = "fp_44709d6fcb"
VERDICTS = ("A", "B", "B", "A", "**A**", "b.", "A or B?", "I cannot compare these.", "")
TRANSIENT = (
    "slow",
    "drip",
    "late",
    "429",
    "429_seconds",
    "429_ms",
    "429_date",
    "500",
    "502",
    "503",
    "529",
    "reset",
    "reset_in_head",
    "reset_in_body",
    "short_body",
    "refused",
    "truncated_json",
    "garbage",
    "no_object",
    "null_content",
    "empty_body",
    "not_utf8",
)
PERMANENT = ("401", "402", "403", "404", "insufficient_quota", "redirect")
REPORTED = ("wrong_model", "changed_fingerprint")  # the answer is good, its sender is in doubt

_ERRORS = {
    "401": (401, {}, "Incorrect API key provided."),
    "402": (402, {}, "Insufficient Balance"),
    "403": (403, {}, "This project has no access to the model."),
    "404": (404, {}, "The model does not exist."),
    "insufficient_quota": (429, {}, "insufficient_quota: check your plan and billing details."),
    "redirect": (302, {"Location": "http://127.0.0.1:9/v1/chat/completions"}, "moved"),
    "429": (429, {}, "Rate limit reached."),
    "429_seconds": (429, {"Retry-After": "0"}, "Rate limit reached."),
    "429_ms": (429, {"retry-after-ms": "7"}, "Rate limit reached."),
    "500": (500, {}, "The server had an error."),
    "502": (502, {}, "Bad gateway."),
    "503": (503, {"Retry-After": "0.01"}, "Overloaded."),
    "529": (529, {}, "Overloaded."),
}
_BODIES = {
    "garbage": b"\x00\xff<html>busy</html>",
    "no_object": b"[]",
    "null_content": b'{"choices":[{"message":{"content":null},"finish_reason":null}]}',
    "empty_body": b"",
    "not_utf8": b'{"choices":[{"message":{"content":"\xff"}}]}',
}


@dataclass(kw_only=True)
class Log:
    """What was asked and what was sent, by prompt."""

    asked: list[str] = field(default_factory=list)
    sent: list[tuple[str, str]] = field(default_factory=list)  # whole answers: prompt, text
    faults: Counter[str] = field(default_factory=Counter)


def digest(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


class Endpoint:
    """The endpoint. `fault` says what becomes of the next request; None is a good answer."""

    def __init__(self) -> None:
        self.log = Log()
        self.fault: Callable[[str], str | None] = lambda _: None
        self.answered: Callable[[int], None] = lambda _: None  # called with the number sent so far
        self.filtered = 0  # one prompt in so many is withheld; 0 is none
        self.delays: random.Random | None = None
        self.port = 0
        self._open: set[asyncio.StreamWriter] = set()
        self._serving: asyncio.Server | None = None
        self._reopening: asyncio.Task[None] | None = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self._call(self._listen())

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def heal(self) -> None:
        """Serve well from now on, and forget what was seen."""

        async def heal() -> None:
            self.fault, self.answered = lambda _: None, lambda _: None
            if self._reopening is not None:
                await self._reopening
            await self._drop()
            self.log = Log()

        self._call(heal())

    def close(self) -> None:
        async def close() -> None:
            if self._reopening is not None:
                await self._reopening
            if self._serving is not None:
                self._serving.close()
            await self._drop()
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)

        self._call(close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def text(self, prompt: str) -> str:
        """Return the one answer that a prompt has."""
        number = digest(prompt)
        if self.withheld(prompt):
            return ""
        if prompt.startswith("Evaluate."):
            return VERDICTS[number % len(VERDICTS)]
        return f"Answer {number:x}. \u00e9\u4e2d\U0001f600"

    def withheld(self, prompt: str) -> bool:
        return bool(self.filtered) and digest(f"filter|{prompt}") % self.filtered == 0

    def _call(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(30)

    async def _listen(self) -> None:
        self._serving = await asyncio.start_server(self._client, "127.0.0.1", self.port)
        self.port = self._serving.sockets[0].getsockname()[1]

    async def _drop(self) -> None:
        for writer in list(self._open):
            _reset(writer)
        await asyncio.sleep(0)

    async def _refuse(self) -> None:
        """Refuse connections for a moment."""
        assert self._serving is not None
        self._serving.close()
        await self._drop()
        await asyncio.sleep(0.03)
        for _ in range(100):  # another program may hold the port for a moment
            with suppress(OSError):
                await self._listen()
                return
            await asyncio.sleep(0.05)
        raise AssertionError("the endpoint cannot listen again")

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            while await self._one(reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            self._open.discard(writer)
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Serve one request; return whether the connection goes on."""
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        body = json.loads(await reader.readexactly(length))
        prompt = str(body["messages"][-1]["content"])
        self.log.asked.append(prompt)
        fault = self.fault(prompt)
        if fault is not None:
            self.log.faults[fault] += 1
        if self.delays is not None:
            await asyncio.sleep(self.delays.random() * 0.004)
        return await self._reply(reader, writer, prompt, fault)

    async def _reply(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        prompt: str,
        fault: str | None,
    ) -> bool:
        if fault in ("slow", "drip", "refused", "reset"):
            await self._hang_up(reader, writer, fault)
            return False
        if fault == "429_date":
            soon = format_datetime(datetime.now(UTC) - timedelta(seconds=1), usegmt=True)
            return _send(writer, 429, _error("Rate limit reached."), {"Retry-After": soon})
        if fault in _ERRORS:
            status, headers, message = _ERRORS[fault]
            return _send(writer, status, _error(message), headers)
        if fault in _BODIES:
            return _send(writer, 200, _BODIES[fault])
        return await self._answer(writer, prompt, fault)

    async def _hang_up(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, fault: str
    ) -> None:
        """Never answer: say nothing, or a little at a time, or break the connection off."""
        if fault == "reset":
            _reset(writer)
        elif fault == "refused":
            if self._reopening is None or self._reopening.done():
                self._reopening = self._loop.create_task(self._refuse())
        elif fault == "drip":
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        while fault in ("slow", "drip") and not reader.at_eof() and not writer.is_closing():
            if fault == "drip":
                writer.write(b" ")
            with suppress(TimeoutError):
                await asyncio.wait_for(reader.read(1), 0.02)

    async def _answer(self, writer: asyncio.StreamWriter, prompt: str, fault: str | None) -> bool:
        text = self.text(prompt)
        if self.withheld(prompt) and digest(prompt) % 2:
            message = "The response was filtered: content_filter"
            if fault is None:
                self._note(prompt, text)
                return _send(writer, 400, _error(message))
        body = self._completion(prompt, text, fault)
        if fault == "truncated_json":
            return _send(writer, 200, body[: len(body) // 2])
        if fault in ("reset_in_head", "reset_in_body", "short_body"):
            head = _head(200, len(body), {})
            cut = len(head) // 2 if fault == "reset_in_head" else len(head) + len(body) // 2
            writer.write((head + body)[:cut])
            await asyncio.sleep(0)
            if fault != "short_body":
                _reset(writer)
            return False
        if fault == "late":  # within the deadline: slow, but an answer
            await asyncio.sleep(0.02)
        self._note(prompt, text)
        return _send(writer, 200, body)

    def _note(self, prompt: str, text: str) -> None:
        self.log.sent.append((prompt, text))
        self.answered(len(self.log.sent))

    def _completion(self, prompt: str, text: str, fault: str | None) -> bytes:
        finish = "content_filter" if self.withheld(prompt) else "stop"
        content = None if finish == "content_filter" else text
        reply = {
            "model": "judge-0901" if fault == "wrong_model" else SERVED,
            "system_fingerprint": "fp_new" if fault == "changed_fingerprint" else FINGERPRINT,
            "choices": [
                {"message": {"role": "assistant", "content": content}, "finish_reason": finish}
            ],
            "usage": {"prompt_tokens": len(prompt) // 4, "completion_tokens": 1},
        }
        return json.dumps(reply).encode()


def _error(message: str) -> bytes:
    return json.dumps({"error": {"message": message, "type": "error", "code": None}}).encode()


def _head(status: int, length: int, headers: dict[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} Said", "Content-Type: application/json"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, f"Content-Length: {length}", "", ""]).encode()


def _send(
    writer: asyncio.StreamWriter, status: int, body: bytes, headers: dict[str, str] | None = None
) -> bool:
    writer.write(_head(status, len(body), headers or {}) + body)
    return True


def _reset(writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()
