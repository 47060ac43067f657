"""A verdict file written as JSON Lines or Parquet, and one judge's verdicts cut out of it."""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import UNSET

from epc.arrays import Indices, np
from epc.errors import UsageError
from epc.records.observed import parquet
from epc.records.observed.columns import COLUMNS, FIELDS, Column, Verdicts
from epc.records.observed.types import NUMBERS, Header, Judge, Row
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


def cut(header: Header, verdicts: Verdicts, judge: str) -> tuple[Header, list[Row]]:
    """Return a judge's verdicts in the order of the file, under a header that names nothing else.

    `judge` is the source's name for it, or its model. What the source left out is counted of the
    whole source. Texts are gone: their digests and lengths are what is published.

    Raises: UsageError if there is no such judge, or its settings are of several models.
    """
    own = _settings(header, judge)
    chosen = np.flatnonzero(verdicts.are_of(own))
    if not len(chosen):
        raise UsageError(f"no verdict is by {judge}\n  fix: see `epc observe report`")
    rows = rows_of(verdicts, chosen)
    files = {row.file for row in rows}
    used = {row.setting for row in rows}
    part = replace(
        header,
        source=replace(header.source, texts=False),
        files={key: value for key, value in header.files.items() if key in files},
        settings={key: value for key, value in header.settings.items() if key in used},
    )
    return part, rows


def rows_of(verdicts: Verdicts, chosen: Indices | None = None) -> list[Row]:
    """Return verdicts, or the chosen ones, as rows without texts."""
    places = np.arange(len(verdicts)) if chosen is None else chosen
    columns = {name: getattr(verdicts, name) for name in COLUMNS}
    stated = [name for name, column in columns.items() if (column.codes[places] >= 0).any()]
    read = [_values(name, columns[name], places) for name in stated]
    return [Row(**dict(zip(stated, values, strict=True))) for values in zip(*read, strict=True)]


def judge_of(header: Header) -> Judge:
    """Return who was asked, of a file with one judge."""
    return next(iter(header.settings.values())).judge


def _settings(header: Header, judge: str) -> set[str]:
    """Return the settings of a judge, by its name or, if none has that name, by its model."""
    named = {key for key, each in header.settings.items() if each.judge.name == judge}
    modelled = {key for key, each in header.settings.items() if each.judge.model == judge}
    judges = {each.judge.name: each.judge.model for each in header.settings.values()}
    if not named and not modelled:
        known = ", ".join(f"{name} ({model})" for name, model in judges.items())
        raise UsageError(f"no judge is called {judge!r}\n  fix: name one of {known}")
    own = named or modelled
    models = {(each.model, each.platform) for each in (header.settings[key].judge for key in own)}
    if len(models) > 1:
        several = ", ".join(f"{model} on {platform}" for model, platform in sorted(models))
        raise UsageError(
            f"{judge} was {several}: a snapshot is of one\n  fix: name one model with --judge"
        )
    return own


def _values(name: str, column: Column, places: Indices) -> Iterator[Any]:
    kept = column.names
    if name in NUMBERS:
        kept = [float(value) for value in kept]
    if name == "scores":
        kept = [tuple(None if each is None else float(each) for each in value) for value in kept]
    names = [*kept, UNSET]
    return (names[code] for code in column.codes[places].tolist())
