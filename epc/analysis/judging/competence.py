"""Does a judge tell outputs from spoilt ones, and does what should not matter move its scores?

The order of two scores is known beforehand: see `epc.judge.planted`. All intervals are clustered by
question, and of fewer than `FEWEST` pairs none is stated.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Final, Literal, TypeVar

from msgspec import field, structs

from epc.analysis.judging.drift import drift, evaluation_record
from epc.analysis.judging.results import DriftRow, Ends, ScoreAgreement, Share, Trusted, is_none
from epc.analysis.judging.shares import Judgment, Observation, judgments_of, mean, share
from epc.audit.competence import CHANCE, FEWEST, USEFUL, Word, word_of
from epc.judge.planted import ABLATED, CONTROL, LOWER, PADDED, PLAIN, SAME, Planting
from epc.records.judging.competence import part_folder, retests
from epc.records.judging.documents import is_complete, load_plan, load_run_log
from epc.records.judging.evaluation_set import EvaluationSet
from epc.spec.judge_v1 import DIMENSIONS, OVERALL, RULES, Rules
from epc.statistics.figures import Mean

Expected = Literal["lower", "equal", "not_higher"]

ALL: Final = "all"
_DAY: Final = len("2026-07-02")
_EXPECTED: Final[Mapping[str, Expected]] = {
    **dict.fromkeys((ALL, *LOWER), "lower"),
    SAME: "equal",
    PADDED: "not_higher",
}
# Form and instructions may ask for markup. What is said, and whether it is all there, may not.
_CONTENT: Final = ("SEMANTIC_FIDELITY", "COMPLETENESS")

Scores = Sequence[int] | None  # of a valid evaluation


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
    no_shift: Trusted = field(name="none")


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
class Pair:
    """Scores that a judge gave an output and a text made from it; None where they are invalid."""

    question: str
    base: Scores
    altered: Scores

    @property
    def is_lost(self) -> bool:
        """Return whether one of the two is no valid evaluation."""
        return self.base is None or self.altered is None

    @property
    def is_at_floor(self) -> bool:
        """Return whether both are scored, and the output's score cannot fall."""
        return not self.is_lost and sum(self.base or ()) == 0

    def is_right(self, expected: Expected) -> bool:
        """Return whether the scores stand in the order that is known beforehand."""
        if self.base is None or self.altered is None:
            return False
        base, altered = sum(self.base), sum(self.altered)
        return {"lower": altered < base, "equal": altered == base, "not_higher": altered <= base}[
            expected
        ]


def competences(folder: Path) -> tuple[Competence, ...]:
    """Return what tests say of the judges of a set, as far as they were asked.

    Raises: UsageError or MalformedError if a folder cannot be used.
    """
    return tuple(
        _competence(folder, judge.model)
        for judge in load_plan(folder).judges
        if is_complete(part_folder(folder, judge.model, "planted"))
    )


