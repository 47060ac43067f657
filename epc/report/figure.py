"""The picture of a measurement: gamma on top of its noise floor, JSD on top of a coin flip's.

One Vega-Lite specification, rendered to SVG and PNG. The colours are of the Okabe-Ito set, which
colour-blind readers can tell apart.
"""

from collections.abc import Mapping
from dataclasses import astuple
from pathlib import Path
from typing import Any, Final, Literal

from epc.analysis.audit import audit_manifest
from epc.protocol.results import Json
from epc.records.manifest import Estimate, Manifest
from epc.report.coupling_text import MEANING, TITLES
from epc.report.picture import SCHEMA, render
from epc.simulation.noise import coin_bands
from epc.spec.epc_v1 import DIRECTIONS, Direction

Metric = Literal["gamma", "jsd"]
Estimates = Mapping[Direction, Estimate]
_NAME: Final = "figure"

_SEEDS, _MEAN, _BAND, _FLOOR = "#0072B2", "#000000", "#D9D9D9", "#555555"
_PANELS: Final[tuple[tuple[Metric, str], ...]] = (("gamma", "gamma"), ("jsd", "JSD (nats)"))
_BAR: Final = 110  # pixels
_SPREAD: Final = {"domain": [-1, 2]}
_MIDDLE: Final = {"datum": 0.5, "type": "quantitative", "scale": _SPREAD}
_GOLDEN: Final = 0.6180339887498949  # spreads seeds evenly without a random state


def draw(manifest: Manifest, folder: Path) -> list[Path]:
    """Write the picture of a manifest into a folder and return the files.

    Raises: WorldError if the disk fails.
    """
    return render(specification(manifest), folder, _NAME)


def specification(manifest: Manifest) -> Json:
    """Return the Vega-Lite specification of a manifest's picture."""
    coin, summary = coin_bands(manifest.configuration), manifest.results.summary
    floors = summary.control.noise_floor
    bands = {
        "gamma": [band(d, *astuple(floors[d])) for d in DIRECTIONS],
        "jsd": [band(d, *astuple(coin["jsd"])) for d in DIRECTIONS],
    }
    return {
        "$schema": SCHEMA,
        "description": alternative_text(manifest),
        "title": {
            "text": f"{manifest.evaluator.model} · {summary.n} seeds",
            "subtitle": [
                f"{manifest.protocol_version}, {manifest.evaluator.measurement_date}",
                "dots: seeds · diamond: mean with 95% bootstrap interval",
                "grey: gamma without a change of domain (95% of seeds), JSD of a coin flip (90%)",
            ],
            "anchor": "start",
            "subtitleColor": "#444444",
        },
        "background": "white",
        "hconcat": [
            panel(title, bands[key], seed_rows(manifest, key), getattr(summary, key))
            for key, title in _PANELS
        ],
        "config": {"view": {"stroke": "#BBBBBB"}, "font": "sans-serif"},
    }


def alternative_text(manifest: Manifest) -> str:
    """Return in words what the picture shows."""
    summary = manifest.results.summary
    gamma, floor = summary.gamma, summary.control.noise_floor
    each = ", ".join(
        f"{TITLES[d]} {gamma[d].mean:.2f} (noise floor {floor[d].mean:.2f})" for d in DIRECTIONS
    )
    return f"Mean gamma {each}: {MEANING[audit_manifest(manifest).verdict]}."


def band(direction: str, middle: float, low: float, high: float) -> Json:
    """Return a direction's row of noise: its mean and the range of most single seeds."""
    return {"direction": TITLES[direction], "middle": middle, "low": low, "high": high}


def panel(title: str, bands: list[Json], seeds: list[Json], estimates: Estimates) -> Json:
    """Return one metric's panel: each direction's band, its seeds, and the mean upon them."""
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
                "data": {"values": bands},
                "mark": {"type": "bar", "color": _BAND, "width": _BAR},
                "encoding": {
                    "x": direction,
                    "xOffset": _MIDDLE,
                    "y": {**value, "field": "low"},
                    "y2": {"field": "high"},
                },
            },
            {
                "data": {"values": bands},
                "mark": {"type": "tick", "thickness": 2, "color": _FLOOR, "width": _BAR},
                "encoding": {
                    "x": direction,
                    "xOffset": _MIDDLE,
                    "y": {**value, "field": "middle"},
                },
            },
            {
                "data": {"values": seeds},
                "mark": {"type": "circle", "size": 36, "opacity": 0.6, "color": _SEEDS},
                "encoding": {
                    "x": direction,
                    "xOffset": {"field": "spread", "type": "quantitative", "scale": _SPREAD},
                    "y": value,
                },
            },
            *_means(estimates, direction, value),
        ],
    }


def _means(estimates: Estimates, direction: Json, value: Json) -> list[Json]:
    """Return the layers of the means and, where there is more than one seed, their intervals."""
    rows = [(TITLES[d], estimates[d]) for d in DIRECTIONS]
    intervals = [
        {"direction": title, "value": each.ci95[0], "high": each.ci95[1]}
        for title, each in rows
        if each.ci95 is not None
    ]
    interval: Any = {
        "data": {"values": intervals},
        "mark": {"type": "rule", "size": 2.5, "color": _MEAN},
        "encoding": {"x": direction, "y": value, "y2": {"field": "high"}},
    }
    mean = {
        "data": {"values": [{"direction": title, "value": each.mean} for title, each in rows]},
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


def seed_rows(manifest: Manifest, metric: Metric) -> list[Json]:
    """Return each seed's value in each direction, spread sideways so that none hides another."""
    return [
        {
            "direction": TITLES[d],
            "seed": record.seed,
            "value": getattr(record, metric)[d],
            "spread": (index * _GOLDEN) % 1,
        }
        for index, record in enumerate(manifest.results.per_seed)
        for d in DIRECTIONS
    ]
