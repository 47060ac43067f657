"""Showing how a run goes, on stderr: a block that is drawn again and again, or a line at times."""

import asyncio
import os
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from time import monotonic
from typing import TYPE_CHECKING, Final

from epc.cli.asking import is_quiet
from epc.cli.common import note
from epc.cli.standing import Pace, parts, rows, spent, standing
from epc.engine.progress import Progress, Stage

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from epc.engine.campaign import CampaignProgress

_Watcher = Callable[[Mapping[str, Progress], Callable[[], Progress]], Coroutine[None, None, None]]
_REFRESH_S: Final = 0.25
_LINE_S: Final = 60.0  # between two lines of a log
_BAR: Final = 24  # columns
_ROOM: Final = 80  # columns from which a bar finds its place


@asynccontextmanager
async def shown(progress: Progress) -> AsyncIterator[None]:
    """Show a run's progress while the block runs, and what it spent in the end."""
    async with _shown({"": progress}, lambda: progress):
        yield


@asynccontextmanager
async def all_shown(campaign: "CampaignProgress") -> AsyncIterator[None]:
    """Show the progress of all runs of a campaign as one."""
    async with _shown(campaign.runs, campaign.total):
        yield


@asynccontextmanager
async def _shown(
    runs: Mapping[str, Progress], total: Callable[[], Progress]
) -> AsyncIterator[None]:
    _tell_repairs(total())
    task = asyncio.create_task(_watch()(runs, total))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        if len(runs) > 1:  # a campaign's journals are opened by its runs, one by one
            _tell_repairs(total())
        note(f"spent    {spent(total())}")


def _tell_repairs(progress: Progress) -> None:
    if progress.torn:
        note(
            f"repaired the journal: {progress.torn} of its lines are torn, as a crash leaves them; "
            "they are kept in journal.torn, and their calls are asked again"
        )
    if progress.damaged:
        note(
            f"WARNING: {progress.damaged} lines of the journal are damaged: whole, and not as they "
            "were written. They are kept in journal.damaged and their calls are asked "
            "again; see whether the disk is failing, or who edited the file. The record says so."
        )


def _watch() -> _Watcher:
    if is_quiet():
        return _silent
    return _live if sys.stderr.isatty() and os.environ.get("TERM") != "dumb" else _plain


async def _silent(runs: Mapping[str, Progress], total: Callable[[], Progress]) -> None:
    """Show nothing."""


async def _plain(runs: Mapping[str, Progress], total: Callable[[], Progress]) -> None:
    """Say when a stage begins, and once a minute how far it is; nothing that would fill a log."""
    paces, begun, last_s = {name: Pace() for name in runs}, Counter[str](), monotonic()
    while True:
        now = monotonic()
        due = now - last_s >= _LINE_S
        for name, progress in runs.items():
            for stage in progress.stages[begun[name] :]:
                begun[name], last_s = begun[name] + 1, now
                if stage.total:
                    note(f"{_of(name)}{stage.name}: {stage.total}")
            if progress.stages:
                paces[name].note(progress.stages[-1], now)
        if due and any(begun.values()):
            last_s = now
            where = [
                f"{_of(name)}{standing(progress.stages[-1], paces[name].left_s())}"
                for name, progress in runs.items()
                if progress.stages
            ]
            note("; ".join([*where, *(text for _, text in rows(total(), now))]))
        await asyncio.sleep(_REFRESH_S)


async def _live(runs: Mapping[str, Progress], total: Callable[[], Progress]) -> None:
    """Draw the block again and again; its last state stays, and the cursor comes back."""
    from rich.console import Console
    from rich.live import Live

    console, paces = Console(stderr=True), {name: Pace() for name in runs}

    def drawn() -> "Table":
        now = monotonic()
        for name, progress in runs.items():
            if progress.stages:
                paces[name].note(progress.stages[-1], now)
        left = {name: pace.left_s() for name, pace in paces.items()}
        return block(runs, total(), left_s=left, now=now, width=console.width)

    with Live(console=console, auto_refresh=False, redirect_stdout=False) as live:
        try:
            while True:
                live.update(drawn(), refresh=True)
                await asyncio.sleep(_REFRESH_S)
        finally:
            live.update(drawn(), refresh=True)


def block(
    runs: Mapping[str, Progress],
    total: Progress,
    *,
    left_s: Mapping[str, float | None],
    now: float,
    width: int,
) -> "Table":
    """Return what a terminal of some width shows: a row a stage, and a row a fact of all runs.

    Of several runs it has the stage under way of each, with the run's name.
    """
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, style="bold")
    table.add_column(overflow="fold")
    for name, progress in runs.items():
        last = progress.stages[-1:]
        for stage in filter(lambda candidate: candidate.total, last if name else progress.stages):
            text = Text(standing(stage, left_s[name] if [stage] == last else None))
            bar = _with_bar(stage, text) if width >= _ROOM + len(name) else text
            table.add_row(Text(f"{_of(name)}{stage.name}"), bar)
            if stage.parts and not name:
                table.add_row("", Text(parts(stage), style="dim"))
    for label, fact in rows(total, now):
        table.add_row(Text(label), Text(fact))
    return table


def _of(name: str) -> str:
    return f"{name}: " if name else ""


def _with_bar(stage: Stage, text: "Text") -> "Table":
    from rich.progress_bar import ProgressBar
    from rich.table import Table

    head = Table.grid(padding=(0, 1))
    head.add_row(ProgressBar(total=max(stage.total, 1), completed=stage.done, width=_BAR), text)
    return head
