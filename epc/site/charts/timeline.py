"""A picture through time: figures with their intervals above, what happened below."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from itertools import cycle, islice
from typing import Final

from epc.protocol.results import Json
from epc.registry.days import days_away
from epc.report.charts.chart import BAND, MUTED, WIDTH, colours, layer, listed, quantity, told
from epc.simulation.noise import Band

_AIR: Final = 10  # days
_SHORT: Final = 150  # days; below, an axis names days and not months
_APART: Final = 2  # pixels to either side, so that two directions of one day can both be seen
_SHAPES: Final = ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross")
_NO_DAYS: Final = {"labels": False, "ticks": False, "title": None, "tickCount": 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A figure that is followed through time; `place` is where a snapshot keeps it."""

    name: str
    title: str
    place: str
    note: str


def timeline(metric: Metric, rows: list[Json], band: Band | None, events: list[Json]) -> Json:
    """Return what the picture of a figure through time consists of."""
    span = _span([row[key] for row in rows for key in ("from", "to")] + [e["day"] for e in events])
    x = {"field": "day", "type": "temporal", "scale": {"type": "utc", "nice": False}}
    bare, shown = x | {"axis": _NO_DAYS}, x | {"axis": _days(span)}
    return {
        "vconcat": [
            {
                "width": WIDTH - 60,
                "height": 170,
                "layer": [_whole(span, bare), *_layers(metric, rows, band, bare, span)],
            },
            {
                "width": WIDTH - 60,
                "height": {"step": 15},
                "layer": [_whole(span, shown), _lived(events, shown)],
            },
        ],
        "spacing": 6,
    }


def _span(days: list[str]) -> list[str]:
    """Return the first and the last day to show, with some air around what happened."""
    first, last = (date.fromisoformat(day) for day in (min(days), max(days)))
    air = max(_AIR, (last - first).days // 20)
    return [days_away(first, -air).isoformat(), days_away(last, air).isoformat()]


def _days(span: list[str]) -> Json:
    """Return an axis of days, or of months where the time is long."""
    first, last = map(date.fromisoformat, span)
    form = "%-d %b %Y" if (last - first).days < _SHORT else "%b %Y"
    thin = {"labelOverlap": "greedy", "labelSeparation": 10, "tickCount": 3}
    return {"format": form, "title": None, **thin}


def _whole(span: list[str], x: Json) -> Json:
    """Return what makes an axis reach over the whole time, drawing nothing."""
    rows = [{"day": day} for day in span]
    return layer(rows, {"type": "point", "opacity": 0}, x=x)


def _layers(
    metric: Metric, rows: list[Json], band: Band | None, x: Json, span: list[str]
) -> Iterator[Json]:
    y = quantity("mean", metric.title, zero=True)
    if band:
        edges = [{"from": span[0], "to": span[1], "low": band.low, "high": band.high}]
        yield layer(
            edges,
            {"type": "rect", "color": BAND},
            x=x | {"field": "from"},
            x2={"field": "to"},
            y=y | {"field": "low"},
            y2={"field": "high"},
        )
    middle = [{"mean": band.mean if band else 0}]
    dash = {"strokeDash": [4, 3]} if metric.name == "excess" else {}
    if band or metric.name == "excess":
        yield layer(middle, {"type": "rule", "color": MUTED, **dash}, y=y)
    titles = directions(rows)
    for index, title in enumerate(titles):
        shift = (2 * index - len(titles) + 1) * _APART
        own = [row for row in rows if row["direction"] == title]
        yield from _means(own, titles, x, y, shift)


def directions(rows: list[Json]) -> list[str]:
    """Return the titles of the directions of which anything is known."""
    return sorted({row["direction"] for row in rows})


def _means(rows: list[Json], titles: list[str], x: Json, y: Json, shift: int) -> Iterator[Json]:
    """Yield the layers of one direction, moved aside where there are several."""
    scale = colours(titles)
    colour = {"field": "direction", "type": "nominal", "scale": scale}
    shapes = {"domain": titles, "range": list(islice(cycle(_SHAPES), len(titles)))}
    shape = {"field": "direction", "type": "nominal", "scale": shapes}
    facts = told(snapshot="snapshot", direction="direction", mean="mean", low="from", high="to")
    facts += told(reading="by EPC-5.2") if "reading" in rows[0] else []
    spread = [row for row in rows if row["low"] is not None]
    long = [row for row in rows if row["from"] != row["to"]]
    rule = {"type": "rule", "size": 2, "xOffset": shift}
    if long:
        ends = {"x": x | {"field": "from"}, "x2": {"field": "to"}}
        yield layer(long, {"type": "rule", "size": 1}, **ends, y=y, color=colour)
    if spread:
        low, high = y | {"field": "low"}, {"field": "high"}
        yield layer(spread, rule, x=x, y=low, y2=high, color=colour)
    dot = {"type": "point", "filled": True, "opacity": 1, "size": 60, "xOffset": shift}
    yield layer(rows, dot, x=x, y=y, color=colour, shape=shape, tooltip=facts)


def _lived(events: list[Json], x: Json) -> Json:
    order = list(
        dict.fromkeys(
            event["what"] for event in sorted(events, key=lambda event: str(event["day"]))
        )
    )
    y = listed("what", order, grid=True, ticks=False)
    facts = told(day="day", what="what", of="of", why="why")
    mark = {"type": "tick", "thickness": 3, "color": MUTED, "height": 11}
    return layer(events, mark, x=x, y=y, tooltip=facts)
