"""The lives of evaluators: when each platform released, deprecated and retires a generation.

A record (`NAME.json`) has those of one generation. Catalogues list more models than anybody
measures: `snapshots/evaluators/catalogue.csv` has a line a life. A model there has a maker, names
and a state, as any other; it has no page, calendar, feed or badge of its own. A model of which more
is known moves to a record, and a line of a model that has a record tells of a further platform.

Pure: it takes JSON that a schema has admitted, and reads neither file nor clock.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import Final, Literal, Self

from epc.protocol.results import Json
from epc.records.csv_records import csv_records, records_csv
from epc.records.typed import parse
from epc.records.verdicts.types import UNKNOWN

OPEN_WEIGHTS: Final = "open-weights"  # weights that anybody has: no platform can end them
MOCKS: Final = "mock/"  # before the name of an evaluator that has no life
# Where a maker serves its models itself, if not under its own name.
_OWN: Final = {
    "alibaba": frozenset({"alibaba-model-studio"}),
    "amazon": frozenset({"aws-bedrock"}),
    "google": frozenset({"google-gemini-api", "google-vertex"}),
    "microsoft": frozenset({"azure-foundry"}),
}
Kind = Literal["exact", "not_before", "announced"]
Day = date  # where a field itself is called `date`


@dataclass(frozen=True, slots=True, kw_only=True)
class UnusedClaim:
    """Another date that was stated for the same end, and why it is not the one used."""

    date: Day
    by: str
    seen: Day | None
    settled: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreeingList:
    """Another list that states the same date, and the last day on which it is known to have."""

    by: str
    seen: Day | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DateClaim:
    """A date as somebody stated it.

    `exact` is the platform's own day; `not_before` a day until which nothing ends; `announced`
    somebody else's word, or one that reserves the day. `others` are the days that were stated and
    are not used: those that moved, and those of sources that disagree. `also` are the lists that
    state the same day.
    """

    date: Day
    kind: Kind
    source: str
    seen: Day | None
    others: tuple[UnusedClaim, ...]
    also: tuple[AgreeingList, ...] = ()

    @property
    def sources(self) -> int:
        """How many sources state the day."""
        return 1 + len(self.also)


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """From this day the name is answered by another model."""

    date: Day
    to: str
    source: str
    seen: Day | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointer:
    """Meaning of an alias: the generation `to`, from the day `since` on.

    `since` is None where no source states the day; `seen` the last day on which the source is known
    to have said so.
    """

    to: str
    since: date | None
    source: str
    seen: Day | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedClaim:
    """Statement of a vendor that what answers under an id never changes."""

    source: str
    seen: Day | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceCheck:
    """Source that was consulted last, by way of what, and when."""

    source: str
    via: str
    seen: Day | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceTermRecord:
    """Service of one generation by one platform, release to retirement, as the record states it."""

    platform: str
    model: str
    aliases: tuple[str, ...]
    pinned: bool
    released: DateClaim | None
    deprecated: DateClaim | None
    retires: DateClaim | None
    replacement: str | None
    routes: tuple[Route, ...]
    confidence: Literal["high", "medium", "low"]
    checked: SourceCheck
    notes: tuple[str, ...]
    points_to: tuple[Pointer, ...] = ()
    fixed: FixedClaim | None = None

    @property
    def stages(self) -> dict[str, DateClaim | None]:
        """The dates of its life, in their order."""
        return {
            "released": self.released,
            "deprecated": self.deprecated,
            "retires": self.retires,
        }

    @property
    def seen(self) -> date | None:
        """The last day on which any source is known to have told how long it is served."""
        ends = self.retires
        days = [self.checked.seen, *((ends.seen, *(a.seen for a in ends.also)) if ends else ())]
        return max((day for day in days if day), default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationRecord:
    """The record of one evaluator generation: `snapshots/evaluators/NAME.json`."""

    generation: str
    maker: str
    platforms: tuple[ServiceTermRecord, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceTerm:
    """Service of one generation by one platform, from release to retirement: its life there.

    `pinned` are weights that are checked by digest: nobody can change or retire them. `source`
    was consulted, on the day `checked`, even where it states no date. An alias has `points_to`,
    oldest first, and a family `versions`, the names of its models on the platform; what either
    means on a day is worked out by `names.followed`, which fills the last four fields. `introduced`
    is the first day on which any platform says that it had the model, `known_since` the first on
    which it is known to be there, where none says so; `is_listed` is whether a list alone has it.
    `fixed` is the vendor's word that the id never changes.
    """

    platform: str
    model: str
    aliases: tuple[str, ...] = ()
    pinned: bool
    released: DateClaim | None = None
    retires: DateClaim | None = None
    routes: tuple[Route, ...] = ()
    replacement: str | None = None
    source: str
    seen: date | None = None
    checked: date | None = None
    points_to: tuple[Pointer, ...] = ()
    versions: tuple[str, ...] = ()
    introduced: date | None = None
    known_since: date | None = None
    is_listed: bool = False
    confidence: str = ""
    fixed: FixedClaim | None = None
    means: Pointer | None = None
    moves: date | None = None
    doubt: str = ""
    earlier: int = 0

    @classmethod
    def from_record(cls, record: ServiceTermRecord) -> Self:
        """Return the life that a record describes."""
        return cls(
            platform=record.platform,
            model=record.model,
            aliases=record.aliases,
            pinned=record.pinned,
            released=record.released,
            retires=record.retires,
            routes=record.routes,
            replacement=record.replacement,
            source=record.checked.source,
            seen=record.seen,
            checked=record.checked.seen,
            points_to=record.points_to,
            confidence=record.confidence,
            fixed=record.fixed,
        )

    @property
    def lasts(self) -> bool:
        """Return whether nobody can end it: weights that are pinned, or that anybody has."""
        return self.pinned or self.platform == OPEN_WEIGHTS

    @property
    def first_day(self) -> date | None:
        """The first day of the model there, or else on any platform, or on which it was known."""
        return self.released.date if self.released else self.introduced or self.known_since

    @property
    def is_fixed(self) -> bool:
        """Return whether the vendor says that the name never means another model."""
        return self.fixed is not None and self.means is None

    @property
    def revision(self) -> int:
        """How often the platform's word on an end was recorded; it only rises.

        A day that moved stays beside the one that is used, and a name given to another model stays
        recorded.
        """
        claim_count = 1 + len(self.retires.others) if self.retires else 0
        return self.earlier + claim_count + len(self.routes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """Evaluator generation, and its life on each platform that serves it."""

    name: str
    maker: str
    lives: tuple[ServiceTerm, ...]
    record: GenerationRecord

    @classmethod
    def parse(cls, document: Json) -> Self:
        """Return the generation that a document of valid shape describes."""
        record = parse(document, GenerationRecord)
        lives = tuple(ServiceTerm.from_record(platform) for platform in record.platforms)
        return cls(name=record.generation, maker=record.maker, lives=lives, record=record)

    @property
    def recorded(self) -> Iterator[ServiceTermRecord]:
        """What its record states of it, without what lists add."""
        for life, record in zip(self.lives, self.record.platforms, strict=True):
            if not life.is_listed:
                yield record

    def on(self, platform: str | None) -> ServiceTerm | None:
        """Return the life on a platform; where nobody says on which, the maker's."""
        # Reading R77: what a name means, its maker says; weights may stand in for a served model.
        if platform == UNKNOWN:
            terms = sorted(filter(self.is_makers, self.lives), key=lambda life: life.pinned)
            return next(iter(terms), None)
        return next((life for life in self.lives if life.platform == platform), None)

    def is_makers(self, life: ServiceTerm) -> bool:
        """Return whether a life is at its maker: served by it, or weights that it gave away."""
        return life.lasts or life.platform in _OWN.get(self.maker, {self.maker})


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueLine:
    """A model on a platform, as the file has it; days are texts, and empty where none is known.

    `names` are its names there, the first one the model's. `seen` is the last day on which
    `source` is known to have said that it is served; a list that only has the name says no day.
    """

    generation: str
    maker: str
    platform: str
    names: str
    released: str
    not_before: str
    retires: str
    seen: str
    source: str


