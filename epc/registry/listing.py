"""Snapshots as rows, for people and for programs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from msgspec import to_builtins

from epc.printable import aligned
from epc.protocol.results import Json
from epc.registry.expiry import Expiry, Reason, States, Status
from epc.registry.figures import Figure, figure_at, headline_of, reading_of
from epc.registry.kinds.table import KINDS, About
from epc.registry.record import Trust
from epc.registry.registry import Registry
from epc.registry.snapshots import Snapshot
from epc.spec.domains import Pair
from epc.spec.epc_v1 import PROTOCOL
from epc.statistics.figures import figure_text
from epc.statistics.intervals import Interval

_HEADLINE: Final = ("pci", "verdict/PASS", "loop/gold/good")  # of what has no gamma
_INVALID: Final = "invalid"  # of a judged snapshot
_TABLES: Final[tuple[tuple[str, bool, About], ...]] = (  # title, of examples, about what
    (
        "What others recorded of judges; none of it was measured for this registry:",
        False,
        "records",
    ),
    ("Preference coupling, measured here or reported:", False, "coupling"),
    ("What judges said of outputs:", False, "judgments"),
    ("What an optimiser gained under a judge (`epc loop`):", False, "loops"),
    ("Calibration and examples (mocks, word counters, small embedded models):", True, "coupling"),
    ("What mock and embedded judges said of outputs:", True, "judgments"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Snapshot in the list; `figure` names the one that `mean` and `ci95` are of.

    Of recorded verdicts that figure has an `n` and items of its own.
    """

    tag: str
    kind: str
    trust: Trust
    variant: str
    calibration: bool
    example: bool
    served: bool
    evaluator: str
    proxy: bool
    asked: str | None
    n: int
    figure: str | None
    figure_n: int | None
    figure_items: int | None
    mean: float | None
    ci95: Interval | None
    epc_5_2: str | None
    excess: float | None
    excess_ci95: Interval | None
    audit: str | None
    rule: int | None
    failed: bool
    invalid: float | None
    invalid_ci95: Interval | None
    status: Status
    reason: Reason | None
    until: date | None
    words: str
    faults: int

    def as_json(self) -> Json:
        """Return the row as plain JSON."""
        document: Json = to_builtins(self)
        return document


def entries(registry: Registry, states: States, is_served: Callable[[str], bool]) -> list[Entry]:
    """Return one row a snapshot; `is_served` says of a model whether anybody serves it.

    `states` are those of all snapshots.
    """
    return [
        _entry(tag, snapshot, states[tag], is_served=is_served(snapshot.tag.generation))
        for tag, snapshot in registry.snapshots.items()
    ]


def _entry(tag: str, snapshot: Snapshot, state: Expiry, *, is_served: bool) -> Entry:
    direction = _direction(snapshot.figures)
    names = (f"gamma/{direction}", *_HEADLINE)
    named = next(filter(None, (figure_at(snapshot.figures, name) for name in names)), None)
    headline = named or headline_of(snapshot)
    mean, ci95 = _estimated(headline)
    excess, excess_ci95 = _estimated(figure_at(snapshot.figures, f"control/excess/{direction}"))
    invalid, invalid_ci95 = _estimated(figure_at(snapshot.figures, _INVALID))
    request = snapshot.card.evaluator.asked
    return Entry(
        tag=tag,
        kind=snapshot.kind,
        trust=snapshot.trust,
        variant=snapshot.card.protocol_version.removeprefix(PROTOCOL).removeprefix("-"),
        calibration=snapshot.calibration,
        example=snapshot.is_example,
        served=is_served,
        evaluator=snapshot.model,
        proxy=snapshot.card.evaluator.proxy,
        asked=f"{request.model} at {request.endpoint}" if request else None,
        n=snapshot.n,
        figure=headline.name if headline else None,
        figure_n=headline.n if headline else None,
        figure_items=headline.items if headline else None,
        mean=mean,
        ci95=ci95,
        epc_5_2=reading_of(snapshot, named) if named and named.name.startswith("gamma/") else None,
        excess=excess,
        excess_ci95=excess_ci95,
        audit=snapshot.verdict,
        rule=snapshot.audit.rule if snapshot.audit else None,
        failed=snapshot.failed,
        invalid=invalid,
        invalid_ci95=invalid_ci95,
        status=state.status,
        reason=state.reason,
        until=state.until,
        words=state.status_text,
        faults=len(snapshot.card.known_faults),
    )


def _direction(figures: Json) -> str:
    """Return the first direction of which gamma is stated; nothing where there is none."""
    match figures:
        case {"gamma": dict(gamma)}:
            return min(filter(Pair.is_key, gamma), default="")
    return ""


