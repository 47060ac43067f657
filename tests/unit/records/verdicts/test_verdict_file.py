"""A verdict file is read strictly, and every problem has its line and field (Reading R77)."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from epc.records.schemas import findings, schema
from epc.records.typed import parse
from epc.records.verdicts.columns import COLUMNS
from epc.records.verdicts.converting import digest
from epc.records.verdicts.parquet import codes_of
from epc.records.verdicts.types import Header, Row
from epc.records.verdicts.verdict_file import content_digest, read, sound, stored, write

X, Y = digest("x"), digest("y")
HEADER: dict[str, Any] = {
    "schema_version": 1,
    "source": {
        "name": "s",
        "repository": "unknown",
        "commit": "unknown",
        "licence": "MIT",
        "texts": False,
    },
    "files": {"f": {"path": "p", "sha256": X}},
    "settings": {
        "j": {
            "judge": {"name": "j", "model": "unknown", "platform": "unknown"},
            "prompt": {"name": "p", "sha256": "unknown"},
            "decoding": "unknown",
            "date": "unknown",
        }
    },
}
GOOD: dict[str, Any] = {
    "item": "1",
    "setting": "j",
    "file": "f",
    "a_sha256": X,
    "a_length": 1,
    "b_sha256": Y,
    "b_length": 1,
    "first": "a",
    "verdict": "a",
}


def file_of(folder: Path, *lines: Any) -> Path:
    path = folder / "v.jsonl"
    texts = (line if isinstance(line, str) else json.dumps(line) for line in (HEADER, *lines))
    path.write_text("".join(f"{text}\n" for text in texts))
    return path


def wrong(path: Path) -> list[tuple[str, str]]:
    return [(finding.where, finding.problem) for finding in read(path)[2]]


LISTED: dict[str, Any] = {
    "item": "2",
    "setting": "j",
    "file": "f",
    "question_sha256": X,
    "candidates": [X, Y],
    "scores": [1.0, None],
    "order": [1, 0],
    "right": 1,
}


def fields_without(*keys: str) -> dict[str, Any]:
    return {key: value for key, value in GOOD.items() if key not in keys}


@pytest.mark.parametrize(
    ("line", "where", "problem"),
    [
        ({**GOOD, "a_length": "1"}, "/a_length", "Expected `int`, got `str`"),
        ({**GOOD, "a_length": 2**31}, "/a_length", "Expected `int` <= 2147483647"),
        ({**GOOD, "repeat": 2**70}, "/repeat", "Expected `int` <= 2147483647"),
        ({**GOOD, "a_score": 1e308}, "/a_score", "Expected `float` <= 1000000000000.0"),
        ({**GOOD, "verdict": "A"}, "/verdict", "Invalid enum value 'A'"),
        ({**GOOD, "gold": None}, "/gold", "Expected `str`, got `null`"),
        ({**GOOD, "judge": "j"}, "", "Object contains unknown field `judge`"),
        (fields_without("item"), "", "Object missing required field `item`"),
        ("{", "", "Input data was truncated"),
        (
            json.dumps({**GOOD, "item": "2"})[:-1] + ', "item": "3"}',
            "/item",
            "the key 'item' appears twice",
        ),
        (fields_without("verdict"), "/verdict", "neither a verdict nor a score"),
        (fields_without("b_sha256", "b_length", "first"), "/verdict", "compares one candidate"),
        (
            {
                **fields_without("b_sha256", "b_length", "first", "verdict"),
                "a_score": 1.0,
                "b_by": "x",
            },
            "/b_by",
            "speaks of no candidate b",
        ),
        ({**GOOD, "answer_length": 3}, "/answer_length", "half is missing"),
        ({**GOOD, "candidates": [X, Y]}, "/a_sha256", "neither candidate a nor a list"),
        ({**GOOD, "setting": "k"}, "/setting", "names no key of the header's `settings`"),
        ({**GOOD, "a_sha256": Y}, "/a_sha256", "is another one than in the item's first verdict"),
        ({**GOOD, "a_text": "z"}, "/a_text", f"has SHA-256 {digest('z')[:12]}"),
        (
            {**GOOD, "verdict": "b"},
            "/verdict",
            "differs from an earlier one of the same item, setting, order and repeat",
        ),
    ],
)
def test_reading_r77_a_problem_has_its_line_and_field_and_reading_goes_on(
    line: Any, where: str, problem: str, tmp_path: Path
) -> None:
    path = file_of(tmp_path, GOOD, line, {**GOOD, "first": "b"}, "[]")

    found = wrong(path)

    second = next(each for each in found if each[0] == f"v.jsonl:3{where}")
    assert second[1].startswith(problem)
    assert any(each[0] == "v.jsonl:5" for each in found)


@pytest.mark.parametrize(
    ("change", "where", "problem"),
    [
        ({"scores": [1.0]}, "/scores", "has not one entry a candidate"),
        ({"order": [1, 0, 2]}, "/order", "has not one entry a candidate"),
        ({"order": [1, 1]}, "/order", "names a candidate twice"),
        ({"right": 2}, "/right", "is none of the candidates"),
        ({"picked": 2}, "/picked", "is none of the candidates"),
        ({"a_length": 3}, "/a_length", "speaks of no candidate a"),
        ({"gold": "a"}, "/gold", "speaks of no candidate b"),
        ({"candidates": [X]}, "/candidates", "Expected `array` of length >= 2"),
        ({"confidence": 1.5}, "/confidence", "Expected `float` <= 1.0"),
    ],
)
def test_reading_r77_what_does_not_fit_its_list_is_a_finding(
    change: dict[str, Any], where: str, problem: str, tmp_path: Path
) -> None:
    assert wrong(file_of(tmp_path, LISTED)) == []

    (found,) = wrong(file_of(tmp_path, LISTED | change))

    assert found == (f"v.jsonl:2{where}", problem)


def test_reading_r77_a_list_needs_its_question(tmp_path: Path) -> None:
    line = {key: value for key, value in LISTED.items() if key != "question_sha256"}

    assert wrong(file_of(tmp_path, line)) == [("v.jsonl:2/question_sha256", "is missing")]


def test_reading_r77_a_file_without_a_header_shows_the_schema(tmp_path: Path) -> None:
    path = tmp_path / "v.jsonl"
    path.write_text("\n")

    header, verdicts, found = read(path)

    assert (header, verdicts) == (None, None)
    assert found[0].where == "v.jsonl:1"
    assert "verdict_header.json" in found[0].remedy


@pytest.mark.parametrize("key", ["commit", "licence"])
def test_reading_r77_a_header_says_unknown_and_never_nothing(key: str, tmp_path: Path) -> None:
    source = {name: value for name, value in HEADER["source"].items() if name != key}
    path = tmp_path / "v.jsonl"
    path.write_text(json.dumps({**HEADER, "source": source}))

    assert [finding.where for finding in read(path)[2]] == ["v.jsonl:1/source"]


def test_a_verdict_and_its_schema_have_the_same_fields() -> None:
    stated = schema("verdict")
    kinds = msgspec.json.schema(Row)["$defs"]["Row"]

    assert set(stated["properties"]) == set(Row.__struct_fields__)
    assert set(stated["required"]) == set(kinds["required"])
    assert set(COLUMNS) == set(Row.__struct_fields__) - {"a_text", "b_text"}


def test_a_header_and_its_schema_have_the_same_fields() -> None:
    assert findings("verdict_header", HEADER) == []
    assert set(schema("verdict_header")["properties"]) == set(Header.__slots__)


def rows() -> SearchStrategy[dict[str, Any]]:
    """Return lines that are nearly right: each field present or not, of its type or another."""
    values: dict[str, list[Any]] = {
        **{key: [X, "x"] for key in ("a_sha256", "b_sha256", "answer_sha256")},
        **{key: [0, -1, True] for key in ("a_length", "b_length", "answer_length")},
        "repeat": [0, -1, 2**31],
        **{key: ["a", "tie", "c"] for key in ("first", "verdict", "gold")},
        **{key: [1, 1e13, "1"] for key in ("a_score", "b_score")},
        "humans": [["a"], [], ["c"]],
        "date": ["2023-10-11", "11.10.2023"],
        "subset": ["s", ""],
    }
    optional = {key: st.sampled_from(value * 2 + value[:1] * 9) for key, value in values.items()}
    fixed = {"item": st.just("1"), "setting": st.just("j"), "file": st.just("f")}
    return st.fixed_dictionaries(fixed, optional=optional)


@given(rows())
def test_reading_r77_the_reader_admits_what_the_schema_admits(line: dict[str, Any]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        admitted = wrong(file_of(Path(folder), line)) == []

    is_valid = jsonschema.Draft202012Validator(schema("verdict")).is_valid(line)
    # What the schema says in words: a winner of one candidate is none.
    compares = line.get("verdict", "unreadable") != "unreadable"
    assert admitted == (is_valid and ("b_sha256" in line or not compares))


def parquet_of(folder: Path, *lines: dict[str, Any]) -> Path:
    path = folder / "v.parquet"
    write(path, parse(HEADER, Header), [msgspec.convert(line, Row) for line in lines])
    return path


@pytest.mark.extra
def test_reading_r77_parquet_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    lines = [{**GOOD, "humans": ["a", "tie"], "a_score": 0.5}, {**GOOD, "first": "b", "repeat": 2}]

    header, verdicts, found = read(parquet_of(tmp_path, *lines))

    assert found == []
    assert header == parse(HEADER, Header)
    assert verdicts is not None
    assert verdicts.humans.names == [("a", "tie")]
    assert verdicts.repeat.as_numbers()[1] == 2
    assert verdicts.first.as_places("ab").tolist() == [0, 1]


DAMAGED: list[tuple[str, list[Any], str, str]] = [
    ("verdict", ["a", "A"], "v.parquet:2/verdict", "Invalid enum value 'A'"),
    ("item", ["1", None], "v.parquet:2", "Object missing required field `item`"),
    ("a_length", ["1", "1"], "v.parquet:1/a_length", "Expected `int`, got `str`"),
    ("a_score", [float("nan"), 1.0], "v.parquet:1/a_score", "Expected `float` >= -1000000000000.0"),
    ("gold", [{"a": 1}, None], "v.parquet:1/gold", "Expected `str`, got `object`"),
    ("judge", ["j", "j"], "v.parquet:0/judge", "no such field of a verdict"),
]


@pytest.mark.extra
@pytest.mark.parametrize(("column", "values", "where", "problem"), DAMAGED)
def test_reading_r77_a_problem_in_parquet_has_its_row_and_column(
    column: str, values: list[Any], where: str, problem: str, tmp_path: Path
) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = parquet_of(tmp_path, GOOD, {**GOOD, "first": "b"})
    table = pq.read_table(path)
    kept_column_names = [name for name in table.column_names if name != column]
    pq.write_table(table.select(kept_column_names).append_column(column, pa.array(values)), path)

    assert (where, problem) in wrong(path)


@pytest.mark.extra
def test_reading_r77_two_columns_of_one_name_are_a_finding(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = parquet_of(tmp_path, GOOD)
    pq.write_table(pq.read_table(path).append_column("verdict", pa.array(["b"])), path)

    assert wrong(path) == [("v.parquet:0/verdict", "the column 'verdict' appears twice")]


@pytest.mark.extra
def test_reading_r77_a_small_file_of_endless_rows_is_refused_before_it_is_unpacked(
    tmp_path: Path,
) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = parquet_of(tmp_path, GOOD)
    table = pa.table({"item": pa.nulls(10_000_001, pa.null())})
    pq.write_table(table.replace_schema_metadata(pq.read_schema(path).metadata), path)

    assert wrong(path) == [("v.parquet", "10,000,001 rows, expected at most 10,000,000")]


@pytest.mark.extra
def test_reading_r77_damage_anywhere_in_parquet_is_a_finding(tmp_path: Path) -> None:
    path = parquet_of(tmp_path, *({**GOOD, "item": f"{n}"} for n in range(9)))
    whole_content = path.read_bytes()

    for place in range(4, len(whole_content) - 8, 11):
        path.write_bytes(whole_content[:place] + b"\xff" * 3 + whole_content[place + 3 :])
        read(path)  # whatever it finds: it raises nothing


def test_reading_r77_a_mark_blank_lines_and_crlf_are_no_content(tmp_path: Path) -> None:
    path = file_of(tmp_path, GOOD, {**GOOD, "first": "b"}, {**GOOD, "item": ""})
    lines = path.read_text("utf-8").splitlines()
    path.write_bytes(("\ufeff" + "\r\n\r\n".join(lines) + "\r\n \n").encode())

    (problem,) = wrong(path)
    path.write_bytes(path.read_bytes().replace(b'"item": ""', b'"item": "z"'))

    assert problem[0] == "v.jsonl:7/item"
    assert wrong(path) == []
    assert [row.first for row in stored(path)][:2] == ["a", "b"]


@pytest.mark.parametrize(
    "rows",
    [
        [["b", "a"], ["a", "b"], ["b", "a"]],  # of one length
        [["b", "a"], None, ["b"]],
        [["b", None], ["a", "b"]],
        [None, ["b", "a"], [None, "a"], None, ["b", "a"], [None, None]],
        [[], []],
        [[2.5, 1.0], [1.0, 2.5], [2.5, 1.0]],
    ],
)
def test_each_row_of_a_column_of_lists_has_the_code_of_its_list(rows: list[Any]) -> None:
    codes, names = codes_of(pa.array(rows))

    read = [list(names[code]) if code >= 0 else None for code in codes]
    assert read == rows
    assert len(names) == len({repr(row) for row in rows if row is not None})


@pytest.mark.parametrize(
    ("cells", "codes"),
    [
        (["x", None, "y", "x"], [0, -1, 1, 0]),
        ([None, "x", "y"], [-1, 0, 1]),
        (["x", "y", None], [0, 1, -1]),
        (["x", "y"], [0, 1]),
    ],
)
def test_an_absent_cell_of_a_column_has_no_code(cells: list[str | None], codes: list[int]) -> None:
    counted, names = codes_of(pa.array(cells))

    assert (counted.tolist(), names) == (codes, ["x", "y"])


def test_a_column_of_absent_cells_has_no_names() -> None:
    codes, names = codes_of(pa.array([None, None], pa.string()))

    assert (codes.tolist(), names) == ([-1, -1], [])


@pytest.mark.parametrize("name", ["v.jsonl", "v.parquet"])
def test_reading_r77_the_digest_of_verdicts_is_that_of_their_lines(
    tmp_path: Path, name: str
) -> None:
    rows = [
        Row(**{**GOOD, "item": 'quoted "1" \u00e9', "input_tokens": 7.0}),
        Row(**{**GOOD, "item": "2", "humans": ("a", "tie"), "confidence": 0.1}),
        Row(**{**GOOD, "item": "3", "subset": "law", "gold": "b"}),
    ]
    header = parse(HEADER, Header)
    write(tmp_path / "lines.jsonl", header, rows)
    write(tmp_path / name, header, rows)

    lines = (tmp_path / "lines.jsonl").read_bytes()
    assert content_digest(*sound(tmp_path / name)) == hashlib.sha256(lines).hexdigest()
    assert b'"input_tokens":7.0' in lines


def test_reading_verdicts_loads_no_pandas(tmp_path: Path) -> None:
    write(
        tmp_path / "v.parquet",
        parse(HEADER, Header),
        [Row(**GOOD), Row(**{**GOOD, "item": "2", "gold": "a"})],
    )
    program = (
        "import sys; from pathlib import Path\n"
        "from epc.records.verdicts.verdict_file import sound\n"
        "sound(Path(sys.argv[1])); print('pandas' in sys.modules)"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "v.parquet")]

    assert subprocess.run(command, capture_output=True, check=True).stdout == b"False\n"
