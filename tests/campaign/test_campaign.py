"""Every fault we know of, at random moments, singly and combined: nothing lost or invented.

Over 400 lines: one run through whatever befalls it is one thing, with one state.
"""

import asyncio
import errno
import json
import multiprocessing
import os
import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from budget_support import by_night
from campaign.endpoint import PERMANENT, Endpoint
from campaign.scenarios import (
    BY_DAY,
    DAMAGE,
    FAULTS,
    KILLED,
    PROCESS,
    SCENARIOS,
    Scenario,
    faults_of,
    scenario,
)
from campaign.sitting import ADDRESS, CACHE, NOW, PATCHES, child, opened, sit, unwatched
from engine_support import PATIENCE_S

from epc.engine.budget import Limits
from epc.engine.journal import Journal
from epc.engine.request import Request
from epc.engine.session import measure
from epc.engine.transport import NoReplyError, Reply, Transport
from epc.errors import ExitCode, UsageError
from epc.protocol.results import Json
from epc.records.manifest import Manifest
from epc.records.usage import suspicions
from epc.records.validate import validate

# The endpoint runs in this process, and its side of a connection that a client broke off is closed
# whenever it is collected. What the client leaves open is held against the loop's own report.
pytestmark = [
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

MODEL = "openai-compatible/judge-0806"
MOST_SITTINGS = 40
SICK_SITTINGS = 3  # from then on everything is well
EXACT = ("trials.jsonl", "weights.jsonl")
SAME = ("id", "role", "prompt", "answer", "finish_reason", "occasion")


@pytest.fixture(scope="session")
def _endpoint() -> Iterator[Endpoint]:
    endpoint = Endpoint()
    yield endpoint
    endpoint.close()


@pytest.fixture
def endpoint(
    _endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[Endpoint]:
    # A killed process leaves its writes to the kernel: only a power cut would need the disk.
    monkeypatch.setattr(os, "fsync", lambda _: None)
    monkeypatch.setenv(ADDRESS, _endpoint.url)
    monkeypatch.setenv(CACHE, str(tmp_path / "cache"))
    yield _endpoint
    _endpoint.heal()
    _endpoint.filtered, _endpoint.delays = 0, None


@pytest.fixture(scope="session")
def processes() -> ForkServerContext:
    """Return where processes come from that begin with everything imported."""
    context = multiprocessing.get_context("forkserver")
    # "pytest", because a new process imports what this one was started as.
    heavy = ["pytest", "campaign.sitting", "aiohttp", "numpy.random", "jsonschema_rs"]
    context.set_forkserver_preload(heavy)
    return context


@dataclass(kw_only=True)
class Wire:
    """What the client got from an endpoint: whole replies, and how many it did not get."""

    endpoint: Endpoint
    received: list[str] = field(default_factory=list)
    unanswered: int = 0


@pytest.fixture
def wire(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> Wire:
    wire, post = Wire(endpoint=endpoint), Transport.post

    async def noted(self: Transport, path: str, content: Any) -> Reply:
        try:
            reply = await post(self, path, content)
        except (NoReplyError, asyncio.CancelledError):  # the second at its deadline
            wire.unanswered += 1
            raise
        if _is_answer(reply):
            wire.received.append(content["messages"][-1]["content"])
        return reply

    monkeypatch.setattr(Transport, "post", noted)
    return wire


def _is_answer(reply: Reply) -> bool:
    if reply.status == 400:
        return b"content_filter" in reply.body
    try:
        choice = json.loads(reply.body)["choices"][0]
    except (TypeError, ValueError, LookupError):
        return False
    known = choice["message"]["content"] is not None or choice["finish_reason"] == "content_filter"
    return reply.status == 200 and known


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Scenario], Path]:
    """Return what makes a scenario's run with nothing wrong, once for all that ask the same."""
    paths: dict[str, Path] = {}

    def run(case: Scenario) -> Path:
        text = f"{_request(case)} {case.filtered}"
        if text not in paths:
            folder = tmp_path_factory.mktemp("undisturbed") / "run"
            code, said = sit(folder, _request(case), Limits(cache=False))
            assert code == ExitCode.CLEAN, (said, case)
            paths[text] = folder
        return paths[text]

    return run


def test_a_quarter_of_the_scenarios_has_every_fault_alone_and_all_that_befalls_a_process() -> None:
    quarter = [scenario(seed) for seed in range(BY_DAY)]
    alone = {case.transient[0] for case in quarter if len(case.transient) == 1}

    assert alone == set(FAULTS)
    assert {case.permanent for case in quarter} == {None, *PERMANENT}
    assert {case.process for case in quarter} == {None, *PROCESS, *KILLED}
    assert {case.reuse for case in quarter} == {"memo", "none"}
    assert {case.exhaustive for case in quarter} == {True, False}


@pytest.mark.parametrize("seed", [*range(BY_DAY), *by_night(range(BY_DAY, SCENARIOS))])
def test_every_scenario_ends_as_if_nothing_had_happened(
    seed: int,
    wire: Wire,
    undisturbed: Callable[[Scenario], Path],
    processes: ForkServerContext,
    *,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    case = scenario(seed)
    wire.endpoint.filtered = case.filtered
    reference = undisturbed(case)
    wire.endpoint.heal()
    wire.received.clear()
    wire.unanswered = 0

    run = Run(case, wire, processes, tmp_path / "run")
    run.finish(monkeypatch)

    assert _results(run.folder) == _results(reference), case
    for name in EXACT:
        assert (run.folder / name).read_bytes() == (reference / name).read_bytes(), (name, case)
    assert _calls(run.folder) == _calls(reference), case
    assert seed % 4 or validate(run.folder).ok, case
    run.check_log()
    run.check_reported()


class Run:
    """A run from its beginning to its end, through whatever befalls it."""

    def __init__(
        self,
        case: Scenario,
        wire: Wire,
        processes: ForkServerContext,
        folder: Path,
    ) -> None:
        self.case, self.endpoint, self.wire, self.folder = case, wire.endpoint, wire, folder
        self.processes = processes
        self.rng = random.Random(f"run {case.seed}")
        self.ended: list[tuple[int, str]] = []
        self.may_repeat = 0  # answers that were sent and could not be kept
        self.rivals: list[str] = []

    def finish(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for module, name, value in PATCHES:
            monkeypatch.setattr(module, name, value)
        for number in range(MOST_SITTINGS):
            sick = number < SICK_SITTINGS
            kept_counts = _journalled(self.folder)
            count, sent = len(self.endpoint.log.asked), len(self.endpoint.log.sent)
            if sick:
                self.endpoint.fault = faults_of(self.case, self.rng)
            code, said = self._sitting(monkeypatch, sick=sick)
            self.ended.append((code, said))
            self.endpoint.fault, self.endpoint.answered = lambda _: None, lambda _: None
            self._check_sitting(kept_counts, self.endpoint.log.asked[count:])
            if code == ExitCode.CLEAN:
                return
            assert code in self._expected(said), (code, said, self.case)
            if self.case.process == "max_calls" and not self.case.transient and sent:
                grown = len(_journalled(self.folder)) - len(kept_counts)
                assert grown > 0, ("a sitting within a budget got nowhere", self.case)
            if sick and self.case.process in DAMAGE:
                self._tear()
        raise AssertionError(("did not end", self.ended, self.case))

    def _sitting(self, monkeypatch: pytest.MonkeyPatch, *, sick: bool) -> tuple[int, str]:
        limits = Limits(concurrency=self.case.concurrency, cache=self.case.cached)
        moment = self.rng.randrange(1, 50)
        process = self.case.process
        if process == "max_calls":
            limits = Limits(
                concurrency=self.case.concurrency, cache=False, max_calls=self.rng.randint(5, 40)
            )
        if not sick or process is None or process == "max_calls":
            return sit(self.folder, self._request, limits)
        if self.case.killed:
            return self._in_processes(limits, moment)
        if process == "second":
            self._at(moment, self._intrude)
            return sit(self.folder, self._request, limits)
        if process in ("disk", "fsync"):
            with monkeypatch.context() as patch:
                _fill_disk(patch, process, after=self.rng.randrange(20_000))
                before = len(self.wire.received)
                ended = sit(self.folder, self._request, limits)
            if ended[0] == ExitCode.WORLD:
                self.may_repeat += len(self.wire.received) - before
            return ended
        self.may_repeat += self.case.concurrency * 2  # both roles may have so many under way
        return sit(
            self.folder,
            self._request,
            limits,
            begun=lambda cancel: self._at(moment, cancel),
        )

    @property
    def _request(self) -> Request:
        return _request(self.case)

    def _at(self, moment: int, act: Any) -> None:
        """Do something once so many answers have been sent."""
        wanted = len(self.endpoint.log.sent) + moment

        def answered(count: int) -> None:
            if count == wanted:
                act()

        self.endpoint.answered = answered

    def _intrude(self) -> None:
        try:
            Journal(self.folder).close()
        except UsageError as refused:
            self.rivals.append(str(refused))
        else:
            raise AssertionError(("two processes on one folder", self.case))

    def _in_processes(self, limits: Limits, moment: int) -> tuple[int, str]:
        if opened(self.folder, self._request) is None:
            return ExitCode.CLEAN, "complete"
        most = self.rng.randrange(30_000) if self.case.process == "small_files" else None
        count = 2 if self.case.process == "rivals" else 1
        environment = {name: os.environ[name] for name in (ADDRESS, CACHE)}
        arguments = (self.folder, self._request, limits, environment, most)
        started = [self.processes.Process(target=child, args=arguments) for _ in range(count)]
        if self.case.process == "kill":
            pause = self.rng.random() * 0.004

            def kill() -> None:
                with suppress(ValueError, AttributeError):  # it has ended, or is about to begin
                    started[0].kill()

            self._at(moment, threading.Timer(pause, kill).start)
        for process in started:
            process.start()
        for process in started:
            process.join(PATIENCE_S)
            assert process.exitcode is not None, ("it hangs", self.case)
        codes = sorted(int(process.exitcode or 0) for process in started)
        for process in started:
            process.close()
        if count == 2:
            # One is refused, or comes when the other has ended already; never are both at work.
            codes = [code for code in codes if code != ExitCode.MISUSE] or [ExitCode.MISUSE]
        if codes[0] not in (ExitCode.CLEAN, ExitCode.RESUMABLE):
            self.may_repeat += self.case.concurrency * 2
        return codes[0], f"process ended with {codes}"

    def _expected(self, said: str) -> tuple[int, ...]:
        if said.startswith("process"):
            return (ExitCode.RESUMABLE, ExitCode.WORLD, -9)
        if self.case.process in ("disk", "fsync"):
            return (ExitCode.RESUMABLE, ExitCode.WORLD)
        return (ExitCode.RESUMABLE,)

    def _tear(self) -> None:
        """Leave the journal as a power cut in the middle of a write would, or a bad disk."""
        path = self.folder / "journal.jsonl"
        if not path.exists():  # the sitting ended before any answer was kept
            return
        content = path.read_bytes()
        lines = content.splitlines(keepends=True)
        if self.case.process == "power_cut":
            self._zero(path, bytearray(content))
        elif self.case.process == "torn":
            self.may_repeat += 1
            path.write_bytes(content[: -self.rng.randint(1, len(lines[-1]) - 1)])
        else:
            path.write_bytes(content + lines[0][: self.rng.randint(1, len(lines[0]) - 1)])

    def _zero(self, path: Path, content: bytearray) -> None:
        """Take blocks out of it."""
        before = _journalled_lines(bytes(content))
        for _ in range(self.rng.randint(1, 3)):
            begin = self.rng.randrange(len(content) - 1)
            length = min(self.rng.choice((1, 40, 512, 4096)), len(content) - 1 - begin)
            content[begin : begin + length] = bytes(length)
        path.write_bytes(content)
        self.may_repeat += len(before) - len(_journalled_lines(bytes(content)))

    def _check_sitting(self, kept: Counter[str], asked: list[str]) -> None:
        """No prompt with a kept answer is asked again (where one answer serves every round)."""
        if self.case.reuse == "memo":
            again = set(kept) & set(asked)
            assert not again, ("asked again", sorted(again)[:2], self.ended, self.case)

    def check_log(self) -> None:
        """Hold what was kept against what was sent."""
        rows = _rows(self.folder / "calls.jsonl")
        sent = Counter(self.endpoint.log.sent)
        kept_counts = Counter((row["prompt"], row["answer"]) for row in rows)
        invented = kept_counts - sent
        assert not invented, ("invented", invented, self.case)
        lost = (sent - kept_counts).total()
        # A process of its own cannot be asked which whole answers came after its deadline.
        late = self.case.concurrency if self.case.killed else 0
        assert lost <= self.may_repeat + self.wire.unanswered + late, (
            f"{lost} whole answers were not kept",
            self.ended,
            self.case,
        )
        if not self.case.killed:
            prompts = Counter(row["prompt"] for row in rows)
            dropped = (Counter(self.wire.received) - prompts).total()
            assert dropped <= self.may_repeat, (f"{dropped} received, not kept", self.case)
        answers = {row["id"]: (row["prompt"], row["answer"]) for row in rows}
        for trial in _rows(self.folder / "trials.jsonl"):
            prompt, answer = answers[trial["evaluation"]]
            assert answer == trial["raw"] == self.endpoint.text(prompt), self.case
        if self.case.process == "second" and self.endpoint.log.sent and self.rivals:
            assert all("another process" in rival for rival in self.rivals), self.case

    def check_reported(self) -> None:
        """Another model's name or fingerprint is a finding; no crash counts as an edit."""
        manifest = json.loads((self.folder / "manifest.json").read_text("utf-8"))
        text = " ".join(problem for _, problem in suspicions(Manifest.parse(manifest)))
        served = {row["served_model"] for row in _rows(self.folder / "calls.jsonl")}
        prints = {row["system_fingerprint"] for row in _rows(self.folder / "calls.jsonl")}
        assert ("judge-0901 answered" in text) == ("judge-0901" in served), self.case
        if "fingerprint changed" in text:
            assert "fp_new" in prints, self.case
        assert "journal_damage" not in manifest["provenance"], self.case
        assert not (self.folder / "journal.damaged").exists(), self.case
        retried = manifest["provenance"]["retries"]
        failed = {*self.case.transient} - {"late", "wrong_model", "changed_fingerprint"}
        assert failed or self.case.killed or retried <= self.wire.unanswered, self.case


def _fill_disk(patch: pytest.MonkeyPatch, process: str, *, after: int) -> None:
    """Let the journal's disk take so many bytes and no more."""
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    if process == "fsync":
        fsync, left = os.fsync, [after // 700]

        def failing(handle: int) -> None:
            left[0] -= 1
            if left[0] == 0:
                raise full
            fsync(handle)

        patch.setattr(os, "fsync", failing)
        return
    real = Journal._open

    def opened_on_a_full_disk(self: Journal) -> BinaryIO:
        file = real(self)
        return _Full(file, after, full)  # type: ignore[return-value]  # a file in all that is used

    patch.setattr(Journal, "_open", opened_on_a_full_disk)


class _Full:
    """A raw file on a disk that fills up: it takes a part first, then refuses."""

    def __init__(self, file: BinaryIO, left: int, full: OSError) -> None:
        self._file, self._left, self._full = file, left, full

    def write(self, data: memoryview) -> int:
        if not self._left:
            raise self._full
        taken = self._file.write(data[: self._left])
        self._left -= taken
        return taken

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def _request(case: Scenario) -> Request:
    return Request(
        evaluator=MODEL,
        executor=MODEL,
        seeds=list(case.seeds),
        rounds=case.rounds,
        reuse="none" if case.reuse == "none" else "memo",
        exhaustive=case.exhaustive,
    )


def _rows(path: Path) -> list[Json]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def _calls(folder: Path) -> list[list[Any]]:
    return [[row[key] for key in SAME] for row in _rows(folder / "calls.jsonl")]


def _results(folder: Path) -> Any:
    return json.loads((folder / "manifest.json").read_text("utf-8"))["results"]


def _journalled(folder: Path) -> Counter[str]:
    """Return the prompts whose answers are on disk; a damaged line is none."""
    path = folder / "journal.jsonl"
    lines = _journalled_lines(path.read_bytes() if path.exists() else b"")
    return Counter(line["prompt"] for line in lines)


def _journalled_lines(content: bytes) -> list[Json]:
    found = []
    for line in content.splitlines(keepends=True):
        if line.endswith(b"\n"):
            with suppress(ValueError):
                found.append(json.loads(line)["call"])
    return found


async def _measured(found: Any, folder: Path) -> Json:
    return await measure(
        found, folder, clock=lambda: NOW, watch=unwatched, limits=Limits(cache=False)
    )


def test_a_run_that_another_process_finished_meanwhile_is_not_paid_for_twice(
    endpoint: Endpoint, tmp_path: Path
) -> None:
    folder, request = tmp_path / "run", _request(scenario(3))
    first, second = opened(folder, request), opened(folder, request)
    done = asyncio.run(_measured(first, folder))
    count = len(endpoint.log.asked)

    repeated_answer = asyncio.run(_measured(second, folder))

    assert repeated_answer == done
    assert len(endpoint.log.asked) == count
    assert not (folder / "journal.jsonl").exists()


@pytest.mark.parametrize("reuse", ["memo", "none"])
def test_weights_do_not_depend_on_how_many_calls_are_under_way(
    endpoint: Endpoint, tmp_path: Path, reuse: str
) -> None:
    endpoint.delays = random.Random(7)
    files = {}
    for concurrency in (1, 32, 256):
        folder = tmp_path / str(concurrency)
        request = Request(
            evaluator=MODEL,
            executor=MODEL,
            seeds=[0, 1, 2],
            rounds=3,
            reuse="none" if reuse == "none" else "memo",
            exhaustive=False,
        )
        code, said = sit(folder, request, Limits(concurrency=concurrency, cache=False))
        assert code == ExitCode.CLEAN, said
        files[concurrency] = [(folder / name).read_bytes() for name in EXACT]

    assert files[1] == files[32] == files[256]
