"""Addresses that people guess: every alias, every `platform/model`, and each in small letters.

They lead to what stands at an evaluator's own name. There are as many as the registry knows names,
however many snapshots it holds. A name that is no harmless part of an address has none; it stands
on its evaluator's page.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from epc.records.strict_json import dumps
from epc.registry.calendar import calendar
from epc.registry.names import skeleton
from epc.site import api, badges, feeds
from epc.site.pages import EvaluatorPage, Platform, Site
from epc.site.policy import guarded

# ASCII alone, so that no letter is drawn as another script's; no dot in front, no file's ending.
_PART: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:@+-]*(?<!\.)(?<!\.(?:svg|xml|ics))(?<!\.json)")
_LONGEST: Final = 120
_OWN, _OTHERS = 0, 1  # how well a name stands for an evaluator: its own name, or another spelling


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """An evaluator that a name stands for, on one platform if the name says on which."""

    page: EvaluatorPage
    platform: str | None

    @property
    def name(self) -> str:
        """What it is called in calendars and feeds, wherever copies of these are."""
        if self.platform is None:
            return self.page.name
        return f"{self.platform}/{self.page.platforms[0].record.model}"

    @property
    def href(self) -> str:
        """Where it stands, from the folder of evaluators."""
        return f"{self.page.name}/{f'#{self.platform}' if self.platform else ''}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Guess:
    """A name below `evaluators/` at which no evaluator's own page is, and what it means.

    Where that is several, or the name is drawn as one of another evaluator, the reader chooses.
    `spelt` is false of one that nobody writes: a name put into small letters.
    """

    place: str
    means: tuple[Meaning, ...]
    spelt: bool


def platforms(site: Site) -> dict[str, list[tuple[EvaluatorPage, Platform]]]:
    """Return all that each platform serves, by its name; none that is also an evaluator's."""
    by_platform: dict[str, list[tuple[EvaluatorPage, Platform]]] = {}
    for page in site.evaluators:
        for platform in page.platforms:
            by_platform.setdefault(platform.record.platform, []).append((page, platform))
    own = {page.name.casefold() for page in site.evaluators}
    return {name: by_platform[name] for name in sorted(by_platform) if name not in own}


def guesses(site: Site) -> list[Guess]:
    """Return every guess, in the order of their addresses."""
    by_name: dict[str, list[tuple[tuple[int, bool], Meaning]]] = {}
    for page in site.evaluators:
        for name, rank, meaning in _spelled(site, page):
            by_name.setdefault(name, []).append((rank, meaning))
    spelt = set(by_name)
    for name in sorted(spelt):
        if name.lower() not in spelt:
            by_name.setdefault(name.lower(), []).extend(by_name[name])
    means = {name: _best(options) for name, options in by_name.items()}
    drawn: dict[tuple[str, ...], dict[str, Meaning]] = {}
    for name, meanings in means.items():
        for meaning in meanings:
            drawn.setdefault(_drawn(name), {}).setdefault(meaning.page.name, meaning)
    taken = {page.name for page in site.evaluators} | platforms(site).keys()
    return [
        Guess(
            place=name,
            means=meanings if len(alike) == 1 else tuple(alike.values()),
            spelt=name in spelt,
        )
        for name, meanings in sorted(means.items())
        if name not in taken and _is_harmless(name)
        for alike in [drawn[_drawn(name)]]
    ]


def _drawn(name: str) -> tuple[str, ...]:
    """Return what a reader sees of each part of a name."""
    return tuple(map(skeleton, name.split("/")))


def _spelled(site: Site, page: EvaluatorPage) -> Iterator[tuple[str, tuple[int, bool], Meaning]]:
    """Yield each name of an evaluator, how well it stands for it, and what it means."""
    whole = Meaning(page=page, platform=None)
    yield page.name, (_OWN, False), whole
    generation = site.registry.generations.get(page.name)
    for life, platform in zip(generation.lives if generation else (), page.platforms, strict=True):
        elsewhere = generation is not None and not generation.is_makers(life)
        ranks = {page.name: (_OWN, False)}
        ranks |= dict.fromkeys(life.aliases, (_OTHERS, elsewhere))
        ranks |= {life.model: (_OWN, elsewhere)}
        here = Meaning(page=replace(page, platforms=(platform,)), platform=life.platform)
        for name, rank in ranks.items():
            if name != page.name:
                yield name, rank, whole
            yield f"{life.platform}/{name}", rank, here


def _best(options: list[tuple[tuple[int, bool], Meaning]]) -> tuple[Meaning, ...]:
    """Return what a name stands for best, each evaluator once."""
    best = min(rank for rank, _ in options)
    return tuple({each.page.name: each for rank, each in options if rank == best}.values())


def _is_harmless(name: str) -> bool:
    return len(name) <= _LONGEST and all(_PART.fullmatch(part) for part in name.split("/"))


def files(site: Site, guess: Guess) -> Iterator[tuple[str, str | bytes]]:
    """Yield what answers at a guess: a page that leads on, and copies of what programs read.

    The site need hold no more than what the first evaluator that is meant may look at.
    """
    yield f"evaluators/{guess.place}/index.html", _leading(site, guess)
    if len(guess.means) == 1 and guess.spelt:
        for pattern, content in _copied(site, guess.means[0]):
            yield pattern.format(guess.place), content


def _copied(site: Site, meaning: Meaning) -> Iterator[tuple[str, str | bytes]]:
    """Yield what programs read of an evaluator, each with the pattern of its place."""
    page = meaning.page
    yield f"{api.HOME}/evaluators/{{}}.json", dumps(api.evaluator(site, page))
    yield f"{api.HOME}/badges/{{}}.json", dumps(badges.endpoint(page))
    yield "badges/{}.svg", badges.svg(page)
    yield from subscriptions(site, meaning)


def subscriptions(site: Site, meaning: Meaning) -> Iterator[tuple[str, str | bytes]]:
    """Yield calendar and feed of an evaluator, each with the pattern of its place.

    Their names are its own, wherever a copy is, so that nobody subscribes twice unawares.
    """
    page, name = meaning.page, meaning.name
    states = [platform.standing.state for platform in page.platforms]
    states += [snapshot.row.standing.state for snapshot in page.snapshots]
    yield "calendars/{}.ics", calendar(states, name=f"EPC: {name}")
    own = f"feeds/{name if _is_harmless(name) else page.name}.xml"
    about = f"evaluators/{meaning.href}"
    yield "feeds/{}.xml", feeds.of_evaluators(site, [page], name=name, path=own, about=about)


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


def _leading(site: Site, guess: Guess) -> str:
    """Return a page that leads on to the evaluator's, or from which the reader chooses."""
    up = "../" * (guess.place.count("/") + 1)
    first, *others = guess.means
    own = [
        f'<meta http-equiv="refresh" content="0; url={up}{first.href}">',
        f'<link rel="canonical" href="{site.address}evaluators/{first.page.name}/">',
    ][: 0 if others else 2 if site.address else 1]
    phrase = "may mean one of these" if others else "is a name of this evaluator"
    listed = [f'<li><a href="{up}{m.href}">{m.page.name}</a></li>' for m in guess.means]
    lines = [
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f"<title>{guess.place} - EPC registry</title>",
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="robots" content="noindex">',
        *own,
        "</head>",
        "<body>",
        "<main>",
        f"<h1>{guess.place}</h1>",
        f"<p>{guess.place} {phrase}:</p>",
        "<ul>",
        *listed,
        f'<li><a href="{up}">All evaluators</a></li>',
        "</ul>",
        "</main>",
        "</body>",
        "</html>\n",
    ]
    return guarded("\n".join(lines), ())
