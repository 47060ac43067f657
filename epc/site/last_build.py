"""Whether the last build still stands: then another would read the same and write the same.

What it read and what it left is remembered by place, size, inode and times, as git does. One of
the times is that of the last change of any kind, which the system alone sets. So a file that was
edited, replaced, damaged or touched since, on either side, has the site built again.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Final

from epc.records.strict_json import dumps_line
from epc.records.typed import as_json, parse
from epc.registry import layout
from epc.registry.repository import Repository
from epc.site.evidence_cache import program
from epc.site.with_mkdocs import makers
from epc.site.writing import put

SOURCES: Final = "site"
_READ: Final = (layout.FOLDER, SOURCES, layout.POLICY)  # all of a checkout that a build reads


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How much a site shows."""

    snapshots: int
    evaluators: int
    pages: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Last:
    """What a build was made of, what it left, and its counts."""

    given: str
    left: str
    counts: Counts


@dataclass(frozen=True, slots=True, kw_only=True)
class LastBuild:
    """A place that remembers one build; `given` is the digest of all that the next would read."""

    place: Path
    out: Path
    given: str

    @classmethod
    def of(
        cls,
        place: Path,
        *,
        checkout: Path,
        out: Path,
        address: str,
        repository: Repository | None,
        as_of: date,
    ) -> "LastBuild":
        """Look at all that a build is about to read."""
        made_by = [program(), makers(), f"pyarrow {version('pyarrow')}"]
        asked = [*made_by, str(out.absolute()), address, str(repository), str(as_of)]
        read = [line for name in _READ for line in _stated(checkout / name)]
        return cls(place=place, out=out, given=_digest([*asked, *read]))

    def counts(self) -> Counts | None:
        """Return those of the last build, if it was made of the same and what it left stands."""
        try:
            last = parse(json.loads(self.place.read_text("utf-8")), _Last)
        except (OSError, ValueError):
            return None
        stands = last.given == self.given and last.left == _digest(_stated(self.out))
        return last.counts if stands else None

    def keep(self, counts: Counts) -> None:
        """Remember a build that has just been made of what was looked at.

        Raises: WorldError if the disk fails.
        """
        last = _Last(given=self.given, left=_digest(_stated(self.out)), counts=counts)
        put(self.place, dumps_line(as_json(last)).encode())


def _stated(place: Path) -> Iterator[str]:
    """Yield what the disk says of a file, or of every file and folder below a folder."""
    if place.is_dir():
        yield from _below(str(place))
    elif place.exists():
        yield _of(str(place), place.stat())


def _below(folder: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        if entry.is_dir(follow_symlinks=False):
            yield entry.path
            yield from _below(entry.path)
        elif entry.is_file():
            yield _of(entry.path, entry.stat())


def _of(path: str, found: os.stat_result) -> str:
    return f"{path} {found.st_size} {found.st_ino} {found.st_mtime_ns} {found.st_ctime_ns}"


def _digest(lines: Iterable[str]) -> str:
    total = hashlib.sha256()
    for line in lines:
        total.update(f"{line}\n".encode(errors="surrogateescape"))
    return total.hexdigest()
