"""Addresses that people type: every alias of an evaluator that is a plain name.

An alias leads to the evaluator's page, and has its JSON. A name with a platform, a region or a
maker in front (`openai/gpt-4o`, `eu.anthropic.claude-opus-5`) has no files: the 404 page finds it
in the file of all names. Neither has a name that is no harmless part of an address; it stands on
its evaluator's page.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from epc.records.strict_json import dumps
from epc.registry.calendar import calendar
from epc.registry.expiry import days_away
from epc.site import api, badges, feeds
from epc.site.pages import EvaluatorPage, Platform, Site
from epc.site.with_mkdocs import guarded

# ASCII alone, so that no letter is drawn as another script's; no dot in front, no file's ending.
_PLAIN: Final = re.compile(
    r"(?![A-Za-z0-9-]+\.[A-Za-z])"  # `eu.anthropic.NAME` and `ai21.NAME`, but not `gpt-4.1`
    r"[A-Za-z0-9][A-Za-z0-9_.:@+-]{,119}(?<!\.)(?<!\.(?:svg|xml|ics))(?<!\.json)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Alias:
    """A name below `evaluators/` at which no evaluator's own page is, and whom it means.

    Where that is several, the reader chooses.
    """

    place: str
    means: tuple[EvaluatorPage, ...]


def platforms(site: Site) -> dict[str, list[tuple[EvaluatorPage, Platform]]]:
    """Return all that each platform serves, by its name; none that is also an evaluator's."""
    by_platform: dict[str, list[tuple[EvaluatorPage, Platform]]] = {}
    for page in site.evaluators:
        for platform in page.platforms:
            by_platform.setdefault(platform.record.platform, []).append((page, platform))
    evaluators = {page.name.casefold() for page in site.evaluators}
    return {name: by_platform[name] for name in sorted(by_platform) if name not in evaluators}


def aliases(site: Site) -> list[Alias]:
    """Return every alias that is a plain name, in the order of their addresses."""
    by_name: dict[str, list[tuple[tuple[bool, bool], EvaluatorPage]]] = {}
    for page in site.evaluators:
        generation = site.registry.generations.get(page.name)
        for life in generation.lives if generation else ():
            elsewhere = generation is not None and not generation.is_makers(life)
            for name in dict.fromkeys((life.model, *life.aliases)):
                rank = name != life.model, elsewhere
                by_name.setdefault(name, []).append((rank, page))
    names = {page.name for page in site.evaluators} | platforms(site).keys()
    return [
        Alias(place=name, means=_best(options))
        for name, options in sorted(by_name.items())
        if name not in names and _PLAIN.fullmatch(name)
    ]


def _best(options: list[tuple[tuple[bool, bool], EvaluatorPage]]) -> tuple[EvaluatorPage, ...]:
    """Return whom a name means best, each evaluator once.

    A model's own name goes before an alias, and its maker's platform before others.
    """
    best = min(rank for rank, _ in options)
    return tuple({page.name: page for rank, page in options if rank == best}.values())


def files(site: Site, alias: Alias) -> Iterator[tuple[str, str | bytes]]:
    """Yield what answers at an alias: a page that leads on, and a copy of the JSON."""
    yield f"evaluators/{alias.place}/index.html", _leading(site, alias)
    if len(alias.means) == 1:
        document = api.evaluator(site, alias.means[0])
        yield f"{api.HOME}/evaluators/{alias.place}.json", dumps(document)


def for_people(site: Site, page: EvaluatorPage) -> Iterator[tuple[str, str | bytes]]:
    """Yield an evaluator's badge, calendar and feed, if these have something to say."""
    if page.has_badge:
        yield f"badges/{page.name}.svg", badges.svg(page)
    if is_followed(site, page):
        states = [platform.standing.state for platform in page.platforms]
        states += [snapshot.row.standing.state for snapshot in page.snapshots]
        path, about = f"feeds/{page.name}.xml", f"evaluators/{page.name}/"
        yield f"calendars/{page.name}.ics", calendar(states, name=f"EPC: {page.name}")
        yield path, feeds.of_evaluators(site, [page], name=page.name, path=path, about=about)


def is_followed(site: Site, page: EvaluatorPage) -> bool:
    """Return whether an evaluator has a calendar and a feed.

    Once it has ended everywhere there is no end to come. Both stay for the days of notice, in which
    an end may be corrected.
    """
    states = [platform.standing.state for platform in page.platforms]
    recent = days_away(site.as_of, -site.registry.policy.notice)
    return not states or any(s.status != "expired" or (s.since or recent) >= recent for s in states)


def sets(site: Site) -> Iterator[tuple[str, str | bytes]]:
    """Yield calendar and feed of every end that is known, and of those on each platform."""
    served = [(page, platform) for page in site.evaluators for platform in page.platforms]
    yield from _set(site, served, "retirements", ("retirements.ics", "retirements.xml"), "")
    for name, here in platforms(site).items():
        places = (f"calendars/{name}.ics", f"feeds/{name}.xml")
        yield from _set(site, here, f"models on {name}", places, f"{name}/")


def _set(
    site: Site,
    served: list[tuple[EvaluatorPage, Platform]],
    name: str,
    places: tuple[str, str],
    about: str,
) -> Iterator[tuple[str, str | bytes]]:
    states = [platform.standing.state for _, platform in served]
    yield places[0], calendar(states, name=f"EPC: {name}")
    alone = [replace(page, platforms=(platform,), snapshots=()) for page, platform in served]
    about = f"evaluators/{about}"
    yield places[1], feeds.of_evaluators(site, alone, name=name, path=places[1], about=about)


def _leading(site: Site, alias: Alias) -> str:
    """Return a page that leads on to the evaluator's, or from which the reader chooses."""
    first, *further = alias.means
    ranked = [
        f'<meta http-equiv="refresh" content="0; url=../{first.name}/">',
        f'<link rel="canonical" href="{site.address}evaluators/{first.name}/">',
    ][: 0 if further else 2 if site.address else 1]
    phrase = "may mean one of these" if further else "is a name of this evaluator"
    listed = [f'<li><a href="../{page.name}/">{page.name}</a></li>' for page in alias.means]
    lines = [
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f"<title>{alias.place} - EPC registry</title>",
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="robots" content="noindex">',
        *ranked,
        "</head>",
        "<body>",
        "<main>",
        f"<h1>{alias.place}</h1>",
        f"<p>{alias.place} {phrase}:</p>",
        "<ul>",
        *listed,
        '<li><a href="../">All evaluators</a></li>',
        "</ul>",
        "</main>",
        "</body>",
        "</html>\n",
    ]
    return guarded("\n".join(lines), ())
