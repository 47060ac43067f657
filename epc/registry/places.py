"""Places that state when a model ends: `snapshots/evaluators/places.csv`, a line a place.

A place is a value in another's file: the repository and commit (or the package and version), the
file's path, the key in it (`epc.registry.keys`), and the value that was read there. It is a copy
of the fact, so that anybody who has the repository can look it up again.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from epc.records.csv_records import csv_records, records_csv
from epc.registry.keys import value_in
from epc.registry.lifecycles import GenerationRecord
from epc.registry.lists import Claim

_DAY: Final = len("2026-01-31")
_VERTEX: Final = "google-vertex"


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Place:
    """A value in another's file, which says when a platform ends a model.

    `holder` is a repository, `owner/name`, or a package; `version` its commit or version.
    """

    platform: str
    model: str
    holder: str
    version: str
    path: str
    key: str
    value: str


def places(text: str) -> list[Place]:
    """Return the places of the file.

    Raises: ValueError if a line does not have the columns of the first.
    """
    return csv_records(Place, text)


def places_text(found: Iterable[Place]) -> str:
    """Return the file's text, in the order of platforms and models."""
    return records_csv(Place, sorted(set(found)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A list's word, and the list's file that has it.

    `path` is empty where the key does not lead back to the day, as where a list has a model twice.
    """

    holder: str
    version: str
    path: str
    claim: Claim


def found(records: Iterable[GenerationRecord], readings: Iterable[Reading]) -> list[Place]:
    """Return where lists state an end of which a record has a day, also another day."""
    names = _names(records)
    return [
        Place(
            platform=reading.claim.platform,
            model=names[called],
            holder=reading.holder,
            version=reading.version,
            path=reading.path,
            key=reading.claim.key,
            value=reading.claim.retires.isoformat(),
        )
        for reading in readings
        if reading.path
        and reading.claim.retires
        and (called := (reading.claim.platform, reading.claim.model)) in names
    ]


def leads_back(document: Any, claim: Claim) -> bool:
    """Return whether a claim's key leads to its day in the document."""
    read = value_in(document, claim.key) if claim.key else None
    return bool(claim.retires and read and read[:_DAY] == claim.retires.isoformat())


def _names(records: Iterable[GenerationRecord]) -> dict[tuple[str, str], str]:
    """Return the model that a name means on a platform, of those with an end."""
    lives = [life for record in records for life in record.platforms if life.retires]
    names = {
        (life.platform, name): life.model for life in lives for name in (life.model, *life.aliases)
    }
    for life in lives:  # lists leave out the version that Vertex AI writes behind a model
        if life.platform == _VERTEX:
            names.setdefault((life.platform, life.model.partition("@")[0]), life.model)
    return names


def renewed(known: Iterable[Place], read: Iterable[Place]) -> list[Place]:
    """Return the places with those that were read now, in place of their holders' earlier ones."""
    now = list(read)
    holders = {place.holder for place in now}
    return [*(place for place in known if place.holder not in holders), *now]
