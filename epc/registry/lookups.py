"""Places read again in clones and wheels: whether they still say what the registry says they do."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from msgspec import to_builtins

from epc.errors import UsageError, WorldError
from epc.protocol.results import Json
from epc.registry.holders import Holder
from epc.registry.keys import parsed, value_in
from epc.registry.lifecycles import GenerationRecord
from epc.registry.places import Place

Outcome = Literal["found", "other value", "not found", "not given"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """A place, read again.

    `outcome` is of the version that the place names, where the clone holds it, else of the newest;
    `read` is the value there. `newest` is the value in the newest version given, where it is
    another one.
    """

    place: Place
    outcome: Outcome
    read: str | None = None
    newest: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EndLookup:
    """The day of a model's end in its record, and everything read again that states one."""

    generation: str
    platform: str
    model: str
    day: str
    kind: str
    places: tuple[Lookup, ...]

    @property
    def holds(self) -> bool:
        """Return whether each place that could be read has the value that it is said to have."""
        return all(lookup.outcome in {"found", "not given"} for lookup in self.places)

    @property
    def lines(self) -> Iterator[str]:
        """Yield it as text: the day, and below it each place with what it says."""
        kind = "not before " if self.kind == "not_before" else ""
        yield f"{self.platform}/{self.model}: {kind}{self.day}"
        for lookup in self.places:
            place = lookup.place
            differs = "" if place.value == self.day else ", which is another day than the record's"
            read = f" ({lookup.read})" if lookup.outcome == "other value" else ""
            newest = f"; the newest has {lookup.newest}" if lookup.newest else ""
            yield f"  {lookup.outcome}{read}: {place.value}{differs}{newest}"
            yield f"    {place.holder}@{place.version} {place.path}: {place.key}"
        if not self.places:
            yield "  no place is known"

    def as_json(self) -> Json:
        """Return it as plain JSON."""
        row: Json = to_builtins(self)
        return row


@dataclass(slots=True)
class Reader:
    """Reader of places in what was given; each file is read once."""

    holders: Sequence[Holder]
    _documents: dict[tuple[Path, str, str], Any] = field(default_factory=dict)

    def look_up(self, place: Place) -> Lookup:
        """Read a place again."""
        holders = [holder for holder in self.holders if holder.name == place.holder]
        if not holders:
            return Lookup(place=place, outcome="not given")
        cited = next((holder for holder in holders if holder.has(place.version)), None)
        newest = self._value(holders[-1], place, holders[-1].version)
        read = self._value(cited, place, place.version) if cited else newest
        return Lookup(
            place=place,
            outcome=_outcome(read, place.value),
            read=read,
            newest=newest if newest != read else None,
        )

    def _value(self, holder: Holder, place: Place, version: str) -> str | None:
        read = (holder.place, version, place.path)
        if read not in self._documents:
            try:
                self._documents[read] = parsed(holder.text(place.path, version), place.path)
            except (WorldError, ValueError):
                self._documents[read] = None
        value = value_in(self._documents[read], place.key)
        return value and value[: len(place.value)]


def _outcome(read: str | None, value: str) -> Outcome:
    if read is None:
        return "not found"
    return "found" if read == value else "other value"


def ends(
    records: Iterable[GenerationRecord],
    places: Iterable[Place],
    reader: Reader,
    models: Collection[str] = (),
) -> list[EndLookup]:
    """Look up each end of some generations, or of all.

    Raises: UsageError if there is no such generation.
    """
    by_life: dict[tuple[str, str], list[Place]] = {}
    for place in places:
        by_life.setdefault((place.platform, place.model), []).append(place)
    chosen = [record for record in records if not models or record.generation in models]
    if missing := set(models) - {record.generation for record in chosen}:
        raise UsageError(
            f"no record of {', '.join(sorted(missing))}\n  fix: see `epc evaluators list`"
        )
    return [
        EndLookup(
            generation=record.generation,
            platform=life.platform,
            model=life.model,
            day=life.retires.date.isoformat(),
            kind=life.retires.kind,
            places=tuple(map(reader.look_up, by_life.get((life.platform, life.model), ()))),
        )
        for record in chosen
        for life in record.platforms
        if life.retires
    ]


def counted(dates: Iterable[EndLookup]) -> dict[str, int]:
    """Return how many days and places there are, and how many places had each outcome."""
    rows = list(dates)
    lookups = [lookup for row in rows for lookup in row.places]
    outcomes = Counter(lookup.outcome for lookup in lookups)
    apart = sum(lookup.place.value != row.day for row in rows for lookup in row.places)
    return {
        "dates": len(rows),
        "with a place": sum(bool(row.places) for row in rows),
        "with a place found": sum(
            any(lookup.outcome == "found" for lookup in row.places) for row in rows
        ),
        "places": len(lookups),
        **{outcome: outcomes[outcome] for outcome in get_args(Outcome)},
        "another day than the record's": apart,
    }
