"""Every figure of every snapshot as CSV, for everybody; `data/` has it as Parquet."""

from datetime import date
from typing import Any

from epc.registry.figures import figures_of
from epc.registry.tables import COLUMNS, FIGURE, SNAPSHOT, figure_row, snapshots
from epc.site import numbers
from epc.site.pages import Site


def csv_text(site: Site) -> str:
    """Return the table as CSV (RFC 4180), numbers as JSON writes them.

    Truth values are as JSON writes them too, days as ISO 8601 does.
    """
    line = numbers.csv_line
    lines = [line(COLUMNS)]
    rows = snapshots(site.registry, site.as_of)
    for snapshot, row in zip(site.registry.snapshots.values(), rows, strict=True):
        head = line(_written(row[name]) for name in SNAPSHOT)
        for figure in figures_of(snapshot):
            fields = figure_row(figure)
            lines.append(f"{head},{line(fields[name] for name in FIGURE)}")
    return "\r\n".join([*lines, ""])


def _written(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, date) else value
