"""Until when a name is served, and where, on a day."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from typing import Final

from epc.answers import words
from epc.answers.resolve import resolve
from epc.answers.snapshot_status import snapshot_states, status_on
from epc.answers.turns import days_of_life, turns
from epc.answers.types import Name, Place, Service, Target, Weights
from epc.registry.expiry import Expiry, Status, unknown
from epc.registry.lifecycles import OPEN_WEIGHTS, ServiceTerm
from epc.registry.registry import Registry

_GRAVITY: Final[tuple[Status, ...]] = ("expired", "expiring", "unconfirmed", "unknown", "current")


def service(registry: Registry, text: str, day: date) -> Service:
    """Return until when the model of a name is served on a day, and where."""
    service_today = service_on(registry, text, day)
    days = [
        d for target in service_today.name.everywhere for d in days_of_life(registry, target.life)
    ]
    for turn in turns(registry, days, day):
        if _lasting(service_on(registry, text, turn)) != _lasting(service_today):
            return replace(service_today, next=turn)
    return service_today


def service_on(registry: Registry, text: str, day: date) -> Service:
    """Return the service of a name on a day, without the day of its next change."""
    name = resolve(registry, text, day)
    return service_of(name, [place_of(registry, name, host, day) for host in hosts_of(name)], day)


def hosts_of(name: Name) -> list[Target]:
    """Return the targets of a name that are places: weights only where nobody hosts the model."""
    return [t for t in name.everywhere if t.platform != OPEN_WEIGHTS or t is name.home]


def service_of(name: Name, hosts: Sequence[Place], day: date) -> Service:
    """Return the service of a name on a day, of which the place of each host is known."""
    headline = next((place for place in hosts if place.target is name.home), None)
    other_places = tuple(place for place in hosts if place.target is not name.home)
    target_ids = {id(target) for target in name.places}
    spoken_of = [place for place in other_places if id(place.target) in target_ids]
    return Service(
        name=name,
        as_of=day,
        headline=headline,
        gravest=_gravest(headline, spoken_of),
        other_places=other_places,
        weights=_weights(name, day),
    )


def expiry(registry: Registry, texts: Sequence[str], day: date) -> list[Expiry]:
    """Return the states of everything asked about on a day; of all snapshots if of nothing."""
    if not texts:
        return [*snapshot_states(registry, day).values()]
    return [state for text in texts for state in states(registry, text, day)]


def states(registry: Registry, text: str, day: date) -> list[Expiry]:
    """Return the states of a name in the places that it speaks of, the headline's first."""
    if text in registry.snapshots:
        return [status_on(registry, text, day).state]
    service_found = service_on(registry, text, day)
    return [
        *_doubtful(service_found),
        *(_state_of(service_found, place) for place in service_found.spoken_of),
    ]


def gate(registry: Registry, text: str, day: date) -> list[Expiry]:
    """Return the states that let a gate pass or fail, as `gate_of` has them."""
    if text in registry.snapshots:
        return [status_on(registry, text, day).state]
    return gate_of(service_on(registry, text, day))


def gate_of(answer: Service) -> list[Expiry]:
    """Return the states that let a gate pass or fail: the headline's, and the one that is graver.

    It fails by what its maker says and passes by no other platform's word: who asks the model
    elsewhere names that platform.
    """
    places = [place for place in (answer.headline, answer.gravest) if place]
    return [*_doubtful(answer), *(_state_of(answer, place) for place in places)]


def life_state(registry: Registry, text: str, life: ServiceTerm, day: date) -> Expiry:
    """Return the state of one life of a model on a day, under the text that was asked about."""
    return registry.of_life(text, life, day)


def replacements(answer: Service) -> tuple[str, ...]:
    """Return what the platforms of a gate name instead, in their own words."""
    named = (place.replacement for place in (answer.headline, answer.gravest) if place)
    return tuple(dict.fromkeys(name for name in named if name))


def place_of(registry: Registry, name: Name, target: Target, day: date) -> Place:
    """Return the service of a target of a name on a day."""
    life = registry.meant(target.life, day)
    state = life_state(registry, name.name, target.life, day)
    end = state.until
    instead = resolve(registry, life.replacement, day) if life.replacement else None
    route = next((route.to for route in life.routes if route.date == end), None)
    return Place(
        target=target,
        state=state,
        days=(end - day).days if end and end > day else None,
        last_seen=life.seen,
        sources=life.retires.sources if life.retires else 0,
        confidence=target.life.confidence,
        answers_next=route,
        replacement=life.replacement,
        replacement_name=instead if instead and instead.is_known else None,
    )


def _gravest(headline: Place | None, other_places: Sequence[Place]) -> Place | None:
    """Return the gravest of the headline and of its maker's platforms, where it is graver."""
    if headline is None:
        return None
    makers = [place for place in other_places if place.target.is_makers]
    gravest = min((headline, *makers), key=lambda place: _GRAVITY.index(place.status))
    return None if gravest is headline or gravest.status == headline.status else gravest


def _weights(name: Name, day: date) -> Weights | None:
    if any(target.life.pinned for target in name.everywhere):
        return "pinned"
    public = [target.life for target in name.everywhere if target.platform == OPEN_WEIGHTS]
    is_public = any((life.first_day or day) <= day for life in public)
    return "public" if is_public else None


def _lasting(answer: Service) -> tuple[object, ...]:
    """Return what is the same from day to day until an answer changes."""
    parts = [
        (
            (place.target.platform, place.target.id, place.status, place.state.since),
            (place.until, place.not_before, place.state.note, place.replacement),
        )
        for place in answer.places
    ]
    return (answer.headline is None, answer.gravest is None, *parts)


def _doubtful(answer: Service) -> Iterator[Expiry]:
    """Yield an unknown state where nothing is said first."""
    if answer.headline is None:
        yield unknown(answer.name.text, answer.as_of, words.unknown(answer, foreign_places(answer)))


def _state_of(answer: Service, place: Place) -> Expiry:
    """Return a place's state under the text that was typed, with what belongs beside it."""
    others = foreign_places(answer) if is_foreign_list(place) else ()
    note = words.note(answer, place, others)
    return replace(place.state, id=answer.name.text, note=note)


def is_foreign_list(place: Place) -> bool:
    """Return whether a place is known by a list alone that is not its maker's."""
    return place.target.how == "list" and not place.target.is_makers


def foreign_places(answer: Service) -> tuple[Place, ...]:
    """Return the places at the maker, or else all others."""
    makers = tuple(place for place in answer.places if place.target.is_makers)
    return makers or tuple(place for place in answer.places if place not in answer.spoken_of)
