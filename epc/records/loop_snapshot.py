"""The runs of an optimiser under one judge, as they are published (`loop.json`).

    loop.json           judge, judge B, optimiser, where runs start, the bank, the files' digests
    log.parquet         a row a score that the optimiser saw: run, candidate, item, output, ...
    checks.parquet      a row a score on an item that it never saw: by judge, judge B and gold

Columns are those of a log and of checks (Reading R93), and `run`: the name of the start, a slash
and the optimiser's seed.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from math import fsum
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from epc.arrays import Array, Codes, Flags, np
from epc.digests import file_sha256
from epc.errors import UsageError
from epc.records import strict_json
from epc.records.layout import LOOP
from epc.records.schemas import findings as schema_findings
from epc.records.typed import as_json, parse, written
from epc.records.verdicts.parquet import Columns, columns_of

LOG, CHECKS = "log.parquet", "checks.parquet"
GOLD: Final = "gold"  # the judge of a label
_CHOSE: Final = "val"  # the split by which an optimiser chooses
LOG_COLUMNS: Final = ("run", "seq", "candidate", "item", "output", "score", "split")
CHECK_COLUMNS: Final = ("run", "candidate", "item", "judge", "output", "score", "asking")


class Origin(Struct, frozen=True, kw_only=True):
    """Source of the recorded scores."""

    name: str
    repository: str
    commit: str
    licence: str


class LoopRuns(Struct, frozen=True, kw_only=True):
    """Runs of an optimiser: `starts` are the candidates that they began with, by name, in words.

    `items` counts those that the optimiser trains on, chooses by, and never sees, in each run.
    The judge's scores are recorded ones, from a `bank` with its `origins`; or the judge was asked,
    on the day `measured_on`, about what a `worker` wrote.
    """

    judge: str
    platform: str
    prompt: str
    judge_b: str
    gold: str
    optimiser: str
    metric_calls: int
    starts: Mapping[str, str]
    items: Mapping[str, int]
    bank: str | None = None
    origins: Sequence[Origin] = ()
    worker: str | None = None
    measured_on: date | None = None
    files: Mapping[str, str]
    schema_version: int = written(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunGains:
    """Gain of each run from one start; `unchanged` counts runs that kept what they began with.

    Shapes: each (runs,).
    Unit:   the judges' points; `gold` shares of right answers.
    """

    unchanged: int
    believed: Array
    fresh: Array
    by_b: Array
    gold: Array


@dataclass(frozen=True, slots=True, kw_only=True)
class RunChanges:
    """Change of each item of each run from one start; none if its output stayed.

    Shapes: each (runs x items,); `run` numbers the runs.
    Unit:   the judge's points; `gold` shares of right answers.
    """

    judge: Array
    gold: Array
    changed: Flags
    run: Codes


def load_runs(folder: Path) -> LoopRuns:
    """Return what a folder says of its runs.

    Raises: UsageError if it is damaged, or its files are others.
    """
    value, wrong = strict_json.read(folder / LOOP)
    if findings := wrong or schema_findings("loop", value, clause="Reading R93"):
        raise UsageError("\n".join([f"{folder / LOOP} is damaged", *map(str, findings)]))
    runs = parse(value, LoopRuns)
    for name in (LOG, CHECKS):
        if not (folder / name).is_file() or file_sha256(folder / name) != runs.files.get(name):
            raise UsageError(f"{folder} is not whole: {name} is not the file of {LOOP}")
    return runs


def write_runs(folder: Path, runs: LoopRuns, tables: Mapping[str, Any]) -> None:
    """Write runs with the tables of their log and checks, by the files' names."""
    import pyarrow.parquet as pq

    folder.mkdir(parents=True, exist_ok=True)
    for name, table in tables.items():
        pq.write_table(table, folder / name, compression="zstd", compression_level=19)
    files = {name: file_sha256(folder / name) for name in tables}
    strict_json.write(folder / LOOP, as_json(runs) | {"files": files})


