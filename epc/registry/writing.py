"""Adding to the registry, one writer at a time. What stands there is never changed.

Every change is made under a lock, the operating system's own (`flock`), so it ends with the process
that holds it, however that ends. A change reads, checks and writes under it: what was read is still
so when it is written.
"""

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from typing import TypeVar

from epc.errors import UsageError, able_to
from epc.records.schemas import findings as schema_findings
from epc.records.strict_json import dumps_line, write_bytes
from epc.records.typed import as_json
from epc.registry import layout
from epc.registry.reading import of_folder
from epc.registry.snapshots import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistryLock:
    """The proof that a checkout's registry is held, which every function that writes asks for."""

    checkout: Path

    @property
    def home(self) -> Path:
        """The folder that may be written to."""
        return self.checkout / layout.FOLDER


@contextmanager
def locked(checkout: Path, *, progress: Callable[[str], None]) -> Iterator[RegistryLock]:
    """Hold a checkout's registry; while another process does, say so and wait.

    What is locked is the file of the policy, which every registry has and no command replaces.

    Raises: WorldError if the disk can lock no file.
    """
    path, home = checkout / layout.POLICY, checkout / layout.FOLDER
    with able_to("lock", path):
        file = path.open("rb+")
    with file:
        with able_to("lock", path):
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except (BlockingIOError, PermissionError):  # the second on some network disks
                progress(f"another process is writing to {home}; waiting until it is done")
                fcntl.flock(file, fcntl.LOCK_EX)
        yield RegistryLock(checkout=checkout)


T = TypeVar("T")


def end(lock: RegistryLock, event: Event) -> Path:
    """Add the event that ends a snapshot, and return the file that it stands in.

    Raises: UsageError if there is no reason, or nothing is left to end; WorldError if the disk
    fails.
    """
    if not event.reason.strip():
        raise UsageError("an end without a reason helps nobody\n  fix: give --reason")
    events = of_folder(lock.checkout).by_tag.get(event.tag, [])
    over = [e for e in events if e.event in {event.event, "withdrawn"}]
    if over:
        raise UsageError(
            f"{event.tag} is {over[0].event} already\n  fix: see `epc snapshot show {event.tag}`"
        )
    if schema_findings("event", as_json(event)):
        raise UsageError(
            "this is no event that can be kept\n"
            "  fix: as a source name an address on the web, a tag, or a command"
        )
    return append(lock, event)


def append(lock: RegistryLock, *events: Event) -> Path:
    """Add events at the end of the registry's, all of them or none.

    Raises: WorldError if the disk fails.
    """
    path = lock.home / layout.EVENTS
    with able_to("read", path):
        before = path.read_bytes() if path.exists() else b""
    write_bytes(path, [before, *(dumps_line(as_json(event)).encode() for event in events)])
    return path


@contextmanager
def new_folder(out: Path, building: Path, option: str) -> Iterator[Path]:
    """Lend a folder to build in, which stands at `out` once the block ends without failing.

    Raises: UsageError if there is something at `out`, which `option` names; WorldError if the disk
    fails.
    """
    if out.exists() or out.is_symlink():
        raise UsageError(f"{out} exists already\n  fix: name another folder with {option}")
    try:
        with able_to("write", out):
            rmtree(building, ignore_errors=True)
            building.mkdir(parents=True)
            yield building
            building.rename(out)
    finally:
        rmtree(building, ignore_errors=True)
