"""Proposals for the lives of evaluators, from others' lists (`epc admin evaluators sync`).

A proposal is a diff that a person reads and applies. What was stated before is kept beside the new
date, because dates move and someone will ask when.

The last word of a provider's page moves a date. A list that names no page moves none: what it says
otherwise stands beside the date (`others`), and what it has on its list was served on its day.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from difflib import unified_diff

from epc.json_text import lines_of
from epc.records.strict_json import dumps
from epc.records.typed import as_json
from epc.registry import layout
from epc.registry.lifecycles import (
    AgreeingList,
    CatalogueLine,
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


def refreshed(record: GenerationRecord, source_claims: Iterable[Claim]) -> GenerationRecord:
    """Return a record with the claims that move no day of its lives: sightings and other words."""
    after = proposed(record, source_claims)
    lives = (
        new if _end(new) == _end(life) else life
        for life, new in zip(record.platforms, after.platforms, strict=True)
    )
    return replace(record, platforms=tuple(lives))


def _end(life: ServiceTermRecord) -> tuple[date, str] | None:
    return (life.retires.date, life.retires.kind) if life.retires else None


def refreshed_lines(
    lines: Iterable[CatalogueLine], source_claims: Iterable[Claim]
) -> list[CatalogueLine]:
    """Return the catalogue's lines, each with the last day on which a list had its model."""
    newest: dict[tuple[str, str], Claim] = {}
    for claim in sorted(source_claims, key=lambda claim: claim.seen):
        if claim.listed and claim.dated and claim.retires is None:
            newest[claim.platform, claim.model] = claim
    return [_refreshed_line(line, newest) for line in lines]


def _refreshed_line(line: CatalogueLine, newest: Mapping[tuple[str, str], Claim]) -> CatalogueLine:
    names = ((line.platform, name) for name in line.names.split())
    claims = [newest[name] for name in names if name in newest]
    last = max(claims, key=lambda claim: claim.seen, default=None)
    if last is None or line.retires or line.seen >= last.seen.isoformat():
        return line
    return replace(line, seen=last.seen.isoformat(), source=last.via)


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
    life = _with_copy_seen(life, claim)
    before = life.retires
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
    return replace(life, retires=_with_list(retires, claim, day))


def _with_list(retires: DateClaim, claim: Claim, day: date) -> DateClaim:
    """Return a date with a list's word on it, in place of what an earlier version of it said.

    What an earlier version said otherwise stays among the others: days move, and someone asks when.
    """
    day_seen, listing = claim.seen if claim.dated else None, list_name(claim.source)
    also = tuple(x for x in retires.also if list_name(x.by) != listing)
    if retires.date == day:
        return replace(retires, also=(*also, AgreeingList(by=claim.source, seen=day_seen)))
    earlier = [x for x in retires.others if list_name(x.by) == listing and x.date == day]
    settled = "a list against the source that the record names; look it up"
    unused_claim = UnusedClaim(
        date=day, by=claim.source, seen=day_seen, settled=earlier[0].settled if earlier else settled
    )
    claims = (*(x for x in retires.others if x not in earlier), unused_claim)
    return replace(retires, also=also, others=claims)


def _with_copy_seen(life: ServiceTermRecord, claim: Claim) -> ServiceTermRecord:
    """Return a life with a newer version of a list that copies a page, if it agrees as before."""
    retires, listing = life.retires, list_name(claim.via)
    if retires is None or retires.date != claim.retires or claim.via in _named(retires):
        return life
    if listing == claim.via or all(list_name(x.by) != listing for x in retires.also):
        return life
    also = tuple(
        AgreeingList(by=claim.via, seen=claim.seen) if list_name(x.by) == listing else x
        for x in retires.also
    )
    return replace(life, retires=replace(retires, also=also))


def list_name(source: str) -> str:
    """Return what a list is called without its version: `litellm 1.110.2`, `owner/name@1a2b3c4`."""
    if source.startswith("http"):
        return source
    return source.partition("@")[0].partition(" ")[0]


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
