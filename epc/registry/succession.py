"""Successors of a judge: verdicts that a registry keeps of the same items, and who is served."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Final, Self

from epc.analysis.choosing import Alternative, alternatives
from epc.analysis.succession import (
    JudgeAgreements,
    Measurement,
    Succession,
    Successor,
    judge_agreements,
)
from epc.analysis.verdicts_by_item import Ballot, ballot_of_run, ballots, merged
from epc.errors import EpcError
from epc.records.recompute import load_manifest
from epc.records.verdicts.types import UNKNOWN, Judge
from epc.registry.fetching import snapshot_folder
from epc.registry.kinds.table import KINDS
from epc.registry.lifecycles import ServiceTerm
from epc.registry.platforms import PLATFORMS
from epc.registry.reading import nearest_checkout
from epc.registry.record import Origin
from epc.registry.registry import Registry
from epc.registry.snapshots import Snapshot
from epc.registry.subjects import Subject, pointing, subject
from epc.registry.verdicts import kept_verdicts

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


_KEYLESS_MODEL: Final = "local/smollm2-135m-likelihood"  # needs no key
_EXHAUSTIVE: Final = 176  # comparisons of the reference design, each asked once; at most


def successions(store: VerdictStore, as_of: date) -> Iterator[Succession]:
    """Yield who may replace each judge of which there are verdicts, and that ended or will."""
    registry = store.registry
    names = dict.fromkeys(
        snapshot.tag.generation
        for snapshot in registry.snapshots.values()
        if snapshot.card.origin or source_of(snapshot)
    )
    for name in sorted(names, key=str.casefold):
        judge = subject(registry, name)
        if any(registry.of_life(name, life, as_of).until for life in judge.lives):
            yield succession_of(registry, judge, as_of, agreement_in_store(store, judge))


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


def succession_of(
    registry: Registry, judge: Subject, as_of: date, agreement: JudgeAgreements
) -> Succession:
    """Return who may replace a judge on a day, from how far others agree with it."""
    states = [registry.of_life(judge.name, life, as_of) for life in judge.lives]
    models = {judge_agreement.model for judge_agreement in agreement.agreements}
    served = {name: registry.is_served(name, as_of) for name in models}
    states_of = {name: _states(registry, name, as_of) for name in models}
    successors = [
        Successor(
            agreement=judge_agreement,
            state=states_of[judge_agreement.model],
            living=served[judge_agreement.model],
        )
        for judge_agreement in agreement.agreements
    ]
    successors.sort(
        key=lambda successor: (successor.agreement.subset is not None, not successor.living)
    )
    named: dict[str, list[str]] = {}
    for life in judge.lives:
        if instead := registry.meant(life, as_of).replacement:
            named.setdefault(instead, []).append(life.platform)
    return Succession(
        name=judge.name,
        as_of=as_of.isoformat(),
        state=tuple(f"{state.platform}: {state.status_text}" for state in states),
        named={name: _states(registry, name, as_of) for name in named},
        named_by={name: tuple(platforms) for name, platforms in named.items()},
        aliases=tuple(pointing(registry, judge)),
        recorded=agreement.recorded,
        elsewhere=tuple(dict.fromkeys(_elsewhere(judge))),
        successors=tuple(successors),
        measurement=_measurement(registry, judge, as_of),
        unlike=agreement.unlike,
        alternatives=tuple(_alternatives(registry, judge, as_of)),
    )


def _alternatives(registry: Registry, judge: Subject, as_of: date) -> Iterator[Alternative]:
    """Yield the judges that somebody serves, and that were measured on the same questions."""
    for option in alternatives(registry.choices, judge.name) if registry.choices else ():
        if registry.is_served(option.model, as_of):
            yield option


def _elsewhere(judge: Subject) -> Iterator[str]:
    """Yield the commands that get its verdicts from a source whose licence keeps them there."""
    for snapshot in judge.snapshots:
        card = snapshot.card
        clone = card.origin.clone if card.origin and not card.kept else ""
        if card.recipe and clone:
            yield (
                f"{clone}{card.recipe.command} --out verdicts.jsonl\n"
                f"epc evaluators succeed {judge.name} --verdicts verdicts.jsonl"
            )


def _states(registry: Registry, model: str, as_of: date) -> str:
    """Return a model's state on every platform in words."""
    states = [registry.of_life(model, life, as_of) for _, life in registry.lives_named(model)]
    text = "; ".join(f"{state.platform}: {state.status_text}" for state in states)
    return text or "not in this registry: nobody knows whether it is served"


def _measurement(registry: Registry, old_judge: Subject, as_of: date) -> Measurement:
    """Return what would tell more: both asked about the same answers, if both can still be asked.

    A judge that is gone can be asked nothing. Then a new judge's own figures are all that can be
    had, unless it is asked about the items of the old one's verdicts with the same prompt.
    """
    candidates = (*_named(registry, old_judge, as_of), *_measured(registry, old_judge, as_of))
    candidate = next(iter(candidates), _KEYLESS_MODEL)
    old_name = next(
        (name for life in old_judge.lives for name in _names_to_ask(registry, life, as_of)), None
    )
    judges = [*dict.fromkeys([old_name, candidate] if old_name else [candidate])]
    flags = " ".join(f"--evaluator {judge}" for judge in judges)
    why = (
        "both judge the same answers, so their agreement can be counted"
        if old_name
        else "the old judge is gone, so this measures only the new one"
    )
    return Measurement(
        why=why,
        command=f"epc run {flags} --executor local/smollm2-135m --exhaustive --out runs/successor",
        calls=_EXHAUSTIVE * len(judges),
    )


def _measured(registry: Registry, judge: Subject, as_of: date) -> Iterator[str]:
    """Yield judges that somebody serves, by how often they are right on the judge's questions."""
    for option in _alternatives(registry, judge, as_of):
        for _, life in registry.lives_named(option.model):
            yield from _names_to_ask(registry, life, as_of)


def _named(registry: Registry, judge: Subject, as_of: date) -> Iterator[str]:
    """Yield whom a platform names as replacement, unless that one has ended as well.

    First those that are known to be served, then those of whom nobody knows, last those of whom
    nobody says so any more.
    """
    instead = {life.platform: registry.meant(life, as_of).replacement for life in judge.lives}
    matches_by_name = {name: registry.names.exactly(name) for name in instead.values() if name}
    successors = [successor for matches in matches_by_name.values() for _, successor in matches]
    for successor in successors:
        yield from _names_to_ask(registry, successor, as_of)
    for place, name in instead.items():
        platform = PLATFORMS.get(place)
        if name and not matches_by_name[name] and platform:
            yield f"{platform.providers[0]}/{name}"
    for successor in successors:
        yield from _names_to_ask(registry, successor, as_of, states=("unconfirmed", "unknown"))


def _names_to_ask(
    registry: Registry,
    life: ServiceTerm,
    as_of: date,
    states: Sequence[str] = ("current", "expiring"),
) -> Iterator[str]:
    """Yield the name under which `epc run` can still ask a model."""
    platform = PLATFORMS.get(life.platform)
    if platform and registry.of_life(life.model, life, as_of).status in states:
        yield f"{platform.providers[0]}/{life.model}"
