"""A verdict file read strictly and written, JSON Lines with a header line, or Parquet.

Every problem is a finding with its line (of Parquet: its row) and field; reading goes on after it.
One judge's verdicts can be cut out of a file.
"""

import hashlib
from codecs import BOM_UTF8
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import GenericAlias
from typing import Any, BinaryIO, Final, get_type_hints

import msgspec
from msgspec import UNSET

from epc.arrays import Indices, np
from epc.digests import sha256
from epc.errors import Finding, UsageError, able_to
from epc.json_text import Reader, decode
from epc.records.findings import Findings
from epc.records.schemas import findings as schema_findings
from epc.records.strict_json import dumps_line, written_whole
from epc.records.typed import as_json, parse
from epc.records.verdicts import parquet
from epc.records.verdicts.checking import CLAUSE, misread, problems
from epc.records.verdicts.columns import COLUMNS, FIELDS, Collector, Column, Verdicts
from epc.records.verdicts.parquet import (
    MAGIC,
    METADATA,
    codes_of,
    damaged,
    has_plain_columns,
    opened,
)
from epc.records.verdicts.types import NUMBERS, Header, Judge, Row

Read = tuple[Header, Verdicts, list[Finding]] | tuple[None, None, list[Finding]]

SCHEMA: Final = "epc/spec/schemas/v1/verdict.json"
_MEND: Final = f"write it as `{SCHEMA}` says, or leave the line out"
_BATCH: Final = 20_000
_LONGEST: Final = 4 * 2**20  # bytes of a line
_KEY: Final = b'":'
_TYPES: Final = get_type_hints(Row, include_extras=True)
_REQUIRED: Final = tuple(field.name for field in msgspec.structs.fields(Row) if field.required)


def sound(path: Path) -> tuple[Header, Verdicts]:
    """Return a verdict file's content.

    Raises: UsageError if it has findings.
    """
    header, verdicts, findings = read(path)
    if findings or header is None or verdicts is None:
        raise UsageError(
            f"{path} has {len(findings)} findings; the first: {findings[0]}\n"
            f"  fix: see `epc validate {path}`"
        )
    return header, verdicts


def read(path: Path) -> Read:
    """Return a verdict file's header, its verdicts, and every problem found in them.

    Verdicts that cannot be read are left out; without a header there is nothing to read them by.

    Raises: WorldError if the file cannot be read, or pyarrow is missing.
    """
    with able_to("read", path), path.open("rb") as file:
        of_kind = _read_parquet if file.read(len(MAGIC)) == MAGIC else _read_lines
        file.seek(0)
        return of_kind(path.name, file, Findings())


def stored(path: Path) -> Iterator[Row]:
    """Yield the verdicts of a file in which `read` found nothing wrong, with their texts.

    Raises: WorldError if the file cannot be read, or pyarrow is missing.
    """
    with able_to("read", path), path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            decoder = msgspec.json.Decoder(Row)
            file.seek(0)
            yield from map(decoder.decode, filter(bytes.strip, islice(file, 1, None)))
            return
        for batch in opened(path.name, file, Findings()).iter_batches(_BATCH):
            for row in batch.to_pylist():
                yield msgspec.convert({k: v for k, v in row.items() if v is not None}, Row)


def _read_lines(name: str, file: BinaryIO, findings: Findings) -> Read:
    first = file.readline(_LONGEST).removeprefix(BOM_UTF8).rstrip(b"\r\n")
    header = _header(first, f"{name}:1", findings)
    if header is None:
        return None, None, findings.as_list()
    collector, decoder, numbers = Collector(), msgspec.json.Decoder(Row), iter(range(2, 10**12))
    while lines := list(islice(iter(lambda: file.readline(_LONGEST), b""), _BATCH)):
        numbered = [entry for entry in zip(numbers, lines, strict=False) if entry[1].strip()]
        _add(collector, numbered, decoder.decode, name, findings)
    return _checked(name, header, collector.verdicts(), findings)


