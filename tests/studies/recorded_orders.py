"""What the audit says of one recorded file in many orders of its rows (Reading R73).

    python tests/studies/recorded_orders.py verdicts.csv --orders 200 --jobs 2

Each case is measured as `epc run` measures it, with no flag, `--exhaustive` and `--reuse none` in
turn, and audited. A tenth as many cases have a tenth of their rows twice. As many have the names of
the domains exchanged; their audit is exchanged back before it is compared with the first case's.
"""

import argparse
import asyncio
import csv
import json
import random
import re
import sys
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from multiprocessing import Pool
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))  # as pytest has it for the tests

from engine_support import asked_for, unwatched

from epc.analysis.audit import audit_manifest
from epc.engine.budget import Limits
from epc.engine.session import measure, start
from epc.records.recompute import load_manifest

NOW = datetime(2026, 11, 23, tzinfo=UTC)
FLAGS: tuple[dict[str, Any], ...] = ({}, {"exhaustive": True}, {"reuse": "none"})
NAMED = ("no flag", "--exhaustive", "--reuse none")
OTHER = {"text": "visual", "visual": "text"}
DOMAIN = re.compile(r"(?<![a-z])(text|visual)(?![a-z])")


@dataclass(frozen=True, kw_only=True)
class Case:
    """One order of the rows; `kind` is order, duplicates or exchanged."""

    kind: str
    number: int


def main() -> None:
    """Print a line a case, then how many distinct words, p-values and audits there were."""
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("--orders", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=30)
    parser.add_argument("--jobs", type=int, default=1)
    asked = parser.parse_args()
    kinds = {
        "order": asked.orders,
        "duplicates": asked.orders // 10,
        "exchanged": asked.orders // 10,
    }
    cases = [Case(kind=kind, number=n) for kind, count in kinds.items() for n in range(count)]
    first: dict[str, Any] = {}
    words: Counter[tuple[str, str]] = Counter()
    figures: Counter[tuple[str, float]] = Counter()
    differing: Counter[tuple[str, str]] = Counter()
    with Pool(asked.jobs) as pool:
        work = partial(said_of, file=asked.file, seeds=asked.seeds)
        for case, said in zip(cases, pool.imap(work, cases), strict=True):
            first = first or said
            other = ", ".join(sorted(key for key in first if said[key] != first[key])) or "nothing"
            words[case.kind, said["verdict"]] += 1
            figures[case.kind, said["p_value"]] += 1
            differing[case.kind, other] += 1
            shown = f"{case.kind:<11}{case.number:>4} {NAMED[case.number % 3]:<13}"
            print(f"{shown}{said['verdict']:<27}p {said['p_value']:<9g}differs in: {other}")
    print(json.dumps({key: part for key, part in first.items() if key != "findings"}, indent=1))
    for title, counted in (("words", words), ("p-values", figures), ("differs in", differing)):
        print(
            f"{title}:",
            *(f"{kind}: {what} ({n})" for (kind, what), n in counted.items()),
            sep="\n  ",
        )


def said_of(case: Case, *, file: Path, seeds: int) -> dict[str, Any]:
    """Measure and audit a case; return the audit as JSON, its domains' names as in the file."""
    with file.open(newline="", encoding="utf-8") as source:
        header, *rows = csv.reader(source)
    rng = random.Random(case.number)
    if case.number:
        rng.shuffle(rows)
    if case.kind == "duplicates":
        rows += rng.sample(rows, len(rows) // 10)
        rng.shuffle(rows)
    if case.kind == "exchanged":
        rows = [[strategy, OTHER[domain], *rest] for strategy, domain, *rest in rows]
    said = audited(header, rows, seeds, FLAGS[case.number % 3])
    if case.kind == "exchanged":
        said = exchanged(said)
    said["findings"].sort(key=json.dumps)
    return said


def audited(
    header: list[str], rows: list[list[str]], seeds: int, flags: dict[str, Any]
) -> dict[str, Any]:
    """Return the audit of a run of these rows."""
    with TemporaryDirectory() as home:
        file, run = Path(home) / "verdicts.csv", Path(home) / "run"
        with file.open("w", newline="", encoding="utf-8") as out:
            csv.writer(out, lineterminator="\n").writerows([header, *rows])
        request = asked_for(f"recorded:{file}", None, seeds=list(range(seeds)), rounds=30, **flags)
        opened = start(request, run, now=NOW)
        work = measure(opened, run, clock=lambda: NOW, watch=unwatched, limits=Limits(cache=False))
        asyncio.run(work)
        return audit_manifest(load_manifest(run)).as_json()


def exchanged(value: Any) -> Any:
    """Exchange the domains' names wherever they stand."""
    if isinstance(value, dict):
        return {exchanged(key): exchanged(part) for key, part in value.items()}
    if isinstance(value, list):
        return [exchanged(part) for part in value]
    if isinstance(value, str):
        return DOMAIN.sub(lambda found: OTHER[found[1]], value)
    return value


if __name__ == "__main__":
    main()
