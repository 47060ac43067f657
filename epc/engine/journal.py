"""The journal of a run: every answered call on disk before anything is built on it.

Calls that are answered together are written and synced together. A call's line has its CRC-32
beside it, `{"call":{...},"crc":"..."}`, so that a line that was edited is found, or that lost a bit
and is still JSON.
"""

import asyncio
import fcntl
import json
import os
import zlib
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from epc.errors import UsageError, WorldError, able_to
from epc.protocol.results import Json
from epc.records.layout import JOURNAL, LONGEST_CALL
from epc.records.rows import CACHED
from epc.records.strict_json import dumps_line, remove_unfinished

TORN: Final = "journal.torn"  # what is left of lines
DAMAGED: Final = "journal.damaged"  # lines that are whole, and not as they were written
# Where calls come in a stream, so long is waited for more: a group costs as much as some calls.
_GATHERING_S: Final = 0.005
_FIRST: Final = 2  # answers that the first comparison takes
_HERE: Final = "local/"
_CALL: Final = b'{"call":'
_SUM: Final = len(b',"crc":"01234567"}\n')


class Journal:
    """An append-only file of calls, held by one process at a time.

    It keeps in memory where each call stands, not the calls. Opening it reads what an earlier
    process left. Lines that are no calls, or are not as they were written, are copied to a file
    beside it and blanked, so that the calls they held are asked again: `torn` counts those that are
    no JSON, as a crash or a bad disk leaves them, `damaged` those that are whole and say something
    else. A call's line is to have at most `longest` bytes.
    """

    def __init__(self, folder: Path, *, longest: int = LONGEST_CALL) -> None:
        self.path = folder / JOURNAL
        self.longest = longest
        self.torn = 0
        self.damaged = 0
        self._places: dict[str, tuple[int, int]] = {}
        self._end = 0
        self._waiting: list[tuple[str, bytes, asyncio.Future[None]]] = []
        self._writing: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._streaming = False  # calls came while a group was being written
        self._broken: WorldError | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="journal")
        with able_to("open", self.path):
            self._file = self._open()
        try:
            with able_to("read", self.path):
                self._load()
                remove_unfinished(folder)  # nobody else writes here while this is held
        except (UsageError, WorldError):
            self.close()
            raise

    def __contains__(self, name: str) -> bool:
        return name in self._places

    def __len__(self) -> int:
        return len(self._places)

    def read(self, name: str) -> Json:
        """Return a call by its name."""
        call: Json = json.loads(self._line(name))
        return call

    def calls(self) -> Iterator[Json]:
        """Yield every call in the order of its name."""
        return (self.read(name) for name in sorted(self._places))

    def lines(self) -> Iterator[tuple[Json, bytes]]:
        """Yield every call in the order of its name, with its line as a record has it."""
        for name in sorted(self._places):
            line = self._line(name)
            yield msgspec.json.decode(line), line + b"\n"

    async def append(self, call: Json) -> None:
        """Write one call and wait until the disk has it.

        Raises: WorldError if the disk refuses; what was written before stays good, and nothing
        more is written.
        """
        if self._broken is not None:
            raise self._broken
        if self._writing is None or self._writing.done():
            self._loop = asyncio.get_running_loop()  # which asks the system each time
            self._writing = self._loop.create_task(self._write_waiting())
        assert self._loop is not None
        done = self._loop.create_future()
        self._waiting.append((call["id"], line_of(call), done))
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
        """Close it for good, and take an empty folder away: other files hold its calls."""
        if not self._file.closed:  # while it is held, or it might be the next process's
            self.path.unlink(missing_ok=True)
        self.close()
        with suppress(OSError):
            self.path.parent.rmdir()

    async def _write_waiting(self) -> None:
        """Write whatever is waiting, in one go, until nothing is."""
        while self._waiting:
            if self._streaming:
                await asyncio.sleep(_GATHERING_S)
            batch, self._waiting = self._waiting, []
            try:
                assert self._loop is not None
                lines = b"".join(line for _, line, _ in batch)
                await self._loop.run_in_executor(self._thread, self._write, lines)
            except OSError as error:
                self._broken = WorldError(f"cannot write {self.path}: {error.strerror or error}")
                for _, _, done in [*batch, *self._waiting]:
                    if not done.done():
                        done.set_exception(self._broken)
                self._waiting = []
                return
            for name, line, done in batch:
                self._places[name] = (self._end + len(_CALL), len(line) - len(_CALL) - _SUM)
                self._end += len(line)
                if not done.done():
                    done.set_result(None)
            self._streaming = bool(self._waiting)
        self._streaming = False

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
        self.path.parent.mkdir(parents=True, exist_ok=True)
        file = self.path.open("a+b", buffering=0)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            message = f"another process is working on {self.path.parent}: wait for it, or stop it"
            raise UsageError(message) from None
        if os.fstat(file.fileno()).st_nlink:
            return file
        file.close()  # who held it took it away between our two steps
        return self._open()

    def _line(self, name: str) -> bytes:
        offset, length = self._places[name]
        return os.pread(self._file.fileno(), length, offset)

    def _load(self) -> None:
        strange: list[tuple[int, bytes]] = []
        with self.path.open("rb") as file:
            for line in file:
                offset, self._end = self._end, self._end + len(line)
                call = sound_call(line)
                if call is not None:
                    self._places[json.loads(call)["id"]] = (offset + len(_CALL), len(call))
                elif line.strip(b" \n") or not line.endswith(b"\n"):
                    strange.append((offset, line))
        damaged = [numbered_line for numbered_line in strange if _is_whole(numbered_line[1])]
        torn = [numbered_line for numbered_line in strange if numbered_line not in damaged]
        self.damaged, self.torn = len(damaged), len(torn)
        self._set_aside(damaged, DAMAGED)
        self._set_aside(torn, TORN)
        if self._end:
            self._blank(strange)

    def _set_aside(self, lines: list[tuple[int, bytes]], name: str) -> None:
        """Copy lines to a file beside the journal, before anything is done to them."""
        if lines:
            with self.path.with_name(name).open("ab") as file:
                file.writelines(line.removesuffix(b"\n") + b"\n" for _, line in lines)
                file.flush()
                os.fsync(file.fileno())

    def _blank(self, lines: list[tuple[int, bytes]]) -> None:
        """Overwrite lines with blanks, so that all else stays where it is.

        What an earlier process wrote and was killed before syncing is on disk after this, too.
        """
        with self.path.open("r+b") as file:
            for offset, line in lines:
                file.seek(offset)
                file.write(b"\n".rjust(len(line)))
            file.flush()
            os.fsync(file.fileno())


