"""Judges that may be used for a kind of task on a day, by what the registry has measured."""

from collections.abc import Iterator
from datetime import date
from typing import Final

from epc.analysis.choosing import Option, ReachResult, WhichAnswer, short_list, ways_reaching
from epc.answers.resolve import resolve
from epc.answers.service import service_on
from epc.errors import UsageError
from epc.records.choices import Choices
from epc.registry.expiry import Expiry
from epc.registry.registry import Registry

# The known fault of a judge that was asked by a client whose own text stands before the prompt.
_CLIENT: Final = "client-context"


def best_judges(
    registry: Registry,
    domain: str,
    as_of: date,
    *,
    platform: str | None = None,
    budget: float | None = None,
) -> WhichAnswer:
    """Return the judges that are not shown to be worse than another, of those that one can use.

    `budget` is in US dollars for 1,000 questions.

    Raises: UsageError if the registry compares no judges, none was measured in the domain, or the
    platform serves none of them.
    """
    choices = _choices(registry)
    models = dict.fromkeys(model for way in choices.ways for model in way.models)
    served = {
        model: places
        for model in models
        if (
            places := {
                place: _until(state)
                for place, state in service_on(registry, model, as_of).served.items()
                if platform in (None, place)
            }
        )
    }
    if platform and not served:
        raise UsageError(
            f"{platform} serves no judge that was measured\n"
            "  fix: see the platforms' names in `epc evaluators list`, or leave --platform out"
        )
    usable = [n for n, way in enumerate(choices.ways) if served.keys() >= {*way.models}]
    return WhichAnswer(
        as_of=as_of.isoformat(),
        platform=platform,
        budget=budget,
        benchmark=choices.benchmark,
        decides=choices.decides,
        chance=choices.chance,
        short=short_list(choices, domain, usable=usable, budget=budget),
        served=served,
        gone=tuple(model for model in models if model not in served),
        by_client=tuple(sorted(_by_client(registry, choices))),
    )


def changed(
    registry: Registry, begin: date, end: date
) -> dict[str, tuple[tuple[Option, ...], tuple[Option, ...]]] | None:
    """Return by domain what is listed first on two days, where that differs; None if nothing is.

    Both days have the figures of today, so only who is served on them can differ.
    """
    if registry.choices is None:
        return None
    pairs = {
        name: (
            best_judges(registry, name, begin).short.options,
            best_judges(registry, name, end).short.options,
        )
        for name in registry.choices.domains
    }
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def reached(registry: Registry, domain: str, judge: str, share: float, day: date) -> ReachResult:
    """Return how often a judge must be asked, or with whom, to be right so often.

    Raises: UsageError if the judge or the domain was not measured.
    """
    meant = (target.generation for target in resolve(registry, judge, day).everywhere)
    return ways_reaching(_choices(registry), domain, next(meant, judge), share)


def _by_client(registry: Registry, choices: Choices) -> Iterator[str]:
    """Yield the judges that a client asked, whose text they read before the prompt."""
    measured = {way.models[0]: way.tags[0] for way in choices.ways if len(way.models) == 1}
    for model, tag in measured.items():
        snapshot = registry.snapshots.get(tag)
        if snapshot and any(fault.id == _CLIENT for fault in snapshot.card.known_faults):
            yield model


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
