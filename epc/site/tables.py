"""Every figure of every snapshot as one table: CSV for everybody, Parquet for large programs.

No column holds free text, so nothing in it can be taken for a formula by a spreadsheet.
"""

import re
from collections.abc import Iterator
from datetime import date
from typing import Any, Final

from epc.site import numbers
from epc.site.pages import Site, SnapshotPage

_STRANGE: Final = re.compile(r"[^A-Za-z0-9._:/-]")  # in a model's name, which others chose

COLUMNS: Final = {
    "tag": ("text", "The snapshot's id"),
    "generation": ("text", "The evaluator generation"),
    "model": ("text", "Who was asked, as platform/model; embedded where no platform was"),
    "kind": ("text", "measured, judged or reported"),
    "trust": ("text", "reported, recomputed, re-executed or replicated"),
    "calibration": ("text", "true for a mock evaluator's baseline"),
    "protocol_version": ("text", "The protocol, with the labels of what deviates from it"),
    "measured_from": ("date", "The first day on which it may have been measured"),
    "measured_to": ("date", "The last day on which it may have been measured"),
    "as_of": ("date", "The day of which the state is; it was built then"),
    "state": ("text", "current, expiring, expired or unknown, on that day"),
    "reason": ("text", "Why: retired, superseded, stale, drifted or withdrawn; else empty"),
    "since": ("date", "The day on which the state began, where one is known"),
    "until": ("date", "The day on which it ends or ended, where one is known"),
    "audit": ("text", "The audit's word; empty where there are no trials to audit"),
    "rule": ("integer", "Which version of the rule gave the audit's word"),
    "failed": ("text", "true where most seeds counted no verdict: rank no figure of it"),
    "faults": ("text", "Known faults of it, by their ids, separated by blanks"),
    "n": ("integer", "Seeds; of a judged snapshot, samples"),
    "figure": ("text", "Which figure, such as gamma/text_to_visual"),
    "mean": ("float", "The figure: a mean or a share"),
    "ci95_low": ("float", "Lower end of its 95% interval; empty where the numbers allow none"),
    "ci95_high": ("float", "Upper end of its 95% interval"),
    "sd": ("float", "Standard deviation over seeds, where one was printed"),
    "hits": ("integer", "Seeds, or judged samples or quotes, counted in a share"),
}


def rows(site: Site) -> Iterator[dict[str, Any]]:
    """Yield one row a figure."""
    for page in site.snapshots:
        shared = _of_snapshot(page)
        for figure in page.figures:
            low, high = figure.interval or (None, None)
            yield {
                **shared,
                "figure": figure.name,
                "mean": figure.mean,
                "ci95_low": low,
                "ci95_high": high,
                "sd": figure.sd,
                "hits": figure.hits,
            }


def _of_snapshot(page: SnapshotPage) -> dict[str, Any]:
    """Return what stands in the row of every figure of a snapshot."""
    row, card, state = page.row, page.card, page.row.standing.state
    named = f"{row.snapshot.platform or 'embedded'}/{row.snapshot.model}"
    return {
        "tag": row.tag,
        "generation": row.snapshot.tag.generation,
        "model": _STRANGE.sub("_", named).lstrip("-"),
        "kind": card.kind,
        "trust": row.trust,
        "calibration": _truth(given=card.calibration),
        "protocol_version": card.protocol_version,
        "measured_from": card.first_day.isoformat(),
        "measured_to": card.last_day.isoformat(),
        "as_of": state.as_of.isoformat(),
        "state": state.status,
        "reason": state.reason,
        "since": _day(state.since),
        "until": _day(state.until),
        "audit": row.verdict,
        "rule": row.rule,
        "failed": _truth(given=row.failed),
        "faults": " ".join(fault.id for fault in card.known_faults),
        "n": row.n,
    }


def _day(day: date | None) -> str | None:
    return day.isoformat() if day else None


def _truth(*, given: bool) -> str:
    return "true" if given else "false"


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
