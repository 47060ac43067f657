"""An evaluator's calibration in words and as a picture: win rate against accuracy, by strategy.

The colours are of the Okabe-Ito set, which colour-blind readers can tell apart.
"""

from collections.abc import Iterator
from math import fsum
from pathlib import Path
from typing import Final

from epc.protocol.results import Json
from epc.records.manifest import Calibration, Manifest
from epc.report.charts.chart import layer
from epc.report.picture import SCHEMA, render
from epc.spec.epc_v1 import CALIBRATION_BINS, MISCALIBRATED_ECE
from epc.statistics.figures import figure_text

NAME: Final = "reliability"
_STRATEGY, _BIN, _GAP = "#0072B2", "#000000", "#E69F00"
_SIDE: Final = 360


def lines(manifest: Manifest) -> Iterator[str]:
    """Yield what a manifest says of its evaluator's calibration; nothing without an accuracy."""
    if manifest.accuracy is None:
        return
    summary = manifest.results.summary
    for figure, title in ((summary.ece, "ECE"), (summary.brier, "Brier")):
        if figure is None:
            yield f"{title}: no strategy with an accuracy has a decided trial."
            continue
        yield (
            f"{title} {figure_text(figure.mean, figure.ci95)} over {figure.seeds} seeds; "
            f"{figure.pooled:.3f} with the trials of all seeds together."
        )
    if summary.ece is not None:
        yield f"{_finding(summary.ece)}."
    if left_out := missing(manifest):
        yield f"Left out, for want of an accuracy: {', '.join(left_out)}."
    silent = [name for name, counted in summary.reliability.items() if not counted.decided]
    if silent:
        yield f"Left out, for want of a decided trial: {', '.join(silent)}."


def missing(manifest: Manifest) -> list[str]:
    """Return the strategies that have no accuracy."""
    values = manifest.accuracy.values if manifest.accuracy else {}
    return [name for name in manifest.names if name not in values]


def draw(manifest: Manifest, folder: Path) -> list[Path]:
    """Write the reliability diagram of a manifest that has accuracies, and return the files.

    Raises: WorldError if the disk fails.
    """
    return render(specification(manifest), folder, NAME)


def specification(manifest: Manifest) -> Json:
    """Return the Vega-Lite specification of a manifest's reliability diagram.

    Pooled over seeds. Each of the ten bins is as wide as its win rates; its bar reaches from the
    mean accuracy of its strategies to their mean win rate, so what is coloured is the error.
    """
    model = manifest.evaluator.model
    return {
        "$schema": SCHEMA,
        "description": alternative_text(manifest),
        "title": {
            "text": f"{model}: preference against quality",
            "subtitle": [
                f"{manifest.protocol_version}, {manifest.evaluator.measurement_date}",
                "dots: strategies · diamonds: bin means · bars: their error · dashed: none",
            ],
            "anchor": "start",
            "subtitleColor": "#444444",
        },
        "background": "white",
        "width": _SIDE,
        "height": _SIDE,
        "layer": _layers(manifest),
        "config": {"view": {"stroke": "#BBBBBB"}, "font": "sans-serif"},
    }


def alternative_text(manifest: Manifest) -> str:
    """Return in words what the diagram shows."""
    rows = _points(manifest)
    ece = manifest.results.summary.ece
    if ece is None or not rows:
        return "No strategy with an accuracy has a decided trial: nothing is shown."
    over = max(rows, key=lambda row: row["win_rate"] - row["accuracy"])
    under = min(rows, key=lambda row: row["win_rate"] - row["accuracy"])
    return f"{_finding(ece)}. " + " ".join(
        f"{label}: {row['strategy']} wins {100 * row['win_rate']:.0f}% of its comparisons and is "
        f"right in {100 * row['accuracy']:.0f}%."
        for label, row in (("Most overrated", over), ("Least", under))
    )


def _finding(ece: Calibration) -> str:
    """Return what EPC-5.2 makes of an ECE, as far as its interval bears it."""
    mark, figure = f"{MISCALIBRATED_ECE:g}", figure_text(ece.mean, ece.ci95)
    low, high = ece.ci95 or (ece.mean, ece.mean)
    few = "" if ece.ci95 else "; one seed has no interval"
    if low > MISCALIBRATED_ECE:
        return (
            f"ECE {figure} is above {mark}: preferences are substantially miscalibrated "
            f"relative to strategy quality (EPC-5.2){few}"
        )
    if high <= MISCALIBRATED_ECE:
        return f"ECE {figure} is not above {mark}: no substantial miscalibration by EPC-5.2{few}"
    return f"ECE {figure} cannot be told from {mark}, the mark of miscalibration in EPC-5.2"


def _points(manifest: Manifest) -> list[Json]:
    return [
        {
            "strategy": name,
            "win_rate": counted.win_rate,
            "accuracy": counted.accuracy,
            "bin": counted.bin,
        }
        for name, counted in manifest.results.summary.reliability.items()
        if counted.decided
    ]


def _bins(points: list[Json]) -> list[Json]:
    """Return each bin's ends and the means of its strategies."""
    members: dict[int, list[Json]] = {}
    for point in points:
        members.setdefault(int(point["bin"]), []).append(point)
    return [
        {
            "low": number / CALIBRATION_BINS,
            "high": (number + 1) / CALIBRATION_BINS,
            "win_rate": fsum(point["win_rate"] for point in group) / len(group),
            "accuracy": fsum(point["accuracy"] for point in group) / len(group),
        }
        for number, group in sorted(members.items())
    ]


def _layers(manifest: Manifest) -> list[Json]:
    points = _points(manifest)
    bins = _bins(points)
    x, y = _axis("win_rate", "win rate"), _axis("accuracy", "accuracy")
    low, name = x | {"field": "low"}, {"field": "strategy", "type": "nominal"}
    ends = [{"win_rate": 0, "accuracy": 0}, {"win_rate": 1, "accuracy": 1}]
    error = {"type": "rect", "color": _GAP, "opacity": 0.35}
    diagonal = {"type": "line", "strokeDash": [6, 4], "color": "#555555"}
    dot = {"type": "circle", "size": 50, "opacity": 0.8, "color": _STRATEGY}
    diamond: Json = {"type": "point", "shape": "diamond", "filled": True}
    diamond |= {"size": 90, "opacity": 1, "color": _BIN}
    # Names stand where there is room for them.
    label = {
        "type": "text",
        "align": {"expr": "datum.win_rate > 0.7 ? 'right' : 'left'"},
        "dx": {"expr": "datum.win_rate > 0.7 ? -6 : 6"},
        "dy": -5,
        "fontSize": 9,
        "color": _STRATEGY,
    }
    return [
        layer(bins, error, x=low, x2={"field": "high"}, y=y, y2={"field": "win_rate"}),
        layer(ends, diagonal, x=x, y=y),
        layer(points, dot, x=x, y=y),
        layer(points, label, x=x, y=y, text=name),
        layer(bins, diamond, x=x, y=y),
    ]


def _axis(field: str, title: str) -> Json:
    return {
        "field": field,
        "type": "quantitative",
        "title": title,
        "scale": {"domain": [0, 1], "nice": False},
        "axis": {"tickCount": CALIBRATION_BINS, "gridColor": "#EEEEEE"},
    }
