"""Speed of the engine, as ratios in one run: `--quick` for small sizes. It asserts nothing.

Everything runs against a loopback endpoint in a process of its own whose latencies are set, beside
a plain sequential loop written from section 2.3 of the paper and beside bare aiohttp.
"""

import argparse
import asyncio
import hashlib
import http.client
import json
import multiprocessing
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

from bare import send
from msgspec import structs

from epc.engine import measure as measuring
from epc.engine.budget import Limits
from epc.engine.finish import finish
from epc.engine.progress import Progress
from epc.engine.request import Request
from epc.engine.session import measure, start
from epc.protocol.draws import pick_task, turns
from epc.protocol.prompt import Pair, evaluation_text, executor_prompt
from epc.protocol.results import Json
from epc.protocol.verdict import Verdict, parse_verdict
from epc.protocol.weights import Weights, choose, uniform, update
from epc.records.designs import packaged
from epc.records.validate import validate
from epc.spec.epc_v1 import PHASES
from epc.spec.reference import STRATEGIES, TASKS

EXECUTOR_S, EVALUATOR_S = 0.5, 0.2
MODEL = "openai-compatible/bench"
NOW = datetime(2026, 7, 2, tzinfo=UTC)
MIB = 2**20
_PAIRS = 11
_SLOWLY = 20  # as models take that write whole answers
BARE = Path(__file__).with_name("bare.py")


# ---------------------------------------------------------------------------- the endpoint


@dataclass(kw_only=True)
class Setting:
    """Settings of the endpoint: seconds an answer takes, whether unevenly, what it remembers."""

    executor_s: float = 0.0
    evaluator_s: float = 0.0
    shuffled: bool = False
    kept: bool = False


@dataclass(kw_only=True)
class Seen:
    """Record of the endpoint: requests, the most at once, seconds it was late, processor time.

    `bodies` are those of the requests, where it was told to keep them.
    """

    requests: int = 0
    at_once: int = 0
    late_mean_s: float = 0.0
    late_most_s: float = 0.0
    processor_s: float = 0.0
    bodies: list[Json] = field(default_factory=list)


class Wire(asyncio.Protocol):
    """A connection; a request is answered its latency after it came."""

    setting = Setting()
    seen = Seen()
    under_way = 0

    def __init__(self) -> None:
        self._bytes = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._bytes += data
        head, found, rest = self._bytes.partition(b"\r\n\r\n")
        if not found:
            return
        length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
        if len(rest) < length:
            return
        self._bytes = rest[length:]
        body = json.loads(rest[:length])
        if Wire.setting.kept:
            Wire.seen.bodies.append(body)
        prompt = body["messages"][-1]["content"]
        judges = prompt.startswith("Evaluate.")
        latency = Wire.setting.evaluator_s if judges else Wire.setting.executor_s
        if Wire.setting.shuffled:
            latency *= 2 * random.random()
        Wire.under_way += 1
        Wire.seen.requests += 1
        Wire.seen.at_once = max(Wire.seen.at_once, Wire.under_way)
        loop = asyncio.get_running_loop()
        loop.call_later(latency, self._reply, answer_to(prompt), loop.time() + latency)

    def _reply(self, text: str, due: float) -> None:
        late = asyncio.get_running_loop().time() - due
        Wire.under_way -= 1
        Wire.seen.late_mean_s += late
        Wire.seen.late_most_s = max(Wire.seen.late_most_s, late)
        message = {"role": "assistant", "content": text}
        body = json.dumps(
            {
                "model": "bench",
                "system_fingerprint": "fp_1",
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 90, "completion_tokens": 60},
            }
        ).encode()
        head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}"
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(head.encode() + b"\r\n\r\n" + body)


def answer_to(prompt: str) -> str:
    """Return the answer that a prompt alone decides."""
    digest = hashlib.sha256(prompt.encode()).hexdigest()
    return "AB"[int(digest, 16) % 2] if prompt.startswith("Evaluate.") else f"It is {digest}. " * 5


