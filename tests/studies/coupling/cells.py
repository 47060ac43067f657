"""A study's table, written a cell after the other, so that a long one can be read meanwhile."""

import argparse
import csv
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path


def write(
    description: str | None,
    columns: Sequence[str],
    rows: Callable[[str, int], Iterable[Sequence[object]]],
    *,
    runs: int,
) -> None:
    """Write what `rows` yields for the part of names and the runs that the command line states."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--out", type=Path, default=Path("/dev/stdout"))
    parser.add_argument("--runs", type=int, default=runs)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    with options.out.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(columns)
        for row in rows(options.only, options.runs):
            out.writerow(row)
            file.flush()
