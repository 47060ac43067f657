"""The life of a wrapper: it ends when a member does, and holds no longer than any of them.

Pure: the day is passed in.
"""

from dataclasses import replace
from datetime import date

from epc.protocol.mitigation import is_wrapper, members_named
from epc.registry import platforms
from epc.registry.aliases import Served, followed
from epc.registry.lifecycles import MOCKS, Life, Stated
from epc.registry.named import Names


def life_of_wrapper(name: str) -> Life:
    """Return the life of a wrapper that nobody recorded: nothing but its members' is known."""
    return Life(
        platform=platforms.provider_of(name),
        model=name,
        pinned=True,
        source="the records of its members",
    )


def with_members(life: Life, day: date, *, names: Names, served: Served) -> Life:
    """Return a life with the ends of those whom a wrapper asks; any other life as it is."""
    if not is_wrapper(life.model):
        return life
    for name in members_named(life.model):
        if name.startswith(MOCKS):
            continue
        places = platforms.named(name)
        own = [
            member
            for _, member in names.exactly(name.rpartition("/")[2])
            if places is None or member.platform in places
        ]
        if own:
            life = _joined(life, followed(own[0], day, served))
        else:
            doubt = life.doubt or f"nothing is known of {name}, which it asks"
            life = replace(life, pinned=False, doubt=doubt)
    return life


def _joined(life: Life, member: Life) -> Life:
    """Return a life that ends with a member's."""
    retires = _first(life.retires, member.retires)
    released = [each for each in (life.released, member.released) if each is not None]
    ends = member.retires is not None and retires is member.retires
    return replace(
        life,
        model=f"{life.model}, by its member {member.model}" if ends else life.model,
        pinned=life.pinned and member.pinned,
        released=max(released, key=lambda stated: stated.date, default=None),
        retires=retires,
        routes=(*life.routes, *member.routes),
        replacement=life.replacement or member.replacement,
        source=member.source if ends else life.source,
        doubt=life.doubt or member.doubt,
        earlier=life.earlier + member.revision,
    )


def _first(*stated: Stated | None) -> Stated | None:
    """Return the end that comes first; a day not before which something ends is none."""
    known = [each for each in stated if each is not None]
    return min(known, key=lambda each: (each.kind == "not_before", each.date), default=None)
