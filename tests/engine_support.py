"""What tests of the engine share: a scripted endpoint, a scripted model, and the real program."""

import asyncio
import hashlib
import json
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from epc.core.config import REFERENCE_DECODING, Decoding, Method
from epc.engine.budget import Budget
from epc.engine.cache import Cache
from epc.engine.calls import Caller, Progress, Question, Role
from epc.engine.journal import Journal
from epc.engine.measure import carry_out
from epc.engine.model import Completion, Identity, Model, Prompt
from epc.engine.plan import Plan, Reuse, configuration, identities, save
from epc.engine.questions import Questions
from epc.engine.session import Limits, Request, measure, reopen, start

DAY = datetime(2026, 7, 2, tzinfo=UTC)
FIXED_CLOCK = {"SOURCE_DATE_EPOCH": str(int(DAY.timestamp()))}
RAW_FILES = ("trials.jsonl", "calls.jsonl", "weights.jsonl")
PATIENCE_S = 30.0  # how long a test waits for something that must happen


def digest(text: str) -> str:
    """Return what tests tell texts apart by."""
    return hashlib.sha256(text.encode()).hexdigest()


def a_or_b(text: str) -> str:
    """Return a verdict that depends on a text alone."""
    return "AB"[int(digest(text), 16) % 2]


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a JSON Lines file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait for something that another process or thread does."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, "what had to happen did not"
        time.sleep(0.002)


# ---------------------------------------------------------------------------- the endpoint


@dataclass(frozen=True, kw_only=True)
class Received:
    """One request as it came over the wire."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def prompt(self) -> str:
        """The text of its last message."""
        return str(self.body["messages"][-1]["content"])


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What the endpoint does with one request.

    `cut` sends that many bytes of the body and resets the connection; `drip` sends white space
    forever, so that bytes keep coming and the reply never ends.
    """

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None
    drip: bool = False


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


