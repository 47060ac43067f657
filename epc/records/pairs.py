"""A labelled set of pairs of answers, as a table."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, cast

from msgspec import UNSET, Struct, UnsetType

from epc.digests import file_sha256
from epc.errors import Finding, MalformedError, UsageError, unknown
from epc.json_text import storable
from epc.records.tables import TableRow, rows_of
from epc.records.verdicts.converting import digest
from epc.records.verdicts.types import Choice, SourceFile
from epc.records.verdicts.work import digested

CLAUSE: Final = "Reading R77"
_NEEDED: Final = ("item", "question", "a", "b")
_ALLOWED: Final = ("gold", "humans", "subset", "group", "a_by", "b_by")
FIELDS: Final = (*_NEEDED, *_ALLOWED)
_SPELT: Final = {"id": "item", "prompt": "question", "answer_a": "a", "answer_b": "b"}


class LabelledPair(Struct, frozen=True, kw_only=True):
    """Two answers to one request, and what is known of them; an absent value is `UNSET`."""

    item: str
    question: str
    a: str
    b: str
    gold: Choice | UnsetType = UNSET
    humans: tuple[Choice, ...] | UnsetType = UNSET
    subset: str | UnsetType = UNSET
    group: str | UnsetType = UNSET
    a_by: str | UnsetType = UNSET
    b_by: str | UnsetType = UNSET

    def facts(self) -> dict[str, Any]:
        """Return what every verdict on the pair says of it: digests and lengths, and no text."""
        named = {
            name: value
            for name in ("item", *_ALLOWED)
            if (value := getattr(self, name)) is not UNSET
        }
        return {
            **named,
            "question_sha256": digest(self.question),
            **digested("a", self.a),
            **digested("b", self.b),
        }


class PairSet(Struct, frozen=True, kw_only=True):
    """Pairs of a table in its order; `ignored` are its columns that nothing was made of."""

    file: SourceFile
    pairs: tuple[LabelledPair, ...]
    ignored: tuple[str, ...]


def read_pairs(path: Path, columns: Mapping[str, str] = {}) -> PairSet:
    """Read a labelled set: CSV, JSON, JSON Lines, Excel or Parquet, a row for each pair.

    `columns` has the column of a field that is called otherwise.

    Raises: UsageError if a column is missing or a set is empty; MalformedError at the first row
    that cannot be used; WorldError if the file cannot be read.
    """
    for field in columns:
        if field not in FIELDS:
            raise unknown(field, FIELDS, list_intro="the fields are", noun="field ")
    pairs: dict[str, LabelledPair] = {}
    names: dict[str, None] = {}
    used: set[str] = set()
    for row in rows_of(path, clause=CLAUSE):
        if not isinstance(row.value, dict):
            raise MalformedError(_finding(row, "is no object", f"give {', '.join(_NEEDED)}"))
        names |= dict.fromkeys(map(str, row.value))
        column_of = _columns(row, columns)
        used |= {*column_of.values()}
        pair = _pair(row, column_of)
        if pairs.setdefault(pair.item, pair) is not pair:
            problem = f"has the item {pair.item!r} of an earlier row"
            raise MalformedError(_finding(row, problem, "give each pair a name of its own"))
    if not pairs:
        raise UsageError(f"{path} holds no pair: a row needs {', '.join(_NEEDED)}")
    return PairSet(
        file=SourceFile(path=path.name, sha256=file_sha256(path)),
        pairs=tuple(pairs.values()),
        ignored=tuple(name for name in names if name not in used),
    )


def _columns(row: TableRow, columns: Mapping[str, str]) -> dict[str, str]:
    """Return the column of each field that a row has.

    Raises: UsageError if a needed one is missing, or one that the user names.
    """
    spelt = {_SPELT.get(name.lower(), name.lower()): name for name in map(str, row.value)}
    column_of = {field: spelt[field] for field in FIELDS if field in spelt} | dict(columns)
    listed = ", ".join(map(str, row.value))
    for field, column in column_of.items():
        if column not in row.value:
            raise UsageError(
                f"{row.file}, {row.place}: no column {column!r} for {field}; there are {listed}"
            )
    if missing := [field for field in _NEEDED if field not in column_of]:
        raise UsageError(
            f"{row.file}, {row.place}: no {', '.join(missing)} among its columns: {listed}\n"
            f"  fix: --map {missing[0]}=COLUMN, for each"
        )
    return column_of


def _pair(row: TableRow, column_of: Mapping[str, str]) -> LabelledPair:
    """Return the pair of a row. Raises: MalformedError if a value is no text, or no label."""
    values: dict[str, Any] = {}
    for field, column in column_of.items():
        value = row.value[column]
        if field == "humans":
            labels = value if isinstance(value, list) else str(value or "").split(";")
            if chosen := tuple(
                _choice(row, field, label) for label in labels if str(label).strip()
            ):
                values[field] = chosen
        elif field == "gold":
            if value is not None and str(value).strip():
                values[field] = _choice(row, field, value)
        elif field in _NEEDED or value not in (None, ""):
            values[field] = _text(row, field, value)
    return LabelledPair(**values)


def _text(row: TableRow, field: str, value: Any) -> str:
    text = str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value
    if not isinstance(text, str) or (field == "item" and not text):
        problem = f"has {value!r:.60} as {field}, which is no text"
        raise MalformedError(_finding(row, problem, f"write a text as {field}"))
    return storable(text)


def _choice(row: TableRow, field: str, value: Any) -> Choice:
    label = str(value).strip().lower()
    if label not in ("a", "b", "tie"):
        problem = f"has {value!r:.60} as {field}"
        raise MalformedError(_finding(row, problem, f"write a, b or tie as {field}"))
    return cast("Choice", label)


def _finding(row: TableRow, problem: str, remedy: str) -> Finding:
    return Finding(clause=CLAUSE, where=f"{row.file}, {row.place}", problem=problem, remedy=remedy)
