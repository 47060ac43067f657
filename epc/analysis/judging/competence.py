"""Does a judge tell outputs from spoilt ones, and does what should not matter move its scores?

The order of two scores is known beforehand: see `epc.judge.planted`. All intervals are clustered by
question, and of fewer than `FEWEST` pairs none is stated.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Final, Literal, TypeVar

from msgspec import structs

from epc.analysis.judging.drift import drift, evaluated
from epc.analysis.judging.evaluation import (
    Ablation,
    Competence,
    Detection,
    Expected,
    Retest,
    Shift,
)
from epc.analysis.judging.results import Drifted, Share, Trusted
from epc.analysis.judging.shares import Judgment, Seen, judgments_of, mean, share
from epc.analysis.judging.trust import is_none
from epc.audit.competence import CHANCE, FEWEST, USEFUL, word_of
from epc.judge.planted import ABLATED, CONTROL, LOWER, PADDED, PLAIN, SAME, Planting
from epc.records.judging.competence import part_folder, retests
from epc.records.judging.documents import is_complete, load_plan, load_run_log
from epc.records.judging.evaluation_set import EvaluationSet
from epc.spec.judge_v1 import DIMENSIONS, OVERALL, RULES, Rules
from epc.statistics.figures import Mean

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """What a judge gave an output and a text made from it; None where that is no evaluation."""

    question: str
    base: Scores
    made: Scores

    @property
    def is_lost(self) -> bool:
        """Whether one of the two is no valid evaluation."""
        return self.base is None or self.made is None

    @property
    def is_at_floor(self) -> bool:
        """Whether both are scored, and the output's score cannot fall."""
        return not self.is_lost and sum(self.base or ()) == 0

    def is_right(self, expected: Expected) -> bool:
        """Return whether the scores stand in the order that is known beforehand."""
        if self.base is None or self.made is None:
            return False
        base, made = sum(self.base), sum(self.made)
        return {"lower": made < base, "equal": made == base, "not_higher": made <= base}[expected]


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
        outputs=sum(planting is None for planting, _ in part.said.values()),
        evaluations=len(part.said),
        valid=sum(one.valid for _, one in part.said.values()),
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
    """What a judge said of the outputs of a part, by output id, and how each was made."""

    said: Mapping[str, tuple[Planting | None, Judgment]]

    @classmethod
    def read(cls, folder: Path) -> "_Part":
        """Return what a complete part came to."""
        rows = EvaluationSet(folder, load_plan(folder)).rows
        planted = {row.unit.output_id: row.planted for row in rows}
        judgments = judgments_of(folder)
        return cls(
            said={one.unit.output_id: (planted[one.unit.output_id], one) for one in judgments}
        )

    @property
    def constant(self) -> int | None:
        """The overall score that everything has, if there is but one of several."""
        scores = [one.overall for _, one in self.said.values() if one.valid]
        return scores[0] if len(scores) > 1 and len(set(scores)) == 1 else None

    def scores(self, output: str) -> Scores:
        """Return the scores of a valid evaluation."""
        _, one = self.said.get(output, (None, None))
        return one.scores if one is not None and one.valid else None

    def pairs(self, kind: str) -> list[Pair]:
        """Return the pairs of a kind."""
        return [
            Pair(question=one.question, base=self.scores(planting.of), made=self.scores(name))
            for name, (planting, one) in self.said.items()
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
    most = figure.count + lost + at_floor
    return Detection(
        **structs.asdict(figure),
        kind=kind,
        expected=expected,
        pairs=total,
        lost=lost,
        at_floor=at_floor,
        bounds=(figure.count / total, most / total) if total else None,
        word=word_of(len(counted), figure.ci95, failing=False),
    )


_Figure = TypeVar("_Figure", Share, Mean)


def _stated(figure: _Figure, pairs: int) -> _Figure:
    """Return a figure, of fewer than `FEWEST` pairs without its interval."""
    return figure if pairs >= FEWEST else structs.replace(figure, ci95=None)


def _share(seen: Sequence[Seen], rules: Rules = RULES) -> Share:
    return _stated(share(seen, rules), len(seen))


def _mean(seen: Sequence[tuple[str, float]]) -> Mean:
    return _stated(mean(seen), len(seen))


def _shifts(folder: Path, judge: str, part: _Part) -> Iterator[Shift]:
    """Yield what length, format and names do to the scores."""
    yield _shift("length", OVERALL, part.pairs(PADDED))
    yield _shift("format", " + ".join(_CONTENT), part.pairs(PLAIN))
    subfolder = part_folder(folder, judge, "named")
    if is_complete(subfolder):
        named = _Part.read(subfolder)
        pairs = [
            Pair(question=one.question, base=part.scores(name), made=named.scores(name))
            for name, (_, one) in named.said.items()
        ]
        yield _shift("name", OVERALL, pairs)


def _shift(by: Literal["length", "format", "name"], over: str, pairs: Sequence[Pair]) -> Shift:
    changes = [
        (pair.question, float(_points(made, over) - _points(base, over)))
        for pair in pairs
        if (base := pair.base) is not None and (made := pair.made) is not None
    ]
    figure = _mean(changes)
    return Shift(
        **structs.asdict(figure),
        by=by,
        over=over,
        pairs=len(pairs),
        lost=len(pairs) - len(changes),
        none=is_none(figure.ci95),
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
    first = evaluated(folder)
    for subfolder in complete:
        for row in drift(first, evaluated(subfolder)):
            if isinstance(row, Drifted) and row.judge == judge:
                yield _retest(row)


def _retest(row: Drifted) -> Retest:
    comparison = row.compared
    figures = ("same_verdict", "same_overall", "mean_absolute_error", "mean_difference")
    stated = {name: _stated(getattr(comparison, name), comparison.outputs) for name in figures}
    return Retest(
        times=row.times,
        same_day=len({(time or "")[:_DAY] for time in row.times}) == 1,
        shared=row.shared,
        compared=replace(comparison, **stated),
    )


def _ablation(folder: Path, judge: str, part: _Part) -> Ablation | None:
    """Return whether scores rest on the quotes that are given for them."""
    subfolder = part_folder(folder, judge, "ablation")
    if not is_complete(subfolder):
        return None
    judgments = _Part.read(subfolder).said
    made = {
        (planting.of, planting.kind): (planting.dimension, one)
        for planting, one in judgments.values()
        if planting is not None
    }
    changes: list[tuple[str, float, float]] = []
    pairs = [(of, each) for (of, kind), each in made.items() if kind == ABLATED]
    for of, (dimension, without) in pairs:
        base, (_, control) = part.scores(of), made[of, CONTROL]
        if base and dimension and without.valid and control.valid:
            index = DIMENSIONS.index(dimension)
            ours, theirs = ((one.scores or base)[index] - base[index] for one in (without, control))
            changes.append((without.question, float(ours), float(theirs)))
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
