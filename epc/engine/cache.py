"""Answers of pinned weights, kept across runs: a folder of calls, named by what was asked.

Weights that are pinned by their SHA-256, which is part of a call's name, answer on any day as they
did (Reading R16). A model without them may be another one under the same name the next minute, so
its answers are never kept here (Reading R76). Each file is a call's line as a journal has it, with
its checksum: an answer that lost a bit, or was edited, is asked again.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from epc.engine.budget import Limits
from epc.engine.journal import line_of, sound_call
from epc.errors import able_to
from epc.json_text import parse
from epc.protocol.results import Json
from epc.records import strict_json
from epc.records.schemas import findings as schema_findings


class Entry(Struct, frozen=True, kw_only=True):
    """Cached answer: its call, and the size of its file in bytes."""

    call: Json
    size: int


class Cache:
    """A content-addressed folder of answers. Damaged entries are no entries."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, name: str) -> Json | None:
        """Return the call of this name."""
        entry = self._read(self._path(name))
        return entry.call if entry is not None and entry.call["id"] == name else None

    def put(self, call: Json) -> None:
        """Keep an answer.

        Raises: WorldError if the disk refuses.
        """
        path = self._path(call["id"])
        with able_to("make", path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
        strict_json.write_bytes(path, [line_of(call)])

    def entries(self) -> Iterator[Entry]:
        """Yield every kept answer in the order of its name."""
        for path in sorted(self._folder.glob("??/*.json")):
            if (entry := self._read(path)) is not None:
                yield entry

    def clear(self) -> int:
        """Remove every kept answer and return how many there were."""
        count = sum(1 for _ in self._folder.glob("??/*.json"))
        with able_to("clear", self._folder):
            if self._folder.exists():
                shutil.rmtree(self._folder)
        return count

    def _path(self, name: str) -> Path:
        return self._folder / name[:2] / f"{name}.json"

    def _read(self, path: Path) -> Entry | None:
        try:
            line = path.read_bytes()
        except OSError:  # never written, cleared meanwhile, or unreadable
            return None
        call = sound_call(line)
        value, problems = (None, []) if call is None else parse(call.decode())
        if value is None or problems or schema_findings("call", value):
            return None
        return Entry(call=value, size=len(line)) if value.get("answered_at") else None


CACHE_VARIABLE: Final = "EPC_CACHE_DIR"


def cache_folder() -> Path:
    """Return the cache folder: downloaded weights and kept answers, both of which can be lost."""
    if moved := os.environ.get(CACHE_VARIABLE):
        return Path(moved)
    from platformdirs import user_cache_path

    return user_cache_path("epc")


def weights_folder() -> Path:
    """Return the folder of the embedded weights."""
    return cache_folder() / "weights"


def answer_cache_folder() -> Path:
    """Return the folder of answers that are kept across runs."""
    return cache_folder() / "answers"


def answer_cache(limits: Limits) -> Cache | None:
    """Return the answers that are kept across runs, unless the user wants none of them."""
    return Cache(answer_cache_folder()) if limits.cache else None
