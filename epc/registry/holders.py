"""Others' lists on this disk: clones of their repositories, and wheels of their packages.

A clone is read at a commit, its newest one if none is named; no work tree is needed, and nothing in
it is run. A wheel has one version.
"""

import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

from epc.errors import UsageError, WorldError
from epc.registry.history import commit_of, git, git_bytes, has_commit
from epc.registry.keys import parsed

# The list in a package's wheel, by the package.
_IN_PACKAGE: Final = {
    "bydtech-model-retire": "model_retire/models.json",
    "depdesk": "depdesk/data/catalog.json",
    "litellm": "litellm/model_prices_and_context_window_backup.json",
    "llm-sunset": "llm_sunset/snapshot.json",
    "model-prices": "model_prices/snapshot.json",
}
# The lists in a repository.
_IN_REPOSITORY: Final = {
    "BerriAI/litellm": "model_prices_and_context_window.json",
    "Prajwalsrinvas/token-tariff": "model_prices_and_context_window.json",
    "deprecations/deprecations-rss": "docs/v1/deprecations.json",
    "endoflife-date/endoflife.date": "products/anthropic-claude.md",
    "mnfst/modeldeprecations.dev": "models/*.yaml",
    "quora/model-deprecation-tracker": "data/deprecations.json",
    "thossullivan/model-eol": "feeds/*.json",
}
_MOST_BYTES: Final = 32 * 2**20
_SHORT: Final = 7  # digits of a commit, as records name one
_VERSION: Final = 12  # and as places do
_NAME: Final = re.compile(r"([A-Za-z0-9-]+)/([A-Za-z0-9._-]+?)(?:\.git)?/?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """A clone or a wheel: what it is called, its version, and the day of that where one is known.

    `name` is `owner/name` or a package, and empty of a clone that does not say which it is.
    """

    place: Path
    name: str
    version: str
    day: date | None

    @property
    def title(self) -> str:
        """What records call the list."""
        if self.is_wheel:
            return f"{self.name} {self.version}"
        return f"{self.name}@{self.version[:_SHORT]}"

    @property
    def is_wheel(self) -> bool:
        """Return whether it is a package."""
        return self.place.suffix == ".whl"

    @property
    def lists(self) -> list[str]:
        """The files of it that are known as lists.

        Raises: UsageError if none is known.
        """
        if self.is_wheel and self.name in _IN_PACKAGE:
            return [_IN_PACKAGE[self.name]]
        pattern = _IN_REPOSITORY.get(self.name)
        if pattern is None:
            list_names = ", ".join(sorted({*_IN_PACKAGE, *_IN_REPOSITORY}))
            raise UsageError(
                f"{self.place}: no list of {self.name or 'this'} is known\n"
                f"  fix: name a clone or wheel of {list_names}"
            )
        return self._paths(pattern)

    def _paths(self, pattern: str) -> list[str]:
        tree = git(self.place, "ls-tree", "-r", "--name-only", self.version).splitlines()
        return [path for path in tree if fnmatchcase(path, pattern)]

    def texts(self, pattern: str) -> Iterator[tuple[str, str]]:
        """Yield the files of a clone whose paths have a pattern, with what is in them.

        Raises: WorldError if git fails.
        """
        paths = self._paths(pattern)
        names = "".join(f"{self.version}:{path}\n" for path in paths)
        answer = git_bytes(self.place, "cat-file", "--batch", stdin=names.encode())
        for path in paths:
            head, _, answer = answer.partition(b"\n")
            size = int(head.rpartition(b" ")[2])
            yield path, answer[:size].decode("utf-8")
            answer = answer[size + 1 :]

    def documents(self) -> Iterator[tuple[str, Any]]:
        """Yield each list with its path.

        Raises: UsageError if none is known, or one cannot be read.
        """
        for path in self.lists:
            try:
                yield path, parsed(self.text(path), path)
            except ValueError as error:
                raise UsageError(
                    f"cannot read {path} of {self.title}: {error}\n  fix: fetch it again"
                ) from error

    def has(self, version: str) -> bool:
        """Return whether a version can be read in it."""
        return version == self.version or (not self.is_wheel and has_commit(self.place, version))

    def text(self, path: str, version: str | None = None) -> str:
        """Return a file at a version.

        Raises: WorldError if there is none; ValueError if it is no text.
        """
        if not self.is_wheel:
            contents = git_bytes(self.place, "show", f"{version or self.version}:{path}")
            return contents[:_MOST_BYTES].decode("utf-8")
        try:
            with zipfile.ZipFile(self.place) as wheel, wheel.open(path) as member:
                return member.read(_MOST_BYTES).decode("utf-8")
        except (KeyError, OSError, zipfile.BadZipFile) as error:
            raise WorldError(f"cannot read {self.place}: {error}\n  fix: fetch it again") from error


def opened(source: str) -> Holder:
    """Return a clone or a wheel.

    A clone is called as its remote is; `OWNER/NAME=FOLDER` says it of one that has none.

    Raises: UsageError if it is neither.
    """
    called, _, folder = source.rpartition("=")
    place = Path(folder)
    if place.suffix == ".whl":
        package, _, suffix = place.name.partition("-")
        version = suffix.partition("-")[0]
        return Holder(place=place, name=package.replace("_", "-"), version=version, day=None)
    commit = _newest(place)
    if commit is None:
        raise UsageError(f"{place} is no clone and no wheel\n  fix: name a clone's folder")
    day = date.fromisoformat(git(place, "log", "-1", "--format=%cs", commit).strip())
    return Holder(place=place, name=called or _remote(place), version=commit[:_VERSION], day=day)


def _newest(place: Path) -> str | None:
    """Return the newest commit of a clone, also of one without a work tree."""
    if commit := commit_of(place):
        return commit
    try:
        if place.is_dir() and git(place, "rev-parse", "--is-bare-repository").strip() == "true":
            return git(place, "rev-parse", "HEAD").strip()
    except WorldError:
        return None
    return None


def _remote(place: Path) -> str:
    """Return what a clone is called by its remote; empty without one."""
    try:
        address = git(place, "remote", "get-url", "origin").strip()
    except WorldError:
        return ""
    match = _NAME.search(address.replace(":", "/"))
    return f"{match[1]}/{match[2]}" if match else ""
