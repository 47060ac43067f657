"""Which figure of recorded verdicts is said first (Reading R97)."""

from collections.abc import Collection, Iterable
from typing import Final, Protocol, TypeVar

# What a reader asks of recorded verdicts first: are they right, do they keep with the place, are
# they repeated, do they move an agent; and without truth or repeats, does another judge say the
# same, does it favour its own (Reading R97)?
QUESTIONS: Final = (
    ("accuracy", "best/1", "humans_majority"),
    ("place_consistency",),
    ("repeat_consistency", "score_repeat_exact"),
    ("transfer/regret",),
    ("judges",),
    ("self_preference", "self_preference_score"),
)
INDEPENDENT: Final = 100  # items, from which a figure can be a headline before all others


class Rested(Protocol):
    """A figure with what it rests on; `left_out` says why it counts for nothing, or is empty."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def value(self) -> float | None: ...  # noqa: D102
    @property
    def n(self) -> int | None: ...  # noqa: D102
    @property
    def items(self) -> int | None: ...  # noqa: D102
    @property
    def left_out(self) -> str: ...  # noqa: D102
    @property
    def plain(self) -> bool: ...  # noqa: D102


R = TypeVar("R", bound=Rested)


def headline(figures: Iterable[R]) -> R | None:
    """Return what is said of recorded verdicts first, if anything answers a question.

    That is the first question that enough independent items answer. If none does, it is the one
    with the most. Of several settings a plain one counts before others, then the one with the most
    items, then with the most of n, then the direction whose regret is larger.

    Source: Reading R97.
    """
    known = [f for f in figures if not f.left_out and f.items and question(f.name) is not None]
    enough = [figure for figure in known if (figure.items or 0) >= INDEPENDENT]

    def order(figure: R) -> tuple[float, ...]:
        size, asked = -(figure.items or 0), question(figure.name) or 0
        regret = (figure.value or 0.0) if is_of(figure.name, "transfer/regret") else 0.0
        first = (asked, not figure.plain, size) if enough else (size, asked)
        return (*first, -(figure.n or 0), -regret)

    return min(enough or known, key=order, default=None)


def question(name: str) -> int | None:
    """Return the place of the question that a figure answers, if it answers one."""
    asked = (place for place, names in enumerate(QUESTIONS) if is_any(name, names))
    return next(asked, None)


def is_any(name: str, wanted: Collection[str]) -> bool:
    """Return whether a figure is the one of any of the names."""
    return any(is_of(name, each) for each in wanted)


def is_of(name: str, wanted: str) -> bool:
    """Return whether a figure is the one of a name, or that of one of its directions."""
    return name == wanted or name.startswith(f"{wanted}/")
