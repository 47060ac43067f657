"""Who may replace a judge: verdicts that a registry keeps of the same items, and who is served."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Final, Self

from epc.analysis.ballots import Ballot, ballot_of_run, ballots, merged
from epc.analysis.choosing import Alternative, alternatives
from epc.analysis.succession import Agreed, Measurement, Succession, Successor, agreed
from epc.errors import EpcError
from epc.records.observed.types import UNKNOWN, Judge
from epc.records.recompute import load_manifest
from epc.registry.fetching import lent
from epc.registry.kinds.table import KINDS
from epc.registry.lifecycles import Life
from epc.registry.observed import kept_verdicts
from epc.registry.platforms import PLATFORMS
from epc.registry.reading import nearest_checkout
from epc.registry.record import Origin
from epc.registry.registry import Registry
from epc.registry.snapshots import Snapshot
from epc.registry.subjects import Subject, pointing, subject

_MOST_IN_MEMORY: Final = 32  # sources: one may have a million verdicts

Source = Origin | str  # of recorded verdicts, or that of all measurements


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """The verdicts that a registry keeps; `home` is where they lie.

    A published document alone has none. `read` holds those of the sources that were read last.
    """

    registry: Registry
    home: str
    read: dict[Source, list[Ballot]] = field(default_factory=dict)
    by_source: dict[Source, list[Snapshot]] = field(default_factory=dict)

    @classmethod
    def of(cls, registry: Registry, location: str | None) -> Self:
        """Return those of the registry at a place, or of this checkout; a package brings none."""
        if location is None and registry.listed:
            return cls(registry=registry, home="")
        kept = cls(registry=registry, home=location or str(nearest_checkout()))
        for snapshot in registry.snapshots.values():
            source = source_of(snapshot)
            # Of a source's two commits the newer says it all: an older one was superseded.
            gone = registry.ended_by(str(snapshot.tag), "withdrawn", "superseded")
            if source is not None and gone is None and not kept.home.endswith(".json"):
                kept.by_source.setdefault(source, []).append(snapshot)
        return kept

    def sources(self, who: Subject) -> list[Source]:
        """Return the sources in which a judge's own verdicts are published.

        All measurements are one source: they have items in common where they judged equal answers.
        """
        sources = dict.fromkeys(map(source_of, who.snapshots))
        return [source for source in sources if source in self.by_source]

    def beside(self, who: Subject) -> Iterator[Ballot]:
        """Yield what judges said in the sources of a judge.

        Raises: UsageError or MalformedError if one is not as it was published; WorldError if the
        disk or the network fails.
        """
        for source in self.sources(who):
            yield from self.ballots(source)

    def ballots(self, source: Source) -> list[Ballot]:
        """Return what judges said in a source.

        Raises: as `beside`.
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

        Raises: as `beside`.
        """
        return lent(snapshot.tag, location=self.home)


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


_ANYBODY: Final = "local/smollm2-135m-likelihood"  # needs no key
_EXHAUSTIVE: Final = 176  # comparisons of the reference design, each asked once; at most


def successions(kept: Kept, as_of: date) -> Iterator[Succession]:
    """Yield who may replace each judge of which there are verdicts, and that ended or will."""
    registry = kept.registry
    names = dict.fromkeys(
        snapshot.tag.generation
        for snapshot in registry.snapshots.values()
        if snapshot.card.origin or source_of(snapshot)
    )
    for name in sorted(names, key=str.casefold):
        who = subject(registry, name)
        if any(registry.of_life(name, life, as_of).until for life in who.lives):
            yield succession_of(registry, who, as_of, agreed_kept(kept, who))


def agreed_kept(kept: Kept, who: Subject) -> Agreed:
    """Return what is kept; of files that are not as published nothing, as `verify` says why."""
    try:
        return agreed_of(kept.registry, who, [*kept.beside(who)])
    except EpcError:
        return agreed_of(kept.registry, who, [])


def agreed_of(registry: Registry, who: Subject, all_ballots: Sequence[Ballot]) -> Agreed:
    """Return how far others agree with a judge, whatever the day."""
    # Reading R76: two runs of the same evaluator agree with themselves, which is no agreement.
    own = [ballot for ballot in all_ballots if ballot.names & who.spellings]
    apart = who.spellings | {alias.casefold() for alias in pointing(registry, who)}
    return agreed(own, [ballot for ballot in all_ballots if not ballot.names & apart])


def succession_of(registry: Registry, who: Subject, as_of: date, agreement: Agreed) -> Succession:
    """Return who may replace a judge on a day, from how far others agree with it."""
    states = [registry.of_life(who.name, life, as_of) for life in who.lives]
    models = {each.model for each in agreement.agreements}
    served = {name: registry.is_served(name, as_of) for name in models}
    states_of = {name: _states(registry, name, as_of) for name in models}
    successors = [
        Successor(agreement=each, state=states_of[each.model], living=served[each.model])
        for each in agreement.agreements
    ]
    successors.sort(key=lambda each: (each.agreement.subset is not None, not each.living))
    named: dict[str, list[str]] = {}
    for life in who.lives:
        if instead := registry.meant(life, as_of).replacement:
            named.setdefault(instead, []).append(life.platform)
    return Succession(
        name=who.name,
        as_of=as_of.isoformat(),
        state=tuple(f"{state.platform}: {state.words}" for state in states),
        named={name: _states(registry, name, as_of) for name in named},
        named_by={name: tuple(platforms) for name, platforms in named.items()},
        aliases=tuple(pointing(registry, who)),
        recorded=agreement.recorded,
        elsewhere=tuple(dict.fromkeys(_elsewhere(who))),
        successors=tuple(successors),
        measurement=_measurement(registry, who, as_of),
        unlike=agreement.unlike,
        alternatives=tuple(_alternatives(registry, who, as_of)),
    )


def _alternatives(registry: Registry, who: Subject, as_of: date) -> Iterator[Alternative]:
    """Yield the judges that somebody serves, and that were measured on the same questions."""
    for other in alternatives(registry.choices, who.name) if registry.choices else ():
        if registry.is_served(other.model, as_of):
            yield other


def _elsewhere(who: Subject) -> Iterator[str]:
    """Yield the commands that get its verdicts from a source whose licence keeps them there."""
    for snapshot in who.snapshots:
        card = snapshot.card
        clone = card.origin.clone if card.origin and not card.kept else ""
        if card.recipe and clone:
            yield (
                f"{clone}{card.recipe.command} --out verdicts.jsonl\n"
                f"epc evaluators succeed {who.name} --verdicts verdicts.jsonl"
            )


def _states(registry: Registry, model: str, as_of: date) -> str:
    """Return a model's state on every platform in words."""
    states = [registry.of_life(model, life, as_of) for _, life in registry.lives_named(model)]
    words = "; ".join(f"{state.platform}: {state.words}" for state in states)
    return words or "not in this registry: nobody knows whether it is served"


