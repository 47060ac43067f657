"""Gain of a change, by a judge and by gold, over items that were scored before and after.

Differences are after minus before, one an item. Gains are intervals over items: they speak of
these two states of the work, not of the procedure that led from one to the other (Reading R93).
"""

from math import ceil, sqrt
from typing import Final

from msgspec import Struct

from epc.arrays import Array, Codes, Flags, np
from epc.statistics.clusters import linearised_interval
from epc.statistics.figures import Figure
from epc.statistics.inference import t_point
from epc.statistics.intervals import (
    Z,
    mean,
    normal_point,
    spread_interval,
    sum_of_squares,
    variance_of,
)
from epc.statistics.paired import difference_interval

FEWEST_EACH: Final = 10  # changed items of equal gold, and of other gold, for a price
FEWEST_ANCHORS: Final = 10
FEWEST_CHANGED: Final = 10  # labels, for an interval by their spread
CHANGED_LABELS: Final = 0.4  # share of labels that change in the published runs from a weak start
_POWER: Final = 0.8
_FEWEST_FOR_SLOPE: Final = 3  # two points lie on a line


class AssistedGain(Figure, frozen=True, kw_only=True):
    """A gain by gold on a part of the items, with the judge's differences on all to help.

    `worth` is how many labels without the judge would have the same variance; `correlation` is
    that of the two differences over the labelled items.
    """

    labelled: int
    worth: float
    correlation: float


class Exchange(Struct, frozen=True, kw_only=True):
    """Price that a judge pays for a right answer, and for anything else."""

    price: Figure
    taste: Figure


def gain(differences: Array) -> Figure:
    """Return the mean difference with Student's interval over items.

    Shapes: (n,).
    Unit:   that of the differences.
    """
    values = differences.tolist()
    return Figure(value=mean(values), ci95=spread_interval(values))


def difference_of_gains(left: Figure, right: Figure) -> Figure:
    """Return left minus right for gains over different items."""
    value = (left.value or 0.0) - (right.value or 0.0)
    if left.ci95 is None or right.ci95 is None:
        return Figure(value=value, ci95=None)
    half = sqrt(sum_of_squares((high - low) / 2 for low, high in (left.ci95, right.ci95)))
    return Figure(value=value, ci95=(value - half, value + half))


def assisted_gain(gold: Array, judge: Array, judge_of_all: Array) -> AssistedGain:
    """Return the gain by gold, helped by the judge's differences on items without a label.

    The slope of gold on the judge carries what the unlabelled items say. With labels of all items
    this is the plain mean; without a slope, too. Where few labels change neither their spread nor a
    slope is known, so the interval is `gain_of_few`'s.

    Shapes: gold and judge (m,), the labelled items; judge_of_all (n,), all of them.
    Unit:   that of gold.
    Source: the regression estimator of double sampling; W. G. Cochran, Sampling Techniques (1977),
        12.6.
    """
    m, n = len(gold), len(judge_of_all)
    few = changes_are_few(gold)
    plain = gain_of_few(gold) if few else gain(gold)
    spread = variance_of(gold.tolist())
    slope, correlation = _slope(judge, gold)
    if few or m == n or m < _FEWEST_FOR_SLOPE or not slope:
        return AssistedGain(
            value=plain.value, ci95=plain.ci95, labelled=m, worth=m, correlation=correlation
        )
    middle = float(gold.mean() - slope * judge.mean() + slope * judge_of_all.mean())
    residuals = (gold - gold.mean()) - slope * (judge - judge.mean())
    residual = sum_of_squares(residuals.tolist()) / (m - 2)
    variance = residual / m + slope**2 * variance_of(judge_of_all.tolist()) / n
    half = t_point(m - 2) * sqrt(variance)
    return AssistedGain(
        value=middle,
        ci95=(middle - half, middle + half),
        labelled=m,
        worth=spread / variance if variance else float(n),
        correlation=correlation,
    )


def changes_are_few(gold: Array) -> bool:
    """Return whether so few labels changed that their spread is no measure of the chance in them.

    Shapes: (m,), gold's differences.
    """
    return int((gold != 0).sum()) < FEWEST_CHANGED


# Reading R102: the interval is never without width.
def gain_of_few(gold: Array) -> Figure:
    """Return the mean of differences of which most are 0, with an interval by counting.

    One more difference of 1 and one more of -1 are added: labels of which none changed do not show
    that none ever will. A part of a point counts as that part of a change, and a scale of more than
    a point as one point.

    Shapes: (m,).
    Unit:   that of the differences.
    Source: D. G. Bonett and R. M. Price, Journal of Educational and Behavioral Statistics 37
        (2012), 479-488.
    """
    scale = max(1.0, float(np.abs(gold).max(initial=0.0)))
    better, worse = (float(side.sum()) / scale for side in (gold[gold > 0], -gold[gold < 0]))
    low, high = difference_interval(better, worse, len(gold), Z)
    return Figure(value=mean(gold.tolist()), ci95=(max(-1.0, low) * scale, min(1.0, high) * scale))


def labels_for_margin(true_gain: float, margin: float) -> int:
    """Return how many labels show, 8 times in 10, that the work is not worse by the margin.

    That is, in so many samples the lower end of the gold gain's interval is above -margin. Labels
    change as often as in the published runs from a weak start, and the judge does not help.

    Unit:   both in shares of right answers; `true_gain` is above -margin.
    Source: the normal approximation of a paired difference's power.
    """
    variance = CHANGED_LABELS - true_gain**2
    reach = Z + normal_point(2 * (1 - _POWER))
    return ceil(variance * (reach / (true_gain + margin)) ** 2)


