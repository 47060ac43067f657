"""How far judges agree on the outputs that they both judged.

Kappa is scikit-learn's, alpha the `krippendorff` package's; both load when a report is made. A
statistic that is undefined (one value everywhere) is None, never 1 and never 0.
"""

import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Final, Literal

from epc.analysis.judging.shares import Judgment, mean, share
from epc.judge.samples import Unit
from epc.protocol.results import Json
from epc.spec.judge_v1 import CROSS, DIMENSIONS, HIGHEST_OVERALL, OVERALL, SCALE

_OVERALLS: Final = tuple(range(HIGHEST_OVERALL + 1))
Ratings = dict[str, dict[Unit, Judgment]]


def between_judges(judgments: Iterable[Judgment]) -> Json:
    """Return the agreement of every pair of judges, and of all, on what both judged validly.

    Cross-judging only (JUDGE-1.2).
    """
    ratings = ratings_by(CROSS, judgments)
    return {
        "pairs": [
            {"judges": [left, right], **compared(ratings[left], ratings[right])}
            for left, right in combinations(sorted(ratings), 2)
        ],
        "alpha": _alphas(ratings),
    }


def compared(left: Mapping[Unit, Judgment], right: Mapping[Unit, Judgment]) -> Json:
    """Return how two sets of judgments of the same outputs agree.

    Units: shares; mean absolute error and mean difference in points of the overall score, the
    difference being the second's minus the first's; kappas with quadratic weights.
    """
    both = sorted(left.keys() & right.keys(), key=lambda unit: unit.output_id)
    pairs = [(left[unit], right[unit]) for unit in both]
    gaps = [second.overall - first.overall for first, second in pairs]
    return {
        "outputs": len(pairs),
        "same_verdict": share(sum(a.verdict == b.verdict for a, b in pairs), len(pairs)),
        "same_overall": share(sum(gap == 0 for gap in gaps), len(pairs)),
        "mean_absolute_error": mean([abs(gap) for gap in gaps]),
        "mean_difference": mean(gaps),
        "kappa": {
            OVERALL: _kappa([(a.overall, b.overall) for a, b in pairs], _OVERALLS),
            **{
                name: _kappa([(_score(a, i), _score(b, i)) for a, b in pairs], SCALE)
                for i, name in enumerate(DIMENSIONS)
            },
        },
    }


def ratings_by(method: str, judgments: Iterable[Judgment]) -> Ratings:
    """Return the valid judgments by one method, by judge and unit."""
    found: Ratings = {}
    for judgment in judgments:
        if judgment.valid and judgment.method == method:
            found.setdefault(judgment.judge_model, {})[judgment.unit] = judgment
    return found


def _kappa(pairs: Sequence[tuple[int, int]], labels: Sequence[int]) -> float | None:
    if len({score for pair in pairs for score in pair}) < 2:  # noqa: PLR2004  (undefined on one value)
        return None
    from sklearn.metrics import cohen_kappa_score

    first, second = zip(*pairs, strict=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an undefined kappa comes back as NaN as well
        kappa = float(cohen_kappa_score(first, second, labels=list(labels), weights="quadratic"))
    return None if math.isnan(kappa) else kappa


def _alphas(ratings: Ratings) -> Json:
    """Return Krippendorff's alpha over all judges: the sum as an interval, scores as ordinal."""
    alphas: Json = {OVERALL: _alpha(ratings, lambda judgment: judgment.overall, "interval")}
    for index, name in enumerate(DIMENSIONS):
        alphas[name] = _alpha(ratings, partial(_score, index=index), "ordinal")
    return alphas


def _alpha(
    ratings: Ratings, value: Callable[[Judgment], int], level: Literal["interval", "ordinal"]
) -> float | None:
    units = {unit: None for table in ratings.values() for unit in table}
    rows = [
        [value(table[unit]) if unit in table else math.nan for unit in units]
        for table in ratings.values()
    ]
    counts = [sum(not math.isnan(row[column]) for row in rows) for column in range(len(units))]
    paired = [column for column, count in enumerate(counts) if count > 1]
    seen = {row[column] for row in rows for column in paired if not math.isnan(row[column])}
    if len(seen) < 2:  # noqa: PLR2004  (undefined on one value)
        return None
    import krippendorff
    import numpy as np

    data = np.array(rows, dtype=np.float64)[:, paired]
    return float(krippendorff.alpha(reliability_data=data, level_of_measurement=level))


def _score(judgment: Judgment, index: int) -> int:
    assert judgment.scores is not None
    return judgment.scores[index]
