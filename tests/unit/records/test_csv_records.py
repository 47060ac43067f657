"""Values of one type as CSV, and back."""

from dataclasses import dataclass

import pytest

from epc.records.csv_records import csv_records, records_csv


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    name: str
    says: str


def test_values_are_read_as_they_are_written() -> None:
    """A comma and a quote stand between quotes, as RFC 4180 has it."""
    text = 'name,says\njudge-1,"a, ""b"""\njudge-2,\n'
    lines = [Line(name="judge-1", says='a, "b"'), Line(name="judge-2", says="")]

    assert csv_records(Line, text) == lines
    assert records_csv(Line, lines) == text
    assert csv_records(Line, "") == []


@pytest.mark.parametrize(
    "text", ["says,name\na,b\n", "name\na\n", "name,says\na\n", "name,says\na,b,c\n"]
)
def test_other_columns_and_ragged_lines_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"columns are not name, says|zip\(\) argument"):
        csv_records(Line, text)
