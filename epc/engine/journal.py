"""The journal of a run: every answered call on disk before anything is built on it.

Calls that are answered together are one group: written, then synced, before the next begins. Each
group but the first is headed by a line that says how long the file was then, all of it on disk.
So what a power cut can have damaged is told from what it cannot: behind the last such line
anything may be missing, before it nothing.

A call's line has its CRC-32 beside it, `{"call":{...},"crc":"..."}`, so that a line that was edited
is found, or that lost a bit and is still JSON. Lines of earlier versions are the bare call.
"""

import asyncio
import fcntl
import json
import os
import zlib
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from epc.analysis.sharing import with_origin
from epc.errors import UsageError, WorldError, able_to
from epc.protocol.results import Json
from epc.records.calls import call_of
from epc.records.config_json import LONGEST_CALL, recordable
from epc.records.layout import JOURNAL
from epc.records.replies import contradictions
from epc.records.schemas import findings as schema_findings
from epc.records.strict_json import dumps_line, remove_unfinished

TORN: Final = "journal.torn"  # what a crash left of lines
DAMAGED: Final = "journal.damaged"  # lines that were whole once
OVERSIZED: Final = "journal.oversized"  # answers that no record can hold, as they came
# Where calls come in a stream, so long is waited for more: a group costs as much as some calls.
_GATHERING_S: Final = 0.02
_CALL: Final = b'{"call":'
_SUM: Final = len(b',"crc":"01234567"}\n')


class Journal:
    """An append-only file of calls, held by one process at a time.

    It keeps in memory where each call stands, not the calls. Opening it reads what an earlier
    process left. Lines that are no calls, or are not as they were written, are copied to a file
    beside it and blanked, so that the calls they held are asked again: `torn` counts those that a
    crash explains, `damaged` those that none does, because they were on disk before later ones were
    written, or are whole and say something else.

    A call's line is at most `longest` bytes. Earlier versions wrote longer ones, which nothing
    could read back: they are copied to a file beside it as well, and cut to what can be recorded
    (`oversized` counts them).
    """

    def __init__(self, folder: Path, *, longest: int = LONGEST_CALL) -> None:
        self.path = folder / JOURNAL
        self.longest = longest
        self.oversized = 0
        self.torn = 0
        self.damaged = 0
        self._places: dict[str, tuple[int, int]] = {}
        self._end = self._found = 0
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
            self._found = self._end
        except (UsageError, WorldError):
            self.close()
            raise

    def __contains__(self, name: str) -> bool:
        return name in self._places

    def __len__(self) -> int:
        return len(self._places)

    def read(self, name: str) -> Json:
        """Return a call by its name."""
        offset, length = self._places[name]
        call: Json = json.loads(os.pread(self._file.fileno(), length, offset))
        return call

    def calls(self) -> Iterator[Json]:
        """Yield every call in the order of its name."""
        return (self.read(name) for name in sorted(self._places))

    def lines(self) -> Iterator[tuple[Json, bytes]]:
        """Yield every call in the order of its name as a record has it, with its canonical line.

        What this process wrote is such a line. What an earlier one left need not be: somebody may
        have edited it, and versions before Reading R76 did not say how a call was answered.
        """
        for name in sorted(self._places):
            offset, length = self._places[name]
            line = os.pread(self._file.fileno(), length, offset)
            call = msgspec.json.decode(line) if offset >= self._found else json.loads(line)
            stated = with_origin(call)
            own = offset >= self._found and len(stated) == len(call)
            yield stated, line + b"\n" if own else dumps_line(stated).encode()

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
        self._waiting.append((call["id"], dumps_line(call).removesuffix("\n").encode(), done))
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
            if self._streaming:
                await asyncio.sleep(_GATHERING_S)
            batch, self._waiting = self._waiting, []
            head = _head(self._end)
            try:
                assert self._loop is not None
                await self._loop.run_in_executor(
                    self._thread,
                    self._write,
                    b"".join([head, *(_summed(line) for _, line, _ in batch)]),
                )
            except OSError as error:
                self._broken = WorldError(f"cannot write {self.path}: {error.strerror or error}")
                _fail([*batch, *self._waiting], self._broken)
                self._waiting = []
                return
            self._end += len(head)
            for name, line, done in batch:
                self._places[name] = (self._end + len(_CALL), len(line))
                self._end += len(_summed(line))
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
        file = self.path.open("a+b", buffering=0)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            message = f"another process is working on {self.path.parent}: wait for it, or stop it"
            raise UsageError(message) from None
        return file

    def _load(self) -> None:
        strange: list[tuple[int, bytes]] = []
        oversized: list[tuple[int, bytes]] = []
        synced = self._end = 0
        with self.path.open("rb") as file:
            for line in file:
                offset, self._end = self._end, self._end + len(line)
                if line == _head(offset) and offset:
                    synced = offset
                elif (found := _call_in(line)) is not None:
                    call, start, length = found
                    self._places[call["id"]] = (offset + start, length)
                    if length > self.longest:
                        oversized.append((offset, line))
                        self._places[call["id"]] = (offset, len(line))
                elif not _is_blank(line):
                    strange.append((offset, line))
        # No crash leaves a line whole that is no call, nor one that is not as it was written.
        damaged = [(p, line) for p, line in strange if p < synced or _is_whole(line)]
        torn = [each for each in strange if each not in damaged]
        self.damaged, self.torn = len(damaged), len(torn)
        self._set_aside(damaged, DAMAGED)
        self._set_aside(torn, TORN)
        self.oversized = len(oversized)
        self._set_aside(oversized, OVERSIZED)
        if self._end:
            blanks = [(offset, b"", len(line)) for offset, line in strange]
            cut = [(offset, self._cut(line), len(line)) for offset, line in oversized]
            self._overwrite([*blanks, *cut])

    def _cut(self, line: bytes) -> bytes:
        found = _call_in(line)
        assert found is not None
        return dumps_line(recordable(found[0], self.longest)).encode().rstrip()

    def _set_aside(self, lines: list[tuple[int, bytes]], name: str) -> None:
        """Copy lines to a file beside the journal, before anything is done to them."""
        if lines:
            with self.path.with_name(name).open("ab") as file:
                file.writelines(line.removesuffix(b"\n") + b"\n" for _, line in lines)
                file.flush()
                os.fsync(file.fileno())

    def _overwrite(self, lines: Iterable[tuple[int, bytes, int]]) -> None:
        """Overwrite lines with others and blanks, so that all else stays where it is.

        What an earlier process wrote and was killed before syncing is on disk after this, too.
        """
        with self.path.open("r+b") as file:
            for offset, instead, length in lines:
                file.seek(offset)
                file.write(instead.ljust(length - 1) + b"\n")
            file.flush()
            os.fsync(file.fileno())


