"""Recorded verdicts on lists of candidates, of which one is right (Reading R77).

A judge scored all of a list, or picked one. What is said of two candidates follows from the scores;
how often the right one is best, and at which place, is said of whole lists.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from string import ascii_uppercase
from typing import Any, Final

from epc.analysis.verdicts_figures import Clustered, average, every_two, mean_of_shares, share
from epc.analysis.verdicts_rows import long_answers, questions
from epc.arrays import Array, ByRow, Codes, np
from epc.records.verdicts.columns import COLUMNS, Column, Verdicts, joined
from epc.statistics.clusters import left_out_interval
from epc.statistics.figures import ClusteredFigure

MOST_ASKINGS: Final = 8
_EQUAL: Final = 1e-9  # of mean scores
_OF_PAIR: Final = ("setting", "file", "subset", "question_sha256", "repeat", "date")


def with_pairs(verdicts: Verdicts) -> Verdicts:
    """Return verdicts with two candidates each in the place of lists that were scored.

    Of a list with a right candidate these are that one and each other. The candidate with the
    lower digest is `a`: if the right one always was, agreement by chance would be far too high.
    """
    listed = verdicts.candidates.codes >= 0
    if not listed.any():
        return verdicts
    # A pick says nothing of two candidates that were not picked.
    picking = verdicts.setting.codes[verdicts.picked.codes >= 0]
    scored = verdicts[listed & ~np.isin(verdicts.setting.codes, picking)]
    pairs = (_pair(scored, *pair) for pair in combinations(range(_list_width(verdicts)), 2))
    return joined([verdicts[~listed], *pairs])


def _pair(verdicts: Verdicts, first: int, second: int) -> Verdicts:
    """Return two candidates of each list that has both, one of them the right one if one is."""
    right = _numbers(verdicts.right)
    size = np.array([*map(len, verdicts.candidates.names)])[verdicts.candidates.codes]
    chosen = (size > second) & ((right < 0) | (right == first) | (right == second))
    verdicts, right = verdicts[chosen], right[chosen]
    lists = verdicts.candidates
    digests = [
        (candidates[first], candidates[second]) if len(candidates) > second else ("", "")
        for candidates in lists.names
    ]
    turned = np.array([a > b for a, b in digests])[lists.codes]
    scores = _matrix(verdicts.scores, _list_width(verdicts))
    a, b = (scores[:, index] for index in (first, second))
    absent = Column(codes=np.full(len(verdicts), -1, np.int32), names=[])
    columns: dict[str, Any] = dict.fromkeys(COLUMNS, absent)
    columns |= {name: getattr(verdicts, name) for name in _OF_PAIR}
    items = [f"{name}/{first}/{second}" for name in verdicts.item.names]
    columns |= {
        "item": Column(codes=verdicts.item.codes, names=items),
        "a_sha256": Column(codes=lists.codes, names=[min(pair) for pair in digests]),
        "b_sha256": Column(codes=lists.codes, names=[max(pair) for pair in digests]),
        "a_score": _of_numbers(np.where(turned, b, a)),
        "b_score": _of_numbers(np.where(turned, a, b)),
        "verdict": _of_places(np.where(np.isnan(a) | np.isnan(b), 0, -1), "unreadable"),
        "gold": _of_places(np.where(right < 0, -1, (right == first) == turned), "a", "b"),
    }
    return Verdicts(lines=verdicts.lines, **columns)


def _list_width(verdicts: Verdicts) -> int:
    return max(map(len, verdicts.candidates.names), default=1)


def _of_numbers(values: Array) -> Column:
    names, codes = np.unique(values, return_inverse=True)
    codes = np.where(np.isnan(values), -1, codes).astype(np.int32)
    return Column(codes=codes, names=[name for name in names.tolist() if name == name])  # noqa: PLR0124


def _of_places(places: Codes, *labels: str) -> Column:
    return Column(codes=places.astype(np.int32), names=[*labels])


def _numbers(column: Column) -> Codes:
    """Return a column of counts, -1 where absent."""
    return np.array([*column.names, -1], np.int64)[column.codes]


def _matrix(column: Column, width: int) -> Array:
    """Return a column of lists as numbers, NaN where there is none. Shapes: (m, width)."""
    rows = [(*row, *[None] * (width - len(row))) for row in (*column.names, ())]
    return np.array(rows, np.float64).reshape(-1, width)[column.codes]


class _OfLists(ByRow):
    __slots__ = ()
    list: Codes

    @property
    def unit(self) -> Codes:
        """The unit of weighing: lists weigh alike, however often the judge was asked about them."""
        return self.list


@dataclass(frozen=True, slots=True, kw_only=True)
class Lists(_OfLists):
    """Answers of one judge to lists, a row for each asking.

    `scores` are those of the candidates; of a pick 1 and 0, NaN of what got none. `place` is where
    the right candidate stood, `picked` the candidate and `picked_place` where it stood. `list` is
    the question with its candidates, `order` their arrangement. -1 is absent.

    Shapes: each (m,), `scores` (m, candidates).
    """

    list: Codes
    cluster: Codes
    subset: Codes
    right: Codes
    scores: Array
    picked: Codes
    place: Codes
    picked_place: Codes
    order: Codes
    answer: Codes


def lists_of(verdicts: Verdicts) -> Lists:
    """Return the verdicts on lists with a right candidate."""
    verdicts = verdicts[(verdicts.candidates.codes >= 0) & (verdicts.right.codes >= 0)]
    width = _list_width(verdicts)
    right, picked = _numbers(verdicts.right), _numbers(verdicts.picked)
    scores, rows = _matrix(verdicts.scores, width), np.arange(len(verdicts))
    votes = np.where(picked[:, None] < 0, np.nan, np.arange(width) == picked[:, None])
    order = _matrix(verdicts.order, width)
    places = np.argsort(order, axis=1)  # the place of each candidate; of no order it is not used
    placed = verdicts.order.codes >= 0
    return Lists(
        list=verdicts.item.codes.astype(np.int64),
        cluster=questions(verdicts),
        subset=verdicts.subset.codes.astype(np.int64),
        right=right,
        scores=np.where((verdicts.scores.codes >= 0)[:, None], scores, votes),
        picked=picked,
        place=np.where(placed, places[rows, right], -1),
        picked_place=np.where(placed & (picked >= 0), places[rows, picked], -1),
        order=verdicts.order.codes.astype(np.int64),
        answer=long_answers(verdicts),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Askings(_OfLists):
    """The askings of each list side by side, of which it has `count`.

    Shapes: (lists,), `scores` (lists, askings, candidates).
    """

    list: Codes
    cluster: Codes
    subset: Codes
    right: Codes
    count: Codes
    scores: Array


def side_by_side(lists: Lists) -> Askings:
    """Return the askings of each list side by side, in their order."""
    lists = lists[np.argsort(lists.list, kind="stable")]
    _, first, place, count = np.unique(
        lists.list, return_index=True, return_inverse=True, return_counts=True
    )
    asking = np.arange(len(lists.list)) - first[place]
    shape = (len(first), int(count.max(initial=0)), lists.scores.shape[1])
    scores = np.full(shape, np.nan)
    scores[place, asking] = lists.scores
    distinct = lists[first]
    return Askings(
        list=distinct.list,
        cluster=distinct.cluster,
        subset=distinct.subset,
        right=distinct.right,
        count=count,
        scores=scores,
    )


Panel = Sequence[tuple[Askings, int]]  # judges on the same lists, each asked so many times


def best(panel: Panel) -> Array:
    """Return how far the right candidate of each list has the highest score, ties shared.

    Scores of all askings add up. The mean is over all runs of successive askings. A candidate
    without a score is not the highest.

    Shapes: (lists,).
    """
    won: Array = _won(panel)[:, 0]
    return won


def _won(panel: Panel) -> Array:
    """Return for each list: `best`, the same if all that is missing was right, and pairs won.

    Shapes: (lists, 3).
    """
    right = panel[0][0].right
    runs = np.max([judge.count for judge, _ in panel], axis=0)
    total = np.zeros((len(runs), 3))
    for start in range(int(runs.max(initial=0))):
        scores: Array = np.zeros(panel[0][0].scores[:, 0].shape)
        complete = runs > 0
        for judge, k in panel:
            asking = (start + np.arange(k)) % judge.count[:, None]
            asked_scores = np.take_along_axis(judge.scores, asking[:, :, None], axis=1)
            present = ~np.isnan(asked_scores)
            count, complete = present.sum(axis=1), complete & present.all(axis=(1, 2))
            sums = np.where(present, asked_scores, 0.0).sum(axis=1)
            scores += k * np.where(count, sums, np.nan) / np.maximum(1, count)
        top = _top(scores, right)
        right_scores = np.take_along_axis(scores, right[:, None], axis=1)
        beaten = (right_scores > scores + _EQUAL).sum(axis=1) / max(1, scores.shape[-1] - 1)
        values = np.stack([top, np.where(complete, top, 1.0), beaten], axis=1)
        total += np.where((start < runs)[:, None], values, 0.0)
    won: Array = total / runs[:, None]
    return won


def _top(scores: Array, right: Codes) -> Array:
    """Return the share of the right candidate among those with the highest score."""
    ranked = np.where(np.isnan(scores), -np.inf, scores)
    highest = ranked.max(axis=1, initial=-np.inf)[:, None]
    top = (ranked >= highest - _EQUAL) & np.isfinite(ranked)
    won: Array = top[np.arange(len(right)), right] / np.maximum(1, top.sum(axis=1))
    return won


@dataclass(frozen=True, slots=True, kw_only=True)
class RightWins(_OfLists):
    """Wins of the right candidate of each list after 1, 2, ... of its `count` askings.

    `others` is how many candidates it was held against.

    Shapes: (lists,), `won` (lists, askings, 3) as `_won` has it.
    """

    list: Codes
    cluster: Codes
    subset: Codes
    count: Codes
    others: Codes
    won: Array


def won_by(judge: Askings) -> RightWins:
    """Return what the right candidates won by a judge's scores."""
    limit = min(MOST_ASKINGS, int(judge.count.max(initial=0)))
    won = np.zeros((len(judge.list), limit, 3))
    for k in range(1, limit + 1):
        enough = judge.count >= k
        won[enough, k - 1] = _won([(judge[enough], k)])
    parts = {name: getattr(judge, name) for name in ("list", "cluster", "subset", "count")}
    others = np.full(len(won), max(1, judge.scores.shape[-1] - 1))
    return RightWins(**parts, others=others, won=won)