def catalogue_lines(text: str) -> list[CatalogueLine]:
    """Return the lines of the file.

    Raises: ValueError if a line does not have the columns of the first.
    """
    return csv_records(CatalogueLine, text)


def catalogue_text(rows: list[CatalogueLine]) -> str:
    """Return the file's text, in the order of the generations."""
    ordered = sorted(rows, key=lambda row: (row.generation.casefold(), row.platform, row.names))
    return records_csv(CatalogueLine, ordered)


def catalogued(rows: list[CatalogueLine]) -> Iterator[Generation]:
    """Yield each model of the catalogue with its lives.

    Raises: ValueError if a day is none.
    """
    by_name: dict[str, list[CatalogueLine]] = {}
    for row in rows:
        by_name.setdefault(row.generation, []).append(row)
    for name, lines in by_name.items():
        lives = tuple(_life(row) for row in lines)
        record = GenerationRecord(generation=name, maker=lines[0].maker, platforms=lives)
        lived = tuple(_listed(life) for life in lives)
        yield Generation(name=name, maker=record.maker, lives=lived, record=record)


def _listed(record: ServiceTermRecord) -> ServiceTerm:
    """Return a life that a list alone has; without any day nothing is known of it."""
    life = replace(ServiceTerm.from_record(record), is_listed=True)
    is_dated = life.seen or life.retires or life.lasts
    return life if is_dated else replace(life, doubt=f"listed by {life.source}, no day")


def _life(row: CatalogueLine) -> ServiceTermRecord:
    model, *aliases = row.names.split()
    kind: Kind = "announced" if row.retires else "not_before"
    return ServiceTermRecord(
        platform=row.platform,
        model=model,
        aliases=tuple(aliases),
        pinned=False,
        released=_date_claim(row.released, "announced", row),
        deprecated=None,
        retires=_date_claim(row.retires or row.not_before, kind, row),
        replacement=None,
        routes=(),
        confidence="low",
        checked=SourceCheck(source=row.source, via=row.source, seen=_day(row.seen)),
        notes=(),
    )


def _date_claim(day: str, kind: Kind, row: CatalogueLine) -> DateClaim | None:
    stated_day = _day(day)
    if stated_day is None:
        return None
    return DateClaim(date=stated_day, kind=kind, source=row.source, seen=_day(row.seen), others=())


def _day(text: str) -> date | None:
    return date.fromisoformat(text) if text else None
