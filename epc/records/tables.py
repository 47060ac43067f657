"""Rows as people have them: CSV, JSON, JSON Lines, Parquet, Excel, or a folder of such files.

The content decides, and not the file's name. A byte order mark is no part of a text.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from epc.errors import Finding, MalformedError, UsageError, able_to, refuse
from epc.extras import require
from epc.json_text import Reader
from epc.judge.mapping import is_missing, resolve
from epc.records import strict_json
from epc.records.csv_tables import table_of
from epc.records.findings import Findings
from epc.records.judging.documents import LONGEST_LINE
from epc.records.strict_json import text_of
from epc.records.verdicts.parquet import MAGIC, damaged, opened

_OPENING: Final = 1024  # bytes after the first line
_MARK: Final = "\ufeff"
_EXCEL: Final = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")  # .xlsx and .xls
_BATCH: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """A row and where it stands: the file's name, and its place in it."""

    file: str
    place: str
    value: Any
    is_text: bool = False  # every value is a text: CSV has no numbers


def rows_of(
    source: Path, *, rows_pointer: str = "", clause: str = "JUDGE-6.3"
) -> Iterator[TableRow]:
    """Yield the rows of a file, or of every file in a folder.

    `rows_pointer` is the JSON Pointer to the rows in a JSON document, or in a line of JSON Lines.

    Raises: MalformedError at the first that cannot be read; WorldError if the disk refuses.
    """
    if source.is_dir():
        paths = [path for path in sorted(source.rglob("*")) if path.is_file()]
        paths = [path for path in paths if not path.name.startswith(".")]
        if not paths:
            raise UsageError(f"{source} holds no file of rows")
        for path in paths:
            yield from _of_file(path, rows_pointer, clause)
    else:
        yield from _of_file(source, rows_pointer, clause)


Kind = Literal["csv", "excel", "json", "json lines", "parquet"]


def kind_of(path: Path) -> Kind:
    """Return what a file of rows is, by its content.

    Raises: WorldError if it cannot be read.
    """
    with able_to("read", path), path.open("rb") as file:
        opening = file.readline(LONGEST_LINE)
        while opening and not opening.strip():
            opening = file.readline(LONGEST_LINE)
        begins = (opening + file.read(_OPENING)).removeprefix(_MARK.encode()).lstrip()[:1]
    if opening.startswith(MAGIC):
        return "parquet"
    if opening.startswith(_EXCEL):
        return "excel"
    if begins not in (b"[", b"{"):
        return "csv"
    return "json lines" if begins == b"{" and _is_json(opening) else "json"


def _of_file(path: Path, rows_pointer: str, clause: str) -> Iterator[TableRow]:
    kind = kind_of(path)
    if kind == "parquet":
        yield from _parquet(path)
    elif kind == "excel":
        yield from _excel(path, clause)
    elif kind == "csv":
        with table_of(path, clause) as table:
            for line, cells in table:
                yield TableRow(file=path.name, place=f"line {line}", value=cells, is_text=True)
    elif kind == "json lines":
        yield from _json_lines(path, rows_pointer, clause)
    else:
        text = text_of(path, clause)
        value, problems = Reader(foreign=True).parse(text.removeprefix(_MARK))
        refuse(problems)
        yield from _rows_within(path.name, "", value, rows_pointer, clause)


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return False
    return True


def _json_lines(path: Path, rows_pointer: str, clause: str) -> Iterator[TableRow]:
    for index, value, problems in strict_json.read_lines(
        path, "rows", longest=LONGEST_LINE, foreign=True
    ):
        refuse(problems)
        yield from _rows_within(path.name, f"line {index + 1}", value, rows_pointer, clause)


def _rows_within(
    file: str, position: str, value: Any, rows_pointer: str, clause: str
) -> Iterator[TableRow]:
    """Yield the rows of a document: the list that the pointer leads to, or one row."""
    content = resolve(value, rows_pointer)
    if is_missing(content):
        problem = f"{file} has nothing at {rows_pointer!r}, where the mapping says its rows stand"
        raise MalformedError(
            Finding(clause=clause, where=rows_pointer, problem=problem, remedy="mend `rows`")
        )
    if not isinstance(content, list) or (
        position and not rows_pointer
    ):  # a line by itself is one row
        yield TableRow(file=file, place=position or "row 1", value=content)
        return
    for index, row in enumerate(content):
        numbered = f"row {index + 1}"
        yield TableRow(
            file=file, place=f"{position}, {numbered}" if position else numbered, value=row
        )


def _parquet(path: Path) -> Iterator[TableRow]:
    with path.open("rb") as file:
        findings = Findings()
        table = opened(path.name, file, findings, fields=None)
        if table is None:
            raise MalformedError(findings.as_list()[0])
        rows = (row for batch in table.iter_batches(_BATCH) for row in batch.to_pylist())
        number = 0
        try:
            for number, row in enumerate(rows, 1):
                present = {key: value for key, value in row.items() if value is not None}
                yield TableRow(file=path.name, place=f"row {number}", value=present)
        except (ValueError, OSError) as error:
            raise MalformedError(damaged(f"{path.name}:{number + 1}", error)) from error


def _excel(path: Path, clause: str) -> Iterator[TableRow]:
    """Yield the rows of a workbook's largest sheet, whose first row with a cell is the head."""
    require("data")
    from python_calamine import CalamineError, CalamineWorkbook

    try:
        with CalamineWorkbook.from_path(path) as book:
            sheets = [book.get_sheet_by_name(name) for name in book.sheet_names]
            sheet = max(sheets, key=lambda sheet: sheet.height * sheet.width)
            rows = enumerate(sheet.to_python(skip_empty_area=False), 1)
    except CalamineError as error:
        problem, remedy = f"no Excel file: {error}", "save it as .xlsx, or as CSV in UTF-8"
        if path.suffix == ".eval":
            problem, remedy = "a log of Inspect AI, packed", "inspect log convert --to json"
        raise MalformedError(Finding(clause, path.name, problem, remedy)) from error
    filled = [(number, row) for number, row in rows if any(cell != "" for cell in row)]
    for number, row in filled[1:]:
        cells = zip(map(str, filled[0][1]), row, strict=True)
        value = {name: cell for name, cell in cells if name and cell != ""}
        yield TableRow(file=path.name, place=f"row {number}", value=value)
