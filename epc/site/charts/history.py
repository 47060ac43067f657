"""An evaluator through time: gamma, excess and JSD, with what happened to it drawn below."""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Final

from epc.protocol.results import Json
from epc.report.charts.chart import Chart
from epc.simulation.noise import Band
from epc.site.charts.timeline import Metric, directions, timeline
from epc.site.evidence import Evidence, bands_of
from epc.site.pages import EvaluatorPage, SnapshotPage
from epc.spec.domains import Pair, pair_title

_METRICS: Final = (
    Metric(name="gamma", title="gamma", place="gamma/", note=""),
    Metric(
        name="excess",
        title="excess coupling",
        place="control/excess/",
        note="The dashed line is the noise floor.",
    ),
    Metric(name="jsd", title="JSD (nats)", place="jsd/", note=""),
)


def history_charts(page: EvaluatorPage, evidence: Mapping[str, Evidence]) -> list[Chart]:
    """Return a picture of each figure that was ever published of an evaluator."""
    events = list(_events(page))
    coins = [bands_of(s.row.snapshot, evidence.get(s.row.tag)) for s in page.baselines]
    made = (_chart(page, metric, events, _band(coins, metric)) for metric in _METRICS)
    return [chart for chart in made if chart is not None]


def _chart(
    page: EvaluatorPage, metric: Metric, events: list[Json], band: Band | None
) -> Chart | None:
    # Where all runs failed they are drawn and said to be that: an address goes on answering.
    sound = [snapshot for snapshot in page.baselines if not snapshot.row.failed]
    drawn = sound or page.baselines
    rows = [row for snapshot in drawn for row in _measured(snapshot, metric)]
    if not rows:
        return None
    note = "Mean with its 95% interval where there is one; a level line is the time of measuring. "
    if band:
        note += "Grey: where 90% of the seeds of a coin flip lie. "
    if len(directions(rows)) > 1:
        note += "Directions side by side are of the same days. "
    if len(sound) < len(page.baselines):
        note += "Failed runs are not drawn. " if sound else "This is of failed runs only. "
    alternative = _words(page, metric, rows, band, events)
    return Chart(
        name=f"{metric.name}-history",
        title=f"{metric.title.split(' (', maxsplit=1)[0]} through time",
        note=note + metric.note,
        alternative=alternative,
        content=timeline(metric, rows, band, events),
        rows=[*rows, *events],
    )


def _measured(page: SnapshotPage, metric: Metric) -> Iterator[Json]:
    """Yield a row a direction that a snapshot states."""
    stated = {figure.name: figure for figure in page.figures}
    first, last = page.row.snapshot.first_day, page.row.snapshot.last_day
    assert first  # only recorded verdicts have no day, and they have no gamma
    assert last
    for name, figure in stated.items():
        direction = name.removeprefix(metric.place)
        if name != direction and Pair.is_key(direction):
            low, high = figure.interval or (None, None)
            middle = first + (last - first) / 2
            yield {
                "snapshot": page.row.tag,
                "direction": pair_title(direction),
                "day": middle.isoformat(),
                "from": first.isoformat(),
                "to": last.isoformat(),
                "mean": figure.mean,
                "low": low,
                "high": high,
                "n": page.row.n,
                **({"reading": figure.reading} if figure.reading else {}),
            }


def _band(coins: list[dict[str, Band] | None], metric: Metric) -> Band | None:
    """Return what a coin flip gives; None of excess, or where snapshots' conditions differ."""
    bands = {(coin or {}).get(metric.name) for coin in coins}
    return bands.pop() if len(bands) == 1 else None


def _events(page: EvaluatorPage) -> Iterator[Json]:
    """Yield what happened to an evaluator and its snapshots, and the ends to come."""
    for platform in page.platforms:
        record = platform.record
        for what, stated in record.stages.items():
            if stated:
                word = "kept until" if stated.kind == "not_before" else what
                yield _event(stated.date.isoformat(), word, record.platform, stated.kind)
        for route in record.routes:
            yield _event(route.date.isoformat(), "rerouted", record.platform, f"to {route.to}")
    for snapshot in page.baselines:
        tag, standing = snapshot.row.tag, snapshot.row.standing
        for event in snapshot.events:
            yield _event(event.date.isoformat(), event.event, tag, event.reason)
        if standing.state.until:
            until = standing.state.until.isoformat()
            yield _event(until, "expires", tag, standing.end_reason or "")


def _event(day: str, what: str, whose: str, why: str) -> Json:
    return {"day": day, "what": what, "of": whose, "why": why}


def _words(
    page: EvaluatorPage, metric: Metric, rows: list[Json], band: Band | None, events: list[Json]
) -> str:
    """Return the newest figures and the ends to come in words."""
    newest = max(row["day"] for row in rows)
    text = ", ".join(
        f"{row['direction']} {row['mean']:.3f}"
        + (f" ({low:.3f} to {row['high']:.3f})" if (low := row["low"]) is not None else "")
        + (f", {read}" if (read := row.get("reading")) else "")
        for row in rows
        if row["day"] == newest
    )
    noise = (
        f" A coin flip gives {band.mean:.2f}, {band.low:.2f} to {band.high:.2f}." if band else ""
    )
    as_of = page.baselines[0].row.standing.state.as_of
    ahead = sorted(
        {(e["day"], e["what"], e["of"]) for e in events if date.fromisoformat(e["day"]) > as_of}
    )
    ends = "; ".join(f"{of} {what} {day}" for day, what, of in ahead)
    count = len({row["snapshot"] for row in rows})
    return (
        f"{metric.title} in {count} snapshot{'s' if count > 1 else ''}; newest, {newest}: {text}."
        f"{noise} {f'To come: {ends}.' if ends else 'No end is stated.'}"
    )
