"""Meaning of a new measurement for the older ones of the same thing: superseded, or drifted.

Pure: the day is passed in.
"""

from collections.abc import Iterator
from datetime import date

from epc.records.verdicts.types import UNKNOWN
from epc.registry.comparison import compare_snapshots, first_apart
from epc.registry.figures import added
from epc.registry.registry import Registry
from epc.registry.snapshots import Event, Snapshot


def endings(registry: Registry, new: Snapshot, day: date) -> Iterator[Event]:
    """Yield what a new snapshot does to each older one that still stands (Reading R57).

    Only measured and observed ones end others. A replication ends nothing: both stand.
    """
    for tag, old in registry.snapshots.items():
        ended = any(event.event != "published" for event in registry.by_tag.get(tag, []))
        if ended or not old.tag < new.tag or old.kind != new.kind or new.card.replicates:
            continue
        if new.card.audit:
            yield from _measured_anew(old, new, day)
        elif _recorded_anew(old, new):
            reason = "is of the same judge at another commit of the same source"
            if old.card.origin == new.card.origin:
                reason = f"has the same verdicts, {added(old.figures, new.figures)}"
            why = f"{new.tag} {reason}"
            yield Event(date=day, tag=tag, event="superseded", reason=why, by=str(new.tag))


def _measured_anew(old: Snapshot, new: Snapshot, day: date) -> Iterator[Event]:
    """Yield the end of what was measured like for like.

    Where the intervals of a mean gamma share no value it has drifted; where they do it is
    superseded, and only the newer one is current.
    """
    comparison = compare_snapshots(old, new)
    if not comparison.like_for_like:
        return
    if apart := first_apart(comparison):
        yield Event(date=day, tag=str(old.tag), event="drifted", reason=apart, source=str(new.tag))
    else:
        reason = f"{new.tag} measured the same in the same way, and agrees"
        yield Event(date=day, tag=str(old.tag), event="superseded", reason=reason, by=str(new.tag))


def _recorded_anew(old: Snapshot, new: Snapshot) -> bool:
    """Return whether a source says all of a judge that it said before, and more.

    That is at another commit, beside other judges of the source, or with what crosses between its
    domains.

    A part of it, or another prompt, replaces nothing: it stands beside what was there.
    """
    old_origin, new_origin = old.card.origin, new.card.origin
    if not old_origin or not new_origin:
        return False
    named = UNKNOWN not in (old_origin.repository, old_origin.commit, new_origin.commit)
    identity = (
        old.tag.generation,
        old_origin.name,
        old_origin.repository,
        old.card.evaluator.as_printed,
    )
    return (
        named
        and (old_origin.commit != new_origin.commit or bool(added(old.figures, new.figures)))
        and identity
        == (
            new.tag.generation,
            new_origin.name,
            new_origin.repository,
            new.card.evaluator.as_printed,
        )
        and _settings(old) <= _settings(new)
    )


def _settings(snapshot: Snapshot) -> set[str]:
    """Return the names of the ways in which a judge was asked."""
    return {name for group in snapshot.figures["groups"] for name in group["settings"]}
