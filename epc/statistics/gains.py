"""What a change gained, by a judge and by gold, over items that were scored before and after.

Differences are after minus before, one an item. Gains are intervals over items: they speak of
these two states of the work, not of the procedure that led from one to the other (Reading R93).
"""

from math import sqrt
from typing import Final

from msgspec import Struct

from epc.arrays import Array, Codes, Flags, np
from epc.spec.epc_v1 import BOOTSTRAP_RESAMPLES, BOOTSTRAP_SEED
from epc.statistics.figures import Figure
from epc.statistics.inference import t_point, t_two_sided
from epc.statistics.intervals import (
    Interval,
    mean,
    quantiles,
    spread_interval,
    sum_of_squares,
    variance_of,
)

FEWEST_EACH: Final = 10  # changed items of equal gold, and of other gold, for a price
FEWEST_ANCHORS: Final = 10
_FEWEST_FOR_SLOPE: Final = 3  # two points lie on a line
_MANY: Final = 10_000  # degrees of freedom, with which Student's t is the normal distribution
_BLOCK: Final = 2_000_000  # drawn items in memory at once


class AssistedGain(Figure, frozen=True, kw_only=True):
    """A gain by gold on a part of the items, with the judge's differences on all to help.

    `worth` is how many labels without the judge would have the same variance; `correlation` is
    that of the two differences over the labelled items.
    """

    labelled: int
    worth: float
    correlation: float


class Exchange(Struct, frozen=True, kw_only=True):
    """What a judge pays for a right answer, and what it pays for anything else.

    `share` is the part of the judge's gain that is taste.
    """

    price: Figure
    taste: Figure
    share: Figure


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


def assisted_gain(gold: Array, judge: Array, every: Array) -> AssistedGain:
    """Return the gain by gold, helped by the judge's differences on items without a label.

    The slope of gold on the judge carries what the unlabelled items say. With labels of all items
    this is the plain mean; without a slope, too.

    Shapes: gold and judge (m,), the labelled items; every (n,), all of them.
    Unit:   that of gold.
    Source: the regression estimator of double sampling; W. G. Cochran, Sampling Techniques (1977),
        12.6.
    """
    m, n = len(gold), len(every)
    plain = gain(gold)
    spread = variance_of(gold.tolist())
    slope, correlation = _slope(judge, gold)
    if m == n or m < _FEWEST_FOR_SLOPE or not slope:
        return AssistedGain(
            value=plain.value, ci95=plain.ci95, labelled=m, worth=m, correlation=correlation
        )
    middle = float(gold.mean() - slope * judge.mean() + slope * every.mean())
    residuals = (gold - gold.mean()) - slope * (judge - judge.mean())
    residual = sum_of_squares(residuals.tolist()) / (m - 2)
    variance = residual / m + slope**2 * variance_of(every.tolist()) / n
    half = t_point(m - 2) * sqrt(variance)
    return AssistedGain(
        value=middle,
        ci95=(middle - half, middle + half),
        labelled=m,
        worth=spread / variance if variance else float(n),
        correlation=correlation,
    )


def exchange(judge: Array, gold: Array, changed: Flags) -> Exchange:
    """Return the price of a right answer and the taste, bootstrapped over labelled items.

    The price is the slope of the judge's differences on gold's, with intercept, over items whose
    output changed; the taste is the judge's mean difference less price times gold's, over all.

    Shapes: each (m,).
    Unit:   the judge's points, for the price those of one right answer.
    """
    counted = changed.astype(np.float64)
    j, g = counted * judge, counted * gold
    table = np.stack([judge, gold, counted, j, g, j * gold, g * gold])
    m = len(judge)
    point = _exchange_of(table.sum(axis=1, keepdims=True), m)
    rng = np.random.default_rng(BOOTSTRAP_SEED)
    blocks = [
        _exchange_of(table[:, rng.integers(0, m, size=(part, m))].sum(axis=2), m)
        for part in _parts(BOOTSTRAP_RESAMPLES, max(1, _BLOCK // m))
    ]
    drawn = np.concatenate(blocks, axis=1)
    price, taste, share = (
        Figure(value=float(value), ci95=_middle(values[np.isfinite(values)], m))
        for value, values in zip(point[:, 0], drawn, strict=True)
    )
    return Exchange(price=price, taste=taste, share=share)


def can_be_priced(gold: Array) -> bool:
    """Return whether the changed, labelled items bear a price: enough of equal and of other gold.

    Shapes: (m,), gold's differences on them.
    """
    equal = int((gold == 0).sum())
    return min(equal, len(gold) - equal) >= FEWEST_EACH


def error_rate(disagreement: float) -> float:
    """Return the error rate of labels of which two askings disagree so often: 2e(1 - e)."""
    return (1 - sqrt(max(0.0, 1 - 2 * disagreement))) / 2


class Parted(Struct, frozen=True, kw_only=True):
    """A change of scores between two runs: the judge's part of it and the system's."""

    change: Figure
    judge: Figure
    system: Figure
    anchors: int


def parted(change: Array, anchors: Array, places: Codes) -> Parted:
    """Return what of a change of scores is the judge's and what is the system's (Reading R95).

    `change` is the new judge's score of the new system less the old judge's of the old one.
    `anchors` is the new judge's score of the old system's outputs less the old judge's of the same.

    Shapes: change (n,); anchors and places (m,): the place in `change` of each anchor's item.
    Unit:   that of the scores.
    """
    n, m = len(change), len(anchors)
    whole, judge = gain(change), gain(anchors)
    beside = change[places]
    covariance = float(((beside - beside.mean()) * (anchors - anchors.mean())).sum()) / (m - 1)
    variance = variance_of(change.tolist()) / n + variance_of(anchors.tolist()) / m
    half = t_point(m - 1) * sqrt(max(0.0, variance - 2 * covariance / n))
    value = mean(change.tolist()) - mean(anchors.tolist())
    system = Figure(value=value, ci95=(value - half, value + half))
    return Parted(change=whole, judge=judge, system=system, anchors=m)


def _slope(x: Array, y: Array) -> tuple[float, float]:
    """Return the least-squares slope of y on x and their correlation; 0 where x or y is constant.

    Shapes: each (m,).
    """
    dx, dy = x - x.mean(), y - y.mean()
    both, xx, yy = (float((a * b).sum()) for a, b in ((dx, dy), (dx, dx), (dy, dy)))
    return (both / xx, both / sqrt(xx * yy)) if xx and yy else (0.0, 0.0)


def _exchange_of(sums: Array, m: int) -> Array:
    """Return price, taste and share of resamples of m items from their sums.

    Shapes: (7, r) in, (3, r) out.
    """
    judge, gold, count, j, g, jg, gg = sums
    with np.errstate(divide="ignore", invalid="ignore"):
        price = (jg - j * g / count) / (gg - g * g / count)
        taste = (judge - price * gold) / m
        share = 1 - price * gold / judge
    return np.stack([price, taste, share])


def _parts(whole: int, most: int) -> list[int]:
    return [min(most, whole - done) for done in range(0, whole, most)]


def _middle(values: Array, m: int) -> Interval:
    """Return the interval between quantiles that are further out where m items are few.

    Source: the expanded percentile interval; T. C. Hesterberg, Am. Stat. 69 (2015), 371-386.
    """
    tail = t_two_sided(sqrt(m / (m - 1)) * t_point(m - 1), _MANY) / 2
    low, high = quantiles(values, [tail, 1 - tail])
    return float(low), float(high)
