"""How a run goes, on stderr: a block that is drawn again and again, or a line at times."""

import asyncio
import os
import sys
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from time import monotonic
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from epc import printable
from epc.cli.common import print_note
from epc.cli.countdown import FIRST_LINE_S, LINE_S, rounded, span
from epc.engine.progress import Progress, Stage

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

_WINDOW_S: Final = 30.0  # over which the pace is taken at least; a resumed run begins with a leap
_STEP_S: Final = 1.0  # between two moments that are kept
_FAILURE: Final = 120  # characters
# The order in which a reader looks for them: a comparison's verdicts, a judge's, what is neither.
_VERDICTS: Final = ("A", "B", "PASS", "PARTIAL", "FAIL", "tie", "unreadable", "refused")


class Pace(Struct, kw_only=True):
    """How fast a stage goes, by the later half of its time.

    Calls are answered in bursts: by the last half minute alone an estimate jumps with each.
    """

    _stage: Stage | None = None
    _began: float = 0.0
    _samples: deque[tuple[float, int]] = field(default_factory=deque)

    def note(self, stage: Stage, now: float) -> None:
        """Note how much of a stage is done at a moment (in seconds)."""
        if stage is not self._stage:
            self._stage, self._began = stage, now
            self._samples.clear()
        if len(self._samples) > 1 and now - self._samples[-2][0] < _STEP_S:
            self._samples.pop()
        self._samples.append((now, stage.done))
        window = max(_WINDOW_S, (now - self._began) / 2)
        while now - self._samples[0][0] > window:
            self._samples.popleft()

    def left_s(self) -> float | None:
        """Return how long the rest of the stage takes; None while nothing says so."""
        if self._stage is None or self._stage.done >= self._stage.total:
            return None
        (began, first), (ended, last) = self._samples[0], self._samples[-1]
        if last <= first or ended <= began:
            return None
        return (self._stage.total - last) * (ended - began) / (last - first)


def stage_text(stage: Stage, left_s: float | None = None) -> str:
    """Return how far a stage is, and when it ends by the clock on the wall."""
    done = 100 * stage.done / stage.total if stage.total else 100
    left = "" if left_s is None else f", about {rounded(left_s)} left, until {_hour(left_s)}"
    return f"{stage.done:,}/{stage.total:,}, {done:.0f}%{left}"


def _hour(left_s: float) -> str:
    """Return the hour in so many seconds, with its day if that is another."""
    now = datetime.now().astimezone()
    ends = now + timedelta(seconds=left_s)
    return f"{ends:%H:%M}" if ends.date() == now.date() else f"{ends:%d %b %H:%M}"


def parts(stage: Stage) -> str:
    """Return how far the parts of a stage are."""
    shares = (
        (name.replace("_", " "), stage.done_of[name], total) for name, total in stage.parts.items()
    )
    return ", ".join(f"{name} {done:,}/{total:,}" for name, done, total in shares)


def rows(progress: Progress, now: float) -> Iterator[tuple[str, str]]:
    """Yield what there is to say beside the stages, each with its label."""
    yield "calls", _calls_text(progress)
    yield "used", _used(progress, now)
    if progress.failures:
        last = printable.one_line(progress.last_failure, longest=_FAILURE)
        yield "failures", f"{progress.failures:,}, tried again; the last: {last}"
    if total := progress.verdicts.total():
        shares = (
            f"{name} {100 * progress.verdicts[name] / total:.0f}%"
            for name in _VERDICTS
            if progress.verdicts[name]
        )
        yield "verdicts", f"{', '.join(shares)} of {total:,}"


def _calls_text(progress: Progress) -> str:
    limit = progress.budget.max_calls
    count = (
        f"{progress.calls:,} asked" if limit is None else f"{progress.calls:,} of at most {limit:,}"
    )
    return ", ".join([count, *_saved(progress)])


def _used(progress: Progress, now: float) -> str:
    budget = progress.budget
    parts = []
    if progress.cost is not None:
        cap = "" if budget.max_cost is None else f" of at most ${budget.max_cost}"
        parts.append(f"${progress.cost:.4f}{cap}")
    elif progress.calls:
        parts.append("cost unknown")
    parts.append(f"{progress.tokens:,} tokens")
    cap = "" if budget.max_time_s is None else f" of at most {span(budget.max_time_s)}"
    parts.append(f"{span(now - budget.began)}{cap}")
    return ", ".join(parts)


