"""A scripted OpenAI-compatible endpoint on the loopback interface."""

import json
import socket
import ssl
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

from engine_support import PATIENCE_S, a_or_b, digest


@dataclass(frozen=True, kw_only=True)
class Received:
    """A request as it came over the wire."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def prompt(self) -> str:
        """The text of its last message, wherever its protocol puts it."""
        if state := self.body.get("state", self.body.get("input")):  # of a decision model
            return str(state)
        if "contents" in self.body:
            return str(self.body["contents"][-1]["parts"][0]["text"])
        content = self.body["messages"][-1]["content"]
        return str(content if isinstance(content, str) else content[0]["text"])


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What the endpoint does with one request.

    `cut` sends that many bytes of the body and resets the connection, `cut_head` that many of the
    head; with `resets` off it only ends. `drip` sends white space forever, so that bytes keep
    coming and the reply never ends; `silent` sends nothing until the client hangs up.
    """

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None
    cut_head: int | None = None
    resets: bool = True
    drip: bool = False
    silent: bool = False


def completion(text: str | None, **changed: Any) -> Reply:
    """Return a chat completion; `changed` replaces top-level keys."""
    reply = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "served-model-0806",
        "system_fingerprint": "fp_44709d6fcb",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": text},
            }
        ],
        "usage": {"prompt_tokens": 21, "completion_tokens": 3, "total_tokens": 24},
    }
    return Reply(body=json.dumps({**reply, **changed}).encode())


def refusal(status: int, message: str = "no", **headers: str) -> Reply:
    """Return an error as OpenAI-compatible endpoints word it."""
    body = json.dumps({"error": {"message": message, "type": "error", "code": None}}).encode()
    return Reply(
        status=status, body=body, headers={k.replace("_", "-"): v for k, v in headers.items()}
    )


def answering(received: Received) -> Reply:
    """Answer by the prompt alone: a verdict to the evaluator's, a short text to any other."""
    if received.prompt.startswith("Evaluate."):
        return completion(a_or_b(received.prompt))
    return completion(f"Answer {digest(received.prompt)[:12]}.")


