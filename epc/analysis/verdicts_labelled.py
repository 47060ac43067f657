"""What labels of the same answers say of one judge, by the kind of its verdicts (Reading R101)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from epc.analysis.verdicts_agreement import label_of, most_frequent
from epc.analysis.verdicts_choices import ChoiceLabels, ChoiceRows, of_choice_labels
from epc.analysis.verdicts_figures import figure_of, repeats, share, weights
from epc.analysis.verdicts_labels import PassLabels, PassRows, of_labels
from epc.analysis.verdicts_rows import TIE, UNREADABLE, Rows, by_question
from epc.analysis.verdicts_scores import ScoreLabels, ScoreRows, of_score_labels
from epc.arrays import Array, Codes, np
from epc.records.verdicts.columns import Verdicts
from epc.records.verdicts.types import Scale
from epc.statistics.clusters import clustered_mean, clustered_share, linearised_interval
from epc.statistics.figures import ClusteredFigure

Labels = PassLabels | ScoreLabels | ChoiceLabels
Figures = dict[str, ClusteredFigure]
# What the figures by labels take the place of.
REPLACED: Final = (
    *("accuracy", "accuracy_gold_first", "accuracy_gold_second", "accuracy_readable"),
    *("humans_mean", "humans_mean_ceiling", "humans_majority", "humans_kappa"),
    *("human_score_shift", "human_score_correlation", "brier", "ece"),
)


def of_judge(
    rows: Rows,
    verdicts: Verdicts,
    names: Sequence[str],
    *,
    passing: bool,
    scale: Scale | None,
    drawn_by_verdict: bool = False,
) -> tuple[Figures, Labels | None]:
    """Return the figures of one judge beside labels, and what stands beside these figures.

    `names` are those of the clusters; `passing`: each verdict is pass or fail of one answer.
    `drawn_by_verdict`: labelled rows were drawn within what this judge passed and failed.
    """
    if (verdicts.label.codes >= 0).any():
        return _of_choices(rows, verdicts)
    if passing:
        return _of_passes(rows, drawn_by_verdict=drawn_by_verdict)
    if scale is not None:  # of a file of several judges this one's
        outside = min(scale.outside, int((rows.verdict == UNREADABLE).sum()))
        scale = replace(scale, outside=outside)
    done = of_score_labels(_score_rows(rows, names), scale)
    figures, labels = done or ({}, None)
    return figures | dict(_beside_scorers(rows, verdicts)) | dict(beside_persons(rows)), labels


def _of_passes(rows: Rows, *, drawn_by_verdict: bool) -> tuple[Figures, Labels | None]:
    read = rows[(rows.verdict >= 0) & (rows.verdict != TIE)]
    of_gold = bool((read.gold >= 0).any())
    right = label_of(read)
    table = PassRows(
        passes=np.where(read.verdict == UNREADABLE, np.nan, read.verdict == 0),
        label=np.where(right[:, :TIE].any(axis=1), right[:, 0], np.nan),
        cluster=read.cluster,
        unit=read.unit,
    )
    done = of_labels(table, of_gold=of_gold, drawn_by_verdict=drawn_by_verdict)
    if done is None:
        readable = ~np.isnan(table.passes)
        return dict(_passed(table[readable])), None
    figures, labels = done
    return figures | dict(beside_persons(rows)), labels


def _passed(rows: PassRows) -> Iterator[tuple[str, ClusteredFigure]]:
    """Yield what share a judge passes, where nobody labelled its answers."""
    if len(rows.passes):
        weight = weights(rows.unit)
        value, interval = clustered_share(
            rows.passes * weight, weight, rows.cluster, verdicts=len(weight)
        )
        yield "pass_share", figure_of(value, interval, rows.cluster)


def _score_rows(rows: Rows, names: Sequence[str]) -> ScoreRows:
    """Return scores with clusters in the order of their names, then those of groups."""
    places = np.empty(len(names), np.int64)
    places[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    cluster = rows.cluster
    named = cluster < len(names)
    return ScoreRows(
        judge=rows.score,
        people=rows.human_score,
        cluster=np.where(named, places[np.where(named, cluster, 0)], cluster),
        unit=rows.unit,
    )


def beside_persons(rows: Rows) -> Iterator[tuple[str, ClusteredFigure]]:
    """Yield how often a judge says what the others say, in one person's place, and that person.

    Of each person whose fellows have one most frequent label. An unreadable verdict is wrong.
    """
    rows = rows[(rows.verdict >= 0) & (rows.humans.sum(axis=1) > 1)]
    saying = np.eye(TIE + 2)[:, : TIE + 1][rows.verdict]
    yield from _in_a_place(saying, rows.humans, rows.cluster, rows.unit)


def _in_a_place(
    saying: Array, humans: Array | Codes, clusters: Codes, units: Codes
) -> Iterator[tuple[str, ClusteredFigure]]:
    """Yield the comparisons of a judge with each person, by whom the others say the same.

    Shapes: what the judge says, and persons by label, (m, labels); (m,).
    """
    n, hits, persons = np.zeros((3, len(clusters)))
    for label in range(humans.shape[1]):  # who gave it is the person left out
        labelled_rows = np.flatnonzero(humans[:, label])
        fellows = humans[labelled_rows].copy()
        fellows[:, label] -= 1
        top = most_frequent(fellows)
        count = humans[labelled_rows, label] * top.any(axis=1)
        n[labelled_rows] += count
        hits[labelled_rows] += count * (top * saying[labelled_rows]).sum(axis=1)
        persons[labelled_rows] += count * top[:, label]
    compared = n > 0
    if not compared.any():
        return
    n, hits, persons = n[compared], hits[compared], persons[compared]
    clusters, weight = clusters[compared], weights(units[compared])
    total = int(n.sum())
    for name, side in (("humans_others", hits), ("humans_others_ceiling", persons)):
        value, interval = clustered_share(
            side * weight, n * weight, clusters, verdicts=total, fewest=0.0
        )
        yield name, figure_of(value, interval, clusters, total)
    share = weight / float((n * weight).sum())
    value = float(((hits - persons) * share).sum())
    off = (hits - persons - value * n) * share
    interval = linearised_interval(value, off, clusters)
    yield "humans_others_difference", figure_of(value, interval, clusters, total)


def _beside_scorers(rows: Rows, verdicts: Verdicts) -> Iterator[tuple[str, ClusteredFigure]]:
    """Yield how far a judge's score lies from the mean of the others, in one person's place."""
    several = np.array([len(scores) > 1 for scores in verdicts.human_scores.names] + [False])
    chosen = several[verdicts.human_scores.codes] & rows.scored
    places: list[int] = np.flatnonzero(chosen).tolist()
    if not places:
        return
    judge, person, clusters = [], [], []
    for place in places:
        scores = verdicts.human_scores.names[int(verdicts.human_scores.codes[place])]
        for score in scores:
            fellows_mean = (sum(scores) - score) / (len(scores) - 1)
            judge.append(abs(float(rows.score[place]) - fellows_mean))
            person.append(abs(score - fellows_mean))
            clusters.append(int(rows.cluster[place]))
    ids, sides = np.array(clusters), (np.array(judge), np.array(person))
    for name, values in (
        ("humans_others", sides[0]),
        ("humans_others_ceiling", sides[1]),
        ("humans_others_difference", sides[0] - sides[1]),
    ):
        yield name, figure_of(*clustered_mean(values, ids), ids)


def as_choices(rows: Rows, verdicts: Verdicts) -> Rows:
    """Return rows whose answers are the labels of a file, as a pair's are a, b and tie.

    The place of an unreadable verdict stays its own: later labels stand one place further.
    """
    choices = _choices_of(verdicts)
    counts = choices.people.astype(np.int64)
    if counts.shape[1] > UNREADABLE:
        counts = np.insert(counts, UNREADABLE, 0, axis=1)
    chosen, right = (places + (places >= UNREADABLE) for places in (choices.chosen, choices.gold))
    return replace(
        rows,
        verdict=np.where(choices.chosen < 0, UNREADABLE, chosen),
        gold=right,
        humans=counts[verdicts.human_labels.codes],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Choices:
    """Choices of a file by the places of their labels in `names`, -1 where there is none.

    `people` counts the labels of each combination of persons; its last row is of nobody.

    Shapes: (m,) twice, (combinations + 1, labels).
    """

    names: Sequence[str]
    chosen: Codes
    gold: Codes
    people: Array


def _choices_of(verdicts: Verdicts) -> _Choices:
    people = verdicts.human_labels.names
    label_names = {name for labels in people for name in labels}
    names = sorted({*verdicts.label.names, *verdicts.gold_label.names, *label_names})
    places = {name: place for place, name in enumerate(names)}
    counts = np.zeros((len(people) + 1, len(names)))
    for row, labels in enumerate(people):
        np.add.at(counts[row], [places[label] for label in labels], 1)
    return _Choices(
        names=names,
        chosen=verdicts.label.as_places(names).astype(np.int64),
        gold=verdicts.gold_label.as_places(names).astype(np.int64),
        people=counts,
    )


def _of_choices(rows: Rows, verdicts: Verdicts) -> tuple[Figures, Labels | None]:
    """Return the figures of choices, whose right label is gold's or that of most persons."""
    _, _, repeated = repeats(as_choices(rows, verdicts))
    choices = _choices_of(verdicts)
    right, chosen, counts = choices.gold, choices.chosen, choices.people
    if not (right >= 0).any():
        top = most_frequent(counts)
        right = np.where(top.any(axis=1), top.argmax(axis=1), -1)[verdicts.human_labels.codes]
    cluster, unit = by_question(verdicts)
    table = ChoiceRows(
        chosen=chosen,
        right=right,
        confidence=verdicts.confidence.as_numbers(),
        cluster=cluster,
        unit=unit,
    )
    unreadable = dict(share("unreadable", chosen < 0, table))
    done = of_choice_labels(table, choices.names)
    if done is None:
        return unreadable | repeated, None
    several = np.flatnonzero((counts.sum(axis=1) > 1)[verdicts.human_labels.codes])
    persons = counts[verdicts.human_labels.codes[several]]
    saying = (chosen[several, None] == np.arange(len(choices.names))).astype(np.float64)
    in_place = _in_a_place(saying, persons, cluster[several], unit[several])
    return done[0] | dict(in_place) | unreadable | repeated, done[1]
