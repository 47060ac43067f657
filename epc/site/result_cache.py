"""Results kept from build to build, each under the digest of all that it follows from.

A result lies behind its own digest, so that one that was damaged since counts as none.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from epc.errors import WorldError
from epc.records.strict_json import dumps_line
from epc.records.typed import as_json, parse
from epc.registry.data import File
from epc.registry.recall import Later
from epc.registry.sums import sha256
from epc.site.evidence_cache import program

T = TypeVar("T")


class ResultCache:
    """A folder of results. What a build did not ask for, it throws away at its end.

    Raises: WorldError if the disk fails.
    """

    def __init__(self, home: Path) -> None:
        self.home = home
        self._asked: set[str] = set()

    def recall(self, kind: type[T], inputs: Sequence[str], work: Callable[[], T], /) -> Later[T]:
        """Return what was kept for this, or else what is worked out and kept once it is needed."""
        path = self._place(inputs)

        def found() -> T:
            text = _whole(path)
            return parse(json.loads(self._keep(path, work()) if text is None else text), kind)

        return Later(inputs, found)

    def _keep(self, path: Path, value: object) -> str:
        """Keep a result, and return it as it is kept."""
        text = dumps_line(as_json(value))
        partial = path.with_suffix(".partial")
        try:
            self.home.mkdir(parents=True, exist_ok=True)
            partial.write_text(f"{_digest(text)}\n{text}", "utf-8")
            partial.rename(path)
        except OSError as error:
            raise WorldError(f"cannot write {path}: {error.strerror or error}") from error
        return text

    def file(self, inputs: Sequence[str], _: Path, make: Callable[[Path], None]) -> Later[File]:
        """Return the file that was kept for this, or else what is made and kept now."""
        place = self._place(inputs)
        path = place.with_suffix(".file")
        self._asked.add(path.name)

        def found() -> File:
            digest = sha256(path) if path.is_file() else ""
            if _whole(place) != dumps_line(digest):
                try:
                    self.home.mkdir(parents=True, exist_ok=True)
                except OSError as error:
                    raise WorldError(f"cannot write {path}: {error.strerror or error}") from error
                make(path)
                digest = sha256(path)
                self._keep(place, digest)
            return File(path=path, sha256=digest)

        return Later(inputs, found)

    def _place(self, inputs: Sequence[str]) -> Path:
        path = self.home / _digest(dumps_line([program(), *inputs]))
        self._asked.add(path.name)
        return path

    def tidy(self) -> None:
        """Throw away what this build did not ask for."""
        for path in self.home.iterdir() if self.home.is_dir() else ():
            if path.name not in self._asked:
                path.unlink()


def _whole(path: Path) -> str | None:
    """Return what was kept, if it is still as it was kept."""
    try:
        digest, _, text = path.read_text("utf-8").partition("\n")
    except (OSError, UnicodeDecodeError):
        return None
    return text if digest == _digest(text) else None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
