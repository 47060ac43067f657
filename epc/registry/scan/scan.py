"""Names in a project's files, and what is said of them."""

import re
from bisect import bisect_right
from collections.abc import Container, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final, Self

from msgspec import to_builtins

from epc.analysis.agreement import ReplacementJudge
from epc.protocol.results import Json
from epc.records.typed import as_json
from epc.registry.expiry import Expiry
from epc.registry.names import Meaning, Names
from epc.registry.registry import Registry
from epc.registry.scan.files import Rule

IGNORED: Final = "epc: ignore"  # on a line: its names are none of the scan's
_WORD: Final = re.compile(r"""[^\s\ufeff,;"'`={}[\]()<>#|~!\\]+""")
_ESCAPE: Final = re.compile(r"\\[nrt]")
_MARK: Final = re.compile(r"[-0-9/]")  # at least one of which every name has that is no plain word
# Characters of a word, and its colons, behind which names are looked for: what has more is data.
_LONGEST: Final = 300
_COLONS: Final = 12
_HEAD: Final = re.compile(r"[a-z]+(?:-[a-z]+)*(?=[-@][^-@]*[0-9])")
_WORDS: Final = re.compile(r"[a-z]+(?:-[a-z]+)*", re.IGNORECASE | re.ASCII)
_NUMBERED: Final = re.compile(r"[a-z]+-.*[0-9]", re.IGNORECASE | re.ASCII)
_JOINED: Final = re.compile(r"([a-z]+)[0-9]+(?:\.[0-9]+)?-[a-z]", re.IGNORECASE | re.ASCII)
_NO_NAME: Final = re.compile(r"\.[a-z]+\Z|[*$%]", re.IGNORECASE | re.ASCII)  # a file, a pattern
_PATH: Final = re.compile(r"[a-z0-9][\w.-]*(?:/[\w.@-]+)+", re.IGNORECASE | re.ASCII)
_SPACED: Final = re.compile(r"(?: [A-Za-z0-9.]+){1,5}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A name and where it begins; line and column count from 1, the column in characters."""

    name: str
    line: int
    column: int


class Vocabulary:
    """Names that the registry knows: models, snapshots, and how models' names begin.

    `_firsts` are words with which names of several words begin. `_nameless` are words that were
    found to hold no name.
    """

    def __init__(self, names: Names, tags: Container[str]) -> None:
        self._names, self._tags = names, tags
        last = [name.rpartition("/")[2] for name, _ in names.spelled()]
        begun = [match[0] for name in last if (match := _HEAD.match(name))]
        joined = [match[1] for name in last if (match := _JOINED.match(name))]
        self._heads, self._joined = frozenset(begun), frozenset(joined)
        self._firsts = frozenset(name.partition("-")[0] for name in last if "-" in name)
        self._nameless: set[str] = set()

    @classmethod
    def from_registry(cls, registry: Registry) -> Self:
        """Return what a registry knows."""
        return cls(registry.names, registry.snapshots)

    def mentions(self, text: str) -> Iterator[Mention]:
        """Yield the names in a file's text, in their order."""
        unescaped = _ESCAPE.sub("  ", text) if "\\" in text else text
        # Nearly all words hold no name, and nearly all files have the same ones.
        new = set(_WORD.findall(unescaped)) - self._nameless
        named = {word: hit for word in new if (hit := self._named(word))}
        if not named:
            return
        starts = [0, *(match.end() for match in re.finditer("\n", text))]
        ignored = {bisect_right(starts, m.start()) for m in re.finditer(re.escape(IGNORED), text)}
        end = 0
        for match in _WORD.finditer(unescaped):
            hit = named.get(match[0]) if match.start() >= end else None
            if hit and hit[0] == 0:
                hit = self._spaced(unescaped, match) or (hit if _MARK.search(hit[1]) else None)
            if hit:
                start = match.start() + hit[0]
                end, line = start + len(hit[1]), bisect_right(starts, start)
                if line not in ignored:
                    yield Mention(name=hit[1], line=line, column=start - starts[line - 1] + 1)

    def _named(self, word: str) -> tuple[int, str] | None:
        """Return the name in a word and where it begins: the whole, or what stands after a colon.

        What is known counts before what is likely. A word that may be the first of a name's has
        itself, in small letters.
        """
        if word.lower() in self._firsts and not _MARK.search(word):
            return 0, word.lower()
        is_data = len(word) > _LONGEST or word.count(":") > _COLONS
        parts = () if is_data or not _MARK.search(word) else _parts(word)
        meant = [(start, name, self._names.meaning(name)) for start, name in parts]
        for is_name in (self._is_known, self._is_likely):
            for start, name, meaning in meant:
                if is_name(name, meaning):
                    return start, name
        self._nameless.add(word)
        return None

    def _spaced(self, text: str, first: re.Match[str]) -> tuple[int, str] | None:
        """Return the longest name of several words that begins with one, if there is any."""
        match = _SPACED.match(text, first.end())
        phrase = (first[0] + match[0]).rstrip(".") if match else ""
        while " " in phrase:
            if _MARK.search(phrase) and self._names.is_alike(phrase):
                return 0, phrase
            phrase = phrase.rpartition(" ")[0].rstrip(".")
        return None

    def is_known(self, name: str) -> bool:
        """Return whether a name means a model or a snapshot here."""
        return self._is_known(name, self._names.meaning(name))

    def _is_known(self, name: str, meaning: Meaning) -> bool:
        if name in self._tags:
            return True
        says = meaning.spelt.platforms or meaning.spelt.through or _MARK.search(meaning.spelt.name)
        return bool(meaning and says)

    def _is_likely(self, _: str, meaning: Meaning) -> bool:
        """Return whether a name looks like a model's: a route to one, or a number in a family."""
        path, slash, last = meaning.spelt.name.rpartition("/")
        if slash and not _PATH.fullmatch(path + slash + last):
            return False
        if slash and _MARK.search(last) and self._names.is_alike(last):
            return True
        if _NO_NAME.search(last):
            return False
        if (joined := _JOINED.match(last)) and joined[1].lower() in self._joined:
            return True
        numbered, letters = _NUMBERED.match(last), _WORDS.match(last)
        if not numbered or not letters:
            return False
        parts = letters[0].lower().split("-")
        return any("-".join(parts[:count]) in self._heads for count in range(1, len(parts) + 1))


def _parts(word: str) -> Iterator[tuple[int, str]]:
    for begins in [0, *(match.end() for match in re.finditer(":", word))]:
        part = word[begins:].lstrip(":.")
        clean = part.rstrip(":.")
        if _MARK.search(clean):
            yield len(word) - len(part), clean


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Place of a name, as `path:line:column`."""

    path: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanEntry:
    """A name, what the registry answers about it, and where it stands.

    `broken` are the rules that it breaks, `invalidates` the published measurements that its end
    ends too, `replacements` what its platforms name instead, `instead` the judge to turn to.
    """

    name: str
    states: tuple[Expiry, ...]
    replacements: tuple[str, ...]
    invalidates: tuple[str, ...]
    broken: tuple[str, ...]
    places: tuple[Place, ...]
    instead: ReplacementJudge | None = None

    def as_json(self) -> Json:
        """Return the name with all that is known, as plain JSON."""
        return {
            "name": self.name,
            "fails": list(self.broken),
            "states": [state.as_json() for state in self.states],
            "replacements": list(self.replacements),
            **({"instead": as_json(self.instead)} if self.instead else {}),
            "invalidates": list(self.invalidates),
            "places": to_builtins(self.places),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """Names in a project on a day, those that fail first.

    `skipped` counts the files that are not read, by the reason, `kinds` those of kinds that no
    program reads, by their endings.
    """

    as_of: date
    rules: tuple[Rule, ...]
    files: int
    skipped: dict[str, int]
    kinds: dict[str, int]
    named: tuple[ScanEntry, ...]

    @property
    def failing(self) -> tuple[ScanEntry, ...]:
        """The names that break a rule."""
        return tuple(entry for entry in self.named if entry.broken)

    def as_json(self) -> Json:
        """Return the whole as plain JSON."""
        return {
            "as_of": self.as_of.isoformat(),
            "fail_on": [str(rule) for rule in self.rules],
            "files": self.files,
            "skipped": self.skipped,
            "other_kinds": self.kinds,
            "names": [entry.as_json() for entry in self.named],
        }
