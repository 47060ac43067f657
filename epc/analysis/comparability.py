"""Differences between two measurements: by their manifests, with what they mean, or by designs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from msgspec import Struct

from epc.errors import Finding, Severity
from epc.json_text import pointer
from epc.protocol.results import Json
from epc.protocol.rules import Rule, rates_of, rule_text
from epc.records.designs import Design
from epc.records.manifest import Manifest, ModelIdentity
from epc.records.model_names import RECORDED
from epc.records.strict_json import dumps_line
from epc.records.usage import suspicions
from epc.spec.domains import Domain, Domains

_MAX_SHOWN: Final = 60


class _Item(Struct, frozen=True):
    """Something that both manifests state; where it differs, `meaning` says what follows."""

    clause: str
    meaning: str
    severity: Severity = "error"
    reordered: str | None = None  # what it means where only the order differs


_ORDER: Final = (
    "the same ones in another order: the draws pick by place, so equal seeds play "
    "other rounds; nothing else depends on it"
)
_WEIGHTS: Final = "weights move otherwise, so gamma cannot be compared; verdicts can"
_ITEMS: Final[Mapping[str, _Item]] = {
    "protocol_version": _Item(
        "EPC-2.8(1)", "measurements of different variants are different quantities"
    ),
    "tasks": _Item(
        "EPC-2.4(c)",
        "other tasks, other verdicts: only the common ones are compared",
        reordered=_ORDER,
    ),
    "strategies": _Item(
        "EPC-2.2",
        "other strategies: gamma is another quantity, only common ones are compared",
        reordered=_ORDER,
    ),
    "evaluator_prompt": _Item(
        "EPC-2.6(a)", "the evaluator was asked something else, so no answer can be compared"
    ),
    "evaluator/model": _Item(
        "EPC-2.2", "what differs is the difference of two evaluators, no drift of one"
    ),
    "evaluator/method": _Item("EPC-2.2", "the verdicts came about in another way"),
    "evaluator/decoding": _Item("EPC-2.6(b)", "the evaluator was decoded in another way"),
    "executor/model": _Item(
        "EPC-2.2", "another executor wrote the answers: a difference may be its"
    ),
    "executor/decoding": _Item(
        "EPC-2.8(3)", "the executor was decoded in another way: a difference may be its"
    ),
    "executor/prompt_template": _Item(
        "EPC-2.8(3)", "the executor was asked something else: a difference may be its"
    ),
    "config/rounds": _Item("EPC-2.3(d)", _WEIGHTS),
    "config/alpha_win": _Item("EPC-2.3(b)", _WEIGHTS),
    "config/alpha_lose": _Item("EPC-2.3(b)", _WEIGHTS),
    "config/weight_floor": _Item("EPC-2.3(c)", _WEIGHTS),
    "config/rule": _Item("Reading R81", _WEIGHTS),
    "config/baseline": _Item("EPC-2.3(a)", _WEIGHTS),
    "config/generator": _Item(
        "Reading R2", "equal seeds are other draws: the runs are not paired", "warning"
    ),
    "config/reuse": _Item(
        "Reading R16",
        "one run has a verdict for each pair, the other one for each round",
        "warning",
    ),
    "config/exhaustive": _Item(
        "Reading R16",
        "one table is complete, the other holds the pairs that the wheel stopped at",
        "warning",
    ),
    **{
        f"{role}/{key}": _Item("EPC-2.8(2)", meaning, "warning")
        for role, meaning in (
            ("evaluator", "not the evaluator that was measured first, by its own description"),
            ("executor", "not the executor that wrote first, by its own description"),
        )
        for key in ("version", "endpoint", "gateway", "details")
    },
    **{
        f"provenance/{key}/{role}": _Item(
            "EPC-5.3", "the provider says that something else answered", "warning"
        )
        for key in ("served_models", "system_fingerprints")
        for role in ("evaluator", "executor")
    },
}


def unlike(left: Manifest, right: Manifest) -> list[Finding]:
    """Return every way in which two measurements are not like for like.

    An error makes the figures different quantities, or lays a difference at another door than the
    evaluator's; a warning is to be known.

    Source: EPC-2.8; Reading R13 (substituted tasks are no variant, but not like for like).
    """
    return [*_differences(left, right), *_regrouped(left, right), *_doubts(left, right)]


def are_facts(left: ModelIdentity, right: ModelIdentity) -> bool:
    """Return whether two evaluators' answers can differ by a change of the evaluator alone.

    Those of pinned weights may on another runtime or processor, which their description names.
    """
    if "embedded" in (left.endpoint, right.endpoint):
        first, second = (
            (identity.endpoint, identity.model, identity.version, identity.details)
            for identity in (left, right)
        )
        return first == second
    return left.gives_facts and right.gives_facts


def _differences(left: Manifest, right: Manifest) -> Iterator[Finding]:
    for place, item in _ITEMS.items():
        path = place.split("/")
        first, second = (_value_at(manifest.document, path) for manifest in (left, right))
        if path[0] == "provenance":
            first, second = (sorted(value or {}) for value in (first, second))
        if first == second or not _is_present(left, right, path):
            continue
        severity, meaning = item.severity, item.meaning
        if item.reordered is not None and _sorted(first) == _sorted(second):
            severity, meaning = "warning", item.reordered
        if place == "evaluator/model" and str(first).startswith(RECORDED):
            severity = "warning"  # a file's name; what is in it is compared
        problem = f"{_short(first)} against {_short(second)}: {meaning}"
        yield Finding(
            clause=item.clause,
            where=pointer(*path),
            problem=problem,
            remedy="measure again with the same, or read the difference with this in mind",
            severity=severity,
        )


def _regrouped(left: Manifest, right: Manifest) -> Iterator[Finding]:
    """Find tasks that are one unit here and several there, whatever their groups are called."""
    for domain in left.domains.names:
        if domain not in right.tasks:
            continue  # the tasks differ, as is said
        left_units, right_units = (_units(m.tasks[domain], m.groups, domain) for m in (left, right))
        if left_units.keys() == right_units.keys() and left_units != right_units:
            yield Finding(
                clause="Reading R74",
                where=f"/groups/{domain}",
                problem="other tasks are one unit: the words can differ where no verdict does",
                remedy="group the tasks alike, or read the words with this in mind",
                severity="warning",
            )


def _units(
    tasks: Sequence[str], groups: Mapping[Domain, Sequence[str]] | None, domain: Domain
) -> dict[str, frozenset[str]]:
    """Return each task of a domain with those that are one unit with it (Reading R74)."""
    names = tasks if groups is None else groups.get(domain, ())
    named_tasks = list(zip(tasks, names, strict=False))  # `epc validate` finds what is missing
    members: dict[str, set[str]] = {}
    for task, name in named_tasks:
        members.setdefault(name, set()).add(task)
    return {task: frozenset(members[name]) for task, name in named_tasks}


def _doubts(left: Manifest, right: Manifest) -> Iterator[Finding]:
    for side, manifest in (("first", left), ("second", right)):
        for where, problem in suspicions(manifest):
            yield Finding(
                clause="EPC-5.3",
                where=where,
                problem=f"in the {side} run, {problem}",
                remedy="pin the model by its dated name",
                severity="warning",
            )


def _is_present(left: Manifest, right: Manifest, path: Sequence[str]) -> bool:
    """Return whether an item is there to differ: a missing executor differs once, not in detail."""
    if path[0] == "executor" and None in (left.executor, right.executor):
        return path[1] == "model"
    return True


def _sorted(value: Any) -> Any:
    """Return a list, or lists by name, in an order that says nothing."""
    if isinstance(value, dict):
        return {key: _sorted(part) for key, part in value.items()}
    return sorted(value, key=dumps_line)


def _value_at(document: Json, path: Sequence[str]) -> Any:
    value: Any = document
    for key in path:
        value = None if value is None else value.get(key)
    return value


def _short(value: Any) -> str:
    if isinstance(value, dict) and not any(isinstance(item, str) for item in value.values()):
        text = ", ".join(
            f"{key}: {len(v) if isinstance(v, list) else v}" for key, v in value.items()
        )
    elif isinstance(value, list):
        text = f"{len(value)} of them" if value and isinstance(value[0], dict) else ", ".join(value)
    elif isinstance(value, dict):
        text = ", ".join(f"{key} {item}" for key, item in value.items())
    else:
        text = str(value).lower() if isinstance(value, bool) else str(value)
    text = " ".join(text.split())  # a finding is two lines, whatever a prompt holds
    return (text[:_MAX_SHOWN] + "...") if len(text) > _MAX_SHOWN else text or "nothing"


_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A part in which two designs differ, and how."""

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
            for domain in Domains.from_names({*first.config.tasks, *second.config.tasks}).names
            for difference in _named(
                f"tasks, {domain}",
                *(
                    _units(operand.config.tasks.get(domain, ()), operand.config.groups, domain)
                    for operand in (first, second)
                ),
            )
        ),
    ]


