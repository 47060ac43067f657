"""The noise floor laid open: which gamma comes without any coupling, and what is left over."""

from epc.protocol.results import Json
from epc.records.manifest import Manifest
from epc.registry.record import AuditSummary
from epc.report.charts.chart import (
    BAND,
    FIRST,
    INK,
    MUTED,
    WIDTH,
    Chart,
    layer,
    listed,
    quantity,
    told,
)
from epc.report.coupling_text import MEANING
from epc.simulation.noise import coin_bands
from epc.spec.coupling import UNKNOWN_QUALITY
from epc.spec.domains import pair_title
from epc.statistics.figures import ONE_SEED, figure_text, spread_text

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
    rows, directions = [], manifest.domains.directions
    for direction in directions:
        low, high = excess[direction].ci95 or (None, None)
        mean = excess[direction].mean
        rows.append({"direction": pair_title(direction), "excess": mean, "low": low, "high": high})
    y = listed("direction", list(map(pair_title, directions)))
    spread = [row for row in rows if row["low"] is not None]
    facts = told(direction="direction", excess="excess", low="from", high="to")
    rule = {"type": "rule", "size": 2.5, "color": FIRST}
    dot = {"type": "point", "filled": True, "size": 90, "opacity": 1, "color": FIRST}
    value = quantity("excess", "excess coupling")
    intervals = "; ".join(
        f"{pair_title(d)} {figure_text(excess[d].mean, excess[d].ci95, '+.3f', ONE_SEED)}"
        for d in directions
    )
    alternative = (
        f"Excess coupling {intervals}. The audit's word: {audit.verdict}, {MEANING[audit.verdict]}"
        f"; {UNKNOWN_QUALITY}."
    )
    zero = layer([{"zero": 0}], {"type": "rule", "color": MUTED, "strokeDash": [4, 3]})
    zero["encoding"]["x"] = quantity("zero", "excess coupling", zero=True)
    return Chart(
        name="excess",
        title="Excess coupling: what stands above the noise floor",
        note="Mean with its 95% interval; the dashed line is the noise floor.",
        alternative=alternative,
        content={
            "width": WIDTH - 40,
            "height": _STEP,
            "layer": [
                zero,
                *(
                    [layer(spread, rule, y=y, x=quantity("low"), x2={"field": "high"})]
                    if spread
                    else []
                ),
                layer(rows, dot, y=y, x=value, tooltip=facts),
            ],
        },
        rows=rows,
    )
