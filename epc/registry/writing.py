"""Adding to the registry. What stands there is never changed."""

from datetime import date
from pathlib import Path

from epc.errors import UsageError, WorldError
from epc.records.strict_json import dumps_line, write_bytes
from epc.registry import layout
from epc.registry.reading import of_folder
from epc.registry.snapshots import Json
from epc.registry.tags import Tag


def withdraw(checkout: Path, tag: Tag, *, reason: str, day: date) -> Path:
    """Add the event that withdraws a snapshot, and return the file that it stands in.

    Raises: UsageError if there is no reason, or it is withdrawn already; WorldError if the disk
    fails.
    """
    if not reason.strip():
        raise UsageError("a withdrawal without a reason helps nobody\n  fix: give --reason")
    told = of_folder(checkout).by_tag.get(str(tag), [])
    if any(event.name == "withdrawn" for event in told):
        raise UsageError(f"{tag} is withdrawn already\n  fix: see `epc snapshot show {tag}`")
    event = {"date": day.isoformat(), "event": "withdrawn", "reason": reason, "tag": str(tag)}
    return append(checkout, event)


def append(checkout: Path, event: Json) -> Path:
    """Add one event at the end of the registry's events, whole or not at all.

    Raises: WorldError if the disk fails.
    """
    path = checkout / layout.FOLDER / layout.EVENTS
    try:
        before = path.read_bytes() if path.exists() else b""
    except OSError as error:
        raise WorldError(f"cannot read {path}: {error.strerror or error}") from error
    write_bytes(path, [before, dumps_line(event).encode()])
    return path