def damaged_lines(folder: Path) -> int:
    """Return how many lines of a run's journal were damaged in a way that no crash explains."""
    try:
        return (folder / DAMAGED).read_bytes().count(b"\n")
    except FileNotFoundError:
        return 0


def _fail(batch: list[tuple[str, bytes, "asyncio.Future[None]"]], error: WorldError) -> None:
    for _, _, done in batch:
        if not done.done():
            done.set_exception(error)


def _head(length: int) -> bytes:
    """Return the line that heads a group; there is nothing to say before the first."""
    return f'{{"synced":{length}}}\n'.encode() if length else b""


def _is_blank(line: bytes) -> bool:
    return line.endswith(b"\n") and not line.strip(b" \n")


def _summed(call: bytes) -> bytes:
    """Return the line of a call: it, and its checksum."""
    return b'%s%s,"crc":"%08x"}\n' % (_CALL, call, zlib.crc32(call))


def _call_in(line: bytes) -> tuple[Json, int, int] | None:
    """Return the call of a line, where it begins, and its length.

    None if it is not as it was written. A line of an earlier version has no checksum: only the
    provider's reply vouches for its answer.
    """
    if not line.endswith(b"\n"):
        return None
    start, end = (len(_CALL), len(line) - _SUM) if line.startswith(_CALL) else (0, len(line) - 1)
    call = _parsed(line[start:end].rstrip())
    if call is None or schema_findings("call", call):
        return None
    true = line == _summed(line[start:end]) if start else not any(contradictions(call_of(call)))
    return (call, start, len(line[start:end].rstrip())) if true else None


def _is_whole(line: bytes) -> bool:
    return line.endswith(b"\n") and _parsed(line) is not None


def _parsed(text: bytes) -> Json | None:
    try:
        value: Json = json.loads(text)
    except ValueError:
        return None
    return value
