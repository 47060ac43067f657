"""Lives and states in shapes that other programs read.

OSV's (1.7.5), model-eol's (0.1), a calendar (RFC 5545) to subscribe to, and a badge as a picture.

Pure: the day is passed in. Nothing is said that the records do not say: a day that is no end is not
exported as one, and where nobody confirmed lately that a model is served, that is not said either.

Source: https://ossf.github.io/osv-schema/, https://github.com/thossullivan/model-eol (SPEC.md).
"""

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from typing import Final
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

from epc.digests import sha256
from epc.printable import spelt
from epc.protocol.results import Json
from epc.registry.expiry import Expiry, served_at_least
from epc.registry.lifecycles import (
    OPEN_WEIGHTS,
    DateClaim,
    Generation,
    ServiceTerm,
    ServiceTermRecord,
)
from epc.registry.registry import Registry

_WEB: Final = re.compile(r"https?://\S+")
_UNKNOWN: Final = date(1970, 1, 1)  # of what no source states the day
_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")  # of a model, by model-eol's grammar
_VIA: Final = {"azure-foundry": "azure-ai-foundry", "google-vertex": "vertex-ai"}


def osv(registry: Registry, maker: str | None = None) -> list[Json]:
    """Return a record for each end that is stated, of all models or of a maker's."""
    return [
        _osv_record(generation, life, life.retires)
        for generation in registry.generations.values()
        if maker in (None, generation.maker)
        for life in generation.recorded
        if life.retires and life.retires.kind != "not_before"
    ]


def _osv_record(generation: Generation, life: ServiceTermRecord, ends: DateClaim) -> Json:
    deprecation = life.deprecated.date if life.deprecated else None
    modified = max(day for day in (deprecation, life.seen, _UNKNOWN) if day)
    sources = dict.fromkeys(s.source for s in life.stages.values() if s)
    return {
        "schema_version": "1.7.5",
        "id": _osv_id(life),
        "modified": _moment(modified),
        **({"published": _moment(deprecation)} if deprecation else {}),
        "summary": f"{life.platform}/{life.model} "
        f"{'retires' if ends.kind == 'exact' else 'is said to retire'} on {ends.date}",
        "affected": [
            {
                # There is no ecosystem of models: the names stand as versions, the days as events.
                "versions": [life.model, *life.aliases],
                "ranges": [
                    {
                        "type": "ECOSYSTEM",
                        "events": [{"introduced": ends.date.isoformat()}],
                        "database_specific": {"events_are": "days in UTC"},
                    }
                ],
            }
        ],
        "references": [{"type": "WEB", "url": s} for s in sources if _WEB.fullmatch(s)],
        "database_specific": {
            "platform": life.platform,
            "evaluator": generation.name,
            "maker": generation.maker,
            "kind": ends.kind,
            "replacement": life.replacement,
            "seen": ends.seen.isoformat() if ends.seen else None,
            "agree": [ends.source, *(also.by for also in ends.also)],
            "disagree": [
                {"by": claim.by, "date": claim.date.isoformat(), "settled": claim.settled}
                for claim in ends.others
            ],
        },
    }


def _osv_id(life: ServiceTermRecord) -> str:
    """Return the id of an end; where a name is changed for it, digits keep two apart."""
    name = f"{life.platform}-{life.model}"
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name)
    return f"x_EPC-{plain}" + ("" if plain == name else f"-{sha256(name)[:8]}")


def _moment(day: date) -> str:
    return f"{day.isoformat()}T00:00:00Z"


StateOf = Callable[[ServiceTerm], Expiry]


