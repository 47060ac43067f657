"""Limits of a judge's figures on a day: what may not be said of it, the sharpest first."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Final

from epc.analysis.headline import is_any
from epc.analysis.judge_card import PLACES, Limit
from epc.analysis.quotable import FigureState
from epc.answers import words
from epc.answers.resolve import resolve
from epc.answers.snapshot_status import figure_state, status_on
from epc.registry.figures import figures_of
from epc.registry.kinds.loop import reports_of
from epc.registry.registry import Registry
from epc.registry.snapshots import Snapshot

# Parts of what one asks of a judge, each with the figures that answer it.
_PARTS: Final[Mapping[str, tuple[str, ...]]] = {
    "how often it is right": ("accuracy", "best"),
    "place bias": ("place_consistency", PLACES),
    "agreement with people": ("humans_majority", "rank_correlation"),
}


def limits(registry: Registry, text: str, day: date) -> tuple[Limit, ...]:
    """Return what may not be said of the model of a name on a day, the sharpest first.

    An alias has its target's limits.
    """
    name = resolve(registry, text, day)
    targets = [target for target in (name.home, *name.everywhere) if target]
    if not targets:
        return ()
    generation = targets[0].generation
    snapshots = [s for s in registry.snapshots.values() if s.tag.generation == generation]
    further = {target.generation for target in targets} - {generation}
    measured = [s for s in registry.snapshots.values() if s.tag.generation in further]
    if measured and not snapshots:
        tag = str(measured[-1].tag)
        says = words.other_version(name.plain, measured[-1].tag.generation)
        return (Limit(says=says, because="other_version", tag=tag),)
    return limits_of(registry, snapshots, day)


def limits_of(registry: Registry, snapshots: Sequence[Snapshot], day: date) -> tuple[Limit, ...]:
    """Return what may not be said of the judge of some snapshots on a day, the sharpest first."""
    states = {
        str(snapshot.tag): figure_state(registry, str(snapshot.tag), day) for snapshot in snapshots
    }
    standing = [s for s in snapshots if states[str(s.tag)] != "taken_back"]
    return (
        *_chased(registry, standing, day),
        *_faulty(registry, standing),
        *_stale(registry, standing, states, day),
        *_missing(standing),
    )


def _chased(registry: Registry, snapshots: Sequence[Snapshot], day: date) -> Iterator[Limit]:
    """Yield that an optimiser may chase the judge, by the newest runs that lost right answers."""
    runs = [snapshot for snapshot in snapshots if "loop" in snapshot.figures]
    for start, report in reports_of(runs[-1]).items() if runs else ():
        if report.quality == "worse" and report.gold:
            tag = str(runs[-1].tag)
            month = words.month(status_on(registry, tag, day))
            says = words.chased(start, report.believed, report.gold, report.digits, month)
            yield Limit(says=says, because="fault", tag=tag)


def _faulty(registry: Registry, snapshots: Sequence[Snapshot]) -> Iterator[Limit]:
    """Yield what known faults forbid."""
    for fault in registry.faults:
        with_fault = (str(s.tag) for s in snapshots if fault in registry.faults_of(s))
        if tag := next(with_fault, None):
            yield Limit(says=fault.may_not, because="fault", tag=tag)


def _stale(
    registry: Registry,
    snapshots: Sequence[Snapshot],
    states: Mapping[str, FigureState],
    day: date,
) -> Iterator[Limit]:
    """Yield that nothing holds today, where all that is not history is too old."""
    tags = [str(s.tag) for s in snapshots if states[str(s.tag)] != "ended" and not s.calibration]
    if tags and all(states[tag] == "stale" for tag in tags):
        statuses = {tag: status_on(registry, tag, day) for tag in tags}
        newest = max(tags, key=lambda tag: statuses[tag].measured_by or date.min)
        yield Limit(says=words.too_old(statuses[newest]), because="stale", tag=newest)


def _missing(snapshots: Sequence[Snapshot]) -> Iterator[Limit]:
    """Yield what is not in this registry, where other judges have it."""
    if not snapshots:
        says = "That it judges well or badly: no measurement of it is in this registry."
        yield Limit(says=says, because="missing", tag=None)
        return
    names = [figure.name for snapshot in snapshots for figure in figures_of(snapshot)]
    parts = [
        part for part, wanted in _PARTS.items() if not any(is_any(name, wanted) for name in names)
    ]
    if parts:
        yield Limit(says=words.not_here(parts), because="missing", tag=None)
