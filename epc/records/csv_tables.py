"""Tables of texts: CSV as people, spreadsheets and programs write it, read in one way everywhere.

A table is UTF-8, or UTF-16 with a byte order mark; the mark is no part of a name. Its delimiter is
that of comma, semicolon and tab which parts its first line most often. Each row has a cell for
every column, and stands on the line that it begins on.
"""

import csv
import io
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Final, TextIO

from epc.errors import Finding, MalformedError, able_to
from epc.json_text import MAX_DOCUMENT_BYTES, storable
from epc.records.findings import Causes

LONGEST: Final = MAX_DOCUMENT_BYTES  # characters of a line, and of a cell
_DELIMITERS: Final = ",;\t"
_COMMA: Final = re.compile(r"\s*[-+]?\d+,\d{1,2}\s*")
_UTF8: Final = "save it in Excel as `CSV UTF-8`, or with another program in UTF-8"
_CSV: Final = "save it as CSV in UTF-8; a quote inside quotes appears twice"
_RAGGED: Final = "put a cell that holds a delimiter, a quote or a line break between quotes"


class CsvTable:
    """A table whose rows are read while they are asked for, each with its line and its cells.

    What cannot be read is a cause of findings; without a list of those it is raised.
    """

    columns: tuple[str, ...] = ()

    def __init__(
        self,
        file: TextIO,
        path: Path,
        clause: str,
        causes: Causes | None,
        ragged: dict[str, list[int]] | None,
    ) -> None:
        self._ragged = ragged
        self._path, self._clause, self._causes = path, clause, causes
        self._lines = _lines(file)
        head: list[str] = []
        try:
            while not head or not head[-1].strip():
                head.append(next(self._lines))
            delimiter = max(_DELIMITERS, key=lambda mark: len(_cells(head[-1], mark)))
            self._reader = csv.reader(chain(head, self._lines), delimiter=delimiter, strict=True)
            self._header = next(row for row in self._reader if row)
            counted = Counter(filter(None, self._header))
            twice = [name for name, count in counted.items() if count > 1]
            if twice:
                problem = f"the column {min(twice)!r} appears twice"
                self._wrong(self._reader.line_num, problem, "keep one of them")
            else:
                self.columns = tuple(self._header)
        except StopIteration:
            self._reader = csv.reader(())
        except (csv.Error, UnicodeError) as error:
            self._no_csv(max(len(head), 1), error)

    def __iter__(self) -> Iterator[tuple[int, dict[str, str]]]:
        for line, row in self.rows():
            yield line, dict(zip(self.columns, row, strict=True))

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the line and the cells of each row."""
        while self.columns:
            line = self._reader.line_num + 1
            try:
                row = next(self._reader)
            except StopIteration:
                return
            except (csv.Error, UnicodeError) as error:
                self._no_csv(line, error)
                return
            if not any(row):  # a blank line, or one that a spreadsheet filled up with delimiters
                continue
            if len(row) != len(self.columns):
                cells = "1 cell" if len(row) == 1 else f"{len(row):,} cells"
                has = f"has {cells}, and the header {len(self.columns):,} columns"
                if self._ragged is None:
                    self._wrong(line, has, _RAGGED)
                else:
                    self._ragged.setdefault(has, []).append(line)
                continue
            yield line, row

    def _no_csv(self, line: int, error: Exception) -> None:
        self._wrong(line, f"no CSV: {error}", _UTF8 if "UTF-" in str(error) else _CSV)

    def _wrong(self, line: int, problem: str, remedy: str) -> None:
        if self._causes is None:
            where = f"{self._path}:{line}"
            raise MalformedError(Finding(self._clause, where, problem, remedy))
        self._causes.add(line, "", problem, remedy)


@contextmanager
def table_of(
    path: Path,
    clause: str,
    causes: Causes | None = None,
    ragged: dict[str, list[int]] | None = None,
) -> Iterator[CsvTable]:
    """Yield a table; its rows can be read while the block runs.

    `ragged` takes the lines that have not a cell for each column, by what is wrong with them; such
    a line is a cause of findings otherwise.

    Raises: MalformedError for what cannot be read, unless there is a list of causes; WorldError if
    the disk refuses.
    """
    usual = csv.field_size_limit(LONGEST)  # holds for the whole process
    try:
        with able_to("read", path), path.open("rb") as file:
            is_wide = file.peek(2).startswith((BOM_UTF16_LE, BOM_UTF16_BE))
            encoding = "utf-16" if is_wide else "utf-8-sig"
            text = io.TextIOWrapper(file, encoding, "surrogateescape", newline="")
            yield CsvTable(text, path, clause, causes, ragged)
    finally:
        csv.field_size_limit(usual)


def decimal(cell: str) -> str:
    """Return a number with a point for a decimal comma: 3,5 is 3.5, and of 1,000 nobody knows."""
    return cell.replace(",", ".") if _COMMA.fullmatch(cell) else cell


def csv_text(rows: Iterable[Iterable[object]], end: str = "\r\n") -> str:
    """Return rows as CSV, each with this end of a line."""
    file = io.StringIO(newline="")
    csv.writer(file, lineterminator=end).writerows(rows)
    return file.getvalue()


def _cells(line: str, delimiter: str) -> list[str]:
    return next(csv.reader([line], delimiter=delimiter))


def _lines(file: TextIO) -> Iterator[str]:
    is_first = True
    while line := file.readline(LONGEST + 1):
        if len(line) > LONGEST:
            raise csv.Error(f"the line is longer than {LONGEST:,} characters")
        if "\0" in line and is_first:
            raise csv.Error("the line holds a NUL, as UTF-16 without a byte order mark does")
        if not line.isascii() and storable(line) != line:  # a byte of another encoding
            raise csv.Error("the line is not UTF-8")
        yield line
        is_first = is_first and not line.strip()
