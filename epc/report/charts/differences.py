"""Intervals as a chart, and how two measurements differ: B minus A for every figure."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from epc.analysis.differences import Difference
from epc.protocol.results import Json
from epc.report.charts.chart import FIRST, MUTED, WIDTH, Chart, layer, listed, quantity, told

_FIGURES: Final = {
    "gamma": "gamma",
    "jsd": "JSD, nats",
    "tie_rate": "tie rate",
    "pci": "PCI",
    "zero_coupling_rate": "zero-coupling rate",
}
_ROW: Final = 22  # pixels
_LONGEST: Final = 190  # pixels of a name that somebody else chose
Figure = tuple[str, float, tuple[float, float] | None]


def rows_of(figures: Iterable[Figure]) -> list[Json]:
    """Return figures as a picture's rows."""
    return [
        {
            "figure": label,
            "value": value,
            "low": interval[0] if interval else None,
            "high": interval[1] if interval else None,
        }
        for label, value, interval in figures
    ]


def dots(rows: list[Json], title: str, at: Sequence[float] = (), **scale: Any) -> Json:
    """Return the content of a picture of rows; there are lines to read them by where `at` says."""
    spread = [row for row in rows if row["low"] is not None]
    names = [str(row["figure"]) for row in rows]
    lines = "split(datum.label, '\\n')"
    y = listed("figure", names, labelLimit=_LONGEST, labelExpr=lines)
    tall = _ROW * (1 + max(name.count("\n") for name in names))
    facts = told(figure="figure", value=title, low="from", high="to")
    ends = {"x": quantity("low", title, **scale), "x2": {"field": "high"}, "y": y}
    dot = {"type": "point", "filled": True, "size": 60, "opacity": 1, "color": FIRST}
    marks = {"type": "rule", "color": MUTED}
    layers = [
        layer([{"at": line} for line in at], marks, x=quantity("at", title, **scale)),
        *([layer(spread, {"type": "rule", "size": 2.5, "color": FIRST}, **ends)] if spread else []),
        layer(rows, dot, x=quantity("value", title, **scale), y=y, tooltip=facts),
    ]
    return {"width": WIDTH, "height": tall * len(rows), "layer": layers}


def interval_chart(
    name: str, title: str, note: str, figures: Sequence[Figure], content: Json
) -> Chart:
    """Return a chart of figures with their intervals, which `dots` has laid out."""
    text = "; ".join(
        f"{' '.join(label.split())} {value:.2f}"
        + (f" [{ends[0]:.2f}, {ends[1]:.2f}]" if ends else "")
        for label, value, ends in figures
    )
    return Chart(
        name=name,
        title=title,
        note=note,
        alternative=f"{title}: {text}.",
        content=content,
        rows=rows_of(figures),
    )


_TITLE = "B minus A"


def differences_chart(metrics: Sequence[Difference]) -> Chart | None:
    """Return the differences below each other; None where there is none to show."""
    if not metrics:
        return None
    rows = rows_of((label_of(metric), metric.difference, metric.ci95) for metric in metrics)
    apart = [label_of(d) for d in metrics if d.ci95 and not d.ci95[0] <= 0 <= d.ci95[1]]
    alternative = f"{len(rows)} figures of B minus those of A. Intervals without zero: "
    alternative += f"{', '.join(apart) or 'none'}."
    return Chart(
        name="differences",
        title="How the figures differ",
        note="Dot: B minus A; line: 95% interval. One that contains zero shows no difference.",
        alternative=alternative,
        content=dots(rows, _TITLE, [0]),
        rows=rows,
    )


def label_of(difference: Difference) -> str:
    """Return what a figure is called, and of which part it is."""
    part = f", {difference.part.replace('_', ' ')}" if difference.part else ""
    return _FIGURES[difference.metric] + part
