"""Spot checks of what is published: what a check needs, and publishing one as a step of trust.

snapshots/spot-checks/TAG-SHA256.json    what was asked again, and what was answered

Whoever asked could have written the answers, so a check counts by the SSH signature of a maintainer
under the commit that adds it.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from epc.analysis.spot_checking import SpotCheck, draw, judged
from epc.digests import sha256
from epc.errors import UsageError, WorldError
from epc.records import strict_json
from epc.records.calls import AskedPair, PairKey, asked_by_run
from epc.records.findings import Findings
from epc.records.manifest import Manifest, ModelIdentity
from epc.records.recompute import load_manifest
from epc.records.typed import as_json, parse
from epc.registry import layout
from epc.registry.fetching import lent
from epc.registry.history import added_by, commit, git, published_by, signer
from epc.registry.names import is_one_contributor
from epc.registry.platforms import PLATFORMS, kind_of, misplaced
from epc.registry.reading import of_folder
from epc.registry.registry import Registry
from epc.registry.snapshots import Snapshot
from epc.registry.writing import RegistryLock

_READING: Final = "Reading R99"
_REMEDY: Final = "take it out; a maintainer adds one with `epc admin snapshot checked`"


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
    if not snapshot.card.audit:
        raise UsageError(f"{tag} is {snapshot.kind}: nothing was asked that could be asked again")
    commit = published_by(checkout).get(tag)
    if commit is None:
        raise UsageError(f"no commit published {tag} yet: its draw is not fixed")
    with lent(snapshot.tag, location=str(checkout)) as folder:
        manifest = load_manifest(folder)
        if not manifest.reuses:
            raise UsageError(f"{tag} asked every round afresh: no verdict of it stands for a pair")
        pairs = asked_by_run(manifest, folder)
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


def add(lock: RegistryLock, report: Path) -> SpotCheck:
    """Commit a spot check to the registry under a maintainer's signature; return it.

    Raises: UsageError if it is none of what is published, or nobody whom `allowed_signers` names
    signs the commit; WorldError if the disk or git fails.
    """
    spot_check = _read(report)
    if why := _refused(spot_check, published(lock.checkout, spot_check.tag)):
        raise UsageError(f"{report} is no spot check of {spot_check.tag}: {why}")
    content = strict_json.dumps(as_json(spot_check))
    path = lock.home / layout.SPOT_CHECKS / _name(spot_check.tag, content)
    if path.exists():
        raise UsageError(f"{report} is in the registry already")
    path.parent.mkdir(exist_ok=True)
    strict_json.write_text(path, [content])
    place = path.relative_to(lock.checkout).as_posix()
    committed = False
    try:
        committed = commit(lock.checkout, f"Spot check of {spot_check.tag}", [place], signed=True)
        why = _unsigned(lock.checkout, place, spot_check.tag)
    except WorldError as error:
        why = str(error)
    if why:
        if committed:
            git(lock.checkout, "reset", "--quiet", "--soft", "HEAD~1")
        git(lock.checkout, "rm", "--quiet", "--force", "--ignore-unmatch", "--", place)
        raise UsageError(
            f"{report} does not count, and is taken back: {why}\n"
            "  fix: sign as somebody whom snapshots/allowed_signers names "
            "(gpg.format ssh, user.signingkey)"
        )
    return spot_check


def _name(tag: str, content: str) -> str:
    return f"{tag}-{sha256(content)}.json"


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


def _refused(spot_check: SpotCheck, publication: Published) -> str:
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
    )
    return next((why for holds, why in conditions if not holds), "")


def _unsigned(checkout: Path, place: str, tag: str) -> str:
    """Say why nobody who may stands for a spot check; empty if somebody does."""
    added = added_by(checkout, place)
    who = signer(checkout, added) if added else ""
    if not who:
        return f"nobody whom {layout.FOLDER}/{layout.SIGNERS} names signed the commit that adds it"
    card = of_folder(checkout).snapshot(tag).card
    measurer = (card.contributor, card.login)
    return f"{who} measured it" if is_one_contributor(measurer, (who, who)) else ""


def check(checkout: Path, findings: Findings) -> None:
    """Note each spot check that is none of what is published, or that nobody signed who may.

    Raises: WorldError if git fails.
    """
    home = checkout / layout.FOLDER / layout.SPOT_CHECKS
    for path in sorted(home.iterdir()) if home.is_dir() else ():
        place = path.relative_to(checkout).as_posix()
        try:
            spot_check = _read(path)
            content = path.read_text("utf-8")
            why = "" if path.name == _name(spot_check.tag, content) else "is not what its name says"
            why = why or _refused(spot_check, published(checkout, spot_check.tag))
            why = why or _unsigned(checkout, place, spot_check.tag)
        except UsageError as error:
            why = str(error).splitlines()[0]
        if why:
            findings.add(_READING, place, why, _REMEDY)
