"""A table of all that is published, made part by part."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from epc.registry import data
from epc.registry.data import _written
from epc.registry.tables import TABLES

SCHEMA = pa.schema([("tag", pa.string()), ("n", pa.int64())])


def test_parts_are_joined_in_their_order_and_each_knows_how_many_rows_come_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def groups(name: str, sealed: Any, as_of: date, tags: Sequence[str]) -> Any:
        for tag in tags:
            yield tag, pa.table({"tag": [tag, tag], "n": [1, 2]}, schema=SCHEMA)

    monkeypatch.setattr(data, "schema_of", lambda _: SCHEMA)
    monkeypatch.setattr(data, "groups", groups)
    monkeypatch.setattr(data, "parts", lambda *_: [("a", "b"), ("c",)])
    monkeypatch.setattr(data, "follows_from", lambda *given: given[-1])
    told: list[str] = []
    kept: list[tuple[Sequence[str], str]] = []

    def keep(given: Sequence[str], path: Path, make: Any) -> Any:
        kept.append((given, path.name))
        return data.anew(given, path, make)

    name = next(iter(TABLES))
    sealed: Any = SimpleNamespace(registry=None)
    table = _written(name, sealed, tmp_path, date(2026, 7, 2), told.append, keep=keep)

    assert pq.read_table(table.path)["tag"].to_pylist() == [*"aabbcc"]
    assert kept == [
        (("a", "b"), f"{name}.0.part"),
        (("c",), f"{name}.1.part"),
        (["whole", "part", "a", "b", "part", "c"], f"{name}.parquet"),
    ]
    assert [line.split(": ")[1] for line in told] == [
        "2 rows, up to a",
        "4 rows, up to b",
        "6 rows, up to c",
    ]
    assert [*tmp_path.iterdir()] == [table.path]
