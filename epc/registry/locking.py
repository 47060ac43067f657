"""One writer at a time: the lock that every change to a checkout's registry is made under.

It is the operating system's own (`flock`), so it ends with the process that holds it, however that
ends. A change reads, checks and writes under it: what was read is still so when it is written.
"""

import errno
import fcntl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

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

    What is locked is the file of the policy, which every registry has and no command replaces.

    Raises: WorldError if it is not free in `patience` seconds, or the disk can lock no file.
    """
    path, home = checkout / layout.POLICY, checkout / layout.FOLDER
    until, has_told = time.monotonic() + patience, False
    with able_to("lock", path):
        file = path.open("rb+")
    with file:
        while not _is_free(file, path):
            if time.monotonic() >= until:
                raise WorldError(
                    f"another process has been writing to {home} for {patience:.0f} s\n"
                    "  fix: wait for it, or stop it, and give the same command again"
                )
            if not has_told:
                tell(f"another process is writing to {home}; waiting, {patience:.0f} s at most")
                has_told = True
            time.sleep(_PAUSE)
        yield RegistryLock(checkout=checkout)


def _is_free(file: BinaryIO, path: Path) -> bool:
    """Return whether no other process held a file; we do from here on."""
    with able_to("lock", path):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in _TAKEN:
                raise
            return False
    return True
