"""Verdicts by column: each a list of codes and the values that they stand for.

A million verdicts name few settings, items and texts. So a column holds each value once.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import count, islice
from operator import attrgetter
from typing import Any, Final

from msgspec import UNSET

from epc.arrays import Array, Codes, Flags, Indices, np
from epc.records.verdicts.types import Row

FIELDS: Final = tuple(Row.__struct_fields__)


class LazyNames(Sequence[Any]):
    """Values of a column that are made when they are asked for: a million of them fill no memory.

    Each is made of the values that some columns have in a row of `rows`.
    """

    def __init__(
        self, columns: "Sequence[Column]", rows: Indices, make: Callable[[list[Any]], Any]
    ) -> None:
        self._names = [column.names for column in columns]
        self._codes = [column.codes[rows] for column in columns]
        self._make = make

    def __len__(self) -> int:
        return len(self._codes[0])

    def __getitem__(self, index: Any) -> Any:
        cells = [
            names[code[index]] if code[index] >= 0 else None
            for names, code in zip(self._names, self._codes, strict=True)
        ]
        return self._make(cells)


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A field of all verdicts: `names[code]`, or absent where the code is -1."""

    codes: Indices
    names: Sequence[Any]

    def pruned(self) -> "Column":
        """Return the column with the values alone that some verdict has."""
        used, codes = np.unique(self.codes, return_inverse=True)
        names = [self.names[code] for code in used.tolist() if code >= 0]
        absent = int(len(used) > len(names))
        return Column(codes=(codes - absent).astype(np.int32), names=names)

    def as_numbers(self) -> Array:
        """Return the values as numbers, NaN where absent."""
        return np.array([*self.names, np.nan], dtype=np.float64)[self.codes]

    def as_places(self, labels: Sequence[str]) -> Indices:
        """Return each value's place in a list of words, -1 where it is absent or no such word."""
        places = {word: index for index, word in enumerate(labels)}
        return np.array([*(places.get(name, -1) for name in self.names), -1], np.int32)[self.codes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """All verdicts of a file by column; `lines` says where each stands in it, from 1.

    Texts are no column: they are checked against their digests while they are read.
    """

    lines: Indices
    item: Column
    setting: Column
    file: Column
    subset: Column
    group: Column
    question_sha256: Column
    a_sha256: Column
    a_length: Column
    a_by: Column
    b_sha256: Column
    b_length: Column
    b_by: Column
    first: Column
    verdict: Column
    a_score: Column
    b_score: Column
    repeat: Column
    gold: Column
    humans: Column
    human_score: Column
    human_scores: Column
    label: Column
    gold_label: Column
    human_labels: Column
    candidates: Column
    scores: Column
    picked: Column
    order: Column
    right: Column
    confidence: Column
    answer_sha256: Column
    answer_length: Column
    input_tokens: Column
    output_tokens: Column
    date: Column

    def __len__(self) -> int:
        return len(self.lines)

    def __getitem__(self, chosen: Indices | Flags | slice) -> "Verdicts":
        columns = {name: getattr(self, name) for name in COLUMNS}
        lines = self.lines[chosen]
        empty = Column(codes=np.full(len(lines), -1, np.int32), names=[])
        return Verdicts(
            lines=lines,
            **{
                name: Column(codes=column.codes[chosen], names=column.names)
                if len(column.names)
                else empty
                for name, column in columns.items()
            },
        )

    def are_of(self, settings: Container[str]) -> Flags:
        """Return which verdicts were given in one of these settings."""
        codes = [code for code, name in enumerate(self.setting.names) if name in settings]
        return np.isin(self.setting.codes, codes)


COLUMNS: Final = tuple(each.name for each in fields(Verdicts) if each.name != "lines")
_OF_ROW: Final = attrgetter(*COLUMNS)
_BATCH: Final = 20_000


def columns_of(rows: Iterable[Row]) -> Verdicts:
    """Return verdicts by column, each on the line that it would have in a file of them."""
    if isinstance(rows, VerdictRows):
        return rows.verdicts
    collector, begin, remaining = Collector(), 2, iter(rows)
    while part := list(islice(remaining, _BATCH)):
        collector.add_rows(part, range(begin, begin + len(part)))
        begin += len(part)
    return collector.verdicts()


def joined(parts: Sequence[Verdicts]) -> Verdicts:
    """Return the verdicts of several files as one, each on the line that it has in its own."""
    columns = {}
    for name in COLUMNS:
        code_of, codes = _codes(None), []
        coded: Sequence[Any] | None = None
        for column in (getattr(part, name) for part in parts):
            if column.names is not coded:  # parts of one file share the names of many columns
                places = np.array([*map(code_of.__getitem__, column.names), -1], np.int32)
                coded = column.names
            codes.append(places[column.codes])
        columns[name] = Column(codes=np.concatenate(codes), names=[*code_of][1:])
    return Verdicts(lines=np.concatenate([part.lines for part in parts]), **columns)


class VerdictRows(Collection[Row]):
    """Verdicts by column, row by row; `texts` are the candidates' texts, where these may stand."""

    def __init__(self, verdicts: Verdicts, texts: Mapping[str, Column] = {}) -> None:
        self.verdicts, self._texts = verdicts, texts

    def __len__(self) -> int:
        return len(self.verdicts)

    def __iter__(self) -> Iterator[Row]:
        columns = {name: getattr(self.verdicts, name) for name in COLUMNS} | dict(self._texts)
        used = {name: column for name, column in columns.items() if (column.codes >= 0).any()}
        named = [[*column.names, UNSET] for column in used.values()]
        codes = (column.codes.tolist() for column in used.values())
        for row in zip(*codes, strict=True):
            values = [names[code] for names, code in zip(named, row, strict=True)]
            yield Row(**dict(zip(used, values, strict=True)))

    def __contains__(self, row: object) -> bool:
        return any(row == member for member in self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Collection) and [*self] == [*other]

    __hash__ = None  # type: ignore[assignment]


def _codes(absent: Any) -> defaultdict[Any, int]:
    """Return the code of each value, of none yet; a new value gets the next one."""
    return defaultdict(count().__next__, {absent: -1})


class Collector:
    """Verdicts on their way into columns, a batch at a time."""

    def __init__(self) -> None:
        self._codes = {name: _codes(UNSET) for name in COLUMNS}
        self._parts: dict[str, list[Indices]] = {name: [] for name in COLUMNS}
        self._lines: list[Indices] = []

    def add_rows(self, rows: Sequence[Row], lines: Sequence[int]) -> int:
        """Take parsed verdicts; return how many values they have together."""
        present = 0
        for name, values in zip(COLUMNS, zip(*map(_OF_ROW, rows), strict=True), strict=False):
            codes = np.fromiter(map(self._codes[name].__getitem__, values), np.int32, len(rows))
            self._parts[name].append(codes)
            present += int((codes >= 0).sum())
        self._lines.append(np.array(lines, np.int32))
        return present

    def add_columns(
        self, batch: Mapping[str, tuple[Indices, Iterable[Any]]], lines: Indices
    ) -> None:
        """Take columns that have codes of their own, with what these stand for."""
        for name in COLUMNS:
            codes, values = batch.get(name, (np.full(len(lines), -1, np.int32), ()))
            ours = np.array([*map(self._codes[name].__getitem__, values), -1], np.int32)
            self._parts[name].append(ours[codes])
        self._lines.append(lines)

    def verdicts(self) -> Verdicts:
        """Return what was taken; the collector is empty afterwards."""
        empty = np.zeros(0, np.int32)
        return Verdicts(
            lines=np.concatenate([empty, *self._lines]),
            **{
                name: Column(
                    codes=np.concatenate([empty, *self._parts.pop(name)]),
                    names=list(self._codes.pop(name))[1:],
                )
                for name in COLUMNS
            },
        )


def texts_of(verdicts: Verdicts) -> tuple[Codes, Codes, Codes]:
    """Return each verdict's item, each item's question, and its two candidates, the lower first.

    An item without a stated question or candidate has a question of its own.

    Shapes: (verdicts,), (items,), (2, items).
    """
    _, once, item = np.unique(verdicts.item.codes, return_index=True, return_inverse=True)
    question = verdicts.question_sha256.codes[once]
    first_names, second_names = verdicts.a_sha256.names, verdicts.b_sha256.names
    if first_names is second_names:
        second = [*range(len(second_names))]
    elif len(second_names) == 1:
        second = [len(first_names)]
    else:
        names = {name: code for code, name in enumerate(first_names)}
        second = [names.setdefault(name, len(names)) for name in second_names]
    pair = np.sort(
        [verdicts.a_sha256.codes[once], np.array([*second, -1])[verdicts.b_sha256.codes[once]]],
        axis=0,
    )
    alone = (question < 0) | (pair[0] < 0)
    return item, np.where(alone, -2 - np.arange(len(once)), question), pair
