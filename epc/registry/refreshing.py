"""Sightings written anew: what lists had when, and where they state it.

No day of an end moves by this; `epc.registry.sync` proposes those.
"""

from collections.abc import Sequence
from pathlib import Path

from epc.records import strict_json
from epc.records.typed import as_json
from epc.registry import layout
from epc.registry.lifecycles import catalogue_lines, catalogue_text
from epc.registry.places import Place, Reading, found, places, places_text, renewed
from epc.registry.reading import of_folder
from epc.registry.sync import refreshed, refreshed_lines
from epc.registry.writing import RegistryLock


def refresh(lock: RegistryLock, read: Sequence[Reading]) -> str:
    """Write what lists were seen to say again, and return how much that was.

    Raises: MalformedError or WorldError if the registry cannot be read or written.
    """
    checkout = lock.checkout
    home = checkout / layout.FOLDER / layout.EVALUATORS
    claims = [reading.claim for reading in read]
    records, changed = of_folder(checkout).records, 0
    for record in records:
        after = refreshed(record, claims)
        if after != record:
            changed += 1
            strict_json.write(home / f"{record.generation}.json", as_json(after))
    catalogue = home / layout.CATALOGUE
    lines = catalogue_lines(catalogue.read_text("utf-8")) if catalogue.is_file() else []
    lines_seen = refreshed_lines(lines, claims)
    if lines_seen != lines:
        strict_json.write_text(catalogue, [catalogue_text(lines_seen)])
    now = found(records, read)
    places_before = places_of(checkout)
    if now:
        strict_json.write_text(home / layout.PLACES, [places_text(renewed(places_before, now))])
    line_count = sum(old != new for old, new in zip(lines, lines_seen, strict=True))
    return f"refreshed: {changed} records, {line_count} lines of the catalogue, {len(now)} places"


def places_of(checkout: Path) -> list[Place]:
    """Return the places of a checkout."""
    path = checkout / layout.FOLDER / layout.EVALUATORS / layout.PLACES
    return places(path.read_text("utf-8")) if path.is_file() else []
