"""Proposals for the lives of evaluators, from others' lists (`epc admin evaluators sync`).

A proposal is a diff that a person reads and applies. What was stated before is kept beside the new
date, because dates move and someone will ask when.

Lists of these shapes are read, most of them from the wheel of a package:

    llm-sunset            [{"provider", "model_id", "shutdown_date", "deprecation_date", "url",
                          "last_observed"}]; an entry may add "date_kind": fixed, not_before,
                          inferred or none_published
    bydtech-model-retire  {"models": [{"provider", "id", "status", "retires_on", "deprecated_on",
    depdesk               "earliest_retirement", "source", "checked"}]}, read off providers' pages;
                          `sources` of the whole may have address and day of a provider's page
    model-prices          {"models_dev": {"committed_at"}, "prices": {provider: {id}}, "status"}:
                          who lists what on a day, and no date of an end
    litellm               {id: {"litellm_provider", "deprecation_date"}}: days without a page
    models                {"data": [{"id", "deprecation" or "shutdown_date"}]}, what a provider's
                          models endpoint answers where it states when a model ends

The last word of a provider's page moves a date. A list that names no page moves none: what it says
otherwise stands beside the date (`others`), and what it has on its list was served on its day.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from difflib import unified_diff
from typing import Any, Final

from msgspec import to_builtins

from epc.json_text import lines_of
from epc.protocol.results import Json
from epc.records.strict_json import dumps
from epc.records.typed import as_json
from epc.registry import layout
from epc.registry.lifecycles import (
    Agreeing,
    Checked,
    GenerationRecord,
    Kind,
    LifeRecord,
    Other,
    Stated,
)

# What lists call a platform, in small letters, where it is called otherwise here.
_PLATFORMS: Final = {
    "google": "google-gemini-api",
    "gemini": "google-gemini-api",
    "google vertex": "google-vertex",
    "google-vertex-ai": "google-vertex",
    "vertex_ai": "google-vertex",
    "azure": "azure-foundry",
    "azure_ai": "azure-foundry",
    "aws bedrock": "aws-bedrock",
    "amazon-bedrock": "aws-bedrock",
    "bedrock": "aws-bedrock",
    "bedrock_converse": "aws-bedrock",
    "alibaba": "alibaba-model-studio",
    "dashscope": "alibaba-model-studio",
    "moonshotai": "moonshot",
    "together_ai": "together",
    "fireworks_ai": "fireworks",
}
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")


# Pages on which a day is the earliest possible one, unless the end was announced before it:
# Google's says so of its table, Microsoft's and Anthropic's write "not before". Lists drop that.
_FLOORS: Final = (
    "https://ai.google.dev/gemini-api/docs/deprecations",
    "https://learn.microsoft.com/en-us/azure/ai-foundry/concepts/model-lifecycle-retirement",
    "https://platform.claude.com/docs/en/about-claude/model-deprecations",
)
# What a list may call the kind of a day, and what it is called here.
_KINDS: Final[dict[str, Kind]] = {
    "fixed": "exact",
    "exact": "exact",
    "not_before": "not_before",
    "inferred": "announced",
    "announced": "announced",
}
_NONE: Final = "none_published"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A source's word on when a platform retires a model: the day and its kind.

    Without a day, the source says that none is published. `listed` is the word of a list that names
    no page: it has the model on a day, or a day of its end. A day of some regions counts as that.
    """

    platform: str
    model: str
    retires: date | None
    kind: Kind
    source: str
    seen: date
    via: str = ""
    listed: bool = False

    def as_json(self) -> Json:
        """Return the claim as plain JSON."""
        return {**to_builtins(self), "kind": self.kind if self.retires else _NONE}


