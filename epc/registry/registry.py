"""The registry as one value, there and back: what is published, and what a checkout holds.

Pure: it takes JSON that schemas have admitted, and reads neither file nor clock.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Final, Self

from epc.analysis.agreement import AgreementRecord
from epc.errors import UsageError
from epc.protocol.results import Json
from epc.records.choices import Choices
from epc.records.faults import FaultEffect
from epc.records.model_names import key, routes
from epc.records.typed import parse
from epc.registry import expiry, platforms
from epc.registry.expiry import Expiry, Policy
from epc.registry.families import Models, models
from epc.registry.kinds.table import KINDS
from epc.registry.lifecycles import (
    MOCKS,
    DateClaim,
    Generation,
    GenerationRecord,
    ServiceTerm,
    catalogue_lines,
    catalogued,
)
from epc.registry.names import Names, Served, followed, is_same, names_of, plain_of
from epc.registry.snapshots import Event, Snapshot
from epc.registry.tags import Tag


def _platforms(generations: Sequence[Generation]) -> Iterator[str]:
    """Yield the platforms of some models."""
    yield from (life.platform for generation in generations for life in generation.lives)


def _by_place(known_models: Models) -> dict[tuple[str, str], tuple[Generation, ServiceTerm]]:
    """Return every life by its platform and its name there; a record's goes before a list's."""
    by_place: dict[tuple[str, str], tuple[Generation, ServiceTerm]] = {}
    generations = (*known_models.recorded.values(), *known_models.listed.values())
    lives = [(generation, life) for generation in generations for life in generation.lives]
    for generation, life in sorted(lives, key=lambda pair: pair[1].is_listed):
        by_place.setdefault((life.platform, life.model), (generation, life))
    return by_place


def _further(
    rows: Sequence[Generation], known_models: Models
) -> Iterator[tuple[Generation, ServiceTerm, tuple[str, ...]]]:
    """Yield the further names that lists have of a life: those that a platform has of no other."""
    generations = (*known_models.recorded.values(), *known_models.listed.values())
    used = {
        (life.platform, key(name))
        for generation in generations
        for life in generation.lives
        for name in names_of(generation, life)
    }
    for row in rows:
        generation = known_models.recorded.get(row.name) or known_models.listed[row.name]
        for life in row.lives:
            names = [n for n in names_of(row, life) if (life.platform, key(n)) not in used]
            served = generation.on(life.platform)
            if served and names:
                yield generation, served, tuple(names)


def _first_measured(
    snapshots: Iterable[Snapshot], events: Mapping[str, Sequence[Event]]
) -> dict[str, date]:
    """Return the first day on which each model is known to have been measured."""
    first: dict[str, date] = {}
    for snapshot in snapshots:
        by = expiry.measured_by(snapshot, events.get(str(snapshot.tag), ()))
        if day := snapshot.first_day or by:
            name = snapshot.tag.generation
            first[name] = min(day, first.get(name, day))
    return first


def life_of_wrapper(name: str) -> ServiceTerm:
    """Return the life of a wrapper that nobody recorded: nothing but its members' is known."""
    return ServiceTerm(
        platform=platforms.provider_of(name),
        model=name,
        pinned=True,
        source="the records of its members",
    )


def with_members(life: ServiceTerm, day: date, *, names: Names, served: Served) -> ServiceTerm:
    """Return a life with the ends of those whom a wrapper asks; any other life as it is."""
    for name in platforms.members_of(life.model):
        if name.startswith(MOCKS):
            continue
        places = platforms.named(name)
        members = [
            member
            for _, member in names.exactly(name.rpartition("/")[2])
            if places is None or member.platform in places
        ]
        if members:
            life = _joined(life, followed(members[0], day, served))
        else:
            doubt = life.doubt or f"nothing is known of {name}, which it asks"
            life = replace(life, pinned=False, doubt=doubt)
    return life


def _joined(life: ServiceTerm, member: ServiceTerm) -> ServiceTerm:
    """Return a life that ends with a member's."""
    retires = _first(life.retires, member.retires)
    released = [claim for claim in (life.released, member.released) if claim is not None]
    ends = member.retires is not None and retires is member.retires
    return replace(
        life,
        model=f"{life.model}, by its member {member.model}" if ends else life.model,
        pinned=life.pinned and member.pinned,
        released=max(released, key=lambda date_claim: date_claim.date, default=None),
        retires=retires,
        routes=(*life.routes, *member.routes),
        replacement=life.replacement or member.replacement,
        source=member.source if ends else life.source,
        doubt=life.doubt or member.doubt,
        earlier=life.earlier + member.revision,
    )


def _first(*claims: DateClaim | None) -> DateClaim | None:
    """Return the end that comes first; a day not before which something ends is none."""
    dated_claims = [claim for claim in claims if claim is not None]
    return min(
        dated_claims, key=lambda claim: (claim.kind == "not_before", claim.date), default=None
    )


