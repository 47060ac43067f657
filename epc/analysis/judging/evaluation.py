"""Values of `epc judge report`; `document` gives the JSON that it prints."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import msgspec

from epc.analysis.judging.results import (
    Accuracy,
    Agreement,
    Disagreement,
    DriftRow,
    Ends,
    Evidence,
    LabelReport,
    Pair,
    Reasons,
    ScoreAgreement,
    Section,
    SelfPreference,
    Share,
    Statement,
    Trusted,
)
from epc.audit.competence import Word
from epc.errors import Finding
from epc.protocol.results import Json
from epc.records.judging.documents import JudgeUsage, MalformedCounts, Reference, Totals
from epc.records.typed import as_json
from epc.spec.judge_v1 import Method
from epc.statistics.figures import Mean

Expected = Literal["lower", "equal", "not_higher"]


class Detection(Share, frozen=True, kw_only=True):
    """Of how many pairs the two scores stand in the order that is known beforehand.

    A pair without two valid evaluations is `lost` and counts as wrong. One whose output already has
    the lowest score cannot show anything: it is `at_floor` and left out. `bounds` are the share if
    both kinds were wrong, and if both were right.
    """

    kind: str
    expected: Expected
    pairs: int
    lost: int
    at_floor: int
    bounds: Ends | None
    word: Word


class Shift(Mean, frozen=True, kw_only=True):
    """By how many points a change that adds and takes away nothing moves the score."""

    by: Literal["length", "format", "name"]
    over: str
    pairs: int
    lost: int
    no_shift: Trusted = msgspec.field(name="none")


@dataclass(frozen=True, slots=True, kw_only=True)
class Retest:
    """The same outputs asked again: how the two answers agree; `shared` ones are left out."""

    times: tuple[str | None, ...]
    same_day: bool
    shared: int
    compared: ScoreAgreement


@dataclass(frozen=True, slots=True, kw_only=True)
class Ablation:
    """Change of a dimension's score without its quote, and without as much elsewhere."""

    pairs: int
    lost: int
    moved: Share
    moved_control: Share
    change: Mean
    change_control: Mean
    difference: Mean
    bears: Trusted


@dataclass(frozen=True, slots=True, kw_only=True)
class Competence:
    """Competence of a judge to tell outputs from spoilt ones, and what else moves its scores.

    `constant` is the overall score that it gave everything, if it gave but one.
    """

    judge: str
    time: Mapping[str, str | None]
    outputs: int
    evaluations: int
    valid: int
    word: Word
    failing: tuple[str, ...]
    useful: float
    chance: float
    constant: int | None
    overall: Detection
    kinds: tuple[Detection, ...]
    shifts: tuple[Shift, ...]
    retests: tuple[Retest, ...]
    ablation: Ablation | None


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
