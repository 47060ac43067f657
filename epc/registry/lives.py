"""The lives of evaluators: when each platform released, deprecated and retires a generation.

Pure: it takes JSON that a schema has admitted, and reads neither file nor clock.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, Literal, Self

Json = dict[str, Any]
MOCKS: Final = "mock/"  # before the name of an evaluator that has no life
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
class Life:
    """What one platform says of one generation.

    `pinned` are weights that are checked by digest: nobody can change or retire them. `source`
    was consulted even where it states no date.
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
        )


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
