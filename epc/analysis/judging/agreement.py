"""How far judges agree on outputs that they all judged, and where they differ most."""

import math
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import fsum
from pathlib import Path
from typing import Final, Literal

from msgspec import structs

from epc.analysis.judging.results import (
    Agreement,
    Disagreement,
    Opinion,
    OwnScale,
    Pair,
    ScoreAgreement,
    SelfPreference,
)
from epc.analysis.judging.shares import Judgment, mean, numbered, share
from epc.arrays import np
from epc.judge.mapping import RubricMapping
from epc.judge.samples import Unit
from epc.records.judging.documents import Plan, Record, records
from epc.records.judging.evaluation_set import EvaluationSet, Row
from epc.records.judging.prompts import load_mapping
from epc.spec.judge_v1 import CROSS, DIMENSIONS, HIGHEST_OVERALL, OVERALL, SCALE
from epc.statistics.clusters import agreement_interval, left_out_interval
from epc.statistics.figures import Mean
from epc.statistics.intervals import Interval

_OVERALLS: Final = tuple(range(HIGHEST_OVERALL + 1))
_SCORES: Final = (OVERALL, *DIMENSIONS)
Ratings = dict[str, dict[Unit, Judgment]]


def between_judges(judgments: Iterable[Judgment]) -> Agreement:
    """Return the agreement of every pair of judges, and of all, on what both judged validly.

    Cross-judging only (JUDGE-1.2).
    """
    ratings = ratings_by(CROSS, judgments)
    alphas = {
        name: _alpha(ratings, name, "interval" if name == OVERALL else "ordinal")
        for name in _SCORES  # the sum as an interval, a dimension's scores as ordinal
    }
    return Agreement(
        pairs=tuple(
            Pair(judges=(left, right), compared=score_agreement(ratings[left], ratings[right]))
            for left, right in combinations(sorted(ratings), 2)
        ),
        alpha={name: value for name, (value, _) in alphas.items()},
        alpha_ci95={name: interval for name, (_, interval) in alphas.items()},
    )


def over_readable(judgments: Iterable[Judgment]) -> Agreement:
    """Return the agreement over every score that could be read, valid or not.

    What falls out is often the bad outputs (Reading R26).
    """
    return between_judges(
        replace(judgment, valid=judgment.scores is not None) for judgment in judgments
    )


def score_agreement(
    left: Mapping[Unit, Judgment], right: Mapping[Unit, Judgment]
) -> ScoreAgreement:
    """Return how two sets of judgments of the same outputs agree.

    Units: shares; mean absolute error and mean difference in points of the overall score, the
    difference being the second's minus the first's; kappas with quadratic weights.
    """
    units = sorted(left.keys() & right.keys(), key=lambda unit: unit.output_id)
    pairs = [(left[unit], right[unit]) for unit in units]
    gaps = [(unit.question_id, right[unit].overall - left[unit].overall) for unit in units]
    kappas = {name: _kappa(pairs, name) for name in _SCORES}
    return ScoreAgreement(
        outputs=len(pairs),
        same_verdict=share([(a.question, a.verdict == b.verdict, 1) for a, b in pairs]),
        same_overall=share([(question, gap == 0, 1) for question, gap in gaps]),
        mean_absolute_error=_mean_distance(gaps, ends=(0, HIGHEST_OVERALL)),
        mean_difference=mean(gaps),
        kappa={name: value for name, (value, _) in kappas.items()},
        kappa_ci95={name: interval for name, (_, interval) in kappas.items()},
        own_scale=_own_scale(pairs),
    )


def _own_scale(pairs: Sequence[tuple[Judgment, Judgment]]) -> OwnScale | None:
    gaps = [
        (left.question, right.own_scale - left.own_scale)
        for left, right in pairs
        if left.own_scale is not None and right.own_scale is not None
    ]
    if not gaps:
        return None
    return OwnScale(
        outputs=len(gaps),
        same=share([(question, gap == 0, 1) for question, gap in gaps]),
        mean_absolute_error=_mean_distance(gaps),
    )


def _mean_distance(gaps: Sequence[tuple[str, float]], ends: Interval | None = None) -> Mean:
    """Return how far apart on average; no interval where the scale's ends are not known."""
    distance = mean([(question, abs(gap)) for question, gap in gaps], ends=ends)
    return distance if ends is not None else structs.replace(distance, ci95=None)


