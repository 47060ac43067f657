"""The columns of the tables that are published, and the rows of those that stand in cards.

A column's kind is text, `code` (text of which few values differ), date, boolean, integer or float.
No column of the figures holds free text, so a spreadsheet can take nothing in it for a formula.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

from epc.registry.expiry import States
from epc.registry.figures import Figure, figures_of
from epc.registry.registry import Registry
from epc.registry.snapshots import Snapshot

_STRANGE: Final = re.compile(r"[^A-Za-z0-9._:/-]")  # in names that others chose

SNAPSHOT: Final = {
    "tag": ("code", "The snapshot's id"),
    "generation": ("code", "The evaluator generation"),
    "model": ("code", "Who was asked, as platform/model; embedded where no platform was"),
    "kind": (
        "code",
        "measured, judged, observed, reported, or loop (an optimiser's gains)",
    ),
    "trust": ("code", "reported, observed or recomputed"),
    "calibration": ("boolean", "true for a mock evaluator's baseline"),
    "protocol_version": ("code", "The protocol, with the labels of what deviates from it"),
    "measured_from": (
        "date",
        "The first day on which it may have been measured, if stated",
    ),
    "measured_to": ("date", "The last day on which it may have been measured"),
    "as_of": ("date", "The day of which the state is; it was built then"),
    "state": ("code", "current, unconfirmed, expiring, expired or unknown, on that day"),
    "reason": ("code", "Why: retired, superseded, stale, drifted or withdrawn; else empty"),
    "since": ("date", "The day on which the state began, where one is known"),
    "until": ("date", "The day on which it ends or ended, where one is known"),
    "audit": ("code", "The audit's word; empty where there are no trials to audit"),
    "rule": ("integer", "Which version of the rule gave the audit's word"),
    "failed": (
        "boolean",
        "true where most seeds counted no verdict, or no evaluation is valid: rank no figure of it",
    ),
    "faults": ("code", "Known faults of it, by their ids, separated by blanks"),
    "n": (
        "integer",
        "Seeds; of a judged snapshot samples, of an observed one verdicts, of loops runs",
    ),
}
FIGURE: Final = {
    "figure": ("code", "Which figure, such as gamma/text_to_visual"),
    "mean": ("float", "The figure: a mean or a share"),
    "ci95_low": ("float", "Lower end of its 95% interval; empty where the numbers allow none"),
    "ci95_high": ("float", "Upper end of its 95% interval"),
    "sd": ("float", "Standard deviation over seeds, where one was printed"),
    "hits": ("integer", "Seeds, or judged samples or quotes, counted in a share"),
}
BASIS: Final = {
    "figure_n": (
        "integer",
        "What this figure rests on, where that is stated, else the snapshot's n",
    ),
    "items": ("integer", "Independent items among these; empty where they are not stated apart"),
}
COLUMNS: Final = SNAPSHOT | FIGURE | BASIS
_OF_SNAPSHOT: Final = {name: SNAPSHOT[name] for name in ("tag", "kind", "generation", "model")}
VERDICT: Final = _OF_SNAPSHOT | {
    "licence": ("code", "Of these verdicts, as in SPDX"),
    "source": ("code", "Whose records they are; empty where they were measured for this registry"),
    "setting": ("code", "How the judge was asked, by the source's name for it; empty if measured"),
    "subset": ("code", "The part of the source's items; of a measured one the domain"),
    "item": ("code", "What was judged, within its source; of a measured one the task's index"),
    "question_sha256": ("code", "Of the question's text"),
    "a_by": ("code", "Whose candidate a is; of a measured one the strategy"),
    "a_sha256": ("code", "Of candidate a's text"),
    "a_length": ("integer", "Characters of candidate a's text"),
    "b_by": ("code", "Whose candidate b is; of a measured one the strategy that is the baseline"),
    "b_sha256": ("code", "Of candidate b's text"),
    "b_length": ("integer", "Characters of candidate b's text"),
    "first": ("code", "Which candidate the judge read first, where that is stated"),
    "verdict": ("code", "a, b, tie or unreadable; empty where there are scores alone"),
    "times": ("integer", "How often it was said; of a measured one that asks each round, rounds"),
    "a_score": ("float", "The judge's score of candidate a"),
    "b_score": ("float", "The judge's score of candidate b"),
    "repeat": ("integer", "Which asking of the same question, from 0"),
    "gold": ("code", "Which candidate is better by the source's own labels: a, b or tie"),
    "humans_a": ("integer", "How many people preferred candidate a"),
    "humans_b": ("integer", "How many people preferred candidate b"),
    "humans_tie": ("integer", "How many people called it a tie"),
    "answer_sha256": ("code", "Of the judge's answer"),
    "answer_length": ("integer", "Characters of the judge's answer"),
    "date": ("date", "The day on which it was said, where the source states it"),
}
TRIAL: Final = _OF_SNAPSHOT | {
    "seed": ("integer", "The seed of the run that the round belongs to"),
    "phase": ("code", "text, visual, text_to_visual, visual_to_text, or a control's phase"),
    "round": ("integer", "The round within its phase, from 0"),
    "domain": ("code", "The domain that the task is of"),
    "strategy": ("code", "The strategy that was drawn"),
    "task": ("integer", "The task's index within its domain"),
    "question": ("code", "The task's text"),
    "verdict": ("code", "A (the strategy won), B (the baseline won), tie or missing"),
    "raw": ("code", "What the evaluator said"),
    "u_task": ("float", "The draw that chose the task"),
    "u_strategy": ("float", "The draw that chose the strategy"),
    "response": ("code", "The name of the call that answered by the strategy"),
    "baseline": ("code", "The name of the call that answered by the baseline"),
    "evaluation": ("code", "The name of the call that judged"),
}
TABLES: Final = {"snapshots": SNAPSHOT, "figures": COLUMNS, "verdicts": VERDICT, "trials": TRIAL}


def snapshots(registry: Registry, states: States) -> Iterator[dict[str, Any]]:
    """Yield one row a snapshot, each with its state."""
    for tag, snapshot in registry.snapshots.items():
        card, state = snapshot.card, states[tag]
        yield subject(snapshot) | {
            "trust": snapshot.trust,
            "calibration": card.calibration,
            "protocol_version": card.protocol_version,
            "measured_from": card.first_day,
            "measured_to": card.last_day,
            "as_of": state.as_of,
            "state": state.status,
            "reason": state.reason,
            "since": state.since,
            "until": state.until,
            "audit": snapshot.verdict,
            "rule": snapshot.audit.rule if snapshot.audit else None,
            "failed": snapshot.failed,
            "faults": " ".join(fault.id for fault in card.known_faults),
            "n": snapshot.n,
        }


def subject(snapshot: Snapshot) -> dict[str, str]:
    """Return what every table says of a row's snapshot."""
    named = f"{snapshot.platform or 'embedded'}/{snapshot.model}"
    return {
        "tag": str(snapshot.tag),
        "kind": snapshot.card.kind,
        "generation": snapshot.tag.generation,
        "model": _STRANGE.sub("_", named).lstrip("-"),
    }


def figures(registry: Registry, states: States) -> Iterator[dict[str, Any]]:
    """Yield one row a figure, each with what there is to say of its snapshot."""
    for row in snapshots(registry, states):
        for figure in figures_of(registry.snapshots[row["tag"]]):
            yield row | figure_row(figure) | basis_row(figure, row["n"])


def basis_row(figure: Figure, snapshot_n: int) -> dict[str, int | None]:
    """Return what a figure rests on."""
    return {"figure_n": snapshot_n if figure.n is None else figure.n, "items": figure.items}


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
