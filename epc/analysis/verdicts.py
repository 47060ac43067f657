"""Figures of judges from verdicts that others recorded (Reading R77).

Each figure has a 95% interval clustered by item, and is left out where the data do not allow it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final

from msgspec import UNSET, UnsetType

from epc.analysis.verdicts_agreement import (
    Pair,
    between,
    comparable,
    constant_of_humans,
    of_human_scores,
    of_humans,
    side_by_side,
)
from epc.analysis.verdicts_contests import baseline_of
from epc.analysis.verdicts_figures import (
    Constant,
    constant_of_gold,
    of_confidence,
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
from epc.analysis.verdicts_judges import JudgeComparison, compared
from epc.analysis.verdicts_labelled import REPLACED, Labels, of_judge
from epc.analysis.verdicts_lists import with_pairs
from epc.analysis.verdicts_names import FIGURES, LABEL_FIGURES, family
from epc.analysis.verdicts_rows import (
    RULE,
    TIE,
    FileNames,
    Rows,
    by_question,
    file_names,
    fits,
    renamed,
    rows_of,
    same_settings,
)
from epc.analysis.verdicts_transfer import Transfer, transfer_of
from epc.arrays import Array, Codes, np
from epc.errors import UsageError
from epc.protocol.results import Json
from epc.records.earlier import Clusters
from epc.records.gold import AnswersGold
from epc.records.typed import as_json
from epc.records.verdicts.checking import asks
from epc.records.verdicts.columns import Verdicts
from epc.records.verdicts.converting import FAILS
from epc.records.verdicts.types import Choices, Header, Setting, Source
from epc.statistics.clusters import linearised_interval
from epc.statistics.figures import ClusteredFigure

JudgeRows = tuple[str, Setting, Rows]
# By how much more a judge favours an output than another judge, and the output's question.
Gaps = tuple["Array", "Codes"]


_CONSTANTS: Final = {"accuracy": constant_of_gold, "humans_majority": constant_of_humans}


def authors_of(setting: Setting, choices: Choices) -> list[str]:
    """Return the authors that a judge is: those of its name, and whom the user names."""
    judge = setting.judge
    names = {judge.name, judge.model}
    return sorted(names | {choices.same[name] for name in names if name in choices.same})


def of_own(
    judge: JudgeRows, judges: Sequence[JudgeRows], named: FileNames, choices: Choices
) -> Iterator[tuple[str, ClusteredFigure]]:
    """Yield by how much more than other judges a judge favours its own outputs than others'.

    Of verdicts in shares of wins, of scores in points. An output that another judge wrote is its
    own preference, and no yardstick.

    Source: Reading R24.
    """
    codes = _codes(judge[1], named, choices)
    if not codes:
        return
    for name, scores in (("self_preference", False), ("self_preference_score", True)):
        sides = [
            _sides(
                judge[2],
                other_judge[2],
                codes,
                _codes(other_judge[1], named, choices),
                scores=scores,
            )
            for other_judge in judges
            if comparable(judge[1], other_judge[1])
        ]
        compared = [(mine, theirs) for mine, theirs in sides if len(mine[0]) and len(theirs[0])]
        if compared:
            yield name, _difference(compared)


def _codes(setting: Setting, named: FileNames, choices: Choices) -> list[int]:
    authors = authors_of(setting, choices)
    return [code for code, author in enumerate(named.authors) if author in authors]


def _sides(
    rows: Rows,
    other_rows: Rows,
    own_codes: Sequence[int],
    others_own: Sequence[int],
    *,
    scores: bool,
) -> tuple[Gaps, Gaps]:
    """Return the gaps of one other judge: of the judge's own outputs, and of those of others.

    Of two candidates the output in question is the judge's own or, of others, the one that is not
    the baseline. Without a baseline what one of two gains the other loses, so others' gap is 0.
    """
    common, values, other_said = side_by_side(rows, other_rows, scores=scores)
    gap = values - other_said
    mine_a, mine_b = np.isin(common.a_by, own_codes), np.isin(common.b_by, own_codes)
    of_other = np.isin(common.a_by, others_own) | np.isin(common.b_by, others_own)
    if scores:
        attributed = (common.a_by >= 0) & ~of_other
        mine, theirs, worth = mine_a & attributed, ~mine_a & attributed, gap[:, 0]
    else:
        attributed = (common.a_by >= 0) & (common.b_by >= 0) & ~of_other
        mine, theirs = (mine_a != mine_b) & attributed, ~mine_a & ~mine_b & attributed
        baseline = baseline_of(rows[(rows.a_by >= 0) & (rows.b_by >= 0)])
        is_b = np.where(mine, mine_b, common.a_by == baseline)
        won = gap[:, 0] + gap[:, TIE] / 2
        worth = np.where(theirs & (baseline is None), 0.0, np.where(is_b, -won, won))
    return (worth[mine], common.question[mine]), (worth[theirs], common.question[theirs])


def _difference(compared: Sequence[tuple[Gaps, Gaps]]) -> ClusteredFigure:
    """Return the mean over other judges of both means' difference, clustered by question."""
    value, off, clusters = 0.0, [], []
    for sides in compared:
        for sign, (gaps, questions) in zip((1, -1), sides, strict=True):
            middle = float(gaps.mean())
            value += sign * middle / len(compared)
            off.append(sign * (gaps - middle) / len(gaps) / len(compared))
            clusters.append(questions)
    questions = np.concatenate(clusters)
    return ClusteredFigure(
        value=value,
        ci95=linearised_interval(value, np.concatenate(off), questions),
        n=sum(len(mine[0]) for mine, _ in compared),
        items=len(np.unique(questions)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Questions that one judge was asked in one way, under whatever names, and their figures.

    `constants` has, by figure, what always giving the same answer would reach. `labels` is what an
    audit says of the labels beside its figures.
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
    return _measured(header, verdicts, _asked(header, verdicts, patterns, clusters), choices, gold)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What the judges of a file were asked: each verdict once, by group of settings."""

    once: Verdicts
    chosen: Sequence[Sequence[str]]
    parts: Sequence[Codes | slice]
    askings: Sequence[JudgeRows]


def _asked(
    header: Header, verdicts: Verdicts, patterns: Sequence[str], clusters: Clusters
) -> _Asked:
    once = _once(verdicts)
    chosen = _chosen(header.settings, verdicts, patterns)
    return _Asked(
        once=once,
        chosen=chosen,
        parts=_split(chosen, once),
        askings=_judge_rows(chosen, header.settings, with_pairs(once), clusters),
    )


def _measured(
    header: Header,
    verdicts: Verdicts,
    asked: _Asked,
    choices: Choices,
    gold: AnswersGold | None,
) -> Report:
    once, chosen, askings = asked.once, asked.chosen, asked.askings
    ways = [
        (name, setting, part_of(rows, once[mask]))
        for (name, setting, rows), mask in zip(askings, asked.parts, strict=True)
    ]
    of_file = file_names(verdicts, gold)
    return Report(
        rule=RULE,
        source=header.source,
        verdicts=len(verdicts),
        items=len(verdicts.item.names),
        duplicates=len(verdicts) - len(once),
        items_under_two_names=renamed(verdicts),
        left_out=header.left_out,
        groups=[
            _group(group, way, askings, of_file, choices)
            for group, way in zip(chosen, ways, strict=True)
        ],
        pairs=between(askings),
        panels=[*panels(ways)],
        effects=[*effects(ways)],
        identity=header.identity,
        choices=choices,
        alone=verdicts.b_sha256.names == [FAILS],
    )


def audit_of(
    header: Header,
    verdicts: Verdicts,
    patterns: Sequence[str] = (),
    choices: Choices = Choices(),  # noqa: B008  (a value that nobody can change)
    *,
    gold: AnswersGold | None = None,
) -> Report:
    """Return what `measure` does, with the figures by which people first ask for a judge.

    Raises: UsageError if the choices name what the file does not have.
    """
    asked = _asked(header, verdicts, patterns, by_question)
    report = _measured(header, verdicts, asked, choices, gold)
    once, askings = asked.once, asked.askings
    of_file = file_names(verdicts)
    pairs = with_pairs(once)  # the verdicts that `askings` have as numbers
    parts = asked.parts if pairs is once else _split(asked.chosen, pairs)
    groups = []
    for group, (_, _, rows), mask in zip(report.groups, askings, parts, strict=True):
        figures, labels = of_judge(
            rows, pairs[mask], of_file.questions, passing=report.alone, scale=header.scale
        )
        kept = group.figures
        if labels is not None:
            kept = {name: figure for name, figure in kept.items() if family(name) not in REPLACED}
        together = in_order({**kept, **figures}, {**LABEL_FIGURES, **FIGURES})
        missing = {kind: why for kind, why in group.left_out.items() if kind not in REPLACED}
        groups.append(
            replace(
                group,
                figures=together,
                left_out=missing if labels else group.left_out,
                labels=labels or UNSET,
            )
        )
    order = [*header.settings].index  # as the file has them
    side_by_side = sorted(askings, key=lambda asking: order(asking[0]))
    judges = compared(side_by_side, of_file.authors, passing=report.alone, scale=header.scale)
    groups.sort(key=lambda group: order(group.settings[0]))
    single = report.alone or not (verdicts.b_sha256.codes >= 0).any()
    return replace(report, groups=groups, judges=judges or UNSET, single=single)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """A figure of a judge that was to be shown to reach a number; `figure` is None without one."""

    judge: str
    name: str
    least: float
    figure: ClusteredFigure | None

    @property
    def shown(self) -> bool:
        """Whether the lower end of the interval reaches it."""
        ends = self.figure.ci95 if self.figure else None
        return ends is not None and ends[0] >= self.least


def gates(report: Report, wanted: Mapping[str, float]) -> list[Gate]:
    """Return for each judge whether its figures are shown to reach what is wanted.

    Raises: UsageError if there is no such figure.
    """
    for name in wanted:
        if family(name) not in {*FIGURES, *LABEL_FIGURES}:
            known = ", ".join(LABEL_FIGURES)
            raise UsageError(f"--gate {name}: no such figure\n  fix: one of {known}")
    return [
        Gate(judge=group.settings[0], name=name, least=least, figure=group.figures.get(name))
        for group in report.groups
        for name, least in wanted.items()
    ]


def document(report: Report) -> Json:
    """Return the JSON of an audit: what labels say of a judge stands beside its figures."""
    groups = [as_json(group) for group in report.groups]
    for group in groups:
        group.update(group.pop("labels", {}))
    content: Json = as_json(report) | {"groups": groups}
    judges = content.pop("judges", {})
    content.pop("single", None)
    kept = ("pairs", "board", "reversed", "error_correlation", "independent_judges", "panel")
    return content | {name: judges.get(name) for name in kept}


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


def _group(
    names: Sequence[str],
    way: Way,
    judges: Sequence[JudgeRows],
    of_file: FileNames,
    choices: Choices,
) -> Group:
    name, setting, part = way
    rows, asked_counts = part.rows, setting.asked or {}
    equal, contradicted, repeated = repeats(rows)
    figures = dict(of_own((name, setting, rows), judges, of_file, choices))
    for figures_by in (of_places, of_humans, of_human_scores, of_scores, of_confidence):
        figures |= dict(figures_by(rows))
    figures |= of_part(part, sum(asked_counts.values())) | repeated
    transfer = transfer_of(rows, of_file, choices)
    families = {family(name) for name in figures}
    return Group(
        settings=names,
        setting=setting,
        verdicts=len(part.verdicts),
        items=part.questions,
        equal_answers=equal,
        equal_answers_other_verdict=contradicted,
        figures=in_order(figures),
        by_subset=by_subset(part, of_file.subsets, asked_counts),
        constants={
            name: constant_by(rows) for name, constant_by in _CONSTANTS.items() if name in figures
        },
        left_out={
            **{name: row.missing for name, row in FIGURES.items() if name not in families},
            **({"transfer": transfer} if isinstance(transfer, str) else {}),
        },
        transfer=None if isinstance(transfer, str) else transfer,
        own_authors=[
            author for author in authors_of(setting, choices) if author in of_file.authors
        ],
    )
