"""Subjects of a name: a model's lives, its snapshots, and what verdict files hold of it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

from epc.audit.facts import Word
from epc.records.typed import as_json, parse
from epc.records.verdicts.types import UNKNOWN, Setting, Source
from epc.registry.lifecycles import Generation, ServiceTerm
from epc.registry.names import spellings_of
from epc.registry.registry import Registry
from epc.registry.snapshots import Snapshot
from epc.statistics.figures import Alone, ClusteredFigure
from epc.statistics.intervals import Interval

if TYPE_CHECKING:
    from epc.analysis.verdicts import Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossing:
    """Transfer into a subset of recorded verdicts from another one."""

    redirected: float
    redirected_ci95: Interval | None
    regret: float
    regret_ci95: Interval | None
    chance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer:
    """Transfer between subsets, and how many verdicts and tasks say so; `word` is the audit's."""

    verdicts: int
    domains: Mapping[str, int]
    word: Word
    strategies: tuple[str, ...]
    left_out_strategies: tuple[str, ...] = ()
    directions: Mapping[str, Crossing] | None = None

    @property
    def compared(self) -> int:
        """The number of strategies that what crosses rests on."""
        return len(self.strategies) - len(self.left_out_strategies)


@dataclass(frozen=True, slots=True, kw_only=True)
class Always:
    """Share that the best constant answer reaches."""

    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelNotes:
    """Notes beside the figures of labels; choices say where the judge may decide `alone`."""

    always: Always | None = None
    alone: Mapping[str, Alone] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Verdicts of one judge asked in one way, as an observed snapshot's figures state them."""

    settings: tuple[str, ...]
    setting: Setting
    verdicts: int
    figures: Mapping[str, ClusteredFigure]
    transfer: Transfer | None = None
    by_subset: Mapping[str, Mapping[str, ClusteredFigure]] = field(default_factory=dict)
    label_figures: Mapping[str, ClusteredFigure] = field(default_factory=dict)
    labels: LabelNotes = LabelNotes()

    @property
    def alone(self) -> Alone | None:
        """The confidence from which the judge may decide alone, if it is of choices."""
        return next(iter(self.labels.alone.values()), None)

    @property
    def all_figures(self) -> Iterator[tuple[str, ClusteredFigure]]:
        """Every figure under its name, those of what crosses behind the others."""
        yield from {**self.label_figures, **self.figures}.items()
        for wanted, alone in self.labels.alone.items():
            yield f"alone/{wanted}", alone.kept or self._nothing_alone
        if self.transfer is None:
            return
        n, tasks = self.transfer.verdicts, sum(self.transfer.domains.values())
        for name in ("redirected", "regret"):
            for direction, into in (self.transfer.directions or {}).items():
                value, ci95 = getattr(into, name), getattr(into, f"{name}_ci95")
                figure = ClusteredFigure(value=value, ci95=ci95, n=n, items=tasks)
                yield f"transfer/{name}/{direction}", figure

    @property
    def _nothing_alone(self) -> ClusteredFigure:
        """Return that the judge decides none of its verdicts alone."""
        items = max((figure.items for figure in self.label_figures.values()), default=0)
        return ClusteredFigure(value=0.0, ci95=None, n=self.verdicts, items=items)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The part of an observed snapshot's figures that a card shows."""

    source: Source
    groups: tuple[Group, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictFile:
    """Content of a verdict file that a user names."""

    origin: str
    figures: Figures


def recorded(name: str, report: "Report") -> VerdictFile:
    """Return what a verdict file's report says."""
    return VerdictFile(origin=name, figures=parse(as_json(report), Figures))


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Meaning of a name: its lives, its snapshots, and every spelling of it in lower case.

    `text` is the name as it was typed, which may say a platform.
    """

    text: str
    name: str
    maker: str | None
    lives: tuple[ServiceTerm, ...]
    snapshots: tuple[Snapshot, ...]
    spellings: frozenset[str]


def subject_of_page(registry: Registry, name: str, snapshots: Iterable[Snapshot]) -> Subject:
    """Return the generation of a page, whose snapshots are given."""
    generation = registry.generations.get(name)
    matches = [(generation, life) for life in generation.lives] if generation else []
    return subject_of(name, matches, tuple(snapshots), frozenset({name.casefold()}))


def subject_of_generation(registry: Registry, generation: str) -> Subject:
    """Return the subject of a recorded generation, with its published measurements."""
    model = registry.model(generation)
    matches = [(model, life) for life in model.lives] if model else []
    spelled = spellings_of(generation, matches)
    snapshots = registry.snapshots_spelled(spelled)
    spellings = spelled | {snapshot.model.casefold() for snapshot in snapshots}
    return subject_of(generation, matches, snapshots, spellings)


def subject_of(
    query: str,
    matches: Sequence[tuple[Generation, ServiceTerm]],
    snapshots: tuple[Snapshot, ...],
    spellings: frozenset[str],
) -> Subject:
    """Return the subject of a query, with its lives and its snapshots."""
    names = dict.fromkeys(generation.name for generation, _ in matches)
    names |= dict.fromkeys(snapshot.tag.generation for snapshot in snapshots)
    makers = dict.fromkeys(generation.maker for generation, _ in matches)
    return Subject(
        text=query,
        name=next(iter(names)) if len(names) == 1 else query,
        maker=", ".join(makers) or None,
        lives=tuple(life for _, life in matches),
        snapshots=snapshots,
        spellings=spellings,
    )


def pointing(registry: Registry, subject: Subject) -> Iterator[str]:
    """Yield the names that ever pointed to a model, on a platform that serves it."""
    models = {(life.platform, life.model) for life in subject.lives}
    for (platform, name), life in registry.served.items():
        if life.points_to and any((platform, pointer.to) in models for pointer in life.points_to):
            yield name


def target_of(
    registry: Registry, subject: Subject, as_of: date
) -> tuple[str, tuple[Snapshot, ...]]:
    """Return the model that a name stands for on a day, and what is published of that one.

    Both are empty where something is published under the name itself, or nothing under either.
    """
    meant = ((life.platform, registry.meant(life, as_of).means) for life in subject.lives)
    models = {(platform, means.to) for platform, means in meant if means and not subject.snapshots}
    for generation in registry.generations.values() if models else ():
        model = next((x.model for x in generation.lives if (x.platform, x.model) in models), None)
        published = (s for s in registry.snapshots.values() if s.tag.generation == generation.name)
        if model and (snapshots := tuple(published)):
            return model, snapshots
    return "", ()


def recorded_of(recorded: VerdictFile, subject: Subject) -> list[Group]:
    """Return what verdicts were recorded of a model."""
    return [
        group
        for group in recorded.figures.groups
        if {name.casefold() for name in _named(group)} & subject.spellings
    ]


def judges_of(recorded: Iterable[VerdictFile]) -> list[str]:
    """Return the names of the judges in verdict files."""
    named = (
        name
        for verdict_file in recorded
        for group in verdict_file.figures.groups
        for name in _named(group)
    )
    return sorted(set(named) - {UNKNOWN})


def _named(group: Group) -> tuple[str, str]:
    return group.setting.judge.model, group.setting.judge.name
