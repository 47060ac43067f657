"""The first screen of an evaluator's page: is it served, what instead, how it judged."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, Final

from epc.analysis.domains import Benchmark, Candidate
from epc.analysis.headline import Key
from epc.analysis.quotable import QuotableFigure, QuotableFigures
from epc.answers.domains import domains_of
from epc.answers.quotable import right_by_domain
from epc.records.choices import ALL, Choices
from epc.registry.lifecycles import OPEN_WEIGHTS
from epc.registry.registry import Registry
from epc.site.charts.forest import Forest, Mark, Panel
from epc.site.charts.lifeline import lifelines
from epc.site.charts.prices import asking_chart
from epc.site.front import page_of
from epc.site.measurements import known_count, measurements
from epc.site.pages import EvaluatorPage, Platform, Site
from epc.statistics.figures import Figure

_MOST: Final = 6  # platforms in sight; all are in the fold with their dates and sources
LABELS: Final[Mapping[Key, str]] = {
    "right": "right",
    "places": "same verdict, places swapped",
    "repeats": "same verdict, asked again",
    "people": "agrees with most people",
    "one_person": "chooses as one person did",
    "judges": "chooses as another judge does",
}
_EVERY: Final = "all alike"
# Title, form and factor of the panels of domains that have benchmarks of their own.
_DOMAIN_PANELS: Final = (
    ("Of 100, by domain, each on a benchmark of its own", "{:.1f}", 100),
    ("Rank correlation, by domain, each on a benchmark of its own", "{:.2f}", 1),
)
_ONCE: Final = "Hollow: asked once."


def long_day(day: date) -> str:
    """Return a day as it is read."""
    return f"{day.day} {day:%B %Y}"


def context(site: Site, page: EvaluatorPage) -> dict[str, Any]:
    """Return what the top of an evaluator's page is given."""
    first = page.chief
    quotable = page.card.quotable
    right = right_by_domain(site.registry, quotable)
    published = site.registry.snapshots.values()
    snapshots = [s for s in published if s.tag.generation in (page.name, quotable.target)]
    domains = [*domains_of(site.registry, snapshots, site.as_of)]
    in_sight = sorted(page.platforms, key=lambda platform: platform is not first)[:_MOST]
    return {
        "askings": asking_chart(site.registry.choices, quotable.target),
        "chief": first,
        "second": _second(page, first, site.as_of),
        "instead_page": _instead_page(site, page),
        "title": _title(right),
        "common": quotable.common,
        "alone": [(benchmark, judge.alone) for benchmark, judge in domains if judge.alone],
        "forest": _forest(site.registry, quotable, right, domains),
        "history": () if quotable.headline else quotable.history,
        "measurements": measurements(site, page),
        "known_count": known_count,
        "may": tuple(_may(quotable, first))[:3],
        "may_not": tuple(limit.says for limit in page.card.limits),
        "marks": [fault.says for fault in site.registry.faults if fault.id in quotable.marks],
        "in_sight": in_sight,
        "lifelines": lifelines(in_sight, site.as_of),
    }


def _second(page: EvaluatorPage, first: Platform | None, today: date) -> Platform | None:
    """Return its maker's platform in a graver state, or else the one whose day comes first."""
    if page.gravest:
        return page.gravest
    dated = [
        (day, platform)
        for platform in page.platforms
        if platform is not first
        and platform.standing.holds
        and (day := platform.standing.day(today))
    ]
    return min(dated, key=lambda item: item[0], default=(None, None))[1]


def _instead_page(site: Site, page: EvaluatorPage) -> str | None:
    """Return the page of the judge to turn to, if it has one."""
    return page_of(site, page.card.instead.name) if page.card.instead else None


def _domains(right: Mapping[str, Figure]) -> list[tuple[str, Figure]]:
    """Return the share of each domain, best first."""
    domains = [(name, figure) for name, figure in right.items() if name != ALL]
    return sorted(domains, key=lambda item: -(item[1].value or 0.0))


def _apart(right: Mapping[str, Figure]) -> tuple[tuple[str, Figure], tuple[str, Figure]] | None:
    """Return the best and the worst domain where their intervals do not meet."""
    domains = _domains(right)
    if len(domains) > 1:
        best, worst = domains[0], domains[-1]
        if best[1].ci95 and worst[1].ci95 and worst[1].ci95[1] < best[1].ci95[0]:
            return best, worst
    return None


def _title(right: Mapping[str, Figure]) -> str:
    apart = _apart(right)
    return f"Best on {apart[0][0]}, weakest on {apart[1][0]}" if apart else "What is known"


