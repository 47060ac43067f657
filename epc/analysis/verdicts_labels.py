"""Judges that pass or fail single answers, beside labels of these answers (Reading R101).

How much of the good a judge passes and of the bad it fails, what a constant would reach, and what
people would pass of all answers by the labels of some.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from typing import Literal

from msgspec import Struct

from epc.analysis.verdicts_figures import figure_of, weights
from epc.arrays import Array, ByRow, Codes, Flags, np
from epc.statistics.clusters import by_cluster, clustered_share, share_of_rows
from epc.statistics.figures import ClusteredFigure
from epc.statistics.intervals import Interval, Z
from epc.statistics.paired import kappa, mean_of_two, paired_difference

Word = Literal["pass", "fail"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PassRows(ByRow):
    """Verdicts of one judge on single answers: 1 is pass, 0 is fail, NaN unreadable.

    `label` is what people or gold say of the answer, NaN where nobody does. Rows of one `unit`, an
    answer, weigh as much together as those of another.

    Shapes: each (m,).
    """

    passes: Array
    label: Array
    cluster: Codes
    unit: Codes


class PassCounts(Struct, frozen=True, kw_only=True):
    """Labelled answers by what both sides say of them."""

    both_pass: int
    judge_only: int
    people_only: int
    both_fail: int


class AlwaysAnswer(Struct, frozen=True, kw_only=True):
    """The better of two constants, and the share of labels that it meets."""

    answer: Word
    share: float


class PassLabels(Struct, frozen=True, kw_only=True):
    """What labels say of a judge beside its figures.

    `of_gold`: they are gold labels, not people's. Where labelled rows were not drawn alike from
    what the judge passed and failed, shares are weighted to all rows and there is no base rate.
    """

    counts: PassCounts
    always: AlwaysAnswer | None
    weighted_to_all_rows: bool
    of_gold: bool = False


def of_labels(
    rows: PassRows, *, of_gold: bool = False, drawn_by_verdict: bool = False
) -> tuple[dict[str, ClusteredFigure], PassLabels] | None:
    """Return the figures of a judge that passes or fails, and what stands beside them.

    None where no readable verdict has a label. `drawn_by_verdict`: it is known that labelled rows
    were drawn within what the judge passed and failed; else their shares tell.
    """
    read = rows[~np.isnan(rows.passes)]
    labelled = read[~np.isnan(read.label)]
    if not len(labelled.label):
        return None
    weight = weights(labelled.unit)
    drawn = _drawn(read, by_verdict=drawn_by_verdict)
    if drawn is not None:
        weight = weight * drawn[~np.isnan(read.label)]
    unread = rows[np.isnan(rows.passes) & ~np.isnan(rows.label)]
    figures = dict(_shares(labelled, weight, unread))
    if drawn is None:
        figures |= dict(_base(labelled, weight))
    if len(labelled.label) < len(read.label):
        figures |= dict(_of_all(read, labelled))
    pass_labels = PassLabels(
        counts=_counts(labelled),
        always=None if drawn is not None else _always(labelled.label, weight),
        weighted_to_all_rows=drawn is not None,
        of_gold=of_gold,
    )
    return figures, pass_labels


def _drawn(read: PassRows, *, by_verdict: bool) -> Array | None:
    """Return what weighs labelled rows to all, where passed and failed ones were drawn unevenly."""
    labelled = ~np.isnan(read.label)
    n, unlabelled = int(labelled.sum()), int((~labelled).sum())
    if not unlabelled:
        return None
    of_labelled, of_others, of_all = (
        float(read.passes[chosen].mean()) for chosen in (labelled, ~labelled, labelled | True)
    )
    spread = sqrt(of_all * (1 - of_all) * (1 / n + 1 / unlabelled))
    alike = not by_verdict and abs(of_labelled - of_others) <= Z * spread
    if alike or of_labelled in (0, 1):
        return None
    passed, failed = of_all / of_labelled, (1 - of_all) / (1 - of_labelled)
    return np.where(read.passes == 1, passed, failed)


def _shares(
    rows: PassRows, weight: Array, unread: PassRows
) -> Iterator[tuple[str, ClusteredFigure]]:
    """Yield the shares that rest on labels, each with its bounds where verdicts are unreadable."""
    sides = []
    for name, label in (("tpr", 1.0), ("tnr", 0.0)):
        chosen = rows.label == label
        if chosen.any():
            hits = (rows.passes == label).astype(np.float64)
            figure = _share(
                hits[chosen],
                weight[chosen],
                rows.cluster[chosen],
                unread=int((unread.label == label).sum()),
            )
            off = np.where(chosen, (hits - figure.value) * weight, 0.0) / weight[chosen].sum()
            sides.append((figure, off, chosen))
            yield name, figure
    if len(sides) == 2:  # noqa: PLR2004  (people passed some, and failed some)
        yield "balanced_accuracy", _mean_of_both(sides, rows.cluster)
    alike = (rows.passes == rows.label).astype(np.float64)
    yield "agreement", _share(alike, weight, rows.cluster, single=False, unread=len(unread.label))


def _share(
    hits: Array, weight: Array, clusters: Codes, *, single: bool = True, unread: int = 0
) -> ClusteredFigure:
    """Return a share; of `single` 0 or 1 an item the variance is known, however few there are."""
    if single:
        value, interval = share_of_rows(hits * weight, clusters, weight)
    else:
        value, interval = clustered_share(hits * weight, weight, clusters, verdicts=len(hits))
    total = len(hits) + unread
    right = value * len(hits)
    bounds = (right / total, (right + unread) / total) if unread else None
    return figure_of(value, interval, clusters, bounds=bounds)


def _mean_of_both(
    sides: list[tuple[ClusteredFigure, Array, Flags]], clusters: Codes
) -> ClusteredFigure:
    """Return the mean of two shares, which are alike as far as clusters have rows of both."""
    (first, first_off, chosen), (second, second_off, _) = sides
    if first.ci95 is None or second.ci95 is None:
        return figure_of((first.value + second.value) / 2, None, clusters)
    alike = 0.0
    if len(np.intersect1d(clusters[chosen], clusters[~chosen])):
        left, right = (by_cluster(off, clusters) for off in (first_off, second_off))
        size = sqrt(float(left @ left) * float(right @ right))
        alike = float(left @ right) / size if size else 0.0
    balanced = mean_of_two((first.value, second.value), (first.ci95, second.ci95), alike)
    return figure_of(*balanced, clusters)


def _base(rows: PassRows, weight: Array) -> Iterator[tuple[str, ClusteredFigure]]:
    """Yield what rests on the base rate: kappa, and how many either side passes."""
    for name, side in (("pass_share", rows.passes), ("people_pass_share", rows.label)):
        yield name, _share(side, weight, rows.cluster, single=False)
    # Answers weigh alike, however often the judge was asked.
    _, first, unit = np.unique(_units(rows), return_index=True, return_inverse=True)
    judge, people = (
        np.bincount(unit, weights=side) / np.bincount(unit) for side in (rows.passes, rows.label)
    )
    clusters = rows.cluster[first]
    value, interval = kappa(_shares_of(judge), _shares_of(people), clusters)
    if value is not None:
        yield "kappa", figure_of(value, interval, rows.cluster)
    shift = paired_difference(people, judge, clusters)
    yield "pass_shift", figure_of(*shift, rows.cluster)


def _units(rows: PassRows) -> Codes:
    """Return the answer of each row; one without an answer's number is an answer by itself."""
    last = int(rows.unit.max(initial=0))
    return np.where(rows.unit < 0, last + 1 + np.arange(len(rows.unit)), rows.unit)


