"""What each part of the site was made from: the one place that says what a build need not do.

A part is some files that are made together. The last build remembers of each the digest of all that
it follows from, and what the disk said of its files: size, inode and times, as git does. One of the
times is that of the last change of any kind, which the system alone sets. So a part is left as it
is while it would be made of the same, and none of its files was edited, replaced, damaged or
touched. In the same way the whole is: while all that a build reads and all that it left stands,
nothing is done.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Final

import msgspec

from epc.registry import layout
from epc.registry.repository import Repository
from epc.site.evidence_cache import program
from epc.site.with_mkdocs import makers
from epc.site.writing import put

SOURCES: Final = "site"
_FOLDER: Final = "folder"
_READ: Final = (layout.FOLDER, SOURCES, layout.POLICY)  # all of a checkout that a build reads


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How much a site shows."""

    snapshots: int
    evaluators: int
    pages: int


@dataclass(slots=True, kw_only=True)
class Part:
    """Files that were made together: the digest of what they follow from, and the state of each."""

    given: str
    files: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Last:
    """What a build was made by and of, what it left, its counts, and the scripts of its theme."""

    made_by: str
    given: str
    counts: Counts
    scripts: str
    parts: dict[str, Part]


@dataclass(slots=True, kw_only=True)
class LastBuild:
    """A place that remembers one build, while the next one is made.

    `given` is the digest of all that this one reads, `read` what the disk says of that, and `left`
    of what the last one left. `parts` are those of this one so far, `scripts` the digest of the
    scripts in the theme's pages, as far as they are known.
    """

    place: Path
    out: Path
    made_by: str
    given: str
    read: Mapping[str, str]
    left: Mapping[str, str]
    last: _Last | None
    scripts: str
    parts: dict[str, Part] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        place: Path,
        *,
        checkout: Path,
        out: Path,
        sources: Path,
        address: str,
        repository: Repository | None,
        as_of: date,
    ) -> "LastBuild":
        """Look at all that a build is about to read, and at what the last one left."""
        words = [program(), makers(), f"pyarrow {version('pyarrow')}"]
        made_by = digest([*words, str(out.absolute()), address, str(repository), str(as_of)])
        read = {path: state for name in _READ for path, state in _stated(checkout / name)}
        last = _remembered(place)
        last = last if last and last.made_by == made_by else None
        return cls(
            place=place,
            out=out,
            made_by=made_by,
            given=digest([made_by, *(f"{path} {state}" for path, state in read.items())]),
            read=read,
            left=dict([*_stated(out), *_stated(sources)]),
            last=last,
            scripts=last.scripts if last else "",
        )

    def counts(self) -> Counts | None:
        """Return those of the last build, if it was made of the same and what it left stands."""
        if self.last is None or self.last.given != self.given:
            return None
        home = str(self.out)
        known = {path: s for part in self.last.parts.values() for path, s in part.files.items()}
        known = {path: state for path, state in known.items() if _is_in(path, home)}
        for folder in {os.path.dirname(path) for path in known}:  # noqa: PTH120  (of 40,000)
            while _is_in(folder, home) and folder not in known:
                known[folder] = _FOLDER
                folder = os.path.dirname(folder)  # noqa: PTH120, PLW2901
        there = {path: state for path, state in self.left.items() if _is_in(path, home)}
        return self.last.counts if there == known else None

    def stands(self, name: str, given: str) -> bool:
        """Return whether a part is as it would be made now; if so, this build has it too."""
        self.parts.pop(name, None)
        part = self.last.parts.get(name) if self.last else None
        if part is None or part.given != given:
            return False
        if any(self.left.get(path) != state for path, state in part.files.items()):
            return False
        self.parts[name] = part
        return True

    def holds(self, name: str, path: Path) -> bool:
        """Return whether a file of a part is as the last build left it."""
        part = self.last.parts.get(name) if self.last else None
        return part is not None and part.files.get(str(path)) == self.left.get(str(path), "")

    def made(self, name: str, given: str, path: Path) -> None:
        """Remember a file of a part that was just made."""
        part = self.parts.setdefault(name, Part(given=given, files={}))
        part.given = given
        part.files[str(path)] = _state(path.stat())

    def keep(self, counts: Counts) -> None:
        """Remember the build that has just been made of what was looked at.

        Raises: WorldError if the disk fails.
        """
        last = _Last(
            made_by=self.made_by,
            given=self.given,
            counts=counts,
            scripts=self.scripts,
            parts=self.parts,
        )
        put(self.place, msgspec.json.encode(last))


def digest(lines: Iterable[str]) -> str:
    """Return the digest of some lines."""
    total = hashlib.sha256()
    for line in lines:
        total.update(f"{line}\n".encode(errors="surrogateescape"))
    return total.hexdigest()


def _remembered(place: Path) -> _Last | None:
    try:
        return msgspec.json.decode(place.read_bytes(), type=_Last)
    except (OSError, ValueError):
        return None


def _stated(place: Path) -> Iterator[tuple[str, str]]:
    """Yield what the disk says of a file, or of every file and folder below a folder."""
    if place.is_dir():
        yield from _below(str(place))
    elif place.exists():
        yield str(place), _state(place.stat())


def _below(folder: str) -> Iterator[tuple[str, str]]:
    with os.scandir(folder) as entries:
        listed = sorted(entries, key=lambda entry: entry.name)
    for entry in listed:
        if entry.is_dir(follow_symlinks=False):
            yield entry.path, _FOLDER
            yield from _below(entry.path)
        elif entry.is_file():
            yield entry.path, _state(entry.stat())


def _state(found: os.stat_result) -> str:
    return f"{found.st_size} {found.st_ino} {found.st_mtime_ns} {found.st_ctime_ns}"


def _is_in(path: str, folder: str) -> bool:
    return path.startswith(f"{folder}{os.sep}")
