"""The figures of one judge that was asked in one way (Reading R77)."""

from collections.abc import Iterator
from typing import Final

from epc.analysis.observed_rows import TIE, UNREADABLE, Rows
from epc.arrays import Array, Codes, Flags, np
from epc.statistics import figures
from epc.statistics.clusters import clustered_mean_of_shares, clustered_share, linearised_interval

_EQUAL: Final = 1e-12  # what rounding leaves of lengths that are equal


class Figure(figures.Figure, frozen=True, kw_only=True):
    """A figure of recorded verdicts: `n` observations in so many clusters.

    `items` counts items that share no candidate of one question.
    """

    value: float
    n: int
    items: int


def share(
    name: str, hits: Array | Flags, clusters: Codes, n: Array | None = None
) -> Iterator[tuple[str, Figure]]:
    """Yield a share under its name, unless there is nothing to take it of."""
    counts = np.ones(len(hits)) if n is None else n
    some = counts > 0  # a cluster without an observation is none
    if some.any():
        ids = clusters[some]
        value, interval = clustered_share(hits[some].astype(np.float64), counts[some], ids)
        yield (
            name,
            Figure(value=value, ci95=interval, n=int(counts.sum()), items=len(np.unique(ids))),
        )


def of_places(rows: Rows) -> Iterator[tuple[str, Figure]]:
    """Yield what exchanging the places shows; an unreadable answer agrees with nothing."""
    a, b = np.flatnonzero(rows.first == 0), np.flatnonzero(rows.first == 1)
    _, in_a, in_b = np.intersect1d(rows.ask[a], rows.ask[b], return_indices=True)
    one, other = rows[a[in_a]], rows[b[in_b]]
    readable = one.readable & other.readable
    same = readable & (one.verdict == other.verdict)
    yield from share("place_consistency", same, one.cluster)
    yield from share("place_consistency_readable", same[readable], one.cluster[readable])
    decided = (one.verdict < TIE) & (other.verdict < TIE) & readable
    chosen = (one.verdict == 0).astype(np.float64) + (other.verdict == 1)
    yield from share("first_place", chosen[decided] / 2, one.cluster[decided])


def of_gold(rows: Rows) -> Iterator[tuple[str, Figure]]:
    """Yield how often the better candidate won; a tie or an unreadable answer is not right."""
    labelled = rows[rows.gold >= 0]
    right = labelled.verdict == labelled.gold
    yield from share("accuracy", right, labelled.cluster)
    for name, candidate in (("first", labelled.gold), ("second", 1 - labelled.gold)):
        chosen = labelled.first == candidate
        yield from share(f"accuracy_gold_{name}", right[chosen], labelled.cluster[chosen])


def of_all(rows: Rows) -> Iterator[tuple[str, Figure]]:
    """Yield ties, unreadable answers, and how often the longer candidate won."""
    unmeasured = rows[(rows.verdict >= 0) & np.isnan(rows.length)]
    yield from share("ties", unmeasured.verdict == TIE, unmeasured.cluster)
    has_answer = (rows.verdict >= 0) | rows.scored
    yield from share(
        "unreadable", (rows.verdict == UNREADABLE)[has_answer], rows.cluster[has_answer]
    )
    decided = unmeasured[(unmeasured.verdict < TIE) & (unmeasured.longer >= 0)]
    won = decided.verdict == decided.longer
    yield from share("longer", won, decided.cluster)
    strata = []
    for better in (decided.longer, 1 - decided.longer):
        chosen = decided.gold == better
        strata.append((won[chosen].astype(float), np.ones(chosen.sum()), decided.cluster[chosen]))
    if all(len(hits) for hits, _, _ in strata):
        value, interval = clustered_mean_of_shares(strata)
        clusters = np.concatenate([ids for _, _, ids in strata])
        n, items = len(clusters), len(np.unique(clusters))
        yield "longer_by_gold", Figure(value=value, ci95=interval, n=n, items=items)


def of_scores(rows: Rows) -> Iterator[tuple[str, Figure]]:
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
        yield "score_per_doubling", Figure(value=slope, ci95=interval, n=n, items=len(questions))


def _apart(values: Array, groups: Codes) -> Array:
    """Return values less the mean of their group."""
    n = np.maximum(1, np.bincount(groups))
    apart: Array = values - (np.bincount(groups, weights=values) / n)[groups]
    return apart


def repeats(rows: Rows) -> tuple[int, int, dict[str, Figure]]:
    """Return pairs of askings with one long answer, those whose verdicts differ, and agreement.

    Whether equal long answers were copied or given twice, nobody can see in them. So they are
    counted, and agreement is stated without them; of verdicts also with them.
    """
    usable = rows[rows.readable | rows.scored]
    one, other = (usable[chosen] for chosen in _every_two(usable.order))
    copied = (one.answer == other.answer) & (one.answer >= 0)
    scored = one.scored & other.scored
    gap = np.where(scored, np.abs(one.score - other.score), np.inf)
    readable = one.readable & other.readable
    agreed = np.where(scored, gap == 0, readable & (one.verdict == other.verdict))
    figures = {
        name: figure
        for key, hits, among in (
            ("repeat_consistency", agreed, readable & ~copied),
            ("repeat_consistency_all", agreed, readable),
            ("score_repeat_exact", agreed, scored & ~copied),
            ("score_repeat_within_1", gap <= 1, scored & ~copied),
        )
        for name, figure in share(key, hits[among], one.cluster[among])
    }
    return int(copied.sum()), int((copied & ~agreed).sum()), figures


def _every_two(groups: Codes) -> tuple[Codes, Codes]:
    """Return the places of every two of one group."""
    order = np.argsort(groups, kind="stable")
    ranked, pairs, lag = groups[order], [np.zeros((2, 0), np.int64)], 1
    while (near := np.flatnonzero(ranked[lag:] == ranked[:-lag])).size:
        pairs.append(np.stack([order[near], order[near + lag]]))
        lag += 1
    one, other = np.concatenate(pairs, axis=1)
    return one, other
