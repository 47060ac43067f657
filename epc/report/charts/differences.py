"""How two measurements differ: B minus A for every figure, with its interval."""

from collections.abc import Sequence

from epc.analysis.differences import Difference
from epc.report.charts.chart import (
    FIRST,
    MUTED,
    WIDTH,
    Chart,
    layer,
    listed,
    quantity,
    told,
)
from epc.report.comparison_text import label_of

_TITLE = "B minus A"
_ROW = 22  # pixels


def differences_chart(metrics: Sequence[Difference]) -> Chart | None:
    """Return the differences below each other; None where there is none to show."""
    if not metrics:
        return None
    rows = [
        {
            "figure": label_of(each),
            "value": each.difference,
            "low": each.ci95[0] if each.ci95 else None,
            "high": each.ci95[1] if each.ci95 else None,
        }
        for each in metrics
    ]
    spread = [row for row in rows if row["low"] is not None]
    place = listed("figure", [str(row["figure"]) for row in rows])
    facts = told(figure="figure", value=_TITLE, low="from", high="to")
    ends = {"x": quantity("low", _TITLE), "x2": {"field": "high"}, "y": place}
    dot = {"type": "point", "filled": True, "size": 60, "opacity": 1, "color": FIRST}
    layers = [
        layer([{"at": 0}], {"type": "rule", "color": MUTED}, x=quantity("at", _TITLE)),
        *([layer(spread, {"type": "rule", "size": 2.5, "color": FIRST}, **ends)] if spread else []),
        layer(rows, dot, x=quantity("value", _TITLE), y=place, tooltip=facts),
    ]
    apart = [label_of(d) for d in metrics if d.ci95 and not d.ci95[0] <= 0 <= d.ci95[1]]
    alternative = f"{len(rows)} figures of B minus those of A. Intervals without zero: "
    alternative += f"{', '.join(apart) or 'none'}."
    return Chart(
        name="differences",
        title="How the figures differ",
        note="Dot: B minus A; line: 95% interval. An interval that holds zero shows no difference.",
        alternative=alternative,
        content={"width": WIDTH, "height": _ROW * len(rows), "layer": layers},
        rows=rows,
    )
