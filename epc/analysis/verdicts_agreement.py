"""How far a judge agrees with persons, and judges with each other (Reading R77)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from epc.analysis.verdicts_figures import (
    INTERVALS,
    Constant,
    average,
    best_constant,
    figure_by,
    share,
)
from epc.analysis.verdicts_rows import TIE, UNREADABLE, Rows
from epc.arrays import Array, Codes, Flags, np
from epc.records.verdicts.types import UNKNOWN, Prompt, Setting
from epc.statistics.figures import ClusteredFigure


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two judges that were asked the same with one prompt.

    `shared_answers` counts long answers that both have: copies, left out of the figures.
    """

    settings: tuple[str, str]
    prompt: Prompt
    same_decoding: bool
    shared_answers: int
    figures: Mapping[str, ClusteredFigure]


def of_humans(rows: Rows) -> Iterator[tuple[str, ClusteredFigure]]:
    """Yield the agreement with persons, and beside it that of a person with the other persons.

    An unreadable answer agrees with nobody, but in kappa, which is of readable ones. A majority is
    one choice that more persons made than any other.
    """
    rows = rows[(rows.verdict >= 0) & (rows.humans.sum(axis=1) > 0)]
    humans, mine = rows.humans.astype(np.float64), _saying(TIE + 1)[rows.verdict]
    n = humans.sum(axis=1)
    agreeing_share = (humans * mine).sum(axis=1) / np.maximum(1, n)
    yield from share("humans_mean", agreeing_share, rows, verdicts=n)
    several = n > 1
    twos = (n * (n - 1))[several]
    ceiling = (humans * (humans - 1)).sum(axis=1)[several] / twos
    yield from share("humans_mean_ceiling", ceiling, rows[several], verdicts=twos / 2)
    majority = most_frequent(rows.humans)
    labelled: Flags = np.asarray(majority.any(axis=1))
    yield from share("humans_majority", (majority * mine).sum(axis=1)[labelled], rows[labelled])
    usable = labelled & rows.readable
    yield from _kappa("humans_kappa", majority[usable], mine[usable], rows.cluster[usable])
    weights, hits, persons = np.zeros((3, len(n)))
    for choice, vote in enumerate(np.eye(TIE + 1)):  # who made it is the person left out
        other_majority = most_frequent(np.maximum(0, rows.humans - vote))
        weight = humans[:, choice] * other_majority.any(axis=1)
        weights += weight
        hits += weight * (other_majority * mine).sum(axis=1)
        persons += weight * other_majority[:, choice]
    yield from share("humans_others", hits, rows, weights)
    yield from share("humans_others_ceiling", persons, rows, weights)


def of_human_scores(rows: Rows) -> Iterator[tuple[str, ClusteredFigure]]:
    """Yield how far the scores of single answers are those that people gave.

    The correlation is Pearson's: a judge that gives every answer one score has none, however near
    it comes.
    """
    rows = rows[rows.scored & ~np.isnan(rows.human_score)]
    gap = rows.score - rows.human_score
    yield from share("human_score_within_1", np.abs(gap) <= 1, rows)
    yield from average("human_score_shift", gap, rows.cluster)
    if len(gap):
        sides = rows.score, rows.human_score, rows.cluster
        results = [kind.correlation(*sides) for kind in INTERVALS.get()]
        if any(value is not None for value, _ in results):
            yield "human_score_correlation", figure_by(results, rows.cluster)


def label_of(rows: Rows) -> Array:
    """Return 1 for the right answer of each row, by gold or the majority of persons; else 0.

    Shapes: (m, answers), which are three of verdicts on pairs.
    """
    answers = np.arange(rows.humans.shape[1])
    by_gold: Array = (rows.gold[:, None] == answers).astype(np.float64)
    return by_gold if (rows.gold >= 0).any() else most_frequent(rows.humans)


def constant_of_humans(rows: Rows) -> Constant:
    """Return how often always choosing the same would agree with the majority of persons."""
    rows = rows[rows.verdict >= 0]
    majority = most_frequent(rows.humans)
    labelled: Flags = np.asarray(majority.any(axis=1))
    return best_constant(majority[labelled], rows[labelled])


def most_frequent(counts: Array | Codes) -> Array:
    """Return 1 for the choice that more persons made than any other; a row of 0 without one.

    Shapes: (m, 3).
    """
    top = (counts == counts.max(axis=1, initial=0)[:, None]) & (counts > 0)
    alone: Array = (top & (top.sum(axis=1) == 1)[:, None]).astype(np.float64)
    return alone


def between(groups: Sequence[tuple[str, Setting, Rows]]) -> list[Pair]:
    """Return the agreement of every two judges that were asked the same with one prompt."""
    pairs = []
    for (name, setting, rows), (other_name, other_setting, other_rows) in combinations(groups, 2):
        if not comparable(setting, other_setting):
            continue
        shared = np.intersect1d(rows.answer, other_rows.answer)
        shared = shared[shared >= 0]
        sides = [side[~np.isin(side.answer, shared)] for side in (rows, other_rows)]
        figures = {**dict(_of_verdicts(*sides)), **dict(_of_scores(*sides))}
        if figures:
            pairs.append(
                Pair(
                    settings=(name, other_name),
                    prompt=setting.prompt,
                    same_decoding=setting.decoding == other_setting.decoding != UNKNOWN,
                    shared_answers=len(shared),
                    figures=figures,
                )
            )
    return pairs


