"""What the evaluator prefers: win rates, ties, and whether it judges the place or the answer."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any, Final

from epc.printable import begun
from epc.protocol.results import Json
from epc.records.manifest import Manifest
from epc.report.charts.chart import (
    INK,
    MUTED,
    WIDTH,
    Chart,
    colours,
    layer,
    listed,
    quantity,
    told,
)
from epc.site.pages import WinRate
from epc.statistics.intervals import share_interval

_EVEN: Final = 0.5
_SMALL: Final = 0.1


def win_rates_chart(rates: Sequence[WinRate]) -> Chart:
    """Return each strategy's share of wins against the baseline, in each domain."""
    rows = [
        {"strategy": rate.strategy, "domain": rate.domain}
        | _share(rate.wins, rate.wins + rate.losses)
        | {"ties": rate.ties}
        for rate in rates
    ]
    names = list(dict.fromkeys(rate.strategy for rate in rates))
    domains = list(dict.fromkeys(rate.domain for rate in rates))
    decided = [row for row in rows if row["decided"]]
    alternative = _rates_words(names, domains, rows)
    y = listed("strategy", names, labelLimit=140)
    facts = told(strategy="strategy", domain="domain", wins="wins", decided="of", ties="ties")
    return Chart(
        name="win-rates",
        title="How often each strategy wins, by domain",
        note="Share of A among decided comparisons with the baseline, with Wilson's 95% interval; "
        "a strategy whose comparisons were all ties has no dot.",
        alternative=alternative,
        content={
            "width": WIDTH - 75,
            "height": {"step": 13},
            "layer": [_half(), *_shares(decided, y, facts, domains)],
        },
        rows=rows,
    )


def _share(wins: int, decided: int) -> Json:
    low, high = share_interval(wins, decided) or (None, None)
    rate = wins / decided if decided else None
    return {"rate": rate, "low": low, "high": high, "wins": wins, "decided": decided}


def _rates_words(names: list[str], domains: list[str], rows: list[Json]) -> str:
    """Return in words where two domains part most."""
    rates = {(row["strategy"], row["domain"]): row["rate"] for row in rows}
    both = [
        (abs(rates[name, one] - rates[name, other]), name, one, other)
        for name in names
        for one, other in combinations(domains, 2)
        if None not in (rates[name, one], rates[name, other])
    ]
    if not both:
        return "No strategy has decided comparisons in both domains."
    gap, name, one, other = max(both)
    if not gap:
        decided = len({name for _, name, _, _ in both})
        return f"All {decided} strategies that were decided in both domains win alike in both."
    return (
        f"The domains part most on {name}: it wins {rates[name, one]:.0%} of its decided "
        f"comparisons in {one} and {rates[name, other]:.0%} in {other}."
    )


def ties_chart(manifest: Manifest) -> Chart:
    """Return the share of ties in each phase."""
    summary = manifest.results.summary
    rows: list[Json] = []
    by_phase, order = summary.tie_rate_by_phase.items(), manifest.domains.phase_names
    for phase, ties in sorted(by_phase, key=lambda item: order.index(item[0])):
        low, high = ties.ci95 or (None, None)
        name = phase.replace("_", " ")
        rows.append({"phase": name, "rate": ties.mean, "low": low, "high": high})
    mean = summary.tie_rate.mean
    alternative = f"{mean:.1%} of the rounds were ties: " + ", ".join(
        f"{row['phase']} {row['rate']:.1%}" for row in rows
    )
    y = listed("phase", [row["phase"] for row in rows])
    facts = told(phase="phase", rate="ties", low="from", high="to")
    ends = (float(row["high"] or row["rate"]) for row in rows)
    return Chart(
        name="ties",
        title="Ties, by phase",
        note="Share of rounds that moved no weight, with its 95% interval over seeds.",
        alternative=f"{alternative}.",
        content={
            "width": WIDTH - 40,
            "height": {"step": 24},
            # An axis that shows small shares as small.
            "layer": _shares(rows, y, facts, most=max([_SMALL, *ends])),
        },
        rows=rows,
    )


def position_chart(manifest: Manifest) -> Chart | None:
    """Return how often the first place wins; None where the record does not say."""
    diagnostics = manifest.results.summary.diagnostics
    if not diagnostics:
        return None
    groups = (
        (diagnostics.answers, "all answers"),
        (diagnostics.self_comparisons, "two equal answers"),
    )
    rows = []
    for shares, label in groups:
        hits = round((shares.share_of_a or 0) * shares.decided)
        rows.append({"between": label} | _share(hits, shares.decided))
    counted = [row for row in rows if row["decided"]]
    alternative = "; ".join(
        f"between {row['between']} it said A in {row['wins']} of {row['decided']}"
        if row["decided"]
        else f"between {row['between']} it never decided"
        for row in rows
    )
    alternative = f"{begun(alternative)}."
    y = listed("between", [row["between"] for row in rows])
    facts = told(between="between", wins="A", decided="of")
    return Chart(
        name="position-bias",
        title="Does the first place win?",
        note="Share of A with Wilson's 95% interval. Between two equal answers (the baseline "
        "against itself), a share away from one half means that it judges the place.",
        alternative=alternative,
        content={
            "width": WIDTH - 60,
            "height": {"step": 26},
            "layer": [_half(), *_shares(counted, y, facts)],
        },
        rows=[{"a" if key == "wins" else key: row[key] for key in row} for row in rows],
    )


def _half() -> Json:
    mark = {"type": "rule", "color": MUTED, "strokeDash": [4, 3]}
    return layer([{"rate": _EVEN}], mark, x=quantity("rate", domain=[0, 1]))


def _shares(
    rows: list[Json],
    y: Json,
    facts: list[Json],
    domains: Sequence[str] = (),
    *,
    most: float = 1,
) -> list[Json]:
    """Return the layers of shares with their intervals, the domains apart if they are named."""
    axis = {"format": ".0%", "title": None, "tickCount": 4}
    value = quantity("rate", domain=[0, most]) | {"axis": axis}
    apart: dict[str, Any] = {}
    if domains:
        colour = {"field": "domain", "type": "nominal", "scale": colours(list(domains))}
        apart = {"color": colour, "yOffset": {"field": "domain", "type": "nominal"}}
    mark = {"opacity": 1} if domains else {"opacity": 1, "color": INK}
    spread = [row for row in rows if row["low"] is not None]
    low, end = value | {"field": "low"}, {"field": "high"}
    rule = layer(spread, {"type": "rule", "size": 2, **mark}, y=y, x=low, x2=end, **apart)
    dot = {"type": "point", "filled": True, "size": 55, **mark}
    return [
        *([rule] if spread else []),
        layer(rows, dot, y=y, x=value, tooltip=facts, **apart),
    ]
