"""Pictures of what crosses between domains: choices redirected and what that costs; as matrices."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

from epc.audit.coupling import Into
from epc.audit.facts import Word
from epc.printable import begun
from epc.protocol.results import Json
from epc.report.charts.chart import (
    BAND,
    INK,
    MUTED,
    WIDTH,
    Chart,
    colours,
    layer,
    listed,
    quantity,
    tooltip_fields,
)
from epc.report.coupling_text import MATRICES, MEANING, NOT_QUALITY, cell, headline
from epc.spec.coupling import MARGIN
from epc.spec.domains import Direction, Pair, pair_title

if TYPE_CHECKING:
    from epc.statistics.intervals import Interval

_DOMAIN, _TASKS = "for the domain", "for these tasks"
_SCOPES: Final = [_DOMAIN, _TASKS]
_SHAPES: Final = ["diamond", "circle"]
_CHOICES, _POINTS = "choices redirected, of 100", "regret, points of win rate"
_TALL: Final = 50  # pixels a direction, for two intervals


def transfer_chart(crossing: Mapping[Direction, Into], *, word: Word, rule: int) -> Chart | None:
    """Return redirected choices and regret by direction; None where too little was decided."""
    if not crossing:
        return None
    rows = [row for direction, into in crossing.items() for row in _rows(direction, into)]
    headlines = "; ".join(headline(direction, into) for direction, into in crossing.items())
    alternative = f"{begun(headlines)}. The audit's word: {word}, by rule "
    alternative += f"{rule}: {MEANING[word]}; {NOT_QUALITY}."
    redirected = [row for row in rows if row["figure"] == "redirected"]
    regret = [row for row in rows if row["figure"] == "regret"]
    titles = list(map(pair_title, crossing))
    chance = [
        {"direction": pair_title(direction), "chance": 100 * into.chance, "none": 0}
        for direction, into in crossing.items()
    ]
    return Chart(
        name="transfer",
        title="What training in one domain first does in the other",
        note="Diamond: for the domain; circle: for these tasks; each with its 95% interval. Grey: "
        "what chance alone redirects. Dashed line: a regret of 2 points, the margin of the word.",
        alternative=alternative,
        content={
            "vconcat": [
                _panel(redirected, _CHOICES, titles, [_by_chance(chance, titles)]),
                _panel(regret, _POINTS, titles, _lines()),
            ],
            "spacing": 12,
        },
        rows=rows,
    )


def _rows(direction: Direction, into: Into) -> Iterator[Json]:
    for name in ("redirected", "regret"):
        for scope, part in ((_DOMAIN, into), (_TASKS, into.these_tasks)):
            interval: Interval | None = getattr(part, f"{name}_ci95")
            low, high = interval or (None, None)
            yield {
                "direction": pair_title(direction),
                "figure": name,
                "of": scope,
                "value": 100 * getattr(part, name),
                "low": None if low is None else 100 * low,
                "high": None if high is None else 100 * high,
                "chance": 100 * into.chance if name == "redirected" else None,
            }


def _panel(rows: list[Json], title: str, titles: list[str], behind: list[Json]) -> Json:
    """Return one figure's panel: both directions below each other, both intervals in each."""
    y = listed("direction", titles)
    offset = {"field": "of", "type": "nominal", "sort": _SCOPES}
    colour = {"field": "of", "type": "nominal", "scale": colours(_SCOPES)}
    shape = {"field": "of", "type": "nominal", "scale": {"domain": _SCOPES, "range": _SHAPES}}
    facts = tooltip_fields(direction="direction", of="of", value=title, low="from", high="to")
    spread = [row for row in rows if row["low"] is not None]
    rule = {"type": "rule", "size": 2.5}
    dot = {"type": "point", "filled": True, "size": 80, "opacity": 1}
    start = quantity("low", title)
    ends = {"y": y, "yOffset": offset, "color": colour}
    drawn = layer(rows, dot, **ends, x=quantity("value", title), shape=shape, tooltip=facts)
    spans = [layer(spread, rule, **ends, x=start, x2={"field": "high"})] if spread else []
    return {
        "width": WIDTH - 40,
        "height": _TALL * len(titles),
        "layer": [*behind, *spans, drawn],
    }


