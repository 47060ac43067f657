"""The lives of evaluators: when each platform released, deprecated and retires a generation.

Pure: it takes JSON that a schema has admitted, and reads neither file nor clock.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, Literal, Self

Json = dict[str, Any]
MOCKS: Final = "mock/"  # before the name of an evaluator that has no life
# Where a maker serves its models itself, if not under its own name.
_OWN: Final = {
    "alibaba": frozenset({"alibaba-model-studio"}),
    "google": frozenset({"google-gemini-api", "google-vertex"}),
}
Kind = Literal["exact", "not_before", "announced"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """A date as somebody stated it.

    `exact` is the platform's own day; `not_before` a day until which nothing ends; `announced`
    somebody else's word, or one that reserves the day. `others` counts the days that were stated
    and are not used: those that moved, and those of sources that disagree.
    """

    date: date
    kind: Kind
    source: str
    others: int

    @classmethod
    def of(cls, given: Json | None) -> Self | None:
        """Return the date that stands in a record; None where nothing is stated."""
        if given is None:
            return None
        return cls(
            date=date.fromisoformat(given["date"]),
            kind=given["kind"],
            source=given["source"],
            others=len(given["others"]),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """From this day the name is answered by another model."""

    date: date
    to: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointer:
    """What an alias means: the generation `to`, from the day `since` on.

    `since` is None where no source states the day; `seen` the last day on which the source is known
    to have said so.
    """

    since: date | None
    to: str
    source: str
    seen: date | None

    @classmethod
    def of(cls, given: Json) -> Self:
        """Return the pointer that stands in a record."""
        since, seen = (
            date.fromisoformat(d) if (d := given[k]) else None for k in ("since", "seen")
        )
        return cls(since=since, to=given["to"], source=given["source"], seen=seen)

    def as_json(self) -> Json:
        """Return the pointer as it stands in a record."""
        return {
            "to": self.to,
            "since": self.since.isoformat() if self.since else None,
            "source": self.source,
            "seen": self.seen.isoformat() if self.seen else None,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """What one platform says of one generation.

    `pinned` are weights that are checked by digest: nobody can change or retire them. `source`
    was consulted even where it states no date. An alias has `points_to`, oldest first; what it
    means on a day is worked out by `aliases.followed`, which fills the last four fields.
    """

    platform: str
    model: str
    aliases: tuple[str, ...]
    pinned: bool
    released: Stated | None
    retires: Stated | None
    routes: tuple[Route, ...]
    replacement: str | None
    source: str
    points_to: tuple[Pointer, ...] = ()
    means: Pointer | None = None
    moves: date | None = None
    doubt: str = ""
    earlier: int = 0

    @classmethod
    def of(cls, given: Json) -> Self:
        """Return the life that stands in a record."""
        return cls(
            platform=given["platform"],
            model=given["model"],
            aliases=tuple(given["aliases"]),
            pinned=given["pinned"],
            released=Stated.of(given["released"]),
            retires=Stated.of(given["retires"]),
            routes=tuple(
                Route(date=date.fromisoformat(r["date"]), to=r["to"], source=r["source"])
                for r in given["routes"]
            ),
            replacement=given["replacement"],
            source=given["checked"]["source"],
            points_to=tuple(Pointer.of(pointer) for pointer in given.get("points_to", ())),
        )

    @property
    def revision(self) -> int:
        """How often the platform's word on an end was recorded; it only rises.

        A day that moved stays beside the one that is used, and a name given to another model stays
        recorded.
        """
        stated = 1 + self.retires.others if self.retires else 0
        return self.earlier + stated + len(self.routes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """One evaluator generation, and its life on each platform that serves it."""

    name: str
    maker: str
    lives: tuple[Life, ...]

    @classmethod
    def of(cls, given: Json) -> Self:
        """Return the generation that a record of valid shape describes."""
        lives = tuple(Life.of(platform) for platform in given["platforms"])
        return cls(name=given["generation"], maker=given["maker"], lives=lives)

    def on(self, platform: str | None) -> Life | None:
        """Return the life on a platform."""
        return next((life for life in self.lives if life.platform == platform), None)

    def is_makers(self, life: Life) -> bool:
        """Return whether a life is at its maker: served by it, or weights that it gave away."""
        return life.pinned or life.platform in _OWN.get(self.maker, {self.maker})


def find(asked: str, generations: Iterable[Generation]) -> Iterator[tuple[Generation, Life]]:
    """Yield what a name means: a generation, a model id, an alias, or `platform/model`.

    Case does not count: platforms write one model's name differently. A name without a platform
    means the model on all of them.
    """
    wanted = asked.casefold()
    for generation in generations:
        for life in generation.lives:
            names = {generation.name, life.model, *life.aliases}
            spelled = {name.casefold() for name in names}
            if wanted in spelled | {f"{life.platform}/{name}".casefold() for name in names}:
                yield generation, life
