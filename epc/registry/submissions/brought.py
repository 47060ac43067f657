"""Records of evaluators that a pull request adds or changes.

No program can say whether a date is true. So each that changes is named for the maintainer, who
opens its source; and a source that a page could take for more than an address is refused.

A pull request that offers a measurement may bring the record of its evaluator, if the registry has
none (rule S1). It is read out of git, as data.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any, Final

from epc.errors import Finding, Severity, WorldError
from epc.json_text import decode, parse
from epc.printable import one_line
from epc.protocol.results import Json
from epc.records.findings import Findings
from epc.records.typed import parse as typed
from epc.registry import layout as registry_layout
from epc.registry.history import git, git_bytes
from epc.registry.lifecycles import GenerationRecord
from epc.registry.new_record import SAFE_SOURCE, known_as, problems_of
from epc.registry.registry import Registry
from epc.registry.submissions import layout
from epc.registry.submissions.checked import Base

_HOME: Final = f"{registry_layout.FOLDER}/{registry_layout.EVALUATORS}"
_MOST_BYTES: Final = 2**17
_MOST_LISTED: Final = 40
_LOOK: Final = "maintainer: open the source; does it say so?"
Records = Mapping[str, Json]  # by the paths of their files


def look(checkout: Path, merge: str, base: Base, findings: Findings) -> Records:
    """Return the records of evaluators that merging adds, and note what it changes in others.

    `merge` is the commit that merging makes, main's its first parent.

    Raises: WorldError if git or the disk fails.
    """
    added: dict[str, Json] = {}
    for letter, path in _changes(checkout, merge):
        place = one_line(path)
        if letter == "D":
            problem, remedy = "is removed: its dates and sources go", "maintainer: why?"
            findings.add(layout.KNOWN, place, problem, remedy, "warning")
            continue
        record, wrong = _record(checkout, f"{merge}:{path}")
        wrong = wrong or problems_of(base.checkout, {PurePosixPath(path).stem: record})
        findings.extend(_placed(path, finding) for finding in wrong)
        if wrong:
            continue
        generation = typed(record, GenerationRecord)
        before = None
        if letter != "A":
            before = typed(_record(checkout, f"{merge}^1:{path}")[0], GenerationRecord)
        findings.extend(_claims(place, before, generation))
        if letter == "A":
            added[path] = record
            findings.extend(_clash(place, generation, base.registry))
    return added


def _placed(path: str, finding: Finding) -> Finding:
    """Return a finding with its place given from the repository on."""
    place = one_line(path + finding.where.removeprefix(path))
    return replace(finding, clause=layout.KNOWN, where=place)


def _clash(place: str, generation: GenerationRecord, registry: Registry) -> Iterator[Finding]:
    """Yield that the registry has the model already, unless it has this very record."""
    present = registry.generations.get(generation.generation)
    if present and present.record == generation:
        return
    if clash := known_as(registry, generation):
        problem, _, remedy = clash.partition("\n  fix: ")
        yield _finding(problem, remedy, place=place)


def with_records(base: Base, records: Records) -> Base:
    """Return a base whose registry knows further evaluators."""
    generations = base.registry.generations
    names = {path: PurePosixPath(path).stem for path in records}
    further = [record for path, record in records.items() if names[path] not in generations]
    if not further:
        return base
    document = base.registry.document
    evaluators = [*document["evaluators"], *further]
    registry = Registry.from_document({**document, "evaluators": evaluators})
    return replace(base, registry=registry)


def _changes(checkout: Path, merge: str) -> Iterator[tuple[str, str]]:
    """Yield each record that merging adds (A), changes (M) or removes (D), with its path."""
    arguments = ("diff-tree", "-r", "-z", "--name-status", "--no-renames", f"{merge}^1", merge)
    parts = git(checkout, *arguments, "--", _HOME).split("\0")
    for letter, path in zip(parts[::2], parts[1::2], strict=False):
        if path.endswith(".json"):
            yield letter, path


def _record(checkout: Path, name: str) -> tuple[Any, list[Finding]]:
    """Return the JSON of a file in git, and what is wrong with it."""
    try:
        size = int(git(checkout, "cat-file", "-s", name))
    except WorldError as error:
        return None, [_finding(f"cannot be read: {error}", "offer a plain file")]
    if size > _MOST_BYTES:
        problem = f"{size:,} bytes, expected at most {_MOST_BYTES:,}"
        return None, [_finding(problem, "state dates and sources alone")]
    text, wrong = decode(git_bytes(checkout, "cat-file", "blob", name))
    return (None, wrong) if wrong else parse(text)


def _claims(
    place: str, before: GenerationRecord | None, after: GenerationRecord
) -> Iterator[Finding]:
    """Yield the dates and sources that a record states and did not state before."""
    earlier = set(_sources(before)) if before else set()
    changed = [pair for pair in _sources(after) if pair not in earlier]
    for claim, source in changed[:_MOST_LISTED]:
        if not SAFE_SOURCE.fullmatch(source):
            problem = f"{claim} by {source!a}, which is no plain address"
            remedy = "name an address, http:// or https://, without quotes and angle brackets"
            yield _finding(problem, remedy, place=place)
        else:
            yield _finding(f"{claim}, by {source}", _LOOK, place=place, severity="warning")
    if len(changed) > _MOST_LISTED:
        problem = f"states {len(changed) - _MOST_LISTED} more"
        yield _finding(problem, _LOOK, place=place, severity="warning")


def _sources(record: GenerationRecord) -> Iterator[tuple[str, str]]:
    """Yield each date that a record states, in words, and its source; and what was consulted."""
    for life in record.platforms:
        name = f"{life.platform}/{life.model}"
        yield f"{name} was looked up", life.checked.source
        for stage, claim in life.stages.items():
            if claim:
                kind = claim.kind.replace("_", " ")
                yield f"{name} {stage} {kind} {claim.date}", claim.source
        for route in life.routes:
            yield f"{name} means {route.to} from {route.date}", route.source
        for pointer in life.points_to or ():
            yield f"{name} means {pointer.to} from {pointer.since}", pointer.source


def _finding(
    problem: str, remedy: str, *, place: str = "", severity: Severity = "error"
) -> Finding:
    return Finding(layout.KNOWN, place, one_line(problem), remedy, severity)
