"""Several judges on the same rows: what changes when only the judge changes (Reading R101).

No prompt need be stated for that; two that are stated, and differ, are no swap of the judge alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import combinations
from typing import Final

from msgspec import Struct

from epc.analysis.verdicts_agreement import common_rows, label_of, side_by_side
from epc.analysis.verdicts_figures import figure_of
from epc.analysis.verdicts_lists import Askings, independent
from epc.analysis.verdicts_rows import JudgeRows, Rows
from epc.arrays import Array, Codes, Flags, np
from epc.records.verdicts.types import UNKNOWN, Scale, Setting
from epc.statistics.clusters import clustered_share, linearised_interval
from epc.statistics.figures import ClusteredFigure
from epc.statistics.paired import kappa, paired_difference

_FEWEST: Final = 3  # judges of a panel: of two the majority is a draw
Figures = Mapping[str, ClusteredFigure]


class ReversedPairs(Struct, frozen=True, kw_only=True):
    """Pairs of systems that change places between two judges, of how many there are.

    A pair is `shown` to do so where both judges' differences are, on opposite sides.
    """

    of: int
    pairs: Sequence[tuple[str, str, bool]]
    shown: int


class JudgePanel(Struct, frozen=True, kw_only=True):
    """The majority of judges, beside the best one alone, which other rows have chosen.

    A draw of the majority counts as wrong. `best_alone` is the best on either half of the items.
    """

    accuracy: ClusteredFigure
    undecided: int
    best_alone: tuple[str, str]
    minus_best_alone: ClusteredFigure


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeComparison:
    """Judges side by side: `pairs` by their names, from one to the other; `board` by system."""

    judges: Sequence[str]
    prompts_known: bool
    passing: bool
    pairs: Mapping[str, Figures] = field(default_factory=dict)
    shares: Mapping[str, Mapping[str, tuple[float, float]]] = field(default_factory=dict)
    board: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    reversed: Mapping[str, ReversedPairs] = field(default_factory=dict)
    error_correlation: ClusteredFigure | None = None
    independent_judges: ClusteredFigure | None = None
    panel: JudgePanel | None = None


def compared(
    groups: Sequence[JudgeRows], systems: Sequence[str], *, passing: bool, scale: Scale | None
) -> JudgeComparison | None:
    """Return judges beside each other, each as it was asked; None where no two can be compared.

    `passing`: verdicts are pass or fail of one answer.
    """
    found = [pair for pair in combinations(groups, 2) if _comparable(pair[0][1], pair[1][1])]
    step = scale.step if scale else 1.0
    pairs, shares = {}, {}
    for (name, _, whole), (second_name, _, second_whole) in found:
        rows, second_rows = _in_own_words(whole, second_whole)
        figures = dict(_of_verdicts(rows, second_rows, passing=passing))
        figures |= dict(_of_scores(rows, second_rows, step))
        if figures:
            key = f"{name} -> {second_name}"
            pairs[key] = figures
            shares[key] = dict(_levels(rows, second_rows, passing=passing))
    if not pairs:
        return None
    judges = [*dict.fromkeys(name for pair in found for name, *_ in pair)]
    chosen = [group for group in groups if group[0] in judges]
    panel, worth = _panel(chosen) if len(chosen) >= _FEWEST else (None, {})
    board, turned = _board(chosen, systems) if passing else ({}, {})
    return JudgeComparison(
        judges=judges,
        prompts_known=all(not _unknown(setting) for _, setting, _ in chosen),
        passing=passing,
        pairs=pairs,
        shares=shares,
        board=board,
        reversed=turned,
        panel=panel,
        error_correlation=worth.get("error_correlation"),
        independent_judges=worth.get("independent_judges"),
    )


def _in_own_words(rows: Rows, second_rows: Rows) -> tuple[Rows, Rows]:
    """Return both judges' rows without long answers that both have, which are copies."""
    copies = np.intersect1d(rows.answer, second_rows.answer)
    copies = copies[copies >= 0]
    if not len(copies):
        return rows, second_rows
    kept, second_kept = (side[~np.isin(side.answer, copies)] for side in (rows, second_rows))
    return kept, second_kept


def _unknown(setting: Setting) -> bool:
    return setting.prompt.name == setting.prompt.sha256 == UNKNOWN


def _comparable(setting: Setting, second: Setting) -> bool:
    """Return whether only the judge is another, as far as anybody says."""
    judge, second_judge = setting.judge, second.judge
    if judge.name == second_judge.name or judge.model == second_judge.model != UNKNOWN:
        return False
    if setting.modality != second.modality:
        return False
    return (_unknown(setting) and _unknown(second)) or setting.prompt.is_one(second.prompt)


