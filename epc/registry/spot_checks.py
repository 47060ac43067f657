"""Spot checks of what is published: what a check needs, and publishing one as a step of trust.

snapshots/spot-checks/TAG-DIGEST.json    what was asked again, and what was answered
snapshots/spot_checks.jsonl              one line a check; lines are only added
"""

import hashlib
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from epc.analysis.spot_checking import SpotCheck, draw, judged
from epc.errors import UsageError
from epc.records import strict_json
from epc.records.asked import AskedPair, PairKey, asked_by_run
from epc.records.findings import Findings
from epc.records.manifest import Manifest, ModelIdentity
from epc.records.recompute import load_manifest
from epc.records.typed import as_json, parse
from epc.registry import layout
from epc.registry.fetching import restore_sealed
from epc.registry.history import lost_events, published_by
from epc.registry.locking import RegistryLock
from epc.registry.names import is_same
from epc.registry.platforms import PLATFORMS, kind_of, misplaced
from epc.registry.reading import of_folder
from epc.registry.registry import Registry
from epc.registry.snapshots import Snapshot, SpotChecked
from epc.registry.sums import sha256
from epc.registry.tags import Tag
from epc.registry.writing import add_lines, typed_lines

_DIGITS: Final = 12
_CLAUSE: Final = "EPC-4"
_RESTORE: Final = "restore it with `git checkout`"


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A snapshot that can be asked again: its record, its pairs, the commit that published it.

    `name` is that of its evaluator on its own platform.
    """

    snapshot: Snapshot
    name: str
    manifest: Manifest
    asked: dict[PairKey, AskedPair]
    commit: str


def published(checkout: Path, tag: str) -> Published:
    """Return a measured snapshot with every pair that it has a verdict for.

    Raises: UsageError if there is none, or its history is not here; MalformedError if a file is not
    as it was published; WorldError if the disk or git fails.
    """
    registry = of_folder(checkout)
    snapshot = registry.snapshot(tag)
    if snapshot.kind != "measured":
        raise UsageError(f"{tag} is {snapshot.kind}: nothing was asked that could be asked again")
    commit = published_by(checkout).get(tag)
    if commit is None:
        raise UsageError(f"no commit published {tag} yet: its draw is not fixed")
    with TemporaryDirectory() as folder:
        restore_sealed(Tag.parse(tag), Path(folder), location=str(checkout), store=None)
        manifest = load_manifest(Path(folder))
        if not manifest.reuses:
            raise UsageError(f"{tag} asked every round afresh: no verdict of it stands for a pair")
        pairs = asked_by_run(manifest, Path(folder))
    name = _own_name(registry, snapshot, manifest.evaluator)
    return Published(snapshot=snapshot, name=name, manifest=manifest, asked=pairs, commit=commit)


def _own_name(registry: Registry, snapshot: Snapshot, evaluator: ModelIdentity) -> str:
    """Return the name by which an evaluator is asked on its platform, not through a gateway."""
    card = snapshot.card
    life = registry.life(card.generation, card.evaluator.platform)
    if kind_of(evaluator) == "direct" or life is None:
        return evaluator.model
    return f"{PLATFORMS[life.platform].providers[0]}/{life.model}"


def is_direct(model: ModelIdentity, snapshot: Snapshot) -> bool:
    """Whether a model was asked at the own address of the platform that a card names."""
    return kind_of(model) == "direct" and not misplaced(model, snapshot.card.evaluator.platform)


def add(lock: RegistryLock, report: Path, *, by: str, day: date) -> SpotChecked:
    """Put a spot check into the registry, if it is one of what is published; return its line.

    Raises: UsageError if it is not; WorldError if the disk or git fails.
    """
    spot_check = _read(report)
    publication = published(lock.checkout, spot_check.tag)
    if why := _refused(spot_check, publication, by):
        raise UsageError(f"{report} is no spot check of {spot_check.tag}: {why}")
    content = strict_json.dumps(as_json(spot_check))
    digest = hashlib.sha256(content.encode()).hexdigest()
    if any(one.sha256 == digest for one in of_folder(lock.checkout).spot_checks):
        raise UsageError(f"{report} is in the registry already")
    aside = lock.home / layout.SPOT_CHECKS
    aside.mkdir(exist_ok=True)
    strict_json.write_text(aside / f"{spot_check.tag}-{digest[:_DIGITS]}.json", [content])
    agreement = spot_check.agreement
    line = SpotChecked(
        date=day,
        tag=spot_check.tag,
        by=by,
        pairs=agreement.pairs,
        agreed=agreement.agreed,
        p_value=agreement.p_value,
        verdict=agreement.verdict,
        sha256=digest,
    )
    add_lines(lock.home / layout.SPOT_CHECKED, line)
    return line


def _read(report: Path) -> SpotCheck:
    """Return a spot check of valid shape, which anybody may have written."""
    value, problems = strict_json.read(report)
    try:
        spot_check = parse(value, SpotCheck)
    except ValueError as error:
        why = problems[0].problem if problems else str(error)
        raise UsageError(f"{report} is no spot check: {why}") from error
    if not spot_check.pairs or len(spot_check.pairs) != len(spot_check.answers):
        raise UsageError(f"{report} is no spot check: it has not two answers for each pair")
    return spot_check


def _refused(spot_check: SpotCheck, publication: Published, by: str) -> str:
    """Say why a report is no spot check of a snapshot; empty if it is one."""
    model = spot_check.asked.model
    direct = spot_check.direct and is_direct(spot_check.asked, publication.snapshot)
    conditions = (
        (
            spot_check.seed == publication.commit,
            f"{spot_check.seed} drew it, and {publication.commit} published it",
        ),
        (
            spot_check.pairs == draw(publication.asked, publication.commit, len(spot_check.pairs)),
            "its pairs are not those that this commit draws",
        ),
        (
            spot_check.agreement == judged(spot_check.pairs, spot_check.answers),
            "its figures are not those of its answers",
        ),
        (
            model == publication.name,
            f"{model} was asked, and {publication.name} is the evaluator's name",
        ),
        (direct, "it was not asked at the address of the platform that the card names"),
        (
            not is_same(by, publication.snapshot.card.contributor),
            f"{by} measured it; somebody else has to ask",
        ),
    )
    return next((why for holds, why in conditions if not holds), "")


def check(checkout: Path, findings: Findings) -> None:
    """Note each spot check that was published and is gone, or whose answers are not as sealed.

    Raises: WorldError if git fails.
    """
    where = f"{layout.FOLDER}/{layout.SPOT_CHECKED}"
    for line in lost_events(checkout, where) or ():
        findings.add(_CLAUSE, where, f"this line was published and is gone: {line}", _RESTORE)
    for number, entry in typed_lines(checkout / where, SpotChecked):
        if entry is None:
            findings.add(_CLAUSE, f"{where}:{number}", "is no spot check", _RESTORE)
            continue
        file = f"{layout.FOLDER}/{layout.SPOT_CHECKS}/{entry.tag}-{entry.sha256[:_DIGITS]}.json"
        if not (checkout / file).is_file() or sha256(checkout / file) != entry.sha256:
            findings.add(_CLAUSE, file, "is missing or not as it was published", _RESTORE)
