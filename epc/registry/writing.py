"""Adding to the registry. What stands there is never changed."""

from pathlib import Path

from epc.errors import UsageError, WorldError
from epc.records.strict_json import dumps_line, write_bytes
from epc.records.typed import as_json
from epc.registry import layout
from epc.registry.locking import RegistryLock
from epc.registry.reading import of_folder
from epc.registry.snapshots import Event, LivesSealed


def end(lock: RegistryLock, event: Event) -> Path:
    """Add the event that ends a snapshot, and return the file that it stands in.

    Raises: UsageError if there is no reason, or nothing is left to end; WorldError if the disk
    fails.
    """
    if not event.reason.strip():
        raise UsageError("an end without a reason helps nobody\n  fix: give --reason")
    told = of_folder(lock.checkout).by_tag.get(event.tag, [])
    over = [e for e in told if e.event in {event.event, "withdrawn"}]
    if over:
        raise UsageError(
            f"{event.tag} is {over[0].event} already\n  fix: see `epc snapshot show {event.tag}`"
        )
    return append(lock, event)


def append(lock: RegistryLock, *events: Event | LivesSealed) -> Path:
    """Add events at the end of the registry's, all of them or none.

    Raises: WorldError if the disk fails.
    """
    path = lock.home / layout.EVENTS
    try:
        before = path.read_bytes() if path.exists() else b""
    except OSError as error:
        raise WorldError(f"cannot read {path}: {error.strerror or error}") from error
    write_bytes(path, [before, *(dumps_line(as_json(event)).encode() for event in events)])
    return path
