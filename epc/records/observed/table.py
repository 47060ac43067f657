"""A table of verdicts: CSV with a header line, its columns mapped to fields."""

import csv
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from sys import intern
from typing import Any, Final, TextIO

import msgspec

from epc.errors import UsageError, able_to
from epc.json_text import storable
from epc.records.findings import Findings
from epc.records.observed.checking import CLAUSE, misread
from epc.records.observed.converting import Conversion, Request, digest
from epc.records.observed.types import UNKNOWN, Header, Judge, Prompt, Row, Setting, SourceFile

_FILE: Final = "table"
_OF_SETTING: Final = ("judge", "model", "platform", "prompt", "prompt_sha256", "decoding")
_TEXTS: Final = ("question", "a", "b", "answer")
_OF_ROW: Final = tuple(
    name for name in Row.__struct_fields__ if name not in ("setting", "file", "a_text", "b_text")
)
_FIELDS: Final = (*_OF_ROW, *_TEXTS, *_OF_SETTING)
_HUMANS: Final = "humans"
_CANDIDATES: Final = ("a", "b")
_PLACES: Final = ("first", "second")
_REQUIRED: Final = ("item", "judge")
EXPECTED: Final = (
    "a CSV file whose first line names the columns: item, judge, the texts a and b (or a_sha256, "
    "a_length, b_sha256, b_length), verdict (a, b, tie, unreadable; first or second beside a "
    "column first) or a_score and b_score. Map other names by --map FIELD=COLUMN and other labels "
    f"by --label VALUE=WORD. Fields: {', '.join(_FIELDS)}"
)


@dataclass(slots=True)
class _Work:
    """What a conversion has so far."""

    request: Request
    settings: dict[str, Setting] = field(default_factory=dict)
    keys: dict[tuple[str, ...], str] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    findings: Findings = field(default_factory=Findings)


def convert(source: Path, request: Request) -> Conversion:
    """Return every line of a CSV file as a verdict.

    Raises: WorldError if the file cannot be read.
    """
    work = _Work(request)
    with able_to("read", source):
        with source.open(encoding="utf-8-sig", newline="") as file:
            _read(file, source.name, work)
        with source.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    if not work.rows and not len(work.findings):
        work.findings.add(CLAUSE, source.name, "holds no verdict", f"expected {EXPECTED}")
    if len(work.findings):
        return Conversion(findings=work.findings.kept())
    header = Header(
        schema_version=1,
        source=request.source(name=source.name),
        files={_FILE: SourceFile(path=source.name, sha256=sha256)},
        settings=work.settings,
    )
    return Conversion(header=header, rows=work.rows)


def _read(file: TextIO, name: str, work: _Work) -> None:
    """Read a table line by line: a million verdicts fit no document."""
    reader = csv.DictReader(file, strict=True)  # whose own line_num skips blank and broken lines
    try:
        columns = _columns(reader.fieldnames or (), name, work)
        for line in reader if columns else ():
            _add(line, columns, f"{name}:{reader.reader.line_num}", work)
    except csv.Error as error:
        work.findings.add(CLAUSE, f"{name}:{reader.reader.line_num}", str(error), EXPECTED)
    except UnicodeDecodeError as error:
        problem = f"not UTF-8, after {len(work.rows):,} verdicts: {error.reason}"
        work.findings.add(CLAUSE, name, problem, "save it as UTF-8")


def _columns(present: Any, name: str, work: _Work) -> dict[str, str]:
    """Return the column of each field, or nothing and findings."""
    chosen = {each: each for each in _FIELDS if each in present} | dict(work.request.columns)
    for each, column in chosen.items():
        if each not in _FIELDS:
            work.findings.add(CLAUSE, f"--map {each}", "no such field", f"expected {EXPECTED}")
        elif column not in present:
            remedy = f"name one of {', '.join(present) or 'its columns'}"
            work.findings.add(CLAUSE, f"{name}:1", f"has no column {column!r}", remedy)
    for each in _REQUIRED:
        if each not in chosen:
            work.findings.add(CLAUSE, f"{name}:1", f"has no {each}", f"expected {EXPECTED}")
    return {} if len(work.findings) else chosen


def _add(line: Mapping[str, str], columns: Mapping[str, str], where: str, work: _Work) -> None:
    values = {each: line[column] for each, column in columns.items() if line[column]}
    try:
        # The same name stands in many lines: once in memory.
        verdict = {each: intern(values[each]) for each in _OF_ROW if each in values}
        for each in _TEXTS:
            if each in values:
                verdict |= _text(each, storable(values[each]), texts=work.request.texts)
        verdict |= _words(values, work.request.words)
        fixed = {"file": _FILE, "setting": _setting(values, work)}
        work.rows.append(msgspec.convert(verdict | fixed, Row, strict=False))
    except msgspec.ValidationError as error:
        work.findings.extend([misread(str(error), where, f"expected {EXPECTED}")])
    except UsageError as error:
        work.findings.add(CLAUSE, where, str(error), f"expected {EXPECTED}")


def _text(name: str, text: str, *, texts: bool) -> dict[str, Any]:
    """Return what a verdict says of a text: its digest and length, or itself where that is let."""
    fields: dict[str, Any] = {f"{name}_sha256": intern(digest(text))}
    if name != "question":
        fields[f"{name}_length"] = len(text)
    return fields | ({f"{name}_text": text} if texts and name in ("a", "b") else {})


def _words(values: Mapping[str, str], labels: Mapping[str, str]) -> dict[str, Any]:
    """Return the labels of a line in our words: of candidates, whatever the place they stood in.

    Raises: UsageError for a place that is nobody's.
    """

    def word(label: str) -> str:
        return labels.get(label, label).strip().lower()

    first, *labelled = (word(values.get(name, "")) for name in ("first", "verdict", "gold"))
    if first not in _CANDIDATES and any(label in _PLACES for label in labelled):
        raise UsageError("a label is a place, and the column first does not say who stood there")
    order = _CANDIDATES if first == _CANDIDATES[0] else _CANDIDATES[::-1]
    of_place = dict(zip(_PLACES, order, strict=True))
    verdict, gold = (of_place.get(label, label) for label in labelled)
    humans = [word(label) for label in values.get(_HUMANS, "").replace(";", " ").split()]
    fields = {"first": first, "verdict": verdict, "gold": gold, _HUMANS: humans}
    return {name: label for name, label in fields.items() if label}


def _setting(values: Mapping[str, str], work: _Work) -> str:
    """Return the key of a line's setting, which is new if it differs from all before."""
    stated = tuple(values.get(each, UNKNOWN) for each in _OF_SETTING)
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
        raise UsageError(f"decoding is no JSON object: {error}") from error
