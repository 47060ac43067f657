"""How two measurements differ: B minus A for every figure, with its interval."""

from collections.abc import Sequence

from epc.analysis.differences import Difference
from epc.report.charts.chart import Chart
from epc.report.charts.intervals import dots, rows_of
from epc.report.comparison_text import label_of

_TITLE = "B minus A"


def differences_chart(metrics: Sequence[Difference]) -> Chart | None:
    """Return the differences below each other; None where there is none to show."""
    if not metrics:
        return None
    rows = rows_of((label_of(each), each.difference, each.ci95) for each in metrics)
    apart = [label_of(d) for d in metrics if d.ci95 and not d.ci95[0] <= 0 <= d.ci95[1]]
    alternative = f"{len(rows)} figures of B minus those of A. Intervals without zero: "
    alternative += f"{', '.join(apart) or 'none'}."
    return Chart(
        name="differences",
        title="How the figures differ",
        note="Dot: B minus A; line: 95% interval. An interval that holds zero shows no difference.",
        alternative=alternative,
        content=dots(rows, _TITLE, [0]),
        rows=rows,
    )
