"""Verdicts that exist already, as an evaluator: `recorded:FILE`.

The file is a CSV with the columns strategy, domain, task and verdict (A, B or tie). Its
strategies and tasks are the measurement's, in an order that does not depend on that of its rows; a
pair that it does not hold is missing, and no tie (Readings R72 and R73).
"""

import csv
import hashlib
import io
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from epc.engine.model import Completion, Identity, Prompt
from epc.errors import UsageError
from epc.protocol.config import REFERENCE_DECODING, Decoding, Method
from epc.records.strict_json import read_text
from epc.spec.epc_v1 import DOMAINS, Domain
from epc.spec.reference import STRATEGIES, TASKS, Strategy

COLUMNS: Final = ("strategy", "domain", "task", "verdict")
_VERDICTS: Final = ("A", "B", "tie")


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The verdicts of a file by (strategy, domain, task), and its sets in order."""

    verdicts: dict[tuple[str, Domain, str], str]
    strategies: tuple[Strategy, ...]
    tasks: dict[Domain, tuple[str, ...]]
    sha256: str

    @property
    def missing(self) -> int:
        """The number of strategy-task pairs that the file does not hold."""
        tasks = sum(map(len, self.tasks.values()))
        return len(self.strategies) * tasks - len(self.verdicts)


class Recorded:
    """An evaluator that looks its verdict up."""

    method: Method = "recorded"
    repeatable = True
    pinned = False  # there are no weights, and looking up again is as quick as keeping
    concurrency = 10_000

    def __init__(self, path: Path) -> None:
        self.table = read_table(path)
        self.identity = Identity(
            model=f"recorded:{path.name}",
            version=None,
            endpoint="file",
            details={
                "sha256": self.table.sha256,
                "pairs": len(self.table.verdicts),
                "missing": self.table.missing,
            },
        )

    def default_decoding(self, role: str) -> Decoding:
        """Return the reference decoding; nothing is decoded."""
        if role != "evaluator":
            raise UsageError("recorded verdicts are an evaluator; they need no executor")
        return REFERENCE_DECODING

    def holds(self, strategy: str, domain: Domain, task: str) -> bool:
        """Return whether the file has a verdict about a pair."""
        return (strategy, domain, task) in self.table.verdicts

    async def complete(self, prompt: Prompt, decoding: Decoding) -> Completion:  # noqa: ARG002  (the interface hands it over)
        """Look a pair's verdict up."""
        pair = prompt.pair
        if pair is None:
            raise UsageError("recorded verdicts are an evaluator; they write no answers")
        key = (pair.strategy, pair.domain, pair.task)
        if key not in self.table.verdicts:
            raise UsageError(f"{self.identity.model} holds no verdict about {' / '.join(key)}")
        return Completion(text=self.table.verdicts[key], latency_s=0.0)

    async def close(self) -> None:
        """Nothing is held."""


def read_table(path: Path) -> Table:
    """Read recorded verdicts.

    Raises: UsageError with the line of the first row that cannot be used; WorldError if the
    file cannot be read.
    """
    text, problems = read_text(path)
    if problems:
        raise UsageError(f"{path}: {problems[0].problem}")
    # Spreadsheets begin a UTF-8 file with a byte order mark.
    reader = csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    verdicts: dict[tuple[str, Domain, str], str] = {}
    try:
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise UsageError(
                f"{path}:1: the columns are {', '.join(reader.fieldnames or ()) or 'missing'}, "
                f"expected {','.join(COLUMNS)}"
            )
        for row in reader:
            key, verdict = _row(row, f"{path}:{reader.line_num}")
            if key in verdicts:
                raise UsageError(f"{path}:{reader.line_num}: {' / '.join(key)} stands twice")
            verdicts[key] = verdict
    except csv.Error as error:
        raise UsageError(f"{path}:{reader.reader.line_num}: no CSV: {error}") from error
    tasks = {
        domain: _in_order((task for _, d, task in verdicts if d == domain), TASKS[domain])
        for domain in DOMAINS
    }
    for domain in DOMAINS:
        if not tasks[domain]:
            raise UsageError(f"{path}: no verdict in the {domain} domain; both are needed")
    return Table(
        verdicts=verdicts,
        strategies=_strategies(name for name, _, _ in verdicts),
        tasks=tasks,
        sha256=hashlib.sha256(text.encode()).hexdigest(),
    )


def _row(row: dict[str, str | None], place: str) -> tuple[tuple[str, Domain, str], str]:
    strategy, domain, task, verdict = (row[column] for column in COLUMNS)
    if not strategy or not task or verdict is None or None in row:
        raise UsageError(f"{place}: expected four fields, {','.join(COLUMNS)}")
    if verdict not in _VERDICTS:
        raise UsageError(f"{place}: verdict {verdict!r}, expected A, B or tie")
    for known in DOMAINS:
        if domain == known:
            return (strategy, known, task), verdict
    raise UsageError(f"{place}: domain {domain!r}, expected {' or '.join(DOMAINS)}")


def _strategies(names: Iterable[str]) -> tuple[Strategy, ...]:
    """Return the file's strategies; a name of the reference set stands for its prompt too."""
    reference = {strategy.name: strategy for strategy in STRATEGIES}
    ordered = _in_order(names, tuple(reference))
    return tuple(reference.get(n) or Strategy(name=n, domain=None, prompt="") for n in ordered)


def _in_order(found: Iterable[str], reference: tuple[str, ...]) -> tuple[str, ...]:
    """Return distinct values in reference order if they are that set, and sorted otherwise."""
    # Reading R73: the draws pick by place, so no place may depend on the order of the rows.
    distinct = set(found)
    return reference if distinct == set(reference) else tuple(sorted(distinct))