def of_lists(
    judge: RightWins, list_count: int | None = None
) -> Iterator[tuple[str, ClusteredFigure]]:
    """Yield how often the right candidate is the best.

    `list_count` counts the lists with those that have no verdict: they widen the bounds.
    """
    unseen = max(0, (list_count or 0) - len(judge.list))
    for k in range(1, judge.won.shape[1] + 1):
        enough = judge[judge.count >= k]
        low, high, pairs = enough.won[:, k - 1].T
        total = max(1, len(low) + unseen)
        bounds = float(low.sum()) / total, float(high.sum() + unseen) / total
        yield from share(f"best/{k}", low, enough, bounds=bounds, verdicts=enough.count)
        yield from share(f"pairs/{k}", pairs, enough, verdicts=enough.count * enough.others)


def of_orders(lists: Lists) -> Iterator[tuple[str, ClusteredFigure]]:
    """Yield how often the right candidate is the best, by the place where it stands.

    Of all places together each weighs alike, however often the right one stood there.
    """
    lists = lists[lists.place >= 0]
    won = np.nan_to_num(_top(lists.scores, lists.right))
    places = range(lists.scores.shape[1])
    masks = [lists.place == place for place in places]
    if all(chosen.any() for chosen in masks):
        strata = [(won[chosen], Clustered.from_rows(lists, chosen)) for chosen in masks]
        yield "best/1", mean_of_shares(strata)
    for place, chosen in zip(places, masks, strict=True):
        placed = Clustered.from_rows(lists, chosen)
        yield from share(f"place_right/{ascii_uppercase[place]}", won[chosen], placed)
    read = [chosen & (lists.picked >= 0) for chosen in masks]
    if all(chosen.any() for chosen in read):
        for place in places:
            hits = (lists.picked_place == place).astype(np.float64)
            strata = [(hits[chosen], Clustered.from_rows(lists, chosen)) for chosen in read]
            yield f"place_picked/{ascii_uppercase[place]}", mean_of_shares(strata)