def ratings_by(method: str, judgments: Iterable[Judgment]) -> Ratings:
    """Return the valid judgments by one method, by judge and unit."""
    ratings: Ratings = {}
    for judgment in judgments:
        if judgment.valid and judgment.method == method:
            ratings.setdefault(judgment.judge_model, {})[judgment.unit] = judgment
    return ratings


def _kappa(
    pairs: Sequence[tuple[Judgment, Judgment]], name: str
) -> tuple[float | None, Interval | None]:
    """Return Cohen's kappa with quadratic weights, and its interval, clustered by question."""
    labels = _OVERALLS if name == OVERALL else SCALE
    questions = numbered(first.question for first, _ in pairs)
    rated = [
        (questions[first.question], _value(first, name), _value(second, name))
        for first, second in pairs
    ]

    def kappa(left_out: frozenset[int]) -> float | None:
        ratings = [(first, second) for question, first, second in rated if question not in left_out]
        if len({score for pair in ratings for score in pair}) < 2:  # noqa: PLR2004  (undefined on one value)
            return None
        from sklearn.metrics import cohen_kappa_score

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an undefined kappa comes back as NaN as well
            value = float(
                cohen_kappa_score(
                    *zip(*ratings, strict=True), labels=list(labels), weights="quadratic"
                )
            )
        return None if math.isnan(value) else value

    differing = {question for question, first, second in rated if first != second}
    return kappa(frozenset()), agreement_interval(kappa, len(questions), len(differing))


def _alpha(
    ratings: Ratings, name: str, level: Literal["interval", "ordinal"]
) -> tuple[float | None, Interval | None]:
    counts = Counter(unit for table in ratings.values() for unit in table)
    units = [unit for unit, count in counts.items() if count > 1]
    questions = numbered(unit.question_id for unit in units)
    rows = [
        [_value(table[unit], name) if unit in table else math.nan for unit in units]
        for table in ratings.values()
    ]

    def alpha(left_out: frozenset[int]) -> float | None:
        columns = [i for i, unit in enumerate(units) if questions[unit.question_id] not in left_out]
        scores = {row[column] for row in rows for column in columns if not math.isnan(row[column])}
        if len(scores) < 2:  # noqa: PLR2004  (undefined on one value)
            return None
        import krippendorff

        data = np.array(rows, dtype=np.float64)[:, columns]
        return float(krippendorff.alpha(reliability_data=data, level_of_measurement=level))

    differing = {
        unit.question_id
        for unit in units
        if len({_value(table[unit], name) for table in ratings.values() if unit in table}) > 1
    }
    return alpha(frozenset()), agreement_interval(alpha, len(questions), len(differing))


def _value(judgment: Judgment, name: str) -> int:
    if name == OVERALL:
        return judgment.overall
    assert judgment.scores is not None
    return judgment.scores[DIMENSIONS.index(name)]


_OWN, _OTHERS = "own", "others"
# A question's number, a third's name, whose outputs, and by how much the judge scored higher.
Gap = tuple[int, str, str, int]
_NONE: Final = "no output of others was judged by it and by another judge that is not its author"


def self_preferences(judgments: Iterable[Judgment]) -> tuple[SelfPreference, ...]:
    """Return for each judge of its own outputs how much more it favours these than others'.

    Units: points of the overall score. `own` and `others` count the outputs that are compared.
    """
    by_output: dict[object, dict[str, Judgment]] = {}
    for judgment in judgments:
        if judgment.valid:
            by_output.setdefault(judgment.unit, {})[judgment.judge_model] = judgment
    self_judges = {
        j.judge_model for ones in by_output.values() for j in ones.values() if j.method != CROSS
    }
    return tuple(_self_preference(judge, list(by_output.values())) for judge in sorted(self_judges))