def _read_parquet(name: str, file: BinaryIO, findings: Findings) -> Read:
    table = opened(name, file, findings)
    if table is None:
        return None, None, findings.as_list()
    schema = table.schema_arrow
    header = _header((schema.metadata or {}).get(METADATA, b""), f"{name}:0", findings)
    if header is None:
        return None, None, findings.as_list()
    collector, done = Collector(), 0
    fields = [field for field in schema.names if field in _TYPES]
    plain = set(fields) <= set(COLUMNS) and has_plain_columns(table, fields)
    try:
        for batch in table.iter_batches(_BATCH, columns=fields):
            columns = dict(zip(fields, map(codes_of, batch.columns), strict=True)) if plain else {}
            if _is_sound(columns):
                lines = np.arange(done + 1, done + len(batch) + 1, dtype=np.int32)
                collector.add_columns(columns, lines)
            else:  # row by row, which says of each what is wrong with it
                rows = [
                    {k: v for k, v in row.items() if v is not None} for row in batch.to_pylist()
                ]
                numbered = list(enumerate(rows, done + 1))
                _add(collector, numbered, lambda row: msgspec.convert(row, Row), name, findings)
            done += len(batch)
    except (ValueError, OSError) as error:
        findings.extend([damaged(f"{name}:{done + 1}", error)])
    return _checked(name, header, collector.verdicts(), findings)


def _checked(name: str, header: Header, verdicts: Verdicts, findings: Findings) -> Read:
    findings.extend(problems(name, header, verdicts))
    return header, verdicts, findings.as_list()


def _header(text: bytes, where: str, findings: Findings) -> Header | None:
    decoded, faults = decode(text)
    value: Any = None
    if not faults:
        value, faults = Reader().parse(decoded)
    if faults:
        remedy = "begin the file with the header of `epc/spec/schemas/v1/verdict_header.json`"
        findings.add(CLAUSE, where, f"no header: {faults[0].problem}", remedy)
        return None
    faults = schema_findings("verdict_header", value, where=where, clause=CLAUSE)
    findings.extend(faults)
    return None if faults else parse(value, Header)


def _is_sound(columns: Mapping[str, tuple[Any, list[Any]]]) -> bool:
    """Say whether every value is of its type, looking at each distinct one once."""
    if any(field not in columns or (columns[field][0] < 0).any() for field in _REQUIRED):
        return False
    try:
        for field, (_, values) in columns.items():
            msgspec.convert(values, GenericAlias(list, (_TYPES[field],)))
    except msgspec.ValidationError:
        return False
    return True


def _add(
    collector: Collector,
    numbered: list[tuple[int, Any]],
    parsed: Any,
    name: str,
    findings: Findings,
) -> None:
    """Take the verdicts of some lines or rows that can be read, and say why others cannot."""
    rows: list[Row] = []
    readable: list[tuple[int, Any]] = []
    for line, source in numbered:
        try:
            row = parsed(source)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            findings.extend([misread(str(error), f"{name}:{line}", _MEND)])
            continue
        rows.append(row)
        readable.append((line, source))
        if row.a_text is not UNSET or row.b_text is not UNSET:
            findings.extend(_texts(row, f"{name}:{line}"))
    present = collector.add_rows(rows, [line for line, _ in readable])
    sources = [source for _, source in readable if isinstance(source, bytes)]
    if sources and b"".join(sources).count(_KEY) != present:
        findings.extend(_repeated(readable, name))


def _texts(row: Row, where: str) -> Iterator[Finding]:
    """Yield how a candidate's text differs from what the line says of it."""
    for field, text, digest, length in (
        ("a_text", row.a_text, row.a_sha256, row.a_length),
        ("b_text", row.b_text, row.b_sha256, row.b_length),
    ):
        if isinstance(text, str):
            real = sha256(text), len(text)
            if real != (digest, length):
                problem = f"has SHA-256 {real[0][:12]}... and {real[1]:,} characters, not as stated"
                yield Finding(CLAUSE, f"{where}/{field}", problem, _MEND)


