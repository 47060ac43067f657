"""Publishing a measured run, an evaluation, or recorded verdicts (`epc admin snapshot publish`).

The order is what makes it safe to interrupt: raw files into the store, the folder whole under its
name, the event, what DVC shows, the commit, the git tag. Each step looks whether it was done, so a
second try ends what the first one began, under the same id.
"""

import shutil
import tempfile
from collections.abc import Callable
from datetime import date
from pathlib import Path

from epc.digests import file_sha256, sums_text
from epc.errors import UsageError, able_to
from epc.records import strict_json
from epc.records.typed import as_json
from epc.registry import layout
from epc.registry.cards import Said
from epc.registry.endings import endings
from epc.registry.figures import beside_others, disagreement
from epc.registry.headlines import FILES as HEADLINES
from epc.registry.headlines import write_headlines
from epc.registry.history import added_by, commit, tag_commit
from epc.registry.kinds.adapter import adapter
from epc.registry.kinds.folders import kind_of
from epc.registry.kinds.table import KINDS
from epc.registry.lifecycles import Life
from epc.registry.locking import RegistryLock
from epc.registry.offers import Offer, platform_claimed, require_true
from epc.registry.reading import folders, of_folder, taken
from epc.registry.record import Record
from epc.registry.registry import Registry
from epc.registry.snapshots import Event, Metrics, Snapshot
from epc.registry.store import put
from epc.registry.tags import Tag, next_tag
from epc.registry.writing import append


def offered(run: Path, declaration: Said) -> Offer:
    """Check a run, an evaluation or a folder of verdicts, and return what is offered of it.

    Raises: UsageError if it is not valid, or nothing could be recomputed; MalformedError if an
    evaluation's document was damaged.
    """
    return adapter(kind_of(run)).offered(run, declaration)


def publish(
    lock: RegistryLock,
    offer: Offer,
    *,
    day: date,
    tell: Callable[[str], None],
    git: bool = True,
    leaving: str | None = None,
) -> Tag:
    """Publish an offer, or end a publication that was interrupted, and return its id.

    `leaving` is the submission that it was, which the same commit takes out of the checkout.

    Raises: UsageError if the run cannot be published; WorldError if the disk or git fails.
    """
    checkout = lock.checkout
    _clear(lock)
    registry = of_folder(checkout)
    require_true(registry, offer, day)
    declaration, life = offer.said, _life(registry, offer)
    if life and offer.no_baseline:
        raise UsageError(f"{offer.run} is no baseline: {offer.no_baseline}")
    own = published_as(checkout, offer.run, declaration.generation, kind=offer.kind)
    if own and beside_others(offer.figures) > beside_others(registry.snapshot(str(own)).figures):
        own = None  # the same verdicts, and more is said of them
    tag = own or next_tag(declaration.generation, taken(checkout, registry))
    card = offer.card(tag, life)
    if declaration.replicates:
        _require_replication(registry, declaration.replicates, Snapshot.of(card, offer.figures))
    new = Snapshot.of(card, offer.figures)
    folder = lock.home / str(tag)
    if not folder.is_dir():
        _build(checkout, offer, card)
        tell(f"wrote {folder}")
    if not any(event.event == "published" for event in registry.by_tag.get(str(tag), [])):
        events = _told(folder, registry, new, day)
        append(lock, *events)
        for event in events:
            tell(f"event: {event.tag} {event.event}")
    write_headlines(lock, audit=False)
    if git:
        parts = (str(tag), layout.EVENTS, layout.STORE, *HEADLINES)
        paths = [f"{layout.FOLDER}/{part}" for part in parts if (lock.home / part).exists()]
        new_commit = commit(checkout, f"Publish {tag}", paths, leaving=leaving)
        sums = f"{layout.FOLDER}/{tag}/{layout.SUMS}"
        tag_commit(checkout, str(tag), added_by(checkout, sums))
        tell(f"committed, and tagged {tag}" if new_commit else f"{tag} is published already")
    return tag


def _told(folder: Path, registry: Registry, new: Snapshot, day: date) -> list[Event]:
    """Return the events of a publication: its own, and what it means for older snapshots."""
    digest = file_sha256(folder / layout.SUMS)
    own = Event(date=day, tag=str(new.tag), event="published", sha256=digest)
    return [own, *endings(registry, new, day)]


def _life(registry: Registry, offer: Offer) -> Life | None:
    """Return the life of the evaluator on the platform that it was asked on."""
    if offer.is_mock:
        return None
    platform = platform_claimed(offer)
    life = registry.life(offer.said.generation, platform)
    if life is None:
        path = f"{layout.FOLDER}/{layout.EVALUATORS}/{offer.said.generation}.json"
        raise UsageError(
            f"nothing is known of {offer.said.generation} on {platform}\n"
            f"  fix: add it to {path}, with the dates that {platform} states and their source, "
            "or name another --platform"
        )
    return life


def _require_replication(registry: Registry, tag: str, own: Snapshot) -> None:
    """Refuse a replication that is none."""
    if own.card.audit and own.card.login is None:
        raise UsageError(
            f"this does not replicate {tag}: nobody's login on GitHub is stated\n"
            "  fix: name whoever measured it with --login"
        )
    repeated = registry.snapshots.get(tag)
    why = disagreement(repeated, own) if repeated else "there is no such snapshot"
    if why:
        raise UsageError(
            f"this does not replicate {tag}: {why}\n"
            "  fix: publish it without --replicates; both stand, and `epc snapshot diff` compares"
        )


def published_as(
    checkout: Path, run: Path, generation: str, *, kind: str = "measured"
) -> Tag | None:
    """Return the id under which this very run stands in the registry, if it does."""
    name = KINDS[kind].documents[-1]
    own = (run / name).read_bytes()
    for folder in folders(checkout):
        there, tag = folder / name, Tag.parse(folder.name)
        if tag.generation == generation and there.is_file() and there.read_bytes() == own:
            return tag
    return None


def _clear(lock: RegistryLock) -> None:
    """Remove what killed publications left beside the snapshots: under the lock it is nobody's."""
    for left in lock.home.glob(f"{layout.ASIDE}*"):
        shutil.rmtree(left, ignore_errors=True)


def _build(checkout: Path, offer: Offer, card: Record) -> None:
    """Write the folder in a new one beside its place, and move it there when it is whole."""
    home, run = checkout / layout.FOLDER, offer.run
    raw = {name: (run / name).read_bytes() for name in offer.raw}
    pointer = {layout.POINTER: put(home / layout.STORE, raw)} if raw else {}
    with (
        able_to("write", home / card.tag),
        tempfile.TemporaryDirectory(prefix=f"{layout.ASIDE}ing-", dir=home) as around,
    ):
        building = Path(around) / card.tag
        building.mkdir()
        for name in KINDS[offer.kind].documents:
            shutil.copyfile(run / name, building / name)
        strict_json.write(building / layout.CARD, card.as_json())
        metrics = Metrics(kind=offer.kind, figures=offer.figures)
        strict_json.write(building / layout.FIGURES, as_json(metrics))
        for name, text in pointer.items():
            strict_json.write_text(building / name, [text])
        names = {*KINDS[offer.kind].files, *pointer}
        digests = {name: file_sha256(building / name) for name in names}
        digests |= {f"raw/{name}": value for name, value in offer.raw.items()}
        strict_json.write_text(building / layout.SUMS, [sums_text(digests)])
        building.rename(home / card.tag)
