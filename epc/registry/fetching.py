"""Getting what was published back, exactly as it was: a snapshot's folder, or the whole registry.

The events seal each snapshot's SHA256SUMS, which has the digest of every file of it. Of a sealed
registry each card and file of figures was held against its seal before any is used.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cache
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZipFile

from epc import json_text
from epc.digests import parse_sums, sha256
from epc.errors import Finding, MalformedError, UsageError, WorldError, able_to
from epc.json_text import lines_of
from epc.records.typed import parse
from epc.registry import layout
from epc.registry.history import git, git_bytes, restore_tags
from epc.registry.kinds.table import KINDS
from epc.registry.reading import NAMED, find_checkout, known_seals, nearest_checkout, open_registry
from epc.registry.registry import Registry
from epc.registry.snapshots import Snapshot
from epc.registry.store import WEB, Read, fetched, reader
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
        restore(tag, folder, location=location, store=store, seal=seal)


@contextmanager
def snapshot_folder(
    tag: Tag,
    *,
    location: str,
    store: str | None = None,
    seal: str | None = None,
    raw: Collection[str] | None = None,
) -> Iterator[Path]:
    """Lend a folder that `restore` wrote a snapshot to.

    Raises: as `fetch`.
    """
    with TemporaryDirectory(prefix="epc-") as name:
        with able_to("write", name):
            restore(tag, Path(name), location=location, store=store, seal=seal, raw=raw)
        yield Path(name)


def restore(
    tag: Tag,
    folder: Path,
    *,
    location: str,
    store: str | None = None,
    seal: str | None = None,
    raw: Collection[str] | None = None,
) -> None:
    """Write a snapshot's documents and raw files into a folder, each once it is as it was sealed.

    `raw` names the raw files that are wanted, none or some; without it they are all. Without a
    `seal` it is that of the snapshot's event; of what an address publishes, the seals that are
    known here outweigh its own.

    Raises: as `fetch`; OSError if the folder cannot be written to.
    """
    read = published(location)
    if seal is None and location.startswith(WEB):
        seal = known_seals().get(str(tag))
    seal = seal or _seal(read(layout.LOG), tag)
    home = f"{layout.FOLDER}/{tag}"
    content = read(f"{home}/{layout.SUMS}")
    require_digest(f"{home}/{layout.SUMS}", content, seal)
    sums = parse_sums(content.decode()) or {}
    of_run = [name for kind in KINDS.values() for name in kind.documents if name in sums]
    wants_raw = raw is None or len(raw) > 0
    if wants_raw and layout.POINTER not in sums:
        raise UsageError(
            f"{tag}: there are no raw files in the store\n"
            f"  fix: see its source with `epc snapshot show {tag}`"
        )
    documents = {
        name: read(f"{home}/{name}") for name in (*([layout.POINTER] * wants_raw), *of_run)
    }
    for name, content in documents.items():
        require_digest(f"{home}/{name}", content, sums[name])
    blobs = reader(store or f"{location.rstrip('/')}/{layout.FOLDER}/{layout.STORE}")
    pointer = documents.pop(layout.POINTER, b"").decode()
    for name, content in fetched(pointer, sums, blobs, raw) if wants_raw else ():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    for name, content in documents.items():
        (folder / name).write_bytes(content)


def published(location: str) -> Read:
    """Return what reads a registry's files; a site has the smallest of all snapshots as one."""
    read = reader(location)
    if not (location.startswith(WEB) or (Path(location) / layout.PUBLISHED).is_file()):
        return read

    @cache
    def texts_by_tag() -> Mapping[str, Mapping[str, str]]:
        try:
            content = read(layout.JOINED)
        except WorldError:  # an address may serve a checkout, which has them one by one
            return {}
        return joined_texts(content)

    def read_joined(path: str) -> bytes:
        tag, _, name = path.removeprefix(f"{layout.FOLDER}/").rpartition("/")
        if name in layout.JOINED_NAMES:
            text = texts_by_tag().get(tag, {}).get(name)
            if text is not None:
                return text.encode()
        return read(path)

    return read_joined


def joined_texts(content: bytes) -> dict[str, dict[str, str]]:
    """Return the texts of a site's joined file, by tag and name.

    Raises: MalformedError.
    """
    try:
        return parse(json.loads(content), dict[str, dict[str, str]])
    except ValueError as error:
        raise MalformedError(unsound(layout.JOINED, f"cannot be read: {error}")) from error


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
    digest = sha256(content)
    if digest != wanted:
        raise MalformedError(unsound(where, f"SHA-256 is {digest}, published with {wanted}"))