def _repeated(numbered: Iterable[tuple[int, bytes]], name: str) -> Iterator[Finding]:
    """Yield the keys that stand twice in a line: which of the values is meant, nobody can say."""
    reader = Reader()
    for line, source in numbered:
        _, faults = reader.parse(source.decode("utf-8"))
        for fault in faults:
            yield Finding(CLAUSE, f"{name}:{line}{fault.where}", fault.problem, fault.remedy)


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
    names = _stated_columns(verdicts)
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


def content_digest(header: Header, verdicts: Verdicts) -> str:
    """Return the SHA-256 of a verdict file's JSON Lines: the same in whichever form it stands.

    A line is made of its columns' cells, of which each distinct one is written once: to make a row
    of every line, and JSON of every row, takes four times as long.
    """
    digest = hashlib.sha256(next(lines_of(header, ())))
    columns = [_cells(name, getattr(verdicts, name)) for name in sorted(_stated_columns(verdicts))]
    for start in range(0, len(verdicts), _BATCH):
        cells = [
            map(texts.__getitem__, codes[start : start + _BATCH].tolist())
            for codes, texts in columns
        ]
        lines = map(b"".join, zip(*cells, strict=True))
        digest.update(b"".join(b"{%b}\n" % line[1:] for line in lines))
    return digest.hexdigest()


def _cells(name: str, column: Column) -> tuple[Indices, list[bytes]]:
    """Return a column's codes, and the JSON that each stands for, after a comma."""
    key = msgspec.json.encode(name)
    texts = [b",%b:%b" % (key, msgspec.json.encode(value)) for value in _typed(name, column)]
    return column.codes, [*texts, b""]


def cut(header: Header, verdicts: Verdicts, judge: str) -> tuple[Header, list[Row]]:
    """Return a judge's verdicts in the order of the file, under a header that names nothing else.

    `judge` is the source's name for it, or its model. What the source left out is counted of the
    whole source. Texts are gone: their digests and lengths are what is published.

    Raises: UsageError if there is no such judge, or its settings are of several models.
    """
    keys = _settings(header, judge)
    chosen = np.flatnonzero(verdicts.are_of(keys))
    if not len(chosen):
        raise UsageError(f"no verdict is by {judge}\n  fix: see `epc audit`")
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
    names = _stated_columns(verdicts)
    read = [_values(name, getattr(verdicts, name), places) for name in names]
    return [Row(**dict(zip(names, values, strict=True))) for values in zip(*read, strict=True)]


def _stated_columns(verdicts: Verdicts) -> list[str]:
    """Return the columns in which some verdict says something."""
    return [name for name in COLUMNS if (getattr(verdicts, name).codes >= 0).any()]


def judge_of(header: Header) -> Judge:
    """Return who was asked, of a file with one judge."""
    return next(iter(header.settings.values())).judge


def _settings(header: Header, judge: str) -> set[str]:
    """Return the settings of a judge, by its name or, if none has that name, by its model."""
    named = {key for key, setting in header.settings.items() if setting.judge.name == judge}
    modelled = {key for key, setting in header.settings.items() if setting.judge.model == judge}
    judges = {setting.judge.name: setting.judge.model for setting in header.settings.values()}
    if not named and not modelled:
        choices = ", ".join(f"{name} ({model})" for name, model in judges.items())
        raise UsageError(f"no judge is called {judge!r}\n  fix: name one of {choices}")
    keys = named or modelled
    models = {
        (identity.model, identity.platform)
        for identity in (header.settings[key].judge for key in keys)
    }
    if len(models) > 1:
        several = ", ".join(f"{model} on {platform}" for model, platform in sorted(models))
        raise UsageError(
            f"{judge} was {several}: a snapshot is of one\n  fix: name one model with --judge"
        )
    return keys


def _values(name: str, column: Column, places: Indices) -> Iterator[Any]:
    names = [*_typed(name, column), UNSET]
    return map(names.__getitem__, column.codes[places].tolist())


def _typed(name: str, column: Column) -> Sequence[Any]:
    """Return the distinct values of a column as rows have them: whole numbers as floats."""
    if name in NUMBERS:
        return [float(value) for value in column.names]
    if name == "scores":
        return [
            tuple(None if score is None else float(score) for score in value)
            for value in column.names
        ]
    return column.names
