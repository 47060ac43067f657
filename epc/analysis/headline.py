"""Order in which figures of recorded verdicts are stated (Reading R97)."""

from collections.abc import Collection, Iterable, Mapping
from typing import Final, Literal, Protocol, TypeVar

Key = Literal[
    "right",
    "places",
    "repeats",
    "people",
    "one_person",
    "judges",
    "self_preference",
    "regret",
]
# Names of recorded figures by what a reader asks, in the order in which they are stated: is the
# judge right, does it keep with the place, does it repeat itself, do people say the same, or one
# person, does another judge, does it favour its own answers, does it move an agent?
NAMES: Final[Mapping[Key, tuple[str, ...]]] = {
    "right": ("accuracy", "best/1"),
    "places": ("place_consistency",),
    "repeats": ("repeat_consistency", "score_repeat_exact"),
    "people": ("humans_majority", "rank_correlation"),
    "one_person": (),  # people, where a known fault says that it was one
    "judges": ("judges",),
    "self_preference": ("self_preference", "self_preference_score"),
    "regret": ("transfer/regret",),
}
INDEPENDENT: Final = 100  # items, from which a figure can be a headline before all others


class Rested(Protocol):
    """A figure with what it rests on; `left_out` says why it counts for nothing, or is empty."""

    @property
    def name(self) -> str: ...  # noqa: D102  (the name says it)
    @property
    def value(self) -> float | None: ...  # noqa: D102  (the name says it)
    @property
    def n(self) -> int | None: ...  # noqa: D102  (the name says it)
    @property
    def items(self) -> int | None: ...  # noqa: D102  (the name says it)
    @property
    def left_out(self) -> str: ...  # noqa: D102  (the name says it)
    @property
    def plain(self) -> bool: ...  # noqa: D102  (the name says it)


R = TypeVar("R", bound=Rested)


def headline(figures: Iterable[R]) -> R | None:
    """Return what is said of recorded verdicts first, if anything answers a question.

    That is the first question that enough independent items answer, or else any. Of several
    settings a plain one counts before others, then the one with the most items, then with the most
    of n, then the direction whose regret is larger.

    Source: Reading R97.
    """
    candidates = [f for f in figures if not f.left_out and f.items and question(f.name) is not None]

    def order(figure: R) -> tuple[float, ...]:
        items, place = figure.items or 0, question(figure.name) or 0
        regret = (figure.value or 0.0) if is_of(figure.name, "transfer/regret") else 0.0
        first = (items < INDEPENDENT, place, not figure.plain, -items)
        return (*first, -(figure.n or 0), -regret)

    return min(candidates, key=order, default=None)


def question(name: str) -> int | None:
    """Return the place of the question that a figure answers, if it answers one."""
    places = (place for place, names in enumerate(NAMES.values()) if is_any(name, names))
    return next(places, None)


def key_of(name: str) -> Key | None:
    """Return the key of a recorded figure, if it answers a question."""
    place = question(name)
    return None if place is None else [*NAMES][place]


def dated(month: str, *, is_stale: bool) -> str:
    """Return the month of a figure, and whether the figure is too old."""
    return f"{month} (too old)" if is_stale else month


def is_any(name: str, wanted: Collection[str]) -> bool:
    """Return whether a figure is the one of any of the names."""
    return any(is_of(name, family_name) for family_name in wanted)


def is_of(name: str, wanted: str) -> bool:
    """Return whether a figure is the one of a name, or that of one of its directions."""
    return name == wanted or name.startswith(f"{wanted}/")
