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
    Agreeing,
    Checked,
    GenerationRecord,
    LifeRecord,
    Other,
    Stated,
)
from epc.registry.lists import Claim


def proposed(record: GenerationRecord, source_claims: Iterable[Claim]) -> GenerationRecord:
    """Return a generation's record with the claims that are newer than what it says.

    An older word than ours changes nothing. The same day again is seen again, and keeps its kind. A
    day that a claim replaces is kept among the others.
    """
    known = list(source_claims)
    return replace(record, platforms=tuple(_after(life, known) for life in record.platforms))


def _after(life: LifeRecord, source_claims: Iterable[Claim]) -> LifeRecord:
    """Return a life with the claims on it, one after the other."""
    for claim in source_claims:
        if (life.platform, life.model) == (claim.platform, claim.model):
            life = _taken(life, claim)
    return life


def _taken(life: LifeRecord, claim: Claim) -> LifeRecord:
    """Return a life with one claim, or as it is if the claim is no newer."""
    before, day = life.retires, claim.retires
    if claim.listed:
        return _beside(life, claim)
    if ((before or life.checked).seen or date.min) >= claim.seen:
        return life
    if day is None:
        return _taken_none(life, claim)
    if before and before.date == day:
        return replace(life, retires=replace(before, source=claim.source, seen=claim.seen))
    now = Stated(date=day, kind=claim.kind, source=claim.source, seen=claim.seen, others=())
    if before:
        settled = f"moved to {day}, as seen on {claim.seen}"
        earlier = Other(date=before.date, by=before.source, seen=before.seen, settled=settled)
        same = tuple(Agreeing(by=x.by, seen=x.seen) for x in before.others if x.date == day)
        others = (earlier, *(x for x in before.others if x.date != day))
        now = replace(now, others=others, also=same)
    return replace(life, retires=now)


def _beside(life: LifeRecord, claim: Claim) -> LifeRecord:
    """Return a life with the word of a list that names no page.

    A model on the list was served on its day. Another day than the record's stands beside it, and
    the same one is said twice; where the record has none, a day without a page is no end.
    """
    retires, day = life.retires, claim.retires
    if day is None:
        ended = retires and retires.kind != "not_before" and retires.date <= claim.seen
        if ended or (life.seen or date.min) >= claim.seen:
            return life
        checked = Checked(source=claim.source, via=claim.via, seen=claim.seen)
        return replace(life, checked=checked)
    if retires is None or claim.source in _named(retires):
        return life
    if retires.date == day:
        also = (*retires.also, Agreeing(by=claim.source, seen=None))
        return replace(life, retires=replace(retires, also=also))
    settled = "a list against the source that the record names; look it up"
    other = Other(date=day, by=claim.source, seen=None, settled=settled)
    return replace(life, retires=replace(retires, others=(*retires.others, other)))


def _named(stated: Stated) -> frozenset[str]:
    """Return who says something of a date already."""
    also, others = (x.by for x in stated.also), (x.by for x in stated.others)
    return frozenset({stated.source, *also, *others})


def _taken_none(life: LifeRecord, claim: Claim) -> LifeRecord:
    """Return a life without an end, as none is published; a day that stood there is a note."""
    checked = replace(life.checked, source=claim.source, seen=claim.seen)
    before = life.retires
    if before is None:
        return replace(life, checked=checked)
    when = f", seen on {before.seen}" if before.seen else ""
    note = f"{before.source} stated {before.date}{when}; on {claim.seen} none was published."
    return replace(life, checked=checked, retires=None, notes=(*life.notes, note))


def diff(records: Iterable[GenerationRecord], source_claims: Iterable[Claim]) -> str:
    """Return what the claims would change, as a diff that `git apply` takes."""
    known = list(source_claims)
    return "".join(line for record in records for line in _diff_of(record, proposed(record, known)))


def _diff_of(record: GenerationRecord, changed: GenerationRecord) -> Iterator[str]:
    path = f"{layout.FOLDER}/{layout.EVALUATORS}/{record.generation}.json"
    before, after = (
        [f"{line}\n" for line in lines_of(dumps(as_json(value)))] for value in (record, changed)
    )
    yield from unified_diff(before, after, f"a/{path}", f"b/{path}")


def candidates(records: Iterable[GenerationRecord], source_claims: Iterable[Claim]) -> list[Claim]:
    """Return the newest word on each model that a source knows and the registry does not."""
    known = {(life.platform, life.model) for record in records for life in record.platforms}
    platforms = {platform for platform, _ in known}
    newest: dict[tuple[str, str], Claim] = {}
    for claim in sorted(source_claims, key=lambda claim: claim.seen):
        if claim.platform in platforms and (claim.platform, claim.model) not in known:
            newest[claim.platform, claim.model] = claim
    return [newest[name] for name in sorted(newest)]
