"""Which models a file names: what the front page's box reads in a pasted file (`judge.js`).

Pure. A name is a word that the registry knows, or one that begins like a known model and has a
number. Escapes of strings in strings, as in notebooks, end a word as quotation marks do.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Self

from epc.registry.lifecycles import spellings
from epc.registry.registry import Registry

IGNORED: Final = "epc: ignore"  # on a line: its names are none of the scan's
_WORD: Final = re.compile(r"""[^\s\ufeff,;"'`={}[\]()<>#|~!\\]+""")
_ESCAPE: Final = re.compile(r"\\[nrt]")
_MARK: Final = re.compile(r"[-0-9/]")  # at least one of which every name has that is no plain word
_LONGEST: Final = 1_000  # characters of a word: what is longer is data
_HEAD: Final = re.compile(r"[a-z]+(?:-[a-z]+)*(?=[-@][^-@]*[0-9])")
_WORDS: Final = re.compile(r"[a-z]+(?:-[a-z]+)*", re.IGNORECASE | re.ASCII)
_NUMBERED: Final = re.compile(r"[a-z]+-.*[0-9]", re.IGNORECASE | re.ASCII)
_FILE: Final = re.compile(r"\.[a-z]+\Z", re.IGNORECASE | re.ASCII)
_PATH: Final = re.compile(r"[a-z0-9][\w.-]*(?:/[\w.@-]+)+", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A name and where it begins; line and column count from 1, the column in characters."""

    name: str
    line: int
    column: int


@dataclass(slots=True, kw_only=True)
class Vocabulary:
    """What the registry knows by name: models in lower case, snapshots, and how models begin.

    `_nameless` are words that were found to hold no name.
    """

    models: frozenset[str]
    tags: frozenset[str]
    heads: frozenset[str]
    _nameless: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, registry: Registry) -> Self:
        """Return what a registry knows."""
        names: set[str] = set()
        for generation in registry.generations.values():
            for life in generation.lives:
                names |= spellings(generation, life)
        begun = (_HEAD.match(name.rpartition("/")[2]) for name in names)
        return cls(
            models=frozenset(names),
            tags=frozenset(registry.snapshots),
            heads=frozenset(match[0] for match in begun if match),
        )

    def mentions(self, text: str) -> Iterator[Mention]:
        """Yield the names in a file's text, in their order."""
        words = _ESCAPE.sub("  ", text) if "\\" in text else text
        # Nearly all words hold no name, and nearly all files have the same ones.
        named = {
            word: hit
            for word in set(_WORD.findall(words)) - self._nameless
            if (hit := self._named(word))
        }
        if not named:
            return
        line, before = 1, 0
        for match in _WORD.finditer(words):
            if hit := named.get(match[0]):
                at = match.start() + hit[0]
                line, before = line + text.count("\n", before, at), at
                begins = text.rfind("\n", 0, at) + 1
                ends = text.find("\n", at)
                if IGNORED not in text[begins : ends if ends >= 0 else None]:
                    yield Mention(name=hit[1], line=line, column=at - begins + 1)

    def _named(self, word: str) -> tuple[int, str] | None:
        """Return the name in a word and where it begins: the whole, or what stands after a colon.

        What is known counts before what is likely.
        """
        parts = list(_parts(word)) if len(word) <= _LONGEST and _MARK.search(word) else []
        for is_name in (self.is_known, self._is_likely):
            if hit := next((part for part in parts if is_name(part[1])), None):
                return hit
        self._nameless.add(word)
        return None

    def is_known(self, name: str) -> bool:
        """Whether a name means a model or a snapshot here."""
        return name.casefold() in self.models or name in self.tags

    def _is_likely(self, name: str) -> bool:
        """Whether a name looks like a model's: a route to a known one, or a number in a family."""
        last = name.rpartition("/")[2]
        if last != name:
            is_name = bool(_MARK.search(last)) and self.is_known(last)
            return bool(_PATH.fullmatch(name)) and (is_name or self._is_likely(last))
        numbered, words = _NUMBERED.match(name), _WORDS.match(name)
        if not numbered or not words or _FILE.search(name):
            return False
        parts = words[0].casefold().split("-")
        return any("-".join(parts[:many]) in self.heads for many in range(1, len(parts) + 1))


def _parts(word: str) -> Iterator[tuple[int, str]]:
    for begins in (0, *(match.end() for match in re.finditer(":", word))):
        part = word[begins:].lstrip(":.")
        clean = part.rstrip(":.")
        if _MARK.search(clean):
            yield len(word) - len(part), clean
