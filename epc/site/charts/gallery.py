"""Pictures on a page: each drawn into it, with its words, its numbers and its specification."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from markupsafe import Markup

from epc.records.strict_json import dumps_line
from epc.report.charts.chart import Chart
from epc.site.charts.drawing import svg
from epc.site.escaping import shown
from epc.site.numbers import csv_text, number

_MOST_ROWS: Final = 70  # in the page; all are in the CSV

_FIGURE: Final = Markup(
    '<figure class="epc-figure" id="picture-{name}" data-search-exclude>'
    "<figcaption>{title}</figcaption>"
    '<div class="epc-drawn" data-specification="pictures/{name}.vl.json">{drawn}</div>'
    '<p class="epc-reading">{note}</p>'
    "<details><summary>Its numbers</summary>"
    '<p><a href="pictures/{name}.csv" download>{name}.csv</a>, '
    '<a href="pictures/{name}.vl.json">how it is drawn</a> (Vega-Lite)</p>{table}</details>'
    "</figure>"
)
_TABLE: Final = Markup(
    '<div class="epc-scroll" role="region" aria-label="Numbers of {title}" tabindex="0">'
    "<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
)


def hung(charts: Sequence[Chart], put: Callable[[str, str], object]) -> Markup:
    """Return a page's pictures as one piece of markup, and the script that makes them lively.

    `put` takes the files that go with them, by their places beside the page.
    """
    if not charts:
        return Markup()
    figures = Markup().join(_figure(chart, put) for chart in charts)
    lively = Markup('<script src="../../assets/pictures.js" defer></script>')
    return Markup('<div class="epc-gallery">{}</div>{}').format(figures, lively)


def _figure(chart: Chart, put: Callable[[str, str], object]) -> Markup:
    put(f"pictures/{chart.name}.csv", csv_text(_columns(chart.rows), chart.rows))
    put(f"pictures/{chart.name}.vl.json", dumps_line(chart.specification))
    return _FIGURE.format(
        name=chart.name,
        title=shown(chart.title),
        drawn=svg(chart),
        note=shown(chart.note),
        table=_table(chart) if len(chart.rows) <= _MOST_ROWS else Markup(),
    )


def _columns(rows: list[dict[str, Any]]) -> list[str]:
    """Return every key, in the order in which it first comes."""
    return list(dict.fromkeys(key for row in rows for key in row))


def _table(chart: Chart) -> Markup:
    columns = _columns(chart.rows)
    head = Markup().join(Markup('<th scope="col">{}</th>').format(shown(name)) for name in columns)
    cell = Markup("<td>{}</td>").format
    body = Markup().join(
        Markup("<tr>{}</tr>").format(Markup().join(cell(_shown(row.get(key))) for key in columns))
        for row in chart.rows
    )
    return _TABLE.format(title=shown(chart.title), head=head, body=body)


def _shown(value: Any) -> Markup:
    if value is None:
        return Markup()
    return number(value) if isinstance(value, float) else shown(value)
