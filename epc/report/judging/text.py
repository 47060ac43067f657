"""An evaluation's report in words and columns."""

from collections.abc import Iterator
from typing import Any, Final

from epc.analysis.judging.shares import AXES
from epc.errors import Finding
from epc.protocol.results import Json
from epc.spec.judge_v1 import DIMENSIONS, FLAGS, OVERALL, VERDICTS

_TITLES: Final = {
    "judge_model": "judge",
    "prompt_variant": "variant",
    "target_model": "target",
    "question_id": "question",
}
_LABEL: Final = 30
_COLUMN: Final = 24
_MOST_ROWS: Final = 20


def text(report: Json) -> str:
    """Return the printed form of a report."""
    parts = [line for one in report["evaluations"] for line in (*_evaluation(one), "")]
    parts += [*_drift(report["drift"]), *_refused(report["findings"])]
    return "\n".join(parts).rstrip()


def _evaluation(one: Json) -> Iterator[str]:
    time = one["time"]
    yield report_title(one)
    yield f"  judged     {time['from'] or 'unknown'} to {time['to'] or 'unknown'} ({one['origin']})"
    for judge in one["judges"]:
        served = ", ".join(judge["served_models"]) or "not reported"
        yield f"  judge      {judge['model']}: {judge['calls']} calls, served by {served}"
    for method, prompt in one["prompts"].items():
        yield f"  prompt     {prompt['id']} {prompt['sha256'][:12]} ({method})"
    if one["constraint"] is not None:
        yield f"  replies    held to {one['constraint']} by the provider"
    if one["mapping"] is not None:
        yield f"  rubric     mapped by {one['mapping']['id']} {one['mapping']['sha256'][:12]}"
    yield ""
    yield from _totals(one["totals"])
    for key, title in (
        ("primary", "Cross-judging: the primary statistics"),
        ("self_judging", "Self-judging: diagnostic only, in none of the figures above"),
    ):
        if one[key]["all"]["samples"]:
            yield from ("", title, *_section(one[key]))
    yield from _evidence(one["evidence"])
    yield from _agreement(one["agreement"])
    if one["remarks"]:
        yield ""
        yield from (f"- {remark}" for remark in one["remarks"])


def report_title(one: Json) -> str:
    """Return one line that says what an evaluation covers."""
    samples = sum(total["samples"] for total in one["totals"].values())
    return f"Judge-v1.0, {one['name']}: {samples:,} samples, {len(one['judges'])} judges"


def _totals(totals: Json) -> Iterator[str]:
    yield _row("totals", "samples", "valid", "invalid", "not judged", "surplus", width=12)
    for method, total in totals.items():
        keys = ("samples", "valid", "invalid", "not_judged", "surplus")
        yield _row(method, *(f"{total[key]:,}" for key in keys), width=12)
    for method, total in totals.items():
        for flag in (flag for flag in FLAGS if flag in total["flags"]):
            yield f"  {method}: {flag} {total['flags'][flag]:,}"


def _section(section: Json) -> Iterator[str]:
    yield _row("", *VERDICTS, "invalid", "overall (0-8)")
    yield _group("all", section["all"])
    for axis in AXES if section["all"]["valid"] else ():
        rows = section[axis]
        if len(rows) > 1:
            yield from (_group(f"{_TITLES[axis]} {r['value']}", r) for r in rows[:_MOST_ROWS])
            if len(rows) > _MOST_ROWS:
                yield f"  ... {len(rows) - _MOST_ROWS} more: --format json or csv has them all"
    if not section["all"]["valid"]:
        return
    yield ""
    yield _row("dimension", "mean (0-2)", "0", "1", "2")
    for name in DIMENSIONS:
        found = section["all"]["dimensions"][name]
        counts = (f"{count:,}" for count in found["counts"].values())
        yield _row(f"  {name}", _number(found), *counts)
    yield "  shares of valid evaluations; invalid: of all [95% interval]"


def _group(label: str, group: Json) -> str:
    verdicts = (_share(group["verdicts"][name]) for name in VERDICTS)
    return _row(f"  {label}", *verdicts, _share(group["invalid"]), _number(group["overall_score"]))


def _evidence(rows: list[Json]) -> Iterator[str]:
    yield ""
    yield _row("evidence", "quotes", "invented")
    for row in rows:
        yield _row(f"  {row['judge']}", f"{row['quotes']:,}", _share(row["invented"]))


def _agreement(found: Json) -> Iterator[str]:
    if not found["pairs"]:
        return
    yield ""
    yield _row("agreement", "outputs", "same verdict", "mean abs. error", "weighted kappa")
    for pair in found["pairs"]:
        yield f"  {pair['judges'][0]} and {pair['judges'][1]}"
        yield _compared("", pair)
    alphas = ", ".join(f"{name} {_plain(value)}" for name, value in found["alpha"].items())
    yield f"  Krippendorff's alpha, all judges: {alphas}"


def _compared(label: str, row: Json) -> str:
    return _row(
        label,
        f"{row['outputs']:,}",
        _share(row["same_verdict"]),
        _number(row["mean_absolute_error"]),
        _plain(row["kappa"][OVERALL]),
    )


def _drift(rows: list[Json]) -> Iterator[str]:
    if not rows:
        return
    yield _row("drift, same outputs", "outputs", "same verdict", "mean shift", "weighted kappa")
    for row in rows:
        yield f"  {row['judge']} ({row['method']}): {row['from']} to {row['to']}"
        if row["shared"]:
            left = f"{row['outputs']} compared" if row["outputs"] else "nothing to compare"
            yield f"  {row['shared']} judgments are one answer in both, left out: {left}"
        yield _row(
            "",
            f"{row['outputs']:,}",
            _share(row["same_verdict"]),
            _number(row["mean_difference"]),
            _plain(row["kappa"][OVERALL]),
        )


def _refused(findings: list[Json]) -> Iterator[str]:
    for finding in findings:
        yield from str(Finding(**finding)).split("\n")


def _share(found: Json) -> str:
    if found["share"] is None:
        return "-"
    return f"{100 * found['share']:.1f}%" + _interval(found["ci95"], 100, "%", 1)


def _number(found: Json) -> str:
    if found["mean"] is None:
        return "-"
    return f"{found['mean']:.2f}" + _interval(found["ci95"], 1, "", 2)


def _interval(ci: Any, scale: float, unit: str, digits: int) -> str:
    if ci is None:
        return ""
    low, high = (f"{scale * end:.{digits}f}{unit}" for end in ci)
    return f" [{low}, {high}]"


def _plain(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _row(label: str, *cells: str, width: int = _COLUMN) -> str:
    shown = "".join(cell.ljust(width) for cell in cells)
    return f"{label:<{_LABEL}} {shown}".rstrip()
