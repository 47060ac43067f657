"""Gold: labels of what is right that are not the evaluator's, of a measurement's answers.

It is a CSV file with a line for each label: `strategy`, `domain`, `task` and `gold`. Gold is how
right the strategy's answer to the task is, from 0 to 1, or says of the pair that was compared
whether the strategy's answer (A) or the baseline's (B) is better, or neither (tie). Labels of
several people are several lines.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from epc.arrays import Array, np
from epc.audit.quality import Quality, judged_of, quality
from epc.errors import Finding, MalformedError
from epc.protocol.config import Configuration
from epc.protocol.table import VerdictTable
from epc.records.csv_tables import table_of
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
        for name in COLUMNS:
            if name not in table.columns:
                expected = f"expected the columns {', '.join(COLUMNS)}"
                raise MalformedError(
                    Finding(CLAUSE, f"{path}:1", f"has no column {name!r}", expected)
                )
        for line, cells in table:
            strategy, domain, task, gold = (cells[name] for name in COLUMNS)
            own = tasks.get(domain, {})
            for what, name, known in (
                ("domain", domain, tasks),
                ("strategy", strategy, strategies),
                ("task", task, own),
            ):
                if name not in known:
                    problem = f"the measurement has no {what} {name!r}"
                    remedy = f"it has {', '.join(map(repr, [*known][:3]))}, ..."
                    raise MalformedError(Finding(CLAUSE, f"{path}:{line}", problem, remedy))
            sums, counts = labels[domain]
            sums[strategies[strategy], own[task]] += _label(gold, f"{path}:{line}")
            counts[strategies[strategy], own[task]] += 1
    return labels


def _label(cell: str, where: str) -> float:
    try:
        value = _WORDS[cell] if cell in _WORDS else float(cell)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise MalformedError(Finding(CLAUSE, where, f"gold {cell!r} is no label", _EXPECTED))
    return value


def quality_of(
    labels: Mapping[Domain, Labels], table: VerdictTable, config: Configuration
) -> Quality | str:
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
