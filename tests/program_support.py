"""The program for tests: run inside the test process, or started as a user starts it.

Most tests ask what a command prints, writes and answers. A process of its own adds nothing to that
but a third of a second. A test that is about the process (its start, its exit code as a shell
reads it, signals, closed pipes, what it loads, other processes beside it) carries the mark
`own_process`; so does one whose command loads the embedded weights or starts workers.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from unittest.mock import patch

import pytest

from epc.cli import main

Done = subprocess.CompletedProcess[bytes]
PROGRAM = (sys.executable, "-m", "epc")

_always_started = False


@contextmanager
def every_run_started() -> Iterator[None]:
    """Start a process for each run while the block runs; see the mark `own_process`."""
    global _always_started  # noqa: PLW0603  (one switch for the test under way)
    before, _always_started = _always_started, True
    try:
        yield
    finally:
        _always_started = before


def run_program(
    *arguments: str | Path,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
) -> Done:
    """Run the program to its end, and return what `subprocess.run` returns.

    Only the main thread can lend the program its streams, and only where no event loop runs, as a
    browser's does: elsewhere it is started.
    """
    given = [str(word) for word in arguments]
    elsewhere = threading.current_thread() is not threading.main_thread()
    if _always_started or elsewhere or _is_loop_running():
        return subprocess.run(
            [*PROGRAM, *given], cwd=cwd, env=env, input=stdin, capture_output=True, check=False
        )
    return _run_here(given, cwd, env, stdin)


def _is_loop_running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def as_text(done: Done) -> subprocess.CompletedProcess[str]:
    """Return the same with texts."""
    out, err = (
        stream.decode("utf-8").replace("\r\n", "\n") for stream in (done.stdout, done.stderr)
    )
    return subprocess.CompletedProcess(done.args, done.returncode, out, err)


def _run_here(
    arguments: Sequence[str], cwd: Path | None, env: Mapping[str, str] | None, stdin: bytes
) -> Done:
    """Run it with the streams, folder and environment that a process of its own would have.

    The streams are files behind the three descriptors, so what a child process prints is caught.
    """
    home = Path.cwd()
    with (
        tempfile.TemporaryFile() as stream,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
        patch.dict(os.environ),
    ):
        stream.write(stdin)
        stream.seek(0)
        if env is not None:
            os.environ.clear()
            os.environ.update(env)
        try:
            os.chdir(cwd or home)
            with _descriptor(0, stream), _descriptor(1, out), _descriptor(2, err):
                code = _exit_code(arguments)
        finally:
            os.chdir(home)
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(list(arguments), code, out.read(), err.read())


def _exit_code(arguments: Sequence[str]) -> int:
    """Run the program over the descriptors as they are, and return the code that it exits with."""
    with (
        open(0, encoding="utf-8", closefd=False) as stdin,
        open(1, "w", encoding="utf-8", closefd=False) as stdout,
        open(2, "w", 1, "utf-8", "backslashreplace", closefd=False) as stderr,
        patch.multiple(sys, stdin=stdin, stdout=stdout, stderr=stderr, argv=["epc", *arguments]),
        pytest.raises(SystemExit) as ended,
    ):
        main(list(arguments))
    assert isinstance(ended.value.code, int)
    return ended.value.code


@contextmanager
def _descriptor(number: int, file: IO[bytes]) -> Iterator[None]:
    """Let a descriptor of this process be a file while the block runs."""
    kept = os.dup(number)
    os.dup2(file.fileno(), number)
    try:
        yield
    finally:
        os.dup2(kept, number)
        os.close(kept)