def exchange(judge: Array, gold: Array, changed: Flags) -> Exchange:
    """Return the price of a right answer and the taste, over labelled items.

    The price is the slope of the judge's differences on gold's, with intercept, over items whose
    output changed; the taste is the judge's mean difference less price times gold's, over all.
    Intervals are Student's, by how far an item moves a figure: of its leverage for the price, which
    few items of other gold bear. Of the gain taste is a part in points and no share: whatever rule
    says that the gain is clear enough for one picks gains that are too large (loop.md).

    Shapes: each (m,).
    Unit:   the judge's points, for the price those of one right answer.
    Source: HC3; J. G. MacKinnon and H. White, Journal of Econometrics 29 (1985), 305-325.
    """
    price, moves, leverage = _price(judge, gold, changed)
    moves /= 1 - leverage
    taste, of_taste = _taste(judge, gold, price, moves)
    return Exchange(
        price=_moved(price, moves, int(changed.sum()) - 2),
        taste=_moved(taste, of_taste, len(judge) - 1),
    )


def _price(judge: Array, gold: Array, changed: Flags) -> tuple[float, Array, Array]:
    """Return the price, by how far each item moves it, and the leverage of each on it.

    Shapes: each (m,); the price, (m,), (m,).
    """
    off = np.where(changed, gold - gold[changed].mean(), 0.0)
    squares = float((off**2).sum())
    slope = float((off * judge).sum()) / squares
    moves = off * (judge - judge[changed].mean() - slope * off) / squares
    return slope, moves, 1 / changed.sum() + off**2 / squares


def _taste(judge: Array, gold: Array, price: float, moves: Array) -> tuple[float, Array]:
    """Return the taste, and by how far each item moves it, of which `moves` is by the price.

    Shapes: each (m,); the taste, (m,).
    """
    taste = float(judge.mean() - price * gold.mean())
    return taste, (judge - price * gold - taste) / len(gold) - gold.mean() * moves


def _moved(value: float, moves: Array, freedom: int) -> Figure:
    """Return a figure with Student's interval, by how far each item moves it."""
    half = t_point(freedom) * sqrt(sum_of_squares(moves.tolist()))
    return Figure(value=value, ci95=(value - half, value + half))


def exchange_over_runs(judge: Array, gold: Array, changed: Flags, runs: Codes) -> Exchange:
    """Return one price and one taste of all items of several runs, with Student's over the runs.

    Few runs from a good start change ten outputs of other gold, so that a price of their own is
    withheld; all of them together have one.

    Shapes: each (m,), an item of a run; `runs` is the run that it is of.
    Unit:   as for `exchange`.
    """
    price, moves, _ = _price(judge, gold, changed)
    taste, of_taste = _taste(judge, gold, price, moves)
    return Exchange(
        price=Figure(value=price, ci95=linearised_interval(price, moves, runs)),
        taste=Figure(value=taste, ci95=linearised_interval(taste, of_taste, runs)),
    )


def can_be_priced(gold: Array) -> bool:
    """Return whether the changed, labelled items bear a price: enough of equal and of other gold.

    Shapes: (m,), gold's differences on them.
    """
    equal = int((gold == 0).sum())
    return min(equal, len(gold) - equal) >= FEWEST_EACH


def error_rate(disagreement: float) -> float:
    """Return the error rate of labels of which two askings disagree so often: 2e(1 - e)."""
    return (1 - sqrt(max(0.0, 1 - 2 * disagreement))) / 2


class ChangeParts(Struct, frozen=True, kw_only=True):
    """A change of scores between two runs: the judge's part of it and the system's."""

    change: Figure
    judge: Figure
    system: Figure
    anchors: int


def parted(change: Array, anchors: Array, places: Codes) -> ChangeParts:
    """Return what of a change of scores is the judge's and what is the system's (Reading R95).

    `change` is the new judge's score of the new system less the old judge's of the old one.
    `anchors` is the new judge's score of the old system's outputs less the old judge's of the same.

    Shapes: change (n,); anchors and places (m,): the place in `change` of each anchor's item.
    Unit:   that of the scores.
    """
    n, m = len(change), len(anchors)
    total, judge = gain(change), gain(anchors)
    matched = change[places]
    covariance = float(((matched - matched.mean()) * (anchors - anchors.mean())).sum()) / (m - 1)
    variance = variance_of(change.tolist()) / n + variance_of(anchors.tolist()) / m
    half = t_point(m - 1) * sqrt(max(0.0, variance - 2 * covariance / n))
    value = mean(change.tolist()) - mean(anchors.tolist())
    system = Figure(value=value, ci95=(value - half, value + half))
    return ChangeParts(change=total, judge=judge, system=system, anchors=m)


def _slope(x: Array, y: Array) -> tuple[float, float]:
    """Return the least-squares slope of y on x and their correlation; 0 where x or y is constant.

    Shapes: each (m,).
    """
    dx, dy = x - x.mean(), y - y.mean()
    xy, xx, yy = (float((a * b).sum()) for a, b in ((dx, dy), (dx, dx), (dy, dy)))
    return (xy / xx, xy / sqrt(xx * yy)) if xx and yy else (0.0, 0.0)
