"""From a finer rubric to the four dimensions (JUDGE-2.5).

A mapping says where a record of another rubric keeps what we need, which of its dimensions make
each of ours, by which rule, and where the scale is cut into 0, 1 and 2. Every number is taken
exactly as it is written, so a mean on a cut falls on the same side everywhere. Scores may be
numbers or objects that hold one; evidence may be a list, or an object by dimension.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import isfinite
from statistics import median
from typing import Any, Final

from epc.errors import Finding
from epc.json_text import is_number, parts_of, pointer
from epc.judge.check import Fault, fault
from epc.judge.reply import Json, excerpt
from epc.judge.samples import FILE_NAME, NAMES, Identity, Sample, problems, read_identity
from epc.spec.judge_v1 import (
    DIMENSIONS,
    META,
    OVERALL,
    SCALE,
    UNPARSABLE,
    VIOLATION,
    verdict_of,
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
    ignored: frozenset[str]
    derived: Identity
    constants: Mapping[str, str] = field(default_factory=dict)
    rows: str = ""
    score: str = ""

    def identity(self, source: Json, file: str = "") -> dict[str, str]:
        """Return what a foreign record of a file says of its identifiers and its judge."""
        places = {where: resolve(source, where) for where in self.derived.sources()}
        texts = {where: _as_text(value) for where, value in places.items()}
        present = {where: text for where, text in texts.items() if text is not None}
        derived = self.derived.identifiers({**present, FILE_NAME: file})
        identifiers = {
            name: derived.get(name, _as_text(self._field(source, name))) for name in NAMES
        }
        return {name: text for name, text in identifiers.items() if text is not None}

    def with_numbers(self, row: Json) -> Json:
        """Return a row of a table without types with its scores as numbers."""
        scored = {name for rule in self.rules.values() for name in rule.sources}
        places = scored | {self.fields.get("overall", "")[1:]}
        return {
            name: _written(value) if name in places and isinstance(value, str) else value
            for name, value in row.items()
        }

    def convert(self, source: Json, sample: Sample) -> tuple[Json, list[Fault]]:
        """Return a foreign record as one of this protocol, and what was wrong on the way.

        What the source lacks stays out, so that the checker says so. Sum and verdict are ours:
        another rubric's cannot be held against the four scores.
        """
        raw_scores = self._field(source, "scores")
        faults = list(self._faults(raw_scores))
        scores = self._scores(raw_scores)
        reply: Json = {"scores": scores, "flags": self._field(source, "flags")}
        meta = {name: self._field(source, name) for name in META if name != "method"}
        meta["method"] = sample.method
        # No judge wrote these: they are from the file's name, or put together from other fields.
        meta |= {name: getattr(sample, name) for name in self.derived.derived}
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
            reply["evidence"] = self._evidence(evidence, self._field(source, "reason"))
        return reply, faults

    def verdict(self, source: Json) -> str | None:
        """Return the verdict that the source's judge gave, by whatever thresholds."""
        verdict = self._field(source, "verdict")
        return verdict if isinstance(verdict, str) else None

    def overall(self, source: Json) -> float | None:
        """Return the overall score that the source's judge gave, on the source's own scale."""
        value = self._field(source, "overall")
        return None if _number(value) is None else value

    def _field(self, source: Json, name: str) -> Any:
        value = resolve(source, self.fields[name]) if name in self.fields else _MISSING
        return self.constants.get(name, _MISSING) if value is _MISSING else value

    def _faults(self, raw_scores: Any) -> Iterator[Fault]:
        if not isinstance(raw_scores, dict):
            return
        mapped = {name for rule in self.rules.values() for name in rule.sources} | self.ignored
        where = self.fields["scores"]
        # Where scores stand among a row's other fields, nobody can say which of these are scores.
        for name in raw_scores if where else ():
            if name not in mapped:
                problem = "the mapping knows no such dimension"
                yield fault(VIOLATION, CLAUSE, where + pointer(name), problem)
        for rule in self.rules.values():
            for name in rule.sources:
                value = self._value(raw_scores, name)
                if value is None:
                    problem = f"is {excerpt(raw_scores.get(name))}, expected a number"
                    yield fault(UNPARSABLE, CLAUSE, where + pointer(name), problem)
                elif not rule.lowest <= value <= rule.highest:
                    problem = f"is {excerpt(raw_scores[name])}, off the mapping's scale"
                    yield fault(VIOLATION, CLAUSE, where + pointer(name), problem)

    def _scores(self, raw_scores: Any) -> dict[str, int]:
        scores: dict[str, int] = {}
        for name, rule in self.rules.items() if isinstance(raw_scores, dict) else ():
            values = [self._value(raw_scores, source) for source in rule.sources]
            present = [value for value in values if value is not None]
            if len(present) == len(values) and all(
                rule.lowest <= v <= rule.highest for v in present
            ):
                scores[name] = rule.score(present)
        return scores

    def _value(self, raw_scores: Json, name: str) -> Fraction | None:
        value = raw_scores.get(name)
        return _number(resolve(value, self.score) if isinstance(value, dict) else value)

    def _evidence(self, evidence: Any, reason: Any) -> Any:
        """Return each item once for every dimension of ours that its own one serves.

        `reason` is the record's own, for items that have none.
        """
        listed = (
            list(_by_dimension(evidence, self.keys)) if isinstance(evidence, dict) else evidence
        )
        if not isinstance(listed, list):
            return evidence
        items: list[Any] = []
        for item in listed:
            if not isinstance(item, dict):
                items.append(item)
                continue
            ours = {key: item[theirs] for key, theirs in self.keys.items() if theirs in item}
            if isinstance(reason, str):
                ours.setdefault("reason", reason)
            dimension = ours.get("dimension")
            if dimension in self.ignored if isinstance(dimension, str) else False:
                continue
            names = [name for name, rule in self.rules.items() if dimension in rule.sources]
            items.extend({**ours, "dimension": name} for name in names)
            if not names:
                items.append(ours)
        return items


