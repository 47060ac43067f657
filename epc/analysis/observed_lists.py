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

from epc.analysis.observed_figures import average, every_two, mean_of_shares, share
from epc.analysis.observed_rows import long_answers, questions
from epc.arrays import Array, ByRow, Codes, np
from epc.records.observed.columns import COLUMNS, Column, Verdicts, joined
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
    pairs = (_pair(scored, *two) for two in combinations(range(_most(verdicts)), 2))
    return joined([verdicts[~listed], *pairs])


def _pair(verdicts: Verdicts, one: int, other: int) -> Verdicts:
    """Return two candidates of each list that has both, one of them the right one if one is."""
    right = _numbers(verdicts.right)
    size = np.array([*map(len, verdicts.candidates.names)])[verdicts.candidates.codes]
    chosen = (size > other) & ((right < 0) | (right == one) | (right == other))
    verdicts, right = verdicts[chosen], right[chosen]
    lists = verdicts.candidates
    two = [(each[one], each[other]) if len(each) > other else ("", "") for each in lists.names]
    turned = np.array([a > b for a, b in two])[lists.codes]
    scores = _matrix(verdicts.scores, _most(verdicts))
    a, b = (scores[:, at] for at in (one, other))
    absent = Column(codes=np.full(len(verdicts), -1, np.int32), names=[])
    columns: dict[str, Any] = dict.fromkeys(COLUMNS, absent)
    columns |= {name: getattr(verdicts, name) for name in _OF_PAIR}
    items = [f"{name}/{one}/{other}" for name in verdicts.item.names]
    columns |= {
        "item": Column(codes=verdicts.item.codes, names=items),
        "a_sha256": Column(codes=lists.codes, names=[min(pair) for pair in two]),
        "b_sha256": Column(codes=lists.codes, names=[max(pair) for pair in two]),
        "a_score": _of_numbers(np.where(turned, b, a)),
        "b_score": _of_numbers(np.where(turned, a, b)),
        "verdict": _of_places(np.where(np.isnan(a) | np.isnan(b), 0, -1), "unreadable"),
        "gold": _of_places(np.where(right < 0, -1, (right == one) == turned), "a", "b"),
    }
    return Verdicts(lines=verdicts.lines, **columns)


def _most(verdicts: Verdicts) -> int:
    return max(map(len, verdicts.candidates.names), default=1)


def _of_numbers(values: Array) -> Column:
    names, codes = np.unique(values, return_inverse=True)
    codes = np.where(np.isnan(values), -1, codes).astype(np.int32)
    return Column(codes=codes, names=[name for name in names.tolist() if name == name])  # noqa: PLR0124


def _of_places(places: Codes, *words: str) -> Column:
    return Column(codes=places.astype(np.int32), names=[*words])


def _numbers(column: Column) -> Codes:
    """Return a column of counts, -1 where absent."""
    return np.array([*column.names, -1], np.int64)[column.codes]


def _matrix(column: Column, width: int) -> Array:
    """Return a column of lists as numbers, NaN where there is none. Shapes: (m, width)."""
    rows = [(*each, *[None] * (width - len(each))) for each in (*column.names, ())]
    return np.array(rows, np.float64).reshape(-1, width)[column.codes]


class _OfLists(ByRow):
    __slots__ = ()
    list: Codes

    @property
    def unit(self) -> Codes:
        """What weighs alike, however often it was asked."""
        return self.list


