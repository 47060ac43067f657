"""The journal of a run: every answered call on disk before anything is built on it."""

import asyncio
import fcntl
import json
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import BinaryIO

from epc.core.results import Json
from epc.errors import UsageError, WorldError
from epc.records.layout import JOURNAL
from epc.records.schemas import findings as schema_findings
from epc.records.strict_json import dumps_line


class Journal:
    """An append-only file of calls, held by one process at a time.

    It keeps in memory where each call stands, not the calls. Opening it reads what an earlier
    process left; a last line that was torn by a crash is cut off and counted in `repaired`, and
    the call it held is asked again. Calls that are answered together share one wait for the disk.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / JOURNAL
        self.repaired = 0
        self._places: dict[str, tuple[int, int]] = {}
        self._end = 0
        self._waiting: list[tuple[str, bytes, asyncio.Future[None]]] = []
        self._writing: asyncio.Task[None] | None = None
        self._broken: WorldError | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="journal")
        try:
            self._file = self._open()
        except OSError as error:
            raise WorldError(f"cannot open {self.path}: {error.strerror or error}") from error
        try:
            self._load()
        except OSError as error:
            self.close()
            raise WorldError(f"cannot read {self.path}: {error.strerror or error}") from error
        except UsageError:
            self.close()
            raise

    def __contains__(self, name: str) -> bool:
        return name in self._places

    def __len__(self) -> int:
        return len(self._places)

    def read(self, name: str) -> Json:
        """Return a call by its name."""
        place, length = self._places[name]
        call: Json = json.loads(os.pread(self._file.fileno(), length, place))
        return call

    def calls(self) -> Iterator[Json]:
        """Yield every call in the order of its name."""
        return (self.read(name) for name in sorted(self._places))

    async def append(self, call: Json) -> None:
        """Write one call and wait until the disk has it.

        Raises: WorldError if the disk refuses; what was written before stays good, and nothing
        more is written.
        """
        if self._broken is not None:
            raise self._broken
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((call["id"], dumps_line(call).encode(), done))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_waiting())
        await done

    async def drain(self) -> None:
        """Wait until the disk has whatever it was given, whoever still waits for it."""
        if self._writing is not None:
            await asyncio.wait([self._writing])

    def close(self) -> None:
        """Let another process have it."""
        self._thread.shutdown(wait=True)
        self._file.close()

    def remove(self) -> None:
        """Close it for good: the run's other files hold everything now."""
        self.close()
        self.path.unlink(missing_ok=True)

    async def _write_waiting(self) -> None:
        """Write whatever is waiting, in one go, until nothing is."""
        while self._waiting:
            batch, self._waiting = self._waiting, []
            try:
                loop = asyncio.get_running_loop()
                await loop.run_in_executor(
                    self._thread, self._write, b"".join(line for _, line, _ in batch)
                )
            except OSError as error:
                self._broken = WorldError(f"cannot write {self.path}: {error.strerror or error}")
                _fail([*batch, *self._waiting], self._broken)
                self._waiting = []
                return
            for name, line, done in batch:
                self._places[name] = (self._end, len(line))
                self._end += len(line)
                if not done.done():
                    done.set_result(None)

    def _write(self, lines: bytes) -> None:
        try:
            left = memoryview(lines)
            while left:  # a disk that is almost full takes a part, and says so by a number only
                left = left[self._file.write(left) :]
            # The bytes and the length, not the times; macOS has no such call.
            getattr(os, "fdatasync", os.fsync)(self._file.fileno())
        except OSError:
            # Cut off what a full disk took of the lines, so that no later line follows a torn one.
            os.ftruncate(self._file.fileno(), self._end)
            raise

    def _open(self) -> BinaryIO:
        file = self.path.open("a+b", buffering=0)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            message = f"another process is working on {self.path.parent}: wait for it, or stop it"
            raise UsageError(message) from None
        return file

    def _load(self) -> None:
        with self.path.open("rb") as file:
            torn: int | None = None
            for number, line in enumerate(file, 1):
                if torn is not None:
                    message = (
                        f"{self.path}:{torn}: not a call; restore the file, or start a new run"
                    )
                    raise UsageError(message)
                call = _parse(line)
                if call is None:
                    torn = number
                    continue
                self._places[call["id"]] = (self._end, len(line))
                self._end += len(line)
        if torn is not None:
            # Only a last line can be torn: each one is on disk before the next begins.
            self.repaired = 1
            os.ftruncate(self._file.fileno(), self._end)


def _fail(batch: list[tuple[str, bytes, "asyncio.Future[None]"]], error: WorldError) -> None:
    for _, _, done in batch:
        if not done.done():
            done.set_exception(error)


def _parse(line: bytes) -> Json | None:
    if not line.endswith(b"\n"):
        return None
    try:
        call: Json = json.loads(line)
    except ValueError:
        return None
    return None if schema_findings("call", call) else call
