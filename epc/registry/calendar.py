"""Expiry dates as a calendar (RFC 5545) that other programs subscribe to."""

from collections.abc import Iterable
from datetime import UTC, datetime, time

from icalendar import Calendar, Event

from epc.registry.expiry import Expiry


def calendar(states: Iterable[Expiry]) -> str:
    """Return a calendar with an all-day entry on each day on which something ends.

    An entry's name stays when its date moves, so that a subscriber sees it move.
    """
    made = Calendar()
    made.add("prodid", "-//EPC registry//epc expiry//EN")
    made.add("version", "2.0")
    made.add("x-wr-calname", "EPC expiry")
    for state in states:
        if state.until:
            made.add_component(_entry(state))
    return bytes(made.to_ical()).decode()


def _entry(state: Expiry) -> Event:
    entry = Event()
    where = f".{state.platform}" if state.platform else ""
    entry.add("uid", f"{state.id}{where}@epc-registry")
    entry.add("dtstamp", datetime.combine(state.as_of, time(), tzinfo=UTC))
    entry.add("dtstart", state.until)
    entry.add("summary", f"{state.id} expires")
    entry.add("description", f"{state.note}\nsource: {state.source}")
    entry.add("transp", "TRANSPARENT")
    return entry
