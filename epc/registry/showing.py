"""Text and JSON of one snapshot, of two side by side, and of the whole Reference Snapshot."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from epc.printable import aligned
from epc.protocol.results import Json
from epc.records.typed import as_json
from epc.records.verdicts.types import UNKNOWN
from epc.registry.comparison import Comparison
from epc.registry.expiry import Expiry, States
from epc.registry.figures import figures, figures_of, reading_of
from epc.registry.kinds.table import KINDS
from epc.registry.record import (
    AuditSummary,
    Citation,
    Fault,
    Identity,
    Model,
    Origin,
    Record,
)
from epc.registry.registry import Registry
from epc.registry.snapshots import Event, Snapshot
from epc.spec.coupling import UNKNOWN_QUALITY
from epc.statistics.figures import number_text


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotView:
    """All that is known of one snapshot on a day."""

    snapshot: Snapshot
    events: Sequence[Event]
    expiry: Expiry

    def as_json(self) -> Json:
        """Return it as plain JSON: the card, and what is known beside it.

        `audit` is what the newest rule says; what the card says of an older one stands beside it.
        """
        snapshot = self.snapshot
        anew = snapshot.audited_anew and {
            "audit": as_json(snapshot.audited_anew),
            "audit_published": as_json(snapshot.audit_published),
        }
        return {
            **snapshot.card.as_json(),
            **(anew or {}),
            "failed": snapshot.failed,
            "figures": snapshot.figures,
            "epc_5_2": {f.name: f.reading for f in figures_of(snapshot) if f.reading},
            **({"quality": as_json(snapshot.quality)} if snapshot.quality else {}),
            "events": [as_json(event) for event in self.events],
            "expiry": self.expiry.as_json(),
        }


def snapshot_view(registry: Registry, tag: str, state: Expiry) -> SnapshotView:
    """Return all that is known of one snapshot, beside its state."""
    return SnapshotView(
        snapshot=registry.snapshots[tag],
        events=tuple(registry.by_tag.get(tag, [])),
        expiry=state,
    )


def snapshot_text(value: SnapshotView, crosses: Sequence[str] = ()) -> str:
    """Return one snapshot as a page; `crosses` are sentences on what its audit found."""
    snapshot, card, state = value.snapshot, value.snapshot.card, value.expiry
    reason = f", {state.reason}" if state.reason else ""
    kinds = dict.fromkeys((card.kind, card.trust))
    lines = [
        f"{card.tag}  {', '.join(kinds)}  {card.protocol_version}",
        f"  state      {state.status}{reason}: {state.note}",
        f"  evaluator  {model_in_words(card.evaluator)}",
        *_asked_as(card.evaluator),
        f"  executor   {model_in_words(card.executor)}",
        f"  measured   {card.days}, N = {snapshot.n}, by {card.by}",
        *([f"  recorded   {card.source}"] if card.source else []),
    ]
    if snapshot.failed:
        lines.insert(1, f"  FAILED     {snapshot.failure}")
    if snapshot.audit:
        lines += _audited(snapshot, snapshot.audit, crosses)
    if "totals" in snapshot.figures:
        lines[2:] = _of_judge(snapshot)
    if card.origin:
        lines[2:] = _of_record(card, card.origin, snapshot.n)
    if card.citation:
        lines += _cited(card.citation)
    lines += ["", "  figures, with 95% intervals where the numbers allow one"]
    listed_figures = list(figures_of(snapshot))
    wide = max((len(figure.name) for figure in listed_figures), default=0) + 2
    for figure in listed_figures:
        lines.append(f"    {figure.name:<{wide}}{figure}  {figure.reading}".rstrip())
    if card.known_faults:
        lines += ["", "  known faults"]
        lines += [f"    {fault.id}: {fault.says}" for fault in card.known_faults]
    lines += ["", "  events"]
    lines += [f"    {e.date}  {e.event}  {e.reason}".rstrip() for e in value.events]
    return "\n".join(lines)


def _audited(snapshot: Snapshot, audit: AuditSummary, crosses: Sequence[str]) -> list[str]:
    """Return what an audit says, what it said before, and what it warns of."""
    control = snapshot.figures["control"]["method"]
    lines = [f"{_word(audit)}; the control is {control}", *crosses]
    if snapshot.audited_anew:
        lines.append(f"published as {snapshot.earlier_word}")
    lines += [finding["problem"] for finding in audit.findings]
    return [f"  audit      {lines[0]}", *(f"             {line}" for line in lines[1:])]


def _word(audit: AuditSummary) -> str:
    """Return an audit's word with its rule and its p-value."""
    p_value = "" if audit.p_value is None else f", p = {audit.p_value:.2g}"
    return f"{audit.verdict} (rule {audit.rule}){p_value}; {UNKNOWN_QUALITY}"