def _values(first: Design, second: Design) -> Iterator[Difference]:
    left, right = first.config, second.config
    for part, before, after in (
        ("rounds", left.rounds, right.rounds),
        *_rates(left.rule, right.rule),
        ("baseline", left.baseline, right.baseline),
    ):
        if before != after:
            yield Difference(part=part, how=f"{before} against {after}")
    for part, before, after in (
        ("evaluator_prompt", left.evaluator_prompt, right.evaluator_prompt),
        ("executor_prompt", left.executor_prompt, right.executor_prompt),
    ):
        if before != after:
            yield Difference(part=part, how=f"{before!r} against {after!r}")


def _rates(left: Rule, right: Rule) -> Iterator[tuple[str, object, object]]:
    """Yield each rate of two rules of one kind, or else the two rules."""
    if left.name == right.name:
        rates = rates_of(right)
        yield from ((name, rate, rates[name]) for name, rate in rates_of(left).items())
    else:
        yield "rule", rule_text(left), rule_text(right)


def _strategies(design: Design) -> dict[str, object]:
    return {strategy.name: strategy for strategy in design.config.strategies}


def _named(
    part: str, first: Mapping[str, object], second: Mapping[str, object]
) -> Iterator[Difference]:
    changed = [name for name in first if name in second and first[name] != second[name]]
    sides = (
        ("only in the first", [name for name in first if name not in second]),
        ("only in the second", [name for name in second if name not in first]),
        ("in another group" if part.startswith("tasks") else "with another text", changed),
    )
    phrases = [f"{len(names)} {label}: {_list(names)}" for label, names in sides if names]
    if not phrases and list(first) != list(second):
        phrases = ["the same ones in another order"]
    if phrases:
        yield Difference(part=part, how="; ".join(phrases))


def _list(names: list[str]) -> str:
    omitted = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(map(repr, names[:_SHOWN])) + omitted
