"""An evaluation's report as rows: one number a row, for spreadsheets and data frames."""

import csv
import io
from collections.abc import Iterator
from typing import Any, Final

from epc.analysis.judging.shares import AXES
from epc.protocol.results import Json
from epc.spec.judge_v1 import CROSS, DIMENSIONS, VERDICTS

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
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
Place = tuple[str, str, str, str]  # evaluation, section, axis, value on it
Row = tuple[str, str, str, str, str, int | None, float | None, float | None, float | None]


def table(report: Json) -> str:
    """Return a report as CSV. Text that a spreadsheet would take for a formula is quoted off."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([_safe(cell) for cell in row] for row in _rows(report))
    return file.getvalue()


def accuracy_table(report: Json) -> str:
    """Return the PASS share of each variant as `strategy,accuracy`, as ECE and Brier take it."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(("strategy", "accuracy"))
    for row in report["evaluations"][-1]["accuracy"]:
        writer.writerow((row["strategy"], row["accuracy"]))
    return file.getvalue()


def _rows(report: Json) -> Iterator[Row]:
    for one in report["evaluations"]:
        name = one["name"]
        for section in ("primary", "self_judging"):
            yield from _group((name, section, "all", ""), one[section]["all"])
            for axis in AXES:
                for group in one[section][axis]:
                    yield from _group((name, section, axis, group["value"]), group)
        for row in one["evidence"]:
            place = (name, "evidence", "judge_model", row["judge"])
            yield _row(place, "invented", row["quotes"], row["invented"])
        for pair in one["agreement"]["pairs"]:
            place = (name, "agreement", "judge_model", " and ".join(pair["judges"]))
            yield from _compared(place, pair)
        for measure, value in one["agreement"]["alpha"].items():
            place = (name, "agreement", "judge_model", "all")
            yield (*place, f"alpha {measure}", None, value, None, None)
    for row in report["drift"]:
        section = "drift" if row["method"] == CROSS else "self_judging drift"
        place = (f"{row['from']} to {row['to']}", section, "judge_model", row["judge"])
        yield from _compared(place, row)


def _group(place: Place, group: Json) -> Iterator[Row]:
    for verdict in VERDICTS:
        yield _row(place, verdict, group["valid"], group["verdicts"][verdict])
    yield _row(place, "invalid", group["samples"], group["invalid"])
    yield _row(place, "overall_score", group["valid"], group["overall_score"])
    for name in DIMENSIONS:
        yield _row(place, name, group["valid"], group["dimensions"][name])


def _compared(place: Place, row: Json) -> Iterator[Row]:
    n = row["outputs"]
    for measure in ("same_verdict", "same_overall", "mean_absolute_error", "mean_difference"):
        yield _row(place, measure, n, row[measure])
    for measure, kappa in row["kappa"].items():
        yield (*place, f"kappa {measure}", n, kappa, None, None)


def _row(place: Place, measure: str, n: int, found: Json) -> Row:
    low, high = found["ci95"] or (None, None)
    estimate = found["share"] if "share" in found else found["mean"]
    return (*place, measure, n, estimate, low, high)


def _safe(cell: Any) -> Any:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
