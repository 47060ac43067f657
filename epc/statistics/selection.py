"""Gain of picking the best of n answers by a judge's scores: believed, asked again, and by gold.

An agent takes n of an item's answers, asks the judge k times about each and hands in the one with
the highest mean. Nothing is drawn: all subsets of the answers and all combinations of the askings
are averaged, the subsets by counting.

Source: Reading R94.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product
from math import comb, fsum, inf, sqrt
from typing import Final

from epc.arrays import Array, Codes, np
from epc.statistics.clusters import clustered_mean
from epc.statistics.inference import ALPHA, t_point

MOST_COMBINATIONS: Final = 20_000
_EQUAL: Final = 1e-9  # of mean scores
_EVERY: Final = 8
_AT_ONCE: Final = 2**18  # comparisons of two answers, which a processor's cache holds
_ONE_SIDED: Final = 0.1  # a bound that is passed in 5%


@dataclass(frozen=True, slots=True, kw_only=True)
class Picks:
    """Average worth of each item's picks, over the average worth of its answers.

    `believed` is by the askings that picked, `fresh` by all others, `gold` by the labels. `price`
    is how many points the other askings pay for a right answer in place of a wrong one, NaN where
    an item has one kind alone. `bought` is the part of `fresh` that such prices explain, of items
    where right answers get more. `fresh` and what follows from it are NaN where all askings pick.

    Shapes: each (`sizes`, items); `price` (items,).
    """

    sizes: Sequence[int]
    believed: Array
    fresh: Array
    gold: Array
    price: Array
    bought: Array


def picks(scores: Array, gold: Array, k: int, *, lower: bool = False) -> Picks:
    """Return what picking by the mean of k askings is worth, for every n.

    With `lower` the agent ranks answers by a lower 95% bound of that mean.

    Shapes: scores (items, askings, answers) without a gap; gold (items, answers), NaN where there
    is no label.
    """
    items, askings, answers = scores.shape
    sizes = sizes_of(answers)
    out = np.zeros((4, len(sizes), items))
    price = np.zeros(items)
    width = max(1, _AT_ONCE // answers**2)
    for start in range(0, items, width):
        block = slice(start, start + width)
        for chosen in combinations(range(askings), k):
            fresh_askings = [asking for asking in range(askings) if asking not in chosen]
            part, worth = _of_one(scores[block], gold[block], chosen, fresh_askings, lower=lower)
            out[:, :, block] += part
            price[block] += worth
    out /= comb(askings, k)
    believed, fresh, right, bought = out
    return Picks(
        sizes=sizes,
        believed=believed,
        fresh=fresh,
        gold=right,
        price=price / comb(askings, k),
        bought=bought,
    )


def sizes_of(answers: int) -> list[int]:
    """Return each n up to 8, from there on powers of two, and all answers."""
    doubled = (2**power for power in range(3, answers.bit_length()))
    return sorted({*range(1, min(answers, _EVERY) + 1), *doubled, answers} - {0})


def _of_one(
    scores: Array, gold: Array, chosen: Sequence[int], fresh_askings: Sequence[int], *, lower: bool
) -> tuple[Array, Array]:
    """Return the same of one combination of askings, and the price.

    Shapes: (4, n, items), (items,).
    """
    mine = scores[:, chosen].mean(axis=1)
    fresh = scores[:, fresh_askings].mean(axis=1) if fresh_askings else np.full_like(mine, np.nan)
    share = _shares(_bound(scores[:, chosen]) if lower else mine)
    right = gold > 0.5  # noqa: PLR2004  (labels of a price are 0 and 1)
    count = right.sum(axis=1)
    mixed = (count > 0) & (count < right.shape[1]) & np.isin(gold, (0.0, 1.0)).all(axis=1)
    kinds = np.where(right, 1 / np.maximum(1, count)[:, None], 0.0)
    kinds -= np.where(right, 0.0, 1 / np.maximum(1, right.shape[1] - count)[:, None])
    price = np.where(mixed, (fresh * kinds).sum(axis=1), np.nan)
    apart = [values - values.mean(axis=1, keepdims=True) for values in (mine, fresh, gold)]
    believed, fresh_gain, better = (np.einsum("nir,ir->ni", share, values) for values in apart)
    return np.stack([believed, fresh_gain, better, np.where(price > 0, price * better, 0.0)]), price


def _bound(scores: Array) -> Array:
    """Return the lower 95% bound of each answer's mean, by Student's t.

    Shapes: (items, k, answers), k at least 2; (items, answers).
    """
    k = scores.shape[1]
    spread = scores.std(axis=1, ddof=1)
    bound: Array = scores.mean(axis=1) - t_point(k - 1, _ONE_SIDED) / sqrt(k) * spread
    return bound


def _shares(ranked: Array) -> Array:
    """Return how often each answer is the best of each n, over all subsets, ties shared.

    An answer with L lower and E equal others is the best of a subset that has t of the equal and
    the rest of the lower ones, which it shares with the t.

    Shapes: (items, answers); (`sizes_of`, items, answers).
    """
    apart = ranked[:, :, None] - ranked[:, None, :]
    lower = (apart > _EQUAL).sum(axis=2)
    equal = (np.abs(apart) <= _EQUAL).sum(axis=2) - 1
    shares: Array = _table(ranked.shape[1])[:, lower, equal]
    return shares


@cache
def _table(answers: int) -> Array:
    """Return the share of subsets in which an answer is the best, by how many are lower and equal.

    Shapes: (`sizes_of`, answers, answers).
    """
    sizes = sizes_of(answers)
    table = np.zeros((len(sizes), answers, answers))
    for (row, n), below in product(enumerate(sizes), range(answers)):
        for equal in range(answers - below):
            best = (
                comb(equal, t) * comb(below, n - 1 - t) / (t + 1)
                for t in range(min(equal, n - 1) + 1)
            )
            table[row, below, equal] = fsum(best) / comb(answers, n)
    return table


def turning_point(
    gold: Array, clusters: Codes, sizes: Sequence[int]
) -> tuple[int | None, int | None]:
    """Return between which n the gain first falls, by 95% of tables at least.

    The lower end is the first n that is not shown to gain more than every smaller one, the upper
    end the first that is shown to gain less than a smaller one, corrected for all pairs: so many
    have none by chance in 1 of 40 tables. None for an end is beyond the last n. A bootstrap of
    where the curve falls would not do: that place jumps where the curve is flat.

    Shapes: gold (sizes, items), the gain over an answer at random.
    Source: Reading R94; arXiv 2506.19248 (best of n has one such threshold).
    """
    pairs = comb(len(sizes), 2)
    low = None
    for index, n in enumerate(sizes):
        apart = [gold[index] - before for before in gold[:index]]
        alone = [clustered_mean(difference, clusters)[1] or (-inf, inf) for difference in apart]
        if low is None and any(ends[0] <= _EQUAL for ends in alone):
            low = n
        together = (clustered_mean(difference, clusters, ALPHA / pairs)[1] for difference in apart)
        if any(ends and ends[1] < -_EQUAL for ends in together):
            return low, n
    return low, None
