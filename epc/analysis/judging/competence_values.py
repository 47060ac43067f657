"""What tests say of a judge, as values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from epc.analysis.judging.results import Compared, Ends, Mean, Share, Trusted
from epc.audit.competence import Word

Expected = Literal["lower", "equal", "not_higher"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Detection(Share):
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift(Mean):
    """By how many points a change that adds and takes away nothing moves the score."""

    by: Literal["length", "format", "name"]
    over: str
    pairs: int
    lost: int
    none: Trusted


@dataclass(frozen=True, slots=True, kw_only=True)
class Retest:
    """The same outputs asked again: how the two answers agree; `shared` ones are left out."""

    times: tuple[str | None, ...]
    same_day: bool
    shared: int
    compared: Compared


@dataclass(frozen=True, slots=True, kw_only=True)
class Ablation:
    """What the score of a dimension does without its quote, and without as much elsewhere."""

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
    """Whether a judge tells outputs from spoilt ones, and what moves its scores besides.

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
