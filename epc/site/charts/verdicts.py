"""What a judge said of outputs, by prompt variant: shares of each verdict with their intervals."""

from collections.abc import Iterator
from typing import Final

from epc.protocol.results import Json
from epc.report.charts.chart import (
    FIRST,
    SECOND,
    THIRD,
    WIDTH,
    Chart,
    layer,
    listed,
    quantity,
    told,
)
from epc.site.pages import SnapshotPage
from epc.spec.judge_v1 import VERDICTS

_COLOURS: Final = dict(zip(VERDICTS, (THIRD, FIRST, SECOND), strict=True))
_SHAPES: Final = dict(zip(VERDICTS, ("circle", "square", "triangle-up"), strict=True))
_ALL: Final = "all outputs"
_MOST: Final = 40  # variants in the picture; all are in its CSV
_LABEL: Final = 110  # pixels of a variant's name, so that a picture fits a phone


def verdicts_chart(page: SnapshotPage) -> Chart:
    """Return the share of each verdict, of all outputs and by prompt variant."""
    figures = page.row.snapshot.figures
    variants = figures["variants"]
    groups = [list(_rows(group)) for group in ({"value": _ALL, **figures}, *variants)]
    rows = [row for group in groups for row in group]
    drawn = [row for group in groups[: 1 + _MOST] for row in group if row["share"] is not None]
    left_out = f" The first {_MOST} variants." if len(variants) > _MOST else ""
    alternative = _words(figures)
    return Chart(
        name="verdicts",
        title="What the judge said, by prompt variant",
        note=f"Shares of valid evaluations with their 95% Wilson intervals.{left_out}",
        alternative=alternative,
        content=_content(drawn),
        rows=rows,
    )


def _rows(group: Json) -> Iterator[Json]:
    for verdict in VERDICTS:
        share = group["verdict"][verdict]
        low, high = share["ci95"] or (None, None)
        yield {
            "variant": group["value"],
            "verdict": verdict,
            "share": share["mean"],
            "low": low,
            "high": high,
            "count": share["hits"],
            "valid": group["valid"],
        }


def _content(rows: list[Json]) -> Json:
    order = list(dict.fromkeys(row["variant"] for row in rows))
    y = listed("variant", order, labelLimit=_LABEL, grid=True, ticks=False)
    beside = {"field": "verdict", "type": "nominal", "sort": list(VERDICTS)}
    at = {"y": y, "yOffset": beside}
    scale = {"domain": list(VERDICTS), "range": [_COLOURS[name] for name in VERDICTS]}
    shapes = {"domain": list(VERDICTS), "range": [_SHAPES[name] for name in VERDICTS]}
    colour = {"field": "verdict", "type": "nominal", "scale": scale}
    shape = {"field": "verdict", "type": "nominal", "scale": shapes}
    facts = told(variant="variant", verdict="verdict", share="share", low="from", high="to")
    axis = {"format": "%", "tickCount": 5}
    low = {**quantity("low", "share of valid evaluations", domain=[0, 1]), "axis": axis}
    dot = {"type": "point", "filled": True, "opacity": 1, "size": 45}
    spread = layer(
        rows, {"type": "rule", "size": 2}, **at, x=low, x2={"field": "high"}, color=colour
    )
    share = {**low, "field": "share"}
    means = layer(rows, dot, **at, x=share, color=colour, shape=shape, tooltip=facts)
    return {"width": WIDTH - 70, "height": {"step": 12, "for": "offset"}, "layer": [spread, means]}


def _words(figures: Json) -> str:
    shares = ", ".join(f"{100 * figures['verdict'][name]['mean']:.1f}% {name}" for name in VERDICTS)
    return (
        f"Of {figures['valid']} valid evaluations {shares}; "
        f"{figures['invalid']['hits']} of {figures['n']} samples were not validly evaluated."
    )
