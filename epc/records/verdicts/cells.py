"""Cells of a table of verdicts by column: CSV, JSON, JSON Lines, Excel or Parquet, in one form.

Each column holds each value once. Of a long text only its digest and its length are kept.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, Final, NoReturn

from epc.arrays import Indices, np
from epc.errors import Finding, MalformedError, UsageError, refuse
from epc.json_text import Reader, storable
from epc.records.csv_tables import table_of
from epc.records.findings import Causes
from epc.records.strict_json import text_of
from epc.records.tables import kind_of, rows_of
from epc.records.verdicts.aliases import (
    META,
    OUTCOMES,
    PAGE,
    PAGINATION,
    TOTAL_PAGES,
    TOTALPAGES,
    plain,
)
from epc.records.verdicts.columns import Column
from epc.records.verdicts.converting import digest
from epc.records.verdicts.verdict_words import MISSING

_LONG: Final = 200  # characters from which on only a digest of a cell is kept
_BATCH: Final = 50_000
_DEEPEST: Final = 3  # of lists of rows in a document
_FEWEST_LINES: Final = 3
_MOST_COLUMNS: Final = 1_000
_JUDGED: Final = re.compile("judge|human|gold|verdict|score")
_GAMES: Final = "games"
_ORDERS: Final = ("a", "b")


class LongText(str):
    """Beginning of a long cell with the whole cell's digest and length."""

    __slots__ = ("length", "sha256")
    length: int
    sha256: str


def shrunk(cell: str) -> str:
    """Return a cell, or what is kept of a long one."""
    if len(cell) <= _LONG:
        return cell
    sha256 = digest(storable(cell))
    digest_cell = LongText(f"{cell[:_LONG]} ... {sha256}")
    digest_cell.length, digest_cell.sha256 = len(cell), sha256
    return digest_cell


def sha256_of(cell: str) -> str:
    """Return the digest of a cell's text."""
    return cell.sha256 if isinstance(cell, LongText) else digest(cell)


def length_of(cell: str) -> int:
    """Return the number of characters of a cell's text."""
    return cell.length if isinstance(cell, LongText) else len(cell)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """A table by column, and the line of each row.

    `notes` say what was read of a document that holds more, `ragged` has the lines that are no
    rows by what is wrong with them, `lists` the names of the lists among which a user must choose.
    """

    lines: Indices
    columns: Mapping[str, Column]
    notes: Sequence[str] = ()
    ragged: Mapping[str, Sequence[int]] = field(default_factory=dict)
    lists: Sequence[str] = ()

    def __len__(self) -> int:
        return len(self.lines)

    def counts(self, name: str) -> Counter[str]:
        """Return how often a column has each value; empty and missing cells are none."""
        column = self.columns[name]
        numbers = np.bincount(column.codes, minlength=len(column.names)).tolist()
        counted: Counter[str] = Counter()
        for value, number in zip(column.names, numbers, strict=True):
            stripped = value.strip()
            if number and stripped and stripped.lower() not in MISSING:
                counted[stripped] += number
        return counted

    def cells(self, name: str) -> Iterator[str]:
        """Yield a column's cells, row by row."""
        column = self.columns[name]
        return map(column.names.__getitem__, column.codes.tolist())

    def with_column(self, name: str, cells: Sequence[str]) -> "Cells":
        """Return the table with one column more."""
        coder = _Coder()
        coder.add(cells)
        return replace(self, columns={**self.columns, name: coder.column()})


class _Coder(dict[str, int]):
    """Codes of a column's values; a new value gets the next one."""

    def __init__(self, before: int = 0) -> None:
        super().__init__()
        self._parts: list[Indices] = []
        if before:  # rows of JSON may get a key late
            self.add([""] * before)

    def __missing__(self, value: str) -> int:
        code = self[value] = len(self)
        return code

    def add(self, cells: Sequence[str], *, with_texts: bool = False) -> None:
        """Take further cells."""
        if not with_texts and max(map(len, cells), default=0) > _LONG:
            cells = [*map(shrunk, cells)]
        self._parts.append(np.fromiter(map(self.__getitem__, cells), np.int32, len(cells)))

    def column(self) -> Column:
        """Return the column."""
        codes = np.concatenate([np.zeros(0, np.int32), *self._parts])
        return Column(codes=codes, names=[*self])