def model_eol(registry: Registry, as_of: date, state_of: StateOf) -> dict[str, Json]:
    """Return the feed of each maker of whose models something can be said, by its name.

    `state_of` answers until when a life holds, by that day (`epc.answers.service`).
    """
    feeds: dict[str, Json] = {}
    makers = dict.fromkeys(generation.maker for generation in registry.generations.values())
    for maker in sorted(makers):
        used_ids: set[str] = set()
        generations = [g for g in registry.generations.values() if g.maker == maker]
        used_ids.update(model_id for g in generations if (model_id := _own_id(g)))
        models = [entry for g in generations if (entry := _entry(g, used_ids, as_of, state_of))]
        if models:
            feeds[maker] = {
                "spec": "model-eol/0.1",
                "publisher": maker,
                "generated": _moment(as_of),
                "note": "Compiled by an EPC registry from public lists, and not by the publisher.",
                "models": models,
            }
    return feeds


def _own_id(generation: Generation) -> str | None:
    """Return the name of a model at its maker, or else the registry's."""
    recorded = [life for life in generation.lives if not life.is_listed]
    names = [life.model for life in recorded if generation.is_makers(life)]
    return next((n for n in (*names, generation.name) if _ID.fullmatch(n)), None)


def _entry(
    generation: Generation, used_ids: set[str], as_of: date, state_of: StateOf
) -> Json | None:
    """Return what a feed says of a model; None where nothing can be said."""
    own_id = _own_id(generation)
    pairs = [
        (life, record)
        for life, record in zip(generation.lives, generation.record.platforms, strict=True)
        if not (life.platform == OPEN_WEIGHTS or life.pinned or life.is_listed)
    ]
    clocks = [
        (life, record, clock)
        for life, record in pairs
        if (clock := _clock(life, record, as_of, state_of)) is not None
    ]
    if not clocks or own_id is None:
        return None
    first = next((row for row in clocks if generation.is_makers(row[0])), None)
    aliases = [n for life, _ in pairs for n in (life.model, *life.aliases) if _ID.fullmatch(n)]
    aliases = [name for name in dict.fromkeys(aliases) if name != own_id and name not in used_ids]
    used_ids.update(aliases)
    entry: Json = {"id": own_id, **({"aliases": aliases} if aliases else {})}
    if first:
        entry |= {key: value for key, value in first[2].items() if key != "status"}
        follows = first[1].replacement
        entry |= {"replacement_options": [follows]} if follows and _ID.fullmatch(follows) else {}
    elsewhere = {life.platform: clock for life, _, clock in clocks if not first or life != first[0]}
    distributions = [{"via": _VIA.get(p, p)} | clock for p, clock in elsewhere.items()]
    return entry | ({"distributions": distributions} if distributions else {})


def _clock(
    life: ServiceTerm, record: ServiceTermRecord, as_of: date, state_of: StateOf
) -> Json | None:
    """Return a life's dates and state; None where there is no date and nobody confirmed it.

    In a feed the absence of dates says that no end is scheduled, so it has to be known.
    """
    ends, deprecation = record.retires, record.deprecated
    current = state_of(life).status == "current"
    claims = [claim for claim in (ends, deprecation) if claim and _WEB.fullmatch(claim.source)]
    if not claims:
        return {"status": "active"} if current and ends is None else None
    clock: Json = {"source": claims[0].source}
    if deprecation and deprecation in claims and (ends is None or deprecation.date <= ends.date):
        clock |= {"announced": deprecation.date.isoformat()}
    if ends and ends in claims:
        precision = "earliest" if ends.kind == "not_before" else "exact"
        clock |= {"shutdown": ends.date.isoformat(), "date_precision": precision}
        clock |= {"status": "retired"} if ends.kind == "exact" and ends.date <= as_of else {}
    return clock


COLOURS: Final = {
    "current": "#1a6b3c",
    "unconfirmed": "#555555",
    "expiring": "#8a5300",
    "expired": "#a31515",
    "unknown": "#555555",
}
_CHARACTER: Final = 6.6  # pixels of an 11 pixel sans-serif, on average
_SPACE: Final = 12


def of_judge(state: Expiry) -> str:
    """Return the badge of a judge for a README: until when it is served."""
    message = f"not known on {state.as_of}"
    if state.status == "expired":
        message = f"gone since {state.since}"
    elif state.status != "unknown" and (end := state.until or state.not_before):
        message = f"served until {end}" + (" at the least" if not state.until else "")
    elif state.status == "current":
        message = f"no end stated on {state.as_of}"
    label = f"judge: {state.id}"
    return svg(label, message, state.status, f"{label}, {message}")


