"""Rows as people have them: what a file of rows is, and where each of its rows stands."""

import json
from pathlib import Path
from typing import Any

import pytest

from epc.errors import MalformedError, UsageError
from epc.records.tables import kind_of, rows_of


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"a,b\n1,2\n", "csv"),
        (b"\n  \n" + b'{"a": 1}\n{"a": 2}\n', "json lines"),
        (b'\xef\xbb\xbf{"a": 1}\n', "json lines"),
        (b'{\n"a": 1}', "json"),
        (b"\n[\n1]", "json"),
        (b'[{"a": 1}]', "json"),
        (b"\n\n \n", "csv"),
        (b"", "csv"),
        (b"PAR1....", "parquet"),
        (b"PK\x03\x04....", "excel"),
        (b"\xd0\xcf\x11\xe0....", "excel"),
        (b'{"a": ' + b"[" * 100_000 + b"\n", "json"),
    ],
)
def test_the_content_says_what_a_file_of_rows_is(content: bytes, kind: str, tmp_path: Path) -> None:
    (tmp_path / "rows.txt").write_bytes(content)

    assert kind_of(tmp_path / "rows.txt") == kind


def table_values(path: Path, at: str = "") -> list[tuple[str, str, Any, bool]]:
    return [(row.file, row.place, row.value, row.is_text) for row in rows_of(path, rows_pointer=at)]


def test_rows_stand_in_lines_in_a_list_or_where_a_pointer_leads(tmp_path: Path) -> None:
    def written(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(text)
        return path

    assert table_values(written("a.csv", "x,y\n1,2\n3,4\n")) == [
        ("a.csv", "line 2", {"x": "1", "y": "2"}, True),
        ("a.csv", "line 3", {"x": "3", "y": "4"}, True),
    ]
    assert table_values(written("b.json", "[5,\n6]")) == [
        ("b.json", "row 1", 5, False),
        ("b.json", "row 2", 6, False),
    ]
    assert table_values(written("c.json", '{\n"x": 5}')) == [("c.json", "row 1", {"x": 5}, False)]
    lines = written("d.jsonl", '{"x": [5, 6]}\n{"x": [7]}\n')
    assert [row[1:3] for row in table_values(lines)] == [
        ("line 1", {"x": [5, 6]}),
        ("line 2", {"x": [7]}),
    ]
    assert [row[1:3] for row in table_values(lines, "/x")] == [
        ("line 1, row 1", 5),
        ("line 1, row 2", 6),
        ("line 2, row 1", 7),
    ]
    assert [row[1:3] for row in table_values(written("e.json", '{\n"x": [8]}'), "/x")] == [
        ("row 1", 8)
    ]
    with pytest.raises(MalformedError, match="has nothing at '/y'"):
        table_values(lines, "/y")


def test_a_folder_has_the_rows_of_all_its_files_by_name_but_hidden_ones(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    for name, value in (("z.json", 3), ("deep/y.json", 2), (".x.json", 1)):
        (tmp_path / name).write_text(json.dumps([value]))

    assert [(row.file, row.value) for row in rows_of(tmp_path)] == [("y.json", 2), ("z.json", 3)]
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="holds no file of rows"):
        table_values(tmp_path / "empty")


def test_a_parquet_file_has_the_values_that_there_are_and_names_a_damaged_row(
    tmp_path: Path,
) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "a.parquet"
    parquet.write_table(pa.table({"x": [1, None], "y": ["p", "q"]}), path)

    assert table_values(path) == [
        ("a.parquet", "row 1", {"x": 1, "y": "p"}, False),
        ("a.parquet", "row 2", {"y": "q"}, False),
    ]
