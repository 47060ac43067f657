"""The first screen of an evaluator's page: is it served, what instead, how it judged."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final

from epc.analysis.judge_card import PLACES, CardFigure
from epc.analysis.succession import Agreement
from epc.records.choices import ALL, Choices
from epc.site.charts.forest import Forest, Mark, Panel
from epc.site.charts.lifeline import lifelines
from epc.site.charts.prices import asking_chart
from epc.site.front import PEOPLE, best_figure, page_of, right_of
from epc.site.pages import EvaluatorPage, Platform, Site
from epc.statistics.figures import Figure, figure_text

_MOST: Final = 6  # platforms in sight; all are in the fold with their dates and sources
_SHARES: Final = (
    ("accuracy", "right of two answers", "It was right in {} of 100 verdicts between two answers."),
    (PEOPLE, "agrees with most people", "It agreed with most people in {} of 100 verdicts."),
    (PLACES, "same verdict, places swapped", "With places swapped it kept {} of 100 verdicts."),
    ("repeat_consistency", "same verdict, asked again", "Asked again it kept {} of 100 verdicts."),
)
_EVERY: Final = "all domains"
_ONCE: Final = "Hollow: asked once. Full: eight times, with its 95% interval."


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """Replacement that its platforms name, its page, and how far the two were measured to agree.

    `closest` is the judge that agrees most of those that somebody serves, with its page.
    """

    name: str | None
    page: str | None
    measured: Agreement | None
    closest: Agreement | None
    closest_page: str | None


def long_day(day: date) -> str:
    """Return a day as it is read."""
    return f"{day.day} {day:%B %Y}"


def context(site: Site, page: EvaluatorPage) -> dict[str, Any]:
    """Return what the top of an evaluator's page is given."""
    first = page.chief
    judge = page.card.means or page.name
    right = right_of(site.registry.choices, judge)
    shares = [(best_figure(page.card, name), label, sentence) for name, label, sentence in _SHARES]
    recorded_shares = [(figure, label, sentence) for figure, label, sentence in shares if figure]
    in_sight = sorted(page.platforms, key=lambda platform: platform is not first)[:_MOST]
    return {
        "askings": asking_chart(site.registry.choices, judge),
        "chief": first,
        "second": _second(page, first, site.as_of),
        "instead": _instead(site, page, first),
        "title": _title(right),
        "forest": _forest(
            site, judge, right, [(figure, label) for figure, label, _ in recorded_shares]
        ),
        "is_missing": any(limit.because == "missing" for limit in page.card.limits),
        "may": tuple(
            _may(site, page, first, right, [(f, sentence) for f, _, sentence in recorded_shares])
        )[:3],
        "may_not": tuple(limit.says for limit in page.card.limits),
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


def _instead(site: Site, page: EvaluatorPage, first: Platform | None) -> Replacement:
    ordered = sorted(page.platforms, key=lambda service: service is not first)
    name = next((platform.replacement for platform in ordered if platform.replacement), None)
    named = page_of(site, name)
    succession = next(
        (candidate for candidate in site.successions if candidate.name == page.name), None
    )
    living = [successor.agreement for successor in succession.living] if succession else []
    pages = [page_of(site, agreement.model) for agreement in living]
    measured = next(
        (a for a, page_name in zip(living, pages, strict=True) if named and page_name == named),
        None,
    )
    return Replacement(
        name=name,
        page=named,
        measured=measured,
        closest=living[0] if living else None,
        closest_page=pages[0] if pages else None,
    )


def _domains(right: dict[str, Figure]) -> list[tuple[str, Figure]]:
    """Return the share of each domain, best first."""
    domains = [(name, figure) for name, figure in right.items() if name != ALL]
    return sorted(domains, key=lambda item: -(item[1].value or 0.0))


def _apart(right: dict[str, Figure]) -> tuple[tuple[str, Figure], tuple[str, Figure]] | None:
    """Return the best and the worst domain where their intervals do not meet."""
    domains = _domains(right)
    if len(domains) > 1:
        best, worst = domains[0], domains[-1]
        if best[1].ci95 and worst[1].ci95 and worst[1].ci95[1] < best[1].ci95[0]:
            return best, worst
    return None


def _title(right: dict[str, Figure]) -> str:
    apart = _apart(right)
    return f"Best on {apart[0][0]}, weakest on {apart[1][0]}" if apart else "What is known"


def _forest(
    site: Site, judge: str, right: dict[str, Figure], recorded_shares: list[tuple[CardFigure, str]]
) -> Forest | None:
    panels = []
    choices = site.registry.choices
    if right and choices:
        rows = [(_EVERY, right[ALL]), *_domains(right)]
        panels.append(
            Panel(
                title=f"Right of 100 questions, best of four ({choices.benchmark}; guessing "
                f"gives {100 * choices.chance:.0f})",
                marks=[
                    replace(_mark(label, figure), once=_once(choices, judge, label))
                    for label, figure in rows
                ],
                text=_hundredths,
                reach=(25, 100),
            )
        )
    if recorded_shares:
        ranked = sorted(recorded_shares, key=lambda item: -(item[0].value or 0.0))
        panels.append(
            Panel(
                title="Verdicts of 100, as others recorded",
                marks=[_mark(label, figure) for figure, label in ranked],
                text=_hundredths,
                reach=(50, 100),
            )
        )
    several = any(mark.once is not None for panel in panels for mark in panel.marks)
    return Forest(title="", note=_ONCE if several else "", panels=panels) if panels else None


def _once(choices: Choices, judge: str, label: str) -> float | None:
    """Return a judge's share where it is asked once, if it was asked more often too."""
    ways = {way.askings: n for n, way in enumerate(choices.ways) if way.models == (judge,)}
    if len(ways) < len((1, "more")) or 1 not in ways:
        return None
    return 100 * choices.domains[ALL if label == _EVERY else label].right[ways[1]]


def _mark(label: str, figure: Figure | CardFigure) -> Mark:
    low, high = figure.ci95 or (None, None)
    interval = None if low is None or high is None else (100 * low, 100 * high)
    return Mark(label=label, value=100 * (figure.value or 0.0), interval=interval)


def _hundredths(value: float) -> str:
    return f"{value:.1f}"


def _may(
    site: Site,
    page: EvaluatorPage,
    first: Platform | None,
    right: dict[str, Figure],
    recorded_shares: list[tuple[CardFigure, str]],
) -> Iterator[str]:
    choices = site.registry.choices
    if right and choices:
        name = page.card.means or page.name
        askings = max(way.askings for way in choices.ways if way.models == (name,))
        times = "once" if askings == 1 else f"{askings} times"
        yield f"Asked {times}, it was right on {_share(right[ALL])} of 100 questions."
        if apart := _apart(right):
            yield f"It was right on {_share(apart[0][1])} of 100 {apart[0][0]} questions."
    for figure, sentence in recorded_shares:
        yield sentence.format(_share(figure))
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
    elif state.status == "current":
        yield f"{place} states no end."


def _share(figure: Figure | CardFigure) -> str:
    return figure_text(figure.value, figure.ci95, ".1c")
