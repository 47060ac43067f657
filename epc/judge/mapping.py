"""From a finer rubric to the four dimensions (JUDGE-2.5).

A mapping says where a record of another rubric keeps what we need, which of its dimensions make
each of ours, by which rule, and where the scale is cut into 0, 1 and 2. Every number is taken
exactly as it is written, so a mean on a cut falls on the same side everywhere.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import median
from typing import Any, Final

from epc.errors import Finding
from epc.json_text import pointer
from epc.judge.check import Fault, fault
from epc.judge.reply import Json
from epc.judge.samples import Sample
from epc.judge.shape import shown
from epc.judge.verdict import verdict_of
from epc.spec.judge_v1 import (
    DIMENSIONS,
    IDENTIFIERS,
    META,
    OVERALL,
    SCALE,
    UNPARSABLE,
    VIOLATION,
)

CLAUSE: Final = "JUDGE-2.5"
_FIELDS: Final = {
    **{name: f"/meta/{name}" for name in META if name != "method"},
    "scores": "/scores",
    "flags": "/flags",
    "notes": "/notes",
    "verdict": "/verdict",
    "evidence": "/evidence",
}
_KEYS: Final = {"dimension": "dimension", "quote": "quote", "reason": "reason"}
_RULES: Final[dict[str, Callable[[Sequence[Fraction]], Fraction]]] = {
    "minimum": min,
    "maximum": max,
    "mean": lambda values: sum(values, Fraction(0)) / len(values),
    "median": median,
}
_MISSING: Final = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """How one of our dimensions follows from theirs.

    `cuts` are on the source's own scale: from the first on a score is worth 1, from the second 2.
    Where lower is better, down to.
    """

    sources: tuple[str, ...]
    aggregate: str
    lowest: Fraction
    highest: Fraction
    lower_is_better: bool
    cuts: tuple[Fraction, Fraction]

    def score(self, values: Sequence[Fraction]) -> int:
        """Return 0, 1 or 2 for the source's scores."""
        value = _RULES[self.aggregate](values)
        if self.lower_is_better:
            return sum(value <= cut for cut in self.cuts)
        return sum(value >= cut for cut in self.cuts)


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricMapping:
    """A mapping that has been read and found whole."""

    id: str
    rules: Mapping[str, Rule]
    fields: Mapping[str, str]
    keys: Mapping[str, str]
    constants: Mapping[str, str]
    ignored: frozenset[str]

    def identity(self, source: Json) -> dict[str, str] | None:
        """Return the identifiers and judge of a foreign record, or None if one is missing."""
        found = {name: self._field(source, name) for name in (*IDENTIFIERS, "judge_model")}
        texts = {name: value for name, value in found.items() if isinstance(value, str)}
        return texts if len(texts) == len(found) else None

    def convert(self, source: Json, sample: Sample) -> tuple[Json, list[Fault]]:
        """Return a foreign record as one of this protocol, and what was wrong on the way.

        What the source lacks stays out, so that the checker says so. Sum and verdict are ours:
        another rubric's cannot be held against the four scores.
        """
        given = self._field(source, "scores")
        faults = list(self._faults(given))
        scores = self._scores(given)
        reply: Json = {"scores": scores, "flags": self._field(source, "flags")}
        meta = {name: self._field(source, name) for name in META if name != "method"}
        meta["method"] = sample.method
        if meta["timestamp"] is _MISSING:
            meta["timestamp"] = ""  # few rubrics date their records, and none of ours depend on it
        reply["meta"] = {name: value for name, value in meta.items() if value is not _MISSING}
        if reply["flags"] is _MISSING:
            reply["flags"] = []
        if len(scores) == len(DIMENSIONS):
            reply["verdict"] = verdict_of(scores)
            scores[OVERALL] = sum(scores.values())
        notes = self._field(source, "notes")
        if notes is not _MISSING:
            reply["notes"] = notes
        evidence = self._field(source, "evidence")
        if evidence is not _MISSING:
            reply["evidence"] = self._evidence(evidence)
        return reply, faults

    def verdict(self, source: Json) -> str | None:
        """Return the verdict that the source's judge gave, by whatever thresholds."""
        verdict = self._field(source, "verdict")
        return verdict if isinstance(verdict, str) else None

    def _field(self, source: Json, name: str) -> Any:
        value = resolve(source, self.fields[name])
        return self.constants.get(name, _MISSING) if value is _MISSING else value

    def _faults(self, given: Any) -> Iterator[Fault]:
        if not isinstance(given, dict):
            return
        known = {name for rule in self.rules.values() for name in rule.sources} | self.ignored
        place = self.fields["scores"]
        for name in given:
            if name not in known:
                problem = "the mapping knows no such dimension"
                yield fault(VIOLATION, CLAUSE, place + pointer(name), problem)
        for rule in self.rules.values():
            for name in rule.sources:
                value = _number(given.get(name))
                if value is None:
                    problem = f"is {shown(given.get(name))}, expected a number"
                    yield fault(UNPARSABLE, CLAUSE, place + pointer(name), problem)
                elif not rule.lowest <= value <= rule.highest:
                    problem = f"is {shown(given[name])}, off the mapping's scale"
                    yield fault(VIOLATION, CLAUSE, place + pointer(name), problem)

    def _scores(self, given: Any) -> dict[str, int]:
        scores: dict[str, int] = {}
        for name, rule in self.rules.items() if isinstance(given, dict) else ():
            values = [_number(given.get(source)) for source in rule.sources]
            known = [value for value in values if value is not None]
            if len(known) == len(values) and all(rule.lowest <= v <= rule.highest for v in known):
                scores[name] = rule.score(known)
        return scores

    def _evidence(self, given: Any) -> Any:
        """Return each item once for every dimension of ours that its own one serves."""
        if not isinstance(given, list):
            return given
        items: list[Any] = []
        for item in given:
            if not isinstance(item, dict):
                items.append(item)
                continue
            ours = {key: item[theirs] for key, theirs in self.keys.items() if theirs in item}
            dimension = ours.get("dimension")
            if dimension in self.ignored if isinstance(dimension, str) else False:
                continue
            names = [name for name, rule in self.rules.items() if dimension in rule.sources]
            items.extend({**ours, "dimension": name} for name in names)
            if not names:
                items.append(ours)
        return items


