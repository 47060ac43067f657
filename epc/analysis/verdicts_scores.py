"""A judge's scores of single answers beside those of people (Reading R101).

First of all whether they follow the order of people's; then how near they come, beside what one
score for all and its own scores dealt out at random would.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from typing import Any, Final

from msgspec import Struct

from epc.analysis.verdicts_figures import figure_of, weights
from epc.arrays import Array, ByRow, Codes, Flags, np
from epc.records.verdicts.types import Scale
from epc.statistics.clusters import (
    Statistic,
    agreement_interval,
    clustered_share,
    left_out_interval,
    linearised_interval,
)
from epc.statistics.figures import ClusteredFigure

_ROUNDED: Final = 1e-9
_FEWEST_DIFFERING: Final = 5  # items that bear the interval of a spread


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRows(ByRow):
    """A judge's score of each answer, and people's, NaN where there is none.

    Rows of one `unit`, an answer, weigh as much together as those of another. Clusters are numbered
    in the order of their names, so that no figure depends on the order of rows.

    Shapes: each (m,).
    """

    judge: Array
    people: Array
    cluster: Codes
    unit: Codes


class AlwaysScore(Struct, frozen=True, kw_only=True):
    """The one score that is most often within a step of people's, and how often it is."""

    score: float
    share: float


class ScoreLabels(Struct, frozen=True, kw_only=True):
    """What stands beside the figures of scores: their scale, and the best constant.

    Without a scale there is the rank correlation alone. `one_score` is what the judge gives every
    answer, if it gives but one; `left_out` counts scores outside the scale. `grid` counts answers
    by people's score, and in each row by the judge's, to the nearest step; `binned`: some are none.
    """

    scale: tuple[float, float, float] | None
    always: AlwaysScore | None
    left_out: int
    one_score: float | None = None
    grid: Sequence[Sequence[int]] = ()
    binned: bool = False


def of_score_labels(
    rows: ScoreRows, scale: Scale | None
) -> tuple[dict[str, ClusteredFigure], ScoreLabels] | None:
    """Return the figures of a judge's scores beside people's; None where no answer has both."""
    scored = rows[np.isfinite(rows.judge) & np.isfinite(rows.people)]
    if scale is not None:  # people's may lie outside it, whose scores nobody left out
        scored = scored[_inside(scored.judge, scale) & _inside(scored.people, scale)]
    if not len(scored.judge):
        return None
    weight = weights(scored.unit)
    figures = dict(_order(scored, weight))
    if scale is None:
        return figures, ScoreLabels(
            scale=None, always=None, left_out=0, one_score=_single_score(scored)
        )
    figures |= dict(_nearness(scored, weight, scale.step)) | dict(_size(scored, weight, scale.step))
    return figures, ScoreLabels(
        scale=(scale.low, scale.high, scale.step),
        always=_always(scored, weight, scale),
        left_out=scale.outside,
        one_score=_single_score(scored),
        **_grid(scored, scale),
    )


def _grid(rows: ScoreRows, scale: Scale) -> dict[str, Any]:
    size = round((scale.high - scale.low) / scale.step) + 1
    steps = [(side - scale.low) / scale.step for side in (rows.people, rows.judge)]
    places = [np.rint(side).astype(np.int64) for side in steps]
    counts = np.bincount(places[0] * size + places[1], minlength=size * size)
    off = max(float(np.abs(side - np.rint(side)).max()) for side in steps)
    return {"grid": counts.reshape(size, size).tolist(), "binned": off > _ROUNDED}


def _inside(values: Array, scale: Scale) -> Flags:
    inside: Flags = (values >= scale.low - _ROUNDED) & (values <= scale.high + _ROUNDED)
    return inside


def _single_score(rows: ScoreRows) -> float | None:
    """Return the one score that a judge gives every answer, if it gives but one."""
    return float(rows.judge[0]) if np.ptp(rows.judge) == 0 else None


def _order(rows: ScoreRows, weight: Array) -> Iterator[tuple[str, ClusteredFigure]]:
    """Yield Spearman's correlation, of mean ranks.

    Source: C. Spearman, American Journal of Psychology 15 (1904), 72-101; the interval is that of
        an agreement.
    """
    if not all(np.ptp(side) for side in (rows.judge, rows.people)):
        return
    codes = [np.unique(side, return_inverse=True)[1] for side in (rows.judge, rows.people)]

    def ranked(kept: Flags) -> list[Array]:
        return [_ranks(side[kept], weight[kept]) for side in codes]

    def correlation(kept: Flags) -> float | None:
        left, right = ranked(kept)
        return _correlation(left, right, weight[kept])

    judge, people = ranked(np.ones(len(weight), np.bool_))
    differing = np.abs(judge - people) > _ROUNDED
    yield "rank_correlation", _of_agreement(correlation, differing, rows)


def _ranks(codes: Codes, weight: Array) -> Array:
    """Return the mean rank of each value among these. Shapes: (m,)."""
    counts = np.bincount(codes, weights=weight)
    ranks: Array = (np.cumsum(counts) - counts / 2)[codes]
    return ranks


def _correlation(left: Array, right: Array, weight: Array) -> float | None:
    left, right = (side - np.average(side, weights=weight) for side in (left, right))
    size = sqrt(float(weight @ left**2) * float(weight @ right**2))
    return float((weight * left) @ right) / size if size else None


