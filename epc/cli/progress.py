"""Showing how a run goes, on stderr: a live line on a terminal, a line a stage elsewhere."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from epc.cli.common import note
from epc.engine.calls import Progress

_REFRESH_S = 0.25


@asynccontextmanager
async def shown(progress: Progress) -> AsyncIterator[None]:
    """Show a run's progress while the block runs, and what it spent in the end."""
    if progress.torn:
        note(
            f"repaired the journal: a crash left {progress.torn} of its last lines torn; they are "
            "kept in journal.torn, and their calls are asked again"
        )
    if progress.damaged:
        note(
            f"WARNING: {progress.damaged} lines of the journal are damaged that were whole on disk "
            "once: no crash does that. They are kept in journal.damaged and their calls are asked "
            "again; see whether the disk is failing, or who edited the file. The record says so."
        )
    if progress.oversized:
        note(
            f"WARNING: {progress.oversized} answers in the journal are larger than a record can "
            "hold: it has what fits of each, marked too_large; an evaluator's is a tie. They are "
            "kept whole in journal.oversized."
        )
    watch = _live if sys.stderr.isatty() else _plain
    task = asyncio.create_task(watch(progress))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        note(f"spent    {spent(progress)}")


async def _plain(progress: Progress) -> None:
    """Say when a stage begins; nothing that would fill a log."""
    stage = ""
    while True:
        if progress.stage != stage and progress.total:
            stage = progress.stage
            note(f"{stage}: {progress.total}")
        await asyncio.sleep(_REFRESH_S)


async def _live(progress: Progress) -> None:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description:<11}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[counts]}"),
    )
    with Bars(*columns, console=Console(stderr=True)) as bars:
        stage, bar = "", None
        while True:
            if progress.stage != stage:
                if bar is not None:
                    bars.update(bar, completed=bars.tasks[bar].total)
                stage = progress.stage
                bar = bars.add_task(stage, total=progress.total or None, counts="")
            if bar is not None:
                bars.update(bar, completed=progress.done, counts=_counts(progress))
            await asyncio.sleep(_REFRESH_S)


def spent(progress: Progress) -> str:
    """Return in words what a sitting has asked for, and what it did not have to."""
    parts = [f"{progress.asked:,} calls", f"{progress.tokens:,} tokens"]
    if progress.cost is None and progress.asked:
        parts.append("cost unknown")
    elif progress.cost:
        parts.append(f"${progress.cost:.4f}")
    if progress.retries:
        parts.append(f"{progress.retries:,} retries")
    if progress.lost:
        parts.append(f"{progress.lost:,} lost answers that may be billed")
    if progress.too_large:
        parts.append(f"{progress.too_large:,} answers too large to record")
    if progress.from_cache:
        parts.append(f"{progress.from_cache:,} answers from the cache")
    if progress.from_runs:
        parts.append(f"{progress.from_runs:,} answers taken over, not asked")
    if progress.from_journal:
        parts.append(f"{progress.from_journal:,} from the journal")
    return ", ".join(parts)


def _counts(progress: Progress) -> str:
    ties = f", {progress.ties:,} ties" if progress.ties else ""
    return f"{spent(progress)}{ties}"
