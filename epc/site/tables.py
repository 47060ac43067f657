"""Every figure of every snapshot as one table: CSV for everybody, Parquet for large programs."""

from collections.abc import Iterator
from typing import Any

from epc.registry.tables import COLUMNS, figures
from epc.site import numbers
from epc.site.pages import Site


def rows(site: Site) -> Iterator[dict[str, Any]]:
    """Yield one row a figure, truth values as JSON writes them."""
    words = {True: "true", False: "false"}
    for row in figures(site.registry, site.as_of):
        yield {k: words[v] if isinstance(v, bool) else v for k, v in row.items()}


def csv_text(site: Site) -> str:
    """Return the table as CSV (RFC 4180), numbers as JSON writes them."""
    return numbers.csv_text(COLUMNS, rows(site))


def parquet(site: Site) -> bytes:
    """Return the table as Parquet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {"text": pa.string(), "date": pa.string(), "integer": pa.int64(), "float": pa.float64()}
    schema = pa.schema([(name, kinds[kind]) for name, (kind, _) in COLUMNS.items()])
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(list(rows(site)), schema=schema), sink)
    content: bytes = sink.getvalue().to_pybytes()
    return content
