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
from typing import Any, Final

from epc.errors import UsageError, WorldError
from epc.records import strict_json
from epc.records.layout import MANIFEST
from epc.records.validate import validate
from epc.registry import layout
from epc.registry.figures import disagreement
from epc.registry.history import commit, tag_commit
from epc.registry.lives import Generation, Life
from epc.registry.reading import folders, of_folder
from epc.registry.registry import Registry
from epc.registry.snapshots import Json, Snapshot
from epc.registry.store import put
from epc.registry.sums import sha256, sums_text
from epc.registry.tags import Tag, next_tag
from epc.registry.writing import append

_MOCKS: Final = "mock/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What is published, under which generation, by whom.

    `platform` is where the evaluator was asked; without it, what stands before the `/` of its name.
    `replicates` is the tag that this measurement repeats and agrees with.
    """

    run: Path
    generation: str
    contributor: str
    platform: str | None
    proxy: bool
    replicates: str | None


def publish(
    checkout: Path, offer: Offer, *, day: date, tell: Callable[[str], None], git: bool = True
) -> Tag:
    """Publish a run, or end a publication that was interrupted, and return its id.

    Raises: UsageError if the run cannot be published; WorldError if the disk or git fails.
    """
    report = validate(offer.run)
    if not report.ok:
        raise UsageError(
            f"{offer.run} is not valid: {len(report.findings)} findings\n"
            f"  fix: see `epc validate {offer.run}`"
        )
    manifest, _ = strict_json.read(offer.run / MANIFEST)
    if not manifest["raw"]:
        raise UsageError(
            f"{offer.run} has no raw files, so nothing could be recomputed\n"
            "  fix: publish the folder that the measurement wrote"
        )
    registry = of_folder(checkout)
    life = _life(registry.generations.get(offer.generation), offer, manifest)
    tag = _tag(checkout, offer)
    card = _card(offer, tag, manifest, life)
    if offer.replicates:
        _require_replication(registry, offer.replicates, card, manifest)
    folder = checkout / layout.FOLDER / str(tag)
    if not folder.is_dir():
        _build(checkout, offer, tag, card, manifest)
        tell(f"wrote {folder}")
    if not any(event.name == "published" for event in registry.by_tag.get(str(tag), [])):
        seal = sha256(folder / layout.SUMS)
        append(
            checkout,
            {"date": day.isoformat(), "event": "published", "sha256": seal, "tag": str(tag)},
        )
        tell("added its event")
    if git:
        parts = (str(tag), layout.EVENTS, layout.STORE)
        commit(checkout, f"Publish {tag}", [f"{layout.FOLDER}/{part}" for part in parts])
        tag_commit(checkout, str(tag), "HEAD")
        tell(f"committed, and tagged {tag}")
    return tag


def _life(generation: Generation | None, offer: Offer, manifest: Json) -> Life | None:
    """Return the life of the evaluator on the platform that it was asked on."""
    name: str = manifest["evaluator"]["model"]
    if name.startswith(_MOCKS):
        return None
    platform = offer.platform or name.split("/", 1)[0]
    life = generation.on(platform) if generation else None
    if life is None:
        path = f"{layout.FOLDER}/{layout.EVALUATORS}/{offer.generation}.json"
        raise UsageError(
            f"nothing is known of {offer.generation} on {platform}\n"
            f"  fix: add it to {path}, with the dates that {platform} states and their source, "
            "or name another --platform"
        )
    return life


def _require_replication(registry: Registry, tag: str, card: Json, manifest: Json) -> None:
    """Refuse a replication that is none."""
    repeated = registry.snapshots.get(tag)
    own = Snapshot.of(card, manifest["results"]["summary"])
    why = disagreement(repeated, own) if repeated else "there is no such snapshot"
    if why:
        raise UsageError(
            f"this does not replicate {tag}: {why}\n"
            "  fix: publish it without --replicates; both stand, and `epc snapshot diff` compares"
        )


def _tag(checkout: Path, offer: Offer) -> Tag:
    """Return the id of this very run if it has one, else the next of its generation."""
    taken = [Tag.parse(folder.name) for folder in folders(checkout)]
    taken += [Tag.parse(name) for name in of_folder(checkout).by_tag]
    own = (offer.run / MANIFEST).read_bytes()
    for tag in taken:
        there = checkout / layout.FOLDER / str(tag) / layout.MANIFEST
        if tag.generation == offer.generation and there.is_file() and there.read_bytes() == own:
            return tag
    return next_tag(offer.generation, taken)


def _card(offer: Offer, tag: Tag, manifest: Json, life: Life | None) -> Json:
    evaluator, day = manifest["evaluator"], manifest["evaluator"]["measurement_date"]
    return {
        "tag": str(tag),
        "kind": "measured",
        "trust": "replicated" if offer.replicates else "recomputed",
        "generation": offer.generation,
        "protocol_version": manifest["protocol_version"],
        "evaluator": _model(evaluator, life.platform if life else None, proxy=offer.proxy),
        "executor": _model(manifest["executor"], None, proxy=False),
        "measured": {"from": day, "to": day},
        "contributor": offer.contributor,
        "calibration": life is None,
        "replicates": offer.replicates,
        "citation": None,
        "known_faults": [],
    }


def _model(given: Any, platform: str | None, *, proxy: bool) -> Json | None:
    if given is None:
        return None
    before, slash, model = given["model"].partition("/")
    return {
        "model": model if slash else before,
        "platform": platform or (before if slash else None),
        "gateway": given["gateway"],
        "proxy": proxy,
        "as_printed": None,
    }


def _build(checkout: Path, offer: Offer, tag: Tag, card: Json, manifest: Json) -> None:
    """Write the folder beside its place, and move it there when it is whole."""
    home = checkout / layout.FOLDER
    raw = {entry["path"]: entry["sha256"] for entry in manifest["raw"].values()}
    pointer = put(home / layout.STORE, {name: (offer.run / name).read_bytes() for name in raw})
    building = home / f".publishing-{tag}"
    try:
        shutil.rmtree(building, ignore_errors=True)
        building.mkdir()
        shutil.copyfile(offer.run / MANIFEST, building / layout.MANIFEST)
        strict_json.write(building / layout.CARD, card)
        figures = {"kind": "measured", "figures": manifest["results"]["summary"]}
        strict_json.write(building / layout.FIGURES, figures)
        strict_json.write_text(building / layout.POINTER, [pointer])
        digests = {name: sha256(building / name) for name in layout.FILES["measured"]}
        digests |= {f"raw/{name}": value for name, value in raw.items()}
        strict_json.write_text(building / layout.SUMS, [sums_text(digests)])
        building.rename(home / str(tag))
    except OSError as error:
        raise WorldError(f"cannot write {building}: {error.strerror or error}") from error
