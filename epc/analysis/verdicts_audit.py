"""Audit of a file of verdicts: its figures, and those by which people first ask for a judge.

Source: Reading R101.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from math import inf
from typing import Any, Final

from msgspec import UNSET

from epc.analysis.verdicts import FileAskings, Report, askings_of, measured, measured_by
from epc.analysis.verdicts_figures import computed_with
from epc.analysis.verdicts_groups import in_order
from epc.analysis.verdicts_judges import compared
from epc.analysis.verdicts_labelled import REPLACED, Figures, Labels, as_choices, of_judge
from epc.analysis.verdicts_names import FIGURES, LABEL_FIGURES, family
from epc.analysis.verdicts_rows import FileNames, file_names
from epc.analysis.verdicts_transfer import NO_AUTHORS, NO_SUBSETS
from epc.arrays import np
from epc.errors import UsageError
from epc.printable import shortened
from epc.protocol.results import Json
from epc.records.earlier import Clusters
from epc.records.gold import AnswersGold
from epc.records.typed import as_json
from epc.records.verdicts.columns import Verdicts
from epc.records.verdicts.scales import common_scale
from epc.records.verdicts.types import UNKNOWN, Choices, Header, Scale, Setting
from epc.statistics.figures import ClusteredFigure
from epc.statistics.observed import Intervals

_EXAMPLES: Final = 5
_TIES: Final = "ties"
_TRANSFER: Final = "transfer"
_WITHIN_A_POINT: Final = ("score_repeat_within_1", "human_score_within_1")
_OF_JUDGES: Final = (
    *("pairs", "board", "reversed", "error_correlation", "independent_judges", "panel"),
)


def audit_of(
    header: Header,
    verdicts: Verdicts,
    patterns: Sequence[str] = (),
    choices: Choices = Choices(),  # noqa: B008  (a value that nobody can change)
    *,
    gold: AnswersGold | None = None,
    drawn_by: Container[str] = (),
) -> Report:
    """Return what `measure` does, with the figures by which people first ask for a judge.

    `drawn_by` has the judges by whose verdicts the labelled rows were drawn, as far as that is
    known.

    Raises: UsageError if the choices name what the file does not have.
    """
    file_askings = askings_of(header, verdicts, patterns)
    report = measured(header, verdicts, file_askings, choices, gold)
    pairs, judges = file_askings.pairs, file_askings.judges
    of_file = file_names(verdicts)
    _require_effect(choices, report, of_file)
    scale = _scale_of(header, verdicts)
    chooses = bool((verdicts.label.codes >= 0).any())
    parts = [pairs[mask] for mask in file_askings.parts(pairs)]
    by_labels = _by_labels(report, file_askings, of_file.questions, scale, drawn_by)
    groups = []
    for group, (figures, labels) in zip(report.groups, by_labels, strict=True):
        of_verdicts = {**group.figures}
        if labels is not None:
            of_verdicts = {n: f for n, f in of_verdicts.items() if family(n) not in REPLACED}
        if chooses:  # among labels there is no tie
            of_verdicts.pop(_TIES, None)
        of_group = _of_settings(verdicts, group.settings)
        if _span(verdicts, of_group) <= 1:  # of grades from 0 to 1 all are within a point
            of_verdicts = {n: f for n, f in of_verdicts.items() if n not in _WITHIN_A_POINT}
        together = in_order({**of_verdicts, **figures}, {**LABEL_FIGURES, **FIGURES})
        missing = {kind: why for kind, why in group.left_out.items() if kind not in REPLACED}
        groups.append(
            replace(
                group,
                setting=_dated(group.setting, verdicts, of_group),
                figures=together,
                left_out=missing if labels else group.left_out,
                labels=labels or UNSET,
            )
        )
    if chooses and len(judges) > 1:
        judges = [
            (name, setting, as_choices(rows, part))
            for (name, setting, rows), part in zip(judges, parts, strict=True)
        ]
    order = [*header.settings].index  # as the file has them
    in_file_order = sorted(judges, key=lambda judge_rows: order(judge_rows[0]))
    comparison = compared(in_file_order, of_file.authors, passing=report.alone, scale=scale)
    groups.sort(key=lambda group: order(group.settings[0]))
    single = report.alone or not (verdicts.b_sha256.codes >= 0).any()
    return replace(report, groups=groups, judges=comparison or UNSET, single=single)


def measure_with_labels(
    intervals: Sequence[Intervals],
    header: Header,
    verdicts: Verdicts,
    choices: Choices,
    clusters: Clusters,
) -> list[Report]:
    """Return what `measure_by` does, with the figures by labels beside the others.

    A published record has both: the others can be compared with those of older records.

    Raises: UsageError if the choices name what the file does not have.
    """
    file_askings = askings_of(header, verdicts, (), clusters)
    questions, scale = file_names(verdicts).questions, _scale_of(header, verdicts)
    order = {**LABEL_FIGURES, **FIGURES}
    reports = []
    measured_reports = measured_by(intervals, header, verdicts, file_askings, choices, gold=None)
    for kind, report in zip(intervals, measured_reports, strict=True):
        with computed_with(kind):
            by_labels = _by_labels(report, file_askings, questions, scale)
        groups = [
            replace(group, labels=labels, label_figures=in_order(figures, order))
            if labels
            else group
            for group, (figures, labels) in zip(report.groups, by_labels, strict=True)
        ]
        reports.append(replace(report, groups=groups))
    return reports


def _scale_of(header: Header, verdicts: Verdicts) -> Scale | None:
    return header.scale or common_scale(verdicts.a_score.names, verdicts.human_score.names)


def _by_labels(
    report: Report,
    file_askings: FileAskings,
    questions: Sequence[str],
    scale: Scale | None,
    drawn_by: Container[str] = (),
) -> list[tuple[Figures, Labels | None]]:
    """Return the figures by labels of each group, and what stands beside them."""
    pairs = file_askings.pairs
    parts = [pairs[mask] for mask in file_askings.parts(pairs)]
    return [
        of_judge(
            rows,
            part,
            questions,
            passing=report.alone,
            scale=scale,
            drawn_by_verdict=group.settings[0] in drawn_by,
        )
        for group, (_, _, rows), part in zip(report.groups, file_askings.judges, parts, strict=True)
    ]


def _require_effect(choices: Choices, report: Report, of_file: FileNames) -> None:
    """Refuse choices that act on nothing of a report.

    Raises: UsageError with what to do.
    """
    judges = {
        name
        for group in report.groups
        for name in (group.setting.judge.name, group.setting.judge.model)
    }
    for judge, author in choices.same.items():
        for kind, name, names in (("judge", judge, judges), ("author", author, {*of_file.authors})):
            if name not in names:
                contents = shortened(sorted(names - {UNKNOWN}), _EXAMPLES) or f"no {kind}"
                problem = f"--same {judge}={author}: no {kind} is called {name!r}"
                raise UsageError(f"{problem}\n  fix: the file has {contents}")
    for domain in choices.domains:
        name, _, parts = domain.partition("=")
        for pattern in (parts or name).split("+"):
            if of_file.subsets and not any(fnmatchcase(s, pattern) for s in of_file.subsets):
                contents = shortened(of_file.subsets, _EXAMPLES)
                problem = f"--domains: no subset is {pattern}"
                raise UsageError(f"{problem}\n  fix: the file has {contents}")
    chosen = {"--baseline": choices.baseline, "--domains": ",".join(choices.domains)}
    for option, value in chosen.items():
        whys = {group.left_out.get(_TRANSFER) for group in report.groups}
        if value and whys <= {NO_AUTHORS, NO_SUBSETS}:
            needs = "--map a_by=COLUMN" if NO_AUTHORS in whys else "--map subset=COLUMN"
            problem = f"{option} {value}: {next(filter(None, whys))}"
            raise UsageError(f"{problem}\n  fix: {needs}, or leave it out")


def _of_settings(verdicts: Verdicts, settings: Sequence[str]) -> Any:
    """Return which rows are of some settings."""
    codes = [code for code, name in enumerate(verdicts.setting.names) if name in settings]
    return np.isin(verdicts.setting.codes, codes)


def _span(verdicts: Verdicts, rows: Any) -> float:
    """Return how far apart the scores of some rows are."""
    scores = verdicts.a_score.as_numbers()[rows]
    finite = scores[np.isfinite(scores)]
    return float(np.ptp(finite)) if finite.size else inf


def _dated(setting: Setting, verdicts: Verdicts, rows: Any) -> Setting:
    """Return a setting with the days of its rows, where it states none itself."""
    codes = {*verdicts.date.codes[rows].tolist()}
    days = sorted(verdicts.date.names[code] for code in codes if code >= 0)
    if setting.date != UNKNOWN or not days:
        return setting
    return replace(setting, date=" to ".join(dict.fromkeys((days[0], days[-1]))))


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
            names = ", ".join(LABEL_FIGURES)
            raise UsageError(f"--gate {name}: no such figure\n  fix: one of {names}")
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
    content: Json = as_json(replace(report, groups=[])) | {"groups": groups}
    judges = content.pop("judges", {})
    content.pop("single", None)
    return content | {name: judges.get(name) for name in _OF_JUDGES}
