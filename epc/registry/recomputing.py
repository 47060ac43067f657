"""Every published figure again, from the raw files in the store (`epc snapshot recompute`)."""

import json
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from msgspec import to_builtins

from epc.analysis.audit import audit_manifest
from epc.errors import EpcError, UsageError, WorldError
from epc.grid import FEW, spread
from epc.protocol.results import Json
from epc.records.layout import MANIFEST
from epc.records.manifest import Manifest
from epc.records.typed import as_json, parse
from epc.registry import layout
from epc.registry.fetching import restore, snapshot_folder
from epc.registry.kinds.adapter import adapter
from epc.registry.kinds.observed import intervals_of
from epc.registry.kinds.table import KINDS
from epc.registry.record import AuditSummary
from epc.registry.registry import Registry
from epc.registry.snapshots import Snapshot
from epc.registry.tags import Tag


def audits(checkout: Path, registry: Registry) -> Json:
    """Return the audits of snapshots whose cards have the word of an earlier rule, by their tags.

    Raises: OSError or ValueError if a manifest is not as it was published.
    """
    by_tag = {}
    for tag, snapshot in registry.snapshots.items():
        published_audit = snapshot.audit_published
        if published_audit is not None and snapshot.earlier_word:
            path = checkout / layout.FOLDER / tag / MANIFEST
            manifest = Manifest.parse(json.loads(path.read_bytes()))
            by_tag[tag] = as_json(anew(manifest, published_audit))
    return by_tag


def anew(manifest: Manifest, published_audit: AuditSummary) -> AuditSummary:
    """Return today's audit of a published manifest; its own questions were asked then."""
    probes = {
        "swap": published_audit.position_bias["swap"],
        "competence": published_audit.competence,
    }
    return parse(audit_manifest(manifest, **probes).as_json(), AuditSummary)


def intervals(checkout: Path, registry: Registry) -> Json:
    """Return today's intervals of verdicts that were published under an earlier rule, by tags.

    Of verdicts that stay with their source nobody here can say them.

    Raises: UsageError or MalformedError if a snapshot is not as it was published; WorldError if the
    disk fails.
    """
    tags = [
        snapshot
        for snapshot in registry.snapshots.values()
        if KINDS[snapshot.kind].verdict_file and not _without_raw(snapshot)
    ]
    ends_by_tag = spread(partial(_intervals_of, checkout), tags, few=FEW)
    return {tag: ends for tag, ends in ends_by_tag if ends}


def _intervals_of(checkout: Path, snapshot: Snapshot) -> tuple[str, Json]:
    with snapshot_folder(snapshot.tag, location=str(checkout)) as folder:
        return str(snapshot.tag), intervals_of(folder, snapshot)


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotRecomputation:
    """Result of recomputing one snapshot: the places that differ, and what stood in the way."""

    tag: str
    changed: list[str]
    problems: list[str]

    @property
    def ok(self) -> bool:
        """Return whether every figure came out as it was published."""
        return not self.changed and not self.problems

    def as_json(self) -> Json:
        """Return the result as plain JSON."""
        return {**to_builtins(self), "ok": self.ok}


def recomputable(registry: Registry, tags: Sequence[str]) -> list[Tag]:
    """Return the snapshots with raw files among some tags; all of them where none is named.

    Raises: UsageError if a named one has none.
    """
    snapshots = [s for tag, s in registry.snapshots.items() if tag in tags or not tags]
    reasons = {s.tag: why for s in snapshots if (why := _without_raw(s))}
    for tag, why in reasons.items() if tags else ():
        raise UsageError(f"{tag} {why}")
    return [snapshot.tag for snapshot in snapshots if snapshot.tag not in reasons]


def passed_over(registry: Registry) -> str:
    """Say how many snapshots cannot be recomputed from what is here, and why."""
    cards = [s.card for s in registry.snapshots.values() if _without_raw(s)]
    recorded = sum(card.origin is not None for card in cards)
    return (
        f"not recomputed: {len(cards):,} of {len(registry.snapshots):,}, for "
        f"{len(cards) - recorded:,} were "
        f"printed without trials and the verdicts of {recorded:,} stay with their source"
    )


def rebuildable(registry: Registry, tags: Sequence[str]) -> list[Tag]:
    """Return the named snapshots, each of which has a recipe.

    Raises: UsageError if none is named, or one has no recipe.
    """
    if not tags:
        raise UsageError("--source is of one source: name the snapshots of its verdicts")
    for tag in tags:
        if not registry.snapshot(tag).card.recipe:
            raise UsageError(f"{tag} has no recipe\n  fix: leave --source out")
    return [Tag.parse(tag) for tag in tags]


def _without_raw(snapshot: Snapshot) -> str:
    """Say why a snapshot cannot be recomputed from what is here; empty if it can."""
    card = snapshot.card
    if card.citation:
        return (
            "is a reported snapshot: there are no trials to recompute it from\n"
            f"  fix: see its source with `epc snapshot show {card.tag}`"
        )
    if card.origin and not card.kept:
        return (
            f"keeps no verdicts here: their licence is {card.licence}\n"
            f"  fix: {card.origin.clone}epc snapshot recompute {card.tag} --source CLONE"
        )
    return ""


def recompute(
    checkout: Path, registry: Registry, tags: Iterable[Tag], *, source: Path | None = None
) -> Iterator[SnapshotRecomputation]:
    """Yield what recomputing each snapshot gives, in order, with all of the machine's cores.

    With a `source`, recorded verdicts are made from it again, and not taken from the store.

    Raises: WorldError if the disk fails.
    """
    sealed = [(registry.snapshots[str(tag)], registry.seal(str(tag))) for tag in tags]
    yield from spread(partial(_recompute_one, checkout, source), sealed, few=FEW)


def _recompute_one(
    checkout: Path, source: Path | None, sealed: tuple[Snapshot, str | None]
) -> SnapshotRecomputation:
    snapshot, seal = sealed
    tag = str(snapshot.tag)
    if seal is None:
        return SnapshotRecomputation(
            tag=tag, changed=[], problems=["no event says that it was published"]
        )
    try:
        with tempfile.TemporaryDirectory() as name:
            run = Path(name)
            raw = None if source is None else ()
            restore(snapshot.tag, run, location=str(checkout), seal=seal, raw=raw)
            changed, problems = adapter(snapshot.kind).recompute(run, snapshot, source)
    except EpcError as error:
        return SnapshotRecomputation(tag=tag, changed=[], problems=[str(error)])
    except OSError as error:
        raise WorldError(f"cannot write {error.filename}: {error.strerror or error}") from error
    return SnapshotRecomputation(tag=tag, changed=changed, problems=problems)
