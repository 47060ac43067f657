"""One writer at a time: the lock that every change to a checkout's registry is made under.

It is the operating system's own (`flock`), so it ends with the process that holds it, however that
ends. A change reads, checks and writes under it: what was read is still so when it is written.
"""

import errno
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TextIO

from epc.errors import WorldError, able_to
from epc.registry import layout

PATIENCE: Final = 600.0  # seconds that one waits for the others
_PAUSE: Final = 0.05
_TAKEN: Final = (errno.EWOULDBLOCK, errno.EACCES)  # the second is what some network disks say


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistryLock:
    """The proof that a checkout's registry is held, which every function that writes asks for."""

    checkout: Path

    @property
    def home(self) -> Path:
        """The folder that may be written to."""
        return self.checkout / layout.FOLDER


@contextmanager
def locked(
    checkout: Path, *, tell: Callable[[str], None], patience: float = PATIENCE
) -> Iterator[RegistryLock]:
    """Hold a checkout's registry; while another process does, say so once and wait.

    Raises: WorldError if it is not free in `patience` seconds, or the disk can lock no file.
    """
    path = checkout / layout.FOLDER / layout.LOCK
    with able_to("lock", path):
        file = _acquired(path, tell, patience)
    with file:
        try:
            yield RegistryLock(checkout=checkout)
        finally:
            path.unlink(missing_ok=True)  # still held, so no other process can have come to it


def _acquired(path: Path, tell: Callable[[str], None], patience: float) -> TextIO:
    """Return the open file of the lock, held, with our number in it for those who wait."""
    until, has_told = time.monotonic() + patience, False
    while True:
        file = path.open("a+", encoding="ascii")
        if _is_free(file):
            if _is_at(file, path):
                file.truncate(0)
                file.write(f"{os.getpid()}\n")
                file.flush()
                return file
            file.close()
            continue
        who = _holder(file)
        file.close()
        if time.monotonic() >= until:
            raise WorldError(
                f"{who} has been writing to {path.parent} for {patience:.0f} s\n"
                "  fix: wait for it, or stop it, and give the same command again"
            )
        if not has_told:
            tell(f"{who} is writing to {path.parent}; waiting, {patience:.0f} s at most")
            has_told = True
        time.sleep(_PAUSE)


def _is_free(file: TextIO) -> bool:
    """Return whether no other process held a file; we do from here on."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _TAKEN:
            return False
        raise
    return True


def _is_at(file: TextIO, path: Path) -> bool:
    """Return whether a file is still there, and not taken away by whoever held it before."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _holder(file: TextIO) -> str:
    """Return who wrote their number into a lock."""
    file.seek(0)
    number = file.read().strip()
    return f"process {number}" if number.isdecimal() else "another process"
