"""An evaluator through time: gamma, excess and JSD, with what happened to it drawn below."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import cycle, islice
from typing import Final

from epc.protocol.results import Json
from epc.registry.expiry import days_away
from epc.report.charts.chart import (
    BAND,
    MUTED,
    WIDTH,
    Chart,
    colours,
    layer,
    listed,
    quantity,
    told,
)
from epc.simulation.training import Band
from epc.site.pages import EvaluatorPage, Evidence, SnapshotPage, bands_of
from epc.spec.domains import Pair, pair_title

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
    bare, dated = x | {"axis": _NO_DAYS}, x | {"axis": _days(span)}
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
                "layer": [_whole(span, dated), _lived(events, dated)],
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
        points = [row for row in rows if row["direction"] == title]
        yield from _means(points, titles, x, y, shift)


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


_METRICS: Final = (
    Metric(name="gamma", title="gamma", place="gamma/", note=""),
    Metric(
        name="excess",
        title="excess coupling",
        place="control/excess/",
        note="The dashed line is the noise floor.",
    ),
    Metric(name="jsd", title="JSD (nats)", place="jsd/", note=""),
)


def history_charts(page: EvaluatorPage, evidence: Mapping[str, Evidence]) -> list[Chart]:
    """Return a picture of each figure that was ever published of an evaluator."""
    events = list(_events(page))
    coins = [bands_of(s.row.snapshot, evidence.get(s.row.tag)) for s in page.baselines]
    charts = (_chart(page, metric, events, _band(coins, metric)) for metric in _METRICS)
    return [chart for chart in charts if chart is not None]


def _chart(
    page: EvaluatorPage, metric: Metric, events: list[Json], band: Band | None
) -> Chart | None:
    # Where all runs failed they are drawn and said to be that: an address goes on answering.
    sound = [snapshot for snapshot in page.baselines if not snapshot.row.failed]
    drawn = sound or page.baselines
    rows = [row for snapshot in drawn for row in _measured(snapshot, metric)]
    if not rows:
        return None
    note = "Mean with its 95% interval where there is one; a level line is the time of measuring. "
    if band:
        note += "Grey: where 90% of the seeds of a coin flip lie. "
    if len(directions(rows)) > 1:
        note += "Directions side by side are of the same days. "
    if len(sound) < len(page.baselines):
        note += "Failed runs are not drawn. " if sound else "This is of failed runs only. "
    alternative = _words(page, metric, rows, band, events)
    return Chart(
        name=f"{metric.name}-history",
        title=f"{metric.title.split(' (', maxsplit=1)[0]} through time",
        note=note + metric.note,
        alternative=alternative,
        content=timeline(metric, rows, band, events),
        rows=[*rows, *events],
    )


def _measured(page: SnapshotPage, metric: Metric) -> Iterator[Json]:
    """Yield a row a direction that a snapshot states."""
    by_name = {figure.name: figure for figure in page.figures}
    first, last = page.row.snapshot.first_day, page.row.snapshot.last_day
    assert first  # only recorded verdicts have no day, and they have no gamma
    assert last
    for name, figure in by_name.items():
        direction = name.removeprefix(metric.place)
        if name != direction and Pair.is_key(direction):
            low, high = figure.interval or (None, None)
            middle = first + (last - first) / 2
            yield {
                "snapshot": page.row.tag,
                "direction": pair_title(direction),
                "day": middle.isoformat(),
                "from": first.isoformat(),
                "to": last.isoformat(),
                "mean": figure.mean,
                "low": low,
                "high": high,
                "n": page.row.n,
                **({"reading": figure.reading} if figure.reading else {}),
            }


def _band(coins: list[Mapping[str, Band] | None], metric: Metric) -> Band | None:
    """Return what a coin flip gives; None of excess, or where snapshots' conditions differ."""
    bands = {(coin or {}).get(metric.name) for coin in coins}
    return bands.pop() if len(bands) == 1 else None


def _events(page: EvaluatorPage) -> Iterator[Json]:
    """Yield what happened to an evaluator and its snapshots, and the ends to come."""
    for platform in page.platforms:
        record = platform.record
        for what, moment in record.stages.items():
            if moment:
                word = "kept until" if moment.kind == "not_before" else what
                yield _event(moment.date.isoformat(), word, record.platform, moment.kind)
        for route in record.routes:
            yield _event(route.date.isoformat(), "rerouted", record.platform, f"to {route.to}")
    for snapshot in page.baselines:
        tag, standing = snapshot.row.tag, snapshot.row.standing
        for event in snapshot.events:
            yield _event(event.date.isoformat(), event.event, tag, event.reason)
        if standing.state.until:
            until = standing.state.until.isoformat()
            yield _event(until, "expires", tag, standing.end_reason or "")


def _event(day: str, what: str, whose: str, why: str) -> Json:
    return {"day": day, "what": what, "of": whose, "why": why}


def _words(
    page: EvaluatorPage, metric: Metric, rows: list[Json], band: Band | None, events: list[Json]
) -> str:
    """Return the newest figures and the ends to come in words."""
    newest = max(row["day"] for row in rows)
    text = ", ".join(
        f"{row['direction']} {row['mean']:.3f}"
        + (f" ({low:.3f} to {row['high']:.3f})" if (low := row["low"]) is not None else "")
        + (f", {read}" if (read := row.get("reading")) else "")
        for row in rows
        if row["day"] == newest
    )
    noise = (
        f" A coin flip gives {band.mean:.2f}, {band.low:.2f} to {band.high:.2f}." if band else ""
    )
    as_of = page.baselines[0].row.standing.state.as_of
    ahead = sorted(
        {(e["day"], e["what"], e["of"]) for e in events if date.fromisoformat(e["day"]) > as_of}
    )
    ends = "; ".join(f"{of} {what} {day}" for day, what, of in ahead)
    count = len({row["snapshot"] for row in rows})
    return (
        f"{metric.title} in {count} snapshot{'s' if count > 1 else ''}; newest, {newest}: {text}."
        f"{noise} {f'To come: {ends}.' if ends else 'No end is stated.'}"
    )