def nothing_lost(folder: Path) -> bool:
    """Return whether a folder's journal may go: no model was asked, but one on this machine twice.

    So much is asked before the first comparison; what the cache gave it gives again.
    """
    if not (folder / JOURNAL).exists():
        return True
    journal = Journal(folder)
    try:
        models = [call["model"] for call in journal.calls() if call.get("origin") != CACHED]
    finally:
        journal.close()
    return len(models) <= _FIRST and all(model.startswith(_HERE) for model in models)


def damaged_lines(folder: Path) -> int:
    """Return how many lines of a run's journal are whole, and not as they were written."""
    try:
        return (folder / DAMAGED).read_bytes().count(b"\n")
    except FileNotFoundError:
        return 0


def _summed(call: bytes) -> bytes:
    """Return the line of a call: it, and its checksum."""
    return b'%s%s,"crc":"%08x"}\n' % (_CALL, call, zlib.crc32(call))


def line_of(call: Json) -> bytes:
    """Return a call's line, with its checksum."""
    return _summed(dumps_line(call).removesuffix("\n").encode())


def sound_call(line: bytes) -> bytes | None:
    """Return the call of a line as JSON; None if the line is not as it was written."""
    call = line[len(_CALL) : -_SUM]
    return call if line == _summed(call) else None


def _is_whole(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return line.endswith(b"\n")


def write_journal(folder: Path, calls: Iterable[Json]) -> None:
    """Write a journal of calls into a folder that has none."""
    with able_to("write", folder / JOURNAL):
        (folder / JOURNAL).write_bytes(b"".join(map(line_of, calls)))
