"""A verdict file written: JSON Lines or Parquet, by its name."""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

from epc.errors import Finding, UsageError
from epc.records.observed import parquet
from epc.records.observed.checking import problems
from epc.records.observed.columns import columns_of
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
    return list(problems(name, header, columns_of(rows)))


def write(path: Path, header: Header, rows: Sequence[Row]) -> None:
    """Write a verdict file, whole or not at all.

    Raises: WorldError if the disk refuses, or pyarrow is missing; UsageError for another name.
    """
    require_kind(path)
    lines = lines_of(header, rows)
    with written_whole(path) as file:
        if path.suffix == ".parquet":
            parquet.write(file, next(lines), rows)
            return
        for line in lines:
            file.write(line)


def lines_of(header: Header, rows: Sequence[Row]) -> Iterator[bytes]:
    """Yield the lines of a verdict file in its form of JSON Lines, which is canonical."""
    yield dumps_line(as_json(header)).encode("utf-8")
    encoder = msgspec.json.Encoder(order="sorted")
    for row in rows:
        yield encoder.encode(row) + b"\n"


def content_digest(header: Header, rows: Sequence[Row]) -> str:
    """Return the SHA-256 of a verdict file's JSON Lines: the same in whichever form it stands."""
    digest = hashlib.sha256()
    for line in lines_of(header, rows):
        digest.update(line)
    return digest.hexdigest()
