"""Judges against people: agreement, errors by dimension, and PASS shares put right by few labels.

Two corrections of a judge's PASS share. Rogan and Gladen's takes out its known errors: it rests on
the judge erring on unlabelled outputs as on labelled ones. The prediction-powered one adds the mean
error of the labelled outputs to the judge's share: it needs labels of outputs drawn at random.

Sources: W. J. Rogan and B. Gladen, American Journal of Epidemiology 107 (1978), 71-76;
A. N. Angelopoulos et al., Science 382 (2023), 669-674.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from math import ceil, sqrt
from typing import Final

from epc.analysis.judging.agreement import ratings_by, score_agreement
from epc.analysis.judging.results import (
    BetweenPeople,
    CorrectedShare,
    ErrorMatrix,
    JudgeAgainstPeople,
    LabelReport,
    ScoreAgreement,
)
from epc.analysis.judging.shares import Judgment, numbered, share
from epc.judge.check import no_quotes
from epc.judge.samples import Unit
from epc.records.judging.labels import Label, together
from epc.spec.judge_v1 import CROSS, DIMENSIONS, SCALE, VERDICTS
from epc.statistics.clusters import left_out_interval
from epc.statistics.figures import Mean
from epc.statistics.inference import t_point

_PASSED: Final = VERDICTS[0]
_ABOVE_CHANCE: Final = 0.05  # of sensitivity + specificity - 1: less magnifies noise beyond use
_LARGEST_VARIANCE: Final = 0.25
_UNSEEN: Final = 0.25  # of an error, squared: what labels without an error leave possible
_FEWEST: Final = 2.0  # times the square root of the questions: below it unseen errors rule
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

    For judges who err on so many of the outputs: the error of an output is -1, 0 or 1, so that its
    variance is at most the share of errors. The judge's share has a variance, too. The last is of
    no judge at all, and no judge takes more. None where labels of all outputs do not do.

    Unit: shares; labels of independent outputs.
    """
    alone = _fewest(width, outputs, None)
    with_judge = {share: _fewest(width, outputs, share) for share in (0.02, 0.05, 0.1, 0.2)}
    needs = {
        share: [n for n in (fewest, alone) if n is not None] for share, fewest in with_judge.items()
    }
    return (
        *((share, min(numbers, default=None)) for share, numbers in needs.items()),
        (_LARGEST_VARIANCE, alone),
    )


def _fewest(width: float, outputs: int, erring: float | None) -> int | None:
    least = 2 if erring is None else max(2, _enough(outputs))
    for labels in range(least, outputs + 1):
        variance = _LARGEST_VARIANCE / labels
        if erring is not None:
            variance = _LARGEST_VARIANCE / outputs + (erring + _UNSEEN / labels) / labels
        if t_point(labels - 1) * sqrt(variance) <= width:
            return labels
    return None


def _enough(questions: int) -> int:
    """Return how many labelled questions an interval of a corrected share takes."""
    return ceil(_FEWEST * sqrt(questions))


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
        passes=corrected_share(
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


def corrected_share(counted: list[Counted]) -> CorrectedShare:
    """Return a judge's PASS share as it is, and put right in both ways.

    Where few errors were seen, or none, more may be left than the labels show: the variance has
    `_UNSEEN` errors more. With few labels of many questions these would be all that it has, and
    such an interval covers too often or too seldom: it is left out, with the reason.
    """
    questions = numbered(question for question, _, _ in counted)
    coded = [(questions[question], judge, people) for question, judge, people in counted]
    labelled_rows = [
        (question_id, judge, people) for question_id, judge, people in counted if people is not None
    ]
    labelled, enough = (
        len({question_id for question_id, _, _ in labelled_rows}),
        _enough(len(questions)),
    )
    few = None
    if labelled < enough:
        few = (
            f"{labelled} of {len(questions)} questions have labels: an interval takes {enough}, "
            "twice the square root of all"
        )
    sensitivity = share(
        [(question_id, judge, 1) for question_id, judge, people in labelled_rows if people]
    )
    specificity = share(
        [(question_id, 1 - judge, 1) for question_id, judge, people in labelled_rows if not people]
    )

    def figure(
        estimate: Callable[[list[tuple[float, float | None]]], float | None], shift: float
    ) -> Mean:
        """Return a figure that an error of one labelled question moves by `shift`."""

        def jackknife(left_out: frozenset[int]) -> float | None:
            return estimate(
                [(judge, people) for index, judge, people in coded if index not in left_out]
            )

        interval = None
        if few is None:
            unseen = _UNSEEN * shift**2
            interval = left_out_interval(
                jackknife, len(questions), extra_variance=unseen, informative=labelled
            )
        clipped = None if interval is None else (max(0.0, interval[0]), min(1.0, interval[1]))
        return Mean(value=jackknife(frozenset()), ci95=clipped)

    label_share = 1 / max(1, labelled)
    right = (sensitivity.value or 0.0) + (specificity.value or 0.0) - 1
    return CorrectedShare(
        stated=share([(question_id, judge, 1) for question_id, judge, _ in counted]),
        sensitivity=sensitivity,
        specificity=specificity,
        rogan_gladen=figure(_rogan_gladen, label_share / max(_ABOVE_CHANCE, right)),
        prediction_powered=figure(_prediction_powered, label_share),
        no_interval=few,
    )


def _rogan_gladen(pairs: Sequence[tuple[float, float | None]]) -> float | None:
    passed = [judge for judge, people in pairs if people]
    failed = [judge for judge, people in pairs if people is not None and not people]
    if not passed or not failed:
        return None
    sensitivity, false_passes = sum(passed) / len(passed), sum(failed) / len(failed)
    if sensitivity - false_passes < _ABOVE_CHANCE:
        return None
    rate = sum(judge for judge, _ in pairs) / len(pairs)
    return min(1.0, max(0.0, (rate - false_passes) / (sensitivity - false_passes)))


def _prediction_powered(pairs: Sequence[tuple[float, float | None]]) -> float | None:
    errors = [people - judge for judge, people in pairs if people is not None]
    if not errors:
        return None
    rate = sum(judge for judge, _ in pairs) / len(pairs)
    return min(1.0, max(0.0, rate + sum(errors) / len(errors)))


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
