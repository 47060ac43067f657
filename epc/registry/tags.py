"""Snapshot ids, `vX.Y-Z` (EPC-4, Reading R14)."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Self

from epc.errors import Finding, MalformedError

_NUMBER: Final = r"(?:0|[1-9][0-9]*)"
_GENERATION: Final = r"[A-Za-z0-9][A-Za-z0-9.]*(?:-[A-Za-z0-9.]+)*"
_TAG: Final = re.compile(rf"v({_NUMBER})\.({_NUMBER})-({_GENERATION})")

_PROTOCOL: Final = 1  # the major version of what is measured
_LONGEST_TAG: Final = 120  # a file name must bear it, with a suffix

# What git refuses in the name of a ref although the pattern of R14 admits it.
_REFUSED_ENDS: Final = (".", ".lock")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tag:
    """Id of a snapshot: protocol major version, snapshot version, evaluator generation."""

    protocol: int
    snapshot: int
    generation: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the tag that a text spells.

        Raises: MalformedError if it spells none.
        Source: EPC-4; Reading R14.
        """
        match = _TAG.fullmatch(text[: _LONGEST_TAG + 1])
        if not match or len(text) > _LONGEST_TAG or ".." in text or text.endswith(_REFUSED_ENDS):
            raise MalformedError(
                Finding(
                    clause="EPC-4",
                    where=text[:80],
                    problem="not a snapshot id",
                    remedy="write vX.Y-Z, as in v1.2-GPT4o-0806: whole numbers without leading "
                    "zeros, then letters, digits and single dots, groups joined by hyphens",
                )
            )
        protocol, snapshot, generation = match.groups()
        return cls(protocol=int(protocol), snapshot=int(snapshot), generation=generation)

    def __str__(self) -> str:
        return f"{self.version}-{self.generation}"

    @property
    def version(self) -> str:
        """The number alone, `vX.Y`, for where the generation is named beside it."""
        return f"v{self.protocol}.{self.snapshot}"

    def __lt__(self, other: "Tag") -> bool:
        """Order by (X, Y) within a generation; generations by name, so that a list is stable."""
        return self._key() < other._key()

    def _key(self) -> tuple[str, int, int]:
        return self.generation, self.protocol, self.snapshot


def next_tag(generation: str, used_tags: Iterable[Tag]) -> Tag:
    """Return the id that the next measurement of an evaluator generation gets.

    Y counts the measurements of a generation from 0 and is never given twice: a gap that a
    withdrawn snapshot left stays.

    Raises: MalformedError if the generation cannot stand in an id.
    Source: EPC-4; Reading R14.
    """
    used = [t.snapshot for t in used_tags if (t.generation, t.protocol) == (generation, _PROTOCOL)]
    return Tag.parse(f"v{_PROTOCOL}.{max(used, default=-1) + 1}-{generation}")
