"""All that a registry knows of its models: their records, their families, and what lists add.

A family is an undated name that a platform has no record of, with the dated names that it has one
of: `claude-3-5-sonnet` with `claude-3-5-sonnet-20240620` and `-20241022`.

Pure.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from types import MappingProxyType
from typing import Final

from epc.records.model_names import key, shorter
from epc.registry.lifecycles import (
    Generation,
    GenerationRecord,
    ServiceTerm,
    ServiceTermRecord,
    SourceCheck,
)

# Reading R104: what stands behind the name of a family, in the id of one of its models.
_VERSION: Final = re.compile(
    r"(.+?)(?:-v[0-9]+(?=@))?[-@]"
    r"([0-9]{8}|[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{2}-[0-9]{4}|[0-9]{3,4})"
)
_DIGITS: Final = re.compile(
    r"(?<![0-9])(?:([0-9]{2})-([0-9]{4})|([0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{8}|[0-9]{3,4}))(?![0-9])"
)
_Words = Mapping[str, tuple[str, ...]]  # those before a name, as `epc.records.model_names.routes`
_Lives = list[tuple[ServiceTerm, ServiceTermRecord]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """Models with a record, and those that lists alone know; both with all their lives."""

    recorded: dict[str, Generation]
    listed: dict[str, Generation]


def models(
    recorded: Iterable[Generation],
    listed: Iterable[Generation],
    words: _Words,
    measured: Mapping[str, date] = MappingProxyType({}),
) -> Models:
    """Return every model once, with its recorded lives, those of its families and of its lists.

    Of a platform that has a record of a name, or a family, no list is heard. `measured` is the
    first day on which a model was measured, by its name.
    """
    records = {generation.name: generation for generation in recorded}
    rows = {generation.name: generation for generation in listed}
    families = _families(records, words)
    names = {key(name): name for name in (*rows, *records)}
    lives: dict[str, _Lives] = {}
    makers: dict[str, str] = {}
    for generation in records.values():
        lives[generation.name] = _pairs(generation)
    for maker, life, record in families:
        name = names.setdefault(key(life.model), life.model)
        makers.setdefault(name, maker)
        lives.setdefault(name, []).append((life, record))
    for generation in rows.values():
        served = lives.setdefault(generation.name, [])
        platforms = {life.platform for life, _ in served}
        served += [pair for pair in _pairs(generation) if pair[0].platform not in platforms]
    makers |= {
        generation.name: generation.maker for generation in (*rows.values(), *records.values())
    }
    generations = _introduced(
        [_generation(name, makers[name], pairs) for name, pairs in lives.items()], measured
    )
    return Models(
        recorded={name: generations[name] for name in records},
        listed={
            name: generation for name, generation in generations.items() if name not in records
        },
    )


def _pairs(generation: Generation) -> _Lives:
    return [*zip(generation.lives, generation.record.platforms, strict=True)]


def _generation(name: str, maker: str, pairs: _Lives) -> Generation:
    lives, platforms = tuple(life for life, _ in pairs), tuple(record for _, record in pairs)
    record = GenerationRecord(generation=name, maker=maker, platforms=platforms)
    return Generation(name=name, maker=maker, lives=lives, record=record)


def _introduced(
    generations: Sequence[Generation], measured: Mapping[str, date]
) -> dict[str, Generation]:
    """Return models by name, each life with the first day on which any platform had its model.

    Where no platform states a release, that is the first day on which the model is known to be
    there.
    """
    introduced = {}
    for generation in generations:
        days = [life.released.date for life in generation.lives if life.released]
        first = min(days, default=None)
        first_known = None if first else _known_since(generation, measured)
        lives = tuple(
            replace(life, introduced=first, known_since=first_known) for life in generation.lives
        )
        introduced[generation.name] = replace(generation, lives=lives)
    return introduced


def _known_since(generation: Generation, measured: Mapping[str, date]) -> date | None:
    """Return the first day on which a model was seen or measured, or before which it ended."""
    sightings = [life.seen for life in generation.lives]
    days = [*filter(None, (*sightings, measured.get(generation.name)))]
    ends = [life.retires.date for life in generation.lives if life.retires]
    return min((*days, *ends)) if days else None


def _families(
    records: Mapping[str, Generation], words: _Words
) -> Iterator[tuple[str, ServiceTerm, ServiceTermRecord]]:
    """Yield the maker and the life of each family on each platform that has a model of it."""
    names_used: set[tuple[str, str]] = set()
    versions: dict[tuple[str, str], list[tuple[str, ServiceTerm, ServiceTermRecord]]] = {}
    names: dict[tuple[str, str], str] = {}
    for generation in records.values():
        for life, record in _pairs(generation):
            spelled = [_shortest(name, words) for name in (life.model, *life.aliases)]
            names_used |= {(life.platform, key(name)) for name in (generation.name, *spelled)}
            match = _VERSION.fullmatch(spelled[0])
            # Weights of another name are other weights, and nobody serves the newest under it.
            if match and not life.lasts:
                place = life.platform, key(match[1])
                names.setdefault(place, match[1].lower())
                versions.setdefault(place, []).append((generation.maker, life, record))
    for place, members in versions.items():
        if place not in names_used:
            yield (members[0][0], *_family(names[place], members))


def _family(
    name: str, members: Sequence[tuple[str, ServiceTerm, ServiceTermRecord]]
) -> tuple[ServiceTerm, ServiceTermRecord]:
    lives = {life.model: life for _, life, _ in members}
    _, first, record = members[0]
    newest = max((life.seen for life in lives.values() if life.seen), default=None)
    checked = SourceCheck(source=first.source, via=record.checked.via, seen=newest)
    service_term = ServiceTermRecord(
        platform=first.platform,
        model=name,
        aliases=(),
        pinned=False,
        released=None,
        deprecated=None,
        retires=None,
        replacement=None,
        routes=(),
        confidence=record.confidence,
        checked=checked,
        notes=(f"Here {name} means the newest of {', '.join(lives)} that is served.",),
    )
    life = ServiceTerm.from_record(service_term)
    return replace(life, versions=tuple(lives), is_listed=True), service_term


def _shortest(name: str, words: _Words) -> str:
    """Return a model's bare name: no platform, region, address or variant around it."""
    *_, spelt = shorter(name, words)
    return spelt.name


def newest(lives: Sequence[ServiceTerm], day: date) -> ServiceTerm:
    """Return the newest version that has not ended on a day; if all have, the last one to end."""
    # Reading R104: a family is what a platform has under its name today.
    begun = [life for life in lives if (life.first_day or day) <= day] or lives
    served = [life for life in begun if (end := _end(life)) is None or end > day]
    if served:
        return max(served, key=_age)
    return max(begun, key=lambda life: (_end(life) or date.max, _age(life)))


def _end(life: ServiceTerm) -> date | None:
    """Return the first day on which a platform does not answer with a model, if it states one."""
    days = [route.date for route in life.routes]
    if life.retires and life.retires.kind != "not_before":
        days.append(life.retires.date)
    return min(days, default=None)


def _age(life: ServiceTerm) -> tuple[date, str]:
    """Return what orders versions: the release, then the digits, the year before the month."""
    released = life.released.date if life.released else life.introduced
    dates = [(year + month) or plain for month, year, plain in _DIGITS.findall(life.model)]
    return released or date.min, dates[-1].replace("-", "") if dates else ""
