"""Parquet files that were joined hold the rows of all, for readers that are not ours too."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from epc.registry.parquet_join import _move_in, join, parsed, serialised

SCHEMA = pa.schema(
    [
        pa.field("tag", pa.dictionary(pa.int32(), pa.string()), metadata={"description": "a tag"}),
        pa.field("n", pa.int64()),
        pa.field("share", pa.float64()),
        pa.field("failed", pa.bool_()),
    ]
)


def table(begin: int, rows: int) -> pa.Table:
    numbers = list(range(begin, begin + rows))
    values = {
        "tag": [f"v1.0-{n % 7}" for n in numbers],
        "n": numbers,
        "share": [n / 3 if n % 5 else None for n in numbers],
        "failed": [n % 3 == 0 for n in numbers],
    }
    columns = [pa.array(values[f.name], f.type) for f in SCHEMA]
    return pa.Table.from_arrays(columns, schema=SCHEMA)


def part(folder: Path, begin: int, rows: int, **how: object) -> Path:
    path = folder / f"{begin}.parquet"
    pq.write_table(table(begin, rows), path, compression="zstd", **how)
    return path


def footer(path: Path) -> bytes:
    content = path.read_bytes()
    length = int.from_bytes(content[-8:-4], "little")
    return content[-8 - length : -8]


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"row_group_size": 9},
        {"row_group_size": 3, "write_page_index": True},
        {"use_dictionary": False, "write_statistics": False},
    ],
)
def test_the_rows_of_all_parts_stand_one_behind_the_other(
    tmp_path: Path, how: dict[str, object]
) -> None:
    parts = [part(tmp_path, begin, rows, **how) for begin, rows in ((0, 20), (20, 1), (21, 79))]
    parts.insert(1, part(tmp_path, 200, 0, **how))
    out = tmp_path / "all.parquet"

    join(parts, out)

    whole = table(0, 100)
    assert pq.read_table(out).to_pylist() == whole.to_pylist()
    assert pq.read_schema(out).equals(SCHEMA, check_metadata=False)
    assert pq.read_schema(out).field("tag").metadata[b"description"] == b"a tag"
    found = duckdb.read_parquet(str(out)).order("n").fetchall()
    assert found == [tuple(row.values()) for row in whole.to_pylist()]


def test_each_row_group_says_what_is_in_it(tmp_path: Path) -> None:
    join([part(tmp_path, begin, 10) for begin in (0, 10, 20)], tmp_path / "all.parquet")

    said = pq.read_metadata(tmp_path / "all.parquet")
    lows = [said.row_group(place).column(1).statistics.min for place in range(3)]
    assert (said.num_rows, said.num_row_groups, lows) == (30, 3, [0, 10, 20])
    with pq.ParquetFile(tmp_path / "all.parquet") as file:
        assert file.read_row_group(1).to_pylist() == table(10, 10).to_pylist()


def test_one_part_stays_as_it_is(tmp_path: Path) -> None:
    one = part(tmp_path, 0, 100, row_group_size=7)

    join([one], tmp_path / "all.parquet")

    assert (tmp_path / "all.parquet").read_bytes() == one.read_bytes()


def test_more_row_groups_than_a_short_list_has(tmp_path: Path) -> None:
    join([part(tmp_path, n, 1) for n in range(40)], tmp_path / "all.parquet")

    assert pq.read_table(tmp_path / "all.parquet").to_pylist() == table(0, 40).to_pylist()


@pytest.mark.parametrize("spoilt", [lambda text: b"PAR2" + text[4:], lambda text: text[:-1]])
def test_what_is_no_parquet_file_is_refused(
    tmp_path: Path, spoilt: Callable[[bytes], bytes]
) -> None:
    one = part(tmp_path, 0, 3)
    one.write_bytes(spoilt(one.read_bytes()))

    with pytest.raises(ValueError, match="no Parquet file"):
        join([one], tmp_path / "all.parquet")


def test_a_footer_comes_back_to_the_byte(tmp_path: Path) -> None:
    text = footer(part(tmp_path, 0, 100, row_group_size=7, write_page_index=True))

    assert serialised(parsed(text)) == text


def test_fields_of_every_kind_come_back() -> None:
    # By the compact protocol's own rules: a step of 20 fields, a double, a byte, truths, negatives.
    text = bytes([0x11, 0x12, 0x13, 0x7F, 0x17, *range(8), 0x05, 0x32, 0x03, 0x19, 0x21, 1, 2, 0])

    assert parsed(text) == {
        1: (1, None),
        2: (2, None),
        3: (3, b"\x7f"),
        4: (7, bytes(range(8))),
        25: (5, -2),
        26: (9, (1, [b"\1", b"\2"])),
    }
    assert serialised(parsed(text)) == text


def test_a_kind_that_no_footer_has_is_refused() -> None:
    with pytest.raises(ValueError, match="kind 11"):
        parsed(bytes([0x1B, 0, 0]))


def test_only_places_that_are_there_are_moved() -> None:
    footer: Any = {9: (6, 100), 10: (6, 0)}

    _move_in(footer, (9, 10, 11), 40)

    assert footer == {9: (6, 140), 10: (6, 0)}