def _by_chance(rows: list[Json], titles: list[str]) -> Json:
    bar = {"type": "bar", "color": BAND, "height": 40}
    y = listed("direction", titles)
    return layer(rows, bar, y=y, x=quantity("none", _CHOICES, zero=True), x2={"field": "chance"})


def _lines() -> list[Json]:
    """Return the lines of no regret and of the margin."""
    zero = layer([{"at": 0}], {"type": "rule", "color": MUTED}, x=quantity("at", _POINTS))
    dashed = {"type": "rule", "color": INK, "strokeDash": [4, 3]}
    return [zero, layer([{"at": 100 * MARGIN}], dashed, x=quantity("at", _POINTS))]


_STEP: Final = 52  # pixels a domain, for a value and its interval
_SCALE: Final = {"redirected": "blues", "regret": "redblue"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cell:
    """A figure of one ordered pair, as a number and as it is written."""

    first: str
    then: str
    figure: str
    value: float
    said: str
    interval: str


def matrix_chart(crossing: Mapping[Direction, Into]) -> Chart | None:
    """Return what crosses from each domain to each other; None of two, which need no matrix."""
    pairs = [Pair.parse(direction) for direction in crossing]
    names = sorted({pair.source for pair in pairs})
    if len(names) < 3:  # noqa: PLR2004  (what makes a matrix of pairs)
        return None
    cells = [
        cell for direction, into in crossing.items() for cell in _matrix_cells(direction, into)
    ]
    alternative = " ".join(_matrix_words(cells, figure) for figure in MATRICES)
    return Chart(
        name="matrix",
        title="From each domain to each other",
        note="Rows: the domain that was trained in first. Columns: where the agent then chooses. "
        "In brackets the 95% intervals for the domains, which are joint for all pairs.",
        alternative=alternative,
        content={
            "vconcat": [_matrix_panel(cells, figure, names) for figure in MATRICES],
            "spacing": 12,
            "resolve": {"scale": {"color": "independent"}},
        },
        rows=list(map(asdict, cells)),
    )


def _matrix_cells(direction: Direction, into: Into) -> Iterator[_Cell]:
    pair = Pair.parse(direction)
    for figure in MATRICES:
        text, *interval = cell(into, figure)
        yield _Cell(
            first=pair.source,
            then=pair.target,
            figure=figure,
            value=100 * getattr(into, figure),
            said=text,
            interval=" ".join(interval),
        )


def _matrix_panel(cells: list[_Cell], figure: str, names: list[str]) -> Json:
    of_figure = [cell for cell in cells if cell.figure == figure]
    rows = list(map(asdict, of_figure))
    largest = max(1.0, *(abs(cell.value) for cell in of_figure))
    ends = [0, largest] if figure == "redirected" else [largest, -largest]
    axis = {"labelAngle": 0, "labelLimit": 0}
    position = {
        "x": {"field": "then", "type": "nominal", "sort": names, "title": "then", "axis": axis},
        "y": {"field": "first", "type": "nominal", "sort": names, "title": "first", "axis": axis},
    }
    scale = {"scheme": _SCALE[figure], "domain": ends}
    colour = {"field": "value", "type": "quantitative", "scale": scale, "legend": None}
    facts = tooltip_fields(first="first", then="then", value=MATRICES[figure], interval="interval")
    written = {"type": "text", "fontSize": 10, "color": INK}

    def text(field: str, dy: int) -> Json:
        return layer(rows, written | {"dy": dy}, **position, text={"field": field})

    return {
        "title": {"text": MATRICES[figure], "fontSize": 11, "anchor": "start"},
        "width": max(WIDTH - 60, _STEP * len(names)),
        "height": {"step": _STEP - 12},
        "layer": [
            layer(rows, {"type": "rect", "opacity": 0.45}, **position, color=colour, tooltip=facts),
            text("said", -6),
            text("interval", 7),
        ],
    }


def _matrix_words(cells: list[_Cell], figure: str) -> str:
    text = "; ".join(
        f"{cell.first} to {cell.then} {cell.said} {cell.interval}".rstrip()
        for cell in cells
        if cell.figure == figure
    )
    return f"{MATRICES[figure].capitalize()}: {text}."