def _cited(citation: Citation) -> list[str]:
    parts = (citation.work, citation.place, citation.address)
    return [f"  source     {parts[0]}", *(f"             {part}" for part in parts[1:])]


def _of_judge(snapshot: Snapshot) -> Iterator[str]:
    """Yield who judged how much, and what to know before believing it."""
    card, figures = snapshot.card, snapshot.figures
    yield f"  judge      {model_in_words(card.evaluator)}"
    yield from _asked_as(card.evaluator)
    yield f"  judged     {card.days}, N = {snapshot.n}, by {card.by}"
    for method, total in figures["totals"].items():
        flags = "".join(f", {flag} {count}" for flag, count in total["flags"].items())
        if total["samples"]:
            counts = f"{total['valid']} valid, {total['invalid']} invalid"
            yield f"  totals     {method}: {counts}{flags}"
    if tested := figures.get("competence"):
        right, pairs = tested["detected"]["hits"], tested["pairs"] - tested["at_floor"]
        text = f"scored {right} of {pairs} spoilt texts below their outputs"
        yield f"  competence {tested['word'].replace('_', ' ')}: {text}"
    if people := figures.get("labels"):
        same_count = people["same_verdict"]["hits"] if people.get("labelled") else 0
        text = f"says the same of {same_count} of {people.get('labelled', 0)} outputs"
        yield f"  people     {text}"
    yield from (f"  beware     {remark}" for remark in figures["remarks"])


def _of_record(card: Record, origin: Origin, n: int) -> Iterator[str]:
    """Yield whose record it is, and how anybody makes it again."""
    judge, recipe, unit = card.evaluator, card.recipe, KINDS[card.kind].unit
    yield f"  judge      {model_in_words(judge)}, {judge.as_printed} in the source"
    yield f"  recorded   by others, {card.days}; {n:,} {unit}, published by {card.by}"
    yield f"  source     {origin.name}, {origin.repository}"
    yield f"             commit {origin.commit}, licence {card.licence}"
    storage = "in the store" if card.kept else "with their source alone, as its licence has it"
    yield f"  {unit:<10} {storage}"
    if recipe:
        yield f"  recipe     {recipe.command}, of {recipe.judge} alone"
        yield f"             SHA-256 of its lines {recipe.sha256}"
        yield f"             epc snapshot recompute {card.tag} --source CLONE"


def model_in_words(model: Identity | None) -> str:
    """Return who was asked, where, and through whom."""
    if model is None:
        return "none"
    gateway = f" through {model.gateway}" if model.gateway else ""
    proxy = ", a third party's gateway" if model.proxy else ""
    if model.platform == UNKNOWN:
        return f"{model.model} on an unknown platform"
    return f"{model.platform or 'embedded'}/{model.model}{gateway}{proxy}"


def _asked_as(model: Model) -> Iterator[str]:
    """Yield what the record itself says was asked; cards of before this was kept say nothing."""
    if model.asked:
        yield f"  asked as   {model.asked.model} at {model.asked.endpoint}"
    if model.weights:
        yield f"  weights    {model.weights}, as the contributor states"


_SIGNED: Final = len("-0.000")


def difference_text(comparison: Comparison) -> str:
    """Return two snapshots side by side."""
    lines = ["like for like" if comparison.like_for_like else "NOT like for like; these differ:"]
    failed = {operand.name: operand.snapshot.failure for operand in comparison.failed}
    lines += [f"{tag} is a failed run: {why}" for tag, why in failed.items()]
    for key, (a, b) in comparison.condition_differences.items():
        lines += [f"  {key}", f"    a  {_condition_text(a)}", f"    b  {_condition_text(b)}"]
    if not comparison.figures:
        lines.append("no figure is in both")
    rows = []
    for name, (x, y) in comparison.figures.items():
        means = (number_text(figure.mean, ".3f").rjust(_SIGNED) for figure in (x, y))
        gap = () if comparison.failed else (number_text(y.mean - x.mean, "+.3f"),)
        read = f"{x.reading}; {y.reading}" if x.reading else ""
        rows.append((f"  {name}", *means, *gap, read))
    return "\n".join([*lines, *aligned(rows)])


