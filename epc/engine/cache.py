"""Answers kept across runs: a folder of calls, named by what was asked (Reading R16).

An answer of pinned weights (the embedded models) holds for good. An answer of a hosted model holds
for the day it was given: the provider may have changed the model since, and a measurement of
today must not consist of yesterday's answers.
"""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from epc.core.results import Json
from epc.errors import WorldError
from epc.records import strict_json
from epc.records.schemas import findings as schema_findings


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One kept answer: its call, the day it was given, and the size of its file in bytes."""

    call: Json
    day: str
    size: int


class Cache:
    """A content-addressed folder of answers. Damaged entries are no entries."""

    def __init__(self, folder: Path, *, today: str) -> None:
        self._folder, self._today = folder, today

    def get(self, name: str, *, pinned: bool) -> Json | None:
        """Return the call of this name if it still holds today."""
        entry = self._read(self._path(name))
        if entry is None or entry.call["id"] != name:
            return None
        return entry.call if pinned or entry.day == self._today else None

    def put(self, call: Json) -> None:
        """Keep an answer.

        Raises: WorldError if the disk refuses.
        """
        path = self._path(call["id"])
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WorldError(f"cannot make {path.parent}: {error.strerror or error}") from error
        strict_json.write(path, {"call": call, "day": self._today})

    def entries(self) -> Iterator[Entry]:
        """Yield every kept answer in the order of its name."""
        for path in sorted(self._folder.glob("??/*.json")):
            if (entry := self._read(path)) is not None:
                yield entry

    def clear(self) -> int:
        """Remove every kept answer and return how many there were."""
        count = sum(1 for _ in self._folder.glob("??/*.json"))
        try:
            if self._folder.exists():
                shutil.rmtree(self._folder)
        except OSError as error:
            raise WorldError(f"cannot clear {self._folder}: {error.strerror or error}") from error
        return count

    def _path(self, name: str) -> Path:
        return self._folder / name[:2] / f"{name}.json"

    def _read(self, path: Path) -> Entry | None:
        try:
            size = path.stat().st_size
            value, problems = strict_json.read(path)
        except (OSError, WorldError):  # never written, cleared meanwhile, or unreadable
            return None
        if problems or not isinstance(value, dict) or set(value) != {"call", "day"}:
            return None
        if schema_findings("call", value["call"]):
            return None
        return Entry(call=value["call"], day=str(value["day"]), size=size)
