"""What every picture of the site has: a specification, its numbers, words for its finding.

Colours are of the Okabe-Ito set. They stand in the drawing as they are named here, and the site's
style sheet gives each its shade for a dark page, so that one drawing serves both.
"""

from itertools import cycle
from typing import Any, Final

from msgspec import Struct

from epc.protocol.results import Json
from epc.report.picture import SCHEMA_6

FIRST, SECOND, THIRD, FOURTH = "#0072b2", "#d55e00", "#009e73", "#cc79a7"
_COLOURS: Final = (FIRST, SECOND, THIRD, FOURTH, "#e69f00", "#56b4e9")
INK, MUTED, GRID, BAND = "#000000", "#555555", "#dddddd", "#d9d9d9"
WIDTH: Final = 250  # pixels: with its axis, a picture fits a phone without being scaled down
_LETTERS: Final = 11  # pixels


class Chart(Struct, frozen=True, kw_only=True):
    """One picture: `name` is unique on its page, `note` says how to read it.

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


def colours(domain: list[str], shown: list[str] | None = None) -> Json:
    """Return the scale that gives names their colours, six at most before they come again.

    Where only some are `shown`, each keeps the colour that it has among all.
    """
    colour_of = dict(zip(domain, cycle(_COLOURS), strict=False))
    names = [name for name in domain if shown is None or name in shown]
    return {"domain": names, "range": [colour_of[name] for name in names]}


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


def told(**fields: str) -> list[Json]:
    """Return the values to show when a reader hovers over a mark: field and title."""
    return [{"field": field, "title": title} for field, title in fields.items()]
