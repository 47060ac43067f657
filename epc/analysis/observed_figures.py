"""The figures of one judge that was asked in one way (Reading R77)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from epc.analysis.observed_rows import TIE, UNREADABLE, Rows
from epc.statistics.clusters import clustered_mean_of_shares, clustered_share
from epc.statistics.intervals import Interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Codes = NDArray[np.int64]
    Values = NDArray[np.float64]
    Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A share, its interval, and what it rests on."""

    value: float
    ci95: Interval | None
    n: int
    items: int


def share(
    name: str, hits: "Values | Mask", clusters: "Codes", n: "Values | None" = None
) -> Iterator[tuple[str, Figure]]:
    """Yield a share under its name, unless there is nothing to take it of."""
    counts = np.ones(len(hits)) if n is None else n
    some = counts > 0  # a cluster without an observation is none
    if some.any():
        own = clusters[some]
        value, interval = clustered_share(hits[some].astype(np.float64), counts[some], own)
        yield (
            name,
            Figure(value=value, ci95=interval, n=int(counts.sum()), items=len(np.unique(own))),
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
    for name, place in (("first", labelled.gold), ("second", 1 - labelled.gold)):
        chosen = labelled.first == place
        yield from share(f"accuracy_gold_{name}", right[chosen], labelled.cluster[chosen])


def of_all(rows: Rows) -> Iterator[tuple[str, Figure]]:
    """Yield ties, unreadable answers, and how often the longer candidate won."""
    stated = rows[rows.verdict >= 0]
    yield from share("ties", stated.verdict == TIE, stated.cluster)
    yield from share("unreadable", stated.verdict == UNREADABLE, stated.cluster)
    decided = stated[(stated.verdict < TIE) & (stated.longer >= 0)]
    won = decided.verdict == decided.longer
    yield from share("longer", won, decided.cluster)
    strata = []
    for better in (decided.longer, 1 - decided.longer):
        chosen = decided.gold == better
        strata.append((won[chosen].astype(float), np.ones(chosen.sum()), decided.cluster[chosen]))
    if all(len(hits) for hits, _, _ in strata):
        value, interval = clustered_mean_of_shares(strata)
        clusters = np.concatenate([each for _, _, each in strata])
        n, items = len(clusters), len(np.unique(clusters))
        yield "longer_by_gold", Figure(value=value, ci95=interval, n=n, items=items)


def repeats(rows: Rows) -> tuple[int, int, dict[str, Figure]]:
    """Return pairs of askings with one long answer, those whose verdicts differ, and agreement.

    Whether equal long answers were copied or given twice, nobody can see in them. So they are
    counted, and agreement is stated without them and with them.
    """
    stated = rows[rows.readable]
    _, first, question = np.unique(
        stated.item * 3 + stated.first + 1, return_index=True, return_inverse=True
    )

    def pairs(*keys: "Codes") -> "Values":
        """Return the pairs of a question's askings that are equal in some keys."""
        together, counts = np.unique(np.stack([question, *keys]), axis=1, return_counts=True)
        equal = counts * (counts - 1) / 2
        if len(keys) > 0 and keys[0] is stated.answer:
            equal = equal * (together[1] >= 0)
        sums = np.bincount(together[0], weights=equal, minlength=len(first))
        return sums.astype(np.float64)

    if not len(question):
        return 0, 0, {}
    asked, agreed = pairs(), pairs(stated.verdict)
    copied, agreed_copied = pairs(stated.answer), pairs(stated.answer, stated.verdict)
    clusters = stated.cluster[first]
    fresh = share("repeat_consistency", agreed - agreed_copied, clusters, asked - copied)
    every = share("repeat_consistency_all", agreed, clusters, asked)
    contradicted = int((copied - agreed_copied).sum())
    return int(copied.sum()), contradicted, {**dict(fresh), **dict(every)}
