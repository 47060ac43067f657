"""What changed since a day: events, and ends that the calendar brought.

Pure: both days are passed in.
"""

from dataclasses import dataclass
from datetime import date

from epc.protocol.results import Json
from epc.registry.registry import Registry


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One thing that happened to a snapshot on a day; `what` is an event, or the status it got."""

    date: date
    tag: str
    what: str
    why: str

    def as_json(self) -> Json:
        """Return the change as plain JSON."""
        day = self.date.isoformat()
        return {"date": day, "tag": self.tag, "what": self.what, "why": self.why}


def changes(registry: Registry, since: date, as_of: date) -> list[Change]:
    """Return what happened after `since` and up to `as_of`, by day and tag.

    An expiry that follows from dates alone has no event; it is listed on its day all the same.
    """
    entries = [
        Change(date=event.date, tag=event.tag, what=event.event, why=event.reason)
        for event in registry.events
        if since < event.date <= as_of
    ]
    event_days = {(change.tag, change.date) for change in entries if change.what != "published"}
    for tag in registry.snapshots:
        state = registry.of_tag(tag, as_of)
        begun = state.status in {"expired", "expiring"} and state.since
        if begun and since < begun <= as_of and (tag, begun) not in event_days:
            what = state.words if state.status == "expiring" else f"expired ({state.reason})"
            entries.append(Change(date=begun, tag=tag, what=what, why=state.note))
    return sorted(entries, key=in_order)


def in_order(change: Change) -> tuple[date, str, str]:
    """Return what changes are sorted by: day, then tag."""
    return change.date, change.tag, change.what
