"""What an alias means on a day (Reading R54).

Pure: the day is passed in.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date

from epc.registry.lifecycles import Life, Pointer, Route

Served = Mapping[tuple[str, str], Life]  # by platform and model


def followed(life: Life, day: date, served: Served) -> Life:
    """Return the life that a name has on a day: an alias has that of its target.

    A date that the platform states of the alias itself goes before the target's. A later move to
    another target is a day on which the name is given to another model. What is no alias is
    returned as it is.
    """
    begun = [p for p in life.points_to if p.since is None or p.since <= day]
    # Reading R54: what moves later ends what was measured on this day, and not the alias.
    later = [
        (p.since, Route(date=p.since, to=p.to, source=p.source, seen=p.seen))
        for p in life.points_to
        if p.since and p.since > day
    ]
    if not life.points_to:
        return life
    moves = later[0][0] if later else None
    if not begun:
        doubt = f"no source states what {life.model} pointed to on this day"
        return replace(life, moves=moves, doubt=doubt)
    means = begun[-1]
    target = served.get((life.platform, means.to))
    own = life if life.retires or target is None else target
    doubt = f"{life.platform} has no record of {means.to} here, to which {life.model} points"
    return replace(
        own,
        routes=(*life.routes, *(target.routes if target else ()), *(route for _, route in later)),
        means=means,
        moves=moves,
        doubt="" if target or life.retires else doubt,
        earlier=_earlier(life, begun_before=len(begun) - 1, served=served),
    )


def _earlier(life: Life, *, begun_before: int, served: Served) -> int:
    """Return what was recorded of an alias's targets before its present one.

    Each move counts once, and what was said of a target's end stays counted after the move.
    """
    past = life.points_to[:begun_before]
    targets = [served.get((life.platform, pointer.to)) for pointer in past]
    return len(past) + sum(target.revision for target in targets if target)


def in_words_of_alias(name: str, means: Pointer, *, gone: bool, until: date | None) -> str:
    """Return what a name means: `gpt-4o means gpt-4o-2024-08-06 (since 2024-10-02)`."""
    since = f"since {means.since}" if means.since else "since a day that no source states"
    until_when = f", until {until}" if until else ""
    return f"{name} {'meant' if gone else 'means'} {means.to} ({since}{until_when})"
