"""The lives of evaluators: when each platform released, deprecated and retires a generation.

Pure: it takes JSON that a schema has admitted, and reads neither file nor clock.
"""

from dataclasses import dataclass
from datetime import date
from typing import Final, Literal, Self

from epc.protocol.results import Json
from epc.records.observed.types import UNKNOWN
from epc.records.typed import parse

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
class Other:
    """Another date that was stated for the same end, and why it is not the one used."""

    date: Day
    by: str
    seen: Day | None
    settled: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreeing:
    """Another list that states the same date, and the last day on which it is known to have."""

    by: str
    seen: Day | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
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
    others: tuple[Other, ...]
    also: tuple[Agreeing, ...] = ()

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
    """What an alias means: the generation `to`, from the day `since` on.

    `since` is None where no source states the day; `seen` the last day on which the source is known
    to have said so.
    """

    to: str
    since: date | None
    source: str
    seen: Day | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """Which source was consulted last, by way of what, and when."""

    source: str
    via: str
    seen: Day | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LifeRecord:
    """What one platform says of one generation, as it stands in the record."""

    platform: str
    model: str
    aliases: tuple[str, ...]
    pinned: bool
    released: Stated | None
    deprecated: Stated | None
    retires: Stated | None
    replacement: str | None
    routes: tuple[Route, ...]
    confidence: Literal["high", "medium", "low"]
    checked: Checked
    notes: tuple[str, ...]
    points_to: tuple[Pointer, ...] = ()

    @property
    def stages(self) -> dict[str, Stated | None]:
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
    platforms: tuple[LifeRecord, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """What one platform says of one generation.

    `pinned` are weights that are checked by digest: nobody can change or retire them. `source`
    was consulted, on the day `checked`, even where it states no date. An alias has `points_to`,
    oldest first; what it means on a day is worked out by `names.followed`, which fills the last
    four fields.
    """

    platform: str
    model: str
    aliases: tuple[str, ...] = ()
    pinned: bool
    released: Stated | None = None
    retires: Stated | None = None
    routes: tuple[Route, ...] = ()
    replacement: str | None = None
    source: str
    seen: date | None = None
    checked: date | None = None
    points_to: tuple[Pointer, ...] = ()
    means: Pointer | None = None
    moves: date | None = None
    doubt: str = ""
    earlier: int = 0

    @classmethod
    def of(cls, record: LifeRecord) -> Self:
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
        )

    @property
    def lasts(self) -> bool:
        """Whether nobody can end it: weights that are pinned, or that anybody has."""
        return self.pinned or self.platform == OPEN_WEIGHTS

    @property
    def revision(self) -> int:
        """How often the platform's word on an end was recorded; it only rises.

        A day that moved stays beside the one that is used, and a name given to another model stays
        recorded.
        """
        stated = 1 + len(self.retires.others) if self.retires else 0
        return self.earlier + stated + len(self.routes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """One evaluator generation, and its life on each platform that serves it."""

    name: str
    maker: str
    lives: tuple[Life, ...]
    record: GenerationRecord

    @classmethod
    def parse(cls, document: Json) -> Self:
        """Return the generation that a document of valid shape describes."""
        record = parse(document, GenerationRecord)
        lives = tuple(Life.of(platform) for platform in record.platforms)
        return cls(name=record.generation, maker=record.maker, lives=lives, record=record)

    def on(self, platform: str | None) -> Life | None:
        """Return the life on a platform; where nobody says on which, the maker's."""
        # Reading R77: what a name means, its maker says; weights may stand in for a served model.
        if platform == UNKNOWN:
            own = sorted(filter(self.is_makers, self.lives), key=lambda life: life.pinned)
            return next(iter(own), None)
        return next((life for life in self.lives if life.platform == platform), None)

    def is_makers(self, life: Life) -> bool:
        """Return whether a life is at its maker: served by it, or weights that it gave away."""
        return life.lasts or life.platform in _OWN.get(self.maker, {self.maker})
