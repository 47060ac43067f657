"""Successors of a judge: verdicts that a registry keeps of the same items, and who is served."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Self

from epc.analysis.agreement import AgreementRecord, JudgeAgreements
from epc.analysis.succession import judge_agreements
from epc.analysis.verdicts_by_item import Ballot, ballot_of_run, ballots, merged
from epc.errors import EpcError
from epc.records.recompute import load_manifest
from epc.records.strict_json import dumps_line, write_text
from epc.records.typed import as_json
from epc.records.verdicts.types import UNKNOWN, Judge
from epc.registry import layout
from epc.registry.fetching import snapshot_folder
from epc.registry.kinds.table import KINDS
from epc.registry.reading import nearest_checkout, of_folder
from epc.registry.record import Origin
from epc.registry.registry import Registry
from epc.registry.snapshots import Snapshot
from epc.registry.subjects import Subject, pointing, subject_of_generation
from epc.registry.verdicts import kept_verdicts
from epc.registry.writing import RegistryLock

_MOST_IN_MEMORY: Final = 32  # sources: one may have a million verdicts

Source = Origin | str  # of recorded verdicts, or that of all measurements


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictStore:
    """The verdicts that a registry keeps; `registry_root` is where they lie.

    A published document alone has none. `read` holds those of the sources that were read last.
    """

    registry: Registry
    registry_root: str
    read: dict[Source, list[Ballot]] = field(default_factory=dict)
    by_source: dict[Source, list[Snapshot]] = field(default_factory=dict)

    @classmethod
    def from_registry(cls, registry: Registry, location: str | None) -> Self:
        """Return those of the registry at a place, or of this checkout; a package brings none."""
        if location is None and registry.listed:
            return cls(registry=registry, registry_root="")
        store = cls(registry=registry, registry_root=location or str(nearest_checkout()))
        for snapshot in registry.snapshots.values():
            source = source_of(snapshot)
            # Of a source's two commits the newer says it all: an older one was superseded.
            ended = registry.ended_by(str(snapshot.tag), "withdrawn", "superseded")
            if source is not None and ended is None and not store.registry_root.endswith(".json"):
                store.by_source.setdefault(source, []).append(snapshot)
        return store

    def sources(self, judge: Subject) -> list[Source]:
        """Return the sources in which a judge's own verdicts are published.

        All measurements are one source: they have items in common where they judged equal answers.
        """
        sources = dict.fromkeys(map(source_of, judge.snapshots))
        return [source for source in sources if source in self.by_source]

    def judges_sharing_sources(self, judge: Subject) -> Iterator[Ballot]:
        """Yield what judges said in the sources of a judge.

        Raises: UsageError or MalformedError if one is not as it was published; WorldError if the
        disk or the network fails.
        """
        for source in self.sources(judge):
            yield from self.ballots(source)

    def ballots(self, source: Source) -> list[Ballot]:
        """Return what judges said in a source.

        Raises: as `judges_sharing_sources`.
        """
        if source not in self.read:
            while len(self.read) >= _MOST_IN_MEMORY:
                self.read.pop(next(iter(self.read)))
            self.read[source] = merged(self._ballots(source))
        return self.read[source]

    def _ballots(self, source: Source) -> Iterator[Ballot]:
        for snapshot in self.by_source[source]:
            with self.folder(snapshot) as folder:
                yield from _ballots_in(folder, snapshot)

    def folder(self, snapshot: Snapshot) -> AbstractContextManager[Path]:
        """Lend a snapshot's files in a folder, as they were sealed.

        Raises: as `judges_sharing_sources`.
        """
        return snapshot_folder(snapshot.tag, location=self.registry_root)


def source_of(snapshot: Snapshot) -> Source | None:
    """Return where a snapshot's verdicts are from, if they are kept and are evidence."""
    card = snapshot.card
    if KINDS[card.kind].verdict_file:
        return card.origin if card.kept else None
    counts = card.audit and not (card.calibration or snapshot.failed)
    return "measured" if counts else None


def _ballots_in(folder: Path, snapshot: Snapshot) -> Iterator[Ballot]:
    if KINDS[snapshot.kind].verdict_file:
        yield from ballots(*kept_verdicts(folder))  # its file is as it was sealed
        return
    manifest = load_manifest(folder)
    if manifest.reuses:
        generation, evaluator = snapshot.tag.generation, snapshot.card.evaluator
        judge = Judge(
            name=generation, model=evaluator.model, platform=evaluator.platform or UNKNOWN
        )
        yield ballot_of_run(judge, manifest, folder, source=str(snapshot.tag))


def agreement_in_store(store: VerdictStore, judge: Subject) -> JudgeAgreements:
    """Return the agreements in a store; none where a file of its sources is not as published."""
    try:
        return agreed_of(store.registry, judge, [*store.judges_sharing_sources(judge)])
    except EpcError:
        return agreed_of(store.registry, judge, [])


def agreed_of(registry: Registry, judge: Subject, all_ballots: Sequence[Ballot]) -> JudgeAgreements:
    """Return how far others agree with a judge, whatever the day."""
    # Reading R76: two runs of the same evaluator agree with themselves, which is no agreement.
    judge_ballots = [ballot for ballot in all_ballots if ballot.names & judge.spellings]
    apart = judge.spellings | {alias.casefold() for alias in pointing(registry, judge)}
    return judge_agreements(
        judge_ballots, [ballot for ballot in all_ballots if not ballot.names & apart]
    )


def write_agreements(lock: RegistryLock) -> Path:
    """Bring the table of agreements up to date with the verdicts that are kept; return its path.

    Raises: MalformedError if a file is not as it was published; WorldError if the disk fails.
    """
    path = lock.home / layout.AGREEMENTS
    table = agreements_of(VerdictStore.from_registry(of_folder(lock.checkout), str(lock.checkout)))
    document = dumps_line(as_json(table))
    if not path.is_file() or path.read_text("utf-8") != document:
        write_text(path, [document])
    return path


def agreements_of(store: VerdictStore) -> dict[str, AgreementRecord]:
    """Return by generation how far others agree with each judge, where any can be shown to."""
    registry = store.registry
    table = {}
    for generation in measured_judges(registry):
        judge = subject_of_generation(registry, generation)
        record = AgreementRecord.from_agreements(
            agreed_of(registry, judge, [*store.judges_sharing_sources(judge)])
        )
        if record.ways:
            table[generation] = record
    return table


def measured_judges(registry: Registry) -> list[str]:
    """Return the generations of which there are verdicts, kept here or at their source."""
    names = dict.fromkeys(
        snapshot.tag.generation
        for snapshot in registry.snapshots.values()
        if snapshot.card.origin or source_of(snapshot)
    )
    return sorted(names, key=str.casefold)
