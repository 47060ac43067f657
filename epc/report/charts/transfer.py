"""What crosses between the domains: choices redirected, and what that costs, each way."""

from collections.abc import Iterator, Mapping
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
    told,
)
from epc.report.coupling_text import MEANING, NOT_QUALITY, headline
from epc.spec.coupling import MARGIN
from epc.spec.domains import Direction, pair_title

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
    beside = {"field": "of", "type": "nominal", "sort": _SCOPES}
    colour = {"field": "of", "type": "nominal", "scale": colours(_SCOPES)}
    shape = {"field": "of", "type": "nominal", "scale": {"domain": _SCOPES, "range": _SHAPES}}
    facts = told(direction="direction", of="of", value=title, low="from", high="to")
    spread = [row for row in rows if row["low"] is not None]
    rule = {"type": "rule", "size": 2.5}
    dot = {"type": "point", "filled": True, "size": 80, "opacity": 1}
    start = quantity("low", title)
    ends = {"y": y, "yOffset": beside, "color": colour}
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