def _forest(
    registry: Registry,
    quotable: QuotableFigures,
    right: Mapping[str, Figure],
    domains: Sequence[tuple[Benchmark, Candidate]] = (),
) -> Forest | None:
    """Return the picture of all figures, a panel for each unit; nothing is pooled."""
    panels = []
    common, choices = quotable.common, registry.choices
    if common and choices:
        rows = [(_EVERY, right[ALL]), *_domains(right)]
        panels.append(
            Panel(
                title=f"Right of 100, best of four ({common.source}; guessing "
                f"gives {100 * choices.chance:.0f}), {_dated(common)}",
                marks=[
                    replace(_mark(label, figure), once=_once(choices, common, label))
                    for label, figure in rows
                ],
                text=_hundredths,
                reach=(25, 100),
            )
        )
    panels += _domain_panels(domains)
    of_domains = {(candidate.tag, candidate.value) for _, candidate in domains}
    recorded = [
        figure
        for figure in quotable.stated
        if figure.unit == "share"
        and not figure.is_common
        and (figure.tag, figure.value) not in of_domains
    ]
    if recorded:
        panels.append(_recorded_panel(recorded))
    several = any(mark.once is not None for panel in panels for mark in panel.marks)
    note = _ONCE if several else ""
    return Forest(title="", note=note, panels=panels) if panels else None


def _recorded_panel(figures: Sequence[QuotableFigure]) -> Panel:
    """Return the panel of recorded shares; what all have in common stands in its title."""
    origins = [f"{figure.source}, {_dated(figure)}" for figure in figures]
    common = f", {origins[0]}" if len({*origins}) == 1 else ""
    labels = [
        LABELS[figure.key] if common else f"{LABELS[figure.key]}, {origin}"
        for figure, origin in zip(figures, origins, strict=True)
    ]
    return Panel(
        title=f"Verdicts of 100{common}",
        marks=[_mark(label, figure) for label, figure in zip(labels, figures, strict=True)],
        text=_hundredths,
        reach=(50, 100),
    )


def _domain_panels(domains: Sequence[tuple[Benchmark, Candidate]]) -> Iterator[Panel]:
    """Yield a panel of shares and one of correlations: a row a domain, with its benchmark."""
    for title, form, factor in _DOMAIN_PANELS:
        is_share = factor != 1
        rows = [(b, c) for b, c in domains if (b.figure != "rank_correlation") == is_share]
        if rows:
            yield Panel(
                title=title,
                marks=[_domain_mark(benchmark, judge, factor) for benchmark, judge in rows],
                text=form.format,
                reach=(0, factor),
            )


def _domain_mark(benchmark: Benchmark, judge: Candidate, factor: int) -> Mark:
    low, high = (judge.figure.ci95 if judge.figure else None) or (None, None)
    interval = None if low is None or high is None else (factor * low, factor * high)
    label = f"{benchmark.domain}: {benchmark.says}, {benchmark.name}, {judge.dated}"
    dagger = " †" * bool(judge.marks)
    return Mark(label=f"{label}{dagger}", value=factor * judge.value, interval=interval)


def _dated(figure: QuotableFigure) -> str:
    return f"{figure.dated}{' †' * bool(figure.marks)}"


def _once(choices: Choices, common: QuotableFigure, label: str) -> float | None:
    """Return a judge's share where it is asked once, if it was asked more often too."""
    ways = {way.askings: n for n, way in enumerate(choices.ways) if way.tags == (common.tag,)}
    if common.askings == 1 or 1 not in ways:
        return None
    return 100 * choices.domains[ALL if label == _EVERY else label].right[ways[1]]


def _mark(label: str, figure: Figure | QuotableFigure) -> Mark:
    low, high = figure.ci95 or (None, None)
    interval = None if low is None or high is None else (100 * low, 100 * high)
    return Mark(label=label, value=100 * (figure.value or 0.0), interval=interval)


def _hundredths(value: float) -> str:
    return f"{value:.1f}"


def _may(quotable: QuotableFigures, first: Platform | None) -> Iterator[str]:
    """Yield what may be said: the headline, further figures, the service."""
    for figure in quotable.stated:
        yield f"It {figure.says}."
    if not quotable.stated and quotable.history:
        yield f"Before its end it {quotable.history[0].says}."
    if first:
        yield from _service(first)


def _service(first: Platform) -> Iterator[str]:
    state, place = first.standing.state, first.record.platform
    if state.status == "expired" and state.until:
        yield f"{place} ended it on {long_day(state.until)}."
    elif state.until:
        yield f"{place} serves it until {long_day(state.until)}."
    elif state.not_before:
        yield f"{place} serves it until {long_day(state.not_before)} at the least."
    elif first.record.pinned:
        yield "Nobody can change or retire it."
    elif place == OPEN_WEIGHTS:
        yield "Its weights are public: no platform can end it."
    elif state.status == "current":
        yield f"{place} states no end."