def gains_of(folder: Path, runs: LoopRuns) -> dict[str, RunGains]:
    """Return what the runs of a folder gained, by their start.

    A run's final is the candidate that was checked beside its first one; without one it kept that.

    Raises: UsageError if a table lacks a column; MissingExtraError without pyarrow.
    """
    log, began, checks = _tables(folder)
    checked = zip(checks.values("run"), checks.values("candidate"), strict=True)
    final = began | {run: name for run, name in checked if name != began[run]}
    codes, splits = log.coded("split")
    chosen = np.array([split == _CHOSE for split in splits])[codes]
    on_split = _means(log, ("run", "candidate"), chosen)
    means = {(_CHOSE, *place): score for place, score in on_split.items()}
    means |= _means(checks, ("judge", "run", "candidate"))
    gains = {}
    for start in runs.starts:
        start_runs = [run for run in began if run.split("/")[0] == start]
        believed, fresh, by_b, gold = (
            np.array(
                [
                    means[judge, run, final[run]] - means[judge, run, began[run]]
                    for run in start_runs
                ]
            )
            for judge in (_CHOSE, runs.judge, runs.judge_b, GOLD)
        )
        unchanged = sum(began[run] == final[run] for run in start_runs)
        gains[start] = RunGains(
            unchanged=unchanged, believed=believed, fresh=fresh, by_b=by_b, gold=gold
        )
    return gains


def changes_of(folder: Path, runs: LoopRuns) -> dict[str, RunChanges]:
    """Return what the runs of a folder changed, item by item, by their start.

    Raises: as `gains_of`.
    """
    _, began, checks = _tables(folder)
    names = "run", "item", "candidate", "judge", "output", "score"
    outputs: dict[tuple[str, str, bool], Any] = {}
    scores: dict[tuple[str, str, bool], dict[str, float]] = defaultdict(dict)
    for run, item, candidate, judge, output, score in zip(*map(checks.values, names), strict=True):
        place = run, item, candidate == began[run]
        outputs[place] = output
        scores[place][judge] = score
    changes = {}
    for start in runs.starts:
        places = [p for p in outputs if p[2] and p[0].split("/")[0] == start]
        after = [(run, item, False) for run, item, _ in places]
        pairs = [*zip(places, after, strict=True)]
        changed = np.array([outputs.get(b, outputs[a]) != outputs[a] for a, b in pairs])
        judge, gold = (
            np.array(
                [
                    scores[b][by] - scores[a][by] if differs else 0.0
                    for (a, b), differs in zip(pairs, changed.tolist(), strict=True)
                ]
            )
            for by in (runs.judge, GOLD)
        )
        _, run = np.unique([run for run, *_ in places], return_inverse=True)
        changes[start] = RunChanges(judge=judge, gold=gold, changed=changed, run=run)
    return changes


def _tables(folder: Path) -> tuple[Columns, dict[str, str], Columns]:
    """Return the log, the first candidate of each run in the order of the log, and the checks."""
    log = columns_of((folder / LOG).read_bytes(), LOG_COLUMNS)
    (runs, run_names), (candidates, names) = log.coded("run"), log.coded("candidate")
    order = np.lexsort([candidates, runs, log.numbers("seq")])
    _, first = np.unique(runs[order], return_index=True)
    rows = order[np.sort(first)].tolist()
    began = {run_names[runs[row]]: names[candidates[row]] for row in rows}
    return log, began, columns_of((folder / CHECKS).read_bytes(), CHECK_COLUMNS)


def _means(
    table: Columns, names: Sequence[str], rows: Flags | slice = slice(None)
) -> dict[tuple[str, ...], float]:
    """Return the mean score of each combination of columns that some row has."""
    codes = np.stack([table.codes[name] for name in names])[:, rows]
    groups, group, counts = np.unique(codes, axis=1, return_inverse=True, return_counts=True)
    scores = table.numbers("score")[rows][np.argsort(group, kind="stable")]
    means = {}
    for key, part in zip(groups.T.tolist(), np.split(scores, np.cumsum(counts)[:-1]), strict=True):
        values = [table.names[name][code] for name, code in zip(names, key, strict=True)]
        means[tuple(values)] = fsum(part.tolist()) / len(part)
    return means
