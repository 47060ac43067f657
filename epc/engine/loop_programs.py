"""The user's program that answers an item as a candidate does: a command, or a Python function."""

import asyncio
import json
import re
import shlex
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, ValidationError, convert
from msgspec.structs import asdict

from epc.errors import StoppedError, UsageError, able_to
from epc.protocol.results import Json

_FUNCTION: Final = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


class Request(Struct, frozen=True, kw_only=True):
    """What the user's program is given: names of candidate and item, and what they stand for.

    `output` is there where it is only to be judged.
    """

    candidate: str
    text: Any
    item: str
    value: Any
    output: Any


class Reply(Struct, frozen=True, kw_only=True):
    """What the user's program says of an item: the output, and how it is judged.

    `prompt` is what a judge is asked about it, `score` what the program's own metric gives it,
    `gold` whether it is right, where the program can check that.
    """

    output: Any
    prompt: str | None = None
    score: float | None = None
    gold: float | None = None


def program_of(execute: str) -> Callable[[Request], Any]:
    """Return the user's program as a coroutine: a function of a module, or a command.

    The coroutine raises StoppedError if the program fails, and UsageError if it gives no reply.

    Raises: UsageError if there is no such function.
    """
    if _FUNCTION.fullmatch(execute):
        module, _, name = execute.partition(":")
        sys.path.insert(0, str(Path.cwd()))
        try:
            function = getattr(import_module(module), name)
        except (ImportError, AttributeError) as error:
            raise UsageError(f"--execute {execute}: {error}") from error
        return lambda request: _of_function(function, request)
    words = shlex.split(execute)
    return lambda request: _of_command(words, request)


async def _of_function(function: Callable[[Json], Any], request: Request) -> Reply:
    try:
        return _reply(await asyncio.to_thread(function, asdict(request)), request)
    except Exception as error:
        if isinstance(error, UsageError):
            raise
        raise _stopped(request, f"{type(error).__name__}: {error}") from error


async def _of_command(words: Sequence[str], request: Request) -> Reply:
    pipe = asyncio.subprocess.PIPE
    with able_to("start", words[0]):
        process = await asyncio.create_subprocess_exec(*words, stdin=pipe, stdout=pipe, stderr=pipe)
    stdout, stderr = await process.communicate(json.dumps(asdict(request)).encode())
    if process.returncode:
        last = stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise _stopped(request, f"exit code {process.returncode} {''.join(last)}".strip())
    try:
        return _reply(json.loads(stdout), request)
    except ValueError as error:
        raise UsageError(f"--execute printed no JSON: {error}") from error


def _reply(value: Any, request: Request) -> Reply:
    try:
        reply = convert(value, Reply)
    except ValidationError as error:
        problem = f"--execute gave no reply for item {request.item}: {error}"
        remedy = "an object with output, and prompt or score"
        raise UsageError(f"{problem}; expected {remedy}") from error
    if reply.prompt is None and reply.score is None:
        raise UsageError("--execute gave neither a prompt for the judge nor a score")
    return reply


def _stopped(request: Request, problem: str) -> StoppedError:
    return StoppedError(
        f"candidate {request.candidate} was not executed on item {request.item}: {problem}\n"
        "  the same command goes on with what is left"
    )
