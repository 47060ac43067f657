"""Values of `epc judge report`; `document` gives the JSON that it prints."""

from collections.abc import Mapping
from dataclasses import dataclass

from epc.analysis.judging.competence import Competence
from epc.analysis.judging.results import (
    Accuracy,
    Agreement,
    Disagreement,
    DriftRow,
    Evidence,
    LabelReport,
    Pair,
    Reasons,
    Section,
    SelfPreference,
    Statement,
)
from epc.errors import Finding
from epc.protocol.results import Json
from epc.records.judging.documents import JudgeUsage, MalformedCounts, Reference, Totals
from epc.records.typed import as_json
from epc.spec.judge_v1 import Method


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """Results of one evaluation."""

    name: str
    rules: int
    time: Mapping[str, str | None]
    origin: str
    prompts: Mapping[Method, Reference]
    constraint: str | None
    mapping: Reference | None
    judges: tuple[JudgeUsage, ...]
    malformed: MalformedCounts | None
    totals: Mapping[Method, Totals]
    primary: Section
    self_judging: Section
    reasons: tuple[Reasons, ...]
    evidence: tuple[Evidence, ...]
    self_preference: tuple[SelfPreference, ...]
    agreement: Agreement
    readable: Agreement
    accuracy: tuple[Accuracy, ...]
    disagreements: tuple[Disagreement, ...]
    trust: tuple[Statement, ...] = ()
    remarks: tuple[str, ...] = ()
    labels: LabelReport | None = None
    competence: tuple[Competence, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Results of evaluations, and how judges drifted between them."""

    protocol: str
    evaluations: tuple[Evaluation, ...]
    drift: tuple[DriftRow, ...]
    findings: tuple[Finding, ...]


def document(report: Report) -> Json:
    """Return the JSON of a report."""
    return {
        "protocol": report.protocol,
        "evaluations": [evaluation_json(evaluation) for evaluation in report.evaluations],
        "drift": [
            {
                **_flat(row),
                "from": row.before,
                "to": row.after,
            }
            for row in report.drift
        ],
        "findings": [finding.as_json() for finding in report.findings],
    }


def evaluation_json(evaluation: Evaluation) -> Json:
    """Return the JSON of one evaluation."""
    apart = {"readable"} if evaluation.labels else {"readable", "labels"}
    document = {
        name: as_json(getattr(evaluation, name))
        for name in evaluation.__slots__
        if name not in apart
    }
    return {
        **document,
        "agreement": {
            **_agreement(evaluation.agreement),
            "readable": _agreement(evaluation.readable),
        },
        "evidence": [
            {"judge": row.judge, "quotes": row.quotes, **as_json(row.kinds)}
            for row in evaluation.evidence
        ],
    }


def _agreement(agreement: Agreement) -> Json:
    pairs: list[Json] = [_flat(pair) for pair in agreement.pairs]
    return {**as_json(agreement), "pairs": pairs}


def _flat(row: Pair | DriftRow) -> Json:
    """Return a row with what was compared beside the row's own keys."""
    fields = {name: as_json(getattr(row, name)) for name in row.__slots__}
    compared: Json = fields.pop("compared")
    return {key: fields[key] for key in fields if key not in ("before", "after")} | compared
