"""Judge to choose for a kind of task on a day, by what the registry has measured."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from itertools import zip_longest
from math import inf
from typing import Final

from epc.analysis.choosing import (
    STALE,
    Choice,
    Option,
    ReachResult,
    ShortList,
    short_list,
    ways_reaching,
)
from epc.analysis.quotable import STATED, FigureState
from epc.answers.resolve import resolve
from epc.answers.service import service_on
from epc.answers.snapshot_status import figure_state, status_on, turns_of
from epc.answers.turns import days_of_life, turns
from epc.answers.words import month
from epc.errors import UsageError
from epc.records.choices import ALL, Choices, models_of
from epc.records.faults import FaultEffect
from epc.registry.expiry import Expiry
from epc.registry.lifecycles import MOCKS, OPEN_WEIGHTS, Generation
from epc.registry.registry import Registry

_EMBEDDED: Final = ("local", "mock")  # platforms of what nobody would have judge
# Beginnings of names of models that answer no question, so that they can be no judges.
_NO_JUDGES: Final = ("embed", "whisper", "tts", "dall-e", "image", "sora", "veo", "imagen")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Note:
    """Month of the figures of a snapshot, its last day, the faults that mark them, and its age."""

    month: str
    day: date
    faults: tuple[FaultEffect, ...]
    is_stale: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Usable:
    """Ways that can be used on a day: by their numbers, who serves their judges, what marks them.

    `gone` are judges that nobody serves there. `notes` are by tag, `faults` by their ids.
    """

    day: date
    platform: str | None
    ways: tuple[int, ...]
    served: Mapping[str, Mapping[str, str]]
    gone: tuple[str, ...]
    notes: Mapping[str, _Note]
    faults: Mapping[str, FaultEffect]


def choose(
    registry: Registry,
    domain: str,
    day: date,
    *,
    platform: str | None = None,
    budget: float | None = None,
) -> Choice:
    """Return which judge to try first, and those that are not shown to be right less often.

    `budget` is in US dollars for 1,000 questions.

    Raises: UsageError if the registry compares no judges, none was measured in the domain, or the
    platform serves none of them.
    """
    choices = _choices(registry)
    usable = _narrowed(choices, _usable(registry, choices, day), platform)
    if platform and not usable.served:
        raise UsageError(
            f"{platform} serves no judge that was measured\n"
            "  fix: see the platforms' names in `epc evaluators list`, or leave --platform out"
        )
    choice = _choice(choices, usable, domain, budget)
    return replace(choice, untried=_untried(registry, choices, day, platform))


def choose_everywhere(registry: Registry, day: date) -> dict[str, Choice]:
    """Return by domain which judge to try first, on any platform and with any budget.

    Raises: UsageError if the registry compares no judges.
    """
    choices = _choices(registry)
    usable, untried = _usable(registry, choices, day), _untried(registry, choices, day, None)
    return {
        name: replace(choice, untried=untried)
        for name, choice in _unlimited(choices, usable).items()
    }


def listed_alone(registry: Registry, day: date) -> dict[str, Option]:
    """Return each judge that was tried alone, in the way that is listed for all kinds of task.

    Those that can be used stand in the order of the answer. Of a judge that nobody serves, or whose
    figures ended with it, it is the way in which it was right most often.
    """
    if registry.choices is None:
        return {}
    choices = registry.choices
    usable, domain = _usable(registry, choices, day), choices.domains[ALL]
    gone = [n for n in range(len(choices.ways)) if n not in usable.ways]
    gone.sort(key=lambda n: -domain.right[n])
    history = (Option(way=choices.ways[n], right=choices.figure(domain, n)) for n in gone)
    alone: dict[str, Option] = {}
    for option in (*_choice(choices, usable, ALL, None).ranked, *history):
        if len(option.way.models) == 1:
            alone.setdefault(option.way.models[0], option)
    return alone


def turns_of_listing(registry: Registry, day: date) -> list[date]:
    """Return the days after a day on which a judge that was tried is listed in another way."""
    listed = _askings_on(registry, day)
    changes = []
    for turn in turns_of_ways(registry, day):
        if (later_listed := _askings_on(registry, turn)) != listed:
            changes.append(turn)
            listed = later_listed
    return changes


def turns_of_ways(registry: Registry, day: date) -> list[date]:
    """Return the days after a day on which something may change of what was tried."""
    if registry.choices is None:
        return []
    days: set[date] = set()
    for way in registry.choices.ways:
        for model, tag in zip(way.models, way.tags, strict=True):
            if tag in registry.snapshots:
                days.update(turns_of(registry, tag, day))
            lives = registry.generations[model].lives if model in registry.generations else ()
            days.update(turn for life in lives for turn in days_of_life(registry, life))
    return turns(registry, days, day)


def turns_of_untried(registry: Registry, day: date) -> Iterator[tuple[date, tuple[str, ...]]]:
    """Yield the judges without a figure on a day, and on each later one on which they are others.

    Raises: UsageError if the registry compares no judges.
    """
    choices, before = _choices(registry), None
    lives = (life for generation in registry.generations.values() for life in generation.lives)
    days = {turn for life in lives for turn in days_of_life(registry, life)}
    for turn in (day, *sorted(turn for turn in days if turn > day)):
        judges = _untried(registry, choices, turn, None)
        if judges != before:
            yield turn, judges
        before = judges


def _askings_on(registry: Registry, day: date) -> dict[str, int]:
    return {model: option.way.askings for model, option in listed_alone(registry, day).items()}


def usable_on(registry: Registry, days: Iterable[date]) -> list[Usable]:
    """Return what can be used on some days, anywhere.

    Raises: UsageError if the registry compares no judges.
    """
    choices = _choices(registry)
    return [_usable(registry, choices, day) for day in days]


def steps_by_turn(
    choices: Choices, usables: Iterable[Usable], platform: str | None
) -> Iterator[tuple[date, list[tuple[float, Choice]]]]:
    """Yield the choices on the first day, and on each later one on which they may be others.

    They are those in each domain, with each budget from which on another way can be paid. The last
    of a domain is without a limit. Judges without a figure are not looked for.
    """
    for usable in _turning(choices, usables, platform):
        yield usable.day, list(_steps(choices, usable))


def first_by_turn(
    choices: Choices, usables: Iterable[Usable], platform: str
) -> Iterator[tuple[date, Choice]]:
    """Yield the choice at a platform for all kinds of task, on each day on which it may turn.

    Judges without a figure are not looked for.
    """
    for usable in _turning(choices, usables, platform):
        yield usable.day, _choice(choices, usable, ALL, None)


def _turning(choices: Choices, usables: Iterable[Usable], platform: str | None) -> Iterator[Usable]:
    """Yield what can be used at a platform, on the first day and whenever that is another."""
    before = None
    for usable in usables:
        narrowed = _narrowed(choices, usable, platform)
        order = [list(places) for places in narrowed.served.values()]  # as it is printed
        lasting = (replace(narrowed, day=date.min), order)
        if lasting != before:
            yield narrowed
        before = lasting


def _narrowed(choices: Choices, usable: Usable, platform: str | None) -> Usable:
    """Return what can be used at a platform, if one is named, of what can be used anywhere."""
    if not platform:
        return usable
    served = {
        model: {platform: places[platform]}
        for model, places in usable.served.items()
        if platform in places
    }
    return replace(
        usable,
        platform=platform,
        ways=tuple(n for n in usable.ways if served.keys() >= {*choices.ways[n].models}),
        served=served,
        gone=tuple(model for model in models_of(choices.ways) if model not in served),
    )


def _steps(choices: Choices, usable: Usable) -> Iterator[tuple[float, Choice]]:
    prices = {way.usd for n, way in enumerate(choices.ways) if way.usd and n in usable.ways}
    for domain in choices.domains:
        for usd in (0.0, *sorted(prices)):
            yield usd, _choice(choices, usable, domain, usd)
        yield inf, _choice(choices, usable, domain, None)


def _choice(choices: Choices, usable: Usable, domain: str, budget: float | None) -> Choice:
    instructed = [n for n in usable.ways if not choices.ways[n].scores_alone]
    scored = [n for n in usable.ways if choices.ways[n].scores_alone]
    short, scorers = (
        _marked(short_list(choices, domain, usable=ways, budget=budget), usable.notes)
        for ways in (instructed, scored)
    )
    return Choice(
        as_of=usable.day.isoformat(),
        platform=usable.platform,
        budget=budget,
        benchmark=choices.benchmark,
        decides=choices.decides,
        chance=choices.chance,
        short=short,
        scorers=scorers,
        served=usable.served,
        gone=usable.gone,
        faults=usable.faults,
    )


def _unlimited(choices: Choices, usable: Usable) -> dict[str, Choice]:
    """Return the choice in each domain without a budget, but for judges without a figure."""
    return {name: _choice(choices, usable, name, None) for name in choices.domains}


def changed(
    registry: Registry, begin: date, end: date
) -> dict[str, tuple[tuple[Option, ...], tuple[Option, ...]]] | None:
    """Return by domain what is listed first on two days, where that differs; None if nothing is.

    Both days have the figures of today, so who is served on them can differ, and what is too old.
    """
    choices = registry.choices
    if choices is None:
        return None
    before, after = (_unlimited(choices, usable) for usable in usable_on(registry, (begin, end)))
    pairs = {name: (before[name].short.options, after[name].short.options) for name in before}
    return {name: pair for name, pair in pairs.items() if _ways(pair[0]) != _ways(pair[1])}


def reached(registry: Registry, domain: str, judge: str, share: float, day: date) -> ReachResult:
    """Return how often a judge must be asked, or with whom, to be right so often.

    Raises: UsageError if the judge or the domain was not measured.
    """
    choices = _choices(registry)
    usable = _usable(registry, choices, day)
    meant = (target.generation for target in resolve(registry, judge, day).everywhere)
    result = ways_reaching(choices, domain, next(meant, judge), share, usable.ways)
    return replace(
        result,
        looked_at=_all_marked(result.looked_at, usable.notes),
        reached=_all_marked(result.reached, usable.notes),
        rivals=_all_marked(result.rivals, usable.notes),
        faults=usable.faults,
    )


def _ways(options: Iterable[Option]) -> list[tuple[tuple[str, ...], int]]:
    return [(option.way.models, option.way.askings) for option in options]


def _usable(registry: Registry, choices: Choices, day: date) -> Usable:
    models = models_of(choices.ways)
    places = {model: _places(registry, model, day) for model in models}
    served = {model: until for model, until in places.items() if until}
    tags = {tag for way in choices.ways for tag in way.tags if tag in registry.snapshots}
    states = {tag: figure_state(registry, tag, day) for tag in tags}
    withdrawn = {tag for tag, state in states.items() if state not in STATED}
    return Usable(
        day=day,
        platform=None,
        ways=tuple(
            n
            for n, way in enumerate(choices.ways)
            if served.keys() >= {*way.models} and not withdrawn & {*way.tags}
        ),
        served=served,
        gone=tuple(model for model in models if model not in served),
        notes={tag: _note(registry, tag, day, state) for tag, state in states.items()},
        faults={fault.id: fault for fault in registry.faults},
    )


def _note(registry: Registry, tag: str, day: date, state: FigureState) -> _Note:
    status = status_on(registry, tag, day)
    faults = registry.faults_of(registry.snapshots[tag])
    return _Note(
        month=month(status),
        day=status.measured_by or date.min,
        faults=tuple(fault for fault in faults if fault.effect == "mark"),
        is_stale=state == STALE,
    )


def _places(registry: Registry, model: str, day: date) -> dict[str, str]:
    """Return the platforms that serve a model on a day, with the ends that they state."""
    states = service_on(registry, model, day).served
    return {place: _until(state) for place, state in states.items()}


def _marked(listed: ShortList, notes: Mapping[str, _Note]) -> ShortList:
    """Return a list whose options have the months of their figures, and their marks."""
    return replace(
        listed,
        options=_all_marked(listed.options, notes),
        beaten=_all_marked(listed.beaten, notes),
        too_dear=_all_marked(listed.too_dear, notes),
        unpriced=_all_marked(listed.unpriced, notes),
    )


def _all_marked(options: Iterable[Option], notes: Mapping[str, _Note]) -> tuple[Option, ...]:
    return tuple(_with_marks(option, notes) for option in options)


def _with_marks(option: Option, notes: Mapping[str, _Note]) -> Option:
    of_way = [notes[tag] for tag in option.way.tags if tag in notes]
    latest = max(of_way, key=lambda note: note.day, default=None)
    faults = (fault for note in of_way for fault in note.faults)
    marks = [fault.id for fault in dict.fromkeys(faults) if fault.is_in(option.way.settings)]
    marks += [STALE] if any(note.is_stale for note in of_way) else []
    return replace(option, month=latest.month if latest else "", marks=tuple(marks))


def _untried(
    registry: Registry, choices: Choices, day: date, platform: str | None
) -> tuple[str, ...]:
    """Return judges that are served and have no figure.

    First stands one of each maker, those with the most judges before others; of a maker it is the
    one on the most platforms, the newest of several.
    """
    tried = {model for way in choices.ways for model in way.models}
    by_maker: dict[str, list[tuple[int, date, str]]] = {}
    for name, generation in registry.generations.items():
        if name in tried or any(word in name for word in _NO_JUDGES) or _is_alias(generation):
            continue
        places = _hosts(registry, generation, day)
        if places and platform in (None, *places):
            days = [life.released.date for life in generation.lives if life.released]
            newest = min(days, default=date.min)
            by_maker.setdefault(generation.maker, []).append((len(places), newest, name))
    rows = sorted(by_maker.values(), key=len, reverse=True)
    ranked = [sorted(judges, reverse=True) for judges in rows]
    rounds = zip_longest(*ranked)
    return tuple(judge[2] for judges in rounds for judge in judges if judge)


def _is_alias(generation: Generation) -> bool:
    return any(life.points_to or life.versions for life in generation.lives)


def _hosts(registry: Registry, generation: Generation, day: date) -> set[str]:
    """Return the platforms that serve a model on a day."""
    return {
        life.platform
        for life in generation.lives
        if life.platform not in (*_EMBEDDED, OPEN_WEIGHTS)
        and not life.model.startswith(MOCKS)
        and registry.of_life(life.model, life, day).status in ("current", "expiring")
    }


def _choices(registry: Registry) -> Choices:
    if registry.choices is None:
        raise UsageError(
            "this registry compares no judges on common questions\n"
            "  fix: name one that does with --registry"
        )
    return registry.choices


def _until(state: Expiry) -> str:
    if state.until:
        return f"until {state.until}"
    if state.not_before:
        return f"not before {state.not_before}"
    return "without a stated end"
