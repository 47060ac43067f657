"""A program of the user's that answers or checks an item: a command, or a Python function."""

import asyncio
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, TypeVar

from msgspec import Meta, Struct, ValidationError, convert
from msgspec.structs import asdict

from epc.errors import StoppedError, UsageError, able_to
from epc.protocol.results import Json

_FUNCTION: Final = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


class Request(Struct, frozen=True, kw_only=True):
    """Input of the user's program: names of candidate and item, and what they stand for.

    `output` is there where it is only to be judged. Of a design the candidate is a strategy with
    its prompt, and the item a task.
    """

    candidate: str
    text: Any
    item: str
    value: Any
    output: Any


class Reply(Struct, frozen=True, kw_only=True):
    """Reply of a loop's program about an item: the output, and how it is judged.

    `prompt` is what a judge is asked about it, `score` what the program's own metric gives it,
    `gold` whether it is right, where the program can check that.
    """

    output: Any
    prompt: str | None = None
    score: float | None = None
    gold: float | None = None
    expected: ClassVar[str] = "an object with output, and prompt or score"

    def __post_init__(self) -> None:
        """Refuse a reply that nothing can judge."""
        if self.prompt is None and self.score is None:
            raise ValueError("neither a prompt for the judge nor a score")


class Label(Struct, frozen=True, kw_only=True):
    """Label that a design's checker gives an answer: how right it is. A loop's may give it too."""

    gold: Annotated[float, Meta(ge=0, le=1)]
    expected: ClassVar[str] = "an object with gold, from 0 to 1"


ProgramReply = TypeVar("ProgramReply", Reply, Label)


def program_of(
    program: str, kind: type[ProgramReply], called: str
) -> Callable[[Request], Awaitable[ProgramReply]]:
    """Return the user's program as a coroutine: a function of a module, or a command.

    `called` is what the user named it by. The coroutine raises StoppedError if the program fails,
    and UsageError if it gives no reply.

    Raises: UsageError if there is no such function.
    """
    run: Callable[[Request], Any] = partial(_of_command, shlex.split(program), called)
    if _FUNCTION.fullmatch(program):
        module, _, name = program.partition(":")
        sys.path.insert(0, str(Path.cwd()))
        try:
            run = partial(_of_function, getattr(import_module(module), name), called)
        except (ImportError, AttributeError) as error:
            raise UsageError(f"{called} {program}: {error}") from error

    async def ask_program(request: Request) -> ProgramReply:
        value = await asyncio.to_thread(run, request)
        try:
            return convert(value, kind)
        except ValidationError as error:
            problem = f"{called} gave no reply for item {request.item}: {error}"
            raise UsageError(f"{problem}; expected {kind.expected}") from error

    return ask_program


def _of_function(function: Callable[[Json], Any], called: str, request: Request) -> Any:
    try:
        return function(asdict(request))
    except Exception as error:
        raise _stopped(request, called, f"{type(error).__name__}: {error}") from error


def _of_command(arguments: Sequence[str], called: str, request: Request) -> Any:
    with able_to("start", arguments[0]):
        done = subprocess.run(  # noqa: S603  (no shell; the words are the user's own)
            arguments, input=json.dumps(asdict(request)).encode(), capture_output=True, check=False
        )
    if done.returncode:
        last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        problem = f"exit code {done.returncode} {''.join(last)}".strip()
        raise _stopped(request, called, problem)
    try:
        return json.loads(done.stdout)
    except ValueError as error:
        raise UsageError(f"{called} printed no JSON: {error}") from error


def _stopped(request: Request, called: str, problem: str) -> StoppedError:
    return StoppedError(
        f"{called} failed for {request.candidate} on item {request.item}: {problem}\n"
        "  the same command goes on with what is left"
    )