def of_picks(lists: Lists) -> Iterator[tuple[str, ClusteredFigure]]:
    """Yield whether a pick is the same when asked again, and in another arrangement."""
    if not (lists.picked >= 0).any():
        return
    yield from share("unreadable", lists.picked < 0, lists)
    read = lists[lists.picked >= 0]
    left, right = (read[chosen] for chosen in every_two(_arranged(read)))
    own_words = (left.answer != right.answer) | (left.answer < 0)
    equal = left.picked == right.picked
    yield from share("repeat_consistency", equal[own_words], left[own_words])
    yield from share("repeat_consistency_all", equal, left)
    placed = lists[lists.order >= 0]
    _, once = np.unique(_arranged(placed), return_index=True)
    left, right = (placed[once][chosen] for chosen in every_two(placed.list[once]))
    equal = (left.picked == right.picked) & (left.picked >= 0)
    yield from share("rearranged_consistency", equal, left)


def _arranged(lists: Lists) -> Codes:
    """Return a number for each pair of a list and an arrangement."""
    numbers: Codes = lists.list * (lists.order.max(initial=0) + 2) + lists.order + 1
    return numbers


def common(judges: Sequence[Askings]) -> list[Askings]:
    """Return the askings of the lists that all judges have."""
    lists = reduce(np.intersect1d, [judge.list for judge in judges])
    if all(np.array_equal(judge.list, lists) for judge in judges):
        return [*judges]
    return [judge[np.searchsorted(judge.list, lists)] for judge in judges]


