"""A run's seeds, noise floor and verdicts as charts."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import astuple

from epc.protocol.results import Json
from epc.records.manifest import Manifest
from epc.registry.record import AuditSummary
from epc.report.charts.chart import (
    BAND,
    FIRST,
    INK,
    MUTED,
    SECOND,
    THIRD,
    WIDTH,
    Chart,
    dots,
    layer,
    listed,
    quantity,
    rows_of,
    told,
)
from epc.report.coupling_text import MEANING
from epc.report.figure import Estimates, Metric, band, panel, seed_rows
from epc.simulation.training import coin_bands
from epc.site.pages import SnapshotPage
from epc.spec.coupling import UNKNOWN_QUALITY
from epc.spec.domains import pair_title
from epc.spec.judge_v1 import VERDICTS
from epc.statistics.figures import ONE_SEED, figure_text, spread_text

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
    dots["encoding"]["tooltip"] = told(direction="direction", seed="seed", value=_AXES[metric])
    for average in means:
        average["encoding"]["tooltip"] = told(direction="mean", value=_AXES[metric])
    alternative = _finding(manifest, metric, bands, seeds, floor)
    thinned = f", thinned to {MOST_SEEDS} evenly spaced ranks" if _many(seeds, len(bands)) else ""
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


def _many(seeds: list[Json], directions: int) -> bool:
    return len(seeds) > MOST_SEEDS * directions


def _thinned(seeds: list[Json], directions: int) -> list[Json]:
    """Return the rows to draw: all, or the same number of ranks of each direction."""
    if not _many(seeds, directions):
        return seeds
    spread = []
    for at in range(directions):  # a seed's rows are in the order of the directions
        ranked = sorted(seeds[at::directions], key=_value)
        last = len(ranked) - 1
        spread += [ranked[round(i * last / (MOST_SEEDS - 1))] for i in range(MOST_SEEDS)]
    return spread


def _value(row: Json) -> float:
    value: float = row["value"]
    return value


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


_STEP = {"step": 26}


def floor_chart(manifest: Manifest) -> Chart:
    """Return gamma's mean beside the two kinds of noise that it must be told from."""
    summary = manifest.results.summary
    coin = coin_bands(manifest.configuration)["gamma"]
    noise: list[Json] = [
        {"source": "a coin flip", "mean": coin.mean, "low": coin.low, "high": coin.high}
    ]
    means: list[Json] = []
    for pair in manifest.domains.pairs:
        direction = pair.key
        floor, gamma = summary.control.noise_floor[direction], summary.gamma[direction]
        same = f"{pair.target} to {pair.target}"
        noise.append({"source": same, "mean": floor.mean, "low": floor.q025, "high": floor.q975})
        low, high = gamma.ci95 or (None, None)
        means.append({"source": pair.title, "mean": gamma.mean, "low": low, "high": high})
    order = [noise[0], *(row for both in zip(noise[1:], means, strict=True) for row in both)]
    y = listed("source", [row["source"] for row in order])
    start, mean = quantity("low", "gamma", zero=True), quantity("mean", "gamma")
    end = {"field": "high"}
    facts = told(source="gamma of", mean="mean", low="from", high="to")
    bar = {"type": "bar", "color": BAND, "height": 16}
    tick = {"type": "tick", "color": MUTED, "thickness": 2, "height": 16}
    rule = {"type": "rule", "size": 2.5, "color": INK}
    dot: Json = {"type": "point", "shape": "diamond", "filled": True, "opacity": 1}
    dot |= {"size": 90, "color": INK}
    spread = [row for row in means if row["low"] is not None]
    alternative = _floor_words(noise, means)
    return Chart(
        name="noise-floor",
        title="What gamma is without any coupling",
        note="Grey: where single seeds lie (90% of a coin flip's, 95% of those without a change of "
        "domain), with their mean. Diamond: the measured mean with its 95% interval. "
        f"By section 5.2 of the paper: {'; '.join(manifest.readings)}.",
        alternative=alternative,
        content={
            "width": WIDTH - 40,
            "height": _STEP,
            "layer": [
                layer(noise, bar, y=y, x=start, x2=end, tooltip=facts),
                layer(noise, tick, y=y, x=mean),
                *([layer(spread, rule, y=y, x=start, x2=end)] if spread else []),
                layer(means, dot, y=y, x=mean, tooltip=facts),
            ],
        },
        rows=order,
    )


def _floor_words(noise: list[Json], means: list[Json]) -> str:
    measured = " and ".join(f"{row['source']} {row['mean']:.3f}" for row in means)
    without = ", ".join(
        f"{row['source']} {spread_text(row['mean'], row['low'], row['high'])}" for row in noise
    )
    return f"Mean gamma {measured}. Without any coupling it is: {without}."


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