def serve(pipe: Connection) -> None:
    """Be the endpoint; over the pipe come settings, and what was seen goes back."""

    async def run() -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(Wire, "127.0.0.1", 0, backlog=4096)
        pipe.send(server.sockets[0].getsockname()[1])
        began = time.process_time()
        while (told := await loop.run_in_executor(None, pipe.recv)) is not None:
            seen = Wire.seen
            seen.late_mean_s /= max(1, seen.requests)
            seen.processor_s = time.process_time() - began
            pipe.send(seen)
            Wire.setting, Wire.seen = told, Seen()
            began = time.process_time()
        server.close()

    asyncio.run(run())


class Endpoint:
    """The endpoint's process, as the benchmark sees it."""

    def __init__(self) -> None:
        self._pipe, theirs = multiprocessing.Pipe()
        self._process = multiprocessing.get_context("spawn").Process(target=serve, args=(theirs,))
        self._process.start()
        self.port: int = self._pipe.recv()
        os.environ["OPENAI_COMPATIBLE_BASE_URL"] = f"http://127.0.0.1:{self.port}/v1"

    def tell(self, **setting: Any) -> Seen:
        """Set it, and return what it saw since it was last set."""
        self._pipe.send(Setting(**setting))
        return cast("Seen", self._pipe.recv())

    def close(self) -> None:
        self._pipe.send(None)
        self._process.join()


# ---------------------------------------------------------------------------- the naive peer


def naive(port: int, rounds: int) -> float:
    """Measure one seed as section 2.3 reads, one call after another; return the seconds."""
    wire = http.client.HTTPConnection("127.0.0.1", port)

    def ask(text: str, limit: int) -> str:
        body = {"model": "bench", "messages": [{"role": "user", "content": text}]}
        wire.request("POST", "/v1/chat/completions", json.dumps({**body, "max_tokens": limit}))
        return str(json.loads(wire.getresponse().read())["choices"][0]["message"]["content"])

    began = time.perf_counter()
    ends: dict[str, Weights] = {}
    for phase in PHASES:
        weights = ends[phase.start] if phase.start else uniform(len(STRATEGIES))
        for turn in turns(0, phase.stream, rounds):
            task = TASKS[phase.domain][pick_task(turn.u_task or 0.0, len(TASKS[phase.domain]))]
            chosen = choose(weights, turn.u_strategy or 0.0)
            strategy = STRATEGIES[chosen]
            response, baseline = (
                ask(executor_prompt(strategy_prompt=s.prompt, task=task), 400)
                for s in (strategy, STRATEGIES[0])
            )
            pair = Pair(
                domain=phase.domain,
                task=task,
                strategy=strategy.name,
                response=response,
                baseline=baseline,
            )
            verdict = parse_verdict(ask(evaluation_text(pair, method="prompt"), 5))
            if verdict.decided:
                weights = update(weights, chosen=chosen, won=verdict is Verdict.A)
        ends[phase.name] = weights
    wire.close()
    return time.perf_counter() - began


# ---------------------------------------------------------------------------- the engine


@dataclass(kw_only=True)
class Cost:
    """Cost of a run: seconds on the wall and of the processor, in all and to write the record."""

    wall_s: float
    processor_s: float
    writing_s: float
    folder: Path
    calls: int

    @property
    def asking_s(self) -> float:
        """Seconds of the processor before the record was written."""
        return self.processor_s - self.writing_s


@asynccontextmanager
async def unwatched(_: Progress) -> AsyncIterator[None]:
    yield


def run(folder: Path, model: str = MODEL, concurrency: int | None = None, **asked: Any) -> Cost:
    """Carry a measurement out."""
    asked = {"reuse": None, "exhaustive": False, **asked}
    opened = start(Request(evaluator=model, executor=model, **asked), folder, now=NOW)
    writing = 0.0

    def timed(*args: Any, **named: Any) -> Json:
        nonlocal writing
        began = time.process_time()
        manifest = finish(*args, **named)
        writing = time.process_time() - began
        return manifest

    limits = Limits(concurrency=concurrency, cache=False)
    with patch.object(measuring, "finish", timed):
        began, used = time.perf_counter(), time.process_time()
        asyncio.run(measure(opened, folder, clock=lambda: NOW, watch=unwatched, limits=limits))
        wall, processor = time.perf_counter() - began, time.process_time() - used
    with (folder / "calls.jsonl").open("rb") as file:
        calls = sum(1 for _ in file)
    return Cost(wall_s=wall, processor_s=processor, writing_s=writing, folder=folder, calls=calls)


