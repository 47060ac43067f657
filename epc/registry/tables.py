"""Every snapshot, and every figure of every snapshot, as rows of one table.

No column holds free text, so nothing in it can be taken for a formula by a spreadsheet.
"""

import re
from collections.abc import Iterator
from datetime import date
from typing import Any, Final

from epc.registry.figures import Figure, figures_of
from epc.registry.registry import Registry

_STRANGE: Final = re.compile(r"[^A-Za-z0-9._:/-]")  # in names that others chose

SNAPSHOT: Final = {
    "tag": ("text", "The snapshot's id"),
    "generation": ("text", "The evaluator generation"),
    "model": ("text", "Who was asked, as platform/model; embedded where no platform was"),
    "kind": ("text", "measured, judged, observed or reported"),
    "trust": ("text", "reported, observed, recomputed, re-executed, spot-checked or replicated"),
    "calibration": ("text", "true for a mock evaluator's baseline"),
    "protocol_version": ("text", "The protocol, with the labels of what deviates from it"),
    "measured_from": (
        "date",
        "The first day on which it may have been measured, if stated",
    ),
    "measured_to": ("date", "The last day on which it may have been measured"),
    "as_of": ("date", "The day of which the state is; it was built then"),
    "state": ("text", "current, unconfirmed, expiring, expired or unknown, on that day"),
    "reason": ("text", "Why: retired, superseded, stale, drifted or withdrawn; else empty"),
    "since": ("date", "The day on which the state began, where one is known"),
    "until": ("date", "The day on which it ends or ended, where one is known"),
    "audit": ("text", "The audit's word; empty where there are no trials to audit"),
    "rule": ("integer", "Which version of the rule gave the audit's word"),
    "failed": (
        "text",
        "true where most seeds counted no verdict, or no evaluation is valid: rank no figure of it",
    ),
    "faults": ("text", "Known faults of it, by their ids, separated by blanks"),
    "n": ("integer", "Seeds; of a judged snapshot samples, of an observed one verdicts"),
}
FIGURE: Final = {
    "figure": ("text", "Which figure, such as gamma/text_to_visual"),
    "mean": ("float", "The figure: a mean or a share"),
    "ci95_low": ("float", "Lower end of its 95% interval; empty where the numbers allow none"),
    "ci95_high": ("float", "Upper end of its 95% interval"),
    "sd": ("float", "Standard deviation over seeds, where one was printed"),
    "hits": ("integer", "Seeds, or judged samples or quotes, counted in a share"),
}
COLUMNS: Final = SNAPSHOT | FIGURE


def snapshots(registry: Registry, as_of: date) -> Iterator[dict[str, Any]]:
    """Yield one row a snapshot."""
    for tag, snapshot in registry.snapshots.items():
        card, state = snapshot.card, registry.of_tag(tag, as_of)
        named = f"{snapshot.platform or 'embedded'}/{snapshot.model}"
        yield {
            "tag": tag,
            "generation": snapshot.tag.generation,
            "model": _STRANGE.sub("_", named).lstrip("-"),
            "kind": card.kind,
            "trust": registry.trust(tag),
            "calibration": card.calibration,
            "protocol_version": card.protocol_version,
            "measured_from": _day(card.first_day),
            "measured_to": _day(card.last_day),
            "as_of": state.as_of.isoformat(),
            "state": state.status,
            "reason": state.reason,
            "since": _day(state.since),
            "until": _day(state.until),
            "audit": snapshot.verdict,
            "rule": snapshot.audit.rule if snapshot.audit else None,
            "failed": snapshot.failed,
            "faults": " ".join(fault.id for fault in card.known_faults),
            "n": snapshot.n,
        }


def figures(registry: Registry, as_of: date) -> Iterator[dict[str, Any]]:
    """Yield one row a figure, each with what there is to say of its snapshot."""
    for row in snapshots(registry, as_of):
        for figure in figures_of(registry.snapshots[row["tag"]]):
            yield row | figure_row(figure)


def figure_row(figure: Figure) -> dict[str, Any]:
    """Return a figure's own part of its row."""
    low, high = figure.interval or (None, None)
    return {
        "figure": _STRANGE.sub("_", figure.name),  # a setting's name is other people's text
        "mean": figure.mean,
        "ci95_low": low,
        "ci95_high": high,
        "sd": figure.sd,
        "hits": figure.hits,
    }


def _day(day: date | None) -> str | None:
    return day.isoformat() if day else None
