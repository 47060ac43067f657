"""Figures of judges from verdicts that others recorded (Reading R77).

Each figure has a 95% interval clustered by item, and is left out where the data do not allow it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final, TypeVar

from msgspec import UNSET, UnsetType

from epc.analysis.verdicts_agreement import (
    Pair,
    between,
    constant_of_humans,
    of_human_scores,
    of_humans,
)
from epc.analysis.verdicts_figures import (
    Constant,
    computed_with,
    constant_of_gold,
    of_confidence,
    of_kind,
    of_places,
    of_scores,
    repeats,
)
from epc.analysis.verdicts_groups import (
    Way,
    WayComparison,
    by_subset,
    effects,
    in_order,
    of_part,
    panels,
    part_of,
)
from epc.analysis.verdicts_judges import JudgeComparison
from epc.analysis.verdicts_labelled import Labels
from epc.analysis.verdicts_lists import with_pairs
from epc.analysis.verdicts_names import FIGURES, family
from epc.analysis.verdicts_rows import (
    RULE,
    FileNames,
    JudgeRows,
    Rows,
    by_question,
    file_names,
    fits,
    renamed,
    rows_of,
    same_settings,
)
from epc.analysis.verdicts_self_preference import authors_of, of_own
from epc.analysis.verdicts_transfer import Transfer, transfer_of
from epc.arrays import Codes, np
from epc.errors import UsageError
from epc.records.earlier import Clusters
from epc.records.gold import AnswersGold
from epc.records.verdicts.checking import asks
from epc.records.verdicts.columns import Verdicts
from epc.records.verdicts.converting import FAILS
from epc.records.verdicts.types import Choices, Header, Setting, Source
from epc.statistics.figures import ClusteredFigure
from epc.statistics.observed import TODAY, Intervals

_CONSTANTS: Final = {"accuracy": constant_of_gold, "humans_majority": constant_of_humans}
Compared = TypeVar("Compared", Pair, WayComparison)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Questions that one judge was asked in one way, under whatever names, and their figures.

    `constants` has, by figure, what always giving the same answer would reach. `labels` is what an
    audit says of the labels beside its figures. `label_figures` are those that an audit puts in the
    place of others, and that a published record has beside them.
    """

    settings: Sequence[str]
    setting: Setting
    verdicts: int
    items: int
    equal_answers: int
    equal_answers_other_verdict: int
    figures: Mapping[str, ClusteredFigure]
    left_out: Mapping[str, str]
    transfer: Transfer | None
    own_authors: Sequence[str]
    by_subset: Mapping[str, Mapping[str, ClusteredFigure]] = field(default_factory=dict)
    constants: Mapping[str, Constant] = field(default_factory=dict)
    labels: Labels | UnsetType = UNSET
    label_figures: Mapping[str, ClusteredFigure] | UnsetType = UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All figures of a verdict file, and what was found in it that is no evidence.

    `panels` are judges side by side, all and every two, each in the way in which it was asked about
    most questions. `effects` are differences between two ways of asking one judge, the second less
    the first. `rule` says how figures are clustered and weighed. `alone`: each verdict says pass or
    fail of one answer. `judges` is what an audit says of several judges of the same rows, and
    `single` that no verdict compares two answers.
    """

    rule: int
    source: Source
    verdicts: int
    items: int
    duplicates: int
    items_under_two_names: int
    left_out: Mapping[str, int]
    groups: Sequence[Group]
    pairs: Sequence[Pair]
    choices: Choices
    panels: Sequence[WayComparison] = field(default_factory=tuple)
    effects: Sequence[WayComparison] = field(default_factory=tuple)
    identity: str = "text"
    alone: bool = False
    judges: JudgeComparison | UnsetType = UNSET
    single: bool | UnsetType = UNSET


def measure(
    header: Header,
    verdicts: Verdicts,
    patterns: Sequence[str] = (),
    choices: Choices = Choices(),  # noqa: B008  (a value that nobody can change)
    *,
    clusters: Clusters = by_question,
    gold: AnswersGold | None = None,
) -> Report:
    """Return every figure that a verdict file allows, for the settings that fit a pattern.

    `gold` has labels of the authors' answers, for the quality of the work (Reading R91).

    A group is what one judge was asked with one prompt, by its digest, and one decoding: names
    that ask the same are one group. A verdict that appears twice counts once.

    Raises: UsageError if the choices name what the file does not have.
    """
    file_askings = askings_of(header, verdicts, patterns, clusters)
    return measured(header, verdicts, file_askings, choices, gold)


def measure_by(
    intervals: Sequence[Intervals],
    header: Header,
    verdicts: Verdicts,
    choices: Choices,
    clusters: Clusters,
) -> list[Report]:
    """Return the report of a verdict file by each way to compute intervals; else as `measure`."""
    file_askings = askings_of(header, verdicts, (), clusters)
    return measured_by(intervals, header, verdicts, file_askings, choices, gold=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileAskings:
    """Askings of a file's judges: each verdict once, by group of settings.

    `pairs` has those of lists as verdicts on pairs, which is what `judges` hold as numbers.
    """

    once: Verdicts
    pairs: Verdicts
    chosen: Sequence[Sequence[str]]
    judges: Sequence[JudgeRows]

    def parts(self, verdicts: Verdicts) -> list[Codes | slice]:
        """Return where the verdicts of each group are, in `once` or in `pairs`."""
        return _split(self.chosen, verdicts)


def askings_of(
    header: Header, verdicts: Verdicts, patterns: Sequence[str], clusters: Clusters = by_question
) -> FileAskings:
    """Return what the judges of a file were asked.

    Raises: UsageError if no setting fits a pattern.
    """
    once = _once(verdicts)
    pairs = with_pairs(once)
    chosen = _chosen(header.settings, verdicts, patterns)
    judges = _judge_rows(chosen, header.settings, pairs, clusters)
    return FileAskings(once=once, pairs=pairs, chosen=chosen, judges=judges)


def measured(
    header: Header,
    verdicts: Verdicts,
    file_askings: FileAskings,
    choices: Choices,
    gold: AnswersGold | None,
) -> Report:
    """Return every figure of judges whose askings are known; else as `measure`."""
    return measured_by([TODAY], header, verdicts, file_askings, choices, gold=gold)[0]


def measured_by(
    intervals: Sequence[Intervals],
    header: Header,
    verdicts: Verdicts,
    file_askings: FileAskings,
    choices: Choices,
    *,
    gold: AnswersGold | None,
) -> list[Report]:
    """Return a report by each way to compute intervals; what has none is worked out once."""
    once, chosen, askings = file_askings.once, file_askings.chosen, file_askings.judges
    ways = [
        (name, setting, part_of(rows, once[mask]))
        for (name, setting, rows), mask in zip(askings, file_askings.parts(once), strict=True)
    ]
    of_file = file_names(verdicts, gold)
    groups = [
        _groups_by(intervals, group, way, askings, of_file=of_file, choices=choices)
        for group, way in zip(chosen, ways, strict=True)
    ]
    of_all = Report(
        rule=RULE,
        source=header.source,
        verdicts=len(verdicts),
        items=len(verdicts.item.names),
        duplicates=len(verdicts) - len(once),
        items_under_two_names=renamed(verdicts),
        left_out=header.left_out,
        groups=(),
        pairs=(),
        identity=header.identity,
        choices=choices,
        alone=verdicts.b_sha256.names == [FAILS],
    )
    with computed_with(*intervals):
        pairs, changes, sides = between(askings), [*effects(ways)], [*panels(ways)]
    return [
        replace(
            of_all,
            groups=[by_kind[index] for by_kind in groups],
            pairs=_of_kind(pairs, index),
            panels=sides,
            effects=_of_kind(changes, index),
        )
        for index in range(len(intervals))
    ]


def _of_kind(compared: Sequence[Compared], index: int) -> list[Compared]:
    """Return comparisons with the figures of one kind of intervals."""
    return [
        replace(comparison, figures=of_kind(comparison.figures, index)) for comparison in compared
    ]


def agreement_in_source(
    settings: Mapping[str, Setting], verdicts: Verdicts, choices: Choices
) -> tuple[list[Pair], dict[str, Mapping[str, ClusteredFigure]]]:
    """Return how the judges of one source agree, and by setting how far each favours itself.

    Source: Readings R24 and R77.
    """
    chosen = _chosen(settings, verdicts)
    askings = _judge_rows(chosen, settings, with_pairs(_once(verdicts)))
    of_file = file_names(verdicts)
    preferences = {
        judge_rows[0]: dict(of_own(judge_rows, askings, of_file, choices)) for judge_rows in askings
    }
    return between(askings), {name: figures for name, figures in preferences.items() if figures}


def with_others(
    report: Report, settings: Mapping[str, Setting], verdicts: Verdicts, choices: Choices
) -> Report:
    """Return one judge's report with what all verdicts of its source say of it beside others.

    For a source whose verdicts nobody may pass on: published ones are held side by side later.

    Source: Readings R24 and R77.
    """
    pairs, preferences = agreement_in_source(settings, verdicts, choices)
    groups = []
    for group in report.groups:
        name = group.settings[0]
        figures = {**group.figures, **preferences.get(name, {})}
        for pair in pairs:
            if name in pair.settings:
                (other_name,) = {*pair.settings} - {name}
                # Parts of a figure's name are parted by a slash.
                called = settings[other_name].judge.called.rpartition("/")[2]
                for kind, prefix in (("agreement", "judges"), ("kappa", "judges_kappa")):
                    if kind in pair.figures:
                        figures[f"{prefix}/{called}"] = pair.figures[kind]
        families = {family(figure) for figure in figures}
        missing = {kind: why for kind, why in group.left_out.items() if kind not in families}
        groups.append(replace(group, figures=in_order(figures), left_out=missing))
    return replace(report, groups=groups)


def _once(verdicts: Verdicts) -> Verdicts:
    """Return each asking once."""
    _, once = np.unique(asks(verdicts), return_index=True)
    return verdicts[once]


def _chosen(
    settings: Mapping[str, Setting], verdicts: Verdicts, patterns: Sequence[str] = ()
) -> list[list[str]]:
    """Return the groups of settings that fit a pattern.

    Raises: UsageError if there are patterns, and none fits.
    """
    names = verdicts.setting.names
    members = [[name for name in group if name in names] for group in same_settings(settings)]
    chosen = [group for group in members if group and fits(group, patterns)]
    if patterns and not chosen:
        listed = ", ".join(group[0] for group in members if group)
        raise UsageError(f"no setting is called {' or '.join(patterns)}\n  fix: one of {listed}")
    return chosen


def _split(chosen: Sequence[Sequence[str]], verdicts: Verdicts) -> list[Codes | slice]:
    """Return where the verdicts of each group of settings are: slices, which copy nothing."""
    group_of = {name: index for index, group in enumerate(chosen) for name in group}
    names = verdicts.setting.names
    places = np.array([*(group_of.get(name, -1) for name in names), -1])[verdicts.setting.codes]
    if (np.diff(places) >= 0).all():
        edges = np.searchsorted(places, np.arange(len(chosen) + 1))
        return [slice(start, end) for start, end in pairwise(edges.tolist())]
    ranked = np.argsort(places, kind="stable")
    edges = np.searchsorted(places[ranked], np.arange(len(chosen) + 1))
    return [ranked[start:end] for start, end in pairwise(edges.tolist())]


def _judge_rows(
    chosen: Sequence[Sequence[str]],
    settings: Mapping[str, Setting],
    verdicts: Verdicts,
    clusters: Clusters = by_question,
) -> list[JudgeRows]:
    """Return what was asked in each group of settings, as numbers that mean the same in all."""
    rows = rows_of(verdicts, clusters)
    parts = zip(chosen, _split(chosen, verdicts), strict=True)
    return [(group[0], settings[group[0]], rows[mask]) for group, mask in parts]


def _groups_by(
    intervals: Sequence[Intervals],
    names: Sequence[str],
    way: Way,
    judges: Sequence[JudgeRows],
    *,
    of_file: FileNames,
    choices: Choices,
) -> list[Group]:
    """Return a group by each way to compute intervals; what has none is worked out once."""
    name, setting, part = way
    asked_counts = setting.asked or {}
    subsets = part.subsets(of_file.subsets)
    transfer = transfer_of(part.rows, of_file, choices)
    own_authors = [author for author in authors_of(setting, choices) if author in of_file.authors]
    figures = dict(of_own((name, setting, part.rows), judges, of_file, choices))
    with computed_with(*intervals):
        equal, contradicted, repeated = repeats(part.rows)
        for figures_by in (of_places, of_humans, of_human_scores, of_scores, of_confidence):
            figures |= dict(figures_by(part.rows))
        figures |= of_part(part, sum(asked_counts.values())) | repeated
        figures_by_subset = by_subset(subsets, asked_counts)
    without = {"transfer": transfer} if isinstance(transfer, str) else {}
    group = Group(
        settings=names,
        setting=setting,
        verdicts=len(part.verdicts),
        items=part.questions,
        equal_answers=equal,
        equal_answers_other_verdict=contradicted,
        figures=in_order(figures),
        by_subset=figures_by_subset,
        left_out=without,
        transfer=None if isinstance(transfer, str) else transfer,
        own_authors=own_authors,
    )
    return [_group_of_kind(group, part.rows, index) for index in range(len(intervals))]


def _group_of_kind(group: Group, rows: Rows, index: int) -> Group:
    """Return a group with the figures of one kind of intervals, and what it has none of."""
    figures = of_kind(group.figures, index)
    families = {family(name) for name in figures}
    missing = {name: row.missing for name, row in FIGURES.items() if name not in families}
    return replace(
        group,
        figures=figures,
        by_subset={name: of_kind(subset, index) for name, subset in group.by_subset.items()},
        constants={
            name: constant_by(rows) for name, constant_by in _CONSTANTS.items() if name in figures
        },
        left_out=missing | dict(group.left_out),
    )
