"""The picture of a measurement: gamma and JSD on top of their noise, and what crossing costs.

One Vega-Lite specification, rendered to SVG and PNG. The colours are of the Okabe-Ito set, which
colour-blind readers can tell apart.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, Literal

from msgspec.structs import astuple

from epc.analysis.audit import Audit, audit_manifest
from epc.audit.coupling import Into, TheseTasks
from epc.protocol.results import Json
from epc.records.manifest import Estimate, Manifest
from epc.report.charts.chart import layer
from epc.report.coupling_text import MEANING, headline
from epc.report.picture import SCHEMA, render
from epc.simulation.noise import coin_bands
from epc.spec.coupling import MARGIN, RULE
from epc.spec.domains import Direction, pair_title

Metric = Literal["gamma", "jsd"]
Estimates = Mapping[Direction, Estimate]
_NAME: Final = "figure"

_SEEDS, _MEAN, _BAND, _FLOOR = "#0072B2", "#000000", "#D9D9D9", "#555555"
_PANELS: Final[tuple[tuple[Metric, str], ...]] = (("gamma", "gamma"), ("jsd", "JSD (nats)"))
_BAR: Final = 110  # pixels
_WIDE, _NARROW = 130, 100  # pixels a direction
_SPREAD: Final = {"domain": [-1, 2]}
_SCOPES: Final = ["for the domain", "for these tasks"]
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
    floors, audit = summary.control.noise_floor, audit_manifest(manifest)
    crossing = (audit.facts.transfer.directions if audit.facts.transfer else None) or {}
    directions = manifest.domains.directions
    bands = {
        "gamma": [band(d, *astuple(floors[d])) for d in directions],
        "jsd": [band(d, *astuple(coin["jsd"])) for d in directions],
    }
    return {
        "$schema": SCHEMA,
        "description": alternative_text(manifest, audit),
        "title": {
            "text": f"{manifest.evaluator.model} · {summary.n} seeds",
            "subtitle": [
                f"{manifest.protocol_version}, {manifest.evaluator.measurement_date}",
                "dots: seeds · diamond: mean with 95% bootstrap interval",
                "grey: gamma without a change of domain (95% of seeds), JSD of a coin flip (90%)",
                "regret: 95% intervals; the dashed line is the margin of the word",
                *(f"by EPC-5.2, gamma from {reading}" for reading in manifest.readings),
            ],
            "anchor": "start",
            "subtitleColor": "#444444",
        },
        "background": "white",
        "hconcat": [
            panel(name, bands[key], seed_rows(manifest, key), getattr(summary, key))
            for key, name in _PANELS
        ]
        + ([regret_panel(crossing)] if crossing else []),
        "resolve": {"scale": {"color": "independent", "shape": "independent"}},
        "config": {"view": {"stroke": "#BBBBBB"}, "font": "sans-serif"},
    }


def alternative_text(manifest: Manifest, audit: Audit) -> str:
    """Return in words what the picture shows."""
    transfer = audit.facts.transfer
    crossing = (transfer.directions if transfer else None) or {}
    headlines = "".join(f"; {headline(d, into)}" for d, into in crossing.items())
    summary = manifest.results.summary
    gamma, floor = summary.gamma, summary.control.noise_floor
    values = ", ".join(
        f"{pair_title(d)} {gamma[d].mean:.2f} (noise floor {floor[d].mean:.2f})"
        for d in manifest.domains.directions
    )
    word = f"{audit.verdict} by rule {RULE}, {MEANING[audit.verdict]}"
    read = "; ".join(manifest.readings)
    return f"Mean gamma {values}; by EPC-5.2, {read}{headlines}: {word}."


def band(direction: str, middle: float, low: float, high: float) -> Json:
    """Return a direction's row of noise: its mean and the range of most single seeds."""
    return {"direction": pair_title(direction), "middle": middle, "low": low, "high": high}


