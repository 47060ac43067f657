"""How the weights went, round by round: mean and spread over the seeds, strategy by strategy."""

from typing import Final

from epc.analysis.trajectories import Trajectories
from epc.protocol.results import Json
from epc.report.charts.chart import INK, MUTED, Chart, colours, layer, quantity, tooltip_fields

_COLUMNS: Final = 3
_PLACES: Final = 5


def trajectories_chart(trajectories: Trajectories) -> Chart:
    """Return the mean weight of each strategy with the range of 90% of the seeds."""
    orders = _orders(trajectories)
    rows = [
        {
            "order": orders[index],
            "strategy": name,
            "round": number,
            "mean": mean,
            "low": low,
            "high": high,
        }
        for index, trajectory in enumerate(trajectories.paths)
        for name, path in zip(trajectories.strategies, trajectory, strict=True)
        for number, (mean, low, high) in enumerate(path)
    ]
    alternative = _alternative(trajectories)
    return Chart(
        name="trajectories",
        title="How the weights went",
        note=f"Mean weight over {trajectories.seeds} seeds and, shaded, 90% of them. "
        "The dashed lines are the change of domain and a weight of 1/K.",
        alternative=alternative,
        content=_content(trajectories, _rounded(rows)),
        rows=rows,
    )


def _orders(trajectories: Trajectories) -> list[str]:
    return [f"{pair.source}, then {pair.target}" for pair in trajectories.pairs]


def _rounded(rows: list[Json]) -> list[Json]:
    """Return the rows as fine as an eye can see; there are thousands of them."""
    finer = ("mean", "low", "high")
    return [row | {key: round(row[key], _PLACES) for key in finer} for row in rows]


def _content(trajectories: Trajectories, rows: list[Json]) -> Json:
    colour = {"field": "order", "type": "nominal", "scale": colours(_orders(trajectories))}
    axis = {
        "values": [0, trajectories.rounds, 2 * trajectories.rounds],
        "format": "d",
        "title": None,
    }
    x = quantity("round", domain=[0, 2 * trajectories.rounds]) | {"axis": axis}
    y = quantity("mean", None, zero=True, nice=False) | {"axis": {"tickCount": 3, "title": None}}
    dashed = {"type": "rule", "color": MUTED, "strokeDash": [3, 3]}
    facts = tooltip_fields(strategy="strategy", order="order", round="round", mean="mean weight")
    band = {"type": "area", "opacity": 0.25, "line": False}
    line = {"type": "line", "strokeWidth": 1.5}
    return {
        "data": {"values": rows},
        "columns": _COLUMNS,
        "spacing": {"row": 10, "column": 14},
        "facet": {
            "field": "strategy",
            "type": "nominal",
            "sort": list(trajectories.strategies),
            "header": {"labelFontSize": 10, "labelColor": INK, "title": None, "labelPadding": 2},
        },
        "spec": {
            "width": 76,
            "height": 62,
            "layer": [
                layer([{"round": trajectories.rounds}], dashed, x=x),
                layer([{"mean": 1 / len(trajectories.strategies)}], dashed, y=y),
                {
                    "mark": band,
                    "encoding": {"x": x, "y": y | {"field": "low"}, "y2": {"field": "high"}}
                    | {"color": colour},
                },
                {"mark": line, "encoding": {"x": x, "y": y, "color": colour, "tooltip": facts}},
            ],
        },
    }


def _alternative(trajectories: Trajectories) -> str:
    """Return which strategy ends with most weight in each order."""
    ends = []
    for order, trajectory in zip(_orders(trajectories), trajectories.paths, strict=True):
        last = [path[-1][0] for path in trajectory]
        best = max(range(len(last)), key=last.__getitem__)
        ends.append(
            f"{order}: {trajectories.strategies[best]} ends with most weight, {last[best]:.2f}"
        )
    return f"Mean weights by round over {trajectories.seeds} seeds. {'; '.join(ends)}."
