"""An evaluation's report as rows: one number a row, for spreadsheets and data frames."""

from collections.abc import Iterator
from typing import Final

from epc.analysis.judging.evaluation import Evaluation, Report
from epc.analysis.judging.results import Agreement, Ends, Group, ScoreAgreement, Section
from epc.analysis.judging.shares import AXES
from epc.printable import inert
from epc.records.csv_tables import csv_text
from epc.spec.judge_v1 import CROSS
from epc.statistics.figures import Figure

COLUMNS: Final = (
    "evaluation",
    "section",
    "axis",
    "value",
    "measure",
    "n",
    "estimate",
    "low",
    "high",
)
Place = tuple[str, str, str, str]  # evaluation, section, axis, value on it
Row = tuple[str, str, str, str, str, int | None, float | None, float | None, float | None]


def table(report: Report) -> str:
    """Return a report as CSV. Text that a spreadsheet would take for a formula is quoted off."""
    rows = ([inert(cell) for cell in row] for row in _rows(report))
    return csv_text([COLUMNS, *rows], "\n")


def accuracy_table(report: Report) -> str:
    """Return the PASS share of each variant as `strategy,accuracy`, as ECE and Brier take it."""
    rows = ((row.strategy, row.accuracy) for row in report.evaluations[-1].accuracy)
    return csv_text([("strategy", "accuracy"), *rows], "\n")


def _rows(report: Report) -> Iterator[Row]:
    for evaluation in report.evaluations:
        yield from _evaluation(evaluation)
    for row in report.drift:
        change = "drift" if row.is_drift else "names"
        section = change if row.method == CROSS else f"self_judging {change}"
        name = f"{row.before} to {row.after}"
        yield from _compared((name, section, "judge_model", row.judge), row.compared)


def _evaluation(evaluation: Evaluation) -> Iterator[Row]:
    yield from _section(evaluation.name, "primary", evaluation.primary)
    yield from _section(evaluation.name, "self_judging", evaluation.self_judging)
    for evidence in evaluation.evidence:
        key = (evaluation.name, "evidence", "judge_model", evidence.judge)
        for kind, share in evidence.kinds.items():
            yield _figure(key, kind, evidence.quotes, share)
    for preference in evaluation.self_preference:
        key = (evaluation.name, "self_preference", "judge_model", preference.judge)
        yield _figure(key, "self_preference", preference.own, preference)
    for tested in evaluation.competence:
        key = (evaluation.name, "competence", "judge_model", tested.judge)
        for detected in (tested.overall, *tested.kinds):
            yield _figure(key, detected.kind, detected.pairs, detected)
        for shift in tested.shifts:
            yield _figure(key, shift.by, shift.pairs, shift)
    yield from _agreement(evaluation.name, "agreement", evaluation.agreement)
    yield from _agreement(evaluation.name, "agreement over readable", evaluation.readable)


def _section(name: str, section: str, figures: Section) -> Iterator[Row]:
    yield from _group((name, section, "all", ""), figures.all)
    for axis in AXES:
        for group in figures.groups(axis):
            yield from _group((name, section, axis, group.value or ""), group)
    for row in figures.by_score:
        key = (name, section, "overall_score", str(row.overall_score))
        yield _figure(key, "invalid", row.readable, row.invalid)


def _agreement(name: str, section: str, agreement: Agreement) -> Iterator[Row]:
    for pair in agreement.pairs:
        yield from _compared(
            (name, section, "judge_model", " and ".join(pair.judges)), pair.compared
        )
    key = (name, section, "judge_model", "all")
    for measure, value in agreement.alpha.items():
        yield _row(key, f"alpha {measure}", None, value, agreement.alpha_ci95[measure])


def _group(key: Place, group: Group) -> Iterator[Row]:
    for verdict, share in group.verdicts.items():
        yield _figure(key, verdict, group.valid, share)
        bounds = group.bounds.verdicts[verdict]
        yield _row(key, f"{verdict}, bounds", group.samples, None, bounds)
    yield _figure(key, "invalid", group.samples, group.invalid)
    yield _figure(key, "overall_score", group.valid, group.overall_score)
    for name, scored in group.dimensions.items():
        yield _figure(key, name, group.valid, scored)


def _compared(key: Place, row: ScoreAgreement) -> Iterator[Row]:
    n = row.outputs
    yield _figure(key, "same_verdict", n, row.same_verdict)
    yield _figure(key, "same_overall", n, row.same_overall)
    yield _figure(key, "mean_absolute_error", n, row.mean_absolute_error)
    yield _figure(key, "mean_difference", n, row.mean_difference)
    for measure, kappa in row.kappa.items():
        yield _row(key, f"kappa {measure}", n, kappa, row.kappa_ci95[measure])


def _figure(key: Place, measure: str, n: int, figure: Figure) -> Row:
    return _row(key, measure, n, figure.value, figure.ci95)


def _row(
    key: Place, measure: str, n: int | None, estimate: float | None, interval: Ends | None
) -> Row:
    return (*key, measure, n, estimate, *(interval or (None, None)))
