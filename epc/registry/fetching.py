"""Getting a snapshot back as the folder that was published, exactly as it was."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

from epc import json_text
from epc.digests import parse_sums, sha256
from epc.errors import Finding, MalformedError, UsageError
from epc.json_text import lines_of
from epc.registry import layout
from epc.registry.file_sources import WEB, reader
from epc.registry.kinds.table import KINDS
from epc.registry.reading import known_seals
from epc.registry.store import fetched
from epc.registry.tags import Tag
from epc.registry.writing import new_folder


def fetch(
    tag: Tag, out: Path, *, location: str, store: str | None, seal: str | None = None
) -> None:
    """Write a snapshot's own documents and raw files to a new folder, every digest checked.

    `location` holds `snapshots/`: a checkout, or an address that publishes it. `store` holds the
    raw files if they are elsewhere. `seal` is the digest that it was published with, where that is
    known; else the event there has it. Nothing appears at `out` unless all of it is right.

    Raises: UsageError if `out` exists, or there are no raw files; MalformedError if a file is not
    as it was published; WorldError if the disk or the network fails.
    """
    with new_folder(out, out.with_name(f".{out.name}.partial"), "--out") as folder:
        if seal:
            restore(tag, folder, seal=seal, location=location, store=store)
        else:
            restore_sealed(tag, folder, location=location, store=store)


def restore_sealed(tag: Tag, folder: Path, *, location: str, store: str | None) -> None:
    """Write a snapshot to a folder as `restore` does, by the seal of its own event.

    Of what an address publishes, the seals that are known here outweigh its own.

    Raises: as `fetch`; OSError if the folder cannot be written to.
    """
    seal = known_seals().get(str(tag)) if location.startswith(WEB) else None
    seal = seal or _seal(reader(location)(layout.LOG), tag)
    restore(tag, folder, seal=seal, location=location, store=store)


def restore(
    tag: Tag,
    folder: Path,
    *,
    seal: str,
    location: str,
    store: str | None,
    raw: Collection[str] | None = None,
) -> None:
    """Write a snapshot's documents and raw files into a folder, each once it is as it was sealed.

    `raw` names the raw files that are wanted, none or some; without it they are all.

    Raises: as `fetch`; OSError if the folder cannot be written to.
    """
    read = reader(location)
    home = f"{layout.FOLDER}/{tag}"
    content = read(f"{home}/{layout.SUMS}")
    require_digest(f"{home}/{layout.SUMS}", content, seal)
    sums = parse_sums(content.decode()) or {}
    of_run = [name for kind in KINDS.values() for name in kind.documents if name in sums]
    some = raw is None or len(raw) > 0
    if some and layout.POINTER not in sums:
        raise UsageError(
            f"{tag}: there are no raw files in the store\n"
            f"  fix: see its source with `epc snapshot show {tag}`"
        )
    documents = {name: read(f"{home}/{name}") for name in (*([layout.POINTER] * some), *of_run)}
    for name, content in documents.items():
        require_digest(f"{home}/{name}", content, sums[name])
    blobs = reader(store or f"{location.rstrip('/')}/{layout.FOLDER}/{layout.STORE}")
    pointer = documents.pop(layout.POINTER, b"").decode()
    for name, content in fetched(pointer, sums, blobs, raw) if some else ():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    for name, content in documents.items():
        (folder / name).write_bytes(content)


def _seal(events: bytes, tag: Tag) -> str:
    """Return the digest that a snapshot's event sealed its SHA256SUMS with."""
    text = events.decode(errors="replace")
    # Of thousands of lines, those that name the tag are worth a parser.
    lines: list[Any] = [json_text.parse(line)[0] for line in lines_of(text) if str(tag) in line]
    seals = [
        line.get("sha256")
        for line in lines
        if isinstance(line, dict)
        and (line.get("event"), line.get("tag")) == ("published", str(tag))
    ]
    if not seals:
        raise UsageError(f"{tag} was not published there\n  fix: see `epc snapshot list`")
    return str(seals[0])


def require_digest(where: str, content: bytes, wanted: str) -> None:
    """Refuse what is not as it was published.

    Raises: MalformedError.
    """
    now = sha256(content)
    if now != wanted:
        raise MalformedError(unsound(where, f"SHA-256 is {now}, published with {wanted}"))


def unsound(where: str, problem: str) -> Finding:
    """Return the finding for what is not as it was published."""
    remedy = "fetch it from another place, and report this one"
    return Finding(clause="EPC-4", where=where, problem=problem, remedy=remedy)
