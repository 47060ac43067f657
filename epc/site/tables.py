"""Every figure of every snapshot as CSV, for everybody; `data/` has it as Parquet."""

from collections.abc import Iterator
from datetime import date
from typing import Any

from epc.registry.tables import COLUMNS, figures
from epc.site import numbers
from epc.site.pages import Site


def rows(site: Site) -> Iterator[dict[str, Any]]:
    """Yield one row a figure, truth values as JSON writes them, days as ISO 8601 does."""
    for row in figures(site.registry, site.as_of):
        yield {name: _written(value) for name, value in row.items()}


def _written(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, date) else value


def csv_text(site: Site) -> str:
    """Return the table as CSV (RFC 4180), numbers as JSON writes them."""
    return numbers.csv_text(COLUMNS, rows(site))