def independent(judges: Sequence[Askings]) -> Iterator[tuple[str, ClusteredFigure]]:
    """Yield how judges' errors correlate, and how many independent ones they are worth.

    The errors are those of single askings, on lists that all have. The correlation is the mean over
    every two judges; the number is Kish's k / (1 + (k - 1) correlation).

    Source: L. Kish, Survey Sampling (1965), section 8.2.
    """
    judges, k = common(judges), len(judges)
    wrong = [1 - _singles(judge) for judge in judges]
    means = np.array([np.nanmean(errors, axis=1) for errors in wrong])
    squares = np.array([np.nanmean(errors**2, axis=1) for errors in wrong])
    _, cluster = np.unique(judges[0].cluster, return_inverse=True)
    count = int(cluster.max(initial=-1)) + 1

    def correlation(left_out: frozenset[int]) -> float | None:
        mask = ~np.isin(cluster, [*left_out])
        middle = means[:, mask].mean(axis=1)
        spread = squares[:, mask].mean(axis=1) - middle**2
        if (spread <= _EQUAL).any():
            return None
        together = means[:, mask] @ means[:, mask].T / mask.sum() - np.outer(middle, middle)
        alike = together / np.sqrt(np.outer(spread, spread))
        return float(alike[np.triu_indices(k, 1)].mean())

    value = correlation(frozenset()) if count > 1 else None
    if value is None:
        return
    interval = left_out_interval(correlation, count)
    ends = [_kish(k, end) for end in reversed(interval or ())]
    n = len(judges[0].list)
    yield "error_correlation", ClusteredFigure(value=value, ci95=interval, n=n, items=count)
    worth = (ends[0], ends[1]) if ends else None
    yield "independent_judges", ClusteredFigure(value=_kish(k, value), ci95=worth, n=n, items=count)


def _kish(k: int, correlation: float) -> float:
    return k / max(1 + (k - 1) * correlation, 1 / k)


def _singles(judge: Askings) -> Array:
    """Return how far each asking is right, NaN where there is none. Shapes: (lists, askings)."""
    width = judge.scores.shape[1]
    right = [_top(judge.scores[:, asking], judge.right) for asking in range(width)]
    present = np.arange(width) < judge.count[:, None]
    singles: Array = np.where(present, np.transpose(right), np.nan)
    return singles


def effect(left: RightWins, right: RightWins) -> Iterator[tuple[str, ClusteredFigure]]:
    """Yield by how much more often the right candidate is the best in the second way of asking."""
    _, in_left, in_right = np.intersect1d(left.list, right.list, return_indices=True)
    left, right = left[in_left], right[in_right]
    limit = min(left.won.shape[1], right.won.shape[1])
    for k in sorted({min(1, limit), limit} - {0}):
        enough = (left.count >= k) & (right.count >= k)
        gap = right.won[enough, k - 1, 0] - left.won[enough, k - 1, 0]
        yield from average(f"best/{k}", gap, left.cluster[enough])