def comparable(setting: Setting, other_setting: Setting) -> bool:
    """Return whether two judges, not one, were asked with one prompt and saw the same.

    A judge is one by its name or its model.
    """
    judge, other_judge = setting.judge, other_setting.judge
    if judge.name == other_judge.name or judge.model == other_judge.model != UNKNOWN:
        return False
    saw_same = setting.modality == other_setting.modality
    return saw_same and setting.prompt.is_one(other_setting.prompt)


def _of_verdicts(rows_a: Rows, rows_b: Rows) -> Iterator[tuple[str, ClusteredFigure]]:
    common, left, right = side_by_side(rows_a, rows_b)
    counts = np.maximum(*(_askings(side, common.order) for side in (rows_a, rows_b)))
    yield from share("agreement", (left * right).sum(axis=1), common, verdicts=counts)
    yield from _kappa("kappa", left, right, common.cluster, float(counts.sum()))


def _askings(rows: Rows, orders: Codes) -> Codes:
    """Return how many readable verdicts there are of each item and order."""
    keys, counts = np.unique(rows.order[rows.readable], return_counts=True)
    askings: Codes = counts[np.searchsorted(keys, orders)]
    return askings


def _of_scores(rows_a: Rows, rows_b: Rows) -> Iterator[tuple[str, ClusteredFigure]]:
    common, left, right = side_by_side(rows_a, rows_b, scores=True)
    gap = (right - left)[:, 0]
    yield from share("score_within_1", np.abs(gap) <= 1, common)
    yield from average("score_shift", gap, common.cluster)


def of_ways(rows_a: Rows, rows_b: Rows) -> Iterator[tuple[str, ClusteredFigure]]:
    """Yield by how much more often the second way of asking is right, on items of both."""
    means = []
    for rows in (rows_a, rows_b):
        labelled = rows[rows.gold >= 0]
        items, first, place = np.unique(labelled.item, return_index=True, return_inverse=True)
        hits = np.bincount(place, weights=labelled.verdict == labelled.gold)
        means.append((items, labelled.cluster[first], hits / np.bincount(place)))
    (items, clusters, left), (other_items, _, right) = means
    _, in_left, in_right = np.intersect1d(items, other_items, return_indices=True)
    yield from average("accuracy", right[in_right] - left[in_left], clusters[in_left])


def side_by_side(rows_a: Rows, rows_b: Rows, *, scores: bool = False) -> tuple[Rows, Array, Array]:
    """Return every item and order that both were asked about, and what either says of it.

    That are shares of the answers, as a, b and tie, or the mean score: several askings count alike.

    Shapes: (m,), (m, answers) twice; of scores (m, 1).
    """
    (rows, values), (_, other_values) = common_rows(rows_a, rows_b, scores=scores)
    return rows, values, other_values


def common_rows(
    rows_a: Rows, rows_b: Rows, *, scores: bool = False
) -> tuple[tuple[Rows, Array], tuple[Rows, Array]]:
    """Return both judges' rows of what `side_by_side` has, beside what each says.

    A row is the first of its askings: labels that stand beside a verdict may differ by judge.
    """
    (rows, keys, values), (other_rows, other_keys, other_values) = (
        _mean_verdicts(side[side.scored if scores else side.readable], scores=scores)
        for side in (rows_a, rows_b)
    )
    _, in_a, in_b = np.intersect1d(keys, other_keys, return_indices=True)
    return (rows[in_a], values[in_a]), (other_rows[in_b], other_values[in_b])


def _saying(answers: int) -> Array:
    """Return a row for each verdict, of which an unreadable one says nothing."""
    saying = np.eye(max(answers, UNREADABLE + 1))[:, :answers]
    saying[UNREADABLE] = 0
    return saying


def _mean_verdicts(rows: Rows, *, scores: bool) -> tuple[Rows, Codes, Array]:
    values = rows.score[:, None] if scores else _saying(rows.humans.shape[1])[rows.verdict]
    keys, first, places = np.unique(rows.order, return_index=True, return_inverse=True)
    totals = np.zeros((len(keys), values.shape[1]))
    np.add.at(totals, places, values)
    return rows[first], keys, totals / np.bincount(places, minlength=len(keys))[:, None]


def _kappa(
    name: str, left: Array, right: Array, clusters: Codes, verdicts: float | None = None
) -> Iterator[tuple[str, ClusteredFigure]]:
    """Yield Cohen's kappa, unless chance alone would agree always.

    Shapes: what either said, as shares (m, 3); (m,).
    """
    if len(left):
        kinds = INTERVALS.get()
        results = [kind.kappa(left, right, clusters, verdicts=verdicts) for kind in kinds]
        if any(value is not None for value, _ in results):
            yield name, figure_by(results, clusters)
