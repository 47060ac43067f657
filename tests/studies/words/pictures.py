"""The pictures of the study.

Colours are of the Okabe-Ito set, and every series has a shape of its own besides.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from studies.words.candidates import ADOPTED, OLD
from studies.words.points import WAYS, way
from studies.words.results import Coverage, Words

from epc.protocol.results import Json
from epc.report.picture import SCHEMA
from epc.spec.coupling import LEVEL

_OUTER: Final = (0.93, 0.97)  # how far a nominal 95% interval may be off
_COLOURS: Final = ("#000000", "#E69F00", "#56B4E9", "#009E73", "#D55E00", "#CC79A7")
_SHAPES: Final = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
# The rules that are drawn; the others are in the table.
_DRAWN: Final = (ADOPTED, OLD, "redirected alone", "studentised", "Bradley-Terry", "seeds")


def words_figure(rows: Sequence[Words], evaluators: Iterable[str], title: str) -> Json:
    """Return the specification of a picture: how often each rule says coupled."""
    names = list(evaluators)
    shown = [row for row in rows if row.evaluator in names]
    values = [
        {"evaluator": row.evaluator, "run": row.way, "rule": rule, "rate": row.rate(rule)}
        for row in shown
        for rule in _DRAWN
    ]
    level = {
        "mark": {"type": "rule", "strokeDash": [5, 4], "color": "#777777"},
        "encoding": {"x": {"datum": LEVEL}},
    }
    return _figure(
        title,
        f"share of runs called coupled; dashed: {LEVEL:.0%}",
        description=_words_text(shown, title),
        values=values,
        layer=[_dots(50, names, "rule", _DRAWN), level],
        rows=len(names),
    )


def coverage_figure(rows: Sequence[Coverage]) -> Json:
    """Return the specification of the coverage of nominal 95% intervals."""
    names = list(dict.fromkeys(row.interval for row in rows))
    evaluators = list(dict.fromkeys(row.evaluator for row in rows))
    values = [
        {"evaluator": row.evaluator, "run": row.way, "interval": row.interval, "rate": row.rate}
        for row in rows
    ]
    nominal = {
        "mark": {"type": "rect", "color": "#E5E5E5"},
        "encoding": {"x": {"datum": _OUTER[0]}, "x2": {"datum": _OUTER[1]}},
    }
    return _figure(
        "How often a 95% interval covers the truth",
        "grey: 93 to 97%",
        description=_coverage_text(rows),
        values=values,
        layer=[nominal, _dots(60, evaluators, "interval", names, scale={"zero": False})],
        rows=len(evaluators),
    )


def _figure(
    title: str,
    subtitle: str,
    *,
    description: str,
    values: list[Json],
    layer: list[Json],
    rows: int,
) -> Json:
    """Return a picture with a panel for each way of asking, beside each other."""
    ways = [way(*each) for each in WAYS]
    return {
        "$schema": SCHEMA,
        "description": description,
        "title": {
            "text": title,
            "subtitle": subtitle,
            "anchor": "start",
            "subtitleColor": "#444444",
        },
        "background": "white",
        "data": {"values": values},
        "facet": {
            "column": {"field": "run", "type": "nominal", "sort": ways, "header": {"title": None}}
        },
        "spec": {"width": 170, "height": 16 * rows, "layer": layer},
        "config": {"view": {"stroke": "#BBBBBB"}, "font": "sans-serif"},
    }


def _dots(size: int, evaluators: list[str], series: str, names: Sequence[str], **x: Any) -> Json:
    """Return a dot a rate, a line an evaluator; series differ in colour and, for all, in shape."""
    domain = list(names)
    apart = {
        channel: {
            "field": series,
            "type": "nominal",
            "title": None,
            "scale": {"domain": domain, "range": list(values[: len(domain)])},
        }
        for channel, values in (("color", _COLOURS), ("shape", _SHAPES))
    }
    rate = {"field": "rate", "type": "quantitative", "title": "share of runs", **x}
    place = {
        "field": "evaluator",
        "type": "nominal",
        "title": None,
        "sort": evaluators,
        "axis": {"labelLimit": 240},
    }
    mark = {"type": "point", "filled": True, "size": size}
    return {"mark": mark, "encoding": {"x": rate, "y": place, **apart}}


def _words_text(rows: Sequence[Words], title: str) -> str:
    """Return the finding: the span of each rule's shares."""
    spans = []
    for rule in (OLD, ADOPTED):
        rates = [row.rate(rule) for row in rows] or [0.0]
        spans.append(f"{rule} in {min(rates):.0%} to {max(rates):.0%} of runs")
    return f"{title}: {'; '.join(spans)}."


def _coverage_text(rows: Sequence[Coverage]) -> str:
    spans = []
    for name in dict.fromkeys(row.interval for row in rows):
        for run in dict.fromkeys(row.way for row in rows if row.interval == name):
            rates = [row.rate for row in rows if (row.way, row.interval) == (run, name)]
            spans.append(f"{name}, {run}: {min(rates):.1%} to {max(rates):.1%}")
    return f"Coverage of nominal 95% intervals. {'; '.join(spans)}."
