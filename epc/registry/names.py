"""Meaning of a name: which models on which platforms, and when two names look alike.

What stands round a name is taken off by `epc.records.model_names`, a part at a time, until what is
left is known: first as somebody spells it, then whatever stands between its parts.

Pure. Compared are *skeletons*: letters and digits in one case, without accents, spaces and
punctuation. Two names of one skeleton may still be two honest ones; whoever needs them apart
writes them apart. Letters beyond ASCII are compared as they are: a maintainer looks at these.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import Final

from epc.printable import is_ignorable
from epc.records.model_names import Spelling, is_nameless, key, routes, shorter
from epc.registry.families import Models, newest
from epc.registry.lifecycles import OPEN_WEIGHTS, Generation, Pointer, Route, ServiceTerm

# What Latin letters and digits are drawn alike in most fonts, after folding their case.
_DRAWN_ALIKE: Final = str.maketrans({"0": "o", "1": "l", "i": "l", "m": "rn"})


def skeleton(name: str) -> str:
    """Return what names have in common that a reader cannot tell apart."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    characters = (char for char in plain if char.isalnum() and not is_ignorable(char))
    return "".join(characters).translate(_DRAWN_ALIKE)


def is_same(first: str, second: str) -> bool:
    """Return whether a reader may take two names for one; names without letter or digit are one."""
    return skeleton(first) == skeleton(second)


def is_one_contributor(first: tuple[str, str | None], second: tuple[str, str | None]) -> bool:
    """Return whether two contributors, each a name and a GitHub login if known, may be one.

    Case does not count in a login. Cards of before logins were kept have names alone.
    """
    logins = [login.casefold() for _, login in (first, second) if login is not None]
    return is_same(first[0], second[0]) or (len(logins) > 1 and logins[0] == logins[1])


Served = Mapping[tuple[str, str], ServiceTerm]  # by platform and model


def followed(life: ServiceTerm, day: date, served: Served) -> ServiceTerm:
    """Return the life that a name has on a day: an alias has that of its target.

    A date that the platform states of the alias itself goes before the target's. A later move to
    another target is a day on which the name is given to another model. A family has the life of
    one of its models. What is neither is returned as it is.
    """
    if life.versions:
        return _of_family(life, day, served)
    begun = [p for p in life.points_to if p.since is None or p.since <= day]
    # Reading R54: what moves later ends what was measured on this day, and not the alias.
    later_routes = [
        (p.since, Route(date=p.since, to=p.to, source=p.source, seen=p.seen))
        for p in life.points_to
        if p.since and p.since > day
    ]
    if not life.points_to:
        return life
    moves = later_routes[0][0] if later_routes else None
    if not begun:
        doubt = f"no source states what {life.model} pointed to on this day"
        return replace(life, moves=moves, doubt=doubt)
    means = begun[-1]
    target = served.get((life.platform, means.to))
    base = life if life.retires or target is None else target
    doubt = f"{life.platform} has no record of {means.to} here, to which {life.model} points"
    return replace(
        base,
        routes=(
            *life.routes,
            *(target.routes if target else ()),
            *(route for _, route in later_routes),
        ),
        means=means,
        moves=moves,
        doubt="" if target or life.retires else doubt,
        earlier=_earlier(life, begun_before=len(begun) - 1, served=served),
    )


def _of_family(life: ServiceTerm, day: date, served: Served) -> ServiceTerm:
    """Return the life of the model that a family's name means on a day."""
    members = [served[life.platform, name] for name in life.versions]
    member = newest(members, day)
    means = Pointer(to=member.model, since=None, source=member.source, seen=member.seen)
    earlier = sum(other.revision for other in members) - member.revision
    return replace(member, versions=life.versions, means=means, earlier=earlier)


def _earlier(life: ServiceTerm, *, begun_before: int, served: Served) -> int:
    """Return how many changes were recorded of an alias's targets before its present one.

    Each move counts once, and what was said of a target's end stays counted after the move.
    """
    past = life.points_to[:begun_before]
    targets = [served.get((life.platform, pointer.to)) for pointer in past]
    return len(past) + sum(target.revision for target in targets if target)


def in_words_of_alias(
    name: str, means: Pointer, *, ended: bool, until: date | None, versions: int = 0
) -> str:
    """Return what a name means: `gpt-4o means gpt-4o-2024-08-06 (since 2024-10-02)`.

    `versions` is how many models a family has.
    """
    verb = "meant" if ended else "means"
    if versions:
        members = (
            f"all {versions} versions ended" if ended else f"the newest of {versions} versions"
        )
        return f"{name} {verb} {means.to} ({'its only version' if versions == 1 else members})"
    since = f"since {means.since}" if means.since else "since a day that no source states"
    until_when = f", until {until}" if until else ""
    return f"{name} {verb} {means.to} ({since}{until_when})"