def svg(label: str, message: str, status: str, alternative: str) -> str:
    """Return a badge, coloured by a status; `alternative` says in words what it shows."""
    left, right = (round(len(text) * _CHARACTER) + _SPACE for text in (label, message))
    wide = left + right

    def text(content: str, middle: float) -> str:
        return f'<text x="{middle:g}" y="14" text-anchor="middle">{escape(content)}</text>'

    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="20" role="img" '
        f"aria-label={quoteattr(alternative)}><title>{escape(alternative)}</title>"
        f'<clipPath id="r"><rect width="{wide}" height="20" rx="3"/></clipPath>'
        f'<g clip-path="url(#r)"><rect width="{left}" height="20" fill="#333333"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="{COLOURS[status]}"/></g>'
        '<g fill="#ffffff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f"{text(label, left / 2)}{text(message, left + right / 2)}</g></svg>\n"
    )


_OCTETS: Final = 74  # of text a line; a space before it makes 75, the most that is allowed
_BREAK: Final = re.compile(r"\r\n?|\n")
_ESCAPED: Final = re.compile(r"([\\;,])")


def calendar(states: Iterable[Expiry], *, name: str = "EPC expiry") -> str:
    """Return a calendar with an all-day entry on each day on which something ends.

    What has no end but a day before which it has none is entered on that day (Reading R98).
    Calendars of different names are different ones to whoever subscribes to both.
    An entry's name stays when its date moves, so that a subscriber sees it move, and its sequence
    rises, so that the later word wins.
    """
    entries = (line for state in states for line in _all_day(state))
    lines = (*_calendar_head(name), *entries, ("END", "VCALENDAR"))
    return "".join(f"{_folded(f'{key}:{value}')}\r\n" for key, value in lines)


def _calendar_head(name: str) -> Iterator[tuple[str, str]]:
    topic = name.removeprefix("EPC").strip(": ")
    yield "BEGIN", "VCALENDAR"
    yield "VERSION", "2.0"
    yield "PRODID", "-//EPC registry//epc expiry//EN"
    yield "NAME", _escaped(name)
    yield "X-WR-CALNAME", _escaped(name)
    yield "UID", f"{quote(topic)}@epc-registry"


def event_text(state: Expiry) -> str:
    """Return what a calendar says of a name on the day of its end, or until which it is served."""
    if state.until or not state.not_before:
        return "expires"
    return f"is {served_at_least(state.not_before)}: look whether it still is"


def _all_day(state: Expiry) -> Iterator[tuple[str, str]]:
    day = state.until or state.not_before
    if day is None:
        return
    suffix = f".{state.platform}" if state.platform else ""
    yield "BEGIN", "VEVENT"
    yield "SUMMARY", _escaped(f"{state.id} {event_text(state)}")
    yield "DTSTART;VALUE=DATE", f"{day:%Y%m%d}"
    yield "DTSTAMP", f"{state.as_of:%Y%m%d}T000000Z"
    yield "UID", _escaped(f"{state.id}{suffix}@epc-registry")
    yield "SEQUENCE", str(state.revision)
    yield "DESCRIPTION", _escaped(f"{state.note}\nsource: {state.source}")
    yield "TRANSP", "TRANSPARENT"
    yield "END", "VEVENT"


def _escaped(text: str) -> str:
    lines = _BREAK.sub("\n", text).split("\n")
    return _ESCAPED.sub(r"\\\1", "\n".join(map(spelt, lines))).replace("\n", r"\n")


def _folded(line: str) -> str:
    """Return a line as lines of at most 75 octets; each after the first begins with a space."""
    parts, room = [""], _OCTETS
    for letter in line:
        size = len(letter.encode())
        if size > room:
            parts.append("")
            room = _OCTETS
        parts[-1] += letter
        room -= size
    return "\r\n ".join(parts)
