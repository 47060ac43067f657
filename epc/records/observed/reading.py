"""A verdict file read strictly: JSON Lines with a header line, or Parquet.

Every problem is a finding with its line (of Parquet: its row) and field; reading goes on after it.
"""

from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from types import GenericAlias
from typing import Any, BinaryIO, Final, get_type_hints

import msgspec
from msgspec import UNSET

from epc.arrays import np
from epc.digests import sha256
from epc.errors import Finding, UsageError, able_to
from epc.json_text import Reader, decode
from epc.records.findings import Findings
from epc.records.observed.checking import CLAUSE, misread, problems
from epc.records.observed.columns import COLUMNS, Collector, Verdicts
from epc.records.observed.parquet import (
    MAGIC,
    METADATA,
    codes_of,
    damaged,
    has_plain_columns,
    opened,
)
from epc.records.observed.types import Header, Row
from epc.records.schemas import findings as schema_findings
from epc.records.typed import parse

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
            f"  fix: see `epc observe check {path}`"
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
        return None, None, findings.kept()
    collector, decoder, numbers = Collector(), msgspec.json.Decoder(Row), iter(range(2, 10**12))
    while lines := list(islice(iter(lambda: file.readline(_LONGEST), b""), _BATCH)):
        numbered = [each for each in zip(numbers, lines, strict=False) if each[1].strip()]
        _add(collector, numbered, decoder.decode, name, findings)
    return _checked(name, header, collector.verdicts(), findings)


def _read_parquet(name: str, file: BinaryIO, findings: Findings) -> Read:
    table = opened(name, file, findings)
    if table is None:
        return None, None, findings.kept()
    schema = table.schema_arrow
    header = _header((schema.metadata or {}).get(METADATA, b""), f"{name}:0", findings)
    if header is None:
        return None, None, findings.kept()
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
    return header, verdicts, findings.kept()


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
    kept: list[tuple[int, Any]] = []
    for line, source in numbered:
        try:
            row = parsed(source)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            findings.extend([misread(str(error), f"{name}:{line}", _MEND)])
            continue
        rows.append(row)
        kept.append((line, source))
        if row.a_text is not UNSET or row.b_text is not UNSET:
            findings.extend(_texts(row, f"{name}:{line}"))
    present = collector.add_rows(rows, [line for line, _ in kept])
    sources = [source for _, source in kept if isinstance(source, bytes)]
    if sources and b"".join(sources).count(_KEY) != present:
        findings.extend(_repeated(kept, name))


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
