"""A campaign's runs side by side, as text: a row a run, then where the evaluators agree."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from epc.analysis.campaign import Agreement, CampaignComparison, Row
from epc.report.coupling_text import MATRICES
from epc.report.document import Facts, Part, Section, Table, printed
from epc.report.quality_text import quality_line
from epc.spec.coupling import UNKNOWN_QUALITY
from epc.spec.domains import Direction, pair_title
from epc.statistics.figures import figure_text
from epc.statistics.intervals import Interval

Cell = Callable[[Row], str]


def report(comparison: CampaignComparison) -> str:
    """Return the comparison of a campaign's runs as it is printed."""
    return printed(_parts(comparison))


def _parts(comparison: CampaignComparison) -> Iterator[Part]:
    runs = {row.run for row in comparison.rows}
    title = f"{len(runs)} complete run{'s' * (len(runs) != 1)} of campaign {comparison.id}"
    yield Section(title, [Table(title, _run_rows(comparison.rows))] if runs else [])
    if comparison.rows:
        for figure, (cell, note) in _CROSSING.items():
            yield _by_direction(
                f"{MATRICES[figure]} [95%, for the domain]{note}", cell, comparison.rows
            )
        title = "gamma (noise floor, 95% of seeds), by EPC-5.2"
        yield _by_direction(title, _gamma, comparison.rows)
    executors = dict.fromkeys(agreement.executor for agreement in comparison.agreements)
    for executor in executors:
        subject = f"the same answers of {executor}" if executor else "the same pairs"
        title = f"verdicts alike on {subject}, of 100 [95%, for the domain] (by chance)"
        rows = [_agreed(a) for a in comparison.agreements if a.executor == executor]
        yield Section(title, [Table(title, rows)])
    if any(row.quality.measured for row in comparison.rows):
        qualities = {row.run: quality_line(row.quality) for row in comparison.rows}
        yield Section("quality", [Facts([*qualities.items()])])
    for name in comparison.incomplete:
        yield f"NOT COMPLETE: {name}"


def _run_rows(rows: Sequence[Row]) -> list[tuple[str, ...]]:
    quality = "" if any(row.quality.measured for row in rows) else f" ({UNKNOWN_QUALITY})"
    head = ("", "seeds", "answers", "comparisons", "ties", "p", f"word{quality}")
    first = {row.run: row for row in reversed(rows)}
    return [
        head,
        *(
            (
                row.run,
                str(row.seeds),
                str(row.executor_answers),
                str(row.comparisons),
                "none" if row.tie_rate is None else f"{100 * row.tie_rate:.1f}%",
                "none" if row.p_value is None else f"{row.p_value:.2g}",
                row.word,
            )
            for row in reversed(first.values())
        ),
    ]


def _by_direction(title: str, cell: Cell, rows: Sequence[Row]) -> Section:
    """Return one figure: a row a run, a column a direction; a table for runs of like domains."""
    runs: dict[str, dict[Direction, str]] = {}
    for row in rows:
        runs.setdefault(row.run, {})[row.direction] = cell(row)
    tables = [
        Table(
            title,
            [
                ("", *map(pair_title, directions)),
                *((run, *cells.values()) for run, cells in runs.items() if (*cells,) == directions),
            ],
        )
        for directions in dict.fromkeys((*cells,) for cells in runs.values())
    ]
    return Section(title, tables)


def _redirected(row: Row) -> str:
    chance = "" if row.chance is None else f" ({100 * row.chance:.0f})"
    return _figure(row.redirected, row.redirected_ci95, ".0c") + chance


def _figure(value: float | None, interval: Interval | None, form: str) -> str:
    return "too little was decided" if value is None else figure_text(value, interval, form)


def _gamma(row: Row) -> str:
    low, high = row.floor_ci95
    return f"{row.gamma:.3f} ({row.floor:.3f}, {low:.2f} to {high:.2f}) {row.epc_5_2}"


def _agreed(agreement: Agreement) -> tuple[str, ...]:
    counted = f"{agreement.decided} that both decided, of {agreement.shared}"
    if agreement.same is None or agreement.chance is None:
        return agreement.left, agreement.right, "none", counted
    share = _figure(agreement.same, agreement.same_ci95, ".0c")
    return agreement.left, agreement.right, f"{share} ({100 * agreement.chance:.0f})", counted


_CROSSING: Final[dict[str, tuple[Cell, str]]] = {
    "regret": (lambda row: _figure(row.regret, row.regret_ci95, "+.1c"), ""),
    "redirected": (_redirected, " (by chance)"),
}
