"""A submission against the registry that it is offered to, and against what else is offered.

The registry is a trusted checkout; the submission is data.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final, Self

from epc.errors import Finding, Severity
from epc.printable import shown
from epc.protocol.mitigation import is_wrapper
from epc.records.layout import CALLS, MANIFEST
from epc.records.manifest import Manifest, ModelIdentity
from epc.registry import layout as registry_layout
from epc.registry import platforms
from epc.registry.answers import calls_of, published_calls, request_ids
from epc.registry.card_types import MeasuredCard
from epc.registry.lifecycles import MOCKS, Life
from epc.registry.mocks import misnamed
from epc.registry.names import is_one_contributor
from epc.registry.overlap import Repeats, repeats_of, unrepeated
from epc.registry.registry import Registry
from epc.registry.submissions import layout
from epc.registry.submissions.identity import Verdicts, identity, is_copy, traces, verdicts
from epc.registry.submissions.statement import Statement

_CONTACT: Final = "say in an issue how both came about"
_LEAST_PAIRS: Final = 20  # pairs that both have a verdict on, for their number to say something
_MOST_LISTED: Final = 3
# With whose verdicts a submission's agree, on how many pairs, of how many, and how that is judged.
Overlap = Mapping[str, Any]  # with, same, pairs, judged
_UNKNOWN: Final = "how often it repeats itself is not known (`epc run --recheck`)"
OFFERED: Final = "submission "  # before the slug of what is offered; no tag has a space


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """What tells whether two measurements are one."""

    identity: str
    traces: frozenset[str]
    evaluator: str
    verdicts: Verdicts
    repeats: Repeats | None

    @classmethod
    def of(cls, manifest: Manifest) -> Self:
        """Return the fingerprint of a manifest of valid shape."""
        name = manifest.evaluator.model
        return cls(
            identity=identity(manifest),
            traces=traces(manifest),
            evaluator=name,
            verdicts=verdicts(manifest),
            repeats=repeats_of(manifest),
        )


def published(checkout: Path, registry: Registry) -> Iterator[tuple[str, Fingerprint]]:
    """Yield the fingerprint of every measured snapshot.

    Raises: OSError or ValueError if a checkout is not as it was published.
    """
    for tag, snapshot in registry.snapshots.items():
        if snapshot.kind == "measured":
            path = checkout / registry_layout.FOLDER / tag / MANIFEST
            yield tag, Fingerprint.of(Manifest.parse(json.loads(path.read_bytes())))


def candidates(registry: Registry, model: ModelIdentity) -> list[tuple[str, Life]]:
    """Return the generations that a model's name can mean, each on a platform it was asked on."""
    # A wrapper is another evaluator than its member, and goes by its whole name alone.
    name = model.model if is_wrapper(model.model) else model.model.rpartition("/")[2]
    matches = [(g.name, life) for g, life in registry.names.exactly(name)]
    return [(g, life) for g, life in matches if not platforms.misplaced(model, life.platform)]


def generation(
    evaluator: ModelIdentity,
    measured: date,
    statement: Statement,
    registry: Registry,
    *,
    recorded: bool = False,
) -> Iterator[Finding]:
    """Yield why who was asked on a day is not the generation that the statement names."""
    model = evaluator.model
    if alike := registry.look_alike(statement.generation):
        problem = f"{statement.generation} looks like {alike}"
        yield _finding(layout.KNOWN, "generation", problem, f"write {alike}, or another name")
    life = registry.life(statement.generation, statement.platform)
    if model.startswith(MOCKS):
        problem = misnamed(model.removeprefix(MOCKS), statement.generation, registry)
        if not problem and statement.platform is not None:
            problem = f"{shown(model)} is a mock, and on no platform"
        if problem:
            yield _finding(layout.KNOWN, "generation", problem, "name the mock, platform null")
        return
    yield from placed_on(evaluator, statement)
    if life is None:
        problem = f"nothing is known of {statement.generation} on {statement.platform}"
        remedy = (
            f"add it to {registry_layout.FOLDER}/{registry_layout.EVALUATORS} first, in a pull "
            "request of its own, with the dates that its platform states"
        )
        yield _finding(layout.KNOWN, "generation", problem, remedy)
        return
    if recorded:
        problem = f"verdicts from a file: nothing here shows that {statement.generation} gave them"
        remedy = "a maintainer weighs the stated source"
        yield _finding(layout.KNOWN, "generation", problem, remedy, "warning")
    elif not _is_named(model, life):
        problem = f"{shown(model)} is not {statement.generation}, which is {life.model}"
        remedy = "name the generation that was asked, or add the alias to its record first"
        yield _finding(layout.KNOWN, "generation", problem, remedy)
    yield from _lifetime(measured, registry.meant(life, measured))


