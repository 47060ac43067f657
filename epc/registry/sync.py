"""Proposals for the lives of evaluators, from lists that others maintain (`epc evaluators sync`).

A proposal is a diff that a person reads and applies. What was stated before is kept beside the new
date, because dates move and someone will ask when.

Two shapes of source are read:

    llm-sunset   [{"provider", "model_id", "shutdown_date", "replacement_models", "url",
                   "last_observed"}], the list that the package `llm-sunset` carries
    models       {"data": [{"id", "deprecation" or "shutdown_date"}]}, what a provider's models
                   endpoint answers where it states when a model ends
"""

import copy
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from difflib import unified_diff
from typing import Any, Final

from epc.json_text import lines_of
from epc.records.strict_json import dumps
from epc.registry import layout
from epc.registry.lives import Json

# What the list calls a platform, and what it is called here.
_PLATFORMS: Final = {
    "OpenAI": "openai",
    "Anthropic": "anthropic",
    "Google": "google-gemini-api",
    "Google Vertex": "google-vertex",
    "Azure": "azure-foundry",
    "xAI": "xai",
}
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A source's word that a platform retires a model on a day."""

    platform: str
    model: str
    retires: date
    source: str
    seen: date


def claims(given: Any, *, platform: str | None, seen: date) -> Iterator[Claim]:
    """Yield what a source claims.

    `platform` is whose models endpoint answered, `seen` the day of asking where an entry has none.
    Entries without a day are passed over.
    """
    if isinstance(given, dict) and platform:
        for entry in given.get("data", []):
            day = _day(entry.get("deprecation") or entry.get("shutdown_date"))
            if day:
                yield Claim(
                    platform=platform,
                    model=entry["id"],
                    retires=day,
                    source=f"{platform}: models endpoint",
                    seen=seen,
                )
        return
    for entry in given if isinstance(given, list) else []:
        day, known = _day(entry.get("shutdown_date")), _PLATFORMS.get(entry.get("provider"))
        if day and known and (platform is None or platform == known):
            yield Claim(
                platform=known,
                model=entry["model_id"],
                retires=day,
                source=entry.get("url") or "llm-sunset",
                seen=_day(entry.get("last_observed")) or seen,
            )


def _day(given: Any) -> date | None:
    match = _DAY.match(given) if isinstance(given, str) else None
    return date.fromisoformat(match[0]) if match else None


def proposed(record: Json, told: Iterable[Claim]) -> Json:
    """Return a generation's record with the claims that are newer than what it says.

    An older word than ours, or the same date again, changes nothing. A date that a claim replaces
    is kept among the others.
    """
    changed = copy.deepcopy(record)
    for claim in told:
        for life in changed["platforms"]:
            if (life["platform"], life["model"]) == (claim.platform, claim.model):
                _take(life, claim)
    return changed


def _take(life: Json, claim: Claim) -> None:
    before, day = life["retires"], claim.retires.isoformat()
    seen = claim.seen.isoformat()
    if before and (before["date"] == day or (before["seen"] or "") >= seen):
        return
    others = []
    if before:
        settled = f"moved to {day}, as seen on {seen}"
        earlier = {"by": before["source"], "date": before["date"], "seen": before["seen"]}
        others = [{**earlier, "settled": settled}, *before["others"]]
    life["retires"] = {
        "date": day,
        "kind": "exact",
        "source": claim.source,
        "seen": seen,
        "others": others,
    }


def diff(records: Iterable[Json], told: Iterable[Claim]) -> str:
    """Return what the claims would change, as a diff that `git apply` takes."""
    known = list(told)
    return "".join(line for record in records for line in _diff_of(record, proposed(record, known)))


def _diff_of(record: Json, changed: Json) -> Iterator[str]:
    path = f"{layout.FOLDER}/{layout.EVALUATORS}/{record['generation']}.json"
    before, after = (
        [f"{line}\n" for line in lines_of(dumps(document))] for document in (record, changed)
    )
    yield from unified_diff(before, after, f"a/{path}", f"b/{path}")


def unheard(records: Iterable[Json], told: Iterable[Claim]) -> list[str]:
    """Return the models that a source knows and the registry does not, as `platform/model`."""
    known = {(life["platform"], life["model"]) for r in records for life in r["platforms"]}
    return sorted({f"{c.platform}/{c.model}" for c in told if (c.platform, c.model) not in known})
