"""The domains of a design, and what follows from their names: pairs, phases, streams (EPC-2.1).

Reading R78: a design names its domains, two or more. What is of one domain is keyed by its name;
what crosses from one to another by the pair of them, such as `text_to_visual`.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from itertools import permutations
from typing import Final, Self

from msgspec import Struct

Domain = str
PhaseName = str
Direction = str  # the key of a pair

# A name has no word `to` and does not end in `_start`: every phase's name says what it is of.
NAME: Final = re.compile(r"(?!(.*_)?to(_|$))(?!.*_start$)[a-z0-9_-]{1,32}")
SHAPE: Final = "1 to 32 of a-z, 0-9, _ and -, without the word `to` and without `_start` at its end"
MOST: Final = 16  # of a design: what follows from them grows with their square
PAIRED: Final = 2  # domains of the reference design, whose streams come first


class Phase(Struct, frozen=True, kw_only=True):
    """An isolated stretch of training (EPC-2.1).

    `start` names the phase whose final weights this one begins from; None is the uniform start.
    `stream` is the index of the phase's own random stream (Reading R2).
    """

    name: PhaseName
    domain: Domain
    start: PhaseName | None
    stream: int


class Pair(Struct, frozen=True, order=True):
    """Two domains in an order: training in the first, then in the second."""

    source: Domain
    target: Domain

    @classmethod
    def parse(cls, key: Direction) -> Self:
        """Return the pair of a key."""
        source, _, target = key.partition("_to_")
        return cls(source, target)

    @classmethod
    def is_key(cls, key: str) -> bool:
        """Return whether a name is the key of a pair."""
        pair = cls.parse(key)
        return bool(NAME.fullmatch(pair.source) and NAME.fullmatch(pair.target))

    @property
    def key(self) -> Direction:
        """The name of the pair in every record."""
        return f"{self.source}_to_{self.target}"

    @property
    def domains(self) -> "tuple[Domain, Domain]":
        """The two domains in the order of the alphabet: the same for there and back."""
        return min(self.source, self.target), max(self.source, self.target)

    @property
    def title(self) -> str:
        """The pair in words."""
        return f"{self.source} to {self.target}"


class Domains(Struct, frozen=True, dict=True):
    """The names of a design's domains, in the order of the alphabet: no file's order matters."""

    names: tuple[Domain, ...]

    @classmethod
    def from_names(cls, names: Iterable[Domain]) -> "Domains":
        """Return the domains with these names; the same value for the same names."""
        return _named(tuple(sorted(set(names))))

    @classmethod
    def among(cls, phases: Iterable[PhaseName]) -> "Domains":
        """Return the domains of a record that names phases only: those of the pure phases."""
        return cls.from_names(name for name in phases if NAME.fullmatch(name))

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """Every ordered pair."""
        return tuple(Pair(*names) for names in permutations(self.names, 2))

    @cached_property
    def directions(self) -> tuple[Direction, ...]:
        """The key of every ordered pair."""
        return tuple(pair.key for pair in self.pairs)

    @cached_property
    def every_phase(self) -> tuple[Phase, ...]:
        """The protocol's phases and those of the measured control, in the order of the streams.

        The first two domains have the streams of the reference design. Each further domain takes
        the next ones: its own phase, its pairs with the domains before it, and its control.

        Source: EPC-2.1; Readings R1, R2, R15 and R78.
        """
        phases: list[Phase] = []

        def add(name: str, domain: Domain, start: PhaseName | None) -> None:
            phases.append(Phase(name=name, domain=domain, start=start, stream=len(phases)))

        steps = [self.names[:PAIRED], *((name,) for name in self.names[PAIRED:])]
        placed: set[Domain] = set()
        for new in steps:
            placed.update(new)
            for name in new:
                add(name, name, None)
            for pair in self.pairs:
                if {pair.source, pair.target} <= placed and {pair.source, pair.target} & set(new):
                    add(pair.key, pair.target, pair.source)
            for name in new:
                add(f"{name}_to_{name}", name, f"{name}_start")
            for name in new:
                add(f"{name}_start", name, None)
        return tuple(phases)

    @cached_property
    def phases(self) -> tuple[Phase, ...]:
        """The protocol's phases: each domain by itself, and each pair."""
        phase_names = {*self.names, *self.directions}
        return tuple(phase for phase in self.every_phase if phase.name in phase_names)

    @cached_property
    def phase_names(self) -> tuple[PhaseName, ...]:
        """The names of the protocol's phases, in the order of the streams."""
        return tuple(phase.name for phase in self.phases)

    @cached_property
    def phase(self) -> Mapping[PhaseName, Phase]:
        """Every phase by its name."""
        return {phase.name: phase for phase in self.every_phase}

    @cached_property
    def target(self) -> Mapping[Direction, Domain]:
        """The domain in which each pair trains then, whose pure phase it is held against.

        Source: EPC-2.5 eq. (1).
        """
        return {pair.key: pair.target for pair in self.pairs}

    @cached_property
    def control(self) -> Mapping[Direction, PhaseName]:
        """The measured phase that each pair is held against: its target twice (Reading R15)."""
        return {pair.key: f"{pair.target}_to_{pair.target}" for pair in self.pairs}


def pair_title(direction: Direction) -> str:
    """Return the key of a pair in words."""
    return Pair.parse(direction).title


@lru_cache(maxsize=256)
def _named(names: tuple[Domain, ...]) -> Domains:
    return Domains(names)
