"""Times in words, and how far a simulation is, on stderr."""

from collections.abc import Iterator
from math import ceil
from time import monotonic
from typing import Final, TypeVar

from epc.cli.common import print_note

Result = TypeVar("Result")
LINE_S: Final = 60.0  # between two lines of a log
_FIRST_LINE_S: Final = 10.0  # until a simulation says how far it is
_MINUTE, _HOUR = 60, 3600


def span(seconds: float) -> str:
    """Return a time in words."""
    total_s = round(seconds)
    if total_s < _MINUTE:
        return f"{total_s} s"
    if total_s < _HOUR:
        return f"{total_s // _MINUTE} min {total_s % _MINUTE:02} s"
    return f"{total_s // _HOUR} h {total_s % _HOUR // _MINUTE:02} min"


def rounded(seconds: float) -> str:
    """Return an estimated time in words, no finer than it is known."""
    if seconds < _MINUTE:
        return f"{10 * ceil(max(seconds, 1) / 10)} s"
    if seconds < _HOUR:
        return f"{round(seconds / _MINUTE)} min"
    tens = 10 * round(seconds / _MINUTE / 10)
    return f"{tens // 60} h {tens % 60:02} min"


def counted(results: Iterator[Result], total: int, title: str) -> Iterator[Result]:
    """Pass results on, with a bar on a terminal, elsewhere with a line once a minute."""
    from rich import progress as bars
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield from _noted(results, total, title)
        return
    columns = (
        bars.TextColumn("{task.description}"),
        bars.BarColumn(),
        bars.MofNCompleteColumn(),
        bars.TimeElapsedColumn(),
        bars.TextColumn("left"),
        bars.TimeRemainingColumn(),
    )
    with bars.Progress(*columns, console=console, transient=True) as drawn:
        yield from drawn.track(results, total=total, description=title)


def _noted(results: Iterator[Result], total: int, title: str) -> Iterator[Result]:
    """Pass results on; say how far they are after ten seconds, then once a minute."""
    began, due = monotonic(), _FIRST_LINE_S
    for done, result in enumerate(results, 1):
        yield result
        elapsed = monotonic() - began
        if elapsed >= due and done < total:
            due = elapsed + LINE_S
            left = rounded(elapsed / done * (total - done))
            print_note(f"{title}: {done} of {total}, about {left} left")
