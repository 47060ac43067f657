"""Addresses that people type, and what an evaluator has to follow: badge, calendar, feed.

An alias has the evaluator's JSON. The 404 page leads from an alias to the evaluator's page, as from
a name with a platform, a region or a maker in front (`openai/gpt-4o`), which has no file at all.
Neither has a name that is no harmless part of an address; it stands on its evaluator's page.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Final
from urllib.parse import quote
from xml.etree import ElementTree as ET

from epc.answers.resolve import resolve
from epc.records.strict_json import dumps
from epc.registry import exports
from epc.registry.expiry import Expiry, days_away
from epc.registry.exports import calendar
from epc.registry.lifecycles import DateClaim, Kind, ServiceTermRecord
from epc.registry.listing import Change
from epc.site import api
from epc.site.pages import EvaluatorPage, Platform, Site

_ATOM: Final = "http://www.w3.org/2005/Atom"
_LATEST: Final = 200
_UNKNOWN: Final = date(1970, 1, 1)
_ENDS: Final[dict[Kind, str]] = {
    "exact": "retires on",
    "not_before": "does not retire before",
    "announced": "is said to retire on",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """Entry of a feed; its id depends neither on where nor on when the site is built."""

    id: str
    title: str
    updated: date
    place: str
    summary: str


def feed_of_changes(site: Site) -> bytes:
    """Return the feed of the latest changes to snapshots, newest first."""
    identity = ("urn:epc:registry:changes", "EPC registry: what changed")
    return _written_feed(site, identity, ("feed.xml", "changes/"), list(_changes(site.changes)))


def feed_of_evaluators(
    site: Site, pages: Iterable[EvaluatorPage], *, identity: tuple[str, str], path: str, about: str
) -> bytes:
    """Return the feed of what ends of some evaluators, and of what happened to their snapshots.

    `identity` is its name, which never changes, and what is printed for it; `path` is where the
    feed is, `about` the page that it belongs to.
    """
    pages = list(pages)
    tags = {snapshot.row.tag for page in pages for snapshot in page.snapshots}
    entries = [entry for page in pages for entry in _ends_in_feed(page, site.as_of)]
    entries += _changes(change for change in site.changes if change.tag in tags)
    name, title = identity
    identity = (f"urn:epc:registry:{quote(name)}", f"EPC registry: {title}")
    return _written_feed(site, identity, (quote(path), about), entries)


def _changes(changes: Iterable[Change]) -> Iterator[_Entry]:
    counts: Counter[str] = Counter()
    for change in changes:
        key = f"{change.tag}:{change.date}:{change.event.replace(' ', '-')}"
        counts[key] += 1
        yield _Entry(
            id=f"urn:epc:change:{key}:{counts[key]}",
            title=f"{change.tag}: {change.event}",
            updated=change.date,
            place=f"snapshots/{change.tag}/",
            summary=change.why or change.event,
        )


def _ends_in_feed(page: EvaluatorPage, as_of: date) -> Iterator[_Entry]:
    """Yield every end that platforms state, and every day on which a name means another model.

    A date that moves is told anew, under an id of its own; a date that is seen again is not.
    """
    for life in (platform.record for platform in page.platforms):
        events: list[tuple[str, date, str, date | None]] = []
        if ends := life.retires:
            since = life.deprecated.date if life.deprecated else ends.seen
            events.append((_ENDS[ends.kind], ends.date, _source_text(life, ends), since))
        events += [
            (f"is answered by {r.to} from", r.date, f"Source: {r.source}", r.seen)
            for r in life.routes
        ]
        events += [
            (f"means {p.to} from", p.since, f"Source: {p.source}", p.since)
            for p in life.points_to
            if p.since
        ]
        model_name = f"{life.platform}/{life.model}"
        for says, day, summary, since in events:
            yield _Entry(
                id=f"urn:epc:end:{quote(f'{model_name}:{says}:{day}')}",
                title=f"{model_name} {says} {day}",
                updated=min(since or _UNKNOWN, as_of),
                place=f"evaluators/{page.name}/#{life.platform}",
                summary=summary,
            )


def _source_text(life: ServiceTermRecord, ends: DateClaim) -> str:
    follows = f"; the platform names {life.replacement} in its place" if life.replacement else ""
    return f"Source: {ends.source}; sources that agree: {ends.sources}{follows}"


def _written_feed(
    site: Site, identity: tuple[str, str], places: tuple[str, str], entries: list[_Entry]
) -> bytes:
    """Return a feed with the latest entries, newest first.

    `identity` is its id and its title, `places` its own and that of the page that it belongs to.
    """
    latest = sorted(entries, key=lambda entry: entry.updated)[: -_LATEST - 1 : -1]
    feed = ET.Element("feed", {"xmlns": _ATOM})
    newest = latest[0].updated if latest else _UNKNOWN
    _add(feed, "id", identity[0])
    _add(feed, "title", identity[1])
    _add(feed, "updated", f"{newest}T00:00:00Z")
    ET.SubElement(feed, "link", {"rel": "self", "href": f"{site.address}{places[0]}"})
    ET.SubElement(feed, "link", {"href": f"{site.address}{places[1]}"})
    ET.SubElement(ET.SubElement(feed, "author"), "name").text = "EPC registry"
    for item in latest:
        entry = ET.SubElement(feed, "entry")
        _add(entry, "id", item.id)
        _add(entry, "title", item.title)
        _add(entry, "updated", f"{item.updated}T00:00:00Z")
        ET.SubElement(entry, "link", {"href": f"{site.address}{item.place}"})
        _add(entry, "summary", item.summary)
    text: bytes = ET.tostring(feed, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _add(parent: ET.Element, name: str, text: str) -> None:
    ET.SubElement(parent, name).text = _legible(text)


def _legible(text: str) -> str:
    """Return a text without what XML 1.0 has no place for."""
    return "".join(
        c if c in "\t\n" or (c.isprintable() and c != "\ufffe") else "\ufffd" for c in text
    )


def _badge_words(page: EvaluatorPage) -> tuple[str, str]:
    """Return a badge's message, and the status that colours it."""
    newest = page.newest
    if newest is None:
        return "failed run", "unknown"
    state, version = newest.row.standing.state, newest.row.snapshot.tag.version
    if state.status == "expired":
        return f"{version} expired {state.since}", "expired"
    if state.until:
        return f"{version} until {state.until}", state.status
    return f"{version} no end stated", state.status