def _shares_of(passed: Array) -> Array:
    """Return the shares that pass and fail. Shapes: (m,) in, (m, 2) out."""
    return np.stack([passed, 1 - passed], axis=1)


def _always(label: Array, weight: Array) -> AlwaysAnswer:
    passed = float((label * weight).sum() / weight.sum())
    answer: Word = "pass" if passed >= 1 - passed else "fail"
    return AlwaysAnswer(answer=answer, share=max(passed, 1 - passed))


def _counts(rows: PassRows) -> PassCounts:
    judge, people = rows.passes == 1, rows.label == 1
    return PassCounts(
        both_pass=int((judge & people).sum()),
        judge_only=int((judge & ~people).sum()),
        people_only=int((~judge & people).sum()),
        both_fail=int((~judge & ~people).sum()),
    )


def _of_all(read: PassRows, labelled: PassRows) -> Iterator[tuple[str, ClusteredFigure]]:
    """Yield what the judge passes of all rows, and what people would by the labels of some."""
    everything = weights(read.unit)
    yield "pass_share_all_rows", _share(read.passes, everything, read.cluster, single=False)
    of_all = _share(read.passes, everything, read.cluster)
    yield "corrected_pass_share", corrected(of_all, labelled)


def corrected(judge: ClusteredFigure, labelled: PassRows) -> ClusteredFigure:
    """Return the share that people would pass, by a judge's share of all and labels of some.

    Labels need be drawn at random only within what the judge passes, and within what it fails. Of
    a side without labels nothing is known: it has the share of all labels, from 0 to 1.
    """
    weight = weights(labelled.unit)
    cells: list[ShareWithEnds] = []
    for verdict in (1.0, 0.0):
        chosen = labelled.passes == verdict
        if chosen.any():
            cell = _share(labelled.label[chosen], weight[chosen], labelled.cluster[chosen])
            cells.append((cell.value, cell.ci95 or (0.0, 1.0)))
        else:
            share = float((labelled.label * weight).sum() / weight.sum())
            cells.append((share, (0.0, 1.0)))
    share_of_all = judge.value, judge.ci95 or (0.0, 1.0)
    return figure_of(*corrected_share(share_of_all, cells[0], cells[1]), labelled.cluster)


ShareWithEnds = tuple[float, Interval]


def corrected_share(
    judge: ShareWithEnds, passed: ShareWithEnds, failed: ShareWithEnds
) -> ShareWithEnds:
    """Return what people would pass, by the judge's share and people's of what it passed, failed.

    Source: a sum of products of independent shares, each with ends of its own, by the method of
        variance estimates recovery; G. Y. Zou and A. Donner, Stat. Med. 27 (2008), 1693-1702.
    """
    share, gap = judge[0], passed[0] - failed[0]
    value = share * passed[0] + (1 - share) * failed[0]

    def distance(end: int) -> float:
        """Return how far an end lies off; where the share lowers the sum its ends change places."""
        reached = end if gap >= 0 else 1 - end
        parts = (
            share * (passed[1][end] - passed[0]),
            (1 - share) * (failed[1][end] - failed[0]),
            gap * (judge[1][reached] - share),
        )
        return sqrt(sum(part * part for part in parts))

    return value, (max(0.0, value - distance(0)), min(1.0, value + distance(1)))
