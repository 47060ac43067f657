"""What two designs do otherwise, part by part."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from epc.protocol.rules import Rule, rates_of, rule_text
from epc.records.designs import Design
from epc.spec.domains import Domain, Domains

_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One part in which two designs differ, and how."""

    part: str
    how: str


def differences(first: Design, second: Design) -> list[Difference]:
    """Return every part of a measurement that two designs decide differently.

    A name and a description decide nothing. Runs of designs that differ in any part are not like
    for like (EPC-2.8); `epc compare` says what follows.
    """
    return [
        *_values(first, second),
        *_named("strategies", *(_strategies(design) for design in (first, second))),
        *(
            difference
            for domain in Domains.of({*first.config.tasks, *second.config.tasks}).names
            for difference in _named(
                f"tasks, {domain}", *(_tasks(design, domain) for design in (first, second))
            )
        ),
    ]


def _values(first: Design, second: Design) -> Iterator[Difference]:
    one, other = first.config, second.config
    for part, before, after in (
        ("rounds", one.rounds, other.rounds),
        *_rates(one.rule, other.rule),
        ("baseline", one.baseline, other.baseline),
    ):
        if before != after:
            yield Difference(part=part, how=f"{before} against {after}")
    for part, before, after in (
        ("evaluator_prompt", one.evaluator_prompt, other.evaluator_prompt),
        ("executor_prompt", one.executor_prompt, other.executor_prompt),
    ):
        if before != after:
            yield Difference(part=part, how=f"{before!r} against {after!r}")


def _rates(one: Rule, other: Rule) -> Iterator[tuple[str, object, object]]:
    """Yield each rate of two rules of one kind, or else the two rules."""
    if one.name == other.name:
        rates = rates_of(other)
        yield from ((name, rate, rates[name]) for name, rate in rates_of(one).items())
    else:
        yield "rule", rule_text(one), rule_text(other)


def _strategies(design: Design) -> dict[str, object]:
    return {strategy.name: strategy for strategy in design.config.strategies}


def _tasks(design: Design, domain: Domain) -> dict[str, object]:
    """Return each task with those that are one unit with it (Reading R74)."""
    tasks, groups = design.config.tasks.get(domain, ()), design.config.groups
    if groups is None:
        return {task: {task} for task in tasks}
    beside = list(zip(tasks, groups.get(domain, ()), strict=True))
    return {task: {other for other, name in beside if name == group} for task, group in beside}


def _named(
    part: str, first: Mapping[str, object], second: Mapping[str, object]
) -> Iterator[Difference]:
    changed = [name for name in first if name in second and first[name] != second[name]]
    sides = (
        ("only in the first", [name for name in first if name not in second]),
        ("only in the second", [name for name in second if name not in first]),
        ("in another group" if part.startswith("tasks") else "with another text", changed),
    )
    phrases = [f"{len(names)} {where}: {_list(names)}" for where, names in sides if names]
    if not phrases and list(first) != list(second):
        phrases = ["the same ones in another order"]
    if phrases:
        yield Difference(part=part, how="; ".join(phrases))


def _list(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(map(repr, names[:_SHOWN])) + more
