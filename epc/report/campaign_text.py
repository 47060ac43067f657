"""A campaign's runs side by side, as text: a row a run, then where the evaluators agree."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from epc.analysis.campaign import Agreement, CampaignComparison, Row
from epc.report.coupling_text import MATRICES
from epc.spec.domains import Direction, pair_title
from epc.statistics.figures import figure_text
from epc.statistics.intervals import Interval

_BESIDE: Final = 2  # directions beside each other
_GAP: Final = "  "
Cell = Callable[[Row], str]


def report(comparison: CampaignComparison) -> str:
    """Return the comparison of a campaign's runs as it is printed."""
    return "\n".join(_lines(comparison))


def _lines(comparison: CampaignComparison) -> Iterator[str]:
    runs = list(dict.fromkeys(row.run for row in comparison.rows))
    yield f"{len(runs)} complete run{'s' * (len(runs) != 1)} of campaign {comparison.id}"
    if comparison.rows:
        yield from ("", *_table(_words(comparison.rows)))
        for figure, (cell, more) in _CROSSING.items():
            title = f"{MATRICES[figure]} [95%, for the domain]{more}"
            yield from _by_direction(title, cell, comparison.rows)
        yield from _by_direction(
            "gamma (noise floor, 95% of seeds), by EPC-5.2", _gamma, comparison.rows
        )
    for executor in dict.fromkeys(agreement.executor for agreement in comparison.agreements):
        of_executor = [
            agreement for agreement in comparison.agreements if agreement.executor == executor
        ]
        of = f"the same answers of {executor}" if executor else "the same pairs"
        yield from ("", f"verdicts alike on {of}, of 100 [95%, for the domain] (by chance)")
        yield from _table([_agreed(agreement) for agreement in of_executor])
    for name in comparison.incomplete:
        yield f"NOT COMPLETE: {name}"
    for name in comparison.swapped:
        yield f"SWAPPED: another evaluator answered within {name}: measure it again"


def _words(rows: Sequence[Row]) -> list[tuple[str, ...]]:
    head = ("", "seeds", "answers", "comparisons", "ties", "p", "word")
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


def _by_direction(title: str, cell: Cell, rows: Sequence[Row]) -> Iterator[str]:
    """Yield a table of one figure: a row a run, a column a direction."""
    yield from ("", title)
    tables = []
    groups: dict[tuple[Direction, ...], list[str]] = {}
    for run in dict.fromkeys(row.run for row in rows):
        own = tuple(row.direction for row in rows if row.run == run)
        groups.setdefault(own, []).append(run)
    for directions, runs in groups.items():
        cells = {(row.run, row.direction): cell(row) for row in rows}
        for at in range(0, len(directions), _BESIDE):
            beside = directions[at : at + _BESIDE]
            table = [("", *map(pair_title, beside))]
            table += [(run, *(cells[run, direction] for direction in beside)) for run in runs]
            tables.append("\n".join(_table(table)))
    yield "\n\n".join(tables)


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


def _table(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield f"  {_GAP.join(cells)}".rstrip()


_CROSSING: Final[dict[str, tuple[Cell, str]]] = {
    "regret": (lambda row: _figure(row.regret, row.regret_ci95, "+.1c"), ""),
    "redirected": (_redirected, " (by chance)"),
}
