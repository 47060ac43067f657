"""The figures of judges as values: shares, means, agreement, and what people said."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from msgspec import field

from epc.analysis.verdicts_labels import PassLabels
from epc.judge.evidence import Quotation
from epc.spec.judge_v1 import Dimension as Name
from epc.spec.judge_v1 import Flag, Kind, Method, Verdict
from epc.statistics.figures import TOO_FEW_DIFFER, ClusteredFigure, Figure, Mean, figure_text

Ends = tuple[float, float]
Trusted = Literal["yes", "no", "unknown"]

_NEGLIGIBLE: Final = 0.5  # points of the overall score


def is_none(ends: Ends | None) -> Trusted:
    """Return whether a difference is none: not that none is seen, but that none can be large."""
    if ends is None:
        return "unknown"
    if ends[0] > 0 or ends[1] < 0:
        return "no"
    return "yes" if ends[0] >= -_NEGLIGIBLE and ends[1] <= _NEGLIGIBLE else "unknown"


class Share(Figure, frozen=True, kw_only=True):
    """A count and the share that it is."""

    count: int
    value: float | None = field(name="share")


class Dimension(Mean, frozen=True, kw_only=True):
    """A dimension's mean score, and how often each score was given."""

    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Bounds of figures over all that invalid evaluations could have said (Reading R26)."""

    verdicts: Mapping[str, Ends | None]
    overall_score: Ends | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The figures of some judgments: `value` is where all of them stand on an axis."""

    samples: int
    valid: int
    invalid: Share
    verdicts: Mapping[str, Share]
    overall_score: Mean
    overall_counts: Mapping[str, int]
    dimensions: Mapping[str, Dimension]
    bounds: Bounds
    value: str | None = None
    own_scale: Mean | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreCount:
    """How many evaluations with one overall score can be read, and which share is invalid."""

    overall_score: int
    readable: int
    invalid: Share


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """All judgments by one method, whole and by axis."""

    all: Group
    judge_model: tuple[Group, ...]
    prompt_variant: tuple[Group, ...]
    target_model: tuple[Group, ...]
    question_id: tuple[Group, ...]
    by_score: tuple[ScoreCount, ...]

    def groups(self, axis: str) -> tuple[Group, ...]:
        """Return the groups along one of the axes."""
        axis_groups: tuple[Group, ...] = getattr(self, axis)
        return axis_groups


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnScale:
    """How two judges agree on another rubric's overall scores, as the rubric has them."""

    outputs: int
    same: Share
    mean_absolute_error: Mean


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreAgreement:
    """How two sets of judgments of the same outputs agree."""

    outputs: int
    same_verdict: Share
    same_overall: Share
    mean_absolute_error: Mean
    mean_difference: Mean
    kappa: Mapping[str, float | None]
    kappa_ci95: Mapping[str, Ends | None]
    own_scale: "OwnScale | None" = None

    def kappa_text(self, name: str) -> str:
        """Return one agreement with its interval, or why it has none."""
        return figure_text(self.kappa[name], self.kappa_ci95[name], absent=TOO_FEW_DIFFER)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two judges, and how they agree."""

    judges: tuple[str, str]
    compared: ScoreAgreement


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How judges agree, pair by pair and all together."""

    pairs: tuple[Pair, ...]
    alpha: Mapping[str, float | None]
    alpha_ci95: Mapping[str, Ends | None]

    def alpha_text(self, name: str) -> str:
        """Return one agreement with its interval, or why it has none."""
        return figure_text(self.alpha[name], self.alpha_ci95[name], absent=TOO_FEW_DIFFER)


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftRow:
    """How a judge's scores of the same outputs changed from one evaluation to the next.

    Where one of the two was blind and the other was not, this is what names do, and no drift.
    """

    before: str
    after: str
    times: tuple[str | None, ...]
    judge: str
    method: Method
    blind: tuple[bool, bool]
    shared: int
    compared: ScoreAgreement

    @property
    def is_drift(self) -> bool:
        """Return whether nothing but time lies between the two."""
        return self.blind[0] == self.blind[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """How many quotes a judge gave, and what share is of which kind."""

    judge: str
    quotes: int
    kinds: Mapping[Kind, Share]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reasons:
    """Why a judge's evaluations are invalid: the share of all of them that has each flag."""

    judge: str
    samples: int
    flags: Mapping[Flag, Share]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """Statement on whether a judge can be trusted in one respect, with the interval behind it."""

    judge: str
    about: str
    trusted: Trusted
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """Opinion of one judge on an output."""

    judge: str
    valid: bool
    flags: tuple[Flag, ...]
    verdict: Verdict | None
    overall_score: int
    scores: Mapping[Name, int]
    evidence: tuple[Quotation, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """An output on which judges differ, by how many points of the overall score, and its text.

    `shown` is the output's beginning where it is long; `characters` says how long it is.
    """

    question_id: str
    prompt_variant: str
    target_model: str
    output_id: str
    task: str | None
    points: int
    characters: int
    shown: str
    opinions: tuple[Opinion, ...]


class SelfPreference(Mean, frozen=True, kw_only=True):
    """How many points more a judge gives its own outputs, leniency left out (Reading R24)."""

    judge: str
    own: int
    others: int
    questions: int
    not_stated: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorMatrix:
    """How often people gave a dimension each score, and the judge each beside it.

    Shapes: counts (3, 3), a row for each of people's scores 0, 1, 2 and a column for the judge's.
    """

    dimension: str
    counts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PassAgreement:
    """A judge's PASS share as it stands, and the figures of it by people's labels (Reading R101).

    `labels` is what stands beside these; None where no labelled output has a valid evaluation.
    """

    stated: Share
    figures: Mapping[str, ClusteredFigure]
    labels: PassLabels | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAgainstPeople:
    """A judge against people. `lost` labelled outputs have no valid evaluation of this judge."""

    judge: str
    labelled: int
    lost: int
    compared: ScoreAgreement | None
    same_verdict: Share
    errors: tuple[ErrorMatrix, ...]
    passes: PassAgreement


@dataclass(frozen=True, slots=True, kw_only=True)
class BetweenPeople:
    """How two people agree on what both labelled; `compared` where they gave scores."""

    people: tuple[str, str]
    labelled: int
    same_verdict: Share
    compared: ScoreAgreement | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelReport:
    """Labels that people gave, how they agree, and how every judge stands against them.

    `passes` is the PASS share of all labelled outputs, whatever a judge made of them.
    """

    outputs: int
    undecided: int
    labellers: int
    passes: Share
    between_people: tuple[BetweenPeople, ...]
    judges: tuple[JudgeAgainstPeople, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """The PASS share of a variant."""

    strategy: str
    accuracy: float
    judgments: int
