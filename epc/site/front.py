"""Content of the front page: who ends next, how judges were measured, and what changed."""

import re
from calendar import monthrange
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from typing import Any, Final

from epc.analysis.agreement import ReplacementJudge
from epc.analysis.choosing import Option
from epc.analysis.judge_card import JudgeCoupling
from epc.analysis.quotable import QuotableFigure
from epc.answers.choose import changed, listed_alone
from epc.answers.quotable import right_by_domain
from epc.answers.replacement import replacement_on
from epc.answers.resolve import resolve
from epc.records.choices import ALL
from epc.registry.lifecycles import OPEN_WEIGHTS
from epc.registry.listing import Change
from epc.registry.registry import Registry
from epc.site.pages import EvaluatorPage, Platform, Site
from epc.statistics.figures import Figure

_EXAMPLES: Final = (
    *("gpt-4o", "gpt-5.4-mini", "claude-sonnet-4-5", "gpt-4", "gemini-2.5-flash"),
    "claude-haiku-4-5",
)
_PLAIN: Final = re.compile(r"[\w. -]{1,40}", re.ASCII)
_ENDS, _JUDGES, _NEWS = 4, 5, 2  # rows: the page is read on a phone too


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """The first end of a day, what to turn to, with its page, and how many more end then."""

    page: EvaluatorPage
    platform: Platform
    instead: ReplacementJudge | None
    instead_page: str | None
    other_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """Row of a judge: where it is served, and what was measured of it.

    `right` is its share of right answers by domain, in the way that "Which judge?" lists.
    `headline` is what is stated of it first: that share, or another figure. `people` are several,
    or one. `place` is that in the answer of "Which judge?" for all kinds of task.
    """

    page: EvaluatorPage
    platform: Platform | None
    right: dict[str, Figure]
    headline: QuotableFigure | None
    people: QuotableFigure | None
    places: QuotableFigure | None
    coupling: JudgeCoupling | None
    place: int

    @property
    def marks(self) -> tuple[str, ...]:
        """Known faults that mark its figures."""
        figures = filter(None, (self.headline, self.people, self.places))
        return tuple(dict.fromkeys(mark for figure in figures for mark in figure.marks))


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """News of a day: a judge ended, or so many snapshots were published."""

    day: date
    page: EvaluatorPage | None = None
    platform: Platform | None = None
    published: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Month:
    """Events of a month: who ended, who came, and what happened to snapshots, newest first.

    A judge comes on the first day that a platform states. `answers` are those of "Which judge?" on
    the first and on the last day, where they differ, by domain.
    """

    first: date
    last: date
    ended: list[tuple[EvaluatorPage, Platform]]
    came: list[tuple[EvaluatorPage, date]]
    changes: list[Change]
    answers: Mapping[str, tuple[Sequence[Option], Sequence[Option]]] | None

    @property
    def counts(self) -> list[tuple[int, str]]:
        """How many of what, in words."""
        event_counts = Counter(change.event for change in self.changes)
        ended_names = {page.name for page, _ in self.ended}
        return [
            (len(ended_names), f"model{'s' * (len(ended_names) != 1)} ended on a platform"),
            (len(self.came), f"new model{'s' * (len(self.came) != 1)}"),
            *(
                (count, f"snapshot{'s' * (count != 1)} {name}")
                for name, count in event_counts.items()
            ),
        ]


def context(site: Site) -> dict[str, Any]:
    """Return what the template of the front page is given."""
    pages = {page.name: page for page in site.evaluators}
    examples = [pages[name] for name in _EXAMPLES if name in pages] or site.evaluators[:6]
    judges = measured(site)
    return {
        **table(site.registry, judges[:_JUDGES]),
        "ending": list(ending(site)),
        "examples": with_chief(examples),
        "count": len(judges),
        "news": news(site)[:_NEWS],
    }


def table(registry: Registry, judges: Sequence[Judge]) -> dict[str, Any]:
    """Return what the table of judges is given, in the order of "Which judge?"."""
    choices = registry.choices
    marks = {mark for judge in judges for mark in judge.marks}
    in_order = sorted(judges, key=lambda judge: judge.place)
    return {
        "faults": [fault.says for fault in registry.faults if fault.id in marks],
        "choices": choices,
        "domains": [ALL, *sorted({*choices.domains} - {ALL})] if choices else [],
        "judges": in_order,
        "compared": [judge for judge in in_order if judge.right],
        "others": [judge for judge in in_order if not judge.right],
    }


def makers(site: Site) -> dict[str, list[EvaluatorPage]]:
    """Return every evaluator by its maker, makers with the most first."""
    by_maker: dict[str, list[EvaluatorPage]] = {}
    for page in site.evaluators:
        by_maker.setdefault(page.maker or "unknown", []).append(page)
    return dict(sorted(by_maker.items(), key=lambda item: (-len(item[1]), item[0])))


def part(name: str) -> str:
    """Return a name as one part of an address; a digest where it is no harmless one."""
    plain = _PLAIN.fullmatch(name)
    return name.replace(" ", "-") if plain else sha256(name.encode()).hexdigest()[:12]