@dataclass(frozen=True, slots=True, kw_only=True)
class Lists(_OfLists):
    """What one judge said of lists, an asking each.

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
    width = _most(verdicts)
    right, picked = _numbers(verdicts.right), _numbers(verdicts.picked)
    scores, rows = _matrix(verdicts.scores, width), np.arange(len(verdicts))
    votes = np.where(picked[:, None] < 0, np.nan, np.arange(width) == picked[:, None])
    order = _matrix(verdicts.order, width)
    at = np.argsort(order, axis=1)  # the place of each candidate; of no order it is not used
    placed = verdicts.order.codes >= 0
    return Lists(
        list=verdicts.item.codes.astype(np.int64),
        cluster=questions(verdicts),
        subset=verdicts.subset.codes.astype(np.int64),
        right=right,
        scores=np.where((verdicts.scores.codes >= 0)[:, None], scores, votes),
        picked=picked,
        place=np.where(placed, at[rows, right], -1),
        picked_place=np.where(placed & (picked >= 0), at[rows, picked], -1),
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
    asked = np.arange(len(lists.list)) - first[place]
    shape = (len(first), int(count.max(initial=0)), lists.scores.shape[1])
    scores = np.full(shape, np.nan)
    scores[place, asked] = lists.scores
    one = lists[first]
    return Askings(
        list=one.list,
        cluster=one.cluster,
        subset=one.subset,
        right=one.right,
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
    """Return of each list: `best`, the same if all that is missing was right, and pairs won.

    Shapes: (lists, 3).
    """
    right = panel[0][0].right
    runs = np.max([judge.count for judge, _ in panel], axis=0)
    total = np.zeros((len(runs), 3))
    for start in range(int(runs.max(initial=0))):
        scores: Array = np.zeros(panel[0][0].scores[:, 0].shape)
        whole = runs > 0
        for judge, k in panel:
            asked = (start + np.arange(k)) % judge.count[:, None]
            said = np.take_along_axis(judge.scores, asked[:, :, None], axis=1)
            known = ~np.isnan(said)
            count, whole = known.sum(axis=1), whole & known.all(axis=(1, 2))
            sums = np.where(known, said, 0.0).sum(axis=1)
            scores += k * np.where(count, sums, np.nan) / np.maximum(1, count)
        top = _top(scores, right)
        own = np.take_along_axis(scores, right[:, None], axis=1)
        beaten = (own > scores + _EQUAL).sum(axis=1) / max(1, scores.shape[-1] - 1)
        values = np.stack([top, np.where(whole, top, 1.0), beaten], axis=1)
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
class Won(_OfLists):
    """What the right candidate of each list won after 1, 2, ... of its `count` askings.

    Shapes: (lists,), `won` (lists, askings, 3) as `_won` has it.
    """

    list: Codes
    cluster: Codes
    subset: Codes
    count: Codes
    won: Array


def won_by(judge: Askings) -> Won:
    """Return what the right candidates won by a judge's scores."""
    most = min(MOST_ASKINGS, int(judge.count.max(initial=0)))
    won = np.zeros((len(judge.list), most, 3))
    for k in range(1, most + 1):
        enough = judge.count >= k
        won[enough, k - 1] = _won([(judge[enough], k)])
    parts = {name: getattr(judge, name) for name in ("list", "cluster", "subset", "count")}
    return Won(**parts, won=won)


def of_lists(judge: Won, asked: int | None = None) -> Iterator[tuple[str, ClusteredFigure]]:
    """Yield how often the right candidate is the best.

    `asked` counts the lists with those of which there is no verdict: they widen the bounds.
    """
    unseen = max(0, (asked or 0) - len(judge.list))
    for k in range(1, judge.won.shape[1] + 1):
        enough = judge[judge.count >= k]
        low, high, pairs = enough.won[:, k - 1].T
        total = max(1, len(low) + unseen)
        bounds = float(low.sum()) / total, float(high.sum() + unseen) / total
        yield from share(f"best/{k}", low, enough, bounds=bounds)
        yield from share(f"pairs/{k}", pairs, enough)


def of_orders(lists: Lists) -> Iterator[tuple[str, ClusteredFigure]]:
    """Yield how often the right candidate is the best where it stands at each place.

    Of all places together each weighs alike, however often the right one stood there.
    """
    lists = lists[lists.place >= 0]
    won = np.nan_to_num(_top(lists.scores, lists.right))
    places = range(lists.scores.shape[1])
    at = [lists.place == place for place in places]
    if all(chosen.any() for chosen in at):
        yield "best/1", mean_of_shares([(won[chosen], lists[chosen]) for chosen in at])
    for place, chosen in zip(places, at, strict=True):
        yield from share(f"place_right/{ascii_uppercase[place]}", won[chosen], lists[chosen])
    read = [chosen & (lists.picked >= 0) for chosen in at]
    if all(chosen.any() for chosen in read):
        for place in places:
            hits = (lists.picked_place == place).astype(np.float64)
            strata = [(hits[chosen], lists[chosen]) for chosen in read]
            yield f"place_picked/{ascii_uppercase[place]}", mean_of_shares(strata)