class Server(ThreadingHTTPServer):
    """A threading server that a hundred connections at once do not overrun."""

    daemon_threads = True
    request_queue_size = 1024

    def __init__(self, port: int, handler: type[BaseHTTPRequestHandler]) -> None:
        self.connections: set[socket.socket] = set()
        super().__init__(("127.0.0.1", port), handler)

    def shutdown_request(self, request: Any) -> None:
        """Close at once: an orderly end before it would hide a reset."""
        self.close_request(request)

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a client that hung up: a program may own the streams just now."""


class LoopbackHandler(BaseHTTPRequestHandler):
    """What the servers of the tests share: connections that stay, and no talk."""

    protocol_version = "HTTP/1.1"
    timeout = 60

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (the base class's name for it)
        """Say nothing."""

    def setup(self) -> None:
        """Note the connection, so that the server can drop it."""
        super().setup()
        cast("Server", self.server).connections.add(self.connection)

    def finish(self) -> None:
        """Forget the connection."""
        cast("Server", self.server).connections.discard(self.connection)
        super().finish()

    def content(self) -> bytes:
        """Return the body of the request."""
        return self.rfile.read(int(self.headers["Content-Length"]))

    def begin(self, status: int, length: int, headers: dict[str, str]) -> None:
        """Send the head of a reply."""
        self.send_response(status)
        for name, value in {
            "Content-Type": "application/json",
            "Content-Length": str(length),
            **headers,
        }.items():
            self.send_header(name, value)
        self.end_headers()


class Loopback:
    """A server on the loopback interface, in a thread of its own."""

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        self._listen(0, handler)

    def _listen(self, port: int, handler: type[BaseHTTPRequestHandler]) -> None:
        self._server = Server(port, handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def drop(self) -> None:
        """Break off every connection."""
        for connection in list(self._server.connections):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def refuse(self, seconds: float) -> None:
        """Refuse connections for a moment, at the port that it has."""
        port, handler = self._server.server_port, self._server.RequestHandlerClass
        self.drop()
        Loopback.close(self)
        time.sleep(seconds)
        for _ in range(100):  # another program may hold the port for a moment
            with suppress(OSError):
                return self._listen(port, cast("type[BaseHTTPRequestHandler]", handler))
            time.sleep(0.05)
        raise AssertionError("the endpoint cannot listen again")

    def encrypt(self, context: ssl.SSLContext) -> None:
        """Speak TLS from now on."""
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)

    @property
    def url(self) -> str:
        """The base address, as in OPENAI_BASE_URL."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class Endpoint(Loopback):
    """An OpenAI-compatible server on the loopback interface that does as it is told.

    The replies in `script` come first, one a request; then `behave` answers.
    """

    def __init__(self) -> None:
        self.script: list[Reply] = []
        self.behave: Callable[[Received], Reply] = answering
        self.received: list[Received] = []
        self.lock = threading.Lock()
        self.closing = threading.Event()
        super().__init__(self._handler())

    @property
    def prompts(self) -> Counter[str]:
        """How often each prompt was asked."""
        with self.lock:
            return Counter(request.prompt for request in self.received)

    def close(self) -> None:
        """Stop serving."""
        self.closing.set()
        super().close()

    def reply_to(self, received: Received) -> Reply:
        """Take note of a request and decide what becomes of it."""
        with self.lock:
            self.received.append(received)
            scripted = self.script.pop(0) if self.script else None
        return scripted or self.behave(received)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        endpoint = self

        class Handler(LoopbackHandler):
            def do_POST(self) -> None:
                received = Received(
                    path=self.path,
                    headers={name.lower(): value for name, value in self.headers.items()},
                    body=json.loads(self.content()),
                )
                try:
                    self._send(endpoint.reply_to(received))
                except OSError:
                    self.close_connection = True

            def _send(self, reply: Reply) -> None:
                if reply.silent:
                    self.rfile.read(1)
                if reply.silent or reply.cut_head is not None:
                    self.wfile.write(b"HTTP/1.1 200 OK"[: reply.cut_head or 0])
                    self._end(resets=reply.resets)
                    return
                length = 10**9 if reply.drip else len(reply.body)
                self.begin(reply.status, length, reply.headers)
                while reply.drip and not endpoint.closing.wait(0.01):
                    self.wfile.write(b" ")
                self.wfile.write(reply.body[: reply.cut])
                if reply.cut is not None:
                    self._end(resets=reply.resets)

            def _end(self, *, resets: bool) -> None:
                self.wfile.flush()
                if resets:
                    linger = struct.pack("ii", 1, 0)  # close with a reset
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                self.close_connection = True

        return Handler


@contextmanager
def serving() -> Iterator[Endpoint]:
    """Serve for the length of a block."""
    endpoint = Endpoint()
    try:
        yield endpoint
    finally:
        endpoint.close()


class HoldsAfter:
    """A behaviour that answers some requests, then holds every other until it is let go."""

    def __init__(self, answers: int) -> None:
        self.reached, self.go_on = threading.Event(), threading.Event()
        self._left = answers
        self._lock = threading.Lock()

    def __call__(self, received: Received) -> Reply:
        with self._lock:
            self._left -= 1
            held = self._left < 0
        if held:
            self.reached.set()
            self.go_on.wait(PATIENCE_S)
        return answering(received)


class FailsAfter:
    """A behaviour that answers some requests and refuses the rest."""

    def __init__(self, answers: int, refused: Reply) -> None:
        self._left, self._refused = answers, refused
        self._lock = threading.Lock()

    def __call__(self, received: Received) -> Reply:
        with self._lock:
            self._left -= 1
            return self._refused if self._left < 0 else answering(received)
