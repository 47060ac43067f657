"""The story of a figure: who measured what and when, what happened to it, and who checked it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

from epc.registry.kinds.table import KINDS
from epc.registry.record import Trust
from epc.site import describing
from epc.site.pages import SnapshotPage

_CHECKED: Final[Mapping[Trust, str]] = {
    "reported": "by nobody: its raw trials are not here, so nobody can compute it again",
    "observed": "its figures follow from the verdicts that the source recorded",
    "recomputed": "every figure follows from the raw files, which are kept here",
    "spot-checked": "some questions were asked again and the answers agree; a maintainer signed",
    "attested": "GitHub attests that its runner measured it; every figure follows from its files",
    "replicated": "another login's attested measurement repeats it, and agrees",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step: `day` is None where nobody states it."""

    day: date | None
    what: str
    how: str


def story(page: SnapshotPage) -> Iterator[Step]:
    """Yield what happened to a snapshot, from the measurement to the checks."""
    yield Step(day=page.row.snapshot.last_day, what=KINDS[page.card.kind].made, how=_made(page))
    for event in page.events:
        sealed = f"SHA-256 of its record: {event.sha256}" if event.sha256 else ""
        yield Step(
            day=event.date, what=event.event, how="; ".join(filter(None, [event.reason, sealed]))
        )
    audit, before = page.audit, page.row.snapshot.audit_published
    if audit and before and before.rule != audit.rule:
        yield Step(
            day=None,
            what="audited anew",
            how=f"rule {before.rule} said {before.verdict.replace('_', ' ')} when it was "
            f"published; rule {audit.rule} says {audit.verdict.replace('_', ' ')}",
        )
    for check in page.shown.spot_checks:
        yield Step(
            day=check.date,
            what="spot check",
            how=f"{check.agreed} of {check.pairs} answers alike",
        )
    again = page.card.replicates
    more = f"; it repeats {again}" if again else ""
    yield Step(day=None, what="checked", how=f"{_CHECKED[page.shown.trust]}{more}")


def _made(page: SnapshotPage) -> str:
    """Return who asked whom, and at which commit, as far as it is stated."""
    card = page.card
    name = describing.model(card.evaluator)
    days = describing.measured(card)
    if citation := card.citation:
        return (
            f"{citation.work}, {citation.place}, of {name}, measured {days}; "
            f"put into this registry by {card.contributor}"
        )
    if origin := card.origin:
        return (
            f"{origin.name}, {origin.repository} at commit {origin.commit}, "
            f"of {name}, {days}; put into this registry by {card.contributor}"
        )
    if page.row.about == "loops":
        return (
            f"{card.contributor} ran an optimiser under {name}, as it was recorded: {card.source}"
        )
    attested = card.attested
    at = f"; {attested}, at commit {attested.commit}" if attested else ""
    with_whom = f", with answers of {describing.model(card.executor)}" if card.executor else ""
    return f"{card.contributor} asked {name}{with_whom}, {days}{at}"
