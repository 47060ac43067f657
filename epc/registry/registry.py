"""The registry as one value, there and back: what is published, and what a checkout holds.

Pure: it takes JSON that schemas have admitted, and reads neither file nor clock.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from typing import Final, Self

from epc.errors import UsageError
from epc.registry import expiry
from epc.registry.expiry import Expiry, Policy
from epc.registry.lives import Generation, Json, Life, find
from epc.registry.snapshots import Event, Snapshot, Trust
from epc.registry.tags import Tag

_HINTS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Registry:
    """Evaluators, snapshots, events and the expiry policy; `given` is the published document."""

    generations: dict[str, Generation]
    snapshots: dict[str, Snapshot]
    events: tuple[Event, ...]
    policy: Policy
    given: Json
    by_tag: dict[str, list[Event]]
    replicated: frozenset[str]

    @classmethod
    def of(cls, given: Json) -> Self:
        """Return the registry that a published document describes."""
        pairs = [Snapshot.of(entry["card"], entry["figures"]) for entry in given["snapshots"]]
        lives = [Generation.of(record) for record in given["evaluators"]]
        policy = given["policy"]
        events = tuple(Event.of(line) for line in given["events"])
        by_tag: dict[str, list[Event]] = {}
        for event in events:
            by_tag.setdefault(event.tag, []).append(event)
        gone = {event.tag for event in events if event.name == "withdrawn"}
        standing = [s for s in pairs if str(s.tag) not in gone]
        return cls(
            generations={generation.name: generation for generation in lives},
            snapshots={str(s.tag): s for s in sorted(pairs, key=lambda s: s.tag)},
            events=events,
            policy=Policy(maximum_age=policy["maximum_age_days"], notice=policy["notice_days"]),
            given=given,
            by_tag=by_tag,
            replicated=frozenset(
                s.card["replicates"] for s in standing if s.card["replicates"] is not None
            ),
        )

    def snapshot(self, tag: str) -> Snapshot:
        """Return a snapshot.

        Raises: MalformedError if that is no tag; UsageError if there is none of that tag.
        """
        found = self.snapshots.get(str(Tag.parse(tag)))
        if found is None:
            raise UsageError(f"there is no snapshot {tag}\n  fix: see `epc snapshot list`")
        return found

    def life(self, generation: str, platform: str | None) -> Life | None:
        """Return the life of a generation on a platform, if it is known."""
        known = self.generations.get(generation)
        return known.on(platform) if known else None

    def expiry(self, asked: Sequence[str], as_of: date) -> list[Expiry]:
        """Return the state of everything asked about on a day; of all snapshots if of nothing."""
        if not asked:
            return [self.of_tag(tag, as_of) for tag in self.snapshots]
        return [state for name in asked for state in self._asked(name, as_of)]

    def of_tag(self, tag: str, as_of: date) -> Expiry:
        """Return the state of one snapshot."""
        snapshot = self.snapshots[tag]
        return expiry.of_snapshot(
            snapshot,
            generation=self.generations.get(snapshot.tag.generation),
            events=self.by_tag.get(tag, []),
            policy=self.policy,
            as_of=as_of,
        )

    def trust(self, tag: str) -> Trust:
        """Return a snapshot's step of trust: another's replication of it counts for both."""
        return "replicated" if tag in self.replicated else self.snapshots[tag].trust

    def _asked(self, name: str, as_of: date) -> Iterator[Expiry]:
        if name in self.snapshots:
            yield self.of_tag(name, as_of)
            return
        found = list(find(name, self.generations.values()))
        for _, life in found:
            yield expiry.of_evaluator(name, life, policy=self.policy, as_of=as_of)
        if not found:
            yield expiry.unknown(name, as_of, self.missing(name))

    def missing(self, name: str) -> str:
        """Say that a name is not here, and what it may have been meant for.

        That is what it begins, then what is spelt alike.
        """
        lives = [life for generation in self.generations.values() for life in generation.lives]
        served = [spelling for life in lives for spelling in (life.model, *life.aliases)]
        named = dict.fromkeys([*self.snapshots, *self.generations, *served])
        begun = [full for full in named if name and full.startswith(name)]
        close = list(dict.fromkeys([*begun, *get_close_matches(name, named, n=_HINTS)]))[:_HINTS]
        hint = f"; did you mean {' or '.join(close)}?" if close else ""
        return f"not in this registry{hint}"
