"""A run's seeds and its excess coupling as charts."""

from typing import Final

from msgspec.structs import astuple

from epc.protocol.results import Json
from epc.records.manifest import Manifest
from epc.registry.record import AuditSummary
from epc.report.charts.chart import (
    Chart,
    dots,
    rows_of,
    tooltip_fields,
)
from epc.report.coupling_text import MEANING
from epc.report.figure import Estimates, Metric, band, panel, seed_rows
from epc.simulation.training import coin_bands
from epc.spec.coupling import UNKNOWN_QUALITY
from epc.spec.domains import pair_title
from epc.statistics.figures import ONE_SEED, figure_text

_AXES: Final = {"gamma": "gamma", "jsd": "JSD (nats)"}
_NAMES: Final = {"gamma": "gamma", "jsd": "JSD"}
MOST_SEEDS: Final = 200  # dots a direction; more are thinned to as many evenly spaced ranks


def gamma_chart(manifest: Manifest) -> Chart:
    """Return gamma of every seed on the noise floor of this very measurement."""
    floors = manifest.results.summary.control.noise_floor
    bands = [band(d, *astuple(floors[d])) for d in manifest.domains.directions]
    noise = "where 95% of single seeds lie without a change of domain"
    return _chart(manifest, "gamma", bands=bands, noise=noise, floor="noise floor")


def jsd_chart(manifest: Manifest) -> Chart:
    """Return JSD of every seed on what a coin flip gives."""
    coin = coin_bands(manifest.configuration)["jsd"]
    bands = [band(d, *astuple(coin)) for d in manifest.domains.directions]
    noise = "where 90% of the seeds of a coin flip lie"
    return _chart(manifest, "jsd", bands=bands, noise=noise, floor="coin flip")


def _chart(
    manifest: Manifest, metric: Metric, *, bands: list[Json], noise: str, floor: str
) -> Chart:
    estimates: Estimates = getattr(manifest.results.summary, metric)
    seeds = seed_rows(manifest, metric)
    content = panel(_AXES[metric], bands, _thinned(seeds, len(bands)), estimates)
    _, _, dots, *means = content["layer"]
    dots["encoding"]["tooltip"] = tooltip_fields(
        direction="direction", seed="seed", value=_AXES[metric]
    )
    for average in means:
        average["encoding"]["tooltip"] = tooltip_fields(direction="mean", value=_AXES[metric])
    alternative = _finding(manifest, metric, bands, seeds, floor)
    thinned = (
        f", thinned to {MOST_SEEDS} evenly spaced ranks"
        if _too_many_seeds(seeds, len(bands))
        else ""
    )
    read = f" By section 5.2 of the paper: {'; '.join(manifest.readings)}."
    return Chart(
        name=metric,
        title=f"{_NAMES[metric]} of each seed, on its noise",
        note=f"Dots: seeds{thinned}. Diamond: the mean with its 95% bootstrap interval. "
        f"Grey: {noise}, with their mean.{read if metric == 'gamma' else ''}",
        alternative=alternative,
        content=content,
        rows=[
            {"seed": row["seed"], "direction": row["direction"], metric: row["value"]}
            for row in seeds
        ],
    )


def _finding(
    manifest: Manifest, metric: Metric, bands: list[Json], seeds: list[Json], floor: str
) -> str:
    """Return in words how the mean lies to the noise, and how many seeds leave the band."""
    estimates: Estimates = getattr(manifest.results.summary, metric)
    parts = []
    for direction, interval in zip(manifest.domains.directions, bands, strict=True):
        values = [row["value"] for row in seeds if row["direction"] == interval["direction"]]
        inside = sum(interval["low"] <= value <= interval["high"] for value in values)
        mean = estimates[direction].mean
        parts.append(
            f"{pair_title(direction)}: mean {mean:.3f}, {floor} {interval['middle']:.3f}, "
            f"{inside} of {len(values)} seeds inside the grey band"
        )
    return f"{_NAMES[metric]} by seed. {'; '.join(parts)}."


def _too_many_seeds(seeds: list[Json], directions: int) -> bool:
    return len(seeds) > MOST_SEEDS * directions


def _thinned(seeds: list[Json], directions: int) -> list[Json]:
    """Return the rows to draw: all, or the same number of ranks of each direction."""
    if not _too_many_seeds(seeds, directions):
        return seeds
    spread = []
    for offset in range(directions):  # a seed's rows are in the order of the directions
        ranked = sorted(seeds[offset::directions], key=_value)
        last = len(ranked) - 1
        spread += [ranked[round(i * last / (MOST_SEEDS - 1))] for i in range(MOST_SEEDS)]
    return spread


def _value(row: Json) -> float:
    value: float = row["value"]
    return value


def excess_chart(manifest: Manifest, audit: AuditSummary) -> Chart:
    """Return excess coupling with its interval, against zero."""
    excess = manifest.results.summary.control.excess
    directions = manifest.domains.directions
    rows = rows_of((pair_title(d), excess[d].mean, excess[d].ci95) for d in directions)
    intervals = "; ".join(
        f"{pair_title(d)} {figure_text(excess[d].mean, excess[d].ci95, '+.3f', ONE_SEED)}"
        for d in directions
    )
    return Chart(
        name="excess",
        title="Excess coupling: what stands above the noise floor",
        note="Dot: the mean; line: its 95% interval. The upright line is the noise floor.",
        alternative=f"Excess coupling {intervals}. The audit's word: {audit.verdict}, "
        f"{MEANING[audit.verdict]}; {UNKNOWN_QUALITY}.",
        content=dots(rows, "excess coupling", [0], zero=True),
        rows=rows,
    )
