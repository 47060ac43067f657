"""What crosses between three or more domains: a matrix of redirected choices, and one of regret."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Final

from epc.audit.coupling import Into
from epc.protocol.results import Json
from epc.report.charts.chart import INK, WIDTH, Chart, layer, told
from epc.report.coupling_text import MATRICES, cell
from epc.spec.domains import Direction, Pair

_STEP: Final = 52  # pixels a domain, for a value and its interval
_SCALE: Final = {"redirected": "blues", "regret": "redblue"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cell:
    """One figure of one ordered pair, as a number and as it is written."""

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
    cells = [cell for direction, into in crossing.items() for cell in _cells(direction, into)]
    alternative = " ".join(_words(cells, figure) for figure in MATRICES)
    return Chart(
        name="matrix",
        title="From each domain to each other",
        note="Rows: the domain that was trained in first. Columns: where the agent then chooses. "
        "In brackets the 95% intervals for the domains, which are joint for all pairs.",
        alternative=alternative,
        content={
            "vconcat": [_panel(cells, figure, names) for figure in MATRICES],
            "spacing": 12,
            "resolve": {"scale": {"color": "independent"}},
        },
        rows=list(map(asdict, cells)),
    )


def _cells(direction: Direction, into: Into) -> Iterator[_Cell]:
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


def _panel(cells: list[_Cell], figure: str, names: list[str]) -> Json:
    of_figure = [cell for cell in cells if cell.figure == figure]
    rows = list(map(asdict, of_figure))
    most = max(1.0, *(abs(cell.value) for cell in of_figure))
    ends = [0, most] if figure == "redirected" else [most, -most]
    axis = {"labelAngle": 0, "labelLimit": 0}
    position = {
        "x": {"field": "then", "type": "nominal", "sort": names, "title": "then", "axis": axis},
        "y": {"field": "first", "type": "nominal", "sort": names, "title": "first", "axis": axis},
    }
    scale = {"scheme": _SCALE[figure], "domain": ends}
    colour = {"field": "value", "type": "quantitative", "scale": scale, "legend": None}
    facts = told(first="first", then="then", value=MATRICES[figure], interval="interval")
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


def _words(cells: list[_Cell], figure: str) -> str:
    text = "; ".join(
        f"{cell.first} to {cell.then} {cell.said} {cell.interval}".rstrip()
        for cell in cells
        if cell.figure == figure
    )
    return f"{MATRICES[figure].capitalize()}: {text}."
