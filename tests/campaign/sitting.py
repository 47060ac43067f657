"""One sitting of a run, in this process or in one that can be killed."""

import asyncio
import os
import resource
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

from epc.engine import asking, task_group
from epc.engine.budget import Limits
from epc.engine.progress import Progress
from epc.engine.request import Request
from epc.engine.session import OpenedRun, measure, reopen, start
from epc.errors import EpcError, ExitCode

NOW = datetime(2026, 7, 2, tzinfo=UTC)
ADDRESS, CACHE = "OPENAI_COMPATIBLE_BASE_URL", "EPC_CACHE_DIR"
# Pauses and deadlines, so short that a campaign is over in minutes.
PATCHES: tuple[tuple[Any, str, float], ...] = (
    (asking, "DEADLINE_S", 0.3),
    (asking, "OWN_DEADLINE_S", 0.3),
    (asking, "PATIENCE_S", 5.0),
    (asking, "FIRST_PAUSE_S", 0.002),
    (asking, "LONGEST_PAUSE_S", 0.02),
    (task_group, "LANDING_S", 5.0),
)


@asynccontextmanager
async def unwatched(_: Progress) -> AsyncIterator[None]:
    yield


def opened(folder: Path, request: Request) -> OpenedRun | None:
    """Begin a run, or go on with it; None if it is complete."""
    if (folder / "run.json").exists():
        return reopen(folder)
    return start(request, folder, now=NOW)


def sit(
    folder: Path,
    request: Request,
    limits: Limits,
    *,
    begun: Callable[[Callable[[], object]], None] | None = None,
) -> tuple[int, str]:
    """Work on a run until it ends somehow; return the exit code and what was said.

    `begun` is handed a function that cancels the sitting as Ctrl-C does, from any thread.
    """
    strays: list[str] = []
    try:
        opened_run = opened(folder, request)
        if opened_run is None:
            return ExitCode.CLEAN, "complete"
        with asyncio.Runner() as runner:
            loop = runner.get_loop()
            loop.set_exception_handler(lambda _, context: strays.append(str(context)))

            async def work() -> None:
                task = asyncio.current_task()
                assert task is not None
                if begun is not None:
                    begun(lambda: loop.call_soon_threadsafe(task.cancel))
                await measure(opened_run, folder, clock=lambda: NOW, watch=unwatched, limits=limits)

            runner.run(work())
    except EpcError as error:
        code, said = error.exit_code, str(error)
    except asyncio.CancelledError:
        code, said = ExitCode.RESUMABLE, "cancelled"
    else:
        code, said = ExitCode.CLEAN, "done"
    assert not strays, strays
    return code, said


def child(
    folder: Path,
    request: Request,
    limits: Limits,
    environment: dict[str, str],
    most_bytes: int | None,
) -> None:
    """Be the process that is killed, or that has a disk of so many bytes a file."""
    os.environ.update(environment)
    for module, name, value in PATCHES:
        setattr(module, name, value)
    patch.object(os, "fsync").start()
    if most_bytes is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, resource.RLIM_INFINITY))
    code, _ = sit(folder, request, limits)
    sys.exit(int(code))
