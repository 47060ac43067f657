"""A verdict file written: JSON Lines or Parquet, by its name."""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec import UNSET

from epc.errors import Finding, UsageError
from epc.records.observed import parquet
from epc.records.observed.checking import problems
from epc.records.observed.columns import COLUMNS, FIELDS, Verdicts, columns_of
from epc.records.observed.converting import Conversion
from epc.records.observed.types import Header, Row
from epc.records.strict_json import dumps_line, written_whole
from epc.records.typed import as_json

_KINDS: Final = (".jsonl", ".parquet")


def require_kind(path: Path, *kinds: str) -> None:
    """Make sure that a name says which form the file has: any, or one of some.

    Raises: UsageError.
    """
    if path.suffix not in (kinds or _KINDS):
        named = f"not named {kinds[0]}" if kinds else "named neither .jsonl nor .parquet"
        raise UsageError(f"{path.name} is {named}, which says the form")


def problems_of(name: str, done: Conversion) -> list[Finding]:
    """Return what is wrong with a source's verdicts together, where it stands in the source."""
    assert done.header
    return list(problems(name, done.header, columns_of(done.rows), done.place))


def present(header: Header, verdicts: Verdicts) -> list[str]:
    """Return the fields that some verdict of a file has; texts stand beside their digests."""
    names = [name for name in COLUMNS if (getattr(verdicts, name).codes >= 0).any()]
    texts = [f"{name}_text" for name in "ab" if f"{name}_sha256" in names]
    return names + (texts if header.source.texts else [])


def write(
    path: Path, header: Header, rows: Iterable[Row], fields: Collection[str] | None = None
) -> None:
    """Write a verdict file, whole or not at all.

    `fields` are those that some verdict has; without them the verdicts are asked.

    Raises: WorldError if the disk refuses, or pyarrow is missing; UsageError for another name.
    """
    require_kind(path)
    with written_whole(path) as file:
        if path.suffix == ".parquet":
            if fields is None:
                rows = list(rows)
                fields = [
                    name for name in FIELDS if any(getattr(row, name) is not UNSET for row in rows)
                ]
            parquet.write(file, next(lines_of(header, ())), rows, fields)
            return
        for line in lines_of(header, rows):
            file.write(line)


def lines_of(header: Header, rows: Iterable[Row]) -> Iterator[bytes]:
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