def badge_alternative(page: EvaluatorPage) -> str:
    """Return in words what the badge shows."""
    return f"EPC {page.plain}: {_badge_words(page)[0]}"


def badge_of(page: EvaluatorPage) -> str:
    """Return the badge as a picture."""
    message, status = _badge_words(page)
    return exports.svg(f"EPC {page.plain}", message, status, badge_alternative(page))


# ASCII alone, so that no letter is drawn as another script's; no dot in front, no file's ending.
_PLAIN: Final = re.compile(
    r"(?![A-Za-z0-9-]+\.[A-Za-z])"  # `eu.anthropic.NAME` and `ai21.NAME`, but not `gpt-4.1`
    r"[A-Za-z0-9][A-Za-z0-9_.:@+-]{,119}(?<!\.)(?<!\.(?:svg|xml|ics))(?<!\.json)"
)


def platforms(site: Site) -> dict[str, list[tuple[EvaluatorPage, Platform]]]:
    """Return all that each platform serves, by its name; none that is also an evaluator's."""
    by_platform: dict[str, list[tuple[EvaluatorPage, Platform]]] = {}
    for page in site.evaluators:
        for platform in page.platforms:
            if not platform.is_listed:
                by_platform.setdefault(platform.record.platform, []).append((page, platform))
    evaluators = {page.name.casefold() for page in site.evaluators}
    return {name: by_platform[name] for name in sorted(by_platform) if name not in evaluators}