def read(
    source: Path, clause: str, causes: Causes, *, rows: str = "", texts: bool = False
) -> Cells:
    """Return a table; `rows` is the path of a document's list of rows.

    Raises: MalformedError if it is no table; WorldError if it cannot be read.
    """
    kind = kind_of(source)
    if kind == "csv":
        if rows:
            _refuse_rows(source, rows)
        return _of_csv(source, clause, causes, with_texts=texts)
    notes: list[str] = []
    lists: list[str] = []
    if kind == "json":
        value, problems = Reader(foreign=True).parse(text_of(source, clause).removeprefix("\ufeff"))
        refuse(problems)
        if rows and isinstance(value, list):
            _refuse_rows(source, rows)
        numbered = [*enumerate(_rows_within(value, rows, notes, lists), 1)]
    else:
        numbered = [
            (int(row.place.rpartition(" ")[2]), row.value) for row in rows_of(source, clause=clause)
        ]
        is_document = len(numbered) == 1 and _holds_rows(numbered[0][1])
        if rows and not is_document:
            _refuse_rows(source, rows)
        if is_document:  # on one line
            numbered = [*enumerate(_rows_within(numbered[0][1], rows, notes, lists), 1)]
        elif _begins_with_header(numbered):
            notes.append(f"line {numbered[0][0]} has no key of the other lines: facts of the file")
            del numbered[0]
    cells = _of_rows(numbered, clause, with_texts=texts)
    return replace(cells, notes=notes, lists=lists)


def _refuse_rows(source: Path, rows: str) -> NoReturn:
    raise UsageError(f"--rows {rows}: {source.name} is one list of rows\n  fix: leave it out")


def _of_csv(source: Path, clause: str, causes: Causes, *, with_texts: bool) -> Cells:
    ragged: dict[str, list[int]] = {}
    with table_of(source, clause, causes, ragged) as table:
        _bound(len(table.columns), clause)
        coders = {name: _Coder() for name in table.columns}
        lines: list[Indices] = []
        remaining = table.rows()
        while part := list(islice(remaining, _BATCH)):
            lines.append(np.array([line for line, _ in part], np.int32))
            for coder, cells in zip(
                coders.values(), zip(*(row for _, row in part), strict=True), strict=True
            ):
                coder.add(cells, with_texts=with_texts)
    return Cells(
        lines=np.concatenate([np.zeros(0, np.int32), *lines]),
        columns={name: coder.column() for name, coder in coders.items()},
        ragged=ragged,
    )


def _bound(columns: int, clause: str) -> None:
    """Refuse a table that nobody could look through, before each column is looked at."""
    if columns > _MOST_COLUMNS:
        problem = f"has {columns:,} columns, expected at most {_MOST_COLUMNS:,}"
        remedy = "keep the columns that hold verdicts, labels and who gave them"
        raise MalformedError(Finding(clause, "", problem, remedy))


def _of_rows(numbered: Iterable[tuple[int, Any]], clause: str, *, with_texts: bool) -> Cells:
    coders: dict[str, _Coder] = {}
    lines: list[int] = []
    flat = (
        (line, row) for line, value in numbered for row in _flat_rows(value) if any(row.values())
    )
    while part := list(islice(flat, _BATCH)):
        for name in dict.fromkeys(name for _, row in part for name in row):
            if name not in coders:
                coders[name] = _Coder(before=len(lines))
        _bound(len(coders), clause)
        lines += [line for line, _ in part]
        for name, coder in coders.items():
            coder.add([row.get(name, "") for _, row in part], with_texts=with_texts)
    return Cells(
        lines=np.array(lines, np.int32),
        columns={name: coder.column() for name, coder in coders.items()},
    )


def _flat_rows(value: Any) -> Iterator[dict[str, str]]:
    """Yield a row; one with the `games` of both orders is two, the second with `order` b."""
    games = value.get(_GAMES) if isinstance(value, dict) else None
    if not (isinstance(games, list) and games and all(isinstance(game, dict) for game in games)):
        yield dict(_flat(value))
        return
    outside = dict(_flat({key: inner for key, inner in value.items() if key != _GAMES}))
    for order, game in zip(_ORDERS, games, strict=False):
        yield {**outside, **dict(_flat(game)), "shown_first": order}


def _flat(value: Any, above: str = "") -> Iterator[tuple[str, str]]:
    """Yield the values of a row as a table has them; what is inside another is `outer.inner`."""
    for key, inner in value.items() if isinstance(value, dict) else ():
        name = f"{above}{key}"
        if isinstance(inner, dict):
            yield from _flat(inner, f"{name}.")
        elif isinstance(inner, list | tuple):
            yield name, ";".join(map(str, inner))
        elif isinstance(inner, float) and inner.is_integer():
            yield name, str(int(inner))
        elif inner is not None:
            yield name, str(inner)


# Rows in a document -------------------------------------------------------------------------------


