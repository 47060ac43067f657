"""Showing how a run goes, on stderr: a block that is drawn again and again, or a line at times."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from time import monotonic
from typing import TYPE_CHECKING, Final

from epc.cli.common import note
from epc.cli.limits import is_quiet
from epc.cli.standing import Pace, parts, rows, spent, standing
from epc.engine.calls import Progress, Stage

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

_REFRESH_S: Final = 0.25
_LINE_S: Final = 60.0  # between two lines of a log
_BAR: Final = 24  # columns
_ROOM: Final = 80  # columns from which a bar finds its place


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
    task = asyncio.create_task(_watch()(progress))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        note(f"spent    {spent(progress)}")


def _watch() -> Callable[[Progress], Coroutine[None, None, None]]:
    if is_quiet():
        return _silent
    return _live if sys.stderr.isatty() and os.environ.get("TERM") != "dumb" else _plain


async def _silent(progress: Progress) -> None:
    """Show nothing."""


async def _plain(progress: Progress) -> None:
    """Say when a stage begins, and once a minute how far it is; nothing that would fill a log."""
    pace, begun, said = Pace(), 0, monotonic()
    while True:
        now = monotonic()
        for stage in progress.stages[begun:]:
            begun, said = begun + 1, now
            if stage.total:
                note(f"{stage.name}: {stage.total}")
        if progress.stages:
            stage = progress.stages[-1]
            pace.note(stage, now)
            if now - said >= _LINE_S:
                said = now
                note(
                    "; ".join(
                        [standing(stage, pace.left_s()), *(t for _, t in rows(progress, now))]
                    )
                )
        await asyncio.sleep(_REFRESH_S)


async def _live(progress: Progress) -> None:
    """Draw the block again and again; its last state stays, and the cursor comes back."""
    from rich.console import Console
    from rich.live import Live

    console, pace = Console(stderr=True), Pace()

    def drawn() -> "Table":
        now = monotonic()
        if progress.stages:
            pace.note(progress.stages[-1], now)
        return block(progress, left_s=pace.left_s(), now=now, width=console.width)

    with Live(console=console, auto_refresh=False, redirect_stdout=False) as live:
        try:
            while True:
                live.update(drawn(), refresh=True)
                await asyncio.sleep(_REFRESH_S)
        finally:
            live.update(drawn(), refresh=True)


def block(progress: Progress, *, left_s: float | None, now: float, width: int) -> "Table":
    """Return what a terminal of some width shows: a row a stage, and a row a fact."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, style="bold")
    table.add_column(overflow="fold")
    for stage in filter(lambda each: each.total, progress.stages):
        text = Text(standing(stage, left_s if stage is progress.stages[-1] else None))
        table.add_row(Text(stage.name), _with_bar(stage, text) if width >= _ROOM else text)
        if stage.parts:
            table.add_row("", Text(parts(stage), style="dim"))
    for label, told in rows(progress, now):
        table.add_row(Text(label), Text(told))
    return table


def _with_bar(stage: Stage, text: "Text") -> "Table":
    from rich.progress_bar import ProgressBar
    from rich.table import Table

    head = Table.grid(padding=(0, 1))
    head.add_row(ProgressBar(total=max(stage.total, 1), completed=stage.done, width=_BAR), text)
    return head
