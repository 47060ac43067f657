"""Parts of every picture (a specification, numbers, words), and figures with intervals as one.

Colours are of the Okabe-Ito set. They stand in the drawing as they are named here, and the site's
style sheet gives each its shade for a dark page, so that one drawing serves both.
"""

from collections.abc import Iterable, Sequence
from itertools import cycle, islice
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from epc.protocol.results import Json
from epc.report.picture import SCHEMA_6

if TYPE_CHECKING:
    from epc.analysis.differences import Difference

FIRST, SECOND, THIRD, FOURTH = "#0072b2", "#d55e00", "#009e73", "#cc79a7"
_COLOURS: Final = (FIRST, SECOND, THIRD, FOURTH, "#e69f00", "#56b4e9")
INK, MUTED, GRID, BAND = "#000000", "#555555", "#dddddd", "#d9d9d9"
WIDTH: Final = 250  # pixels: with its axis, a picture fits a phone without being scaled down
_LETTERS: Final = 11  # pixels


class Chart(Struct, frozen=True, kw_only=True):
    """A picture: `name` is unique on its page, `note` says how to read it.

    `alternative` states what the picture shows to whoever cannot see it, `rows` are its numbers.
    """

    name: str
    title: str
    note: str
    alternative: str
    content: Json
    rows: list[Json]

    @property
    def specification(self) -> Json:
        """The whole specification around what the picture consists of."""
        axis = {
            "labelFontSize": _LETTERS,
            "titleFontSize": _LETTERS,
            "titleFontWeight": "normal",
            "gridColor": GRID,
            "labelColor": INK,
            "titleColor": INK,
            "domainColor": MUTED,
            "tickColor": MUTED,
        }
        legend = {
            "orient": "top",
            "direction": "horizontal",
            "title": None,
            "labelFontSize": _LETTERS,
            "labelColor": INK,
            "labelLimit": 0,
            "columnPadding": 16,
            "symbolOpacity": 1,
        }
        header = {"labelFontSize": _LETTERS, "labelColor": INK, "labelLimit": 0, "title": None}
        config = {
            "view": {"stroke": None},
            "font": "sans-serif",
            "axis": axis,
            "legend": legend,
            "header": header,
        }
        return {
            "$schema": SCHEMA_6,
            "description": self.alternative,
            "background": "transparent",
            # A reader's letters may be wider than those that the drawing was laid out with.
            "padding": {"left": 16, "right": 12, "top": 5, "bottom": 5},
            **self.content,
            "config": config,
        }


def colours(names: list[str]) -> Json:
    """Return the scale that gives names their colours, six at most before they come again."""
    return {"domain": names, "range": [*islice(cycle(_COLOURS), len(names))]}


def layer(rows: list[Json], mark: Json, **encoding: Any) -> Json:
    """Return one layer of a picture over rows of its own."""
    return {"data": {"values": rows}, "mark": mark, "encoding": encoding}


def quantity(field: str, title: str | None = None, **scale: Any) -> Json:
    """Return the encoding of a number along an axis."""
    return {"field": field, "type": "quantitative", "title": title, "scale": scale}


def listed(field: str, order: list[str], **axis: Any) -> Json:
    """Return the encoding of names below each other, in an order of their own."""
    settings = {"title": None, "labelLimit": 0, **axis}
    return {"field": field, "type": "nominal", "sort": order, "axis": settings}


def tooltip_fields(**fields: str) -> list[Json]:
    """Return the values to show when a reader hovers over a mark: field and title."""
    return [{"field": field, "title": title} for field, title in fields.items()]


_FIGURES: Final = {
    "gamma": "gamma",
    "jsd": "JSD, nats",
    "tie_rate": "tie rate",
    "pci": "PCI",
    "zero_coupling_rate": "zero-coupling rate",
}
_ROW: Final = 22  # pixels
_LONGEST: Final = 240  # pixels of a name that somebody else chose
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


def dots(rows: list[Json], title: str, guides: Sequence[float] = (), **scale: Any) -> Json:
    """Return the content of a picture of rows; there are lines to read them by at the `guides`."""
    spread = [row for row in rows if row["low"] is not None]
    names = [str(row["figure"]) for row in rows]
    lines = "split(datum.label, '\\n')"
    y = listed("figure", names, labelLimit=_LONGEST, labelExpr=lines)
    tall = _ROW * (1 + max(name.count("\n") for name in names))
    facts = tooltip_fields(figure="figure", value=title, low="from", high="to")
    ends = {"x": quantity("low", title, **scale), "x2": {"field": "high"}, "y": y}
    dot = {"type": "point", "filled": True, "size": 60, "opacity": 1, "color": FIRST}
    marks = {"type": "rule", "color": MUTED}
    layers = [
        layer([{"at": line} for line in guides], marks, x=quantity("at", title, **scale)),
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


def differences_chart(metrics: "Sequence[Difference]") -> Chart | None:
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


def label_of(difference: "Difference") -> str:
    """Return what a figure is called, and of which part it is."""
    part = f", {difference.part.replace('_', ' ')}" if difference.part else ""
    return _FIGURES[difference.metric] + part
