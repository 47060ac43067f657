"""A verdict file written: JSON Lines or Parquet, by its name."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from epc.errors import Finding, UsageError
from epc.records.observed import parquet
from epc.records.observed.checking import problems
from epc.records.observed.columns import Collector
from epc.records.observed.types import Header, Row
from epc.records.strict_json import dumps_line, written_whole
from epc.records.typed import as_json

_KINDS: Final = (".jsonl", ".parquet")


def require_kind(path: Path) -> None:
    """Make sure that a name says which form the file has.

    Raises: UsageError.
    """
    if path.suffix not in _KINDS:
        raise UsageError(f"{path.name} is named neither .jsonl nor .parquet, which say the form")


def problems_of(name: str, header: Header, rows: Sequence[Row]) -> list[Finding]:
    """Return what reading a file of these verdicts would find."""
    collector = Collector()
    collector.add_rows(rows, range(2, len(rows) + 2))
    return list(problems(name, header, collector.verdicts()))


def write(path: Path, header: Header, rows: Sequence[Row]) -> None:
    """Write a verdict file, whole or not at all.

    Raises: WorldError if the disk refuses, or pyarrow is missing; UsageError for another name.
    """
    require_kind(path)
    first = dumps_line(as_json(header)).encode("utf-8")
    with written_whole(path) as file:
        if path.suffix == ".parquet":
            parquet.write(file, first, rows)
            return
        file.write(first)
        encoder = msgspec.json.Encoder(order="sorted")
        for row in rows:
            file.write(encoder.encode(row) + b"\n")
