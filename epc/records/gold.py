"""Gold: labels of what is right that are not the evaluator's, of a measurement's answers.

It is a CSV file with a line for each label: `strategy`, `domain`, `task` and `gold`. Gold is how
right the strategy's answer to the task is, from 0 to 1, or says of the pair that was compared
whether the strategy's answer (A) or the baseline's (B) is better, or neither (tie). Labels of
several people are several lines.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NoReturn

from epc.arrays import Array, np
from epc.audit.quality import Quality, judged_of, quality
from epc.errors import Finding, MalformedError
from epc.protocol.config import Configuration
from epc.protocol.table import VerdictTable
from epc.records.csv_tables import CsvTable, csv_text, decimal, table_of
from epc.records.strict_json import write_text
from epc.spec.coupling import NotMeasured
from epc.spec.domains import Domain

CLAUSE: Final = "R91"
COLUMNS: Final = ("strategy", "domain", "task", "gold")
_WORDS: Final = {"A": 1.0, "B": 0.0, "tie": 0.5}
_EXPECTED: Final = "a number from 0 to 1, or A, B or tie"

Labels = tuple[Array, Array]  # their sum and their number, (K, tasks) each


def read_gold(path: Path, config: Configuration) -> dict[Domain, Labels]:
    """Return the labels of a measurement's strategies and tasks, by domain.

    Raises: MalformedError at the first line that cannot be used; WorldError if the disk fails.
    """
    strategies = {strategy.name: at for at, strategy in enumerate(config.strategies)}
    tasks = {d: {task: at for at, task in enumerate(own)} for d, own in config.tasks.items()}
    shapes = {domain: (len(strategies), len(own)) for domain, own in tasks.items()}
    labels = {domain: (np.zeros(shape), np.zeros(shape)) for domain, shape in shapes.items()}
    with table_of(path, CLAUSE) as table:
        for where, (strategy, domain, task, gold) in lines_of(table, path, COLUMNS):
            own = tasks.get(domain, {})
            for what, name, known in (
                ("domain", domain, tasks),
                ("strategy", strategy, strategies),
                ("task", task, own),
            ):
                if name not in known:
                    unknown(where, f"the measurement has no {what} {name!r}", known)
            sums, counts = labels[domain]
            sums[strategies[strategy], own[task]] += label_of(gold, where)
            counts[strategies[strategy], own[task]] += 1
    return labels


def lines_of(
    table: CsvTable, path: Path, columns: Collection[str]
) -> Iterator[tuple[str, list[str]]]:
    """Yield the place and the cells of each line."""
    for name in columns:
        if name not in table.columns:
            expected = f"expected the columns {', '.join(columns)}"
            raise MalformedError(Finding(CLAUSE, f"{path}:1", f"has no column {name!r}", expected))
    for line, cells in table:
        yield f"{path}:{line}", [cells[name] for name in columns]


def unknown(where: str, problem: str, known: Iterable[str]) -> NoReturn:
    """Refuse a line that names what is not there; say what is."""
    remedy = f"there is {', '.join(map(repr, [*known][:3]))}, ..."
    raise MalformedError(Finding(CLAUSE, where, problem, remedy))


def write_gold(path: Path, rows: Iterable[tuple[str, Domain, str, float]]) -> None:
    """Write labels in the order of their lines, as `read_gold` reads them.

    Raises: WorldError if the disk fails.
    """
    write_text(path, [csv_text([COLUMNS, *sorted(rows)])])


def label_of(cell: str, where: str) -> float:
    """Return how right a label says an answer is.

    Raises: MalformedError if it says nothing of the kind.
    """
    try:
        value = _WORDS[cell] if cell in _WORDS else float(decimal(cell))
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise MalformedError(Finding(CLAUSE, where, f"gold {cell!r} is no label", _EXPECTED))
    return value


def quality_of(
    labels: Mapping[Domain, Labels], table: VerdictTable, config: Configuration
) -> Quality | NotMeasured:
    """Return what labels say of a measurement, or why they say nothing (Reading R91)."""
    return quality(
        {
            domain: judged_of(
                table.counts[domain], *labels[domain], (config.groups or {}).get(domain)
            )
            for domain in table.domains.names
        },
        [strategy.name for strategy in config.strategies],
        rounds=config.rounds,
        rule=config.rule,
    )
