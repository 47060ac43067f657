"""Summary of an evaluation as one value: text, CSV and pictures are made from it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Final

from epc.analysis.judging.agreement import (
    between_judges,
    disagreements,
    over_readable,
    self_preferences,
)
from epc.analysis.judging.competence import competences
from epc.analysis.judging.drift import EvaluationRecord, drift, evaluation_record
from epc.analysis.judging.evaluation import Evaluation, Report
from epc.analysis.judging.results import DriftRow, Group, Section
from epc.analysis.judging.shares import (
    AXES,
    Judgment,
    accuracy,
    by_score,
    counted,
    evidence,
    groups,
    reasons,
)
from epc.analysis.judging.trust import statements
from epc.errors import Finding, UsageError
from epc.records.judging.documents import LABELS, load_plan
from epc.spec.judge_v1 import CROSS, PROTOCOL, SELF, Rules

_FEW_VALID: Final = 0.5


def summary(folders: Sequence[Path], labels: Path | None = None) -> Report:
    """Return the report of one evaluation or several; drift compares each with the one before.

    `labels` is a table of what people said of the outputs, instead of what a folder keeps of that.

    Self-judgments stand apart: `primary` is cross-judging alone (JUDGE-1.2). `findings` say why a
    drift is not stated.

    Raises: UsageError if a folder is no complete evaluation.
    """
    evaluated = sorted(map(_load, folders), key=lambda record: record.log.time["to"] or "")
    changes = [change for pair in pairwise(evaluated) for change in drift(*pair)]
    drifts = tuple(change for change in changes if not isinstance(change, Finding))
    return Report(
        protocol=PROTOCOL,
        evaluations=tuple(
            _labelled(_evaluation(record, drifts), record, labels) for record in evaluated
        ),
        drift=drifts,
        findings=tuple(change for change in changes if isinstance(change, Finding)),
    )


def _load(folder: Path) -> EvaluationRecord:
    if load_plan(folder).competence is not None:
        problem = f"{folder} tests a judge, and its figures stand in the report of its set"
        raise UsageError(f"{problem}: run `epc judge report {folder.parents[2]}`")
    return evaluation_record(folder)


def _labelled(evaluation: Evaluation, record: EvaluationRecord, labels: Path | None) -> Evaluation:
    labels_path = Path(record.name) / LABELS
    if labels is None and not labels_path.is_file():
        return evaluation
    from epc.analysis.judging.labels import against_labels
    from epc.analysis.judging.trust import beside_people
    from epc.records.judging.labels import read_labels

    units = list(dict.fromkeys(judgment.unit for judgment in record.judgments))
    label_list = read_labels(labels or labels_path, units)
    against = against_labels(record.judgments, label_list)
    return replace(
        evaluation, labels=against, trust=tuple(beside_people(evaluation.trust, against))
    )


def _evaluation(record: EvaluationRecord, drifts: Sequence[DriftRow]) -> Evaluation:
    rules = record.plan.rules
    primary, self_judging = (
        _section([judgment for judgment in record.judgments if judgment.method == method], rules)
        for method in (CROSS, SELF)
    )
    evaluation = Evaluation(
        name=record.name,
        rules=rules,
        time=dict(record.log.time.items()),
        origin=record.log.origin,
        prompts=record.plan.prompts,
        constraint=record.plan.constraint,
        mapping=record.plan.mapping,
        judges=record.log.judges,
        malformed=record.log.malformed,
        totals=record.log.totals,
        primary=primary,
        self_judging=self_judging,
        reasons=reasons(record.judgments, rules),
        evidence=evidence(record.judgments, rules),
        self_preference=self_preferences(record.judgments),
        agreement=between_judges(record.judgments),
        readable=over_readable(record.judgments),
        accuracy=accuracy(record.judgments),
        disagreements=disagreements(Path(record.name), record.plan, record.judgments),
        competence=competences(Path(record.name)),
    )
    own_drifts = [row for row in drifts if row.after == record.name]
    trust = tuple(statements(evaluation, _by_judge(evaluation), own_drifts))
    return replace(evaluation, trust=trust, remarks=tuple(_remarks(evaluation)))


def _section(judgments: Sequence[Judgment], rules: Rules) -> Section:
    return Section(
        all=counted(judgments, rules),
        **{axis: groups(judgments, axis, rules) for axis in AXES},
        by_score=by_score(judgments),
    )


def _remarks(evaluation: Evaluation) -> Iterator[str]:
    """Yield in words what a reader must know before believing the numbers."""
    judged = evaluation.primary.all
    imported = list(_of_import(evaluation)) if evaluation.origin == "import" else []
    yield from imported
    if not judged.samples:
        yield "there is no cross-judging here, so there are no primary statistics"
    elif not judged.valid and not imported:
        yield (
            "no cross-judgment is valid: this says something about the judges, "
            "and nothing about the outputs"
        )
    for group in _by_judge(evaluation):
        if group.valid < _FEW_VALID * group.samples:
            if imported:  # what is lacking is not the judge's
                continue
            yield (
                f"{group.value}: {group.valid} of {group.samples} evaluations are valid; "
                "what such a judge scores is no evidence about the outputs"
            )
        elif group.valid > 1 and len(group.overall_counts) == 1:
            yield (
                f"{group.value} gives every output the same overall score, "
                "so it tells nothing apart"
            )
    for judge in evaluation.judges:
        if len(judge.served_models) > 1:
            served = ", ".join(sorted(judge.served_models))
            yield f"{judge.model}: the provider served several models ({served})"
    if (malformed := evaluation.malformed) and malformed.asked_again:
        yield (
            f"{malformed.asked_again} malformed replies were asked again, "
            f"{malformed.mended} mended; "
            "these are not first replies"
        )


def _of_import(evaluation: Evaluation) -> Iterator[str]:
    """Yield what imported rows lack, which is no failure of a judge."""
    if gaps := sum(total.not_judged for total in evaluation.totals.values()):
        yield (
            f"{gaps} samples of the set have no row in what was imported: "
            "this says nothing about a judge"
        )
    if evaluation.primary.by_score and not sum(row.quotes for row in evaluation.evidence):
        yield (
            "the rows hold no quotes, so that no evaluation can be valid (JUDGE-4); "
            "agreement over readable scores is all that they support"
        )


def _by_judge(evaluation: Evaluation) -> Iterator[Group]:
    """Yield each judge's figures, by cross-judging if it did any."""
    self_groups = {group.value: group for group in evaluation.self_judging.judge_model}
    judges = self_groups | {group.value: group for group in evaluation.primary.judge_model}
    yield from (group for _, group in sorted(judges.items()))