class Endpoint:
    """An OpenAI-compatible server on the loopback interface that does as it is told.

    The replies in `script` come first, one a request; then `behave` answers.
    """

    def __init__(self) -> None:
        self.script: list[Reply] = []
        self.behave: Callable[[Received], Reply] = answering
        self.received: list[Received] = []
        self.lock = threading.Lock()
        self.closing = threading.Event()
        self._server = Server(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    @property
    def url(self) -> str:
        """The base address, as in OPENAI_BASE_URL."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def prompts(self) -> Counter[str]:
        """How often each prompt was asked."""
        with self.lock:
            return Counter(request.prompt for request in self.received)

    def close(self) -> None:
        """Stop serving."""
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def reply_to(self, received: Received) -> Reply:
        """Take note of a request and decide what becomes of it."""
        with self.lock:
            self.received.append(received)
            scripted = self.script.pop(0) if self.script else None
        return scripted or self.behave(received)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 60

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Say nothing."""

            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                received = Received(
                    path=self.path,
                    headers={name.lower(): value for name, value in self.headers.items()},
                    body=json.loads(self.rfile.read(length)),
                )
                try:
                    self._send(endpoint.reply_to(received))
                except OSError:
                    self.close_connection = True

            def _send(self, reply: Reply) -> None:
                length = 10**9 if reply.drip else len(reply.body)
                self.send_response(reply.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(length))
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                while reply.drip and not endpoint.closing.wait(0.01):
                    self.wfile.write(b" ")
                if reply.cut is None:
                    self.wfile.write(reply.body)
                    return
                self.wfile.write(reply.body[: reply.cut])
                self.wfile.flush()
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


# ---------------------------------------------------------------------------- a model to script


class Told:
    """A model that says what a function tells it to, after a delay if one is given."""

    method: Method = "prompt"

    def __init__(
        self,
        says: Callable[[Prompt], str] = lambda prompt: f"Answer {digest(prompt.text)[:12]}.",
        *,
        name: str = "test/told",
        repeatable: bool = True,
        pinned: bool = True,
        concurrency: int = 64,
        delays: random.Random | None = None,
    ) -> None:
        self.identity = Identity(model=name, version="1", endpoint="test")
        self.repeatable, self.pinned, self.concurrency = repeatable, pinned, concurrency
        self.asked: list[Prompt] = []
        self.closed = 0
        self._says, self._delays = says, delays

    def default_decoding(self, role: str) -> Decoding:
        """Return the reference decoding for either role."""
        return REFERENCE_DECODING

    async def complete(self, prompt: Prompt, decoding: Decoding) -> Completion:
        """Say it."""
        self.asked.append(prompt)
        if self._delays is not None:
            await asyncio.sleep(self._delays.random() * 0.003)
        return Completion(text=self._says(prompt), latency_s=0.0)

    async def close(self) -> None:
        """Count."""
        self.closed += 1


def verdict_of(prompt: Prompt) -> str:
    """Return a verdict that depends on the prompt alone."""
    return a_or_b(prompt.text)


def plan_for(
    evaluator: Model,
    executor: Model | None,
    *,
    seeds: list[int] | None = None,
    rounds: int = 4,
    reuse: Reuse = "memo",
    exhaustive: bool = False,
    recheck: int = 0,
) -> Plan:
    """Return a plan for two models."""
    return Plan(
        evaluator=evaluator.identity.model,
        executor=None if executor is None else executor.identity.model,
        seeds=[0] if seeds is None else seeds,
        rounds=rounds,
        reuse=reuse,
        exhaustive=exhaustive,
        recheck=recheck,
        control="simulated",
        measurement_date=DAY.date().isoformat(),
        epc_version="0",
        identity=identities(evaluator, executor),
    )


def measured(
    folder: Path,
    evaluator: Model,
    executor: Model | None,
    *,
    plan: Plan | None = None,
    progress: Progress | None = None,
    budget: Budget | None = None,
    cache: Cache | None = None,
    **asked: Any,
) -> dict[str, Any]:
    """Carry a plan out in a new folder, or go on in an old one, and return the manifest."""
    plan = plan or plan_for(evaluator, executor, **asked)
    if not folder.exists():
        save(plan, folder)

    questions = Questions(
        config=configuration(plan, evaluator),
        evaluator=role("evaluator", evaluator),
        executor=None if executor is None else role("executor", executor),
    )

    async def run() -> dict[str, Any]:
        journal = Journal(folder)
        caller = Caller(
            journal=journal,
            reuse=plan.reuse == "memo",
            progress=progress or Progress(),
            budget=budget or Budget(),
            cache=cache,
        )
        try:
            return await carry_out(plan, folder, questions=questions, caller=caller, now=DAY)
        finally:
            await caller.close()
            journal.close()

    return asyncio.run(run())


def role(name: str, model: Model) -> Role:
    """Return a model in a role, with its own decoding."""
    return Role(name=name, model=model, decoding=model.default_decoding(name))


@asynccontextmanager
async def unwatched(_: Progress) -> AsyncIterator[None]:
    """Watch nothing."""
    yield


def asked_for(evaluator: str, executor: str | None, **changed: Any) -> Request:
    """Return a small request for two models by their names."""
    small = {"seeds": [0, 1], "rounds": 4, "reuse": None, "exhaustive": False, **changed}
    return Request(evaluator=evaluator, executor=executor, **small)


def sitting(
    folder: Path,
    request: Request | None = None,
    *,
    limits: Limits | None = None,
    batches: bool = False,
    now: datetime = DAY,
    watch: Callable[[Progress], AbstractAsyncContextManager[None]] = unwatched,
) -> dict[str, Any]:
    """Begin a run, or go on with one, as the program does, and return the manifest."""
    if request is not None:
        opened = start(request, folder, now=now, limits=limits, batches=batches)
    else:
        resumed = reopen(folder)
        assert resumed is not None
        opened = resumed
    work = measure(opened, folder, now=now, watch=watch, limits=limits, batches=batches)
    return asyncio.run(work)


def question(
    model: Model, text: str, *, name: str = "evaluator", side: str = "evaluation"
) -> Question:
    """Return something to ask a model in a role."""
    return Question(role=role(name, model), text=text, side=side)


# ---------------------------------------------------------------------------- the real program


def environment(**more: str) -> dict[str, str]:
    """Return an environment without keys, endpoints or proxies of whoever runs the tests."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.upper().endswith(("_API_KEY", "_BASE_URL", "_PROXY"))
    }
    return {**kept, **FIXED_CLOCK, **more}


def epc(
    *args: str | Path, cwd: Path | None = None, env: dict[str, str] | None = None, **options: Any
) -> subprocess.CompletedProcess[str]:
    """Run the program to its end."""
    done = subprocess.run(
        [sys.executable, "-m", "epc", *map(str, args)],
        cwd=cwd,
        env=environment() if env is None else env,
        text=True,
        encoding="utf-8",
        capture_output=True,
        timeout=120,
        check=False,
        **options,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


@contextmanager
def epc_under_way(
    *args: str | Path, env: dict[str, str] | None = None, **options: Any
) -> Iterator[subprocess.Popen[str]]:
    """Run the program beside the test; what still runs in the end is killed."""
    with subprocess.Popen(
        [sys.executable, "-m", "epc", *map(str, args)],
        env=environment() if env is None else env,
        text=True,
        encoding="utf-8",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    ) as running:
        try:
            yield running
        finally:
            if running.poll() is None:
                running.send_signal(signal.SIGKILL)


def same_files(left: Path, right: Path, names: tuple[str, ...]) -> None:
    """Assert that two run folders hold the same bytes."""
    for name in names:
        assert (left / name).read_bytes() == (right / name).read_bytes(), name


def files_that_hold(folder: Path, *secrets: str) -> list[str]:
    """Return the files below a folder, whatever they are called, in which a secret stands."""
    wanted = [secret.encode() for secret in secrets]
    return [
        str(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and any(secret in path.read_bytes() for secret in wanted)
    ]