def placed_on(evaluator: ModelIdentity, statement: Statement) -> Iterator[Finding]:
    """Yield that the evaluator was asked on another platform than the statement's."""
    problem = platforms.misplaced(evaluator, statement.platform)
    if problem and not evaluator.model.startswith(MOCKS):
        yield _finding(layout.KNOWN, "platform", problem, "name the platform that was asked")


def _is_named(model: str, life: Life) -> bool:
    """Whether a model's name, with or without what stands before a slash, is the life's."""
    known = {name.casefold() for name in (life.model, *life.aliases)}
    parts = [model.casefold()] if is_wrapper(model) else model.casefold().split("/")
    return any("/".join(parts[start:]) in known for start in range(len(parts)))


def _lifetime(measured: date, life: Life) -> Iterator[Finding]:
    """Yield a measurement of what was not released yet, or is said to have retired."""
    where, released, retires = "evaluator/measurement_date", life.released, life.retires
    if released and measured < released.date:
        problem = f"measured on {measured}, {life.platform} released it on {released.date}"
        remedy = "correct the evaluator's record first, if its date is wrong"
        yield _finding(layout.DATES, where, problem, remedy, document=MANIFEST)
    if retires and retires.kind == "exact" and measured >= retires.date:
        problem = f"measured on {measured}, {life.platform} retired it on {retires.date}"
        remedy = "correct the evaluator's record, if its date is wrong"
        yield _finding(layout.DATES, where, problem, remedy, "warning", document=MANIFEST)


def sameness(
    own: Fingerprint, statement: Statement, others: Mapping[str, Fingerprint]
) -> Iterator[Finding]:
    """Yield what is already there: the same measurement, or one that went the same way.

    A pinned evaluator answers alike every time, so a replication of it may go the same way in
    every round; it says so by `replicates`.
    """
    if statement.identity != own.identity:
        problem = f"says {statement.identity}, the manifest and its raw files give {own.identity}"
        remedy = "make the folder again with `epc submission new`"
        yield _finding(layout.NEW, "identity", problem, remedy)
    for name, other in others.items():
        if other.identity == own.identity:
            problem = f"is the same measurement as {shown(name)}"
            yield _finding(layout.NEW, "", problem, "withdraw this one", document=MANIFEST)
        elif is_copy(own.traces, other.traces):
            same = len(own.traces & other.traces)
            problem = f"{same} seeds went in every round as those of {shown(name)}"
            repeats = name == statement.replicates and own.evaluator == other.evaluator
            where = "results/per_seed"
            if repeats:
                problem += ", as a replication of an evaluator that always answers alike may"
                yield _finding(layout.NEW, where, problem, _CONTACT, "warning", document=MANIFEST)
            else:
                remedy = _apart(name, own, other)
                yield _finding(layout.NEW, where, problem, remedy, document=MANIFEST)


def _apart(name: str, own: Fingerprint, other: Fingerprint) -> str:
    """Return what to do about a measurement that went as another did."""
    if name.startswith(OFFERED):
        return "withdraw one of the two; only what is published can be replicated"
    if own.evaluator != other.evaluator:
        return "measure anew"
    return f"measure anew; if you repeated another's measurement, name {shown(name)} in replicates"


