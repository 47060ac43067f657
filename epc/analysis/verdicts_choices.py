"""Choices of a judge among many labels, beside the right ones (Reading R101)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import ceil
from typing import Final

from msgspec import Struct

from epc.analysis.verdicts_figures import figure_of, weights
from epc.arrays import Array, ByRow, Codes, Flags, np
from epc.statistics.clusters import clustered_share, share_of_rows
from epc.statistics.figures import Alone, ClusteredFigure, HeldOut
from epc.statistics.inference import upper_bound
from epc.statistics.paired import design_effect, kappa

_WANTED: Final = 0.05  # share of wrong choices that a judge alone may make
_CANDIDATES: Final = 10  # of confidences, a tenth of the rows apart
_ERROR: Final = 0.02  # one-sided: the best of ten promises 95% then
_FOLDS: Final = 10
_MOST_CONFUSED: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceRows(ByRow):
    """Labels that a judge chose and right ones by their number, and how sure it was, NaN if unsaid.

    `chosen` is -1 where its answer is unreadable, `right` where nobody says.

    Shapes: each (m,).
    """

    chosen: Codes
    right: Codes
    confidence: Array
    cluster: Codes
    unit: Codes


class OfLabel(Struct, frozen=True, kw_only=True):
    """A label: how often it is right and chosen, and how often the judge is right either way."""

    n: int
    said: int
    recall: ClusteredFigure | None
    precision: ClusteredFigure | None


class AlwaysLabel(Struct, frozen=True, kw_only=True):
    """The one label that would be right most often, and how often it would be."""

    label: str
    share: float


class ChoiceLabels(Struct, frozen=True, kw_only=True):
    """What stands beside the figures of choices. `labels` counts those that are ever right."""

    labels: int
    always: AlwaysLabel
    by_label: Mapping[str, OfLabel]
    confused: Sequence[tuple[str, str, int]]
    alone: Mapping[str, Alone]


def of_choice_labels(
    rows: ChoiceRows, names: Sequence[str]
) -> tuple[dict[str, ClusteredFigure], ChoiceLabels] | None:
    """Return the figures of choices with a right label; None where there is none.

    An unreadable answer is no choice, and stands in the bounds. A label that the judge invents is
    wrong.
    """
    unread = int(((rows.chosen < 0) & (rows.right >= 0)).sum())
    rows = rows[(rows.chosen >= 0) & (rows.right >= 0)]
    if not len(rows.right):
        return None
    weight = weights(rows.unit)
    hits = (rows.chosen == rows.right).astype(np.float64)
    codes = np.union1d(rows.chosen, rows.right).tolist()
    by_label = {names[code]: _of_label(rows, weight, hits, code) for code in codes}
    recalls = [label.recall.value for label in by_label.values() if label.recall]
    figures = {
        "accuracy": _share(hits, weight, rows.cluster, unread),
        "balanced_accuracy": figure_of(sum(recalls) / len(recalls), None, rows.cluster),
    }
    sides = [(side[:, None] == codes).astype(np.float64) for side in (rows.chosen, rows.right)]
    value, interval = kappa(sides[0], sides[1], rows.cluster)
    if value is not None:
        figures["kappa"] = figure_of(value, interval, rows.cluster)
    counts = np.bincount(rows.right, weights=weight)
    best = int(counts.argmax())
    return figures, ChoiceLabels(
        labels=len(recalls),
        always=AlwaysLabel(label=names[best], share=float(counts[best] / weight.sum())),
        by_label=dict(sorted(by_label.items())),
        confused=[*islice(_confused(rows, names), _MOST_CONFUSED)],
        alone=_alone(rows, weight, hits),
    )


def _share(hits: Array, weight: Array, clusters: Codes, unread: int) -> ClusteredFigure:
    value, interval = clustered_share(hits * weight, weight, clusters, verdicts=len(hits))
    total, right = len(hits) + unread, value * len(hits)
    bounds = (right / total, (right + unread) / total) if unread else None
    return figure_of(value, interval, clusters, bounds=bounds)


def _single(hits: Array | Flags, weight: Array, clusters: Codes) -> ClusteredFigure:
    """Return a share of single 0 or 1 an item, whose variance is known."""
    return figure_of(*share_of_rows(hits * weight, clusters, weight), clusters)


def _of_label(rows: ChoiceRows, weight: Array, hits: Array, code: int) -> OfLabel:
    right, chosen = rows.right == code, rows.chosen == code
    recall, precision = (
        _single(hits[chosen], weight[chosen], rows.cluster[chosen]) if chosen.any() else None
        for chosen in (right, chosen)
    )
    return OfLabel(n=int(right.sum()), said=int(chosen.sum()), recall=recall, precision=precision)


def _confused(rows: ChoiceRows, names: Sequence[str]) -> Iterator[tuple[str, str, int]]:
    """Yield right and chosen label of what is confused, the most frequent first."""
    wrong = rows[rows.chosen != rows.right]
    pairs, counts = np.unique(np.stack([wrong.right, wrong.chosen]), axis=1, return_counts=True)
    confusions = [
        (names[right], names[chosen], count)
        for (right, chosen), count in zip(pairs.T.tolist(), counts.tolist(), strict=True)
    ]
    yield from sorted(confusions, key=lambda pair: (-pair[2], *pair[:2]))


def _alone(rows: ChoiceRows, weight: Array, hits: Array) -> dict[str, Alone]:
    """Return from which confidence on a judge may decide alone, tried on rows that did not choose.

    Of ten candidates, so that the promise holds: a scan of every confidence breaks it in a fifth of
    all draws. The share kept has an interval for this confidence, none for its choice.
    """
    sure = ~np.isnan(rows.confidence)
    if not sure.any():
        return {}
    rows, weight, wrong = rows[sure], weight[sure], 1 - hits[sure]
    threshold = _threshold(rows, wrong)
    if threshold is None:
        return {str(_WANTED): Alone(wanted=_WANTED, threshold=None)}
    _, first = np.unique(rows.cluster, return_index=True)
    _, item = np.unique(rows.cluster, return_inverse=True)
    order = np.argsort(np.argsort(first))[item]  # of items, as they first come
    held_out = np.zeros(len(wrong), np.bool_)
    for fold in range(_FOLDS):
        inside = order % _FOLDS == fold
        least = _threshold(rows[~inside], wrong[~inside])
        if least is not None:
            held_out |= inside & (rows.confidence >= least)
    share = (
        _single(wrong[held_out], weight[held_out], rows.cluster[held_out])
        if held_out.any()
        else None
    )
    return {
        str(_WANTED): Alone(
            wanted=_WANTED,
            threshold=threshold,
            kept=_single(rows.confidence >= threshold, weight, rows.cluster),
            held_out=HeldOut(
                n=int(held_out.sum()), wrong=int(wrong[held_out].sum()), share_wrong=share
            ),
        )
    }


def _threshold(rows: ChoiceRows, wrong: Array) -> float | None:
    """Return the lowest of ten confidences that keeps wrong choices at the wanted share, if any."""
    ranked = np.sort(rows.confidence)[::-1]
    for part in range(_CANDIDATES, 0, -1):
        if not len(ranked):
            return None
        least = float(ranked[ceil(len(ranked) * part / _CANDIDATES) - 1])
        chosen = rows.confidence >= least
        if _most_wrong(wrong[chosen], rows.cluster[chosen]) <= _WANTED:
            return least
    return None


def _most_wrong(wrong: Array, clusters: Codes) -> float:
    """Return the exact upper end of a share wrong, of as many rows as clusters leave."""
    n = len(wrong)
    off = (wrong - wrong.mean()) / n
    effect = design_effect(off, float(off @ off), clusters)
    return upper_bound(ceil(float(wrong.sum()) / effect), int(n / effect), _ERROR)
