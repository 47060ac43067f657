"""A table of verdicts: CSV with a header line, its columns mapped to fields."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from sys import intern
from typing import Any, Final

import msgspec

from epc.digests import file_sha256
from epc.records.csv_tables import table_of
from epc.records.findings import Causes
from epc.records.observed.checking import CLAUSE, misread
from epc.records.observed.converting import Conversion, Request, day_of, digest
from epc.records.observed.types import (
    SCORES,
    UNKNOWN,
    Header,
    Judge,
    Prompt,
    Row,
    Setting,
    SourceFile,
)

_FILE: Final = "table"
_OF_SETTING: Final = ("judge", "model", "platform", "prompt", "prompt_sha256", "decoding")
_TEXTS: Final = ("question", "a", "b", "answer")
_NOT_HERE: Final = (
    *("setting", "file", "a_text", "b_text", "candidates", "scores", "picked", "order", "right"),
)
_OF_ROW: Final = tuple(name for name in Row.__struct_fields__ if name not in _NOT_HERE)
FIELDS: Final = (*_OF_ROW, *_TEXTS, *_OF_SETTING)
_PLACES: Final = ("first", "second")
_FIRST, _VERDICT, _GOLD, _HUMANS = "first", "verdict", "gold", "humans"
_WORDS: Final = {  # the field that the others rest on comes first
    _FIRST: ("a", "b"),
    _VERDICT: ("a", "b", "tie", "unreadable"),
    _GOLD: ("a", "b", "tie"),
    _HUMANS: ("a", "b", "tie"),
}
_READ: Final = {"date": day_of}
EXPECTED: Final = (
    "a CSV file whose first line names the columns: item, judge, the texts a and b (or a_sha256, "
    "a_length, b_sha256, b_length), verdict (a, b, tie, unreadable; first or second beside a "
    "column first) or a_score and b_score. Map other names by --map FIELD=COLUMN and other labels "
    "by --label VALUE=WORD; --set FIELD=VALUE states what no column does. "
    f"Fields: {', '.join(FIELDS)}"
)


class _UnfitError(Exception):
    """A field of a line cannot be used."""

    def __init__(self, name: str, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.name, self.problem, self.remedy = name, problem, remedy


@dataclass(slots=True, kw_only=True)
class _Work:
    """What a conversion has so far; `columns` has the column of each field."""

    request: Request
    causes: Causes
    columns: dict[str, str] = field(default_factory=dict)
    settings: dict[str, Setting] = field(default_factory=dict)
    keys: dict[tuple[str, ...], str] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

    def column(self, name: str) -> str:
        """Return the column that a field of a verdict comes from, or its name."""
        text = name.removesuffix("_sha256").removesuffix("_length")
        return self.columns.get(name) or self.columns.get(text, name)


def convert(source: Path, request: Request) -> Conversion:
    """Return every line of a CSV file as a verdict.

    Raises: WorldError if the file cannot be read.
    """
    work = _Work(request=request, causes=Causes(source.name, CLAUSE))
    # Read line by line: a million verdicts fit no document.
    with table_of(source, CLAUSE, work.causes) as table:
        if not work.causes:
            _map(table.columns, work)
        for line, cells in () if work.causes else table:
            _add(line, cells, work)
    if not work.rows and not work.causes:
        work.causes.add(0, "", "holds no verdict", f"expected {EXPECTED}")
    if work.causes:
        return Conversion(findings=work.causes.findings())
    header = Header(
        schema_version=1,
        source=request.source(name=source.name),
        files={_FILE: SourceFile(path=source.name, sha256=file_sha256(source))},
        settings=work.settings,
    )
    return Conversion(
        header=header,
        rows=work.rows,
        place=lambda row, name: f"{source.name}:{work.lines[row]}/{work.column(name)}",
    )


def _map(present: tuple[str, ...], work: _Work) -> None:
    """Choose the column of each field; what cannot be chosen is a finding."""
    mapped, stated = work.request.columns, work.request.constants
    has = f"its columns are {', '.join(map(repr, present)) or 'none'}"
    for name in {**mapped, **stated}:
        if name not in FIELDS:
            option = "--map" if name in mapped else "--set"
            work.causes.add(1, "", f"{option} {name}: no such field", f"expected {EXPECTED}")
        elif name in mapped and name in stated:
            work.causes.add(1, "", f"{name} is mapped and set", "give --map or --set")
        elif name in mapped and mapped[name] not in present:
            work.causes.add(1, "", f"has no column {mapped[name]!r}", has)
    by_name = {name: name for name in FIELDS if name in present and name not in stated}
    work.columns = by_name | dict(mapped)
    has_one = {*work.columns, *stated}
    for needed in (("item",), ("judge",), ("a", "a_sha256"), ("verdict", *SCORES)):
        if not has_one & {*needed}:
            remedy = f"map a column to it by --map {needed[0]}=COLUMN: {has}"
            work.causes.add(1, "", f"has no {' or '.join(needed)}", remedy)


def _add(line: int, cells: Mapping[str, str], work: _Work) -> None:
    cells_of = {name: cells[column] for name, column in work.columns.items()}
    values = {**work.request.constants, **cells_of}
    try:
        row = _row(values, work)
    except msgspec.ValidationError as error:
        said = misread(str(error), "", f"expected {EXPECTED}")
        work.causes.add(line, work.column(said.where[1:]), said.problem, said.remedy)
    except _UnfitError as error:
        work.causes.add(line, work.column(error.name), error.problem, error.remedy)
    else:
        work.rows.append(row)
        work.lines.append(line)


def _row(values: Mapping[str, str], work: _Work) -> Row:
    """Return the verdict of a line.

    Raises: _UnfitError or ValidationError of the first field that cannot be used.
    """
    for name in ("item", "judge"):
        if not values[name]:
            raise _UnfitError(name, "is empty", f"say of each verdict its {name}")
    # The same name stands in many lines: once in memory.
    verdict: dict[str, Any] = {
        name: intern(_READ.get(name, str)(values[name]))
        for name in _OF_ROW
        if name not in _WORDS and values.get(name) and not _is_nan(name, values[name])
    }
    for name in _TEXTS:
        for key, value in _text(name, values, texts=work.request.texts).items():
            if verdict.setdefault(key, value) not in (value, str(value)):
                raise _UnfitError(key, f"is not that of {name}", f"leave out {key}, or {name}")
    verdict |= _words(values, work.request.words, scored=any(map(verdict.get, SCORES)))
    fixed = {"file": _FILE, "setting": _setting(values, work)}
    return msgspec.convert(verdict | fixed, Row, strict=False)


def _is_nan(name: str, cell: str) -> bool:
    return name in SCORES and cell.lower() == "nan"


def _text(name: str, values: Mapping[str, str], *, texts: bool) -> dict[str, Any]:
    """Return what a verdict says of a text: its digest and length, or itself where that is let.

    An empty cell is an empty text; a text without a column is none.
    """
    if name not in values:
        return {}
    text = values[name]
    fields: dict[str, Any] = {f"{name}_sha256": intern(digest(text))}
    if name != "question":
        fields[f"{name}_length"] = len(text)
    return fields | ({f"{name}_text": text} if texts and name in ("a", "b") else {})


def _words(values: Mapping[str, str], labels: Mapping[str, str], *, scored: bool) -> dict[str, Any]:
    """Return the labels of a line in our words: of candidates, whatever the place they stood in.

    An empty cell is no label, unless the user says what an empty verdict is.

    Raises: _UnfitError for a label that is none of our words, or a place that is nobody's.
    """
    fields: dict[str, Any] = {}
    at: Mapping[str, str] = {}
    for name in _WORDS:
        cell = values.get(name, "").strip()
        if not cell and (name != _VERDICT or scored):
            continue
        if not cell and "" not in labels:
            remedy = f"say what an empty cell means: --label '=WORD', {_listed(name)}"
            raise _UnfitError(name, "is empty, and no score stands beside it", remedy)
        stated = _apart(cell, labels) if name == _HUMANS else [cell]
        said = [_word(name, label, labels, at) for label in stated]
        if said:
            fields[name] = tuple(said) if name == _HUMANS else said[0]
        if name == _FIRST:
            at = dict(zip(_PLACES, _WORDS[name] if said[0] == "a" else ("b", "a"), strict=True))
    return fields


def _word(name: str, label: str, labels: Mapping[str, str], at: Mapping[str, str]) -> str:
    said = labels.get(label, label.lower())
    said = at.get(said, said)
    if said in _WORDS[name]:
        return said
    if said in _PLACES:
        problem = "is a place, and no column `first` says who stood there"
        raise _UnfitError(name, problem, "name that column by --map first=COLUMN")
    remedy = f"say what it means: --label '{label}=WORD', {_listed(name)}"
    raise _UnfitError(name, f"{label!r} is no label", remedy)


def _listed(name: str) -> str:
    return f"where WORD is one of {', '.join(_WORDS[name])}"


def _apart(cell: str, labels: Mapping[str, str]) -> list[str]:
    """Return the labels of a cell: apart by semicolons, or by blanks where none of them has one."""
    parts = [part.strip() for part in cell.split(";") if part.strip()]
    known = {*labels, *_WORDS[_HUMANS]}  # a label may hold a semicolon, or a blank
    if cell in known:
        return [cell]
    split = [word for part in parts for word in ([part] if part in labels else part.split())]
    return split if {*split} <= known or len(parts) > 1 else parts


def _setting(values: Mapping[str, str], work: _Work) -> str:
    """Return the key of a line's setting, which is new if it differs from all before."""
    stated = tuple(values.get(each) or UNKNOWN for each in _OF_SETTING)
    if stated not in work.keys:
        judge, model, platform, prompt, sha256, decoding = stated
        key = judge if prompt == UNKNOWN else f"{judge}/{prompt}"
        if key in work.settings:
            key = f"{key}#{len(work.settings) + 1}"
        work.settings[key] = Setting(
            judge=Judge(name=judge, model=model, platform=platform),
            prompt=Prompt(name=prompt, sha256=sha256),
            decoding=_decoding(decoding),
            date=UNKNOWN,
        )
        work.keys[stated] = key
    return work.keys[stated]


def _decoding(stated: str) -> dict[str, Any] | str:
    if stated == UNKNOWN:
        return UNKNOWN
    try:
        return msgspec.json.decode(stated, type=dict[str, Any])
    except msgspec.DecodeError as error:
        problem = f"is no JSON object: {error}"
        raise _UnfitError("decoding", problem, 'write it as {"temperature": 0}') from None
