"""Days on which an answer may change: what is stated of lives, and the notices of their ends."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from itertools import groupby
from typing import TypeVar

from epc.registry.expiry import days_away, unconfirmed_from
from epc.registry.lifecycles import ServiceTerm
from epc.registry.registry import Registry

T = TypeVar("T")


def turns(registry: Registry, days: Iterable[date], as_of: date) -> list[date]:
    """Return the days after a day on which a state can change: an end's, and its notice's."""
    later_days = {day for day in days if day > as_of}
    notices = {days_away(day, -registry.policy.notice) for day in later_days}
    return sorted(day for day in later_days | notices if day > as_of)


def days_of_life(registry: Registry, life: ServiceTerm) -> Iterator[date]:
    """Yield every day that is stated of a life, and of those that its name means in turn."""
    names = (*(pointer.to for pointer in life.points_to), *life.versions)
    places = ((life.platform, name) for name in names)
    meant = (registry.served[place] for place in places if place in registry.served)
    for entry in (life, *meant):
        yield from (event.date for event in (entry.released, entry.retires) if event)
        yield from (route.date for route in entry.routes)
        yield from (pointer.since for pointer in entry.points_to if pointer.since)
        begins = (entry.introduced, entry.known_since, registry.replacement_since(entry))
        yield from filter(None, begins)
        if aged := unconfirmed_from(entry, registry.policy):
            yield aged


def turning(
    rows: Iterable[tuple[date, T]], lasting: Callable[[T], object] = lambda found: found
) -> list[tuple[date, T]]:
    """Return the rows of the days on which something turned; `lasting` is what may turn of it."""
    return [next(run) for _, run in groupby(rows, key=lambda row: lasting(row[1]))]


def standing(turned: Sequence[tuple[date, T]], day: date) -> T:
    """Return the last of what has begun on a day."""
    return next(found for begin, found in reversed(turned) if begin <= day)