def aliases(site: Site) -> dict[str, EvaluatorPage]:
    """Return the evaluator that each alias means, by its plain name, in the order of addresses.

    It is the model that speaks first. A name that means several is left out.
    """
    pages = {page.name: page for page in site.evaluators}
    spelled = {
        name
        for page in site.evaluators
        for platform in page.platforms
        if not platform.is_listed
        for name in platform.spellings
    }
    taken = pages.keys() | platforms(site).keys()
    names = sorted(name for name in spelled - taken if _PLAIN.fullmatch(name))
    meant = ((name, _meant(site, name, pages)) for name in names)
    return {name: page for name, page in meant if page}


def _meant(site: Site, name: str, pages: Mapping[str, EvaluatorPage]) -> EvaluatorPage | None:
    meaning = resolve(site.registry, name, site.as_of)
    first = meaning.home.model.name if meaning.home else ""
    named = [first] if first in pages else [model for model in meaning.models if model in pages]
    return pages[named[0]] if len(named) == 1 else None


def files_of_aliases(site: Site) -> Iterator[tuple[str, str]]:
    """Yield the JSON of each alias, a copy of that of the evaluator's own name."""
    for name, page in aliases(site).items():
        yield f"{api.HOME}/evaluators/{name}.json", dumps(api.evaluator(site, page))


def for_people(site: Site, page: EvaluatorPage) -> Iterator[tuple[str, str | bytes]]:
    """Yield an evaluator's badge, calendar and feed, if these have something to say."""
    if page.has_badge:
        yield f"badges/{page.name}.svg", badge_of(page)
    if is_followed(site, page):
        path, about = f"feeds/{page.name}.xml", f"evaluators/{page.name}/"
        if has_calendar(site, page):
            yield f"calendars/{page.name}.ics", calendar(_states(page), name=f"EPC: {page.plain}")
        yield (
            path,
            feed_of_evaluators(
                site, [page], identity=(page.name, page.plain), path=path, about=about
            ),
        )


def has_calendar(site: Site, page: EvaluatorPage) -> bool:
    """Return whether an evaluator has a calendar: a calendar has an entry at least (RFC 5545)."""
    dated = any(state.until or state.not_before for state in _states(page))
    return dated and is_followed(site, page)


def _states(page: EvaluatorPage) -> list[Expiry]:
    states = [platform.standing.state for platform in page.platforms]
    return states + [snapshot.row.standing.state for snapshot in page.snapshots]


def is_followed(site: Site, page: EvaluatorPage) -> bool:
    """Return whether an evaluator has a feed.

    Once it has ended everywhere there is no end to come. It stays for the days of notice, in which
    an end may be corrected. A list that has no day of it says nothing of its being served.
    """
    states = [p.standing.state for p in page.platforms if not p.is_silent]
    recent = days_away(site.as_of, -site.registry.policy.notice)
    return not states or any(s.status != "expired" or (s.since or recent) >= recent for s in states)


def sets(site: Site) -> Iterator[tuple[str, str | bytes]]:
    """Yield calendar and feed of every end that is known, and of those on each platform."""
    served = [(page, platform) for page in site.evaluators for platform in page.platforms]
    yield from _set(site, served, "retirements", ("retirements.ics", "retirements.xml"), "")
    for name, platform_pages in platforms(site).items():
        places = (f"calendars/{name}.ics", f"feeds/{name}.xml")
        yield from _set(site, platform_pages, f"models on {name}", places, f"{name}/")


def _set(
    site: Site,
    served: list[tuple[EvaluatorPage, Platform]],
    name: str,
    places: tuple[str, str],
    about: str,
) -> Iterator[tuple[str, str | bytes]]:
    states = [platform.standing.state for _, platform in served]
    yield places[0], calendar(states, name=f"EPC: {name}")
    alone = [replace(page, platforms=(platform,), snapshots=()) for page, platform in served]
    about = f"evaluators/{about}"
    yield (
        places[1],
        feed_of_evaluators(site, alone, identity=(name, name), path=places[1], about=about),
    )