def unsound(where: str, problem: str) -> Finding:
    """Return the finding for what is not as it was published."""
    remedy = "fetch it from another place, and report this one"
    return Finding(clause="EPC-4", where=where, problem=problem, remedy=remedy)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """A registry as it was sealed, and where its files are.

    `day` is that of the commit, where a tag was asked for.
    """

    registry: Registry
    place: str
    store: str | None
    day: date | None

    def folder(
        self, snapshot: Snapshot, *, raw: Collection[str] | None = None
    ) -> AbstractContextManager[Path]:
        """Lend a folder with a snapshot's own documents and its raw files, each checked.

        `raw` names the raw files that are wanted, none or some; without it they are all.

        Raises: MalformedError if a file is not as it was published; WorldError if the disk or the
        network fails.
        """
        seal = self.registry.seal(str(snapshot.tag))
        return snapshot_folder(
            snapshot.tag, location=self.place, store=self.store, seal=seal, raw=raw
        )


@contextmanager
def open_sealed(
    location: str | None, *, store: str | None = None, tag: str | None = None
) -> Iterator[Sealed]:
    """Lend the registry of a checkout or an address, once all of its cards and figures are checked.

    `store` holds the raw files if they are elsewhere. `tag` is a git tag or a snapshot's tag: the
    registry is then as it was in that commit of the checkout.

    Raises: UsageError if there is none, or no such tag; MalformedError if a file is not as it was
    published; WorldError if git, the disk or the network fails.
    """
    base = _base(location)
    day = None
    with ExitStack() as stack:
        if tag is not None:
            if base.startswith(WEB):
                raise UsageError(f"{base} has no tags\n  fix: ask for {tag} in a clone")
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="epc-")))
            day = _unpack(Path(base), tag, folder)
            store = store or str(Path(base) / layout.FOLDER / layout.STORE)
            base = str(folder)
        registry = open_registry(base)
        _require_sealed(registry, base)
        yield Sealed(registry=registry, place=base, store=store, day=day)


def _base(location: str | None) -> str:
    """Return the folder or address that holds `snapshots/`."""
    if location is None:
        return str(nearest_checkout(NAMED))
    base = location.removesuffix(layout.PUBLISHED).rstrip("/") or "."
    if base.startswith(WEB) or (Path(base) / layout.PUBLISHED).is_file():
        return base
    return str(find_checkout(Path(base), up=False, option=NAMED))


def _require_sealed(registry: Registry, location: str) -> None:
    """Hold every card and every file of figures against its seal, and what was read against it."""
    read, known_digests = published(location), known_seals() if location.startswith(WEB) else {}
    for entry in registry.document["snapshots"]:
        tag = entry["card"]["tag"]
        home = f"{layout.FOLDER}/{tag}"
        seal = registry.seal(tag)
        if seal is None:
            raise MalformedError(unsound(home, "no event says that it was published"))
        if known_digests.get(tag, seal) != seal:
            problem = f"was published with {known_digests[tag]}, and is there with {seal}"
            raise MalformedError(unsound(home, problem))
        listed = read(f"{home}/{layout.SUMS}")
        require_digest(f"{home}/{layout.SUMS}", listed, seal)
        sums = parse_sums(listed.decode()) or {}
        documents = {}
        for name in (layout.CARD, layout.FIGURES):
            content = read(f"{home}/{name}")
            require_digest(f"{home}/{name}", content, sums[name])
            documents[name] = json.loads(content)
        card_and_figures = documents[layout.CARD], documents[layout.FIGURES]["figures"]
        if card_and_figures != (entry["card"], entry["figures"]):
            raise MalformedError(unsound(home, f"is not what {layout.PUBLISHED} says of it"))


def _unpack(checkout: Path, tag: str, folder: Path) -> date:
    """Write what the registry was at a tag to a folder, but for the store; return the day."""
    try:
        arguments = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{tag}^{{commit}}")
        commit = git(checkout, *arguments).strip()
    except WorldError:  # a clone without tags gets all of them now
        commit = restore_tags(checkout).get(tag, "")
    if not commit:
        raise UsageError(f"there is no tag {tag} here\n  fix: see `git tag`, `epc snapshot list`")
    left_out = f":(exclude){layout.FOLDER}/{layout.STORE}"
    packed = git_bytes(
        checkout, "archive", "--format=zip", commit, layout.FOLDER, layout.POLICY, left_out
    )
    with ZipFile(BytesIO(packed)) as archive:  # which makes no link, and writes nowhere else
        archive.extractall(folder)
    moment = int(git(checkout, "show", "--no-patch", "--format=%ct", commit))
    return datetime.fromtimestamp(moment, UTC).date()
