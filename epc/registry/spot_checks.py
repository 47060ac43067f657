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
        restore_sealed(Tag.parse(tag), Path(folder), place=str(checkout), store=None)
        manifest = load_manifest(Path(folder))
        if not manifest.reuses:
            raise UsageError(f"{tag} asked every round afresh: no verdict of it stands for a pair")
        asked = asked_by_run(manifest, Path(folder))
    name = _own_name(registry, snapshot, manifest.evaluator)
    return Published(snapshot=snapshot, name=name, manifest=manifest, asked=asked, commit=commit)


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
    given = _read(report)
    found = published(lock.checkout, given.tag)
    if why := _refused(given, found, by):
        raise UsageError(f"{report} is no spot check of {given.tag}: {why}")
    content = strict_json.dumps(as_json(given))
    digest = hashlib.sha256(content.encode()).hexdigest()
    if any(one.sha256 == digest for one in of_folder(lock.checkout).spot_checks):
        raise UsageError(f"{report} is in the registry already")
    aside = lock.home / layout.SPOT_CHECKS
    aside.mkdir(exist_ok=True)
    strict_json.write_text(aside / f"{given.tag}-{digest[:_DIGITS]}.json", [content])
    said = given.agreement
    line = SpotChecked(
        date=day,
        tag=given.tag,
        by=by,
        pairs=said.pairs,
        agreed=said.agreed,
        p_value=said.p_value,
        verdict=said.verdict,
        sha256=digest,
    )
    add_lines(lock.home / layout.SPOT_CHECKED, line)
    return line


def _read(report: Path) -> SpotCheck:
    """Return a spot check of valid shape, which anybody may have written."""
    value, problems = strict_json.read(report)
    try:
        given = parse(value, SpotCheck)
    except ValueError as error:
        why = problems[0].problem if problems else str(error)
        raise UsageError(f"{report} is no spot check: {why}") from error
    if not given.pairs or len(given.pairs) != len(given.answers):
        raise UsageError(f"{report} is no spot check: it has not two answers for each pair")
    return given


def _refused(given: SpotCheck, found: Published, by: str) -> str:
    """Say why a report is no spot check of a snapshot; empty if it is one."""
    model = given.asked.model
    direct = given.direct and is_direct(given.asked, found.snapshot)
    conditions = (
        (given.seed == found.commit, f"{given.seed} drew it, and {found.commit} published it"),
        (
            given.pairs == draw(found.asked, found.commit, len(given.pairs)),
            "its pairs are not those that this commit draws",
        ),
        (
            given.agreement == judged(given.pairs, given.answers),
            "its figures are not those of its answers",
        ),
        (model == found.name, f"{model} was asked, and {found.name} is the evaluator's name"),
        (direct, "it was not asked at the address of the platform that the card names"),
        (
            not is_same(by, found.snapshot.card.contributor),
            f"{by} measured it; somebody else has to ask",
        ),
    )
    return next((why for holds, why in conditions if not holds), "")


def check(checkout: Path, findings: Findings) -> None:
    """Note each spot check that was published and is gone, or whose answers are not as sealed.

    Raises: WorldError if git fails.
    """
    place = f"{layout.FOLDER}/{layout.SPOT_CHECKED}"
    for line in lost_events(checkout, place) or ():
        findings.add(_CLAUSE, place, f"this line was published and is gone: {line}", _RESTORE)
    for number, told in typed_lines(checkout / place, SpotChecked):
        if told is None:
            findings.add(_CLAUSE, f"{place}:{number}", "is no spot check", _RESTORE)
            continue
        file = f"{layout.FOLDER}/{layout.SPOT_CHECKS}/{told.tag}-{told.sha256[:_DIGITS]}.json"
        if not (checkout / file).is_file() or sha256(checkout / file) != told.sha256:
            findings.add(_CLAUSE, file, "is missing or not as it was published", _RESTORE)
