"""Expiry dates as a calendar (RFC 5545) that other programs subscribe to."""

from collections.abc import Iterable
from datetime import UTC, datetime, time
from urllib.parse import quote

from icalendar import TRANSP, Calendar, Event

from epc.registry.expiry import Expiry


def calendar(states: Iterable[Expiry], *, name: str = "EPC expiry") -> str:
    """Return a calendar with an all-day entry on each day on which something ends.

    Calendars of different names are different ones to whoever subscribes to both.
    An entry's name stays when its date moves, so that a subscriber sees it move, and its sequence
    rises, so that the later word wins.
    """
    own = name.removeprefix("EPC").strip(": ")
    made = Calendar.new(
        prodid="-//EPC registry//epc expiry//EN", name=name, uid=f"{quote(own)}@epc-registry"
    )
    for state in states:
        if state.until:
            made.add_component(_entry(state))
    return bytes(made.to_ical()).decode()


def _entry(state: Expiry) -> Event:
    where = f".{state.platform}" if state.platform else ""
    made: Event = Event.new(
        uid=f"{state.id}{where}@epc-registry",
        stamp=datetime.combine(state.as_of, time(), tzinfo=UTC),
        start=state.until,
        sequence=state.revision,
        summary=f"{state.id} expires",
        description=f"{state.note}\nsource: {state.source}",
        transparency=TRANSP.TRANSPARENT,
    )
    return made
