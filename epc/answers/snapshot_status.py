"""State of a published snapshot on a day, by the bounds of the days on which it was measured."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from typing import Final

from epc.analysis.quotable import FigureState
from epc.answers.turns import days_of_life, turns
from epc.answers.types import SnapshotStatus
from epc.registry.expiry import Expiry, bounds, days_away, days_good, of_snapshot
from epc.registry.registry import Registry
from epc.registry.snapshots import Snapshot

_TAKEN_BACK: Final = ("withdrawn", "drifted", "superseded")


def snapshot_status(registry: Registry, tag: str, day: date) -> SnapshotStatus:
    """Return whether a snapshot holds on a day, and when that changes next.

    Source: Readings R53 to R55, R103.
    """
    status = status_on(registry, tag, day)
    days = _days_of(registry, registry.snapshots[tag])
    for turn in turns(registry, days, day):
        if replace(status_on(registry, tag, turn).state, as_of=day) != status.state:
            return replace(status, next=turn)
    return status


def status_on(registry: Registry, tag: str, day: date) -> SnapshotStatus:
    """Return the status of a snapshot on a day, without the day of its next change."""
    snapshot = registry.snapshots[tag]
    life, events = registry.measured_life(snapshot), registry.by_tag.get(tag, [])
    measured = bounds(snapshot, life, events)
    state = of_snapshot(
        snapshot,
        life=life,
        events=events,
        policy=registry.policy,
        as_of=day,
    )
    return SnapshotStatus(
        state=registry.as_listed(state),
        as_of=day,
        measured_from=measured.begin,
        measured_by=measured.by,
        is_day_stated=measured.is_stated,
    )


def snapshot_states(registry: Registry, day: date) -> dict[str, Expiry]:
    """Return the states of all snapshots on a day, by tag."""
    return {tag: status_on(registry, tag, day).state for tag in registry.snapshots}


def figure_state(registry: Registry, tag: str, day: date) -> FigureState:
    """Return whether figures of a snapshot may be stated on a day.

    What was taken back is never stated, and what ended with its judge is history. What is too old
    is stated with its month.
    """
    snapshot = registry.snapshots[tag]
    state = status_on(registry, tag, day).state
    if snapshot.failed or registry.ended_by(tag, *_TAKEN_BACK, as_of=day):
        return "taken_back"
    life = registry.life(snapshot.tag.generation, snapshot.platform)
    is_gone = life and registry.of_life(snapshot.model, life, day).status == "expired"
    if is_gone or (state.status == "expired" and state.reason == "retired"):
        return "ended"
    return "stale" if state.status == "expired" else "stands"


def turns_of(registry: Registry, tag: str, day: date) -> list[date]:
    """Return the days after a day on which a snapshot's state can change."""
    return turns(registry, _days_of(registry, registry.snapshots[tag]), day)


def _days_of(registry: Registry, snapshot: Snapshot) -> Iterator[date]:
    """Yield every day that is stated of a snapshot and of its judge."""
    life, events = registry.measured_life(snapshot), registry.by_tag.get(str(snapshot.tag), [])
    yield from (event.date for event in events)
    measured = bounds(snapshot, life, events)
    yield from filter(None, (measured.begin, measured.by))
    if measured.by:
        is_fixed = bool(life and life.is_fixed)
        yield days_away(measured.by, days_good(registry.policy, is_fixed=is_fixed))
    if recorded := registry.life(snapshot.tag.generation, snapshot.platform):
        yield from days_of_life(registry, recorded)