def _saved(progress: Progress) -> Iterator[str]:
    """Yield what went wrong with calls, and which did not have to be asked."""
    for count, label in (
        (progress.retries, "retries"),
        (progress.lost, "lost answers that may be billed"),
        (progress.too_large, "answers too large to record"),
        (progress.from_cache, "answers from the cache"),
        (progress.from_runs, "answers taken over, not asked"),
        (progress.from_journal, "from the journal"),
    ):
        if count:
            yield f"{count:,} {label}"


def spending_text(progress: Progress) -> str:
    """Return in words what a session has asked for, and what it did not have to."""
    parts = [f"{progress.calls:,} calls", f"{progress.tokens:,} tokens"]
    if progress.cost is None and progress.calls:
        parts.append("cost unknown")
    elif progress.cost:
        parts.append(f"${progress.cost:.4f}")
    return ", ".join([*parts, *_saved(progress)])


_Watcher = Callable[[Mapping[str, Progress]], Coroutine[None, None, None]]
_REFRESH_S: Final = 0.25
_BAR: Final = 24  # columns
_ROOM: Final = 80  # columns from which a bar finds its place


@asynccontextmanager
async def progress_bar(progress: Progress) -> AsyncIterator[None]:
    """Show a run's progress while the block runs, and what it spent in the end."""
    async with progress_bars({"": progress}):
        yield


@asynccontextmanager
async def progress_bars(runs: Mapping[str, Progress]) -> AsyncIterator[None]:
    """Show the progress of all runs of a campaign as one."""
    _note_repairs(_total(runs))
    task = asyncio.create_task(_watch()(runs))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        if len(runs) > 1:  # a campaign's journals are opened by its runs, one by one
            _note_repairs(_total(runs))
        print_note(f"spent    {spending_text(_total(runs))}")


def _total(runs: Mapping[str, Progress]) -> Progress:
    return Progress.total([*runs.values()])


def _note_repairs(progress: Progress) -> None:
    if progress.torn:
        print_note(
            f"repaired the journal: {progress.torn} of its lines are torn, as a crash leaves them; "
            "they are kept in journal.torn, and their calls are asked again"
        )
    if progress.damaged:
        print_note(
            f"WARNING: {progress.damaged} lines of the journal are damaged: whole, and not as they "
            "were written. They are kept in journal.damaged and their calls are asked "
            "again; see whether the disk is failing, or who edited the file. The record says so."
        )


def _watch() -> _Watcher:
    return _live if sys.stderr.isatty() and os.environ.get("TERM") != "dumb" else _plain


async def _plain(runs: Mapping[str, Progress]) -> None:
    """Say when a stage begins, how far it is soon after, then once a minute: no log is filled."""
    paces, begun, last_s = {name: Pace() for name in runs}, Counter[str](), monotonic()
    wait_s = FIRST_LINE_S
    while True:
        now = monotonic()
        due = now - last_s >= wait_s
        for name, progress in runs.items():
            for stage in progress.stages[begun[name] :]:
                begun[name], last_s = begun[name] + 1, now
                if stage.total:
                    print_note(f"{_prefix(name)}{stage.name}: {stage.total}")
            if progress.stages:
                paces[name].note(progress.stages[-1], now)
        if due and any(begun.values()):
            last_s, wait_s = now, LINE_S
            states = [
                f"{_prefix(name)}{stage_text(progress.stages[-1], paces[name].left_s())}"
                for name, progress in runs.items()
                if progress.stages
            ]
            print_note("; ".join([*states, *(text for _, text in rows(_total(runs), now))]))
        await asyncio.sleep(_REFRESH_S)


async def _live(runs: Mapping[str, Progress]) -> None:
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
        return block(runs, left_s=left, now=now, width=console.width)

    with Live(console=console, auto_refresh=False, redirect_stdout=False) as live:
        try:
            while True:
                live.update(drawn(), refresh=True)
                await asyncio.sleep(_REFRESH_S)
        finally:
            live.update(drawn(), refresh=True)


def block(
    runs: Mapping[str, Progress],
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
            text = Text(stage_text(stage, left_s[name] if [stage] == last else None))
            bar = _with_bar(stage, text) if width >= _ROOM + len(name) else text
            table.add_row(Text(f"{_prefix(name)}{stage.name}"), bar)
            if stage.parts and not name:
                table.add_row("", Text(parts(stage), style="dim"))
    for label, fact in rows(_total(runs), now):
        table.add_row(Text(label), Text(fact))
    return table


def _prefix(name: str) -> str:
    return f"{name}: " if name else ""


def _with_bar(stage: Stage, text: "Text") -> "Table":
    from rich.progress_bar import ProgressBar
    from rich.table import Table

    head = Table.grid(padding=(0, 1))
    head.add_row(ProgressBar(total=max(stage.total, 1), completed=stage.done, width=_BAR), text)
    return head