Matches = Sequence[tuple[Generation, ServiceTerm]]
_TAG: Final = re.compile(r"v[0-9]+\.[0-9]+-")
_HINTS: Final = 3
_ALIKE: Final = 0.6  # of the letters and pairs of letters of both, how many they have in common


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """Meaning of a name: `matches`, on the platforms that it says, or through its gateways.

    `elsewhere` are the lives of a model of which the platforms that it says have no record.
    """

    spelt: Spelling
    matches: Matches = ()
    elsewhere: Matches = ()
    nameless: bool = False

    def __bool__(self) -> bool:
        """Return whether anything is known of it."""
        return bool(self.matches or self.elsewhere or self.nameless)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Hint:
    """Name that may be meant; `bits` are its letters and pairs of letters, `size` their number."""

    name: str
    key: str
    letters: str
    bits: int
    size: int


class Names:
    """Every name that a registry knows, and what each means."""

    def __init__(
        self,
        models: Models,
        tags: Iterable[str],
        further: Iterable[tuple[Generation, ServiceTerm, tuple[str, ...]]] = (),
    ) -> None:
        """Take in models, tags, and the further names that lists have of lives."""
        self.further = tuple(further)
        self._spelled: dict[str, list[tuple[Generation, ServiceTerm]]] = {}
        self._alike: dict[str, list[tuple[Generation, ServiceTerm]]] = {}
        generations = (*models.recorded.values(), *models.listed.values())
        all_names = [(g, life, names_of(g, life)) for g in generations for life in g.lives]
        all_names += self.further
        for generation, life, names in all_names:
            for name in dict.fromkeys(map(str.casefold, names)):
                lives = self._spelled.setdefault(name, [])
                if all(
                    life is not recorded_life for _, recorded_life in lives
                ):  # a list repeats what is known
                    lives.append((generation, life))
        for name, lives in self._spelled.items():
            self._alike.setdefault(key(name), []).extend(lives)
        records = [
            (g, life) for g in models.recorded.values() for life in g.lives if not life.is_listed
        ]
        by_list = [(g, life) for g in generations for life in g.lives if life.is_listed]
        self._recorded = {name.casefold() for g, life in records for name in names_of(g, life)}
        self.words = routes(life.platform for _, life, _ in all_names)
        served = [name for _, life in records for name in (life.model, *life.aliases)]
        plain = [plain_of(generation) for generation in models.recorded.values()]
        self.recorded = frozenset((*plain, *served))
        listed = [name for _, life in by_list for name in (life.model, *life.aliases)]
        listed += [name for _, _, names in self.further for name in names]
        lists = {*models.listed, *listed} - self.recorded
        self.tags = (*tags,)
        spelled: dict[str, str] = {}
        for name in (*_shortest_first(self.recorded), *_shortest_first(lists)):
            spelled.setdefault(name.casefold(), name)
        self.listed = tuple(spelled.values())
        self._near: dict[str, list[str]] = {}
        self._grams: dict[str, int] = {}

    def exactly(self, name: str) -> Matches:
        """Return the lives of the models that somebody spells exactly so; case does not count."""
        return self._spelled.get(name.casefold(), ())

    def spelled(self) -> Iterator[tuple[str, Matches]]:
        """Yield each name of a record in small letters, with the lives of that spelling.

        Those that a catalogue alone has are answered when they are asked about, and not looked for.
        """
        yield from ((n, lives) for n, lives in self._spelled.items() if n in self._recorded)

    def spellings(self) -> Iterator[str]:
        """Yield each name of a record or a list once, in small letters."""
        yield from self._spelled

    def is_alike(self, name: str) -> bool:
        """Return whether a name is spelt as a known one, but for what stands between its parts."""
        return key(name) in self._alike

    def meaning(self, text: str) -> Meaning:
        """Return what a name means, however it is written."""
        elsewhere: Meaning | None = None
        for spelt in shorter(text, self.words):
            if is_nameless(spelt.name):
                return Meaning(spelt=spelt, nameless=True)
            meaning = self.meaning_of(spelt.name, spelt)
            if meaning.matches:
                return meaning
            elsewhere = elsewhere or (meaning or None)
        return elsewhere or Meaning(spelt=spelt)

    def meaning_of(self, name: str, spelt: Spelling) -> Meaning:
        """Return what a name means with nothing round it; `spelt` says where."""
        known = [*filter(None, (self.exactly(name), self.candidates(name)))]
        for candidates in known:
            if matches := _on_platforms(candidates, spelt):
                return Meaning(spelt=spelt, matches=matches)
        return Meaning(spelt=spelt, elsewhere=makers_of(known[0]) if known else ())

    def candidates(self, name: str) -> Matches:
        """Return the lives that a name may mean, but for what stands between its parts."""
        return self._alike.get(key(name), ())

    def shortest(self, text: str) -> str:
        """Return the model's bare name: no platform, region, address or variant around it."""
        *_, spelt = shorter(text, self.words)
        return spelt.name

    def near(self, text: str) -> list[str]:
        """Return up to three names that may be meant, the likeliest first.

        Those come first that begin so, then those that have all its words, then those alike.
        """
        name = self.shortest(text)
        if name not in self._near:
            self._near[name] = self._nearest(name)
        return self._near[name]

    def _nearest(self, name: str) -> list[str]:
        letters, words = _letters(name), [*filter(None, re.split("[-/]", key(name)))]
        if not letters:
            return []
        known = self._tags if _TAG.match(name) else self._hints  # a snapshot is no name of a model
        begun = [hint for hint in known if hint.letters.startswith(letters)]
        begun.sort(key=lambda hint: (hint.key != key(name), hint.letters != letters))
        with_words = [hint for hint in known if all(word in hint.key for word in words)]
        likely = [*begun, *self._by_likeness(letters, with_words, least=0.0)]
        if len({hint.letters for hint in likely}) < _HINTS:
            likely += self._by_likeness(letters, known, least=_ALIKE)
        names: dict[str, str] = {}
        for hint in likely:
            names.setdefault(hint.letters, hint.name)
        return [*names.values()][:_HINTS]

    def _by_likeness(self, letters: str, known: Iterable[_Hint], *, least: float) -> list[_Hint]:
        """Return the names that are alike enough, the most alike first."""
        grams = _grams(letters)
        bits = self._bits_of(grams)
        alike = [
            (2 * (hint.bits & bits).bit_count() / (hint.size + len(grams)), hint) for hint in known
        ]
        alike = [pair for pair in alike if pair[0] >= least]
        return [hint for _, hint in sorted(alike, key=lambda pair: -pair[0])]

    def _bits_of(self, grams: Iterable[str]) -> int:
        """Return letters and pairs of letters as bits, each with the place of its first use."""
        places = (self._grams.setdefault(gram, len(self._grams)) for gram in grams)
        return sum(1 << place for place in places)

    @cached_property
    def _hints(self) -> list[_Hint]:
        return [self._hint(name) for name in self.listed]

    @cached_property
    def _tags(self) -> list[_Hint]:
        return [self._hint(tag) for tag in self.tags]

    def _hint(self, name: str) -> _Hint:
        letters = _letters(name)
        grams = _grams(letters)
        bits = self._bits_of(grams)
        return _Hint(name=name, key=key(name), letters=letters, bits=bits, size=len(grams))


