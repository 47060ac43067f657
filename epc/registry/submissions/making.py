"""Making a submission from a run (`epc submission new`)."""

import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from epc.errors import UsageError
from epc.records import strict_json
from epc.records.findings import Findings
from epc.records.manifest import ModelIdentity
from epc.registry import platforms
from epc.registry.kinds.adapter import adapter, kind_of
from epc.registry.lifecycles import MOCKS
from epc.registry.offers import Subject, named, named_by
from epc.registry.registry import Registry
from epc.registry.submissions import layout
from epc.registry.submissions.against import candidates, placed_on, unrepeatable
from epc.registry.submissions.folder import name_problems, present_files
from epc.registry.submissions.plausible import asked_at, sourced, weighed
from epc.registry.submissions.statement import Endpoint, Statement, statement_texts
from epc.registry.submissions.texts import scan, scan_lines
from epc.registry.writing import new_folder

_BUILDING: Final = ".new-"
_MOST_LISTED: Final = 20
_MOST_TAGS: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Inference:
    """Facts that a run tells of itself; None where it does not, and somebody must."""

    generation: str | None
    platform: str | None
    endpoint: Endpoint | None


def subject_of(run: Path) -> Subject:
    """Return what is offered by a run, or by a judge's evaluation.

    Raises: UsageError if it cannot be offered; MalformedError if it was damaged; WorldError if the
    disk fails.
    """
    return adapter(kind_of(run)).subject_of(run)


def inferred_of(subject: Subject, registry: Registry, platform: str | None) -> Inference:
    """Return what follows from what is offered and the registry."""
    if subject.source_judge is None:
        return inferred(subject.evaluator, registry, platform)
    names = {generation.name for generation in named_by(registry, subject.source_judge)}
    return Inference(
        generation=names.pop() if len(names) == 1 else None,
        platform=subject.source_judge.platform,
        endpoint="recorded",
    )


def inferred(
    evaluator: ModelIdentity, registry: Registry, platform: str | None = None
) -> Inference:
    """Return what follows from who was asked and the registry."""
    model, kind = evaluator.model, platforms.kind_of(evaluator)
    endpoint: Endpoint | None = None if kind == "unknown" else kind
    if model.startswith(MOCKS):
        mock = named(model.removeprefix(MOCKS), registry)
        return Inference(generation=mock, platform=None, endpoint=endpoint)
    matches = candidates(registry, evaluator)
    if platform:
        matches = [(name, life) for name, life in matches if life.platform == platform]
    names = {name for name, _ in matches}
    if len(names) != 1:
        return Inference(generation=None, platform=platform, endpoint=endpoint)
    places = {life.platform for _, life in matches}
    return Inference(
        generation=names.pop(),
        platform=places.pop() if len(places) == 1 else platform,
        endpoint=endpoint,
    )


def require_no_secret(options: Mapping[str, Any], secrets: Mapping[str, str]) -> None:
    """Refuse options and answers that hold a secret.

    Raises: UsageError, which names the options and repeats nothing of them.
    """
    leaks = [
        f"--{option}: holds {secret}"
        for option, text in options.items()
        if isinstance(text, str)
        for _, secret in scan_lines([text.encode("utf-8", "replace")], secrets)
    ]
    if leaks:
        remedy = "  fix: revoke it, since a shell keeps what it was given, and say it without"
        raise UsageError("\n".join([*leaks, remedy]))


def require_repeatable(
    registry: Registry,
    tag: str,
    generation: str | None,
    contributor: str | None,
    login: str | None,
) -> None:
    """Refuse a tag that a run of a generation cannot replicate; None is not known yet.

    Raises: UsageError, with the tags that could be meant.
    """
    if problem := unrepeatable(registry, tag, generation, contributor, login):
        repeatable_tags = [
            name
            for name, snapshot in registry.snapshots.items()
            if generation in (None, snapshot.tag.generation)
            and not unrepeatable(registry, name, generation, contributor, login)
        ]
        named = (
            f"name {', '.join(repeatable_tags[-_MOST_TAGS:])}"
            if repeatable_tags
            else "there is none to name"
        )
        raise UsageError(f"--replicates: {problem}\n  fix: {named}, or leave --replicates out")


def require_agreeing(subject: Subject, statement: Statement) -> None:
    """Refuse a statement of where the evaluator was asked that the run itself contradicts.

    Raises: UsageError.
    """
    if subject.source_judge:
        return
    findings = [
        *(f for role, m in subject.models.items() for f in asked_at(m, role, statement.endpoint)),
        *placed_on(subject.evaluator, statement),
        *weighed(subject.evaluator, statement.weights, f"{layout.STATEMENT}/weights"),
        *sourced(statement.source, f"{layout.STATEMENT}/source", recorded=subject.recorded),
    ]
    if wrong := [str(finding) for finding in findings if finding.severity == "error"]:
        raise UsageError("\n".join(wrong))


def proposed_slug(generation: str, subject: Subject) -> str:
    """Return a folder name that says what is in it, and that no other measurement gets."""
    stem = re.sub(r"[^a-z0-9]+", "-", generation.lower()).strip("-")
    return f"{stem[: layout.LONGEST_SLUG - 9].strip('-')}-{subject.identity[:8]}"


def make(
    home: Path, run: Path, slug: str, statement: Statement, secrets: Mapping[str, str]
) -> Path:
    """Write a submission's folder, whole or not at all, and return it.

    `secrets` are values that must not be in any file, with their names.

    Raises: UsageError if it is there already, holds a secret, or says what it must not; WorldError
    if the disk fails.
    """
    require_no_secret({"slug": slug, **statement.as_json()}, secrets)
    findings = Findings()
    name_problems(slug, findings)
    findings.extend(statement_texts(statement))
    if len(findings):
        raise UsageError("\n".join(str(finding) for finding in findings.as_list()))
    with new_folder(home / slug, home / f"{_BUILDING}{slug}", "--slug") as building:
        for name in adapter(kind_of(run)).files_of(run):
            (building / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(run / name, building / name)
        strict_json.write(building / layout.STATEMENT, statement.as_json())
        _require_clean(building, run, secrets)
    return home / slug


def _require_clean(building: Path, run: Path, secrets: Mapping[str, str]) -> None:
    leaks = [
        f"{run / name}:{line}: holds {secret}"
        for name in present_files(building)
        if name != layout.STATEMENT  # looked through before it was written
        for line, secret in scan(building / name, secrets)
    ]
    if leaks:
        omitted = [f"and {len(leaks) - _MOST_LISTED} more"] if len(leaks) > _MOST_LISTED else []
        remedy = "  fix: revoke what has leaked, find out how it came there, and measure again"
        raise UsageError("\n".join([*leaks[:_MOST_LISTED], *omitted, remedy]))
