"""The journal of a run: every answered call on disk before anything is built on it."""

import fcntl
import io
import json
import os
from contextlib import suppress
from pathlib import Path

from epc.core.results import Json
from epc.errors import UsageError, WorldError
from epc.records.layout import JOURNAL
from epc.records.schemas import findings as schema_findings
from epc.records.strict_json import dumps_line


class Journal:
    """An append-only file of calls, held by one process at a time.

    Opening it reads what an earlier process left. A last line that was torn by a crash is cut
    off and counted in `repaired`; the call it held is asked again.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / JOURNAL
        self.repaired = 0
        try:
            self._file = self._open()
            try:
                self.calls = self._load()
            except BaseException:
                self._file.close()
                raise
        except OSError as error:
            raise WorldError(f"cannot open {self.path}: {error.strerror or error}") from error

    def append(self, call: Json) -> None:
        """Write one call and wait until the disk has it.

        Raises: WorldError if the disk refuses; what was written before stays good.
        """
        rest = memoryview(dumps_line(call).encode())
        end = os.fstat(self._file.fileno()).st_size
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
            os.fsync(self._file.fileno())
        except OSError as error:
            with suppress(OSError):  # a part of a line must not stand before the next one
                self._file.truncate(end)
            raise WorldError(f"cannot write {self.path}: {error.strerror or error}") from error

    def close(self) -> None:
        """Let another process have it."""
        self._file.close()

    def remove(self) -> None:
        """Close it for good: the run's other files hold everything now."""
        self.close()
        self.path.unlink(missing_ok=True)

    def _open(self) -> io.FileIO:
        # Unbuffered: what the disk refused must not be written again by a later call.
        file = self.path.open("a+b", buffering=0)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            message = f"another process is working on {self.path.parent}: wait for it, or stop it"
            raise UsageError(message) from None
        return file

    def _load(self) -> list[Json]:
        self._file.seek(0)
        lines = io.BytesIO(self._file.read()).readlines()
        calls = [_parse(line) for line in lines]
        if calls and calls[-1] is None:
            # Only the last line can be torn: each one is on disk before the next begins.
            self.repaired = 1
            self._file.truncate(sum(map(len, lines[:-1])))
            calls.pop()
        damaged = [number for number, call in enumerate(calls, 1) if call is None]
        if damaged:
            message = f"{self.path}:{damaged[0]}: not a call; restore the file, or start a new run"
            raise UsageError(message)
        return [call for call in calls if call is not None]


def _parse(line: bytes) -> Json | None:
    if not line.endswith(b"\n"):
        return None
    try:
        call: Json = json.loads(line)
    except ValueError:
        return None
    return None if schema_findings("call", call) else call