def claims(
    document: Any, *, platform: str | None, seen: date, title: str = "llm-sunset"
) -> Iterator[Claim]:
    """Yield what a source claims.

    `platform` is whose models endpoint answered, or the one to read; `seen` the day of asking where
    an entry has none, `title` what a list without pages is called. An entry without a day says
    nothing, unless its `date_kind` is `none_published` or it is `listed`.
    """
    for entry in _entries(document, platform):
        day, called = _day(entry.get("shutdown_date")), str(entry.get("provider")).lower()
        known = _PLATFORMS.get(called, called)
        listed = entry.get("listed", False)
        says = day or listed or entry.get("date_kind") == _NONE
        if says and (platform is None or platform == known):
            yield Claim(
                platform=known,
                model=entry["model_id"],
                retires=day,
                kind=_kind(entry),
                source=entry.get("url") or title,
                seen=_day(entry.get("last_observed")) or seen,
                via=title,
                listed=listed,
            )


def _entries(document: Any, platform: str | None) -> Iterator[Json]:
    """Yield what a list of any shape says, as llm-sunset's has it."""
    if isinstance(document, list):
        yield from document
    elif not isinstance(document, dict):
        return
    elif isinstance(document.get("models"), list):
        yield from _of_pages(document)
    elif "models_dev" in document:
        yield from _of_prices(document)
    elif platform and "data" in document:
        for entry in document["data"]:
            end = entry.get("deprecation") or entry.get("shutdown_date")
            source = f"{platform}: models endpoint"
            said = {"provider": platform, "model_id": entry["id"], "shutdown_date": end}
            yield {**said, "date_kind": "exact", "url": source}
    else:
        for name, entry in document.items():
            provider = entry.get("litellm_provider", "").partition("-")[0]
            if entry.get("deprecation_date") and provider:
                said = {"provider": provider, "model_id": name.rpartition("/")[2]}
                yield {**said, "shutdown_date": entry["deprecation_date"], "listed": True}


def _of_pages(document: Json) -> Iterator[Json]:
    """Yield what a list says that somebody read off the providers' pages."""
    pages = {page["provider"]: page for page in document.get("sources", [])}
    for entry in document["models"]:
        page = pages.get(entry["provider"], {})
        floor = entry.get("earliest_retirement")
        for name in (entry["id"], *entry.get("aliases", ())):
            yield {
                "provider": entry["provider"],
                "model_id": name,
                "shutdown_date": entry.get("retires_on") or floor,
                "deprecation_date": entry.get("deprecated_on"),
                "date_kind": "not_before" if floor else "",
                "url": entry.get("source") or page.get("url"),
                "last_observed": entry.get("checked") or page.get("verified_on"),
                # An end in some of a cloud's regions is no end of the model there.
                "listed": "applies in " in entry.get("note", ""),
            }


def _of_prices(document: Json) -> Iterator[Json]:
    """Yield what a list of prices has on its day, but for what it says was removed."""
    origin, gone = document["models_dev"], document.get("status", {})
    day, commit = origin["committed_at"], f"{origin['source']}/commit/{origin['commit'][:12]}"
    for provider, models in document["prices"].items():
        for name in models:
            if gone.get(provider, {}).get(name) != "removed":
                said = {"provider": provider, "model_id": name, "last_observed": day}
                yield {**said, "listed": True, "url": commit}


def _kind(entry: Json) -> Kind:
    """Return what kind of day an entry states: by its own word, else by the page it is from."""
    if kind := _KINDS.get(entry.get("date_kind", "")):
        return kind
    if entry.get("listed"):
        return "announced"
    announced, ends = _day(entry.get("deprecation_date")), _day(entry.get("shutdown_date"))
    if announced and ends and announced < ends:
        return "exact"
    return "not_before" if str(entry.get("url", "")).startswith(_FLOORS) else "exact"


def _day(value: Any) -> date | None:
    match = _DAY.match(value) if isinstance(value, str) else None
    return date.fromisoformat(match[0]) if match else None


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
    others: tuple[Other, ...] = ()
    if before:
        settled = f"moved to {day}, as seen on {claim.seen}"
        earlier = Other(date=before.date, by=before.source, seen=before.seen, settled=settled)
        others = (earlier, *before.others)
    retires = Stated(date=day, kind=claim.kind, source=claim.source, seen=claim.seen, others=others)
    return replace(life, retires=retires)


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
