"""What happened, and what is going to end, as Atom feeds (RFC 4287)."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final
from urllib.parse import quote
from xml.etree import ElementTree as ET

from epc.registry.lifecycles import Kind, LifeRecord, Stated
from epc.registry.listing import Change
from epc.site.pages import EvaluatorPage, Site

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
    """One thing that is told; its id depends neither on where nor on when the site is built."""

    id: str
    title: str
    updated: date
    place: str
    summary: str


def of_changes(site: Site) -> bytes:
    """Return the feed of the latest changes to snapshots, newest first."""
    identity = ("urn:epc:registry:changes", "EPC registry: what changed")
    return _feed(site, identity, ("feed.xml", "changes/"), list(_changes(site.changes)))


def of_evaluators(
    site: Site, pages: Iterable[EvaluatorPage], *, name: str, path: str, about: str
) -> bytes:
    """Return the feed of what ends of some evaluators, and of what happened to their snapshots.

    `path` is where the feed is, `about` the page that it belongs to.
    """
    pages = list(pages)
    tags = {snapshot.row.tag for page in pages for snapshot in page.snapshots}
    entries = [entry for page in pages for entry in _ends(page, site.as_of)]
    entries += _changes(change for change in site.changes if change.tag in tags)
    identity = (f"urn:epc:registry:{quote(name)}", f"EPC registry: {name}")
    return _feed(site, identity, (quote(path), about), entries)


def _changes(changes: Iterable[Change]) -> Iterator[_Entry]:
    seen: Counter[str] = Counter()
    for change in changes:
        key = f"{change.tag}:{change.date}:{change.what.replace(' ', '-')}"
        seen[key] += 1
        yield _Entry(
            id=f"urn:epc:change:{key}:{seen[key]}",
            title=f"{change.tag}: {change.what}",
            updated=change.date,
            place=f"snapshots/{change.tag}/",
            summary=change.why or change.what,
        )


def _ends(page: EvaluatorPage, as_of: date) -> Iterator[_Entry]:
    """Yield every end that platforms state, and every day on which a name means another model.

    A date that moves is told anew, under an id of its own; a date that is seen again is not.
    """
    for life in (platform.record for platform in page.platforms):
        events: list[tuple[str, date, str, date | None]] = []
        if ends := life.retires:
            since = life.deprecated.date if life.deprecated else ends.seen
            events.append((_ENDS[ends.kind], ends.date, _whose(life, ends), since))
        events += [
            (f"is answered by {r.to} from", r.date, f"Source: {r.source}", r.seen)
            for r in life.routes
        ]
        events += [
            (f"means {p.to} from", p.since, f"Source: {p.source}", p.since)
            for p in life.points_to
            if p.since
        ]
        who = f"{life.platform}/{life.model}"
        for says, day, summary, since in events:
            yield _Entry(
                id=f"urn:epc:end:{quote(f'{who}:{says}:{day}')}",
                title=f"{who} {says} {day}",
                updated=min(since or _UNKNOWN, as_of),
                place=f"evaluators/{page.name}/#{life.platform}",
                summary=summary,
            )


def _whose(life: LifeRecord, ends: Stated) -> str:
    follows = f"; the platform names {life.replacement} in its place" if life.replacement else ""
    return f"Source: {ends.source}; sources that agree: {ends.sources}{follows}"


def _feed(
    site: Site, identity: tuple[str, str], places: tuple[str, str], entries: list[_Entry]
) -> bytes:
    """Return a feed with the latest entries, newest first.

    `own` are its id and its title, `places` its own and that of the page that it belongs to.
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