def overlaps(own: Fingerprint, others: Mapping[str, Fingerprint]) -> list[Overlap]:
    """Return the measurements whose verdicts are most like one's own, pair by pair.

    Each is judged against how often the evaluator agrees with itself. A statement and no finding:
    an honest repetition at temperature 0 agrees, too.
    """
    shared = {name: own.verdicts.shared(other.verdicts) for name, other in others.items()}
    alike = [
        (-same / pairs, name) for name, (same, pairs) in shared.items() if pairs >= _LEAST_PAIRS
    ]
    return [
        {
            "with": shown(name),
            "same": shared[name][0],
            "pairs": shared[name][1],
            "judged": _judged(own, others[name]),
        }
        for _, name in sorted(alike)[:_MOST_LISTED]
    ]


def overlap_line(overlap: Overlap) -> str:
    """Return with what a submission's verdicts agree, and on how many pairs."""
    return "{same} of {pairs} verdicts are those of {with}: {judged}".format_map(overlap)


def _judged(own: Fingerprint, other: Fingerprint) -> str:
    share = own.verdicts.agreement(other.verdicts)
    return own.repeats.judged(share) if own.repeats and share is not None else _UNKNOWN


def requests(
    own: frozenset[str], base: Path, tags: Iterable[str], offered: Iterable[Path]
) -> Iterator[Finding]:
    """Yield that a provider named one request in this measurement and in another.

    Raises: MalformedError or WorldError if the store cannot be read.
    """
    if not own:
        return
    others = [(tag, published_calls(base, tag)) for tag in tags]
    others += [(f"{OFFERED}{path.name}", calls_of(path)) for path in offered]
    for name, calls in others:
        if shared := own & request_ids(calls):
            problem = f"{len(shared):,} of {len(own):,} request ids are those of {shown(name)}"
            remedy = f"measure anew, without answers of another run; {_CONTACT}"
            yield _finding(layout.NEW, "", problem, remedy, document=CALLS)


def replication(statement: Statement, registry: Registry) -> Iterator[Finding]:
    """Yield why the snapshot that this is said to replicate cannot be that."""
    if statement.replicates is None:
        return
    if problem := _unrepeatable(statement.replicates, statement, registry):
        yield _finding(layout.WHO, "replicates", problem, "write null, or the right tag")


def repetition(
    folder: Path, statement: Statement, registry: Registry, checkout: Path
) -> Iterator[Finding]:
    """Yield that a replication has no answers of its own, so that it is a re-execution.

    Raises: MalformedError or WorldError if the store cannot be read.
    """
    tag = statement.replicates
    if tag is None or _unrepeatable(tag, statement, registry):
        return
    if again := unrepeated(folder, checkout, tag):
        problem = f"{again}: published as re-executed of {tag}, not as replicated"
        remedy = "nothing, if it was asked again; a replication has answers of its own"
        yield _finding(layout.NEW, "", problem, remedy, "warning", document=CALLS)


def _unrepeatable(tag: str, statement: Statement, registry: Registry) -> str | None:
    who = (statement.contributor, statement.login)
    return unrepeatable(registry, tag, statement.generation, *who)


def unrepeatable(
    registry: Registry,
    tag: str,
    generation: str | None,
    contributor: str | None,
    login: str | None,
) -> str | None:
    """Say why a measurement cannot replicate a snapshot, as far as it is known, or None."""
    other = registry.snapshots.get(tag)
    if other is None or not isinstance(other.card, MeasuredCard):
        return f"there is no measured snapshot {shown(tag)}"
    if generation is not None and other.tag.generation != generation:
        return f"{tag} is of another generation than {shown(generation)}"
    theirs = (other.card.contributor, other.card.login)
    if contributor is not None and is_one_contributor(theirs, (contributor, login)):
        return f"{tag} is your own: a replication is a second contributor's"
    return None


def _finding(
    clause: str,
    where: str,
    problem: str,
    remedy: str,
    severity: Severity = "error",
    *,
    document: str = layout.STATEMENT,
) -> Finding:
    path = f"{document}/{where}" if where else document
    return Finding(clause=clause, where=path, problem=problem, remedy=remedy, severity=severity)