def bare(port: int, bodies: list[Json], concurrency: int) -> tuple[float, float]:
    """Send the same requests by aiohttp alone; return seconds on the wall and of the processor."""
    began, used = time.perf_counter(), time.process_time()
    asyncio.run(send(port, bodies, concurrency))
    return time.perf_counter() - began, time.process_time() - used


# ---------------------------------------------------------------------------- the table


def line(name: str, value: str, text: str = "") -> None:
    print(f"{name:<58}{value:>12}   {text}", flush=True)


def fresh(endpoint: Endpoint, folder: Path, seeds: int, rounds: int, naive_s: float) -> None:
    """Fresh runs against set latencies, held against the critical path."""
    path = 2 * rounds * (EXECUTOR_S + EVALUATOR_S)
    endpoint.tell(executor_s=EXECUTOR_S, evaluator_s=EVALUATOR_S)
    cost = run(folder, seeds=list(range(seeds)), rounds=rounds, reuse="none")
    seen = endpoint.tell()
    name = f"fresh, N = {seeds}, R = {rounds}"
    line(
        f"{name}: wall / critical path",
        f"{cost.wall_s / path:.3f}",
        f"{cost.wall_s:.2f} s / {path:.1f} s, {cost.calls} calls",
    )
    line(
        f"{name}: before the record is written",
        f"{(cost.wall_s - cost.writing_s) / path:.3f}",
        f"writing takes {cost.writing_s:.2f} s of the processor",
    )
    line(f"{name}: times faster than the naive loop", f"{naive_s * seeds / cost.wall_s:.1f}")
    line(
        f"{name}: client's processor, busy",
        f"{cost.asking_s / (cost.wall_s - cost.writing_s):.0%}",
        f"{cost.asking_s / cost.calls * 1000:.3f} ms a call",
    )
    line(
        f"{name}: the endpoint was late by",
        f"{seen.late_mean_s * 1000:.2f} ms",
        f"at most {seen.late_most_s * 1000:.1f} ms; {seen.at_once} at once; "
        f"its processor {seen.processor_s / max(1, seen.requests) * 1000:.3f} ms a request",
    )


def processor(endpoint: Endpoint, folder: Path, seeds: int, rounds: int) -> None:
    """Processor time a call, beside bare aiohttp with the same requests, in turn."""
    ours: list[float] = []
    theirs: list[float] = []
    for turn in range(3):
        endpoint.tell(executor_s=0.02, evaluator_s=0.02, kept=True)
        cost = run(folder / str(turn), seeds=list(range(seeds)), rounds=rounds, reuse="none")
        sent = endpoint.tell(executor_s=0.02, evaluator_s=0.02)
        ours.append(cost.asking_s / sent.requests)
        theirs.append(bare(endpoint.port, sent.bodies, sent.at_once)[1] / sent.requests)
        line(
            "processor time a call / bare aiohttp",
            f"{ours[-1] / theirs[-1]:.2f}",
            f"{ours[-1] * 1000:.3f} ms / {theirs[-1] * 1000:.3f} ms, {sent.requests} calls",
        )