def _estimated(figure: Figure | None) -> tuple[float | None, Interval | None]:
    return (figure.mean, figure.interval) if figure else (None, None)


def text(rows: Sequence[Entry]) -> str:
    """Return the rows as tables: judges that are served come first, and examples last."""
    parts = []
    for title, example, about in _TABLES:
        alike = (row for row in rows if KINDS[row.kind].about == about)
        chosen = [row for row in alike if row.example == example]
        chosen.sort(key=lambda row: not row.served)
        if chosen:
            parts.append("\n".join([title, *aligned(_table(about, chosen))]))
    return "\n\n".join(parts) or "no snapshot"


def _table(about: About, rows: Sequence[Entry]) -> list[tuple[str, ...]]:
    columns = _LAID_OUT[about]
    return [columns, *(tuple(_CELLS[name](row) for name in columns) for row in rows)]


def _evaluator_cell(row: Entry) -> str:
    return f"{row.evaluator} (proxy)" if row.proxy else row.evaluator


def _figure(row: Entry) -> str:
    """Return the headline with its name; of gammas, whose direction is the same, the first part."""
    is_coupling = KINDS[row.kind].about == "coupling"
    name = (row.figure or "").partition("/")[0] if is_coupling else row.figure or ""
    return f"{name} {figure_text(row.mean, row.ci95)}".lstrip()


def _audit(row: Entry) -> str:
    if row.failed:
        return "failed run"
    return f"{row.audit.replace('_', ' ')} (rule {row.rule})" if row.audit else "-"


_CELLS: Final[Mapping[str, Callable[[Entry], str]]] = {
    "tag": lambda row: row.tag,
    "trust": lambda row: row.trust,
    "evaluator": _evaluator_cell,
    "judge": _evaluator_cell,
    "N": lambda row: str(row.n),
    "verdicts": lambda row: f"{row.n:,}",
    "runs": lambda row: f"{row.n:,}",
    "figure": _figure,
    # Reading R97: the headline of recorded verdicts has its own n.
    "n, items": lambda row: f"{row.figure_n:,}, {row.figure_items:,}" if row.figure_items else "-",
    "PASS, of valid": lambda row: "failed" if row.failed else figure_text(row.mean, row.ci95),
    "invalid, of all": lambda row: figure_text(row.invalid, row.invalid_ci95),
    "by EPC-5.2": lambda row: row.epc_5_2 or "-",
    "excess": lambda row: figure_text(None if row.failed else row.excess, row.excess_ci95, "+.3f"),
    "audit": _audit,
    "faults": lambda row: str(row.faults),
    "state": lambda row: row.words,
    "variant": lambda row: row.variant or "-",
}
_LAID_OUT: Final[Mapping[About, tuple[str, ...]]] = {
    "coupling": (
        *("tag", "trust", "evaluator", "N", "figure", "by EPC-5.2", "excess"),
        *("audit", "faults", "state", "variant"),
    ),
    "judgments": ("tag", "trust", "judge", "N", "PASS, of valid", "invalid, of all", "state"),
    "records": ("tag", "judge", "verdicts", "figure", "n, items", "faults", "state"),
    "loops": ("tag", "judge", "runs", "figure", "state"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Change of a snapshot on a day; `event` is an event, or the status it got."""

    date: date
    tag: str
    event: str
    why: str

    def as_json(self) -> Json:
        """Return the change as plain JSON."""
        day = self.date.isoformat()
        return {"date": day, "tag": self.tag, "what": self.event, "why": self.why}


def changes(registry: Registry, states: States, since: date, as_of: date) -> list[Change]:
    """Return what happened after `since` and up to `as_of`, by day and tag.

    `states` are those of all snapshots on the last day.
    An expiry that follows from dates alone has no event; it is listed on its day all the same.
    """
    entries = [
        Change(date=event.date, tag=event.tag, event=event.event, why=event.reason)
        for event in registry.events
        if since < event.date <= as_of
    ]
    event_days = {(change.tag, change.date) for change in entries if change.event != "published"}
    for tag, state in states.items():
        begun = state.status in {"expired", "expiring"} and state.since
        if begun and since < begun <= as_of and (tag, begun) not in event_days:
            label = state.status_text if state.status == "expiring" else f"expired ({state.reason})"
            entries.append(Change(date=begun, tag=tag, event=label, why=state.note))
    return sorted(entries, key=in_order)


def in_order(change: Change) -> tuple[date, str, str]:
    """Return what changes are sorted by: day, then tag."""
    return change.date, change.tag, change.event
