"""Gold for recorded verdicts from a file of its own: labels of answers by author, or of pairs.

It is a file as `epc.records.gold` reads it, whose strategies are authors; or one with the columns
`item` and `gold`, which says of a pair whether a or b is better, or neither (tie).
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from epc.arrays import np
from epc.digests import sha256
from epc.errors import Finding, MalformedError
from epc.records.csv_tables import table_of
from epc.records.gold import CLAUSE, COLUMNS, label_of, lines_of, unknown
from epc.records.observed.columns import Column, Verdicts
from epc.records.observed.names import PASSES, SIDES

PAIRS: Final = ("item", "gold")
_SIDES: Final = ("a", "b", "tie")

# Of an author's answer to a domain's question, by its digest or item: the labels' sum and number.
AnswersGold = Mapping[tuple[str, str, str], tuple[float, int]]


def joined(path: Path, verdicts: Verdicts) -> tuple[Verdicts, AnswersGold | None]:
    """Return recorded verdicts with the labels of a file.

    Labels of pairs are the verdicts' own, as if they had stood there; those of authors' answers
    stand beside them.

    Raises: MalformedError at the first line that cannot be joined; WorldError if the disk fails.
    """
    with table_of(path, CLAUSE) as table:
        if "item" in table.columns and "strategy" not in table.columns:
            return _with_pairs(lines_of(table, path, PAIRS), verdicts), None
        return verdicts, _of_answers(lines_of(table, path, COLUMNS), verdicts, path)


def _with_pairs(lines: Iterator[tuple[str, list[str]]], verdicts: Verdicts) -> Verdicts:
    alone = {*verdicts.b_sha256.names} <= {sha256("fail")}
    words = {**(PASSES if alone else SIDES), **{side: side for side in _SIDES}}
    items = _items(verdicts)
    gold = np.full(len(verdicts.item.names) + 1, -1, np.int32)
    for where, (item, cell) in lines:
        if item not in items:
            unknown(where, f"the verdicts have no item {item!r}", items)
        side = words.get(cell.strip().lower())
        if side is None:
            raise MalformedError(
                Finding(CLAUSE, where, f"gold {cell!r} is no label", "a, b or tie")
            )
        (code, *others), label = items[item], _SIDES.index(side)
        if others:
            problem = f"{item!r} has {len(others) + 1} pairs of answers"
            remedy = f"label who wrote them: {','.join(COLUMNS)}"
            raise MalformedError(Finding(CLAUSE, where, problem, remedy))
        if gold[code] not in (-1, label):
            problem = f"{item!r} has another label before"
            raise MalformedError(Finding(CLAUSE, where, problem, "keep one of them"))
        gold[code] = label
    return replace(verdicts, gold=Column(codes=gold[verdicts.item.codes], names=[*_SIDES]))


def _of_answers(
    lines: Iterator[tuple[str, list[str]]], verdicts: Verdicts, path: Path
) -> AnswersGold:
    authors = {*verdicts.a_by.names, *verdicts.b_by.names}
    if not authors:
        problem = "the verdicts do not say who wrote the answers, so labels of strategies fit none"
        raise MalformedError(Finding(CLAUSE, str(path), problem, f"label pairs: {','.join(PAIRS)}"))
    domains, questions = _questions(verdicts)
    labels: dict[tuple[str, str, str], tuple[float, int]] = {}
    for where, (strategy, domain, task, cell) in lines:
        keys = {sha256(task), sha256(f"{domain}/{task}"), task}
        own = [questions[domain, key] for key in keys if (domain, key) in questions]
        if strategy not in authors:
            unknown(where, f"the verdicts have no author {strategy!r}", sorted(authors))
        if domain not in domains:
            unknown(where, f"the verdicts have no domain {domain!r}", sorted(domains))
        if not own:
            known = [key for of, key in questions if of == domain and key not in questions.values()]
            unknown(where, f"the verdicts have no task {task!r} of {domain}", known)
        place = strategy, domain, own[0]
        total, count = labels.get(place, (0.0, 0))
        labels[place] = total + label_of(cell, where), count + 1
    return labels


def _items(verdicts: Verdicts) -> dict[str, list[int]]:
    """Return the items of a name: a table's have the two answers' digests after its own name."""
    names, items = verdicts.item.names, dict[str, list[int]]()
    for code, name in enumerate(names):
        items.setdefault(name.rsplit("/", 2)[0], []).append(code)
    return items | {name: [code] for code, name in enumerate(names)}


def _questions(verdicts: Verdicts) -> tuple[set[str], dict[tuple[str, str], str]]:
    """Return the domains, and each one's questions by what a file of labels may call them."""
    known = np.stack([verdicts.subset.codes, verdicts.question_sha256.codes, verdicts.item.codes])
    digests = [*verdicts.question_sha256.names, ""]
    questions: dict[tuple[str, str], str] = {}
    for subset, question, item in np.unique(known[:, known[0] >= 0], axis=1).T.tolist():
        domain, name = verdicts.subset.names[subset], verdicts.item.names[item]
        key = digests[question] or name
        questions |= {(domain, each): key for each in (name, name.rsplit("/", 2)[0], key)}
    return {domain for domain, _ in questions}, questions