def used_by(compiled: Path, *command: str | Path) -> tuple[float, float]:
    """Run a command to its end; return seconds on the wall and of the processor, user and system.

    Modules are compiled once, to a folder, as they are where a program is installed.
    """
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, *map(str, command)],
        check=True,
        capture_output=True,
        env={**kept, "PYTHONPYCACHEPREFIX": str(compiled)},
    )
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def whole_run(endpoint: Endpoint, folder: Path, seeds: int, rounds: int) -> None:
    """`epc run` from its start to its record, beside a process that sends the same by aiohttp.

    The same is every request that the endpoint saw, as many at once at most.
    User and system time of each whole process, taken in pairs against the same endpoint. One run
    of each compiles the modules and is not counted. Then the wall, against the critical path.
    """
    plan = ("--seeds", f"0-{seeds - 1}", "--rounds", str(rounds), "--reuse", "none")
    names = ("--evaluator", MODEL, "--executor", MODEL)
    compiled = folder / "compiled"

    def once(run_folder: Path) -> tuple[float, float]:
        return used_by(compiled, "-m", "epc", "run", *names, *plan, "--out", run_folder)

    endpoint.tell(executor_s=0.02, evaluator_s=0.02, kept=True)
    once(folder / "first")
    seen, file = endpoint.tell(executor_s=0.02, evaluator_s=0.02), folder / "sent.json"
    file.write_text(json.dumps(seen.bodies))  # here: no process begins while another writes
    bare_client = (BARE, str(endpoint.port), file, str(seen.at_once))
    used_by(compiled, *bare_client)
    pairs = [
        (once(folder / str(turn))[1], used_by(compiled, *bare_client)[1]) for turn in range(_PAIRS)
    ]
    ratios = sorted(ours / theirs for ours, theirs in pairs)
    least, bare_least = map(min, zip(*pairs, strict=True))
    line(
        f"whole run of {seeds} seeds / bare client, processor",
        f"{statistics.median(ratios):.2f}",
        f"the median of {_PAIRS} pairs, 99% sure within {ratios[1]:.2f} to {ratios[-2]:.2f}; "
        f"the least of each {least:.2f} s / {bare_least:.2f} s; {seen.requests} calls",
    )
    path = 2 * rounds * (EXECUTOR_S + EVALUATOR_S)
    endpoint.tell(executor_s=EXECUTOR_S, evaluator_s=EVALUATOR_S)
    wall, _ = once(folder / "slow")
    line(
        f"whole run of {seeds} seeds: wall / critical path",
        f"{wall / path:.3f}",
        f"{wall:.2f} s / {path:.1f} s",
    )


def exhaustive(endpoint: Endpoint, folder: Path, seeds: int) -> None:
    """Every pair, then any number of seeds offline."""
    endpoint.tell(executor_s=EXECUTOR_S, evaluator_s=EVALUATOR_S)
    run(folder / "warm", seeds=[0], rounds=1, reuse="none")
    first = run(folder / "one", seeds=[0], rounds=30, exhaustive=True, concurrency=128)
    # 128 of the 176 answers at once, then the others beside the first comparisons.
    latencies = 2 * EXECUTOR_S + EVALUATOR_S
    line("exhaustive: calls", str(first.calls), "at most 352")
    line(
        "exhaustive: wall / latencies that 128 at once force",
        f"{first.wall_s / latencies:.2f}",
        f"{first.wall_s:.2f} s / {latencies:.1f} s; processor {first.processor_s:.2f} s",
    )
    wide = run(folder / "wide", seeds=[0], rounds=30, exhaustive=True, concurrency=352)
    latencies = EXECUTOR_S + EVALUATOR_S
    line(
        "exhaustive: wall / two latencies, 352 at once",
        f"{wide.wall_s / latencies:.2f}",
        f"{wide.wall_s:.2f} s / {latencies:.1f} s; processor {wide.processor_s:.2f} s",
    )
    endpoint.tell()
    cost = run(folder / "many", seeds=list(range(seeds)), rounds=30, exhaustive=True)
    line(
        f"{seeds} seeds offline: processor time",
        f"{cost.processor_s - first.processor_s:.2f} s",
        f"rounds {cost.asking_s - first.asking_s:.2f} s, record {cost.writing_s:.2f} s",
    )
    began = time.process_time()
    report = validate(cost.folder)
    line(f"{seeds} seeds: to validate", f"{time.process_time() - began:.2f} s", f"ok: {report.ok}")


