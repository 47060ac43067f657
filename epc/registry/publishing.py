"""Publishing a measured run (`epc snapshot publish`).

The order is what makes it safe to interrupt: raw files into the store, the folder whole under its
name, the event, the commit, the git tag. Each step looks whether it was done, so a second try ends
what the first one began, under the same id.
"""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from epc.errors import UsageError, WorldError
from epc.records import strict_json
from epc.records.audit import audit_checked
from epc.records.layout import MANIFEST, PROBES
from epc.records.validate import validate
from epc.registry import layout
from epc.registry.cards import NO_BASELINE, Said, card_of
from epc.registry.endings import endings
from epc.registry.figures import disagreement
from epc.registry.history import commit, tag_commit
from epc.registry.lives import MOCKS, Life
from epc.registry.reading import folders, of_folder, taken
from epc.registry.registry import Registry
from epc.registry.snapshots import Json, Snapshot
from epc.registry.store import put
from epc.registry.sums import sha256, sums_text
from epc.registry.tags import Tag, next_tag
from epc.registry.writing import append


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A valid run that is to be published, what its audit says, and what its contributor does.

    `platform` is where the evaluator was asked; without it, what stands before the `/` of its name.
    """

    run: Path
    manifest: Json
    audit: Json
    platform: str | None
    said: Said


def offered(run: Path, said: Said, *, platform: str | None = None) -> Offer:
    """Check a run, and return what is offered of it.

    Raises: UsageError if it is not valid, or nothing could be recomputed.
    """
    report = validate(run)
    if not report.ok or report.manifest is None:
        raise UsageError(
            f"{run} is not valid: {len(report.findings)} findings\n  fix: see `epc validate {run}`"
        )
    if not report.manifest["raw"]:
        raise UsageError(
            f"{run} has no raw files, so nothing could be recomputed\n"
            "  fix: publish the folder that the measurement wrote"
        )
    audit = audit_checked(report).as_json()
    return Offer(run=run, manifest=report.manifest, audit=audit, platform=platform, said=said)


def publish(
    checkout: Path,
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
    registry = of_folder(checkout)
    manifest, audit, said = offer.manifest, offer.audit, offer.said
    life = _life(registry, offer)
    if life and audit["verdict"] in NO_BASELINE:
        raise UsageError(
            f"{offer.run} is no baseline: its audit says {audit['verdict']}\n"
            f"  fix: see `epc audit {offer.run}`"
        )
    own = published_as(checkout, offer.run, said.generation)
    tag = own or next_tag(said.generation, taken(checkout, registry))
    card = card_of(tag, manifest, audit, said, life)
    new = Snapshot.of(card, manifest["results"]["summary"])
    if said.replicates:
        _require_replication(registry, said.replicates, new)
    folder = checkout / layout.FOLDER / str(tag)
    if not folder.is_dir():
        _build(checkout, offer.run, card, manifest)
        tell(f"wrote {folder}")
    if not any(event.name == "published" for event in registry.by_tag.get(str(tag), [])):
        told = _told(folder, registry, new, day)
        append(checkout, *told)
        for event in told:
            tell(f"event: {event['tag']} {event['event']}")
    if git:
        parts = (str(tag), layout.EVENTS, layout.STORE)
        paths = [f"{layout.FOLDER}/{part}" for part in parts]
        commit(checkout, f"Publish {tag}", paths, leaving=leaving)
        tag_commit(checkout, str(tag), "HEAD")
        tell(f"committed, and tagged {tag}")
    return tag


def _told(folder: Path, registry: Registry, new: Snapshot, day: date) -> list[Json]:
    """Return the events of a publication: its own, and what it means for older snapshots."""
    own = {"event": "published", "sha256": sha256(folder / layout.SUMS), "tag": str(new.tag)}
    return [{"date": day.isoformat(), **event} for event in (own, *endings(registry, new))]


def _life(registry: Registry, offer: Offer) -> Life | None:
    """Return the life of the evaluator on the platform that it was asked on."""
    name: str = offer.manifest["evaluator"]["model"]
    if name.startswith(MOCKS):
        return None
    platform = offer.platform or name.split("/", 1)[0]
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
    repeated = registry.snapshots.get(tag)
    why = disagreement(repeated, own) if repeated else "there is no such snapshot"
    if why:
        raise UsageError(
            f"this does not replicate {tag}: {why}\n"
            "  fix: publish it without --replicates; both stand, and `epc snapshot diff` compares"
        )


def published_as(checkout: Path, run: Path, generation: str) -> Tag | None:
    """Return the id under which this very run stands in the registry, if it does."""
    own = (run / MANIFEST).read_bytes()
    for folder in folders(checkout):
        there, tag = folder / layout.MANIFEST, Tag.parse(folder.name)
        if tag.generation == generation and there.is_file() and there.read_bytes() == own:
            return tag
    return None


def _build(checkout: Path, run: Path, card: Json, manifest: Json) -> None:
    """Write the folder beside its place, and move it there when it is whole."""
    home = checkout / layout.FOLDER
    raw = {entry["path"]: entry["sha256"] for entry in manifest["raw"].values()}
    if (run / PROBES).exists():
        raw[PROBES] = sha256(run / PROBES)
    pointer = put(home / layout.STORE, {name: (run / name).read_bytes() for name in raw})
    building = home / f".publishing-{card['tag']}"
    try:
        shutil.rmtree(building, ignore_errors=True)
        building.mkdir()
        shutil.copyfile(run / MANIFEST, building / layout.MANIFEST)
        strict_json.write(building / layout.CARD, card)
        figures = {"kind": "measured", "figures": manifest["results"]["summary"]}
        strict_json.write(building / layout.FIGURES, figures)
        strict_json.write_text(building / layout.POINTER, [pointer])
        digests = {name: sha256(building / name) for name in layout.FILES["measured"]}
        digests |= {f"raw/{name}": value for name, value in raw.items()}
        strict_json.write_text(building / layout.SUMS, [sums_text(digests)])
        building.rename(home / card["tag"])
    except OSError as error:
        raise WorldError(f"cannot write {building}: {error.strerror or error}") from error
