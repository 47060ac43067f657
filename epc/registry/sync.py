"""Proposals for the lives of evaluators, from others' lists (`epc admin evaluators sync`).

A proposal is a diff that a person reads and applies. What was stated before is kept beside the new
date, because dates move and someone will ask when.

The last word of a provider's page moves a date. A list that names no page moves none: what it says
otherwise stands beside the date (`others`), and what it has on its list was served on its day.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date
from difflib import unified_diff

from epc.json_text import lines_of
from epc.records.strict_json import dumps
from epc.records.typed import as_json
from epc.registry import layout
from epc.registry.lifecycles import (
    AgreeingList,
    DateClaim,
    GenerationRecord,
    ServiceTermRecord,
    SourceCheck,
    UnusedClaim,
)
from epc.registry.lists import Claim


def proposed(record: GenerationRecord, source_claims: Iterable[Claim]) -> GenerationRecord:
    """Return a generation's record with the claims that are newer than what it says.

    An older word than ours changes nothing. The same day again is seen again, and keeps its kind. A
    day that a claim replaces is kept among the others.
    """
    claims = list(source_claims)
    return replace(record, platforms=tuple(_after(life, claims) for life in record.platforms))


def _after(life: ServiceTermRecord, source_claims: Iterable[Claim]) -> ServiceTermRecord:
    """Return a life with the claims on it, one after the other."""
    for claim in source_claims:
        if (life.platform, life.model) == (claim.platform, claim.model):
            life = _with_claim(life, claim)
    return life


def _with_claim(life: ServiceTermRecord, claim: Claim) -> ServiceTermRecord:
    """Return a life with one claim, or as it is if the claim is no newer."""
    before, day = life.retires, claim.retires
    if claim.listed:
        return _with_listed_day(life, claim)
    if ((before or life.checked).seen or date.min) >= claim.seen:
        return life
    if day is None:
        return _without_end(life, claim)
    if before and before.date == day:
        return replace(life, retires=replace(before, source=claim.source, seen=claim.seen))
    date_claim = DateClaim(
        date=day, kind=claim.kind, source=claim.source, seen=claim.seen, others=()
    )
    if before:
        settled = f"moved to {day}, as seen on {claim.seen}"
        earlier = UnusedClaim(date=before.date, by=before.source, seen=before.seen, settled=settled)
        agreeing = tuple(AgreeingList(by=x.by, seen=x.seen) for x in before.others if x.date == day)
        unused_claims = (earlier, *(x for x in before.others if x.date != day))
        date_claim = replace(date_claim, others=unused_claims, also=agreeing)
    return replace(life, retires=date_claim)


def _with_listed_day(life: ServiceTermRecord, claim: Claim) -> ServiceTermRecord:
    """Return a life with the word of a list that names no page.

    A model on the list was served on its day. Another day than the record's stands beside it, and
    the same one is said twice; where the record has none, a day without a page is no end.
    """
    retires, day = life.retires, claim.retires
    if day is None:
        ended = retires and retires.kind != "not_before" and retires.date <= claim.seen
        if ended or (life.seen or date.min) >= claim.seen:
            return life
        checked = SourceCheck(source=claim.source, via=claim.via, seen=claim.seen)
        return replace(life, checked=checked)
    if retires is None or claim.source in _named(retires):
        return life
    if retires.date == day:
        also = (*retires.also, AgreeingList(by=claim.source, seen=None))
        return replace(life, retires=replace(retires, also=also))
    settled = "a list against the source that the record names; look it up"
    unused_claim = UnusedClaim(date=day, by=claim.source, seen=None, settled=settled)
    return replace(life, retires=replace(retires, others=(*retires.others, unused_claim)))


def _named(date_claim: DateClaim) -> frozenset[str]:
    """Return who says something of a date already."""
    also, unused = (x.by for x in date_claim.also), (x.by for x in date_claim.others)
    return frozenset({date_claim.source, *also, *unused})


def _without_end(life: ServiceTermRecord, claim: Claim) -> ServiceTermRecord:
    """Return a life without an end, as none is published; a day that stood there is a note."""
    checked = replace(life.checked, source=claim.source, seen=claim.seen)
    before = life.retires
    if before is None:
        return replace(life, checked=checked)
    seen_text = f", seen on {before.seen}" if before.seen else ""
    note = f"{before.source} stated {before.date}{seen_text}; on {claim.seen} none was published."
    return replace(life, checked=checked, retires=None, notes=(*life.notes, note))


def diff(records: Iterable[GenerationRecord], source_claims: Iterable[Claim]) -> str:
    """Return what the claims would change, as a diff that `git apply` takes."""
    claims = list(source_claims)
    return "".join(
        line for record in records for line in _diff_of(record, proposed(record, claims))
    )


def _diff_of(record: GenerationRecord, changed: GenerationRecord) -> Iterator[str]:
    path = f"{layout.FOLDER}/{layout.EVALUATORS}/{record.generation}.json"
    before, after = (
        [f"{line}\n" for line in lines_of(dumps(as_json(value)))] for value in (record, changed)
    )
    yield from unified_diff(before, after, f"a/{path}", f"b/{path}")


def candidates(records: Iterable[GenerationRecord], source_claims: Iterable[Claim]) -> list[Claim]:
    """Return the newest word on each model that a source knows and the registry does not."""
    known_models = {(life.platform, life.model) for record in records for life in record.platforms}
    platforms = {platform for platform, _ in known_models}
    newest: dict[tuple[str, str], Claim] = {}
    for claim in sorted(source_claims, key=lambda claim: claim.seen):
        if claim.platform in platforms and (claim.platform, claim.model) not in known_models:
            newest[claim.platform, claim.model] = claim
    return [newest[name] for name in sorted(newest)]