def panel(name: str, bands: list[Json], seeds: list[Json], estimates: Estimates) -> Json:
    """Return one metric's panel: each direction's band, its seeds, and the mean upon them."""
    direction = _direction(estimates)
    scale = {"domainMin": 0, "nice": True, "zero": True}
    value = {"field": "value", "type": "quantitative", "title": name, "scale": scale}
    low, middle = value | {"field": "low"}, value | {"field": "middle"}
    spread = {"field": "spread", "type": "quantitative", "scale": _SPREAD}
    bar = {"type": "bar", "color": _BAND, "width": _BAR}
    tick = {"type": "tick", "thickness": 2, "color": _FLOOR, "width": _BAR}
    dot = {"type": "circle", "size": 36, "opacity": 0.6, "color": _SEEDS}
    return {
        "width": _WIDE * len(bands),
        "height": 300,
        "layer": [
            layer(bands, bar, x=direction, xOffset=_MIDDLE, y=low, y2={"field": "high"}),
            layer(bands, tick, x=direction, xOffset=_MIDDLE, y=middle),
            layer(seeds, dot, x=direction, xOffset=spread, y=value),
            *_means(estimates, direction, value),
        ],
    }


def _direction(rows: Iterable[Direction]) -> Json:
    """Return the encoding of directions beside each other."""
    axis = {"title": None, "labelAngle": 0}
    order = list(map(pair_title, rows))
    return {"field": "direction", "type": "nominal", "sort": order, "axis": axis}


def _means(estimates: Estimates, direction: Json, value: Json) -> list[Json]:
    """Return the layers of the means and, where there is more than one seed, their intervals."""
    rows = [(pair_title(d), estimates[d]) for d in estimates]
    intervals: list[Json] = [
        {"direction": name, "value": average.ci95[0], "high": average.ci95[1]}
        for name, average in rows
        if average.ci95 is not None
    ]
    means: list[Json] = [{"direction": name, "value": average.mean} for name, average in rows]
    rule = {"type": "rule", "size": 2.5, "color": _MEAN}
    dot: Json = {"type": "point", "shape": "diamond", "filled": True}
    dot |= {"size": 110, "opacity": 1, "color": _MEAN}
    spans = layer(intervals, rule, x=direction, y=value, y2={"field": "high"})
    return [*([spans] if intervals else []), layer(means, dot, x=direction, y=value)]


def regret_panel(crossing: Mapping[Direction, Into]) -> Json:
    """Return what crossing costs each way, for the domain and for these tasks (Reading R74)."""
    rows = [
        {
            "direction": pair_title(direction),
            "of": scope,
            "value": 100 * part.regret,
            "low": 100 * part.regret_ci95[0] if part.regret_ci95 else None,
            "high": 100 * part.regret_ci95[1] if part.regret_ci95 else None,
        }
        for direction, into in crossing.items()
        for scope, part in _parts(into)
    ]
    beside = {"field": "of", "type": "nominal", "sort": _SCOPES}
    scale = {"domain": _SCOPES, "range": [_MEAN, _SEEDS]}
    colour = beside | {"scale": scale, "legend": {"title": None, "orient": "top"}}
    shape = beside | {"scale": {"domain": _SCOPES, "range": ["diamond", "circle"]}}
    title = "transfer regret (points of win rate)"
    value = {"field": "value", "type": "quantitative", "title": title}
    spread = [row for row in rows if row["low"] is not None]
    ends = {"x": _direction(crossing), "xOffset": beside, "color": colour}
    rule = {"type": "rule", "color": _FLOOR}
    dot = {"type": "point", "filled": True, "size": 80, "opacity": 1}
    low, high = value | {"field": "low"}, {"field": "high"}
    spans = layer(spread, {"type": "rule", "size": 2.5}, **ends, y=low, y2=high)
    return {
        "width": _NARROW * len(crossing),
        "height": 300,
        "layer": [
            layer([{"value": 0.0}], rule, y=value),
            layer([{"value": 100 * MARGIN}], rule | {"strokeDash": [4, 3]}, y=value),
            *([spans] if spread else []),
            layer(rows, dot, **ends, y=value, shape=shape),
        ],
    }


def _parts(into: Into) -> Iterator[tuple[str, Into | TheseTasks]]:
    yield from zip(_SCOPES, (into, into.these_tasks), strict=True)


def seed_rows(manifest: Manifest, metric: Metric) -> list[Json]:
    """Return each seed's value in each direction, spread sideways so that none hides another."""
    return [
        {
            "direction": pair_title(d),
            "seed": record.seed,
            "value": getattr(record, metric)[d],
            "spread": (index * _GOLDEN) % 1,
        }
        for index, record in enumerate(manifest.results.per_seed)
        for d in manifest.domains.directions
    ]
