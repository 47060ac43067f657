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
from epc.records.judging.asked import published
from epc.records.judging.layout import PLAN, RUN_LOG, is_evaluation, load_plan, load_run_log
from epc.records.judging.recheck import recheck
from epc.records.manifest import EVALUATOR, Manifest, ModelIdentity, RoleName
from epc.records.observed.types import Judge
from epc.records.observed.writing import judge_of as judge_recorded
from epc.records.validate import validate
from epc.registry import platforms
from epc.registry.layout import OBSERVED
from epc.registry.lifecycles import MOCKS
from epc.registry.mocks import named
from epc.registry.observed import document_of, is_observed
from epc.registry.offers import named_by
from epc.registry.registry import Registry
from epc.registry.submissions import layout
from epc.registry.submissions.against import candidates, placed_on, unrepeatable
from epc.registry.submissions.folder import name_problems, present_files
from epc.registry.submissions.judged import identity as evaluation
from epc.registry.submissions.judged import judge_of
from epc.registry.submissions.observed import require_free
from epc.registry.submissions.plausible import asked_at, sourced, weighed
from epc.registry.submissions.statement import Endpoint, Statement, identity, statement_texts
from epc.registry.submissions.texts import scan, scan_lines
from epc.registry.writing import new_folder

_BUILDING: Final = ".new-"
_MOST_LISTED: Final = 20
_MOST_TAGS: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Inferred:
    """What a run says of itself; None where it does not tell, and somebody must."""

    generation: str | None
    platform: str | None
    endpoint: Endpoint | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What is offered, as its own record says it.

    `recorded` says that the verdicts were read from a file; `stated` is who the source of verdicts
    that others recorded says was asked, and then there is no record of it.
    """

    asked: Mapping[RoleName, ModelIdentity]
    identity: str
    recorded: bool = False
    stated: Judge | None = None

    @property
    def evaluator(self) -> ModelIdentity:
        """Who judged."""
        return self.asked[EVALUATOR]


def subject_of(run: Path) -> Subject:
    """Return what is offered by a run, or by a judge's evaluation.

    Raises: UsageError if it cannot be offered; MalformedError if it was damaged; WorldError if the
    disk fails.
    """
    if is_observed(run):
        document = document_of(run)
        require_free(document.header)
        return Subject(asked={}, identity=document.sha256, stated=judge_recorded(document.header))
    if is_evaluation(run):
        return _evaluation(run)
    manifest = _manifest_of(run)
    recorded = manifest.evaluator.method == "recorded"
    return Subject(asked=manifest.asked, identity=identity(manifest), recorded=recorded)


def _evaluation(run: Path) -> Subject:
    plan, log = load_plan(run), load_run_log(run)
    if findings := recheck(run).findings:
        raise UsageError(
            f"{run} is not whole: {len(findings)} findings\n  fix: see `epc judge check {run}`"
        )
    judge = judge_of(plan)
    if judge is None or log.origin != "run":
        raise UsageError(
            f"{run} cannot be offered: a submission has one judge, whom `epc judge run` asked\n"
            "  fix: `epc judge plan --judge MODEL`, and `epc judge run`"
        )
    return Subject(asked={"evaluator": judge}, identity=evaluation(plan, log))


def _manifest_of(run: Path) -> Manifest:
    """Return the manifest of a run that can be offered.

    Raises: UsageError if it cannot; WorldError if the disk fails.
    """
    report = validate(run)
    if not report.ok or report.manifest is None:
        raise UsageError(f"{run} is not valid\n  fix: see `epc validate {run}`")
    if report.manifest.raw is None:
        raise UsageError(
            f"{run} has no raw files, so nothing could be recomputed\n"
            "  fix: offer the folder that the measurement wrote"
        )
    return report.manifest


def inferred_of(subject: Subject, registry: Registry, platform: str | None) -> Inferred:
    """Return what follows from what is offered and the registry."""
    if subject.stated is None:
        return inferred(subject.evaluator, registry, platform)
    names = {generation.name for generation in named_by(registry, subject.stated)}
    return Inferred(
        generation=names.pop() if len(names) == 1 else None,
        platform=subject.stated.platform,
        endpoint="recorded",
    )


def inferred(evaluator: ModelIdentity, registry: Registry, platform: str | None = None) -> Inferred:
    """Return what follows from who was asked and the registry."""
    model, kind = evaluator.model, platforms.kind_of(evaluator)
    endpoint: Endpoint | None = None if kind == "unknown" else kind
    if model.startswith(MOCKS):
        mock = named(model.removeprefix(MOCKS), registry)
        return Inferred(generation=mock, platform=None, endpoint=endpoint)
    known = candidates(registry, evaluator)
    if platform:
        known = [(name, life) for name, life in known if life.platform == platform]
    names = {name for name, _ in known}
    if len(names) != 1:
        return Inferred(generation=None, platform=platform, endpoint=endpoint)
    places = {life.platform for _, life in known}
    return Inferred(
        generation=names.pop(),
        platform=places.pop() if len(places) == 1 else platform,
        endpoint=endpoint,
    )


def require_no_secret(options: Mapping[str, Any], secrets: Mapping[str, str]) -> None:
    """Refuse options and answers that hold a secret.

    Raises: UsageError, which names the options and repeats nothing of them.
    """
    leaks = [
        f"--{option}: holds {what}"
        for option, text in options.items()
        if isinstance(text, str)
        for _, what in scan_lines([text.encode("utf-8", "replace")], secrets)
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
        others = [
            name
            for name, snapshot in registry.snapshots.items()
            if generation in (None, snapshot.tag.generation)
            and not unrepeatable(registry, name, generation, contributor, login)
        ]
        named = f"name {', '.join(others[-_MOST_TAGS:])}" if others else "there is none to name"
        raise UsageError(f"--replicates: {problem}\n  fix: {named}, or leave --replicates out")


def require_agreeing(subject: Subject, statement: Statement) -> None:
    """Refuse a statement of where the evaluator was asked that the run itself contradicts.

    Raises: UsageError.
    """
    if subject.stated:
        return
    findings = [
        *(f for role, m in subject.asked.items() for f in asked_at(m, role, statement.endpoint)),
        *placed_on(subject.evaluator, statement),
        *weighed(subject.evaluator, statement.weights, f"{layout.STATEMENT}/weights"),
        *sourced(statement.source, f"{layout.STATEMENT}/source", recorded=subject.recorded),
    ]
    if wrong := [str(finding) for finding in findings if finding.severity == "error"]:
        raise UsageError("\n".join(wrong))


def proposed_slug(generation: str, subject: Subject) -> str:
    """Return a folder name that says what is in it, and that no other measurement gets."""
    words = re.sub(r"[^a-z0-9]+", "-", generation.lower()).strip("-")
    return f"{words[: layout.LONGEST_SLUG - 9].strip('-')}-{subject.identity[:8]}"


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
        raise UsageError("\n".join(str(finding) for finding in findings.kept()))
    with new_folder(home / slug, home / f"{_BUILDING}{slug}", "--slug") as building:
        for name in _files_of(run):
            (building / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(run / name, building / name)
        strict_json.write(building / layout.STATEMENT, statement.as_json())
        _require_clean(building, run, secrets)
    return home / slug


def _files_of(run: Path) -> list[str]:
    """Return the files of a run, or of an evaluation, that a submission has."""
    if is_evaluation(run):
        return [PLAN, RUN_LOG, *published(run, load_plan(run))]
    if is_observed(run):
        return [OBSERVED, layout.VERDICTS]
    return [name for name in present_files(run) if name != layout.STATEMENT]


def _require_clean(building: Path, run: Path, secrets: Mapping[str, str]) -> None:
    leaks = [
        f"{run / name}:{line}: holds {what}"
        for name in present_files(building)
        if name != layout.STATEMENT  # looked through before it was written
        for line, what in scan(building / name, secrets)
    ]
    if leaks:
        more = [f"and {len(leaks) - _MOST_LISTED} more"] if len(leaks) > _MOST_LISTED else []
        remedy = "  fix: revoke what has leaked, find out how it came there, and measure again"
        raise UsageError("\n".join([*leaks[:_MOST_LISTED], *more, remedy]))
