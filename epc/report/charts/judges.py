"""Pictures of what judges gave, how often that was invalid, how far they agree, with intervals."""

from collections.abc import Iterator
from typing import Final

from epc.analysis.judging.evaluation import Evaluation
from epc.analysis.judging.results import Group, LabelReport
from epc.analysis.judging.trust import AGREEING
from epc.report.charts.chart import Chart, Figure, dots, interval_chart, rows_of
from epc.spec.judge_v1 import HIGHEST_OVERALL, OVERALL

_AXES: Final = {"judge_model": "judge", "target_model": "target", "prompt_variant": "variant"}
_MOST: Final = 12  # of an axis; the tables have them all
_LINE: Final = "Line: 95% interval, clustered by question."


def judging_charts(evaluation: Evaluation) -> Iterator[Chart]:
    """Yield the pictures of an evaluation, as far as it has figures for them."""
    groups = [
        (f"{axis_title} {group.value}", group)
        for axis, axis_title in _AXES.items()
        for group in evaluation.primary.groups(axis)[:_MOST]
    ]
    scores = list(_scores(groups))
    if scores:
        yield interval_chart(
            "scores",
            "Overall score of valid evaluations",
            f"Dot: the mean of 0 to {HIGHEST_OVERALL}. {_LINE}",
            scores,
            dots(rows_of(scores), "overall score", domain=[0, HIGHEST_OVERALL]),
        )
    if evaluation.primary.all.invalid.count:
        invalid = list(_invalid(groups))
        yield interval_chart(
            "invalid",
            "Invalid evaluations",
            f"Dot: the share of all evaluations. {_LINE}",
            invalid,
            dots(rows_of(invalid), "invalid, of 100", domain=[0, 100]),
        )
    if evaluation.labels is not None and (people := list(_with_people(evaluation.labels))):
        yield interval_chart(
            "people",
            "How often each gives people's verdict",
            f"Dot: the share of labelled outputs; two people beside each other likewise. {_LINE}",
            people,
            dots(rows_of(people), "same verdict, of 100", domain=[0, 100]),
        )
    kappas = list(_kappas(evaluation))
    if kappas:
        low = min(0.0, *(interval[0] for _, _, interval in kappas if interval), 0.0)
        yield interval_chart(
            "agreement",
            "How far judges agree on the overall score",
            f"Dot: weighted kappa over valid evaluations. {_LINE} Upright line: "
            f"{AGREEING:.2f}, below which scores support no conclusion.",
            kappas,
            dots(rows_of(kappas), "weighted kappa", [AGREEING], domain=[low, 1]),
        )


def _scores(groups: list[tuple[str, Group]]) -> Iterator[Figure]:
    for label, group in groups:
        if group.overall_score.value is not None:
            yield label, group.overall_score.value, group.overall_score.ci95


def _with_people(labels: LabelReport) -> Iterator[Figure]:
    """Yield how often each judge gives people's verdict, and how often two people give one."""
    judges = [(row.judge, row.same_verdict) for row in labels.judges]
    people = [(" and\n".join(pair.people), pair.same_verdict) for pair in labels.between_people]
    for name, share in (*judges, *people):
        if share.value is not None:
            ends = share.ci95
            interval = None if ends is None else (100 * ends[0], 100 * ends[1])
            yield name, 100 * share.value, interval


def _invalid(groups: list[tuple[str, Group]]) -> Iterator[Figure]:
    for label, group in groups:
        if group.invalid.value is not None:
            ends = group.invalid.ci95
            interval = None if ends is None else (100 * ends[0], 100 * ends[1])
            yield label, 100 * group.invalid.value, interval


def _kappas(evaluation: Evaluation) -> Iterator[Figure]:
    for pair in evaluation.agreement.pairs:
        kappa = pair.compared.kappa[OVERALL]
        if kappa is not None:
            yield "\nand ".join(pair.judges), kappa, pair.compared.kappa_ci95[OVERALL]