def _condition_text(condition: Any) -> str:
    return model_in_words(condition) if isinstance(condition, Identity) else str(condition)


PAPER: Final = "arXiv:2607.00297"
_LABEL: Final = re.compile(r"^(N =|gamma|zero-coupling|JSD|PCI|accuracy|ECE|Brier) ")
_VISUAL: Final = "gamma, text to visual"
# What a table is, and what its columns are called.
TABLES: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "Table 1": (
        "evaluators of other makers, May to June 2026, R = 30",
        ("evaluator", "version", "N", _VISUAL, "zero-coupling rate"),
    ),
    "Table 2": (
        "repeated through other gateways, all on 2026-06-27",
        ("condition", "N", _VISUAL, "JSD there, and back"),
    ),
    "Table 3": (
        "calibration, each with its standard deviation",
        ("condition", "PCI", "accuracy", "ECE", "Brier"),
    ),
}
VALIDITY: Final = (
    "Measured from 2026-05-27 to 2026-06-27, each value of one version of one model. GPT-4o was "
    "asked through the gateways api2d and DMXAPI, never at OpenAI; the two Qwen rows are of two "
    "models. Check that a version is still served before you use its row (EPC-3.1)."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceRow:
    """A row of the paper's tables: its cells as printed, its snapshot, and its state on a day."""

    place: str
    cells: tuple[str, ...]
    snapshot: Snapshot
    state: Expiry

    @property
    def table(self) -> str:
        """Table that it stands in."""
        return self.place.partition(",")[0]

    @property
    def short(self) -> str:
        """The same place as numbers: `1.4`."""
        return ".".join(re.findall(r"\d+", self.place))

    @property
    def reading(self) -> str:
        """Reading of its gamma by the paper's section 5.2; nothing where it has none."""
        gammas = (f for f in figures(self.snapshot.figures) if f.name.startswith("gamma/"))
        return next((reading_of(self.snapshot, gamma) for gamma in gammas), "")

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Faults that are known of it."""
        return self.snapshot.card.known_faults

    def as_json(self) -> Json:
        """Return the row as plain JSON."""
        return {
            "place": self.place,
            "tag": str(self.snapshot.tag),
            "printed": list(self.cells),
            "figures": self.snapshot.figures,
            "epc_5_2": self.reading or None,
            "status": self.state.status,
            "reason": self.state.reason,
            "known_faults": [{"id": fault.id, "says": fault.says} for fault in self.faults],
        }


def reference_rows(registry: Registry, states: States) -> list[ReferenceRow]:
    """Return the rows of the reference snapshot in the paper's order, by the snapshots' states."""
    rows = [
        ReferenceRow(
            place=citation.place,
            cells=tuple(_LABEL.sub("", cell) for cell in citation.as_printed.split(" | ")),
            snapshot=snapshot,
            state=states[tag],
        )
        for tag, snapshot in registry.snapshots.items()
        if (citation := snapshot.card.citation) and citation.work.startswith(PAPER)
    ]
    return sorted(rows, key=lambda row: row.place)


def reference_text(rows: list[ReferenceRow]) -> str:
    """Return the reference snapshot as the paper prints it, each row with its state."""
    parts = [f"Reference Snapshot v1.0 ({PAPER}, section 3)", VALIDITY]
    for name, (title, head) in TABLES.items():
        table_rows = [row for row in rows if row.table == name]
        read = ("by EPC-5.2",) if any(row.reading for row in table_rows) else ()
        cells = [
            (
                *row.cells,
                *([row.reading] if read else []),
                str(row.snapshot.tag),
                row.state.status_text,
            )
            for row in table_rows
        ]
        table = aligned([(*head, *read, "snapshot", "state"), *cells])
        parts.append("\n".join([f"{name}: {title}", *table]))
    places: dict[str, list[str]] = {}
    for row in rows:
        for fault in row.faults:
            places.setdefault(fault.says, []).append(row.short)
    faults = (f"  {', '.join(row_places)}: {says}" for says, row_places in places.items())
    return "\n\n".join([*parts, "\n".join(["Known faults, by table and row", *faults])])
