"""Whether two names are one to a reader, and the life of the model that an alias means.

Pure. Compared are *skeletons*: letters and digits in one case, without accents, spaces and
punctuation. Two names of one skeleton may still be two honest ones; whoever needs them apart
writes them apart. Letters beyond ASCII are compared as they are: a maintainer looks at these.
"""

import unicodedata
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Final

from epc.printable import is_ignorable
from epc.registry.lifecycles import Life, Pointer, Route

# What Latin letters and digits are drawn alike in most fonts, after folding their case.
_ALIKE: Final = str.maketrans({"0": "o", "1": "l", "i": "l", "m": "rn"})


def skeleton(name: str) -> str:
    """Return what names have in common that a reader cannot tell apart."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    kept = (char for char in plain if char.isalnum() and not is_ignorable(char))
    return "".join(kept).translate(_ALIKE)


def is_same(one: str, other: str) -> bool:
    """Whether a reader may take two names for one; names without a letter or digit are one."""
    return skeleton(one) == skeleton(other)


def is_one_contributor(one: tuple[str, str | None], other: tuple[str, str | None]) -> bool:
    """Whether two contributors, each a name and a GitHub login if it is known, may be one.

    Case does not count in a login. Cards of before logins were kept have names alone.
    """
    logins = [login.casefold() for _, login in (one, other) if login is not None]
    return is_same(one[0], other[0]) or (len(logins) > 1 and logins[0] == logins[1])


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