def _self_preference(judge: str, outputs: Sequence[Mapping[str, Judgment]]) -> SelfPreference:
    questions: dict[str, int] = {}
    gaps: list[Gap] = []
    compared: dict[str, int] = {_OWN: 0, _OTHERS: 0}
    for ones in outputs:
        if judge not in ones:
            continue
        # What another author says of its own output is its own preference, and no yardstick.
        thirds = {
            name: judgment
            for name, judgment in ones.items()
            if name != judge and judgment.method == CROSS
        }
        kind = _OTHERS if ones[judge].method == CROSS else _OWN
        number = questions.setdefault(ones[judge].question, len(questions))
        compared[kind] += bool(thirds)
        gaps += [
            (number, name, kind, ones[judge].overall - judgment.overall)
            for name, judgment in thirds.items()
        ]

    def difference(left_out: frozenset[int]) -> float | None:
        return _difference([gap for gap in gaps if gap[0] not in left_out])

    excess = difference(frozenset())
    interval = left_out_interval(difference, len(questions))
    return SelfPreference(
        judge=judge,
        **compared,
        questions=len({number for number, *_ in gaps}),
        value=excess,
        ci95=interval,
        not_stated=_NONE if excess is None else None,
    )


def _difference(gaps: Sequence[Gap]) -> float | None:
    """Return the judge's excess on its own outputs minus that on others', judge by judge.

    Each other judge is compared on the outputs that both judged, so that its leniency drops out.
    """
    by_third: dict[str, dict[str, list[int]]] = {}
    for _, third, kind, gap in gaps:
        by_third.setdefault(third, {_OWN: [], _OTHERS: []})[kind].append(gap)
    excesses = [
        fsum(sides[_OWN]) / len(sides[_OWN]) - fsum(sides[_OTHERS]) / len(sides[_OTHERS])
        for sides in by_third.values()
        if sides[_OWN] and sides[_OTHERS]
    ]
    return fsum(excesses) / len(excesses) if excesses else None


MOST_SHOWN: Final = 10
LONGEST_OUTPUT: Final = 6_000  # characters


def disagreements(
    folder: Path, plan: Plan, judgments: Iterable[Judgment]
) -> tuple[Disagreement, ...]:
    """Return the outputs whose overall scores lie furthest apart, the widest first.

    Cross-judging only; every reply counts whose scores can be read, valid or not (Reading R26).
    """
    by_unit: dict[Unit, list[int]] = {}
    for judgment in judgments:
        if judgment.method == CROSS and judgment.scores is not None:
            by_unit.setdefault(judgment.unit, []).append(judgment.overall)
    apart = {unit: max(scores) - min(scores) for unit, scores in by_unit.items()}
    widest = sorted(
        (unit for unit, points in apart.items() if points),
        key=lambda unit: (-apart[unit], unit.output_id),
    )[:MOST_SHOWN]
    if not widest:
        return ()
    units, mapping = EvaluationSet(folder, plan), load_mapping(folder, plan)
    opinions: dict[Unit, dict[str, Opinion]] = {unit: {} for unit in widest}
    for _, record in records(folder):
        unit, judge = record.sample.unit, record.sample.judge_model
        if unit in opinions and record.sample.method == CROSS and record.scores is not None:
            opinions[unit].setdefault(judge, _opinion(record, units, mapping))
    ranks = {unit: number for number, unit in enumerate(widest)}
    return tuple(
        _disagreement(row, apart[row.unit], opinions[row.unit], units.text(row))
        for row in sorted(units.rows, key=lambda row: ranks.get(row.unit, -1))
        if row.unit in ranks
    )


def _disagreement(
    row: Row, points: int, opinions: Mapping[str, Opinion], text: str
) -> Disagreement:
    unit = row.unit
    return Disagreement(
        question_id=unit.question_id,
        prompt_variant=unit.prompt_variant,
        target_model=unit.target_model,
        output_id=unit.output_id,
        task=row.task,
        points=points,
        characters=len(text),
        shown=text[:LONGEST_OUTPUT],
        opinions=tuple(opinion for _, opinion in sorted(opinions.items())),
    )


def _opinion(record: Record, units: EvaluationSet, mapping: RubricMapping | None) -> Opinion:
    scores = record.scores or {}
    return Opinion(
        judge=record.sample.judge_model,
        valid=record.valid,
        flags=record.flags,
        verdict=record.verdict,
        overall_score=sum(scores.values()),
        scores=scores,
        evidence=tuple(units.quotations(record, mapping)),
    )
