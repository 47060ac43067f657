"""Gold: labels of what is right that are not the evaluator's, of a measurement's answers.

It is a CSV file with a line for each label: `strategy`, `domain`, `task` and `gold`. Gold is how
right the strategy's answer to the task is, from 0 to 1, or says of the pair that was compared
whether the strategy's answer (A) or the baseline's (B) is better, or neither (tie). Labels of
several people are several lines.

Of recorded verdicts the strategies are authors; or the file has the columns `item` and `gold`, and
says of a pair whether a or b is better, or neither (tie).
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Final, NoReturn

from epc.arrays import Array, np
from epc.audit.quality import Quality, judged_of, quality
from epc.digests import sha256
from epc.errors import Finding, MalformedError
from epc.protocol.config import Configuration
from epc.protocol.table import VerdictTable
from epc.records.csv_tables import CsvTable, csv_text, decimal, table_of
from epc.records.strict_json import write_text
from epc.records.verdicts.verdict_words import PASSES, SIDES
from epc.spec.coupling import NotMeasured
from epc.spec.domains import Domain

if TYPE_CHECKING:
    from epc.records.verdicts.columns import Verdicts

CLAUSE: Final = "R91"
COLUMNS: Final = ("strategy", "domain", "task", "gold")
_WORDS: Final = {"A": 1.0, "B": 0.0, "tie": 0.5}
_EXPECTED: Final = "a number from 0 to 1, or A, B or tie"

Labels = tuple[Array, Array]  # their sum and their number, (K, tasks) each


def read_gold(path: Path, config: Configuration) -> dict[Domain, Labels]:
    """Return the labels of a measurement's strategies and tasks, by domain.

    Raises: MalformedError at the first line that cannot be used; WorldError if the disk fails.
    """
    strategies = {strategy.name: index for index, strategy in enumerate(config.strategies)}
    tasks = {
        d: {task: index for index, task in enumerate(domain_tasks)}
        for d, domain_tasks in config.tasks.items()
    }
    shapes = {
        domain: (len(strategies), len(domain_tasks)) for domain, domain_tasks in tasks.items()
    }
    labels = {domain: (np.zeros(shape), np.zeros(shape)) for domain, shape in shapes.items()}
    with table_of(path, CLAUSE) as table:
        for where, (strategy, domain, task, gold) in _lines_of(table, path, COLUMNS):
            domain_tasks = tasks.get(domain, {})
            for kind, name, names in (
                ("domain", domain, tasks),
                ("strategy", strategy, strategies),
                ("task", task, domain_tasks),
            ):
                if name not in names:
                    _unknown(where, f"the measurement has no {kind} {name!r}", names)
            sums, counts = labels[domain]
            sums[strategies[strategy], domain_tasks[task]] += label_of(gold, where)
            counts[strategies[strategy], domain_tasks[task]] += 1
    return labels


def rightness(path: Path) -> dict[str, float]:
    """Return how right each strategy's labelled answers are, over its tasks.

    Empty where a label compares two answers: that one of them is better says of none that it is
    right.

    Raises: MalformedError at the first line that cannot be used; WorldError if the disk fails.
    """
    by_task: dict[tuple[str, str, str], list[float]] = {}
    with table_of(path, CLAUSE) as table:
        for place, (strategy, domain, task, gold) in _lines_of(table, path, COLUMNS):
            if gold in _WORDS:
                return {}
            by_task.setdefault((strategy, domain, task), []).append(label_of(gold, place))
    by_strategy: dict[str, list[float]] = {}
    for (strategy, _, _), labels in by_task.items():
        by_strategy.setdefault(strategy, []).append(fmean(labels))
    return {strategy: fmean(values) for strategy, values in by_strategy.items()}


def _lines_of(
    table: CsvTable, path: Path, columns: Collection[str]
) -> Iterator[tuple[str, list[str]]]:
    """Yield the place and the cells of each line."""
    for name in columns:
        if name not in table.columns:
            expected = f"expected the columns {', '.join(columns)}"
            raise MalformedError(Finding(CLAUSE, f"{path}:1", f"has no column {name!r}", expected))
    for line, cells in table:
        yield f"{path}:{line}", [cells[name] for name in columns]


def _unknown(where: str, problem: str, names: Iterable[str]) -> NoReturn:
    """Refuse a line that names what is not there; say what is."""
    remedy = f"there is {', '.join(map(repr, [*names][:3]))}, ..."
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


PAIRS: Final = ("item", "gold")
DRAWN_BY: Final = "drawn_by"
_SIDES: Final = ("a", "b", "tie")

# Of an author's answer to a domain's question, by its digest or item: the labels' sum and number.
AnswersGold = Mapping[tuple[str, str, str], tuple[float, int]]


def joined(path: Path, verdicts: "Verdicts") -> "tuple[Verdicts, AnswersGold | None]":
    """Return recorded verdicts with the labels of a file.

    Labels of pairs are the verdicts' own, as if they had stood there; those of authors' answers
    stand beside them.

    Raises: MalformedError at the first line that cannot be joined; WorldError if the disk fails.
    """
    with table_of(path, CLAUSE) as table:
        if "item" in table.columns and "strategy" not in table.columns:
            return _with_pairs(_lines_of(table, path, PAIRS), verdicts, path), None
        labels = _of_answers(_lines_of(table, path, COLUMNS), verdicts, path)
    if not labels:
        _refuse_empty(path)
    return verdicts, labels


def drawn_by(path: Path) -> frozenset[str]:
    """Return the judges by whose verdicts the rows of a file of labels were drawn.

    A page of labels draws as many of what a judge passed as of what it failed, and says so in the
    column `drawn_by`. Nothing is known of how another file's rows were drawn.

    Raises: MalformedError if it is no table; WorldError if the disk fails.
    """
    with table_of(path, CLAUSE) as table:
        if DRAWN_BY not in table.columns:
            return frozenset()
        return frozenset(cells[DRAWN_BY].strip() for _, cells in table) - {""}


def _refuse_empty(path: Path) -> NoReturn:
    expected = f"expected a line for each label: {','.join(PAIRS)} or {','.join(COLUMNS)}"
    raise MalformedError(Finding(CLAUSE, f"{path}:1", "holds no label", expected))


def _with_pairs(
    lines: Iterator[tuple[str, list[str]]], verdicts: "Verdicts", path: Path
) -> "Verdicts":
    if verdicts.a_score.names and not (verdicts.verdict.names or verdicts.b_sha256.names):
        return _with_scores(lines, verdicts, path)
    alone = {*verdicts.b_sha256.names} <= {sha256("fail")}
    labels = {**(PASSES if alone else SIDES), **{side: side for side in _SIDES}}
    items = _items(verdicts)
    gold = np.full(len(verdicts.item.names) + 1, -1, np.int32)
    for where, (item, cell) in lines:
        if item not in items:
            _unknown(where, f"the verdicts have no item {item!r}", items)
        side = labels.get(cell.strip().lower())
        if side is None:
            raise MalformedError(
                Finding(CLAUSE, where, f"gold {cell!r} is no label", "a, b or tie")
            )
        (code, *further), label = items[item], _SIDES.index(side)
        if further:
            problem = f"{item!r} has {len(further) + 1} pairs of answers"
            remedy = f"label who wrote them: {','.join(COLUMNS)}"
            raise MalformedError(Finding(CLAUSE, where, problem, remedy))
        if gold[code] not in (-1, label):
            problem = f"{item!r} has another label before"
            raise MalformedError(Finding(CLAUSE, where, problem, "keep one of them"))
        gold[code] = label
    if (gold < 0).all():
        _refuse_empty(path)
    column = replace(verdicts.gold, codes=gold[verdicts.item.codes], names=[*_SIDES])
    return replace(verdicts, gold=column)


def _with_scores(
    lines: Iterator[tuple[str, list[str]]], verdicts: "Verdicts", path: Path
) -> "Verdicts":
    """Return scores of single answers with what people gave these: a number, or pass and fail."""
    items = {name: code for code, name in enumerate(verdicts.item.names)}
    scores = np.full(len(items) + 1, np.nan)
    for where, (item, cell) in lines:
        if item not in items:
            _unknown(where, f"the verdicts have no item {item!r}", items)
        side = PASSES.get(cell.strip().lower())
        try:
            score = float(decimal(cell)) if side is None else float(side == "a")
        except ValueError:
            remedy = "a number on the judge's scale, or pass or fail"
            problem = f"gold {cell!r} is no label"
            raise MalformedError(Finding(CLAUSE, where, problem, remedy)) from None
        before = scores[items[item]]
        if not np.isnan(before) and before != score:
            problem = f"{item!r} has another label before"
            raise MalformedError(Finding(CLAUSE, where, problem, "keep one of them"))
        scores[items[item]] = score
    names = sorted({*scores[~np.isnan(scores)].tolist()})
    if not names:
        _refuse_empty(path)
    places = {name: place for place, name in enumerate(names)}
    codes = np.array([places.get(score, -1) for score in scores.tolist()], np.int32)
    column = replace(verdicts.human_score, codes=codes[verdicts.item.codes], names=names)
    return replace(verdicts, human_score=column)


def _of_answers(
    lines: Iterator[tuple[str, list[str]]], verdicts: "Verdicts", path: Path
) -> AnswersGold:
    authors = {*verdicts.a_by.names, *verdicts.b_by.names}
    if not authors:
        problem = "the verdicts do not say who wrote the answers, so labels of strategies fit none"
        raise MalformedError(Finding(CLAUSE, str(path), problem, f"label pairs: {','.join(PAIRS)}"))
    domains, questions = _questions(verdicts)
    labels: dict[tuple[str, str, str], tuple[float, int]] = {}
    for where, (strategy, domain, task, cell) in lines:
        keys = {sha256(task), sha256(f"{domain}/{task}"), task}
        matches = [questions[domain, key] for key in keys if (domain, key) in questions]
        if strategy not in authors:
            _unknown(where, f"the verdicts have no author {strategy!r}", sorted(authors))
        if domain not in domains:
            _unknown(where, f"the verdicts have no domain {domain!r}", sorted(domains))
        if not matches:
            choices = [
                key
                for key_domain, key in questions
                if key_domain == domain and key not in questions.values()
            ]
            _unknown(where, f"the verdicts have no task {task!r} of {domain}", choices)
        place = strategy, domain, matches[0]
        total, count = labels.get(place, (0.0, 0))
        labels[place] = total + label_of(cell, where), count + 1
    return labels


def _items(verdicts: "Verdicts") -> dict[str, list[int]]:
    """Return the items of a name: a table's have the two answers' digests after its own name."""
    names, items = verdicts.item.names, dict[str, list[int]]()
    for code, name in enumerate(names):
        items.setdefault(name.rsplit("/", 2)[0], []).append(code)
    return items | {name: [code] for code, name in enumerate(names)}


def _questions(verdicts: "Verdicts") -> tuple[set[str], dict[tuple[str, str], str]]:
    """Return the domains, and each one's questions by what a file of labels may call them."""
    codes = np.stack([verdicts.subset.codes, verdicts.question_sha256.codes, verdicts.item.codes])
    digests = [*verdicts.question_sha256.names, ""]
    questions: dict[tuple[str, str], str] = {}
    for subset, question, item in np.unique(codes[:, codes[0] >= 0], axis=1).T.tolist():
        domain, name = verdicts.subset.names[subset], verdicts.item.names[item]
        key = digests[question] or name
        questions |= {(domain, alias): key for alias in (name, name.rsplit("/", 2)[0], key)}
    return {domain for domain, _ in questions}, questions