def _of_verdicts(
    rows: Rows, second_rows: Rows, *, passing: bool
) -> Iterator[tuple[str, ClusteredFigure]]:
    (common, left), (second_common, right) = common_rows(rows, second_rows)
    if not len(left):
        return
    if passing:
        yield "pass_difference", _difference(left[:, 0], right[:, 0], common.cluster)
    labels = _common_labels([label_of(common), label_of(second_common)])
    labelled: Flags = np.asarray(labels.any(axis=1))
    if labelled.any():
        before, after = ((labels * side).sum(axis=1)[labelled] for side in (left, right))
        yield "accuracy_difference", _difference(before, after, common.cluster[labelled])
    yield "agreement", _share((left * right).sum(axis=1), common.cluster)
    value, interval = kappa(left, right, common.cluster)
    if value is not None:
        yield "kappa", figure_of(value, interval, common.cluster)


def _common_labels(judge_labels: Sequence[Array]) -> Array:
    """Return the label of each answer in which the rows of all judges agree; else no label.

    Shapes: (m, answers) each, of the same answers in the same order; (m, answers).
    """
    first, *further = judge_labels
    agreed = np.ones(len(first), np.bool_)
    for labels in further:
        agreed &= (labels == first).all(axis=1)
    return first * agreed[:, None]


def _difference(left: Array, right: Array, clusters: Codes) -> ClusteredFigure:
    return figure_of(*paired_difference(left, right, clusters), clusters)


def _share(hits: Array, clusters: Codes) -> ClusteredFigure:
    value, interval = clustered_share(hits, np.ones(len(hits)), clusters, verdicts=len(hits))
    return figure_of(value, interval, clusters)


def _of_scores(rows: Rows, second_rows: Rows, step: float) -> Iterator[tuple[str, ClusteredFigure]]:
    """Yield by how much more the second judge scores, beside two answers a step above and below."""
    common, left, right = side_by_side(rows, second_rows, scores=True)
    gap = (right - left)[:, 0]
    if len(gap):
        last = int(common.cluster.max())
        values = np.concatenate([gap, [step, -step]])
        clusters = np.concatenate([common.cluster, [last + 1, last + 2]])
        off = (values - values.mean()) / len(values)
        interval = linearised_interval(float(values.mean()), off, clusters)
        yield "score_difference", figure_of(float(gap.mean()), interval, common.cluster)


def _levels(
    rows: Rows, second_rows: Rows, *, passing: bool
) -> Iterator[tuple[str, tuple[float, float]]]:
    """Yield what either judge passes of the same rows, or its mean score of them."""
    for name, scores in (("pass_share", False), ("mean_score", True)):
        _, left, right = side_by_side(rows, second_rows, scores=scores)
        if len(left) and (passing or scores):
            yield name, (float(left[:, 0].mean()), float(right[:, 0].mean()))


def _board(
    groups: Sequence[JudgeRows], systems: Sequence[str]
) -> tuple[dict[str, dict[str, float]], dict[str, ReversedPairs]]:
    """Return what each judge passes of each system's answers, and which change places.

    Of items that all systems have by all judges.
    """
    tables = [_by_system(rows) for _, _, rows in groups]
    codes = reduce(np.union1d, [codes for codes, _, _, _ in tables])
    if len(codes) < 2 or any(len(found) < len(codes) for found, *_ in tables):  # noqa: PLR2004
        return {}, {}
    complete = [items[~np.isnan(shares).any(axis=1)] for _, items, shares, _ in tables]
    common = reduce(np.intersect1d, complete)
    if not len(common):
        return {}, {}
    names = [systems[code] for code in codes.tolist()]
    order = sorted(range(len(names)), key=names.__getitem__)
    kept = {}
    for (name, *_), (_, items, shares, clusters) in zip(groups, tables, strict=True):
        chosen = np.searchsorted(items, common)
        kept[name] = shares[chosen][:, order], clusters[chosen]
    names.sort()
    board = {
        name: dict(zip(names, shares.mean(axis=0).tolist(), strict=True))
        for name, (shares, _) in kept.items()
    }
    turned = {
        f"{left} | {right}": _reversed(kept[left], kept[right], names)
        for left, right in combinations(kept, 2)
    }
    return board, turned


