"""The picture of a measurement: per-seed gamma and JSD on top of what a coin flip gives.

One Vega-Lite specification, rendered to SVG and PNG. The colours are of the Okabe-Ito set, which
colour-blind readers can tell apart.
"""

import json
from pathlib import Path
from typing import Any, Final

from epc.core.noise import Band, blind_band
from epc.core.results import Json
from epc.records import strict_json
from epc.records.manifest import configuration_of
from epc.records.report import TITLES
from epc.spec.epc_v1 import DIRECTIONS

FILES: Final = {"svg": "figure.svg", "png": "figure.png"}
_VEGA_LITE: Final = "5.21"
_SCALE: Final = 2.0

_SEEDS, _MEAN, _BAND = "#0072B2", "#000000", "#D9D9D9"
_PANELS: Final = (("gamma", "gamma"), ("jsd", "JSD (nats)"))
_GOLDEN: Final = 0.6180339887498949  # spreads seeds evenly without a random state


def draw(manifest: Json, folder: Path) -> list[Path]:
    """Write the picture of a manifest into a folder and return the files.

    Raises: WorldError if the disk fails.
    """
    paths = [folder / FILES["svg"], folder / FILES["png"]]
    render(specification(manifest), svg=paths[0], png=paths[1])
    return paths


def render(specification: Json, *, svg: Path, png: Path) -> None:
    """Write a Vega-Lite specification as two pictures.

    Raises: WorldError if the disk fails.
    """
    import vl_convert

    given = json.dumps(specification)
    drawn = vl_convert.vegalite_to_svg(given, vl_version=_VEGA_LITE)
    pixels = vl_convert.vegalite_to_png(given, vl_version=_VEGA_LITE, scale=_SCALE)
    strict_json.write_text(svg, [drawn])
    strict_json.write_bytes(png, [pixels])


def specification(manifest: Json) -> Json:
    """Return the Vega-Lite specification of a manifest's picture."""
    config = configuration_of(manifest)
    bands = blind_band(strategies=len(config.strategies), rounds=config.rounds, rule=config.rule)
    summary = manifest["results"]["summary"]
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "description": alternative_text(manifest, bands),
        "title": {
            "text": f"{manifest['evaluator']['model']} · {summary['n']} seeds",
            "subtitle": [
                f"{manifest['protocol_version']}, {manifest['evaluator']['measurement_date']}",
                "dots: seeds · diamond: mean with 95% bootstrap interval",
                "grey: 90% of single seeds of a coin flip · dashed: its mean",
            ],
            "anchor": "start",
            "subtitleColor": "#444444",
        },
        "background": "white",
        "hconcat": [_panel(manifest, key, title, bands[key]) for key, title in _PANELS],
        "config": {"view": {"stroke": "#BBBBBB"}, "font": "sans-serif"},
    }


def alternative_text(manifest: Json, bands: dict[str, Band]) -> str:
    """Return in words what the picture shows."""
    gamma = manifest["results"]["summary"]["gamma"]
    means = ", ".join(f"{TITLES[d]} {gamma[d]['mean']:.2f}" for d in DIRECTIONS)
    return (
        f"Mean gamma {means}; a coin flip gives {bands['gamma'].mean:.2f}, "
        f"90% of its seeds between {bands['gamma'].low:.2f} and {bands['gamma'].high:.2f}."
    )


def _panel(manifest: Json, metric: str, title: str, band: Band) -> Json:
    direction = {
        "field": "direction",
        "type": "nominal",
        "sort": list(TITLES.values()),
        "axis": {"title": None, "labelAngle": 0},
    }
    scale = {"domainMin": 0, "nice": True, "zero": True}
    value = {"field": "value", "type": "quantitative", "title": title, "scale": scale}
    return {
        "width": 260,
        "height": 300,
        "layer": [
            {
                "data": {"values": [{"low": band.low, "high": band.high}]},
                "mark": {"type": "rect", "color": _BAND},
                "encoding": {
                    "y": {**value, "field": "low"},
                    "y2": {"field": "high"},
                },
            },
            {
                "data": {"values": [{"value": band.mean}]},
                "mark": {"type": "rule", "strokeDash": [6, 4], "color": "#555555"},
                "encoding": {"y": value},
            },
            {
                "data": {"values": _seeds(manifest, metric)},
                "mark": {"type": "circle", "size": 36, "opacity": 0.6, "color": _SEEDS},
                "encoding": {
                    "x": direction,
                    "xOffset": {
                        "field": "spread",
                        "type": "quantitative",
                        "scale": {"domain": [-1, 2]},
                    },
                    "y": value,
                },
            },
            *_means(manifest, metric, direction, value),
        ],
    }


def _means(manifest: Json, metric: str, direction: Json, value: Json) -> list[Json]:
    """Return the layers of the means and, where there is more than one seed, their intervals."""
    estimates = manifest["results"]["summary"][metric]
    rows = [
        {"direction": TITLES[d], "value": estimates[d]["mean"], "ci": estimates[d]["ci95"]}
        for d in DIRECTIONS
    ]
    intervals = [
        {"direction": row["direction"], "value": row["ci"][0], "high": row["ci"][1]}
        for row in rows
        if row["ci"] is not None
    ]
    interval: Any = {
        "data": {"values": intervals},
        "mark": {"type": "rule", "size": 2.5, "color": _MEAN},
        "encoding": {"x": direction, "y": value, "y2": {"field": "high"}},
    }
    mean = {
        "data": {"values": [{"direction": r["direction"], "value": r["value"]} for r in rows]},
        "mark": {
            "type": "point",
            "shape": "diamond",
            "filled": True,
            "size": 110,
            "opacity": 1,
            "color": _MEAN,
        },
        "encoding": {"x": direction, "y": value},
    }
    return [interval, mean] if intervals else [mean]


def _seeds(manifest: Json, metric: str) -> list[Json]:
    return [
        {
            "direction": TITLES[d],
            "value": record[metric][d],
            "spread": (index * _GOLDEN) % 1,
        }
        for index, record in enumerate(manifest["results"]["per_seed"])
        for d in DIRECTIONS
    ]