# What is known of a snapshot beside what was published of it.
_BESIDE: Final = ("audited_anew", "intervals_anew", "published")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ages:
    """The expiry policy as params.yaml has it, in days."""

    maximum_age_days: int
    notice_days: int
    confirmation_days: int | None = None
    maximum_age_fixed_days: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Extras:
    """Parts that a document may have beside what each has; `catalogue` is the text of the file."""

    catalogue: str = ""
    choices: Choices | None = None
    faults: tuple[FaultEffect, ...] = ()
    agreements: Mapping[str, AgreementRecord] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Registry:
    """Evaluators, snapshots, events and the expiry policy; `document` is the published document.

    `catalogue` are models that lists alone know, by their names, and families without a record.
    `listed` is the last day that it knows of, where it is a copy that nobody keeps up to date.
    `choices` say how often ways to decide are right, where judges were compared. `faults` are the
    known faults that have an effect on figures. `agreements` say how far others agree with a judge,
    by its generation.
    """

    generations: dict[str, Generation]
    catalogue: dict[str, Generation]
    snapshots: dict[str, Snapshot]
    events: tuple[Event, ...]
    policy: Policy
    document: Json
    by_tag: dict[str, list[Event]]
    served: Served
    models: Mapping[tuple[str, str], Generation]
    names: Names
    listed: date | None = None
    choices: Choices | None = None
    faults: tuple[FaultEffect, ...] = ()
    agreements: Mapping[str, AgreementRecord] = field(default_factory=dict)

    @classmethod
    def from_document(cls, document: Json) -> Self:
        """Return the registry that a published document describes."""
        extras = parse(document, _Extras)
        compared = extras.choices.settings if extras.choices else {}
        paid = extras.choices.paid if extras.choices else {}
        pairs = [
            replace(
                snapshot,
                compared=compared.get(str(snapshot.tag), frozenset()),
                paid=paid.get(str(snapshot.tag), {}),
            )
            for entry in document["snapshots"]
            for snapshot in (
                Snapshot.parse(
                    entry["card"],
                    entry["figures"],
                    **{name: entry[name] for name in _BESIDE if name in entry},
                ),
            )
        ]
        records = [Generation.parse(record) for record in document["evaluators"]]
        rows = [*catalogued(catalogue_lines(extras.catalogue))]
        tags = [str(s.tag) for s in sorted(pairs, key=lambda s: s.tag)]
        ages = parse(document["policy"], _Ages)
        events = tuple(parse(line, Event) for line in document["events"])
        by_tag: dict[str, list[Event]] = {}
        for event in events:
            by_tag.setdefault(event.tag, []).append(event)
        words = routes(_platforms([*records, *rows]))
        known_models = models(records, rows, words, _first_measured(pairs, by_tag))
        further = [*_further(rows, known_models)]
        by_place = _by_place(known_models)
        return cls(
            generations=known_models.recorded,
            catalogue=known_models.listed,
            names=Names(known_models, tags, further),
            snapshots={str(s.tag): s for s in sorted(pairs, key=lambda s: s.tag)},
            events=events,
            policy=Policy(
                maximum_age=ages.maximum_age_days,
                notice=ages.notice_days,
                confirmation=ages.confirmation_days,
                maximum_age_fixed=ages.maximum_age_fixed_days,
            ),
            document=document,
            by_tag=by_tag,
            served={place: life for place, (_, life) in by_place.items()},
            models={place: generation for place, (generation, _) in by_place.items()},
            choices=extras.choices,
            faults=extras.faults,
            agreements=extras.agreements,
        )

    def snapshot(self, tag: str) -> Snapshot:
        """Return a snapshot.

        Raises: MalformedError if that is no tag; UsageError if there is none of that tag.
        """
        snapshot = self.snapshots.get(str(Tag.parse(tag)))
        if snapshot is None:
            raise UsageError(f"there is no snapshot {tag}\n  fix: see `epc snapshot list`")
        return snapshot

    @property
    def records(self) -> list[GenerationRecord]:
        """The records of all evaluator generations, without what lists add."""
        return [
            replace(generation.record, platforms=tuple(generation.recorded))
            for generation in self.generations.values()
        ]

    @property
    def all_records(self) -> list[GenerationRecord]:
        """The records of all models, with what lists have of them."""
        models = (*self.generations.values(), *self.catalogue.values())
        return [generation.record for generation in models]

    def model(self, name: str) -> Generation | None:
        """Return a model, by its name here, that has a record or that a list has."""
        return self.generations.get(name) or self.catalogue.get(name)

    def plain_name(self, generation: str) -> str:
        """Return the name to print for a model: the one that people type."""
        model = self.model(generation)
        return plain_of(model) if model else generation

    def model_at(self, platform: str, name: str) -> Generation | None:
        """Return the model that a platform has under a name, if it is known."""
        return self.models.get((platform, name))

    def life(self, generation: str, platform: str | None) -> ServiceTerm | None:
        """Return the life of a generation on a platform, if it is known."""
        entry = self.generations.get(generation)
        return entry.on(platform) if entry else None

    def snapshots_spelled(self, spelled: frozenset[str]) -> tuple[Snapshot, ...]:
        """Return the published measurements whose model has one of some spellings."""
        return tuple(
            snapshot
            for snapshot in self.snapshots.values()
            if {snapshot.tag.generation.casefold(), snapshot.model.casefold()} & spelled
        )

    def look_alike(self, generation: str) -> str | None:
        """Return a generation that a name can be taken for, if the name is not known itself."""
        names = dict.fromkeys(
            [*self.generations, *(s.tag.generation for s in self.snapshots.values())]
        )
        if generation in names:
            return None
        return next((name for name in names if is_same(name, generation)), None)

    def faults_of(self, snapshot: Snapshot) -> list[FaultEffect]:
        """Return the known faults of a snapshot that have an effect on figures, as listed."""
        ids = {fault.id for fault in snapshot.card.known_faults}
        return [fault for fault in self.faults if fault.id in ids]

    def ended_by(self, tag: str, *kinds: str, as_of: date = date.max) -> Event | None:
        """Return the event up to a day that ended a snapshot; of several the kind named first."""
        events = [e for e in self.by_tag.get(tag, ()) if e.event in kinds and e.date <= as_of]
        return min(events, key=lambda event: kinds.index(event.event), default=None)

    def is_said_anew(self, snapshot: Snapshot, as_of: date = date.max) -> bool:
        """Return whether a newer snapshot has the recorded verdicts of this one."""
        is_of_verdicts = KINDS[snapshot.kind].verdict_file
        return is_of_verdicts and bool(self.ended_by(str(snapshot.tag), "superseded", as_of=as_of))

    def measured_life(self, snapshot: Snapshot) -> ServiceTerm | None:
        """Return the life of a snapshot's evaluator; of an alias, as it was when measured."""
        life = self.life(snapshot.tag.generation, snapshot.platform)
        day = expiry.measured_by(snapshot, self.by_tag.get(str(snapshot.tag), ()))
        return self.meant(life, day or date.max) if life else None

    def of_life(self, name: str, life: ServiceTerm, as_of: date) -> Expiry:
        """Return the state of an evaluator on a platform, under a name."""
        meant = self.meant(life, as_of)
        state = expiry.of_evaluator(name, meant, policy=self.policy, as_of=as_of)
        return self.as_listed(state)

    def every_state(self, as_of: date) -> Iterator[tuple[Generation, Expiry, bool]]:
        """Yield every generation's state on each platform, and whether a catalogue alone has it.

        A model that nobody had yet on the day is none of them.
        """
        generations = [*self.generations.values(), *self.catalogue.values()]
        for is_listed in (False, True):
            for generation in generations:
                for life in generation.lives:
                    is_there = life.pinned or (life.first_day or as_of) <= as_of
                    if is_there and life.is_listed == is_listed and not life.versions:
                        yield generation, self.of_life(life.model, life, as_of), is_listed

    def as_listed(self, state: Expiry) -> Expiry:
        """Return a state as a copy of a registry tells it, which ends on a day."""
        return expiry.of_list(state, self.listed, self.policy) if self.listed else state

    @property
    def last_day(self) -> date:
        """The last day on which a source was seen or something happened, as recorded here."""
        lives = [life for generation in self.generations.values() for life in generation.lives]
        seen_days = [life.seen for life in lives if life.seen and not life.is_listed]
        return max([*seen_days, *(event.date for event in self.events)], default=date.min)

    def meant(self, life: ServiceTerm, day: date) -> ServiceTerm:
        """Return the life that a name has on a day: an alias has that of its target.

        A wrapper's ends with the first of its members. A replacement that nobody had yet on the day
        is not named on it.
        """
        followed_term = followed(life, day, self.served)
        if (since := self.replacement_since(followed_term)) and since > day:
            followed_term = replace(followed_term, replacement=None)
        return with_members(followed_term, day, names=self.names, served=self.served)

    def replacement_since(self, life: ServiceTerm) -> date | None:
        """Return the first day of the model that a platform names instead, if it is known."""
        if not life.replacement:
            return None
        same_platform = self.served.get((life.platform, life.replacement))
        matches = self.names.exactly(life.replacement)
        lives = [same_platform] if same_platform else [served for _, served in matches]
        days = (served.introduced or served.known_since for served in lives)
        return min(filter(None, days), default=None)

    def seal(self, tag: str) -> str | None:
        """Return the digest that a snapshot's event sealed its SHA256SUMS with, if there is one."""
        events = self.by_tag.get(tag, [])
        return next((event.sha256 for event in events if event.event == "published"), None)