def _competence(folder: Path, judge: str) -> Competence:
    subfolder = part_folder(folder, judge, "planted")
    part, rules = _Part.read(subfolder), load_plan(folder).rules
    kinds = tuple(
        detection(kind, pairs, constant=part.constant is not None, rules=rules)
        for kind in (*LOWER, SAME, PADDED)
        if (pairs := part.pairs(kind))
    )
    below = list(chain.from_iterable(map(part.pairs, LOWER)))
    overall = detection(ALL, below, constant=part.constant is not None, rules=rules)
    failing = tuple(
        row.kind for row in kinds if row.expected == "lower" and row.word == "incapable"
    )
    return Competence(
        judge=judge,
        time=dict(load_run_log(subfolder).time.items()),
        outputs=sum(planting is None for planting, _ in part.judgments.values()),
        evaluations=len(part.judgments),
        valid=sum(judgment.valid for _, judgment in part.judgments.values()),
        word="incapable" if failing else overall.word,
        failing=failing,
        useful=USEFUL,
        chance=CHANCE,
        constant=part.constant,
        overall=overall,
        kinds=kinds,
        shifts=tuple(_shifts(folder, judge, part)),
        retests=tuple(_retests(folder, judge)),
        ablation=_ablation(folder, judge, part),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """Judgments of the outputs of a part, by output id, and how each was made."""

    judgments: Mapping[str, tuple[Planting | None, Judgment]]

    @classmethod
    def read(cls, folder: Path) -> "_Part":
        """Return what a complete part came to."""
        rows = EvaluationSet(folder, load_plan(folder)).rows
        planted = {row.unit.output_id: row.planted for row in rows}
        judgments = judgments_of(folder)
        return cls(
            judgments={
                judgment.unit.output_id: (planted[judgment.unit.output_id], judgment)
                for judgment in judgments
            }
        )

    @property
    def constant(self) -> int | None:
        """The overall score that everything has, if there is but one of several."""
        scores = [judgment.overall for _, judgment in self.judgments.values() if judgment.valid]
        return scores[0] if len(scores) > 1 and len(set(scores)) == 1 else None

    def scores(self, output: str) -> Scores:
        """Return the scores of a valid evaluation."""
        _, judgment = self.judgments.get(output, (None, None))
        return judgment.scores if judgment is not None and judgment.valid else None

    def pairs(self, kind: str) -> list[Pair]:
        """Return the pairs of a kind."""
        return [
            Pair(
                question=judgment.question, base=self.scores(planting.of), altered=self.scores(name)
            )
            for name, (planting, judgment) in self.judgments.items()
            if planting is not None and planting.kind == kind
        ]


# Reading R87: what counts as wrong, what is left out, and from which interval the word follows.
def detection(
    kind: str, pairs: Sequence[Pair], *, constant: bool, rules: Rules = RULES
) -> Detection:
    """Return of how many pairs the scores stand in the known order.

    The floor is no excuse for a judge that gives everything one score: `constant`.
    """
    expected = _EXPECTED[kind]
    excused = expected == "lower" and not constant
    counted = [pair for pair in pairs if not (excused and pair.is_at_floor)]
    right = [(pair.question, float(pair.is_right(expected)), 1.0) for pair in counted]
    figure = _share(right, rules)
    lost = sum(pair.is_lost for pair in counted)
    total, at_floor = len(pairs), len(pairs) - len(counted)
    largest = figure.count + lost + at_floor
    return Detection(
        **structs.asdict(figure),
        kind=kind,
        expected=expected,
        pairs=total,
        lost=lost,
        at_floor=at_floor,
        bounds=(figure.count / total, largest / total) if total else None,
        word=word_of(len(counted), figure.ci95, failing=False),
    )


_Figure = TypeVar("_Figure", Share, Mean)


def _with_enough_pairs(figure: _Figure, pairs: int) -> _Figure:
    """Return a figure, of fewer than `FEWEST` pairs without its interval."""
    return figure if pairs >= FEWEST else structs.replace(figure, ci95=None)


def _share(observations: Sequence[Observation], rules: Rules = RULES) -> Share:
    return _with_enough_pairs(share(observations, rules), len(observations))


def _mean(observations: Sequence[tuple[str, float]]) -> Mean:
    return _with_enough_pairs(mean(observations), len(observations))


def _shifts(folder: Path, judge: str, part: _Part) -> Iterator[Shift]:
    """Yield what length, format and names do to the scores."""
    yield _shift("length", OVERALL, part.pairs(PADDED))
    yield _shift("format", " + ".join(_CONTENT), part.pairs(PLAIN))
    subfolder = part_folder(folder, judge, "named")
    if is_complete(subfolder):
        named = _Part.read(subfolder)
        pairs = [
            Pair(question=judgment.question, base=part.scores(name), altered=named.scores(name))
            for name, (_, judgment) in named.judgments.items()
        ]
        yield _shift("name", OVERALL, pairs)


def _shift(by: Literal["length", "format", "name"], over: str, pairs: Sequence[Pair]) -> Shift:
    changes = [
        (pair.question, float(_points(altered, over) - _points(base, over)))
        for pair in pairs
        if (base := pair.base) is not None and (altered := pair.altered) is not None
    ]
    figure = _mean(changes)
    return Shift(
        **structs.asdict(figure),
        by=by,
        over=over,
        pairs=len(pairs),
        lost=len(pairs) - len(changes),
        no_shift=is_none(figure.ci95),
    )


def _points(scores: Sequence[int], over: str) -> int:
    """Return the sum of some dimensions, or of all."""
    return sum(
        score
        for name, score in zip(DIMENSIONS, scores, strict=True)
        if over == OVERALL or name in over.split(" + ")
    )


def _retests(folder: Path, judge: str) -> Iterator[Retest]:
    """Yield how the judge's later answers agree with those of the set, retest by retest."""
    complete = [subfolder for subfolder in retests(folder, judge) if is_complete(subfolder)]
    if not complete or not is_complete(folder):
        return
    first = evaluation_record(folder)
    for subfolder in complete:
        for row in drift(first, evaluation_record(subfolder)):
            if isinstance(row, DriftRow) and row.judge == judge:
                yield _retest(row)


def _retest(row: DriftRow) -> Retest:
    comparison = row.compared
    figures = ("same_verdict", "same_overall", "mean_absolute_error", "mean_difference")
    figures_stated = {
        name: _with_enough_pairs(getattr(comparison, name), comparison.outputs) for name in figures
    }
    return Retest(
        times=row.times,
        same_day=len({(time or "")[:_DAY] for time in row.times}) == 1,
        shared=row.shared,
        compared=replace(comparison, **figures_stated),
    )


def _ablation(folder: Path, judge: str, part: _Part) -> Ablation | None:
    """Return whether scores rest on the quotes that are given for them."""
    subfolder = part_folder(folder, judge, "ablation")
    if not is_complete(subfolder):
        return None
    judgments = _Part.read(subfolder).judgments
    altered = {
        (planting.of, planting.kind): (planting.dimension, judgment)
        for planting, judgment in judgments.values()
        if planting is not None
    }
    changes: list[tuple[str, float, float]] = []
    pairs = [(output, removal) for (output, kind), removal in altered.items() if kind == ABLATED]
    for output, (dimension, ablated) in pairs:
        base, (_, control) = part.scores(output), altered[output, CONTROL]
        if base and dimension and ablated.valid and control.valid:
            index = DIMENSIONS.index(dimension)
            ours, theirs = (
                (judgment.scores or base)[index] - base[index] for judgment in (ablated, control)
            )
            changes.append((ablated.question, float(ours), float(theirs)))
    difference = _mean([(q, ours - theirs) for q, ours, theirs in changes])
    return Ablation(
        pairs=len(pairs),
        lost=len(pairs) - len(changes),
        moved=_share([(q, float(ours != 0), 1) for q, ours, _ in changes]),
        moved_control=_share([(q, float(theirs != 0), 1) for q, _, theirs in changes]),
        change=_mean([(q, ours) for q, ours, _ in changes]),
        change_control=_mean([(q, theirs) for q, _, theirs in changes]),
        difference=difference,
        bears=_bears(difference),
    )


def _bears(difference: Mean) -> Trusted:
    """Return whether a score falls further without its quote than without as much elsewhere."""
    if difference.ci95 is None:
        return "unknown"
    low, high = difference.ci95
    return "yes" if high < 0 else "no" if low >= 0 else "unknown"