def _shortest_first(names: Iterable[str]) -> list[str]:
    return sorted(names, key=lambda name: (len(name), name))


def _letters(name: str) -> str:
    """Return the letters and digits of a name, in small letters."""
    return "".join(char for char in name.lower() if char.isalnum())


def _grams(letters: str) -> frozenset[str]:
    """Return each letter, and each two that follow one another."""
    pairs = (letters[start : start + 2] for start in range(len(letters) - 1))
    return frozenset([*letters, *pairs])


def _on_platforms(candidates: Matches, spelt: Spelling) -> Matches:
    """Return the lives on the platforms that a spelling names; for a gateway, the makers' own."""
    platforms = spelt.platforms
    matches = [
        (g, life) for g, life in candidates if platforms is None or life.platform in platforms
    ]
    return makers_of(matches or candidates) if spelt.through else matches


def makers_of(matches: Matches) -> Matches:
    """Return the lives that generations have at their makers, or else the matches themselves."""
    generations = {generation.name: generation for generation, _ in matches}
    at_makers = [(g, life) for g in generations.values() for life in g.lives if g.is_makers(life)]
    return at_makers or matches


def plain_of(generation: Generation) -> str:
    """Return the name to print for a model: its maker's own id, never an internal one.

    A model that its maker serves nowhere, as far as is recorded, has the name of its record: other
    platforms and lists spell it in many ways.
    """
    served = (life for life in generation.lives if life.platform != OPEN_WEIGHTS)
    makers = (life.model for life in served if generation.is_makers(life) and not life.is_listed)
    return next(makers, generation.name)


def names_of(generation: Generation, life: ServiceTerm) -> tuple[str, ...]:
    """Return a life's names: the generation's first."""
    return (generation.name, life.model, *life.aliases)


def spellings(generation: Generation, life: ServiceTerm) -> frozenset[str]:
    """Return a life's names in lower case."""
    return frozenset(map(str.casefold, names_of(generation, life)))


def spellings_of(query: str, matches: Matches) -> frozenset[str]:
    """Return every spelling of a name and of the lives that it means, in lower case."""
    return frozenset({query.casefold()}).union(*(spellings(g, life) for g, life in matches))