def with_chief(
    pages: Iterable[EvaluatorPage],
) -> list[tuple[EvaluatorPage, Platform | None]]:
    """Return each page with the platform that speaks first for it."""
    return [(page, page.chief) for page in pages]


def page_of(site: Site, name: str | None) -> str | None:
    """Return the evaluator whose page a name means, as a platform writes it."""
    models = resolve(site.registry, name, site.as_of).models if name else ()
    pages = site.registry.generations  # a list alone knows further ones
    return next((model for model in models if model in pages), None)


def ending(site: Site) -> Iterator[Ending]:
    """Yield the next days on which judges end, with the one that is best known of each day."""
    days: dict[date, list[tuple[EvaluatorPage, Platform]]] = {}
    for page in site.evaluators:
        for platform in page.platforms:
            until = platform.standing.state.until
            if until and until > site.as_of:
                days.setdefault(until, []).append((page, platform))
    for day in sorted(days)[:_ENDS]:
        page, platform = min(days[day], key=_prominence)
        names = {model_page.name for model_page, _ in days[day]}
        instead = instead_at(site, platform)
        yield Ending(
            page=page,
            platform=platform,
            instead=instead,
            instead_page=page_of(site, instead.name) if instead else None,
            other_count=len(names) - 1,
        )


def instead_at(site: Site, platform: Platform) -> ReplacementJudge | None:
    """Return the judge to turn to in place of a model on a platform."""
    text = f"{platform.record.platform}/{platform.record.model}"
    return replacement_on(site.registry, None, text, site.as_of).first


def _prominence(pair: tuple[EvaluatorPage, Platform]) -> tuple[bool, bool, int, str]:
    page, platform = pair
    return not page.snapshots, not platform.replacement, len(page.name), page.name


def measured(site: Site) -> list[Judge]:
    """Return the judges that somebody serves and that were measured, hosted ones first."""
    judges = []
    places = {model: n for n, model in enumerate(listed_alone(site.registry, site.as_of))}
    for page in site.evaluators:
        if page.card.means or not page.service.is_served:
            continue
        quotable = page.card.quotable
        judge = Judge(
            page=page,
            platform=page.chief,
            right=right_by_domain(site.registry, quotable),
            headline=quotable.headline,
            people=quotable.figure("people", "one_person"),
            places=quotable.figure("places"),
            coupling=page.card.coupling,
            place=places.get(page.name, len(places)),
        )
        real = not any(snapshot.row.snapshot.is_example for snapshot in page.snapshots)
        if real and (judge.headline or judge.coupling):
            judges.append(judge)
    return sorted(judges, key=lambda judge: (judge.place, not _is_hosted(judge.page)))


def _is_hosted(page: EvaluatorPage) -> bool:
    return any(platform.record.platform != OPEN_WEIGHTS for platform in page.platforms)


def news(site: Site) -> list[News]:
    """Return the newest day of publishing, and the best known of each day's ends, newest first."""
    published = Counter(change.date for change in site.changes if change.event == "published")
    lines = [News(day=day, published=published[day]) for day in sorted(published)[-1:]]
    days: dict[date, list[tuple[EvaluatorPage, Platform]]] = {}
    for page, platform in ended(site):
        days.setdefault(platform.standing.state.until or date.min, []).append((page, platform))
    for day, pairs in days.items():
        page, platform = min(pairs, key=_prominence)
        lines.append(News(day=day, page=page, platform=platform))
    return sorted(lines, key=lambda line: line.day, reverse=True)


def months(site: Site, limit: int) -> list[Month]:
    """Return what happened in each of the latest months, newest first."""
    ended_by_month: dict[date, list[tuple[EvaluatorPage, Platform]]] = defaultdict(list)
    new: dict[date, list[tuple[EvaluatorPage, date]]] = defaultdict(list)
    events: dict[date, list[Change]] = defaultdict(list)
    for page, platform in ended(site):
        ended_by_month[_month(platform.standing.state.until or date.min)].append((page, platform))
    for page in site.evaluators:
        days = [p.record.released.date for p in page.platforms if p.record.released]
        if days and min(days) <= site.as_of:
            new[_month(min(days))].append((page, min(days)))
    for change in reversed(site.changes):
        events[_month(change.date)].append(change)
    return [
        Month(
            first=first,
            last=last,
            ended=ended_by_month[first],
            came=sorted(new[first], key=lambda pair: pair[1], reverse=True),
            changes=events[first],
            answers=changed(site.registry, first, last),
        )
        for first in sorted({*ended_by_month, *new, *events}, reverse=True)[:limit]
        for last in [min(site.as_of, first.replace(day=monthrange(first.year, first.month)[1]))]
    ]


def _month(day: date) -> date:
    return day.replace(day=1)


def ended(site: Site) -> list[tuple[EvaluatorPage, Platform]]:
    """Return who was retired where, the latest first."""
    endings = [
        (platform.standing.state.until, page, platform)
        for page in site.evaluators
        for platform in page.platforms
        if platform.standing.state.status == "expired" and platform.standing.state.until
    ]
    endings.sort(key=lambda row: (row[0] or date.min, row[1].name), reverse=True)
    return [(page, platform) for _, page, platform in endings]
