"""Pictures on a page: each drawn into its markup, with words, numbers and specification."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree as ET

from markupsafe import Markup

from epc.protocol.results import Json
from epc.report import picture
from epc.report.charts.chart import Chart
from epc.site.escaping import as_markup
from epc.site.numbers import number

_WHERE: Final = ("width", "height")


def svg(chart: Chart) -> Markup:
    """Return a picture as markup."""
    root = ET.fromstring(picture.svg(chart.specification))  # noqa: S314  (our own drawing)
    size = Markup(' width="{}" height="{}"').format(*(root.get(key) for key in _WHERE))
    # A page has thousands of elements, so that they are written as strings, each value escaped.
    inner = Markup(picture.inner(root, f"{chart.name}-", _escaped))  # noqa: S704  (as said)
    return Markup(
        '<svg class="epc-picture" role="img" aria-label="{}" viewBox="{}"{}>{}</svg>'
    ).format(as_markup(chart.alternative), root.get("viewBox"), size, inner)


@lru_cache(1024)
def _escaped(text: str) -> str:
    return str(as_markup(text))


def script() -> str:
    """Return the script that makes drawings lively: Vega-Embed and what it needs, as one file."""
    # Its authors' licence asks for this notice, with the copyright lines of the npm packages.
    notice = Path(__file__).with_name("licence.txt").read_text("utf-8")
    return notice.format(renderer=picture.renderer()) + picture.bundle()


_MOST_ROWS: Final = 70  # in the page; all are in the file of its pictures

_FIGURE: Final = Markup(
    '<figure class="epc-figure" id="picture-{name}" data-search-exclude>'
    "<figcaption>{title}</figcaption>"
    '<div class="epc-drawn" data-picture="{name}">{drawn}</div>'
    '<p class="epc-reading">{note}</p>'
    "<details><summary>Its numbers</summary>"
    '<p>All of them, and how it is drawn (Vega-Lite): <a href="pictures.json">pictures.json</a>'
    "</p>{table}</details>"
    "</figure>"
)
_TABLE: Final = Markup(
    '<div class="epc-scroll" role="region" aria-label="Numbers of {title}" tabindex="0">'
    "<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
)


def hung(charts: Sequence[Chart]) -> Markup:
    """Return a page's pictures as one piece of markup, and the script that makes them lively."""
    if not charts:
        return Markup()
    figures = Markup().join(_figure(chart) for chart in charts)
    lively = Markup('<script src="../../assets/pictures.js" defer></script>')
    return Markup('<div class="epc-gallery">{}</div>{}').format(figures, lively)


def document(charts: Sequence[Chart]) -> Json:
    """Return the numbers of a page's pictures by column, and how each is drawn, by its name."""
    return {
        chart.name: {"numbers": _numbers(chart.rows), "specification": chart.specification}
        for chart in charts
    }


def _numbers(rows: list[dict[str, Any]]) -> Json:
    return {name: [row.get(name) for row in rows] for name in _columns(rows)}


def _figure(chart: Chart) -> Markup:
    return _FIGURE.format(
        name=chart.name,
        title=as_markup(chart.title),
        drawn=svg(chart),
        note=as_markup(chart.note),
        table=_table(chart) if len(chart.rows) <= _MOST_ROWS else Markup(),
    )


def _columns(rows: list[dict[str, Any]]) -> list[str]:
    """Return every key, in the order in which it first comes."""
    return list(dict.fromkeys(key for row in rows for key in row))


def _table(chart: Chart) -> Markup:
    columns = _columns(chart.rows)
    head = Markup().join(
        Markup('<th scope="col">{}</th>').format(as_markup(name)) for name in columns
    )
    cell = Markup("<td>{}</td>").format
    body = Markup().join(
        Markup("<tr>{}</tr>").format(
            Markup().join(cell(_cell_markup(row.get(key))) for key in columns)
        )
        for row in chart.rows
    )
    return _TABLE.format(title=as_markup(chart.title), head=head, body=body)


def _cell_markup(value: Any) -> Markup:
    if value is None:
        return Markup()
    return number(value) if isinstance(value, float) else as_markup(value)
