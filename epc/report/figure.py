"""The picture of a measurement: what crosses between the domains, under the sentence that says it.

One Vega-Lite specification, rendered to SVG and PNG: the two panels of the HTML report. The colours
are of the Okabe-Ito set, which colour-blind readers can tell apart.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from textwrap import wrap
from typing import Final, Literal

from msgspec.structs import astuple

from epc.analysis.audit import Audit, audit_manifest
from epc.protocol.results import Json
from epc.records.manifest import Estimate, Manifest
from epc.report.audit_text import crossing
from epc.report.charts.chart import layer
from epc.report.charts.transfer import transfer_chart
from epc.report.coupling_text import MEANING, headline
from epc.report.document import sentence
from epc.report.picture import SCHEMA_6, render
from epc.spec.coupling import RULE
from epc.spec.domains import Direction, pair_title

Metric = Literal["gamma", "jsd"]
Estimates = Mapping[Direction, Estimate]
_NAME: Final = "figure"

_SEEDS, _MEAN, _BAND, _FLOOR = "#0072B2", "#000000", "#D9D9D9", "#555555"
_BAR: Final = 110  # pixels
_WIDE: Final = 130  # pixels a direction
_SPREAD: Final = {"domain": [-1, 2]}
_MIDDLE: Final = {"datum": 0.5, "type": "quantitative", "scale": _SPREAD}
_GOLDEN: Final = 0.6180339887498949  # spreads seeds evenly without a random state
_LINE: Final = 58  # characters of the title


def draw(manifest: Manifest, folder: Path) -> list[Path]:
    """Write the picture of a manifest into a folder and return the files.

    Raises: WorldError if the disk fails.
    """
    return render(specification(manifest), folder, _NAME)


def specification(manifest: Manifest) -> Json:
    """Return the Vega-Lite specification of a manifest's picture.

    Where too little was decided for what crosses, it shows gamma on its noise floor.
    """
    audit = audit_manifest(manifest)
    chart = transfer_chart(crossing(audit), word=audit.verdict, rule=RULE)
    title_text = _title_text(audit)
    measured = f"{manifest.protocol_version}, {manifest.evaluator.measurement_date}"
    title = {
        "text": wrap(title_text, _LINE),
        "subtitle": f"{manifest.evaluator.model} · {measured}",
        "anchor": "start",
        "subtitleColor": "#444444",
        "offset": 12,
    }
    if chart is not None:
        return {**chart.specification, "title": title, "background": "white"}
    floors = manifest.results.summary.control.noise_floor
    bands = [band(d, *astuple(floors[d])) for d in manifest.domains.directions]
    gamma = manifest.results.summary.gamma
    return {
        "$schema": SCHEMA_6,
        "description": title_text,
        "title": title,
        "background": "white",
        **panel("gamma", bands, seed_rows(manifest, "gamma"), gamma),
        "config": {"view": {"stroke": "#BBBBBB"}, "font": "sans-serif"},
    }


def _title_text(audit: Audit) -> str:
    """Return the audit's word, and in a sentence the direction that costs more."""
    name = audit.verdict.replace("_", " ")
    into = crossing(audit)
    if not into:
        return f"{sentence(name)} {sentence(MEANING[audit.verdict])}"
    costliest = max(into, key=lambda direction: into[direction].regret)
    return f"{sentence(name)} {sentence(headline(costliest, into[costliest]))}"


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
