"""What a new measurement means for the older ones of the same thing: superseded, or drifted.

Pure: the day is passed in.
"""

from collections.abc import Iterator
from datetime import date

from epc.registry.figures import difference, first_apart
from epc.registry.registry import Registry
from epc.registry.snapshots import Event, Snapshot


def endings(registry: Registry, new: Snapshot, day: date) -> Iterator[Event]:
    """Yield what a new measured snapshot does to each older one that still stands.

    Only what was measured like for like is touched (Reading R57). A replication ends nothing:
    both stand. Where the intervals of a mean gamma share no value the older one has drifted;
    where they do it is superseded, and only the newer one is current.
    """
    for tag, old in registry.snapshots.items():
        older = old.tag < new.tag and old.kind == new.kind == "measured"
        ended = any(event.event != "published" for event in registry.by_tag.get(tag, []))
        if not older or ended or new.card.replicates:
            continue
        found = difference(old, new)
        if not found.like_for_like:
            continue
        if apart := first_apart(found):
            yield Event(date=day, tag=tag, event="drifted", reason=apart, source=str(new.tag))
        else:
            reason = f"{new.tag} measured the same in the same way, and agrees"
            yield Event(date=day, tag=tag, event="superseded", reason=reason, by=str(new.tag))