def _lists_in(value: Any, above: str = "", depth: int = 0) -> dict[str, list[Any]]:
    """Return the lists of objects in a document by their paths."""
    if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
        return {above: value}
    if not isinstance(value, dict) or depth == _DEEPEST:
        return {}
    lists: dict[str, list[Any]] = {}
    for key, inner in value.items():
        lists |= _lists_in(inner, f"{above}.{key}" if above else key, depth + 1)
    return lists


def _begins_with_header(numbered: Sequence[tuple[int, Any]]) -> bool:
    """Return whether the first of several lines has no key of the next two, which are alike."""
    lines = [row for _, row in numbered[:_FEWEST_LINES]]
    if len(lines) < _FEWEST_LINES or not all(isinstance(row, dict) for row in lines):
        return False
    first, second, third = lines
    return first.keys().isdisjoint(second) and not second.keys().isdisjoint(third)


def _holds_rows(value: Any) -> bool:
    return bool(_lists_in(value)) or _by_column(value) is not None


def _rows_within(value: Any, wanted: str, notes: list[str], lists: list[str]) -> Iterable[Any]:
    """Return the rows of a document; of several lists without a choice none, and their names."""
    if isinstance(value, list):
        return value
    lists_by_path = {} if _by_column(value) is not None else _lists_in(value)
    if wanted:
        if wanted not in lists_by_path:
            lists += lists_by_path or [""]
            return ()
        lists_by_path = {wanted: lists_by_path[wanted]}
    judged = {
        name: rows for name, rows in lists_by_path.items() if _is_judged(rows)
    } or lists_by_path
    if len(judged) > 1:
        lists += judged
        return ()
    for name, rows in judged.items():
        notes.append(f"the list `{name}` ({len(rows):,} rows)")
        notes += _page_of(value)
        return rows
    columns = _by_column(value)
    return [value] if columns is None else columns


def _is_judged(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether a list's rows have a verdict or a score by the names of their fields."""
    names = {plain(name.rpartition(".")[2]) for row in rows[:10] for name, _ in _flat(row)}
    return bool(names & OUTCOMES)


def _page_of(value: Mapping[str, Any]) -> Iterator[str]:
    """Yield that a document is a page of several."""
    for part in (value, value.get(META), value.get(PAGINATION)):
        if isinstance(part, dict):
            pages = part.get(TOTALPAGES, part.get(TOTAL_PAGES))
            if isinstance(pages, int) and pages > 1:
                yield f"page {part.get(PAGE, 1)} of {pages}: the other pages are not in this file"


def _by_column(value: Any) -> list[Any] | None:
    """Return the rows of an object of columns, by id or split; None if it is nothing of that."""
    match value:
        case {"columns": [*names], "data": [*rows]} if all(isinstance(row, list) for row in rows):
            return [dict(zip(map(str, names), row, strict=False)) for row in rows]
        case dict() if value and all(isinstance(part, list) for part in value.values()):
            is_table = _is_named(value) and len({*map(len, value.values())}) == 1
            cells = zip(*value.values(), strict=True) if is_table else ()
            return [dict(zip(value, row, strict=True)) for row in cells] or None
        case dict() if nested := _nested_columns(value):
            return [
                dict(zip(nested, row, strict=True)) for row in zip(*nested.values(), strict=True)
            ]
        case dict() if value and all(isinstance(part, dict) for part in value.values()):
            return _by_id(value)
    return None


def _nested_columns(value: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return the columns of an object that holds some of them in inner objects, as judges' scores.

    Columns are lists of one length, most often of the file's lists; what people or judges are
    called in their names says that they are some.
    """
    outer = {name: part for name, part in value.items() if isinstance(part, list)}
    inner = {
        f"{name}.{key}": part
        for name, parts in value.items()
        if isinstance(parts, dict)
        for key, part in parts.items()
        if isinstance(part, list)
    }
    if not inner or not outer:
        return {}
    lengths = Counter(map(len, (*outer.values(), *inner.values())))
    size = max(lengths, key=lengths.__getitem__)
    columns = {name: part for name, part in (outer | inner).items() if len(part) == size}
    is_plain = all(not isinstance(cell, dict) for part in columns.values() for cell in part)
    judged = [name for name in columns if _JUDGED.search(plain(name))]
    return columns if size > 1 and is_plain and len(judged) > 1 else {}


def _is_named(value: Mapping[str, Any]) -> bool:
    return any(plain(name) in OUTCOMES for name in value)


def _by_id(value: Mapping[str, dict[str, Any]]) -> list[Any] | None:
    """Return the rows of columns by id, or of rows by id."""
    if _is_named(value):
        ids = dict.fromkeys(key for part in value.values() for key in part)
        return [{name: part.get(key) for name, part in value.items()} for key in ids]
    if _is_judged([*value.values()]):
        return [{"item": key, **part} for key, part in value.items()]
    return None