def _of_agreement(
    of_rows: Callable[[Flags], float | None], differing: Flags, rows: ScoreRows
) -> ClusteredFigure:
    """Return an agreement with its interval, whose ratio as many items bear as differ."""
    value = of_rows(np.ones(len(differing), np.bool_))
    assert value is not None
    count, statistic = _by_item(of_rows, rows.cluster)
    interval = agreement_interval(statistic, count, len(np.unique(rows.cluster[differing])))
    return figure_of(value, interval, rows.cluster)


def _by_item(of_rows: Callable[[Flags], float | None], clusters: Codes) -> tuple[int, Statistic]:
    """Return how many items there are, and a figure of rows as one of the items left out."""
    _, items = np.unique(clusters, return_inverse=True)
    count = int(items.max(initial=-1)) + 1

    def statistic(left_out: frozenset[int]) -> float | None:
        kept = np.ones(count, np.bool_)
        kept[[*left_out]] = False
        return of_rows(kept[items])

    return count, statistic


def _nearness(rows: ScoreRows, weight: Array, step: float) -> Iterator[tuple[str, ClusteredFigure]]:
    """Yield how near scores come to people's, and how near the same ones dealt at random do.

    Source: weighted kappa by J. Cohen, Psychological Bulletin 70 (1968), 213-220, which with
        squares is L. I.-K. Lin's concordance, Biometrics 45 (1989), 255-268.
    """
    gap = rows.judge - rows.people

    def kappa(kept: Flags) -> float | None:
        share, judge, people = weight[kept], rows.judge[kept], rows.people[kept]
        middles = [np.average(side, weights=share) for side in (judge, people)]
        together = (judge - middles[0]) * (people - middles[1])
        room = _variance(judge, share) + _variance(people, share) + (middles[0] - middles[1]) ** 2
        return 2 * float(np.average(together, weights=share)) / float(room) if room else None

    if np.ptp(rows.judge) or np.ptp(rows.people):
        yield "weighted_kappa", _of_agreement(kappa, np.abs(gap) > _ROUNDED, rows)
    near = np.abs(gap) <= step + _ROUNDED
    for name, hits in (("within_step", near), ("exact", np.abs(gap) < step / 2)):
        value, interval = clustered_share(hits * weight, weight, rows.cluster, verdicts=len(hits))
        yield name, figure_of(value, interval, rows.cluster)
    yield "shuffled", figure_of(_shuffled(rows, weight, step), None, rows.cluster)


def _shuffled(rows: ScoreRows, weight: Array, step: float) -> float:
    """Return how often a score of the judge's is within a step of a score of people's."""
    order = np.argsort(rows.people, kind="stable")
    people = rows.people[order]
    below = np.concatenate([[0.0], np.cumsum(weight[order])])
    reach = step + _ROUNDED
    last = np.searchsorted(people, rows.judge + reach, side="right")
    first = np.searchsorted(people, rows.judge - reach, side="left")
    return float(weight @ (below[last] - below[first])) / float(weight.sum()) ** 2


def _size(rows: ScoreRows, weight: Array, step: float) -> Iterator[tuple[str, ClusteredFigure]]:
    """Yield how much more than people the judge gives, and how widely its scores spread.

    The interval of the shift is of these answers and two more, a step above and a step below: of
    twenty equal ones nobody knows that the next is equal too.
    """
    gap = rows.judge - rows.people
    last = int(rows.cluster.max())
    values = np.concatenate([gap, [step, -step]])
    share = np.concatenate([weight, [1.0, 1.0]])
    share = share / share.sum()
    middle = float(share @ values)
    clusters = np.concatenate([rows.cluster, [last + 1, last + 2]])
    interval = linearised_interval(middle, share * (values - middle), clusters)
    value = float(np.average(gap, weights=weight))
    yield "shift", figure_of(value, interval, rows.cluster)

    def ratio(kept: Flags) -> float | None:
        spreads = [sqrt(_variance(side[kept], weight[kept])) for side in (rows.judge, rows.people)]
        return log(spreads[0] / spreads[1]) if all(spreads) else None

    differing = len(np.unique(rows.cluster[np.abs(gap) > _ROUNDED]))
    value_or_none = ratio(np.ones(len(gap), np.bool_))
    if differing < _FEWEST_DIFFERING or value_or_none is None:
        return
    count, statistic = _by_item(ratio, rows.cluster)
    ends = left_out_interval(statistic, count)
    interval = None if ends is None else (exp(ends[0]), exp(ends[1]))
    yield "spread_ratio", figure_of(exp(value_or_none), interval, rows.cluster)


def _variance(values: Array, weight: Array) -> float:
    middle = np.average(values, weights=weight)
    return float(np.average((values - middle) ** 2, weights=weight))


def _always(rows: ScoreRows, weight: Array, scale: Scale) -> AlwaysScore:
    count = round((scale.high - scale.low) / scale.step)
    grid = [scale.low + scale.step * place for place in range(count + 1)]
    near = [np.abs(score - rows.people) <= scale.step + _ROUNDED for score in grid]
    shares = [float(np.average(hits, weights=weight)) for hits in near]
    best = int(np.argmax(shares))
    return AlwaysScore(score=grid[best], share=shares[best])
