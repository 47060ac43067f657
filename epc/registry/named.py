"""What a name means: which lives of which generations.

What stands round a name is taken off by `epc.records.model_names`, a part at a time, until what is
left is known: first as somebody spells it, then whatever stands between its parts.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from epc.records.model_names import Spelt, is_nameless, key, routes, shorter
from epc.registry.lifecycles import Generation, Life

Matches = Sequence[tuple[Generation, Life]]
_HINTS: Final = 3
_ALIKE: Final = 0.6  # of the letters and pairs of letters of both, how many they have in common


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """What a name means: `matches`, on the platforms that it says, or through its gateways.

    `elsewhere` are the lives of a model of which the platforms that it says have no record.
    """

    spelt: Spelt
    matches: Matches = ()
    elsewhere: Matches = ()
    nameless: bool = False

    @property
    def says_platform(self) -> bool:
        """Whether the name says on which platform the model is asked, and not through whom."""
        return self.spelt.said and not self.spelt.through

    def __bool__(self) -> bool:
        """Whether anything is known of it."""
        return bool(self.matches or self.elsewhere or self.nameless)


class Names:
    """Every name that a registry knows, and what each means."""

    def __init__(
        self,
        generations: Iterable[Generation],
        tags: Iterable[str],
        catalogue: Iterable[tuple[Generation, Life, Sequence[str]]] = (),
    ) -> None:
        self._spelled: dict[str, list[tuple[Generation, Life]]] = {}
        self._alike: dict[str, list[tuple[Generation, Life]]] = {}
        records = [(g, life, names_of(g, life)) for g in generations for life in g.lives]
        further = list(catalogue)
        for generation, life, names in (*records, *further):
            for name in dict.fromkeys(map(str.casefold, names)):
                lives = self._spelled.setdefault(name, [])
                if all(life is not known for _, known in lives):  # a list repeats what is known
                    lives.append((generation, life))
        for name, lives in self._spelled.items():
            self._alike.setdefault(key(name), []).extend(lives)
        self._recorded = {name.casefold() for _, _, names in records for name in names}
        self.words = routes(life.platform for _, life, _ in (*records, *further))
        served = [name for _, _, names in records for name in names[1:]]
        own = dict.fromkeys([*tags, *(g.name for g, _, _ in records), *served])
        lists = {name for _, _, names in further for name in names} - own.keys()
        self.listed = (*own, *sorted(lists))

    def exactly(self, name: str) -> Matches:
        """Return the lives of a name that somebody spells so; case does not count."""
        return self._spelled.get(name.casefold(), ())

    def spelled(self) -> Iterator[tuple[str, Matches]]:
        """Yield each name of a record in small letters, with the lives that are spelt so.

        Those that a catalogue alone has are answered when they are asked about, and not looked for.
        """
        yield from ((n, lives) for n, lives in self._spelled.items() if n in self._recorded)

    def is_alike(self, name: str) -> bool:
        """Whether a name is spelt as a known one, but for what stands between its parts."""
        return key(name) in self._alike

    def meaning(self, text: str) -> Meaning:
        """Return what a name means, however it is written."""
        elsewhere: Meaning | None = None
        for spelt in shorter(text, self.words):
            if is_nameless(spelt.name):
                return Meaning(spelt=spelt, nameless=True)
            alike = self._alike.get(key(spelt.name), ())
            for known in filter(None, (self.exactly(spelt.name), alike)):
                if matches := _there(known, spelt):
                    return Meaning(spelt=spelt, matches=matches)
                if not elsewhere:
                    elsewhere = Meaning(spelt=spelt, elsewhere=makers_of(known))
        return elsewhere or Meaning(spelt=spelt)

    def shortest(self, text: str) -> str:
        """Return the model's bare name: no platform, region, address or variant around it."""
        *_, spelt = shorter(text, self.words)
        return spelt.name

    def near(self, text: str) -> list[str]:
        """Return the names that one was probably meant to be: that it begins, then those alike."""
        name = self.shortest(text)
        begins, grams = name.lower(), _grams(name)
        begun = [name for name in self.listed if begins and name.lower().startswith(begins)]
        if len(begun) >= _HINTS or not grams:
            return begun[:_HINTS]
        alike = sorted(
            (-likeness, place)
            for place, other in enumerate(self._grams)
            if (likeness := 2 * len(grams & other) / (len(grams) + len(other))) >= _ALIKE
        )
        return list(dict.fromkeys([*begun, *(self.listed[at] for _, at in alike)]))[:_HINTS]

    @cached_property
    def _grams(self) -> list[frozenset[str]]:
        return [_grams(name) for name in self.listed]


def _grams(name: str) -> frozenset[str]:
    """Return the letters and digits of a name, and each two that follow one another."""
    plain = "".join(char for char in name.lower() if char.isalnum())
    return frozenset([*plain, *(plain[at : at + 2] for at in range(len(plain) - 1))])


def _there(known: Matches, spelt: Spelt) -> Matches:
    """Return the lives that a name means where it says; a gateway's are those of the makers."""
    platforms = spelt.platforms
    here = [(g, life) for g, life in known if platforms is None or life.platform in platforms]
    if platforms is None:  # what lists say of further platforms is for who names one of them
        here = [(g, life) for g, life in here if any(life is own for own in g.lives)] or here
    return makers_of(here or known) if spelt.through else here


def makers_of(known: Matches) -> Matches:
    """Return the lives that generations have at their makers, or else those that are given."""
    generations = {generation.name: generation for generation, _ in known}
    own = [(g, life) for g in generations.values() for life in g.lives if g.is_makers(life)]
    return own or known


def names_of(generation: Generation, life: Life) -> tuple[str, ...]:
    """Return a life's names: the generation's first."""
    return (generation.name, life.model, *life.aliases)


def spellings(generation: Generation, life: Life) -> frozenset[str]:
    """Return a life's names in lower case."""
    return frozenset(map(str.casefold, names_of(generation, life)))


def spellings_of(query: str, matches: Matches) -> frozenset[str]:
    """Return every spelling of a name and of the lives that it means, in lower case."""
    return frozenset({query.casefold()}).union(*(spellings(g, life) for g, life in matches))