def _by_dimension(evidence: Json, keys: Mapping[str, str]) -> Iterator[Json]:
    """Yield items of evidence that is kept by dimension: a quote, an object, or a list of these.

    An empty quote is none: the source names every dimension, whether or not anything was quoted.
    """
    quoted, about = (keys[name] for name in ("quote", "dimension"))
    for dimension, entry in evidence.items():
        for part in entry if isinstance(entry, list) else [entry]:
            item = part if isinstance(part, dict) else {quoted: part}
            if item.get(quoted) not in (None, ""):
                yield {**item, about: dimension}


def is_missing(value: Any) -> bool:
    """Return whether `resolve` found nothing."""
    return value is _MISSING


def resolve(document: Any, where: str) -> Any:
    """Return what a JSON Pointer points at, or a mark that nothing is there."""
    value = document
    for key in parts_of(where):
        if not isinstance(value, dict) or key not in value:
            return _MISSING
        value = value[key]
    return value


def read_mapping(value: Json) -> tuple[RubricMapping | None, list[Finding]]:
    """Return the mapping of a document that fits its schema, or what makes no sense in it."""
    rules: dict[str, Rule] = {}
    findings: list[Finding] = []
    for name in DIMENSIONS:
        entry = value["dimensions"][name]
        scale = {"better": "higher", **entry.get("scale", value["scale"])}
        cuts = entry.get("cuts", value["cuts"])
        rule = Rule(
            sources=tuple(entry["from"]),
            aggregate=entry["rule"],
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
    conflicts = sorted(used & set(value.get("ignored", ())))
    if conflicts:
        problem = f"{conflicts[0]!r} is mapped and ignored"
        remedy = "take it out of one of them"
        findings.append(Finding(clause=CLAUSE, where="/ignored", problem=problem, remedy=remedy))
    derived = read_identity(**_present(value, "patterns", "templates"))
    findings += [
        Finding(clause=CLAUSE, where=where, problem=problem, remedy=remedy)
        for where, problem, remedy in problems(derived)
    ]
    if findings:
        return None, findings
    mapping = RubricMapping(
        **_present(value, "id", "constants", "rows", "score"),
        rules=rules,
        fields={**_FIELDS, **value.get("fields", {})},
        keys={**_KEYS, **value.get("evidence", {})},
        ignored=frozenset(value.get("ignored", ())),
        derived=derived,
    )
    return mapping, []


def _present(value: Json, *names: str) -> Json:
    return {name: value[name] for name in names if name in value}


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


def _as_text(value: Any) -> str | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) else None


def _written(text: str) -> Any:
    """Return the number that a cell holds, or the cell."""
    try:
        number = float(text)
    except ValueError:
        return text
    if not isfinite(number):
        return text
    return int(number) if number.is_integer() else number


def _number(value: Any) -> Fraction | None:
    return exactly(value) if is_number(value) else None


def exactly(value: float) -> Fraction:
    """Return a number as it is written in decimal digits: 0.1 is a tenth."""
    return Fraction(repr(value))
