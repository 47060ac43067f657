"""What happened, as an Atom feed (RFC 4287)."""

from collections import Counter
from typing import Final
from xml.etree import ElementTree as ET

from epc.site.pages import Site

_ATOM: Final = "http://www.w3.org/2005/Atom"
_LATEST: Final = 200
_UNKNOWN: Final = "1970-01-01"


def atom(site: Site) -> bytes:
    """Return the feed of the latest changes, newest first.

    An entry's id depends on what happened, and not on where or when the site is built.
    """
    feed = ET.Element("feed", {"xmlns": _ATOM})
    newest = max((change.date.isoformat() for change in site.changes), default=_UNKNOWN)
    _add(feed, "id", "urn:epc:registry:changes")
    _add(feed, "title", "EPC registry: what changed")
    _add(feed, "updated", f"{newest}T00:00:00Z")
    ET.SubElement(feed, "link", {"rel": "self", "href": f"{site.address}feed.xml"})
    ET.SubElement(feed, "link", {"href": f"{site.address}changes/"})
    ET.SubElement(ET.SubElement(feed, "author"), "name").text = "EPC registry"
    seen: Counter[str] = Counter()
    entries = []
    for change in site.changes:
        place = f"{change.tag}:{change.date}:{change.what.replace(' ', '-')}"
        seen[place] += 1
        entry = ET.Element("entry")
        _add(entry, "id", f"urn:epc:change:{place}:{seen[place]}")
        _add(entry, "title", f"{change.tag}: {change.what}")
        _add(entry, "updated", f"{change.date}T00:00:00Z")
        ET.SubElement(entry, "link", {"href": f"{site.address}snapshots/{change.tag}/"})
        _add(entry, "summary", change.why or change.what)
        entries.append(entry)
    feed.extend(reversed(entries[-_LATEST:]))
    text: bytes = ET.tostring(feed, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _add(parent: ET.Element, name: str, text: str) -> None:
    ET.SubElement(parent, name).text = _legible(text)


def _legible(text: str) -> str:
    """Return a text without what XML 1.0 has no place for."""
    return "".join(
        c if c in "\t\n" or (c.isprintable() and c != "\ufffe") else "\ufffd" for c in text
    )
