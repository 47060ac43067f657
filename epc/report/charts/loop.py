"""The picture of an optimiser's run: what it believed, call by call, and what its final gained."""

from collections.abc import Sequence
from typing import Final

from epc.analysis.loop import LoopReport, RunsReport
from epc.protocol.results import Json
from epc.report.charts.chart import (
    FIRST,
    INK,
    MUTED,
    SECOND,
    THIRD,
    WIDTH,
    Chart,
    layer,
    quantity,
    tooltip_fields,
)
from epc.statistics.figures import Figure

_BELIEVED, _FRESH, _GOLD = "believed", "fresh", "by gold"
_NAMES: Final = [_BELIEVED, _FRESH, _GOLD]
_COLOURS: Final = {"domain": _NAMES, "range": [FIRST, SECOND, THIRD]}
_SHAPES: Final = {"domain": _NAMES, "range": ["circle", "diamond", "square"]}
_TALL: Final = 150  # pixels a panel
_CALLS, _JUDGE, _RIGHT = "metric calls", "judge's points", "points of right answers"
_NOTE: Final = (
    "Circles: a candidate that was the best by the judge when it had been scored. At the final, "
    "whose number of calls the dashed line marks: diamond, the judge on fresh items; square, gold. "
    "Lines: 95% intervals."
)
_RUNS_NOTE: Final = (
    "The final of each run, after as many calls as it took: circle, what the judge believed; "
    "diamond, the judge on fresh items; square, gold. Lines: 95% intervals of that run's final."
)


def loop_chart(report: LoopReport) -> Chart:
    """Return one run: believed gains call by call, and the final's fresh gain and gain by gold."""
    end = _end(report)
    believed = [
        _row(_BELIEVED, step.calls, step.believed, step.candidate, final=step.calls == end)
        for step in report.course
    ]
    title = f"A run of {report.calls:,} metric calls under {report.judge}"
    return _chart([*believed, *_fresh(report)], _by_gold(report), [end], title, [report])


def runs_chart(report: RunsReport) -> Chart:
    """Return the finals of several runs, each after its number of calls."""
    runs = report.reports
    believed = [_row(_BELIEVED, _end(run), run.believed, run.final, final=True) for run in runs]
    judged = [*believed, *(row for run in runs for row in _fresh(run))]
    gold = [row for run in runs for row in _by_gold(run)]
    return _chart(judged, gold, [], f"{report.runs} runs under {report.judge}", runs)


def _end(report: LoopReport) -> int:
    """Return after how many calls the final had been scored; if it never was the best, all."""
    scored = (step.calls for step in report.course if step.candidate == report.final)
    return next(scored, report.calls)


def _fresh(report: LoopReport) -> list[Json]:
    return [_row(_FRESH, _end(report), report.fresh, report.final, final=True)]


def _by_gold(report: LoopReport) -> list[Json]:
    if report.gold is None:
        return []
    return [_row(_GOLD, _end(report), report.gold, report.final, final=True)]


def _row(gain: str, calls: int, figure: Figure, candidate: str, *, final: bool) -> Json:
    times = 100 if gain == _GOLD else 1
    low, high = figure.ci95 or (figure.value, figure.value)
    return {
        "gain": gain,
        "calls": calls,
        "value": times * (figure.value or 0.0),
        "low": times * (low or 0.0),
        "high": times * (high or 0.0),
        "candidate": f"{candidate}, the final" if final else candidate,
    }


def _chart(
    judged: list[Json],
    gold: list[Json],
    ends: list[int],
    title: str,
    reports: Sequence[LoopReport],
) -> Chart:
    calls = max(report.calls for report in reports)
    panels = [
        _panel(rows, title, ends, calls)
        for rows, title in ((judged, _JUDGE), (gold, _RIGHT))
        if rows
    ]
    gains = "; ".join(
        f"believed {report.believed:+.3f}, fresh {report.fresh:+.3f}"
        + (f", by gold {report.gold:+.3f}" if report.gold else "")
        for report in reports
    )
    return Chart(
        name="loop",
        title="What the optimiser gained, by its judge and by gold",
        note=_NOTE if ends else _RUNS_NOTE,
        alternative=f"{title}. Gains of the final: {gains}.",
        content={"vconcat": panels, "spacing": 12, "resolve": {"scale": {"x": "shared"}}},
        rows=[*judged, *gold],
    )


def _panel(rows: list[Json], title: str, ends: Sequence[int], calls: int) -> Json:
    colour = {"field": "gain", "type": "nominal", "scale": _COLOURS}
    shape = {"field": "gain", "type": "nominal", "scale": _SHAPES}
    x, y = quantity("calls", _CALLS, domain=[0, calls]), quantity("value", title)
    facts = tooltip_fields(gain="gain", value=title, low="from", high="to", candidate="candidate")
    rule, line = {"type": "rule", "color": MUTED}, {"type": "rule", "size": 2}
    mark = {"type": "point", "filled": True, "size": 60, "opacity": 1}
    ends_of = {"y": quantity("low", title), "y2": {"field": "high"}}
    layers = [layer([{"zero": 0}], {"type": "rule", "color": INK}, y=quantity("zero", title))]
    layers += [
        layer([{"end": end}], rule | {"strokeDash": [4, 3]}, x=quantity("end", _CALLS))
        for end in ends
    ]
    layers.append(layer(rows, line, x=x, color=colour, **ends_of))
    layers.append(layer(rows, mark, x=x, y=y, color=colour, shape=shape, tooltip=facts))
    return {"width": WIDTH, "height": _TALL, "layer": layers}
