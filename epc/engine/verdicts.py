"""Verdicts that exist already, as an evaluator: `recorded:FILE`.

The file is a table with the columns strategy, domain, task and verdict (A, B or tie), and perhaps
group: which tasks belong together. It is read as `epc audit` reads it. Its strategies and tasks are
the measurement's, in an order that does not depend on that of its rows; a row that appears twice
counts once; a pair that it does not hold is missing, and no tie (Readings R72 to R74).
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeVar

from msgspec import Struct, field

from epc.digests import file_sha256
from epc.engine.model import Completion, Identity, Prompt
from epc.errors import UsageError
from epc.protocol.config import REFERENCE_DECODING, Decoding
from epc.spec.domains import MOST, NAME, PAIRED, SHAPE, Domain, Domains
from epc.spec.epc_v1 import Method
from epc.spec.reference import STRATEGIES, TASKS, Strategy

_NEEDED: Final = {"a_by": "strategy", "subset": "domain", "question": "task", "verdict": "verdict"}
_WORDS: Final = {"a": "A", "b": "B"}  # any other verdict moves no weight
_Key = TypeVar("_Key", bound=tuple[str, ...])


class Table(Struct, frozen=True, kw_only=True):
    """The verdicts of a file by (strategy, domain, task), and its sets in order.

    `groups` has the group of each task, in the order of the tasks; `duplicates` is how many rows
    said what an earlier row had said.
    """

    verdicts: dict[tuple[str, Domain, str], str]
    strategies: tuple[Strategy, ...]
    tasks: dict[Domain, tuple[str, ...]]
    groups: dict[Domain, tuple[str, ...]] | None
    duplicates: int
    sha256: str

    @property
    def missing(self) -> int:
        """The number of strategy-task pairs that the file does not hold."""
        tasks = sum(map(len, self.tasks.values()))
        return len(self.strategies) * tasks - len(self.verdicts)


class RecordedVerdicts:
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
                **({"duplicates": self.table.duplicates} if self.table.duplicates else {}),
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

    Raises: UsageError or MalformedError with the line of the first row that cannot be used;
    WorldError if the file cannot be read.
    """
    from epc.records.verdicts.table import stated_in

    rows = _Rows(path=path)
    for line, fields in stated_in(path):
        rows.add(fields, line)
    domains = Domains.from_names({domain for _, domain, _ in rows.verdicts})
    if not PAIRED <= len(domains.names) <= MOST:
        names = ", ".join(domains.names) or "none"
        raise UsageError(
            f"{path}: expected verdicts in {PAIRED} to {MOST} domains, and found are: {names}"
        )
    tasks = {
        domain: _in_order(
            (task for _, d, task in rows.verdicts if d == domain), TASKS.get(domain, ())
        )
        for domain in domains.names
    }
    return Table(
        verdicts={key: verdict for key, (verdict, _) in rows.verdicts.items()},
        strategies=_strategies(name for name, _, _ in rows.verdicts),
        tasks=tasks,
        groups=rows.groups_of(tasks),
        duplicates=rows.duplicates,
        sha256=file_sha256(path),
    )


class _Rows(Struct, kw_only=True):
    """Rows read so far, each fact with the line that said it first."""

    path: Path
    verdicts: dict[tuple[str, Domain, str], tuple[str, int]] = field(default_factory=dict)
    groups: dict[tuple[Domain, str], tuple[str, int]] = field(default_factory=dict)
    duplicates: int = 0

    def add(self, fields: Mapping[str, str], line: int) -> None:
        """Take a row in. Raises: UsageError if it cannot be used."""
        where = f"{self.path}:{line}"
        if lacking := [name for field, name in _NEEDED.items() if not fields.get(field)]:
            raise UsageError(
                f"{where}: no {lacking[0]}: a row needs {', '.join(_NEEDED.values())}, and a group "
                "where tasks belong together\n  fix: `epc audit FILE` says what columns mean"
            )
        strategy, domain, task, verdict = map(fields.__getitem__, _NEEDED)
        if not NAME.fullmatch(domain):
            raise UsageError(f"{where}: domain {domain!r}, expected {SHAPE}")
        if "group" in fields:
            if not fields["group"]:
                raise UsageError(f"{where}: no group, and the file has a column of groups")
            self._keep(self.groups, (domain, task), "group", fields["group"], line)
        # Reading R73: an equal row counts once.
        word = _WORDS.get(verdict, "tie")
        if not self._keep(self.verdicts, (strategy, domain, task), "verdict", word, line):
            self.duplicates += 1

    def groups_of(
        self, tasks: Mapping[Domain, Sequence[str]]
    ) -> dict[Domain, tuple[str, ...]] | None:
        """Return the group of each task, in the order of the tasks; None if the file has none."""
        if not self.groups:
            return None
        return {d: tuple(self.groups[d, task][0] for task in listed) for d, listed in tasks.items()}

    def _keep(
        self, facts: dict[_Key, tuple[str, int]], key: _Key, column: str, value: str, line: int
    ) -> bool:
        """Keep what a row says; return whether no row has said it before.

        Raises: UsageError with both lines if an earlier row said otherwise.
        """
        first, earlier = facts.setdefault(key, (value, line))
        if first != value:
            raise UsageError(
                f"{self.path}:{line}: {' / '.join(key)} has the {column} {value!r}, "
                f"and the {column} {first!r} in line {earlier}"
            )
        return earlier == line


def _strategies(names: Iterable[str]) -> tuple[Strategy, ...]:
    """Return the file's strategies; a name of the reference set stands for its prompt too."""
    reference = {strategy.name: strategy for strategy in STRATEGIES}
    ordered = _in_order(names, tuple(reference))
    return tuple(reference.get(n) or Strategy(name=n, domain=None, prompt="") for n in ordered)


def _in_order(values: Iterable[str], reference: tuple[str, ...]) -> tuple[str, ...]:
    """Return distinct values in reference order if they are that set, and sorted otherwise."""
    # Reading R73: the draws pick by place, so no place may depend on the order of the rows.
    distinct = set(values)
    return reference if distinct == set(reference) else tuple(sorted(distinct))
