"""Values of one type as CSV: a line each, the type's fields as columns. Pure."""

import csv
from collections.abc import Iterable
from dataclasses import astuple, fields
from io import StringIO
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T", bound="DataclassInstance")


def csv_records(kind: type[T], text: str) -> list[T]:
    """Return the values of a type that a file has; all of its fields are texts.

    Raises: ValueError if the first line does not name the fields, or a line has not as many cells.
    """
    columns = [field.name for field in fields(kind)]
    rows = csv.reader(text.splitlines())
    if text and next(rows) != columns:
        raise ValueError(f"the columns are not {', '.join(columns)}")
    return [kind(**dict(zip(columns, row, strict=True))) for row in rows]


def records_csv(kind: type[T], values: Iterable[T]) -> str:
    """Return the text of a file with such values, in their order."""
    sheet = StringIO()
    writer = csv.writer(sheet, lineterminator="\n")
    writer.writerow(field.name for field in fields(kind))
    writer.writerows(astuple(value) for value in values)
    return sheet.getvalue()