def of_picks(lists: Lists) -> Iterator[tuple[str, ClusteredFigure]]:
    """Yield whether a pick is the same when asked again, and in another arrangement."""
    if not (lists.picked >= 0).any():
        return
    yield from share("unreadable", lists.picked < 0, lists)
    read = lists[lists.picked >= 0]
    one, other = (read[chosen] for chosen in every_two(_arranged(read)))
    own_words = (one.answer != other.answer) | (one.answer < 0)
    same = one.picked == other.picked
    yield from share("repeat_consistency", same[own_words], one[own_words])
    yield from share("repeat_consistency_all", same, one)
    placed = lists[lists.order >= 0]
    _, once = np.unique(_arranged(placed), return_index=True)
    one, other = (placed[once][chosen] for chosen in every_two(placed.list[once]))
    same = (one.picked == other.picked) & (one.picked >= 0)
    yield from share("rearranged_consistency", same, one)


def _arranged(lists: Lists) -> Codes:
    """Return a number for each list in one arrangement."""
    numbers: Codes = lists.list * (lists.order.max(initial=0) + 2) + lists.order + 1
    return numbers


def common(judges: Sequence[Askings]) -> list[Askings]:
    """Return the askings of the lists that all judges have."""
    lists = reduce(np.intersect1d, [judge.list for judge in judges])
    return [judge[np.searchsorted(judge.list, lists)] for judge in judges]


def independent(judges: Sequence[Askings]) -> Iterator[tuple[str, ClusteredFigure]]:
    """Yield how judges' errors correlate, and how many independent ones they are worth.

    The errors are those of single askings, on lists that all have. The correlation is the mean over
    every two judges; the number is Kish's k / (1 + (k - 1) correlation).

    Source: L. Kish, Survey Sampling (1965), section 8.2.
    """
    judges, k = common(judges), len(judges)
    wrong = [1 - _singles(judge) for judge in judges]
    means = np.array([np.nanmean(each, axis=1) for each in wrong])
    squares = np.array([np.nanmean(each**2, axis=1) for each in wrong])
    _, cluster = np.unique(judges[0].cluster, return_inverse=True)
    count = int(cluster.max(initial=-1)) + 1

    def correlation(left_out: frozenset[int]) -> float | None:
        kept = ~np.isin(cluster, [*left_out])
        middle = means[:, kept].mean(axis=1)
        spread = squares[:, kept].mean(axis=1) - middle**2
        if (spread <= _EQUAL).any():
            return None
        together = means[:, kept] @ means[:, kept].T / kept.sum() - np.outer(middle, middle)
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
    """Return how far each single asking is right, NaN where there is none. Shapes: 2-d."""
    width = judge.scores.shape[1]
    right = [_top(judge.scores[:, asked], judge.right) for asked in range(width)]
    asked = np.arange(width) < judge.count[:, None]
    singles: Array = np.where(asked, np.transpose(right), np.nan)
    return singles


def effect(one: Won, two: Won) -> Iterator[tuple[str, ClusteredFigure]]:
    """Yield by how much more often the right candidate is the best in the second way of asking."""
    _, at, other = np.intersect1d(one.list, two.list, return_indices=True)
    one, two = one[at], two[other]
    most = min(one.won.shape[1], two.won.shape[1])
    for k in sorted({min(1, most), most} - {0}):
        enough = (one.count >= k) & (two.count >= k)
        gap = two.won[enough, k - 1, 0] - one.won[enough, k - 1, 0]
        yield from average(f"best/{k}", gap, one.cluster[enough])
