"""A verdict file's header and its verdicts, as `epc/spec/schemas/v1` states them (Reading R77)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

SCORES: Final = ("a_score", "b_score")
HUMAN_SCORE: Final = "human_score"
NUMBERS: Final = (*SCORES, HUMAN_SCORE, "confidence", "input_tokens", "output_tokens")
UNKNOWN: Final = "unknown"

Name = Annotated[str, Meta(min_length=1)]
Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", max_length=64)]
Count = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Score = Annotated[float, Meta(ge=-1e12, le=1e12)]  # squares of differences stay finite
Share = Annotated[float, Meta(ge=0, le=1)]
Tokens = Annotated[float, Meta(ge=0, le=1e12)]
Day = Annotated[str, Meta(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}$", max_length=10)]
Candidate = Literal["a", "b"]
Choice = Literal["a", "b", "tie"]
Modality = Literal["text", "image"]


class Row(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A verdict. What the source does not state is `UNSET`, and absent in the file.

    It is of one or two candidates, a and b, or of a list of `candidates`, one of which is `right`:
    each got a score, or one was picked. `order` has the candidate that stood in each place. Or the
    judge chose one `label` among many for candidate a.
    """

    item: Name
    setting: Name
    file: Name
    a_sha256: Digest | UnsetType = UNSET
    a_length: Count | UnsetType = UNSET
    subset: Name | UnsetType = UNSET
    group: Name | UnsetType = UNSET
    question_sha256: Digest | UnsetType = UNSET
    a_text: str | UnsetType = UNSET
    a_by: Name | UnsetType = UNSET
    b_sha256: Digest | UnsetType = UNSET
    b_length: Count | UnsetType = UNSET
    b_text: str | UnsetType = UNSET
    b_by: Name | UnsetType = UNSET
    first: Candidate | UnsetType = UNSET
    verdict: Literal["a", "b", "tie", "unreadable"] | UnsetType = UNSET
    a_score: Score | UnsetType = UNSET
    b_score: Score | UnsetType = UNSET
    repeat: Count | UnsetType = UNSET
    gold: Choice | UnsetType = UNSET
    humans: Annotated[tuple[Choice, ...], Meta(min_length=1)] | UnsetType = UNSET
    human_score: Score | UnsetType = UNSET
    human_scores: Annotated[tuple[Score, ...], Meta(min_length=1)] | UnsetType = UNSET
    label: Name | UnsetType = UNSET
    gold_label: Name | UnsetType = UNSET
    human_labels: Annotated[tuple[Name, ...], Meta(min_length=1)] | UnsetType = UNSET
    candidates: Annotated[tuple[Digest, ...], Meta(min_length=2)] | UnsetType = UNSET
    scores: tuple[Score | None, ...] | UnsetType = UNSET
    picked: Count | UnsetType = UNSET
    order: tuple[Count, ...] | UnsetType = UNSET
    right: Count | UnsetType = UNSET
    confidence: Share | UnsetType = UNSET
    answer_sha256: Digest | UnsetType = UNSET
    answer_length: Count | UnsetType = UNSET
    input_tokens: Tokens | UnsetType = UNSET
    output_tokens: Tokens | UnsetType = UNSET
    date: Day | UnsetType = UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Owner of the verdicts, and whether the licence lets the candidates' texts stand here."""

    name: str
    repository: str
    commit: str
    licence: str
    texts: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A file of the source, by its content."""

    path: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """A judge, as far as the source names it."""

    name: str
    model: str
    platform: str

    @property
    def called(self) -> str:
        """The model, or the judge's name where the source does not state it."""
        return self.name if self.model == UNKNOWN else self.model


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """The prompt that a judge was asked with."""

    name: str
    sha256: str

    def is_one(self, prompt: "Prompt") -> bool:
        """Return whether two are one: by digest, or by name where neither digest is stated."""
        if UNKNOWN == self.sha256 == prompt.sha256:
            return self.name == prompt.name != UNKNOWN
        return self.sha256 == prompt.sha256


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A judge and how it was asked. `note` says what keeps its verdicts from being a fair sample.

    `asked` counts the questions by subset, with those of which the source has no verdict.
    `modality` is what the judge saw: `image` where it saw images beside text.
    """

    judge: Judge
    prompt: Prompt
    decoding: dict[str, Any] | str
    date: str
    note: str | None = None
    asked: Mapping[str, int] | None = None
    modality: Modality = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """How `epc observe import` made a verdict file: from which shape, with which arguments.

    `files` are the paths of all files of verdicts that were there: a copy of a source may lack
    some, and a whole one gives the same verdicts from these alone.
    """

    shape: str
    files: Sequence[str] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, str] | None = None
    ignored: Sequence[str] | None = None
    rows: str | None = None
    scales: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """The scale of single answers' scores, from `low` to `high`; `step` is one grade.

    `outside` counts the judge's scores that lie outside it: each is an unreadable verdict. A scale
    that the user stated is `stated`.
    """

    low: float
    high: float
    step: float
    outside: int = 0
    stated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """Facts that a file's verdicts share; `left_out` counts what only looks like a verdict.

    Digests are those of texts, or of names where the source has no texts (`identity`). `scale` is
    that of the scores of single answers, if one is known.
    """

    schema_version: int
    source: Source
    files: Mapping[str, SourceFile]
    settings: Mapping[str, Setting]
    left_out: Mapping[str, int] = field(default_factory=dict)
    made: ImportOptions | None = None
    identity: Literal["text", "name"] = "text"
    scale: Scale | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgePart:
    """A judge's part of a verdict file (`observed.json`).

    `judge` is what was chosen: a judge's name in the source, or its model. `sha256` is that of the
    part's JSON Lines.
    """

    judge: str
    header: Header
    verdicts: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Something known to be wrong with a source's verdicts; of these judges alone, or of all."""

    id: str
    says: str
    models: tuple[str, ...] = ()


def faults(
    says: Mapping[str, str], models: Mapping[str, tuple[str, ...]] = {}
) -> tuple[Fault, ...]:
    """Return a source's faults by their names; `models` has the judges of some."""
    return tuple(Fault(id=id_, says=text, models=models.get(id_, ())) for id_, text in says.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What the user chooses where a source leaves it open.

    `same` names the author that a judge is, by the judge's name. `baseline` is whom all others are
    compared with. A domain is a pattern of subsets, or NAME=PATTERN+PATTERN.
    """

    same: Mapping[str, str] = field(default_factory=dict)
    baseline: str | None = None
    domains: Sequence[str] = ()
