"""Helpers of the tests of the engine: a scripted model, a sitting, and the real program."""

import asyncio
import hashlib
import json
import os
import random
import signal
import subprocess
import time
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from program_support import PROGRAM, as_text, run_program

from epc.engine.budget import Budget, Limits
from epc.engine.cache import Cache
from epc.engine.calls import Caller
from epc.engine.journal import Journal
from epc.engine.measure import carry_out
from epc.engine.model import Completion, Identity, Model, Prompt
from epc.engine.plan import Plan, Reuse, configuration, identities, save
from epc.engine.progress import Progress
from epc.engine.request import Questions, Request
from epc.engine.roles import Question, Role
from epc.engine.session import measure, reopen, start
from epc.protocol.config import REFERENCE_DECODING, Decoding
from epc.spec.epc_v1 import Method

DAY = datetime(2026, 7, 2, tzinfo=UTC)
FIXED_CLOCK = {"SOURCE_DATE_EPOCH": str(int(DAY.timestamp()))}
RAW_FILES = ("trials.jsonl", "calls.jsonl", "weights.jsonl")
PATIENCE_S = 240.0  # how long a test waits for what must happen: it ends a hang, on any machine


def digest(text: str) -> str:
    """Return what tests tell texts apart by."""
    return hashlib.sha256(text.encode()).hexdigest()


def a_or_b(text: str) -> str:
    """Return a verdict that depends on a text alone."""
    return "AB"[int(digest(text), 16) % 2]


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a JSON Lines file; of a journal its calls, without checksums.

    A line of a journal that is being written, or was when its program was killed, is none yet.
    """
    lines = path.read_bytes().splitlines(keepends=True)
    if path.name == "journal.jsonl" and lines and not lines[-1].endswith(b"\n"):
        del lines[-1]
    rows = [json.loads(line) for line in lines if line.strip()]
    return [row["call"] if row.keys() == {"call", "crc"} else row for row in rows]


def journal_line(row: str) -> str:
    """Return a call's line of a journal, of its line in a record."""
    row = row.strip()
    return f'{{"call":{row},"crc":"{zlib.crc32(row.encode()):08x}"}}\n'


def call(number: int, answer: str = "A") -> dict[str, Any]:
    """Return the row of an answered call."""
    return {
        "id": digest(str(number))[:20],
        "role": "evaluator",
        "model": "test/told",
        "served_model": None,
        "system_fingerprint": None,
        "prompt": f"prompt {number}",
        "answer": answer,
        "finish_reason": "stop",
        "tokens_in": 3,
        "tokens_out": None,
        "latency_s": 0.25,
        "retries": 0,
        "occasion": None,
        "answered_at": "2026-07-02T00:00:00Z",
        "origin": "asked",
    }


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait for something that another process or thread does."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, "what had to happen did not"
        time.sleep(0.002)


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
            progress=progress or Progress(budget=budget or Budget()),
            clock=lambda: DAY,
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
    moment: datetime = DAY,
    watch: Callable[[Progress], AbstractAsyncContextManager[None]] = unwatched,
) -> dict[str, Any]:
    """Begin a run, or go on with one, as the program does, and return the manifest."""
    if request is not None:
        opened = start(request, folder, now=moment, limits=limits)
    else:
        resumed = reopen(folder)
        assert resumed is not None
        opened = resumed
    work = measure(
        opened,
        folder,
        clock=lambda: moment,
        watch=watch,
        limits=limits,
    )
    return asyncio.run(work)


def question(
    model: Model, text: str, *, name: str = "evaluator", side: str = "evaluation"
) -> Question:
    """Return something to ask a model in a role."""
    return Question(role=role(name, model), text=text, side=side)


# ---------------------------------------------------------------------------- the real program


def environment(**further_options: str) -> dict[str, str]:
    """Return an environment without keys, endpoints or proxies of whoever runs the tests."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.upper().endswith(("_API_KEY", "_BASE_URL", "_PROXY"))
    }
    return {**kept, **FIXED_CLOCK, **further_options}


def epc(
    *args: str | Path,
    cwd: Path | None = None,
    env: dict[str, str] | None = None,
    stdin: bytes = b"",
) -> subprocess.CompletedProcess[str]:
    """Run the program to its end."""
    variables = environment() if env is None else env
    done = as_text(run_program(*args, cwd=cwd, env=variables, stdin=stdin))
    assert "Traceback" not in done.stderr, done.stderr
    return done


@contextmanager
def epc_under_way(
    *args: str | Path, env: dict[str, str] | None = None, **options: Any
) -> Iterator[subprocess.Popen[str]]:
    """Run the program beside the test; what still runs in the end is killed.

    It has the signals of a terminal, which `nohup` hides from whoever runs the tests.
    """
    hidden = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    try:
        started = subprocess.Popen(
            [*PROGRAM, *map(str, args)],
            env=environment() if env is None else env,
            text=True,
            encoding="utf-8",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **options,
        )
    finally:
        signal.signal(signal.SIGHUP, hidden)
    with started as running:
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