def resolve(document: Any, where: str) -> Any:
    """Return what a JSON Pointer points at, or a mark that nothing is there."""
    value = document
    for part in where.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if not isinstance(value, dict) or key not in value:
            return _MISSING
        value = value[key]
    return value


def read_mapping(value: Json) -> tuple[RubricMapping | None, list[Finding]]:
    """Return the mapping of a document that fits its schema, or what makes no sense in it."""
    rules: dict[str, Rule] = {}
    findings: list[Finding] = []
    for name in DIMENSIONS:
        stated = value["dimensions"][name]
        scale = {"better": "higher", **stated.get("scale", value["scale"])}
        cuts = stated.get("cuts", value["cuts"])
        rule = Rule(
            sources=tuple(stated["from"]),
            aggregate=stated["rule"],
            lowest=exactly(scale["lowest"]),
            highest=exactly(scale["highest"]),
            lower_is_better=scale["better"] == "lower",
            cuts=(exactly(cuts[0]), exactly(cuts[1])),
        )
        rules[name] = rule
        if problem := _nonsense(rule):
            where = pointer("dimensions", name)
            remedy = "state the scale from its lowest to its highest, and the cuts within it"
            findings.append(Finding(clause=CLAUSE, where=where, problem=problem, remedy=remedy))
    used = {source for rule in rules.values() for source in rule.sources}
    both = sorted(used & set(value.get("ignored", ())))
    if both:
        problem = f"{both[0]!r} is mapped and ignored"
        remedy = "take it out of one of them"
        findings.append(Finding(clause=CLAUSE, where="/ignored", problem=problem, remedy=remedy))
    if findings:
        return None, findings
    mapping = RubricMapping(
        id=value["id"],
        rules=rules,
        fields={**_FIELDS, **value.get("fields", {})},
        keys={**_KEYS, **value.get("evidence", {})},
        constants=value.get("constants", {}),
        ignored=frozenset(value.get("ignored", ())),
    )
    return mapping, []


def _nonsense(rule: Rule) -> str | None:
    if rule.lowest >= rule.highest:
        return "the scale does not rise"
    first, second = rule.cuts
    if not all(rule.lowest <= cut <= rule.highest for cut in rule.cuts):
        return "a cut lies outside the scale"
    worse, better = (second, first) if rule.lower_is_better else (first, second)
    if worse >= better:
        return "the cut for 2 is not beyond the cut for 1"
    reached = {rule.score([end]) for end in (rule.lowest, rule.highest, *rule.cuts)}
    return None if reached == set(SCALE) else "some of 0, 1 and 2 can never be reached"


def _number(value: Any) -> Fraction | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return exactly(value)


def exactly(value: float) -> Fraction:
    """Return a number as it is written in decimal digits: 0.1 is a tenth."""
    return Fraction(repr(value))
