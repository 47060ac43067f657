"""A bank: several answers to each item, what judges scored them at each asking, and their labels.

It is a CSV file with a line for each score: `item`, `response`, `judge`, `score`; and, where they
are known, `domain`, `gold`, `asking`, and `group` for items that belong together (Reading R94). Or
it is a Parquet file with all of these but `group`: `snapshots/bank.parquet` is one, and
`pipeline/bank.py` makes it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, ValidationError, convert

from epc.arrays import Array, Codes, Flags, np
from epc.errors import Finding, MalformedError
from epc.extras import require
from epc.records.csv_tables import table_of
from epc.records.verdicts.checking import misread
from epc.records.verdicts.parquet import columns_of
from epc.records.verdicts.types import Name, Score

CLAUSE: Final = "R94"
COLUMNS: Final = ("item", "domain", "response", "gold", "judge", "asking", "score")
_GOLD, _SCORE = "gold", "score"
_MOST_ASKINGS: Final = 1000
NEEDED: Final = ("item", "response", "judge", "score")
_EXPECTED: Final = f"a line for each score, with the columns {', '.join(NEEDED)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bank:
    """Scores of one judge, of the items that it scored as often as most, without a gap.

    An item is a number that all judges of a file share, as `cluster` and the places in `domains`
    are. `gold` is NaN where there is no label. `left_out` counts the other items. Where lists came
    in several arrangements (`arranged`), an asking is the first one in another arrangement.

    Shapes: (items,); scores (items, askings, answers), gold (items, answers).
    """

    judge: str
    item: Codes
    cluster: Codes
    domain: Codes
    domains: Sequence[str]
    scores: Array
    gold: Array
    left_out: int
    arranged: bool = False

    def __getitem__(self, chosen: Codes | Flags) -> "Bank":
        parts = {name: getattr(self, name)[chosen] for name in _OF_ITEM}
        common = {n: getattr(self, n) for n in ("judge", "domains", "left_out", "arranged")}
        return Bank(**parts, **common)


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedBank:
    """Scores that all judges of a Parquet file gave the same items.

    Shapes: gold (items, responses); each judge's scores (items, responses, askings).
    A score that is missing is NaN, and so is the gold of a response that is not there.
    """

    items: tuple[str, ...]
    domains: tuple[str, ...]
    gold: Array
    scores: Mapping[str, Array]


_OF_ITEM: Final = ("item", "cluster", "domain", "scores", "gold")


class _Line(Struct, frozen=True, kw_only=True):
    """A score, or none, of one response."""

    item: Name
    response: Name
    judge: Name
    score: Score | None = None
    domain: str = "all"
    gold: Score | None = None
    asking: str = ""
    group: str | None = None


def is_bank(path: Path) -> bool:
    """Return whether a file is a Parquet bank."""
    if path.suffix != ".parquet":
        return False
    require("data")
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return {*COLUMNS} <= {*pq.read_schema(path).names}
    except (pa.ArrowException, OSError):
        return False


def shared_bank(content: bytes) -> SharedBank:
    """Return what all judges of a Parquet file scored.

    Raises: UsageError if it is no such table; MissingExtraError without pyarrow.
    """
    table = columns_of(content, COLUMNS)
    item, domain, response, _, judge, asking, _ = (table.codes[name] for name in COLUMNS)
    items, domains, responses, _, judges, *_ = (table.names[name] for name in COLUMNS)
    gold = np.full((len(items), len(responses)), np.nan)
    gold[item, response] = table.numbers(_GOLD)
    scores, score = {}, table.numbers(_SCORE)
    for number, name in enumerate(judges):
        mask = judge == number
        scores[name] = np.full((*gold.shape, 1 + asking[mask].max()), np.nan)
        scores[name][item[mask], response[mask], asking[mask]] = score[mask]
    of_item = np.empty(len(items), np.int64)
    of_item[item] = domain
    return SharedBank(
        items=tuple(items),
        domains=tuple(domains[code] for code in of_item),
        gold=gold,
        scores=scores,
    )


def read_banks(path: Path) -> list[Bank]:
    """Return what each judge of a table of scores scored: of a CSV file, or of a Parquet bank.

    Raises: MalformedError at the first line that cannot be used; WorldError if the disk fails.
    """
    if is_bank(path):
        return _of_parquet(path.read_bytes())
    lines: list[_Line] = []
    numbers: list[int] = []
    with table_of(path, CLAUSE) as table:
        if lacking := [name for name in NEEDED if name not in table.columns]:
            problem = f"has no column {lacking[0]!r}"
            raise MalformedError(Finding(CLAUSE, f"{path}:1", problem, f"expected {_EXPECTED}"))
        numbered = "asking" in table.columns
        for number, cells in table:
            fields = {name: cell for name, cell in cells.items() if cell.strip()}
            try:
                lines.append(convert(fields, _Line, strict=False))
            except ValidationError as error:
                finding = misread(str(error), "", f"expected {_EXPECTED}")
                where = f"{path}:{number}{finding.where}"
                raise MalformedError(
                    Finding(CLAUSE, where, finding.problem, finding.remedy)
                ) from error
            numbers.append(number)
    if not lines:
        raise MalformedError(Finding(CLAUSE, str(path), "holds no score", f"expected {_EXPECTED}"))
    return _banks(path, lines, numbers, numbered=numbered)


def _banks(
    path: Path, lines: Sequence[_Line], line_numbers: Sequence[int], *, numbered: bool
) -> list[Bank]:
    judges, judge = _codes(line.judge for line in lines)
    _, item = _codes(line.item for line in lines)
    _, response = _codes((line.item, line.response) for line in lines)
    _, group = _codes(line.group or line.item for line in lines)
    domains, domain = _codes(line.domain for line in lines)
    askings, asking = _codes(line.asking for line in lines)
    if len(askings) > _MOST_ASKINGS:
        problem = f"has {len(askings):,} different askings"
        remedy = "number the times that a judge was asked about an answer: 1, 2, ..."
        raise MalformedError(Finding(CLAUSE, str(path), problem, remedy))
    order = np.lexsort((np.array(line_numbers), asking, response, item, judge))
    columns = np.stack([judge, item, response, group, domain, asking])[:, order]
    if numbered:
        duplicate = (np.diff(columns[[0, 2, 5]]) == 0).all(axis=0)
        if duplicate.any():
            where = f"{path}:{np.array(line_numbers)[order][1:][duplicate].min()}"
            problem = "is the same judge's same asking about the same response a second time"
            raise MalformedError(Finding(CLAUSE, where, problem, "number the askings, or drop one"))
    else:
        columns[5] = _places(columns[[0, 2]])
    values = np.array([(line.score, line.gold) for line in lines], np.float64).T[:, order]
    return _by_judge(judges, columns, values, domains)


def _of_parquet(content: bytes) -> list[Bank]:
    table = columns_of(content, COLUMNS)
    item, domain, response, _, judge, asking, _ = (table.codes[name] for name in COLUMNS)
    _, domains, responses, _, judges, *_ = (table.names[name] for name in COLUMNS)
    columns = np.stack([judge, item, item * len(responses) + response, item, domain, asking])
    values = np.stack([table.numbers(_SCORE), table.numbers(_GOLD)])
    order = np.lexsort(columns[[5, 2, 1, 0]])
    return _by_judge(judges, columns[:, order], values[:, order], domains)


def _by_judge(
    judges: Sequence[str], columns: Codes, values: Array, domains: Sequence[str]
) -> list[Bank]:
    return [
        _bank(name, columns[1:, mask], values[:, mask], domains)
        for code, name in enumerate(judges)
        for mask in [columns[0] == code]
    ]


def _codes(values: Iterable[Any]) -> tuple[list[Any], Codes]:
    """Return the values, each once as they first come, and the place of each among them."""
    code_of: dict[Any, int] = {}
    codes = [code_of.setdefault(value, len(code_of)) for value in values]
    return [*code_of], np.array(codes, np.int64)


def _places(keys: Codes) -> Codes:
    """Return the place of each line among those of equal keys, which stand together."""
    new = np.concatenate([[True], (np.diff(keys) != 0).any(axis=0)])
    places: Codes = np.arange(len(new)) - np.flatnonzero(new)[np.cumsum(new) - 1]
    return places


def _bank(judge: str, columns: Codes, numbers: Array, domains: Sequence[str]) -> Bank:
    """Return one judge's scores; lines are sorted by item, response and asking."""
    item, response, group, domain, asking = columns
    score, gold = numbers
    items, first, place = np.unique(item, return_index=True, return_inverse=True)
    answer = np.concatenate([[0], np.cumsum(np.diff(response) != 0)])
    answer -= answer[first][place]  # among the answers of its item
    shape = (len(items), int(asking.max()) + 1, int(answer.max()) + 1)
    scores, labels = np.full(shape, np.nan), np.full((shape[0], shape[2]), np.nan)
    scores[place, asking, answer] = score
    labels[place, answer] = gold
    return complete(
        Bank(
            judge=judge,
            item=items,
            cluster=group[first],
            domain=domain[first],
            domains=domains,
            scores=scores,
            gold=labels,
            left_out=0,
        )
    )


def complete(bank: Bank) -> Bank:
    """Return the items that have as many answers and askings as most do, all with a score.

    Of an item that was asked about more often the first askings count.
    """
    present = ~np.isnan(bank.scores)
    answers = present.any(axis=1).sum(axis=1)
    width = _most_common(answers)
    full = present[:, :, :width].all(axis=2)
    askings = full.sum(axis=1)
    often = _most_common(askings[(answers == width) & (askings > 0)])
    chosen = (answers == width) & (askings >= often) & (often > 0)
    order = np.argsort(~full, axis=1, kind="stable")[:, :often, None]
    scores = np.take_along_axis(bank.scores[:, :, :width], order, axis=1)
    parts = {name: getattr(bank, name)[chosen] for name in ("item", "cluster", "domain")}
    return Bank(
        judge=bank.judge,
        domains=bank.domains,
        scores=scores[chosen],
        gold=bank.gold[chosen, :width],
        left_out=bank.left_out + int((~chosen).sum()),
        arranged=bank.arranged,
        **parts,
    )


def _most_common(counts: Codes) -> int:
    """Return the most common count, the larger of two that are as common."""
    if not len(counts):
        return 0
    often = np.bincount(counts)
    return len(often) - 1 - int(np.argmax(often[::-1]))
