"""The Parquet form of a verdict file, and columns without pandas, which takes seconds to load."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import islice
from typing import Any, BinaryIO, Final

from msgspec import to_builtins

from epc.arrays import Array, Indices, np, ranks
from epc.errors import Finding, UsageError
from epc.extras import require
from epc.records.findings import Findings
from epc.records.verdicts.columns import FIELDS
from epc.records.verdicts.types import NUMBERS, Row

MAGIC: Final = b"PAR1"
METADATA: Final = b"epc.verdicts"
_LISTS: Final = ("humans", "human_scores", "human_labels", "candidates", "scores", "order")
_COUNTS: Final = ("a_length", "b_length", "repeat", "picked", "order", "right", "answer_length")
_BATCH, _BATCHES = 10_000, 20  # rows at a time, and of these in a group
_MOST_ROWS: Final = 10_000_000


def opened(
    name: str, file: BinaryIO, findings: Findings, *, fields: Collection[str] | None = FIELDS
) -> Any:
    """Return a Parquet file ready to be read, or None with a finding.

    A column that is none of `fields` is a finding too; with two of one name nothing can be read.

    Raises: MissingExtraError if pyarrow is missing.
    """
    require("data")
    import pyarrow.parquet as pq

    try:
        table = pq.ParquetFile(file)
        names = table.schema_arrow.names
    except (ValueError, OSError) as error:
        findings.extend([damaged(name, error)])
        return None
    if twice := sorted({column for column in names if names.count(column) > 1}):
        problem = f"the column {twice[0]!r} appears twice"
        findings.add("Reading R77", f"{name}:0/{twice[0]}", problem, "keep one of them")
        return None
    if table.metadata.num_rows > _MOST_ROWS:  # a few bytes can state any number of equal rows
        problem = f"{table.metadata.num_rows:,} rows, expected at most {_MOST_ROWS:,}"
        findings.add("Reading R77", name, problem, "split it")
        return None
    for column in names:
        if fields is not None and column not in fields:
            remedy = f"leave it out; the columns are {', '.join(FIELDS)}"
            findings.add("Reading R77", f"{name}:0/{column}", "no such field of a verdict", remedy)
    return table


def damaged(where: str, error: Exception) -> Finding:
    """Return the finding for what pyarrow cannot decode; it finds that out page by page."""
    problem = f"damaged, or no Parquet: {error}"
    return Finding(clause="Reading R77", where=where, problem=problem, remedy="make it again")


def has_plain_columns(table: Any, fields: Sequence[str]) -> bool:
    """Say whether `codes_of` can take the columns: none is nested, but for lists of values."""
    import pyarrow as pa

    schema = table.schema_arrow
    kinds = [schema.field(name).type for name in fields]
    return all(
        not pa.types.is_nested(kind.value_type if pa.types.is_list(kind) else kind)
        for kind in kinds
    )


def codes_of(column: Any) -> tuple[Indices, list[Any]]:
    """Return a column of a batch as codes, -1 where absent, and the distinct values.

    Arrow's own `to_numpy` would load pandas, which takes longer than a file of verdicts.
    """
    import pyarrow as pa

    if pa.types.is_list(column.type):
        if coded := _alike(column):
            return coded
        values = [None if cell is None else tuple(cell) for cell in column.to_pylist()]
        names = list(dict.fromkeys(value for value in values if value is not None))
        codes: dict[Any, int] = {name: code for code, name in enumerate(names)}
        return np.array([codes.get(value, -1) for value in values], np.int32), names
    coded = column.dictionary_encode(null_encoding="encode")
    cells = coded.dictionary.to_pylist()
    absent = cells.index(None) if None in cells else len(cells)
    places = np.arange(len(cells), dtype=np.int32)
    places[absent:] -= 1
    places[absent : absent + 1] = -1
    return places[np.from_dlpack(coded.indices)], [cell for cell in cells if cell is not None]


def _alike(column: Any) -> tuple[Indices, list[Any]] | None:
    """Return `codes_of` a column of lists that have one length, without a loop over them."""
    import pyarrow.compute as pc

    cells = column.flatten().dictionary_encode(null_encoding="encode")
    lengths = pc.list_value_length(column)
    least, length = pc.min(lengths).as_py(), pc.max(lengths).as_py()
    if not length or least != length:
        return None
    values = cells.dictionary.to_pylist()
    rows: Indices = np.from_dlpack(cells.indices).reshape(-1, length)
    lists = np.zeros(len(rows), np.int64)
    for place in rows.T:  # sorting rows of several numbers takes ten times as long
        lists = ranks(lists * len(values) + place)
    _, first = np.unique(lists, return_index=True)
    codes = np.full(len(column), -1, np.int32)
    codes[np.from_dlpack(pc.list_parent_indices(column))[::length]] = lists
    names = [tuple(values[cell] for cell in row) for row in rows[first].tolist()]
    return codes, names


def write(file: BinaryIO, header: bytes, rows: Iterable[Row], present: Collection[str]) -> None:
    """Write verdicts as Parquet, packed by zstd; only a field that some verdict has is a column.

    Raises: MissingExtraError if pyarrow is missing.
    """
    require("data")
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = [name for name in FIELDS if name in present] or ["item"]
    schema = pa.schema(((name, _kind(name)) for name in names), metadata={METADATA: header})
    with pq.ParquetWriter(file, schema, compression="zstd", compression_level=6) as writer:
        remaining = iter(rows)
        while batches := [
            pa.Table.from_pylist(to_builtins(part), schema=schema)
            for _ in range(_BATCHES)
            if (part := list(islice(remaining, _BATCH)))
        ]:
            writer.write_table(pa.concat_tables(batches).combine_chunks())


def _kind(name: str) -> Any:
    import pyarrow as pa

    is_number = name in (*NUMBERS, "scores", "human_scores")
    kind = pa.int64() if name in _COUNTS else pa.float64() if is_number else pa.string()
    return pa.list_(kind) if name in _LISTS else kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Columns of a table: each row's code, and the value that each code stands for, in order."""

    codes: Mapping[str, Indices]
    names: Mapping[str, list[Any]]

    def coded(self, name: str) -> tuple[Indices, list[Any]]:
        """Return a column's codes, and what they stand for."""
        return self.codes[name], self.names[name]

    def numbers(self, name: str) -> Array:
        """Return a column's values as numbers."""
        return np.array(self.names[name], dtype=np.float64)[self.codes[name]]

    def values(self, name: str) -> list[Any]:
        """Return a column's values."""
        return [self.names[name][code] for code in self.codes[name].tolist()]


def columns_of(content: bytes, wanted: Sequence[str]) -> Columns:
    """Return columns of a Parquet file.

    Raises: UsageError if one is missing, or has no value somewhere; MissingExtraError without
    pyarrow.
    """
    require("data")
    import pyarrow as pa
    import pyarrow.parquet as pq

    codes, names = dict[str, Indices](), dict[str, list[Any]]()
    try:
        table = pq.ParquetFile(BytesIO(content)).read(columns=list(wanted))
        for name in wanted:
            encoded = table[name].combine_chunks().dictionary_encode()
            values = encoded.dictionary.to_pylist()
            order = sorted(range(len(values)), key=values.__getitem__)
            places = np.empty(len(values), np.int64)
            places[order] = np.arange(len(values))
            codes[name] = places[np.from_dlpack(encoded.indices)]
            names[name] = [values[place] for place in order]
    except (pa.ArrowException, LookupError, TypeError, ValueError, OSError) as error:
        problem = f"this is no table with {', '.join(wanted)}: {error}"
        raise UsageError(f"{problem}\n  fix: make it again") from error
    return Columns(codes=codes, names=names)
