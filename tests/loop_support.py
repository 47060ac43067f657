"""Logs and checks of an optimiser's run, written as files that a test can spoil."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

Row = dict[str, Any]
SEED, FINAL, JUDGE = "aaaaaaaaaaaa", "bbbbbbbbbbbb", "openai/gpt-5.4-nano"


def log_rows(*, validation: int = 60, gain: float = 1.0) -> list[Row]:
    """Return a log: seed and final on validation items, a third candidate on a training item."""
    rows = [
        scored(name, f"v{item}", 5 + (item % 3) + plus * (item % 2) * 2)
        for name, plus in ((SEED, 0.0), (FINAL, gain))
        for item in range(validation)
    ]
    rows.append(scored("cccccccccccc", "t0", 4.0) | {"split": "train"})
    return [row | {"seq": seq} for seq, row in enumerate(rows, 1)]


def scored(candidate: str, item: str, score: float) -> Row:
    output = f"{candidate}/{item}"
    return {
        "candidate": candidate,
        "item": item,
        "output": output,
        "judge": JUDGE,
        "score": score,
        "split": "val",
    }


def check_rows(
    *,
    items: int = 200,
    judged: float = 1.0,
    right: float = 0.2,
    labels: int = 200,
    rng: int = 1,
) -> list[Row]:
    """Return checks of seed and final; the final's score and share right are higher by so much."""
    draws = np.random.default_rng(rng)
    rows: list[Row] = []
    for item in range(items):
        for name, more, share in ((SEED, 0.0, 0.5), (FINAL, judged, 0.5 + right)):
            score = float(np.rint(5 + more + draws.normal()))
            rows.append(checked(name, f"x{item}", JUDGE, score))
            if item < labels:
                rows.append(checked(name, f"x{item}", "gold", float(draws.random() < share)))
    return rows


def checked(
    candidate: str, item: str, judge: str, score: float | None, **further_fields: Any
) -> Row:
    row = {"candidate": candidate, "item": item, "output": f"{candidate}/{item}"}
    return row | {"judge": judge, "score": score, "asking": 0} | further_fields


def written(path: Path, rows: Iterable[Row]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def run_files(
    folder: Path,
    *,
    log: Callable[[Row], Row | None] = lambda row: row,
    checks: Callable[[Row], Row | None] = lambda row: row,
    **options: Any,
) -> tuple[Path, Path]:
    """Write a log and its checks, each line changed, or left out, as the test says."""
    logged = [row for table_row in log_rows() if (row := log(table_row)) is not None]
    rows = [row for table_row in check_rows(**options) if (row := checks(table_row)) is not None]
    return (
        written(folder / "run.loop.jsonl", logged),
        written(folder / "run.checks.jsonl", rows),
    )
