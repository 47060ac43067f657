"""A table of all that is published, written a group of snapshots at a time."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from epc.digests import file_sha256
from epc.registry import data
from epc.registry.data import tables
from epc.registry.expiry import States
from epc.registry.tables import TABLES

SCHEMA = pa.schema([("tag", pa.string()), ("n", pa.int64())])


def test_a_table_has_its_groups_in_their_order_and_says_how_far_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def groups(name: str, sealed: Any, states: States) -> Any:
        for tag in "abc":
            yield tag, pa.table({"tag": [tag, tag], "n": [1, 2]}, schema=SCHEMA)

    monkeypatch.setattr(data, "schema_of", lambda _: SCHEMA)
    monkeypatch.setattr(data, "groups", groups)
    lines: list[str] = []
    name = next(iter(TABLES))
    sealed: Any = SimpleNamespace(registry=None)

    ((table, path),) = tables(sealed, [name], tmp_path, {}, lines.append)

    assert pq.read_table(path)["tag"].to_pylist() == [*"aabbcc"]
    assert (table.name, table.path, table.rows) == (name, path.name, 6)
    assert (table.bytes, table.sha256) == (path.stat().st_size, file_sha256(path))
    assert lines == [
        f"{name}: {end}" for end in ("2 rows, up to a", "4 rows, up to b", "6 rows, up to c")
    ]
