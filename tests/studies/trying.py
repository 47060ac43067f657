"""Running tests over a package with a mistake in it, in a process that has all but them loaded.

To start Python, pytest and what the program stands on takes longer than most modules' tests. So
each copy of the checkout has one process that has loaded these, and forks for each mistake. What
it forks loads the package and the tests afresh, and runs the cheapest tests first, up to the first
that fails. Limits are in seconds of the processor: a busy machine catches no mistake.
"""

import importlib
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, TypeVar

Of = TypeVar("Of")
# Others' packages that the program or its unit tests load.
LOADED = (
    *("pytest", "hypothesis", "hypothesis.strategies", "numpy", "numpy.random", "msgspec"),
    *("jsonschema_rs", "jsonschema", "click", "aiohttp", "yaml", "scipy.stats"),
    *("rich.console", "rich.table", "pandas", "jinja2", "markdown_it", "vl_convert"),
)
# To load every plugin that is installed takes as long as many tests do.
PLUGINS = ("_hypothesis_pytestplugin", "pytest_timeout", "pytest_socket", "no:cacheprovider")
HANGS = 20  # times the limit by the clock: what waits for ever uses no processor


@dataclass(frozen=True, kw_only=True)
class Asked:
    """Tests to run, with another text in a module's place if there is one.

    With `costs`, by test, the cheapest run first and up to the first that fails.
    Unit: `limit` in seconds of the processor.
    """

    tests: tuple[str, ...]
    limit: float
    path: str = ""
    text: str = ""
    costs: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Caught, timeout or survived; without a mistake, what each test takes, and which fail."""

    outcome: str
    seconds: float
    costs: dict[str, float] = field(default_factory=dict)
    failed: tuple[str, ...] = ()


@dataclass(eq=False)  # pytest keeps its plugins in sets
class Noted:
    """A plugin of pytest: it puts cheap tests first, and notes what each takes and which fail."""

    order: dict[str, float]
    costs: dict[str, float] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    began: float = 0.0

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Put the cheapest first."""
        if self.order:
            items.sort(key=lambda item: self.order.get(item.nodeid, 0.0))

    def pytest_runtest_logstart(self) -> None:
        """Note when a test began."""
        self.began = time.process_time()

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Note what it took so far, and whether it failed."""
        self.costs[report.nodeid] = time.process_time() - self.began
        if report.failed:
            self.failed.append(report.nodeid)


@dataclass(frozen=True)
class Pool:
    """Processes that try, one for each copy of the checkout."""

    pipes: "list[Connection[Any, Any]]"

    @classmethod
    @contextmanager
    def of(cls, copies: list[Path]) -> "Iterator[Pool]":
        """Start a process for each copy, and end them all."""
        context, pipes, processes = get_context("spawn"), [], []
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # each fork would compile all anew
        for copy in copies:
            here, there = context.Pipe()
            process = context.Process(target=serve, args=(there, copy), daemon=True)
            process.start()
            pipes.append(here)
            processes.append(process)
        yield cls(pipes)
        for pipe, process in zip(pipes, processes, strict=True):
            pipe.send(None)
            process.join()

    def answers(self, asked: Iterable[tuple[Asked, Of]]) -> Iterator[tuple[Of, Answer]]:
        """Yield each answer with what was asked for, as they come; all processes are kept busy."""
        remaining_iterator, under_way = iter(asked), {}
        for pipe in self.pipes:
            for question, subject in islice(remaining_iterator, 1):
                pipe.send(question)
                under_way[pipe] = subject
        while under_way:
            for ready in wait(list(under_way)):
                pipe = next(each for each in under_way if each is ready)
                answer, subject = pipe.recv(), under_way.pop(pipe)
                for question, following in islice(remaining_iterator, 1):
                    pipe.send(question)
                    under_way[pipe] = following
                yield subject, answer


def serve(pipe: "Connection[Any, Any]", copy: Path) -> None:
    """Answer what comes through the pipe, over a copy of the checkout, until nothing does."""
    os.chdir(copy)
    os.environ |= {"PYTHONPATH": str(copy), "EPC_TEST_BUDGET": "check"}
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    sys.path.insert(0, str(copy))
    for name in LOADED:
        importlib.import_module(name)
    assert "epc" not in sys.modules  # it would be the package without a mistake
    stamp = int(time.time())
    while (asked := pipe.recv()) is not None:
        stamp += 2
        pipe.send(answered(asked, stamp))


def answered(asked: Asked, stamp: int) -> Answer:
    """Plant a mistake, run the tests in a fork, and take the mistake out again.

    Python knows a module's compiled form by its time, so each text has one of its own.
    """
    path = Path(asked.path)
    before = path.read_text("utf-8") if asked.path else ""
    if asked.path:
        path.write_text(asked.text, "utf-8")
        os.utime(path, (stamp, stamp))
    with tempfile.TemporaryFile("w+") as notes:
        child = os.fork()
        if child == 0:
            _run(asked, notes.fileno())
        status, seconds = _ended(child, asked.limit)
        if asked.path:
            path.write_text(before, "utf-8")
            os.utime(path, (stamp + 1, stamp + 1))
        outcome = "survived" if status == 0 else "timeout" if os.WIFSIGNALED(status) else "caught"
        if asked.costs:
            return Answer(outcome=outcome, seconds=seconds)
        notes.seek(0)
        rows = [line.rstrip("\n").split("\t") for line in notes]
    costs = {name: float(cost) for name, cost, _ in rows}
    failed = tuple(name for name, _, bad in rows if bad == "True")
    return Answer(outcome=outcome, seconds=seconds, costs=costs, failed=failed)


def _run(asked: Asked, notes: int) -> None:
    """Run the tests in this process, which ends with them; write down what each took."""
    code = 3
    try:
        os.setsid()
        null = os.open(os.devnull, os.O_RDWR)
        for number in range(3):
            os.dup2(null, number)
        limit = int(asked.limit) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
        import pytest

        noted = Noted(asked.costs)
        arguments = ["-q", *(word for plugin in PLUGINS for word in ("-p", plugin)), *asked.tests]
        code = int(pytest.main(["-x", *arguments] if asked.costs else arguments, plugins=[noted]))
        rows = (f"{n}\t{c}\t{n in noted.failed}\n" for n, c in noted.costs.items())
        os.write(notes, "".join(rows).encode())
    finally:
        os._exit(code)


def _ended(child: int, limit: float) -> tuple[int, float]:
    """Wait for a process, no longer than it may take; return its status and processor seconds."""
    until = time.monotonic() + HANGS * limit
    while True:
        ended, status, used = os.wait4(child, os.WNOHANG)
        if ended:
            with suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)  # what it started and left
            return status, used.ru_utime + used.ru_stime
        if time.monotonic() > until:
            os.killpg(child, signal.SIGKILL)
            until += limit
        time.sleep(0.02)