def _by_system(rows: Rows) -> tuple[Codes, Codes, Array, Codes]:
    """Return systems, items, the share passed of each, NaN where there is none, and clusters.

    Shapes: (systems,), (items,), (items, systems), (items,).
    """
    rows = rows[rows.readable & (rows.a_by >= 0)]
    codes, system = np.unique(rows.a_by, return_inverse=True)
    items, first, item = np.unique(rows.question, return_index=True, return_inverse=True)
    shape = (len(items), len(codes))
    passed, counts = np.zeros(shape), np.zeros(shape)
    np.add.at(passed, (item, system), rows.verdict == 0)
    np.add.at(counts, (item, system), 1.0)
    shares: Array = np.where(counts > 0, passed / np.maximum(1, counts), np.nan)
    return codes, items, shares, rows.cluster[first]


def _reversed(
    left: tuple[Array, Codes], right: tuple[Array, Codes], names: Sequence[str]
) -> ReversedPairs:
    pairs = []
    for first, second in combinations(range(len(names)), 2):
        gaps = [
            paired_difference(shares[:, second], shares[:, first], clusters)
            for shares, clusters in (left, right)
        ]
        if gaps[0][0] * gaps[1][0] >= 0:
            continue
        ends = [interval for _, interval in gaps]
        sides = {end[0] > 0 for end in ends if end and not end[0] <= 0 <= end[1]}
        pairs.append((names[first], names[second], len(sides) == 2))  # noqa: PLR2004  (opposite)
    count = len(names) * (len(names) - 1) // 2
    return ReversedPairs(of=count, pairs=pairs, shown=sum(shown for *_, shown in pairs))


def _panel(groups: Sequence[JudgeRows]) -> tuple[JudgePanel | None, Figures]:
    """Return how the majority of judges does on labelled rows, and how far their errors are one.

    On rows that all of them read.
    """
    first = groups[0][2]
    orders, answers, judge_labels = [], [], []
    for _, _, rows in groups:  # of each judge's rows nothing is kept but what is needed of all
        judge_rows, judge_shares = common_rows(first, rows)[1]
        orders.append(judge_rows.order)
        answers.append(judge_shares)
        judge_labels.append(label_of(judge_rows))
    of_all = reduce(np.intersect1d, orders)
    places = [np.searchsorted(order, of_all) for order in orders]
    shares = np.array([side[place] for side, place in zip(answers, places, strict=True)])
    labels = _common_labels([side[place] for side, place in zip(judge_labels, places, strict=True)])
    labelled: Flags = np.asarray(labels.any(axis=1))
    if not labelled.any():
        return None, {}
    common = common_rows(first, first)[0][0]
    common = common[np.searchsorted(common.order, of_all[labelled])]
    shares, labels = shares[:, labelled], labels[labelled]
    right = (shares * labels).sum(axis=2)
    votes = (shares >= shares.max(axis=2, keepdims=True)).sum(axis=0)
    top = votes == votes.max(axis=1, keepdims=True)
    decided: Flags = np.asarray(top.sum(axis=1) == 1)
    majority = np.where(decided, (top * labels).sum(axis=1), 0.0)
    best, names = _best_alone(right, common.cluster, [name for name, *_ in groups])
    panel = JudgePanel(
        accuracy=_share(majority, common.cluster),
        undecided=int((~decided).sum()),
        best_alone=names,
        minus_best_alone=_difference(best, majority, common.cluster),
    )
    return panel, dict(independent(_askings(shares, labels, common)))


def _best_alone(
    right: Array, clusters: Codes, names: Sequence[str]
) -> tuple[Array, tuple[str, str]]:
    """Return how far the best judge alone is right, chosen on one half of the items for the other.

    Shapes: (judges, m), (m,).
    """
    _, first, item = np.unique(clusters, return_index=True, return_inverse=True)
    half = np.argsort(np.argsort(first))[item] % 2
    best, chosen = np.zeros(right.shape[1]), []
    for side in (0, 1):
        others = right[:, half != side]
        judge = int(others.mean(axis=1).argmax()) if others.shape[1] else 0
        best[half == side] = right[judge, half == side]
        chosen.append(names[judge])
    return best, (chosen[0], chosen[1])


def _askings(shares: Array, labels: Array, common: Rows) -> list[Askings]:
    """Return judges as those of lists are, whose candidates are the answers a, b and tie."""
    rows = np.arange(len(labels))
    return [
        Askings(
            list=rows,
            cluster=common.cluster,
            subset=common.subset,
            right=labels.argmax(axis=1),
            count=np.ones(len(rows), np.int64),
            scores=judge[:, None, :],
        )
        for judge in shares
    ]
