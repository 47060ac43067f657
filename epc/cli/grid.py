"""Options of commands that simulate, and how far a simulation has come."""

from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from typing import Any, TypeVar

import click

Point = TypeVar("Point")
Result = TypeVar("Result")


def grid_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say where a simulation runs; the command gets them as `spread`."""

    @click.option(
        "--jobs",
        type=click.IntRange(1, 1024),
        default=1,
        show_default=True,
        help="Processes to spread the simulation over. The figures do not depend on it.",
    )
    @click.option(
        "--cluster",
        metavar="ADDRESS",
        help="A Dask scheduler to spread it over, such as tcp://127.0.0.1:8786.",
    )
    @wraps(command)
    def with_spread(*, jobs: int, cluster: str | None, **others: Any) -> None:
        def spread(
            work: Callable[[Point], Result], points: Sequence[Point], title: str
        ) -> Iterator[Result]:
            from epc.engine import grid

            return _counted(
                grid.spread(work, points, jobs=jobs, cluster=cluster), len(points), title
            )

        command(spread=spread, **others)

    return with_spread


def _counted(results: Iterator[Result], total: int, title: str) -> Iterator[Result]:
    """Pass results on, with a bar on a terminal and nothing elsewhere."""
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    yield from track(
        results,
        description=title,
        total=total,
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
