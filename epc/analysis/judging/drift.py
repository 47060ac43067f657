"""Evaluations beside each other: how a judge's word changed, and how several judges agree."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from epc.analysis.judging.agreement import (
    between_judges,
    over_readable,
    ratings_by,
    score_agreement,
    self_preferences,
)
from epc.analysis.judging.results import Agreement, DriftRow, Evidence, SelfPreference, Share
from epc.analysis.judging.shares import Judgment, counted, evidence, judgments_of
from epc.analysis.sharing import is_one
from epc.audit.competence import Word
from epc.errors import Finding
from epc.judge.samples import Unit
from epc.protocol.results import Json
from epc.records.judging.documents import Plan, RunLog, load_plan, load_run_log
from epc.spec.judge_v1 import CROSS, METHODS, Method
from epc.statistics.figures import Mean


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationRecord:
    """A complete evaluation: its name, its plan, its log, its judgments."""

    name: str
    plan: Plan
    log: RunLog
    judgments: Sequence[Judgment]


def evaluation_record(folder: Path) -> EvaluationRecord:
    """Return a complete evaluation.

    Raises: UsageError if it is not.
    """
    return EvaluationRecord(
        name=str(folder),
        log=load_run_log(folder),
        plan=load_plan(folder),
        judgments=judgments_of(folder),
    )


def drift(before: EvaluationRecord, after: EvaluationRecord) -> Iterator[DriftRow | Finding]:
    """Yield how each judge's scores of the same outputs changed, by method.

    Where the two were not judged under the same conditions, a finding that names what differs
    stands in the row's place. Cross- and self-judging have a row each. What both evaluations have
    the one answer to is left out, and counted as `shared`: an answer agrees with itself (Reading
    R76).
    """
    shared_outputs = _outputs(before) & _outputs(after)
    for method in METHODS:
        old, new = (
            ratings_by(
                method, (j for j in record.judgments if (j.unit, j.output_sha256) in shared_outputs)
            )
            for record in (before, after)
        )
        for judge in sorted(old.keys() & new.keys()):
            sides = [conditions(record.plan, judge, method) for record in (before, after)]
            differing = [name for name in sides[0] if sides[0][name] != sides[1][name]]
            # What names change is no drift: it is stated as what it is.
            if differing not in ([], ["names"]):
                yield _unlike(before, after, f"{judge} ({method})", differing)
                continue
            shared = _shared(old[judge], new[judge])
            left, right = (
                {unit: judgment for unit, judgment in side.items() if unit not in shared}
                for side in (old[judge], new[judge])
            )
            yield DriftRow(
                before=before.name,
                after=after.name,
                times=tuple(record.log.time["to"] for record in (before, after)),
                judge=judge,
                method=method,
                blind=(before.plan.blind, after.plan.blind),
                shared=len(shared),
                compared=score_agreement(left, right),
            )


def _shared(old: Mapping[Unit, Judgment], new: Mapping[Unit, Judgment]) -> set[Unit]:
    """Return the units to which both evaluations have one and the same answer."""
    pairs = ((unit, old[unit].answer, new[unit].answer) for unit in old.keys() & new.keys())
    return {unit for unit, first, second in pairs if first and second and is_one(first, second)}


def _outputs(record: EvaluationRecord) -> set[tuple[object, str]]:
    return {(judgment.unit, judgment.output_sha256) for judgment in record.judgments}


# Reading R27: drift is between evaluations under the same prompt, mapping, constraint, method and
# decoding. Imported replies state neither prompt nor decoding: known and unknown are not the same.
def conditions(plan: Plan, judge: str, method: Method) -> Json:
    """Return what a judge's scores by a method depend on besides the judge and the outputs."""
    (decoding,) = [planned.decoding for planned in plan.judges if planned.model == judge]
    return {
        "names": plan.blind,
        "prompt": plan.prompts.get(method),
        "mapping": plan.mapping,
        "constraint": plan.constraint,
        "decoding": decoding,
    }


def _unlike(
    before: EvaluationRecord, after: EvaluationRecord, judge: str, differing: list[str]
) -> Finding:
    return Finding(
        clause="Reading R27",
        where="/drift",
        problem=f"{judge}: no drift is stated from {before.name} to {after.name}: "
        f"another {', another '.join(differing)}",
        remedy=f"judge the same outputs again with the same {' and '.join(differing)}",
    )


_MOST: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectionSummary:
    """Result of tests of a judge: the word, and what share of spoilt texts it told apart."""

    word: Word
    detected: Share


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleAgreement:
    """How a judge agrees with people, over `outputs` that both have judged."""

    outputs: int
    same_verdict: Share
    kappa: Mean | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedChecks:
    """Published checks of a judge beside its evaluation; None where there is nothing."""

    competence: DetectionSummary | None
    labels: PeopleAgreement | None


_NOTHING: Final = PublishedChecks(competence=None, labels=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRow:
    """A judge beside the others.

    `unlike` names in what it was asked otherwise than the first; then its scores are not compared.
    `failed` says why its evaluations are no evidence, or too few. `tested` is what else is known.
    """

    name: str
    judge: str
    samples: int
    valid: int
    invalid: Share
    evidence: Evidence | None
    self_preference: SelfPreference | None
    unlike: tuple[str, ...]
    failed: str | None
    tested: PublishedChecks


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeComparison:
    """Several judges of one evaluation set, and how those agree who were asked alike."""

    judges: tuple[JudgeRow, ...]
    agreement: Agreement
    readable: Agreement


def judge_comparison(
    evaluations: Iterable[EvaluationRecord], tests: Mapping[str, PublishedChecks]
) -> JudgeComparison:
    """Return how judges of one set stand beside each other; the first is who is looked at.

    Each evaluation has one judge, and each judge one evaluation. `tests` are what else is known, by
    the name of the evaluation. Agreement and self-preference are
    of those who were asked as the first was (Reading R27).
    """
    first, *further = evaluations
    unlike = {record.name: _differing(first, record) for record in further}
    alike = [first, *(record for record in further if not unlike[record.name])]
    judgments = [judgment for record in alike for judgment in record.judgments]
    favours = {preference.judge: preference for preference in self_preferences(judgments)}
    return JudgeComparison(
        judges=tuple(
            _judge_row(record, favours, unlike.get(record.name, ()), tests)
            for record in (first, *further)
        ),
        agreement=between_judges(judgments),
        readable=over_readable(judgments),
    )


def _judge_row(
    record: EvaluationRecord,
    favours: Mapping[str, SelfPreference],
    unlike: tuple[str, ...],
    tests: Mapping[str, PublishedChecks],
) -> JudgeRow:
    group = counted([judgment for judgment in record.judgments if judgment.method == CROSS])
    judge = record.plan.judges[0].model
    share = group.invalid.value
    failed = None
    if not group.valid:
        failed = "none of its evaluations is valid"
    elif share is not None and share > _MOST:
        failed = "more than half of its evaluations are invalid"
    return JudgeRow(
        name=record.name,
        judge=judge,
        samples=group.samples,
        valid=group.valid,
        invalid=group.invalid,
        evidence=next(iter(evidence(record.judgments)), None) if record.plan.rules > 1 else None,
        self_preference=None if unlike else favours.get(judge),
        unlike=unlike,
        failed=failed,
        tested=tests.get(record.name, _NOTHING),
    )


def _differing(first: EvaluationRecord, second: EvaluationRecord) -> tuple[str, ...]:
    expected, theirs = (
        conditions(record.plan, record.plan.judges[0].model, CROSS) for record in (first, second)
    )
    return tuple(name for name, value in expected.items() if theirs[name] != value)
