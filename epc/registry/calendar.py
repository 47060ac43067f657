"""Expiry dates as a calendar (RFC 5545) that other programs subscribe to."""

import re
from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import quote

from epc.printable import spelt
from epc.registry.expiry import Expiry, served_at_least

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
    entries = (line for state in states for line in _entry(state))
    lines = (*_head(name), *entries, ("END", "VCALENDAR"))
    return "".join(f"{_folded(f'{key}:{value}')}\r\n" for key, value in lines)


def _head(name: str) -> Iterator[tuple[str, str]]:
    own = name.removeprefix("EPC").strip(": ")
    yield "BEGIN", "VCALENDAR"
    yield "VERSION", "2.0"
    yield "PRODID", "-//EPC registry//epc expiry//EN"
    yield "NAME", _text(name)
    yield "X-WR-CALNAME", _text(name)
    yield "UID", f"{quote(own)}@epc-registry"


def _entry(state: Expiry) -> Iterator[tuple[str, str]]:
    day = state.until or state.not_before
    if day is None:
        return
    at_least = f"is {served_at_least(day)}: look whether it still is"
    where = f".{state.platform}" if state.platform else ""
    yield "BEGIN", "VEVENT"
    yield "SUMMARY", _text(f"{state.id} {'expires' if state.until else at_least}")
    yield "DTSTART;VALUE=DATE", f"{day:%Y%m%d}"
    yield "DTSTAMP", f"{state.as_of:%Y%m%d}T000000Z"
    yield "UID", _text(f"{state.id}{where}@epc-registry")
    yield "SEQUENCE", str(state.revision)
    yield "DESCRIPTION", _text(f"{state.note}\nsource: {state.source}")
    yield "TRANSP", "TRANSPARENT"
    yield "END", "VEVENT"


def _text(text: str) -> str:
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
