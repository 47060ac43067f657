"""Judges against people: agreement, errors by dimension, and what few labels say of all outputs.

What people would pass of all outputs is that of an audit (`epc.analysis.verdicts_labels`): labels
need be drawn at random only within what a judge passes, and within what it does not.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Final

from epc.analysis.judging.agreement import ratings_by, score_agreement
from epc.analysis.judging.results import (
    BetweenPeople,
    ErrorMatrix,
    JudgeAgainstPeople,
    LabelReport,
    PassAgreement,
    ScoreAgreement,
)
from epc.analysis.judging.shares import Judgment, numbered, share
from epc.analysis.verdicts_labels import PassRows, corrected_share, of_labels
from epc.arrays import np
from epc.judge.check import no_quotes
from epc.judge.samples import Unit
from epc.records.judging.labels import Label, together
from epc.spec.judge_v1 import CROSS, DIMENSIONS, SCALE, VERDICTS
from epc.statistics.intervals import wilson

_PASSED: Final = VERDICTS[0]
_HALF: Final = 0.5
Counted = tuple[
    str, float, float | None
]  # question, whether the judge says PASS, whether people do


def against_labels(judgments: Sequence[Judgment], labels: list[Label]) -> LabelReport:
    """Return how every judge stands against people, over its valid cross-judgments."""
    joined = together(labels)
    people = {unit: _as_judgment(label) for unit, label in joined.items()}
    labellers = sorted({label.labeller for label in labels})
    by_labeller = {
        name: {label.unit: _as_judgment(label) for label in labels if label.labeller == name}
        for name in labellers
    }
    return LabelReport(
        outputs=len(joined),
        undecided=len({label.unit for label in labels}) - len(joined),
        labellers=len(labellers),
        passes=share(
            [(u.question_id, answer.verdict == _PASSED, 1) for u, answer in joined.items()]
        ),
        between_people=tuple(
            _between(pair, *(by_labeller[name] for name in pair))
            for pair in combinations(labellers, 2)
            if by_labeller[pair[0]].keys() & by_labeller[pair[1]].keys()
        ),
        judges=tuple(
            _against(judge, ratings, joined, people)
            for judge, ratings in sorted(ratings_by(CROSS, judgments).items())
        ),
    )


def labels_for(width: float, outputs: int) -> tuple[tuple[float, int | None], ...]:
    """Return how many labels a PASS share to within plus or minus `width` takes.

    For judges who pass half of the outputs and err on so many of these, as on the others. The last
    is of no judge at all, and no judge takes more. None where labels of all outputs do not do.

    Unit: shares; labels of independent outputs.
    """
    alone = _fewest(width, outputs, _HALF)
    with_judge = {share: _fewest(width, outputs, share) for share in (0.02, 0.05, 0.1, 0.2)}
    needs = {
        share: [n for n in (fewest, alone) if n is not None] for share, fewest in with_judge.items()
    }
    return (
        *((share, min(numbers, default=None)) for share, numbers in needs.items()),
        (_HALF, alone),
    )


def _fewest(width: float, outputs: int, erring: float) -> int | None:
    """Return the fewest labels; a judge that errs on half of the outputs says nothing."""
    judge = _HALF, wilson(outputs * _HALF, outputs)
    for labels in range(2, outputs + 1):
        if erring == _HALF:
            low, high = wilson(labels * _HALF, labels)
        else:
            n = labels / 2  # of what the judge passes, and of what it does not
            passed, failed = ((s, wilson(s * n, n)) for s in (1 - erring, erring))
            _, (low, high) = corrected_share(judge, passed, failed)
        if (high - low) / 2 <= width:
            return labels
    return None


def _between(
    people: tuple[str, str], left: Mapping[Unit, Judgment], right: Mapping[Unit, Judgment]
) -> BetweenPeople:
    pairs = [(left[unit], right[unit]) for unit in left if unit in right]
    return BetweenPeople(
        people=people,
        labelled=len(pairs),
        same_verdict=share(
            [(first.question, first.verdict == second.verdict, 1) for first, second in pairs]
        ),
        compared=_score_agreement(left, right),
    )


def _against(
    judge: str,
    ratings: Mapping[Unit, Judgment],
    joined: Mapping[Unit, Label],
    people: Mapping[Unit, Judgment],
) -> JudgeAgainstPeople:
    pairs = [(joined[unit], ratings[unit]) for unit in joined if unit in ratings]
    return JudgeAgainstPeople(
        judge=judge,
        labelled=len(pairs),
        lost=len(joined) - len(pairs),
        compared=_score_agreement(people, ratings),
        same_verdict=share(
            [(judged.question, label.verdict == judged.verdict, 1) for label, judged in pairs]
        ),
        errors=tuple(_matrix(index, pairs) for index in range(len(DIMENSIONS))),
        passes=passes_by_people(
            [
                (
                    judged.question,
                    float(judged.verdict == _PASSED),
                    float(joined[unit].verdict == _PASSED) if unit in joined else None,
                )
                for unit, judged in ratings.items()
            ]
        ),
    )


def _score_agreement(
    left: Mapping[Unit, Judgment], right: Mapping[Unit, Judgment]
) -> ScoreAgreement | None:
    """Return how scores agree where both gave scores, or None where nobody did."""
    sides = [
        {unit: judgment for unit, judgment in side.items() if judgment.scores}
        for side in (left, right)
    ]
    return score_agreement(*sides) if sides[0].keys() & sides[1].keys() else None


def _matrix(index: int, pairs: Iterable[tuple[Label, Judgment]]) -> ErrorMatrix:
    counts = Counter(
        (label.scores[index], judged.scores[index])
        for label, judged in pairs
        if label.scores is not None and judged.scores is not None
    )
    return ErrorMatrix(
        dimension=DIMENSIONS[index],
        counts=tuple(tuple(counts[people, judge] for judge in SCALE) for people in SCALE),
    )


def passes_by_people(counted: Sequence[Counted]) -> PassAgreement:
    """Return a judge's PASS share as it is, and the figures of it by people's labels."""
    questions = numbered(question for question, _, _ in counted)
    rows = PassRows(
        passes=np.array([judge for _, judge, _ in counted], np.float64),
        label=np.array([np.nan if people is None else people for _, _, people in counted]),
        cluster=np.array([questions[question] for question, _, _ in counted], np.int64),
        unit=np.full(len(counted), -1),
    )
    figures, labels = of_labels(rows) or ({}, None)
    return PassAgreement(
        stated=share([(question, judge, 1) for question, judge, _ in counted]),
        figures=figures,
        labels=labels,
    )


def _as_judgment(label: Label) -> Judgment:
    return Judgment(
        unit=label.unit,
        output_sha256="",
        judge_model=label.labeller,
        method=CROSS,
        valid=True,
        verdict=label.verdict,
        scores=label.scores,
        quotes=no_quotes(2),
    )
