"""The registry as one value, there and back: what is published, and what a checkout holds.

Pure: it takes JSON that schemas have admitted, and reads neither file nor clock.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final, Self

from epc.errors import UsageError
from epc.protocol.results import Json
from epc.records.choices import Choices
from epc.records.typed import parse
from epc.registry import expiry, platforms
from epc.registry.expiry import Expiry, Policy
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
from epc.registry.names import Matches, Meaning, Names, Served, followed, is_same, names_of
from epc.registry.snapshots import Event, Snapshot
from epc.registry.tags import Tag


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


# What today's rules say of what was published under older ones.
_ANEW: Final = ("audited_anew", "intervals_anew")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ages:
    """The expiry policy as params.yaml has it, in days."""

    maximum_age_days: int
    notice_days: int
    confirmation_days: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Extras:
    """Parts that a document may have beside what each has; `catalogue` is the text of the file."""

    catalogue: str = ""
    choices: Choices | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Registry:
    """Evaluators, snapshots, events and the expiry policy; `document` is the published document.

    `catalogue` are models that lists alone know, by their names; a name of `generations` has here
    what lists say of further platforms.
    `listed` is the last day that it knows of, where it is a copy that nobody keeps up to date.
    `choices` say how often ways to decide are right, where judges were compared.
    """

    generations: dict[str, Generation]
    catalogue: dict[str, Generation]
    snapshots: dict[str, Snapshot]
    events: tuple[Event, ...]
    policy: Policy
    document: Json
    by_tag: dict[str, list[Event]]
    served: Served
    names: Names
    listed: date | None = None
    choices: Choices | None = None

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
                    **{name: entry[name] for name in _ANEW if name in entry},
                ),
            )
        ]
        lives = [Generation.parse(record) for record in document["evaluators"]]
        generations = {generation.name: generation for generation in lives}
        listed = [*catalogued(catalogue_lines(extras.catalogue))]
        further = [
            (recorded_generation, recorded_generation.on(life.platform) or life, names_of(g, life))
            for g in listed
            for recorded_generation in [generations.get(g.name, g)]
            for life in g.lives
        ]
        tags = [str(s.tag) for s in sorted(pairs, key=lambda s: s.tag)]
        ages = parse(document["policy"], _Ages)
        events = tuple(parse(line, Event) for line in document["events"])
        by_tag: dict[str, list[Event]] = {}
        for event in events:
            by_tag.setdefault(event.tag, []).append(event)
        return cls(
            generations=generations,
            catalogue={generation.name: generation for generation in listed},
            names=Names(lives, tags, further),
            snapshots={str(s.tag): s for s in sorted(pairs, key=lambda s: s.tag)},
            events=events,
            policy=Policy(
                maximum_age=ages.maximum_age_days,
                notice=ages.notice_days,
                confirmation=ages.confirmation_days,
            ),
            document=document,
            by_tag=by_tag,
            served={(life.platform, life.model): life for g in lives for life in g.lives},
            choices=extras.choices,
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
        """The records of all evaluator generations."""
        return [generation.record for generation in self.generations.values()]

    def life(self, generation: str, platform: str | None) -> ServiceTerm | None:
        """Return the life of a generation on a platform, if it is known."""
        entry = self.generations.get(generation)
        return entry.on(platform) if entry else None

    def lives_named(self, query: str) -> Matches:
        """Return the lives of the model that a name means, on every platform.

        One platform's spelling, or that of a source whose verdicts are published, means the model;
        a name with its platform before it means the model there.
        """
        meaning = self.names.meaning(query)
        if meaning.matches and meaning.says_platform:
            return meaning.matches
        wanted = query.casefold()
        matches = meaning.matches or meaning.elsewhere
        names = dict.fromkeys(generation.name for generation, _ in matches) or dict.fromkeys(
            s.tag.generation for s in self.snapshots.values() if s.model.casefold() == wanted
        )
        generations = {**self.catalogue, **self.generations}
        meant = (generations[name] for name in names if name in generations)
        return [(generation, life) for generation in meant for life in generation.lives]

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

    def expiry(self, names: Sequence[str], as_of: date) -> list[Expiry]:
        """Return the state of everything asked about on a day; of all snapshots if of nothing."""
        if not names:
            return [self.of_tag(tag, as_of) for tag in self.snapshots]
        return [state for name in names for state in self._states_of(name, as_of)]

    def ended_by(self, tag: str, *kinds: str, as_of: date = date.max) -> Event | None:
        """Return the event up to a day that ended a snapshot; of several the kind named first."""
        events = [e for e in self.by_tag.get(tag, ()) if e.event in kinds and e.date <= as_of]
        return min(events, key=lambda event: kinds.index(event.event), default=None)

    def is_said_anew(self, snapshot: Snapshot, as_of: date = date.max) -> bool:
        """Return whether a newer snapshot has the recorded verdicts of this one."""
        is_of_verdicts = KINDS[snapshot.kind].verdict_file
        return is_of_verdicts and bool(self.ended_by(str(snapshot.tag), "superseded", as_of=as_of))

    def of_tag(self, tag: str, as_of: date) -> Expiry:
        """Return the state of one snapshot."""
        snapshot = self.snapshots[tag]
        state = expiry.of_snapshot(
            snapshot,
            life=self.measured_life(snapshot, as_of),
            events=self.by_tag.get(tag, []),
            policy=self.policy,
            as_of=as_of,
        )
        return self._as_listed(state)

    def measured_life(self, snapshot: Snapshot, as_of: date) -> ServiceTerm | None:
        """Return the life of a snapshot's evaluator; of an alias, as it was when measured.

        Where nobody says when that was, it is what the name means on the day that is asked about.
        """
        life = self.life(snapshot.tag.generation, snapshot.platform)
        return self.meant(life, snapshot.last_day or as_of) if life else None

    def of_life(self, name: str, life: ServiceTerm, as_of: date) -> Expiry:
        """Return the state of an evaluator on a platform, under a name."""
        meant = self.meant(life, as_of)
        state = expiry.of_evaluator(name, meant, policy=self.policy, as_of=as_of)
        return self._as_listed(state)

    def every_state(self, as_of: date) -> Iterator[tuple[Generation, Expiry, bool]]:
        """Yield every generation's state on each platform, and whether a catalogue alone has it."""
        for listed, generations in ((False, self.generations), (True, self.catalogue)):
            for generation in generations.values():
                for life in generation.lives:
                    yield generation, self.of_life(life.model, life, as_of), listed

    def is_served(self, name: str, as_of: date) -> bool:
        """Return whether some platform serves the model of a name on a day, as far as is known."""
        return any(self.serving(name, as_of))

    def serving(self, name: str, as_of: date) -> Iterator[tuple[str, Expiry]]:
        """Yield each platform that serves the model of a name on a day, and the state there."""
        for _, life in self.lives_named(name):
            state = self.of_life(name, life, as_of)
            if state.status in ("current", "expiring"):
                yield life.platform, state

    def _as_listed(self, state: Expiry) -> Expiry:
        return expiry.of_list(state, self.listed, self.policy) if self.listed else state

    @property
    def last_day(self) -> date:
        """The last day on which a source was seen or something happened, as recorded here."""
        lives = [life for generation in self.generations.values() for life in generation.lives]
        seen_days = [life.seen for life in lives if life.seen]
        return max([*seen_days, *(event.date for event in self.events)], default=date.min)

    def meant(self, life: ServiceTerm, day: date) -> ServiceTerm:
        """Return the life that a name has on a day: an alias has that of its target.

        A wrapper's ends with the first of its members.
        """
        followed_term = followed(life, day, self.served)
        return with_members(followed_term, day, names=self.names, served=self.served)

    def seal(self, tag: str) -> str | None:
        """Return the digest that a snapshot's event sealed its SHA256SUMS with, if there is one."""
        events = self.by_tag.get(tag, [])
        return next((event.sha256 for event in events if event.event == "published"), None)

    def _states_of(self, name: str, as_of: date) -> Iterator[Expiry]:
        if name in self.snapshots:
            yield self.of_tag(name, as_of)
            return
        meaning = self.names.meaning(name)
        spelt, matches = meaning.spelt, meaning.matches
        if not meaning and platforms.members_of(name):
            yield self.of_life(name, life_of_wrapper(name), as_of)
        elif not matches:
            yield expiry.unknown(name, as_of, self._doubt(name, meaning, as_of))
        elif not (meaning.says_platform or any(_has_makers(g) for g, _ in matches)):
            yield expiry.unknown(name, as_of, _elsewhere(spelt.name, matches))
        through = f"; asked through {' and '.join(spelt.through)}" if spelt.through else ""
        for generation, life in matches:
            state = self.of_life(spelt.name, life, as_of)
            makers_word = self._makers_word(generation, life, spelt.name, as_of)
            yield replace(state, id=name, note=f"{state.note}{makers_word}{through}")

    def _makers_word(
        self, generation: Generation, life: ServiceTerm, name: str, as_of: date
    ) -> str:
        """Return what the maker says of a model that a list alone has on a platform."""
        listed = self.catalogue.get(generation.name)
        at_maker = [
            (generation, candidate)
            for candidate in generation.lives
            if generation.is_makers(candidate)
        ]
        if not listed or not at_maker or generation.is_makers(life):
            return ""
        if not any(life is candidate for candidate in listed.lives):
            return ""
        return f"; {self._platform_states(at_maker, name, as_of)}"

    def _platform_states(self, lives: Matches, name: str, as_of: date) -> str:
        """Return what a model is at some platforms: `at openai it is current`."""
        states = (
            f"at {x.platform} it is {self.of_life(name, x, as_of).status_text}" for _, x in lives
        )
        return ", ".join(states)

    def _doubt(self, name: str, meaning: Meaning, as_of: date) -> str:
        """Say why no day is known of a name: nothing is known of it, or not where it says."""
        if meaning.nameless:
            return "it holds no model's name: ask the platform which model it stands for"
        if not meaning.elsewhere:
            return self.missing(name)
        # Reading R53: another platform's day is no end here, and still what people look for.
        spelt = meaning.spelt
        platform_names, states = (
            " or ".join(spelt.platforms or ()),
            self._platform_states(meaning.elsewhere, spelt.name, as_of),
        )
        return f"through {platform_names}, of which no day of {spelt.name} is known; {states}"

    def missing(self, name: str) -> str:
        """Say that a name is not here, and what it may have been meant for."""
        close = self.names.near(name)
        hint = f"; did you mean {' or '.join(close)}?" if close else ""
        return f"not in this registry{hint}"


def _has_makers(generation: Generation) -> bool:
    """Return whether the maker has a record of a generation, under whichever spelling."""
    return any(generation.is_makers(life) for life in generation.lives)


def _elsewhere(name: str, matches: Sequence[tuple[Generation, ServiceTerm]]) -> str:
    """Say that only others than the maker have a record of a name, and who (Reading R53)."""
    makers = " and ".join(dict.fromkeys(generation.maker for generation, _ in matches))
    served_names = " and ".join(dict.fromkeys(f"{life.platform}/{name}" for _, life in matches))
    return f"{makers}, its maker, has no record of it here; only {served_names}"
