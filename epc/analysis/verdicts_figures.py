"""The figures of one judge that was asked in one way (Reading R77)."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from msgspec import Struct, structs

from epc.analysis.verdicts_rows import TIE, UNREADABLE, Rows
from epc.arrays import Array, ByRow, Codes, Flags, distinct_count, np
from epc.statistics.clusters import linearised_interval
from epc.statistics.figures import ClusteredFigure
from epc.statistics.intervals import Interval
from epc.statistics.observed import TODAY, Intervals

_EQUAL: Final = 1e-12  # what rounding leaves of lengths that are equal
_ANSWERS: Final[tuple[Literal["a", "b", "tie"], ...]] = ("a", "b", "tie")


INTERVALS: Final[ContextVar[Sequence[Intervals]]] = ContextVar("intervals", default=(TODAY,))


@contextmanager
def computed_with(*intervals: Intervals) -> Iterator[None]:
    """Compute figures with other intervals than today's, as published ones are verified.

    Of several each figure is a `FigureByKind`, so that what has no interval is worked out once.
    """
    token = INTERVALS.set(intervals)
    try:
        yield
    finally:
        INTERVALS.reset(token)


class FigureByKind(ClusteredFigure, frozen=True, kw_only=True):
    """A figure by each kind of intervals in turn; None where one of them has no such figure."""

    kinds: tuple[ClusteredFigure | None, ...]


def of_kind(figures: Mapping[str, ClusteredFigure], index: int) -> dict[str, ClusteredFigure]:
    """Return figures by one of the kinds of intervals that they were computed with."""
    chosen = {}
    for name, figure in figures.items():
        of_one = figure.kinds[index] if isinstance(figure, FigureByKind) else figure
        if of_one is not None:
            chosen[name] = of_one
    return chosen


class Constant(Struct, frozen=True, kw_only=True):
    """The one answer that would be right most often, and the share in which it is right."""

    answer: Literal["a", "b", "tie"]
    share: float


class Weighed(Protocol):
    """Observations in clusters: those of one unit weigh as much together as those of another."""

    @property
    def cluster(self) -> Codes: ...  # noqa: D102
    @property
    def unit(self) -> Codes: ...  # noqa: D102


@dataclass(frozen=True, slots=True, kw_only=True)
class Clustered(ByRow):
    """Observations of which nothing is known but their cluster and unit."""

    cluster: Codes
    unit: Codes

    @classmethod
    def from_rows(cls, rows: Weighed, chosen: Codes | Flags) -> "Clustered":
        """Return the chosen of some observations."""
        return cls(cluster=rows.cluster[chosen], unit=rows.unit[chosen])


def weights(units: Codes) -> Array:
    """Return what each observation weighs among these: as much as others, where it has no unit."""
    return np.where(units < 0, 1.0, 1 / np.bincount(np.maximum(units, 0))[units])


def share(
    name: str,
    hits: Array | Flags,
    rows: Weighed,
    n: Array | None = None,
    *,
    bounds: Interval | None = None,
    verdicts: Array | Codes | None = None,
) -> Iterator[tuple[str, ClusteredFigure]]:
    """Yield a share under its name, unless there is nothing to take it of.

    `verdicts` is how many each observation is made of, where that is not its `n`: no share is of
    more independent ones.
    """
    counts = np.ones(len(hits)) if n is None else n
    observed = counts > 0  # a cluster without an observation is none
    if observed.any():
        ids, weight = rows.cluster[observed], weights(rows.unit[observed])
        most = float((counts if verdicts is None else verdicts)[observed].sum())
        won, n = hits[observed] * weight, counts[observed] * weight
        results = [kind.share(won, n, ids, verdicts=most) for kind in INTERVALS.get()]
        yield name, figure_by(results, ids, int(counts.sum()), bounds)


def best_constant(right: Array | Flags, rows: Weighed) -> Constant:
    """Return what answering always the same would reach, by the labels alone.

    Shapes: which answers are right (m, 3), of at least one verdict; (m,).
    """
    weight = weights(rows.unit)
    shares = weight @ right / weight.sum()
    best = int(shares.argmax())
    return Constant(answer=_ANSWERS[best], share=float(shares[best]))


def average(name: str, values: Array, clusters: Codes) -> Iterator[tuple[str, ClusteredFigure]]:
    """Yield a mean under its name, unless there is nothing to take it of."""
    if len(values):
        results = [kind.mean(values, clusters) for kind in INTERVALS.get()]
        yield name, figure_by(results, clusters)


def mean_of_shares(strata: Sequence[tuple[Array | Flags, Weighed]]) -> ClusteredFigure:
    """Return the mean of several shares, each of which weighs alike."""
    weighed = [(hits, weights(rows.unit), rows.cluster) for hits, rows in strata]
    parts = [(hits * weight, weight, ids) for hits, weight, ids in weighed]
    clusters = np.concatenate([rows.cluster for _, rows in strata])
    return figure_by([kind.mean_of_shares(parts) for kind in INTERVALS.get()], clusters)


def figure_by(
    results: Sequence[tuple[float | None, Interval | None]],
    clusters: Codes,
    n: int | None = None,
    bounds: Interval | None = None,
) -> ClusteredFigure:
    """Return `figure_of` a value and its interval, or of those by each kind of intervals.

    Some kind has a value.
    """
    middle, ends = next((value, ends) for value, ends in results if value is not None)
    figure = figure_of(middle, ends, clusters, n, bounds)
    if len(results) == 1:
        return figure
    kinds = (
        None if value is None else structs.replace(figure, value=value, ci95=interval)
        for value, interval in results
    )
    return FigureByKind(**structs.asdict(figure), kinds=tuple(kinds))


def figure_of(
    value: float,
    interval: Interval | None,
    clusters: Codes,
    n: int | None = None,
    bounds: Interval | None = None,
) -> ClusteredFigure:
    """Return a figure of observations in clusters, which are its items.

    Shapes: clusters (m,), one for each observation, of which there are `n` if that is another.
    """
    return ClusteredFigure(
        value=value,
        ci95=interval,
        n=len(clusters) if n is None else n,
        items=distinct_count(clusters),
        bounds=bounds,
    )


def of_places(rows: Rows) -> Iterator[tuple[str, ClusteredFigure]]:
    """Yield what exchanging the places shows; an unreadable answer agrees with nothing."""
    a, b = np.flatnonzero(rows.first == 0), np.flatnonzero(rows.first == 1)
    _, in_a, in_b = np.intersect1d(rows.ask[a], rows.ask[b], return_indices=True)
    left, right = rows[a[in_a]], rows[b[in_b]]
    readable = left.readable & right.readable
    equal = readable & (left.verdict == right.verdict)
    yield from share("place_consistency", equal, left)
    read = Clustered.from_rows(left, readable)
    yield from share("place_consistency_readable", equal[readable], read)
    decided = (left.verdict < TIE) & (right.verdict < TIE) & readable
    chosen = (left.verdict == 0).astype(np.float64) + (right.verdict == 1)
    two = np.full(int(decided.sum()), 2.0)
    among = Clustered.from_rows(left, decided)
    yield from share("first_place", chosen[decided] / 2, among, verdicts=two)


def of_gold(rows: Rows) -> Iterator[tuple[str, ClusteredFigure]]:
    """Yield how often the better candidate won; a tie or an unreadable answer is not right.

    The share of readable answers has for its bounds the shares of all, unreadable ones counted as
    wrong and as right.
    """
    labelled = rows[rows.labelled]
    right = labelled.verdict == labelled.gold
    yield from share("accuracy", right, labelled)
    weight, unreadable = weights(labelled.unit), labelled.verdict == UNREADABLE
    low, high = (
        float((hits * weight).sum() / max(1, weight.sum())) for hits in (right, right | unreadable)
    )
    readable = labelled.readable
    among = Clustered.from_rows(labelled, readable)
    yield from share("accuracy_readable", right[readable], among, bounds=(low, high))
    for name, candidate in (("first", labelled.gold), ("second", 1 - labelled.gold)):
        chosen = labelled.first == candidate
        yield from share(
            f"accuracy_gold_{name}", right[chosen], Clustered.from_rows(labelled, chosen)
        )


def constant_of_gold(rows: Rows) -> Constant:
    """Return what always choosing the same candidate would reach by the gold labels."""
    labelled = rows[rows.labelled]
    return best_constant(labelled.gold[:, None] == np.arange(TIE + 1), labelled)


def of_all(rows: Rows) -> Iterator[tuple[str, ClusteredFigure]]:
    """Yield ties, unreadable answers, and how often the longer candidate won."""
    pairs = rows[(rows.verdict >= 0) & np.isnan(rows.length)]
    yield from share("ties", pairs.verdict == TIE, pairs)
    has_answer = (rows.verdict >= 0) | rows.scored
    unreadable = (rows.verdict == UNREADABLE)[has_answer]
    yield from share("unreadable", unreadable, Clustered.from_rows(rows, has_answer))
    decided = pairs[(pairs.verdict < TIE) & (pairs.longer >= 0)]
    won = decided.verdict == decided.longer
    yield from share("longer", won, decided)
    strata = [
        (won[chosen], Clustered.from_rows(decided, chosen))
        for better in (decided.longer, 1 - decided.longer)
        for chosen in [decided.gold == better]
    ]
    if all(len(hits) for hits, _ in strata):
        yield "longer_by_gold", mean_of_shares(strata)


def of_scores(rows: Rows) -> Iterator[tuple[str, ClusteredFigure]]:
    """Yield what a score gains by twice the length, between answers to one question."""
    rows = rows[rows.scored & (rows.length > 0)]
    _, question = np.unique(rows.question, return_inverse=True)
    longer, higher = (_apart(values, question) for values in (np.log2(rows.length), rows.score))
    weight = float((longer**2).sum())
    if weight > _EQUAL:
        slope = float((longer * higher).sum()) / weight
        off = longer * (higher - slope * longer) / weight
        interval = linearised_interval(slope, off, question)
        questions = np.unique(question[np.abs(longer) > _EQUAL])
        n = int(np.isin(question, questions).sum())
        yield (
            "score_per_doubling",
            ClusteredFigure(value=slope, ci95=interval, n=n, items=len(questions)),
        )


def _apart(values: Array, groups: Codes) -> Array:
    """Return values less the mean of their group."""
    n = np.maximum(1, np.bincount(groups))
    apart: Array = values - (np.bincount(groups, weights=values) / n)[groups]
    return apart


def repeats(rows: Rows) -> tuple[int, int, dict[str, ClusteredFigure]]:
    """Return pairs of askings with one long answer, those whose verdicts differ, and agreement.

    Whether equal long answers were copied or given twice, nobody can see in them. So they are
    counted, and agreement is stated without them; of verdicts also with them.
    """
    usable = rows[rows.readable | rows.scored]
    left, right = every_two(usable.order)
    answer, score, verdict = usable.answer, usable.score, usable.verdict
    copied = (answer[left] == answer[right]) & (answer[left] >= 0)
    scored = usable.scored[left] & usable.scored[right]
    gap = np.where(scored, np.abs(score[left] - score[right]), np.inf)
    readable = usable.readable[left] & usable.readable[right]
    agreed = np.where(scored, gap == 0, readable & (verdict[left] == verdict[right]))
    asked_first = Clustered.from_rows(usable, left)
    figures = {
        name: figure
        for key, hits, among in (
            ("repeat_consistency", agreed, readable & ~copied),
            ("repeat_consistency_all", agreed, readable),
            ("score_repeat_exact", agreed, scored & ~copied),
            ("score_repeat_within_1", gap <= 1, scored & ~copied),
        )
        for name, figure in share(key, hits[among], asked_first[among])
    }
    return int(copied.sum()), int((copied & ~agreed).sum()), figures


def every_two(groups: Codes) -> tuple[Codes, Codes]:
    """Return the places of every two of one group."""
    order = np.argsort(groups, kind="stable")
    ranked, pairs, lag = groups[order], [np.zeros((2, 0), np.int64)], 1
    while (near := np.flatnonzero(ranked[lag:] == ranked[:-lag])).size:
        pairs.append(np.stack([order[near], order[near + lag]]))
        lag += 1
    left, right = np.concatenate(pairs, axis=1)
    return left, right


def of_confidence(rows: Rows) -> Iterator[tuple[str, ClusteredFigure]]:
    """Yield how far the confidence of verdicts is how often they are right.

    `ece` is the expected calibration error in ten bins, and `ece_by_chance` the mean of it if
    confidence were true.

    Source: M. P. Naeini, G. F. Cooper and M. Hauskrecht, AAAI (2015), 2901-2907; G. W. Brier,
        Monthly Weather Review 78 (1950), 1-3.
    """
    rows = rows[(rows.gold >= 0) & rows.readable & ~np.isnan(rows.confidence)]
    right = (rows.verdict == rows.gold).astype(np.float64)
    yield from average("brier", (rows.confidence - right) ** 2, rows.cluster)
    if not len(right):
        return
    _, cluster = np.unique(rows.cluster, return_inverse=True)
    results = [kind.calibration(rows.confidence, right, cluster) for kind in INTERVALS.get()]
    yield "ece", figure_by([(result.error, result.ci95) for result in results], cluster)
    if any(result.by_chance is not None for result in results):
        yield "ece_by_chance", figure_by([(result.by_chance, None) for result in results], cluster)
