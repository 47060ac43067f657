"""Proposals for the lives of evaluators, from others' lists (`epc admin evaluators sync`).

A proposal is a diff that a person reads and applies. What was stated before is kept beside the new
date, because dates move and someone will ask when.

Two shapes of source are read:

    llm-sunset   [{"provider", "model_id", "shutdown_date", "deprecation_date", "url",
                   "last_observed"}], the list that the package `llm-sunset` carries; an entry
                   may add "date_kind": fixed, not_before, inferred or none_published
    models       {"data": [{"id", "deprecation" or "shutdown_date"}]}, what a provider's models
                   endpoint answers where it states when a model ends
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
from epc.registry.lifecycles import GenerationRecord, Kind, LifeRecord, Other, Stated

# What the list calls a platform, and what it is called here.
_PLATFORMS: Final = {
    "OpenAI": "openai",
    "Anthropic": "anthropic",
    "Google": "google-gemini-api",
    "Google Vertex": "google-vertex",
    "Azure": "azure-foundry",
    "xAI": "xai",
    "AWS Bedrock": "aws-bedrock",
    "Cohere": "cohere",
    "Groq": "groq",
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

    Without a day, the source says that none is published.
    """

    platform: str
    model: str
    retires: date | None
    kind: Kind
    source: str
    seen: date

    def as_json(self) -> Json:
        """Return the claim as plain JSON."""
        return {**to_builtins(self), "kind": self.kind if self.retires else _NONE}


def claims(document: Any, *, platform: str | None, seen: date) -> Iterator[Claim]:
    """Yield what a source claims.

    `platform` is whose models endpoint answered, `seen` the day of asking where an entry has none.
    An entry without a day says nothing, unless its `date_kind` is `none_published`.
    """
    if isinstance(document, dict) and platform:
        for entry in document.get("data", []):
            day = _day(entry.get("deprecation") or entry.get("shutdown_date"))
            if day:
                yield Claim(
                    platform=platform,
                    model=entry["id"],
                    retires=day,
                    kind="exact",
                    source=f"{platform}: models endpoint",
                    seen=seen,
                )
        return
    for entry in document if isinstance(document, list) else []:
        day, known = _day(entry.get("shutdown_date")), _PLATFORMS.get(entry.get("provider"))
        says = day or entry.get("date_kind") == _NONE
        if says and known and (platform is None or platform == known):
            yield Claim(
                platform=known,
                model=entry["model_id"],
                retires=day,
                kind=_kind(entry),
                source=entry.get("url") or "llm-sunset",
                seen=_day(entry.get("last_observed")) or seen,
            )


def _kind(entry: Json) -> Kind:
    """Return what kind of day an entry states: by its own word, else by the page it is from."""
    if kind := _KINDS.get(entry.get("date_kind", "")):
        return kind
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
    newest: dict[tuple[str, str], Claim] = {}
    for claim in sorted(source_claims, key=lambda claim: claim.seen):
        if (claim.platform, claim.model) not in known:
            newest[claim.platform, claim.model] = claim
    return [newest[name] for name in sorted(newest)]