def _measurement(registry: Registry, who: Subject, as_of: date) -> Measurement:
    """Return what would tell more: both asked about the same answers, if both can still be asked.

    A judge that is gone can be asked nothing. Then a new judge's own figures are all that can be
    had, unless it is asked about the items of the old one's verdicts with the same prompt.
    """
    candidates = (*_named(registry, who, as_of), *_measured(registry, who, as_of))
    candidate = next(iter(candidates), _ANYBODY)
    own = next((name for life in who.lives for name in _asked(registry, life, as_of)), None)
    judges = [*dict.fromkeys([own, candidate] if own else [candidate])]
    words = " ".join(f"--evaluator {judge}" for judge in judges)
    why = (
        "both judge the same answers, so their agreement can be counted"
        if own
        else "the old judge is gone, so this measures only the new one"
    )
    return Measurement(
        why=why,
        command=f"epc run {words} --executor local/smollm2-135m --exhaustive --out runs/successor",
        calls=_EXHAUSTIVE * len(judges),
    )


def _measured(registry: Registry, who: Subject, as_of: date) -> Iterator[str]:
    """Yield judges that somebody serves, by how often they are right on the judge's questions."""
    for other in _alternatives(registry, who, as_of):
        for _, life in registry.lives_named(other.model):
            yield from _asked(registry, life, as_of)


def _named(registry: Registry, who: Subject, as_of: date) -> Iterator[str]:
    """Yield whom a platform names as replacement, unless that one has ended as well.

    First those that are known to be served, then those of whom nobody knows, last those of whom
    nobody says so any more.
    """
    instead = {life.platform: registry.meant(life, as_of).replacement for life in who.lives}
    known = {name: registry.names.exactly(name) for name in instead.values() if name}
    others = [other for matches in known.values() for _, other in matches]
    for other in others:
        yield from _asked(registry, other, as_of)
    for place, name in instead.items():
        platform = PLATFORMS.get(place)
        if name and not known[name] and platform:
            yield f"{platform.providers[0]}/{name}"
    for other in others:
        yield from _asked(registry, other, as_of, states=("unconfirmed", "unknown"))


def _asked(
    registry: Registry, life: Life, as_of: date, states: Sequence[str] = ("current", "expiring")
) -> Iterator[str]:
    """Yield the name under which `epc run` can still ask a model."""
    platform = PLATFORMS.get(life.platform)
    if platform and registry.of_life(life.model, life, as_of).status in states:
        yield f"{platform.providers[0]}/{life.model}"
