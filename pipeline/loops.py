"""Runs of GEPA under each recorded judge of the bank, as the registry publishes them.

    python pipeline/loops.py OUT      writes OUT/JUDGE/ for each judge; about 5 minutes on 2 cores

A folder is what `epc admin snapshot publish OUT/JUDGE` takes (kind `loop`). The same seeds give the
same files: GEPA draws from its seed alone, the judges are recorded, and nobody is asked.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pyarrow as pa
from recipes.composo import BENCHMARK

from epc.api.loop_demo import checked, run
from epc.digests import sha256
from epc.engine.loop_demo import CALLS, JUDGES, SIZES, STARTS, Pickers, Split
from epc.records.banks import shared_bank
from epc.records.loop import read_log
from epc.records.loop_snapshot import (
    CHECK_COLUMNS,
    CHECKS,
    LOG,
    LOG_COLUMNS,
    LoopRuns,
    Origin,
    write_runs,
)
from epc.records.verdicts.types import UNKNOWN
from epc.registry.choices import compared_in
from epc.registry.layout import BANK, FOLDER
from epc.registry.reading import of_folder
from epc.registry.record import Record

ROOT: Final = Path(__file__).parents[1]
SEEDS: Final = 30
_GOLD: Final = f"{BENCHMARK}: the right one of four answers"


def write_judge(judge: str, out: Path, seeds: int = SEEDS) -> None:
    """Write the runs under one judge to a folder."""
    content = (ROOT / FOLDER / BANK).read_bytes()
    bank = shared_bank(content)
    rows: dict[str, list[dict[str, Any]]] = {LOG: [], CHECKS: []}
    for start, picker in STARTS.items():
        for seed in range(seeds):
            for name, columns, of in runs_of(Pickers.from_bank(bank, judge), picker, seed):
                own = {"run": f"{start}/{seed:02}"}
                rows[name] += [own | {n: getattr(each, n) for n in columns[1:]} for each in of]
    registry = of_folder(ROOT)
    named = compared_in(ROOT).settings
    cards = [
        s.card for s in registry.snapshots.values() if s.card.origin and s.card.origin.name in named
    ]
    runs = LoopRuns(
        judge=judge,
        platform=next(c.evaluator.platform or UNKNOWN for c in cards if c.generation == judge),
        prompt="base",
        judge_b=JUDGES[judge],
        gold=_GOLD,
        optimiser=f"gepa {version('gepa')}",
        metric_calls=CALLS,
        starts={start: f"all weight on {picker}" for start, picker in STARTS.items()},
        items=dict(zip(("train", "validation", "test"), SIZES, strict=True)),
        bank=sha256(content),
        origins=[*{_origin(card).name: _origin(card) for card in cards}.values()],
        files={},
    )
    write_runs(out, runs, {name: pa.Table.from_pylist(of) for name, of in rows.items()})


def _origin(card: Record) -> Origin:
    assert card.origin is not None
    return Origin(licence=card.licence, **asdict(card.origin))


def runs_of(
    work: Pickers, picker: str, seed: int
) -> Iterator[tuple[str, Sequence[str], Iterable[Any]]]:
    """Yield the log of one run, then the checks of what it began and ended with."""
    split, start = Split.drawn(work.items, SIZES, seed), work.start(picker)
    with TemporaryDirectory() as folder:
        log = Path(folder) / "run.loop.jsonl"
        final = run(work, start, split, calls=CALLS, seed=seed, log=log)
        yield LOG, LOG_COLUMNS, read_log(log).rows
    for candidate in (start, final)[: 1 + (final != start)]:
        yield CHECKS, CHECK_COLUMNS, checked(work, candidate, split.test)


def main() -> None:
    """Write a folder a judge."""
    for judge in JUDGES:
        write_judge(judge, Path(sys.argv[1]) / judge)


if __name__ == "__main__":
    main()