def wide_design(endpoint: Endpoint, folder: Path) -> None:
    """Three domains of 64 tasks and 11 strategies: all answers at once, then all comparisons."""
    endpoint.tell(executor_s=_SLOWLY * EXECUTOR_S, evaluator_s=_SLOWLY * EVALUATOR_S)
    reference = packaged("reference-64")
    tasks, groups = reference.config.tasks, reference.config.groups or {}
    third = tuple(f"Once more: {task}" for task in tasks["text"])
    config = replace(
        reference.config,
        tasks={**tasks, "again": third},
        groups={**groups, "again": groups["text"]},
    )
    design = structs.replace(reference, config=config)
    cost = run(folder, seeds=[0], rounds=30, exhaustive=True, concurrency=4096, design=design)
    latencies = _SLOWLY * (EXECUTOR_S + EVALUATOR_S)
    line(
        f"3 domains of 64 tasks, {cost.calls:,} calls: wall / two latencies",
        f"{cost.wall_s / latencies:.2f}",
        f"{cost.wall_s:.2f} s / {latencies:.1f} s; processor {cost.processor_s:.2f} s",
    )


def memory(seeds: int) -> None:
    """Peak memory of fresh seeds, in a process of its own."""
    for count in (seeds // 10, seeds):
        done = subprocess.run(
            [sys.executable, __file__, "--memory", str(count)],
            check=True,
            capture_output=True,
            text=True,
        )
        line(f"{count} fresh seeds: peak memory", f"{float(done.stdout):.0f} MiB")


def memory_of(seeds: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        run(
            Path(folder) / "run",
            "mock/deterministic",
            seeds=list(range(seeds)),
            rounds=30,
            reuse="none",
        )
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MIB)


def same_weights(endpoint: Endpoint, folder: Path, seeds: int, rounds: int) -> None:
    """One seed's weights at any number of calls under way, with latencies shuffled."""
    endpoint.tell(executor_s=0.01, evaluator_s=0.005, shuffled=True)
    weights = set()
    for concurrency in (1, 32, 256):
        where = folder / str(concurrency)
        cost = run(
            where,
            seeds=list(range(seeds)),
            rounds=rounds,
            reuse="none",
            concurrency=concurrency,
        )
        weights.add((where / "weights.jsonl").read_bytes())
        line(f"{concurrency} under way, shuffled: wall", f"{cost.wall_s:.2f} s")
    line("distinct weights at 1, 32 and 256 under way", str(len(weights)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes")
    parser.add_argument("--memory", type=int, help=argparse.SUPPRESS)
    parser.add_argument(
        "--only", help="fresh, hundred, processor, whole, exhaustive, wide, memory or same"
    )
    options = parser.parse_args()
    if options.memory is not None:
        memory_of(options.memory)
        return
    quick = options.quick
    rounds = 5 if quick else 30
    endpoint = Endpoint()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        def both_fresh(seeds: int) -> None:
            endpoint.tell(executor_s=EXECUTOR_S, evaluator_s=EVALUATOR_S)
            few = 1 if quick else 3
            naive_s = naive(endpoint.port, few) / few * rounds
            line(f"naive loop, one seed, R = {rounds} (from R = {few})", f"{naive_s:.1f} s")
            fresh(endpoint, folder / f"fresh{seeds}", seeds, rounds, naive_s)

        def whole_runs() -> None:
            for seeds in (3,) if quick else (10, 30):  # few, and as many as a run has by default
                whole_run(endpoint, folder / str(seeds), seeds, rounds)

        parts: dict[str, Callable[[], None]] = {
            "fresh": lambda: both_fresh(3 if quick else 10),
            "hundred": lambda: both_fresh(20 if quick else 100),
            "processor": lambda: processor(
                endpoint, folder / "processor", 3 if quick else 10, rounds
            ),
            "whole": whole_runs,
            "exhaustive": lambda: exhaustive(endpoint, folder, 100 if quick else 1000),
            "wide": lambda: wide_design(endpoint, folder / "wide-design"),
            "memory": lambda: memory(100 if quick else 1000),
            "same": lambda: same_weights(endpoint, folder / "same", 2, 3 if quick else 5),
        }
        try:
            for part, work in parts.items():
                if options.only in (None, part):
                    work()
        finally:
            endpoint.close()
    load = os.getloadavg()[0]
    line("machine", f"load {load:.1f}", f"{os.cpu_count()} processors")


if __name__ == "__main__":
    main()
