"""Times in words, and a simulation that says how far it is, on stderr."""

from collections.abc import Callable, Iterator, Sequence
from math import ceil
from threading import Timer
from time import monotonic
from typing import Final

from epc import grid
from epc.cli.common import print_note
from epc.grid import Point, Result

LINE_S: Final = 60.0  # between two lines of a log
FIRST_LINE_S: Final = 5.0  # until work says how far it is
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


def spread(
    work: Callable[[Point], Result], points: Sequence[Point], title: str
) -> Iterator[Result]:
    """Yield the result of every point of a simulation, from all cores; say how far it is."""
    return counted(grid.spread(work, points), len(points), title)


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
    """Pass results on; say how far they are after some seconds, then once a minute.

    The first line comes before the first result, if that takes long.
    """
    began, due, done = monotonic(), FIRST_LINE_S + LINE_S, 0
    first_line = Timer(FIRST_LINE_S, lambda: print_note(_state(title, done, total, FIRST_LINE_S)))
    first_line.daemon = True
    first_line.start()
    try:
        for done, result in enumerate(results, 1):
            yield result
            elapsed = monotonic() - began
            if elapsed >= due and done < total:
                due = elapsed + LINE_S
                print_note(_state(title, done, total, elapsed))
    finally:
        first_line.cancel()


def _state(title: str, done: int, total: int, elapsed_s: float) -> str:
    left = f", about {rounded(elapsed_s / done * (total - done))} left" if done else ""
    return f"{title}: {done} of {total}{left}"
