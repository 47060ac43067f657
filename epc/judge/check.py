"""Validity of a judge's reply, with every reason against it (JUDGE-6)."""

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final

from epc.errors import Finding, Severity
from epc.json_text import is_number, pointer, storable
from epc.judge.evidence import Output, Quotes
from epc.judge.reply import (
    Json,
    departures,
    evades,
    excerpt,
    is_integer,
    is_text,
    items,
    members,
    read_reply,
)
from epc.judge.samples import Sample, method_of
from epc.spec.judge_v1 import (
    COVERAGE,
    DIMENSIONS,
    EVASION,
    FLAGS,
    IDENTIFIERS,
    INCONSISTENCY,
    METHODS,
    NO_SCORES,
    OVERALL,
    SCALE,
    UNPARSABLE,
    VERDICTS,
    VIOLATION,
    Dimension,
    Flag,
    Kind,
    Rules,
    Scores,
    Verdict,
    admitted,
    overall_of,
    verdict_of,
)

MAX_EVIDENCE: Final = 1000  # items whose quotes are looked up; a reply of more is no evaluation
_MAX_FAULTS: Final = 100
_DATE: Final = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[T ][0-9:.,+Z-]*)?")
_MEANT: Final[dict[Kind, str]] = {
    "altered": "it does once marks, markup and citations are left out",
    "elided": "it does hold what stands between the dots",
    "absence": "this says that something is absent, and quotes nothing",
}
_REMEDIES: Final = {
    VIOLATION: "keep to the four dimensions, the scale 0 to 2, and quotes that are copied",
    UNPARSABLE: "have the judge print one JSON object with every field, each of its type",
    COVERAGE: "judge each sample once, and copy its identifiers",
    EVASION: "have the judge score all four dimensions",
    INCONSISTENCY: "have the judge add its scores up and keep to the thresholds",
}


@dataclass(frozen=True, slots=True)
class Fault(Finding):
    """A reason why a record is invalid: a finding with its flag; records state its severity."""

    severity: Severity
    flag: Flag


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """Worth of a reply.

    Invalid is not low quality (Reading R23). `scores` and our `verdict` are None unless all four
    scores can be read and lie on the scale.
    `judge_overall` is the sum on another rubric's scale, where a mapping says where it stands.
    """

    valid: bool
    flags: tuple[Flag, ...]
    scores: Mapping[Dimension, int] | None
    verdict: Verdict | None
    judge_verdict: str | None
    judge_overall: float | None = None
    quotes: Quotes
    findings: tuple[Fault, ...]


def check(raw: str | bytes, sample: Sample, output: Output) -> Judgement:
    """Return what a raw reply is worth; it never raises, whatever the bytes.

    Source: JUDGE-6; Readings R20 to R22.
    """
    text, reply, problems = read_reply(raw)
    if reply is None:
        unread = [
            Fault(p.clause, p.where, p.problem, p.remedy, "error", UNPARSABLE) for p in problems
        ]
        if evades(text):
            unread.append(fault(EVASION, "JUDGE-6.4", "", "a refusal, or no dimension scored"))
        return worth(unread, quotes=no_quotes(output.rules))
    # Another rubric's record, which a mapping converts, may be dated as it likes.
    return check_reply(reply, sample, output, _date(reply, output.rules))


def check_reply(
    reply: Json, sample: Sample, output: Output, faults: Iterable[Fault] = ()
) -> Judgement:
    """Return what a reply is worth that has been read; `faults` were found on the way."""
    scores = scores_of(reply)
    judge_verdict = reply.get("verdict")
    quotes, evidence = _evidence(reply, output)
    all_faults = [
        *faults,
        *_dimensions(reply),
        *evidence,
        *(fault(UNPARSABLE, *departure) for departure in departures(reply)),
        *_coverage(reply, sample),
        *_evasion(reply, output.rules),
        *_sums(reply),
        *_verdict(reply, scores),
        *_method(reply, sample, output.rules),
        *_own_flags(reply),
    ]
    return worth(
        all_faults,
        scores=scores,
        judge_verdict=storable(judge_verdict) if isinstance(judge_verdict, str) else None,
        quotes=quotes,
    )


def with_fault(checked: Judgement, fault: Fault) -> Judgement:
    """Return a judgement with one reason more."""
    judgement = worth([*checked.findings, fault], flags=checked.flags, quotes=checked.quotes)
    return replace(checked, valid=False, flags=judgement.flags, findings=judgement.findings)


def no_quotes(rules: Rules) -> Quotes:
    """Return the count of the quotes of a reply that has none, as the rules count."""
    return Quotes(given=0, invented=0) if rules == 1 else Quotes.from_kinds(())


def unjudged(rules: Rules) -> Judgement:
    """Return what a sample is worth that nobody judged (Reading R22)."""
    unasked = fault(COVERAGE, "JUDGE-7.2", "", "the sample was not judged")
    return worth([unasked], quotes=no_quotes(rules))


def judged_again() -> Fault:
    """Return the fault of a sample that was judged more than once (Reading R22)."""
    return fault(COVERAGE, "JUDGE-7.2", "", "the sample was judged more than once")


def outside_the_set() -> Fault:
    """Return the fault of a reply about something that is not in the evaluation set."""
    return fault(COVERAGE, "JUDGE-7.1", "", "the sample is not in the evaluation set")


def scores_of(reply: Json) -> dict[Dimension, int] | None:
    """Return the four scores, or None unless each is there and on the scale (JUDGE-3.1)."""
    raw_scores = members(reply, "scores")
    scores = {name: raw_scores.get(name) for name in DIMENSIONS}
    fits = all(is_integer(score) and score in SCALE for score in scores.values())
    return scores if fits else None  # type: ignore[return-value]  # `fits` says that none is None


def _dimensions(reply: Json) -> Iterator[Fault]:
    """Scores outside the scale, and dimensions that the rubric does not have."""
    for name, score in members(reply, "scores").items():
        if name not in DIMENSIONS:
            if name != OVERALL:
                where = pointer("scores", name)
                yield fault(VIOLATION, "JUDGE-2", where, "the rubric has no such dimension")
        elif is_number(score) and not SCALE[0] <= score <= SCALE[-1]:
            problem = f"is {excerpt(score)}, outside the scale 0 to 2"
            yield fault(VIOLATION, "JUDGE-3.1", pointer("scores", name), problem)


def _evidence(reply: Json, output: Output) -> tuple[Quotes, list[Fault]]:
    """Count the quotes by what they are, and list what is wrong with the evidence."""
    faults: list[Fault] = []
    covered: set[str] = set()
    kinds: list[Kind] = []
    matched = missed = 0
    entries = items(reply, "evidence")
    for index, item in enumerate(entries[:MAX_EVIDENCE]):
        if not isinstance(item, dict):
            continue
        dimension, quote, reason = (_text(item, key) for key in ("dimension", "quote", "reason"))
        if dimension and dimension not in DIMENSIONS:
            where = pointer("evidence", index, "dimension")
            problem = f"is {excerpt(dimension)}, which the rubric does not have"
            faults.append(fault(VIOLATION, "JUDGE-2", where, problem))
        if output.rules > 1:
            kinds.append(output.kind(quote))
        if not quote.strip():
            continue
        if reason.strip():
            covered.add(dimension)
        if output.holds(quote):
            matched += 1
        else:
            missed += 1
            where = pointer("evidence", index, "quote")
            problem = f"the output does not hold {excerpt(quote)}"
            if output.rules > 1 and kinds[-1] in _MEANT:
                problem += f": {_MEANT[kinds[-1]]}"
            faults.append(fault(VIOLATION, "JUDGE-4.4", where, problem))
    if len(entries) > MAX_EVIDENCE:
        problem = f"has {len(entries):,} items, of which {MAX_EVIDENCE:,} are looked at"
        faults.append(fault(VIOLATION, "JUDGE-4.1", "/evidence", problem))
    faults.extend(
        fault(VIOLATION, "JUDGE-4.1", "/evidence", f"no quote with a reason for {name}")
        for name in DIMENSIONS
        if name not in covered
    )
    counted = (
        Quotes.from_kinds(kinds)
        if output.rules > 1
        else Quotes(given=matched + missed, invented=missed)
    )
    return counted, faults


def _coverage(reply: Json, sample: Sample) -> Iterator[Fault]:
    """Identifiers that are missing, or not the ones that were asked for."""
    meta = members(reply, "meta")
    for name in (*IDENTIFIERS, "judge_model"):
        if name not in meta:
            yield fault(COVERAGE, "JUDGE-6.3", "/meta", f"the identifier {name!r} is missing")
        elif meta[name] != getattr(sample, name):
            sample_value = excerpt(getattr(sample, name))
            problem = f"is {excerpt(meta[name])}, the sample's is {sample_value}"
            yield fault(COVERAGE, "JUDGE-6.3", pointer("meta", name), problem)


def _evasion(reply: Json, rules: Rules) -> Iterator[Fault]:
    """No dimension has anything that could be meant as a score."""
    raw_scores = members(reply, "scores")
    blanks = NO_SCORES if rules > 1 else frozenset({""})
    blank = all(
        (score := raw_scores.get(name)) is None
        or (isinstance(score, str) and score.strip().casefold() in blanks)
        for name in DIMENSIONS
    )
    if blank and not any(name != OVERALL and is_number(raw_scores[name]) for name in raw_scores):
        yield fault(EVASION, "JUDGE-6.4", "/scores", "no dimension is scored")


def _sums(reply: Json) -> Iterator[Fault]:
    raw_scores = members(reply, "scores")
    scores = [raw_scores.get(name) for name in DIMENSIONS]
    overall = raw_scores.get(OVERALL)
    if all(is_integer(score) for score in (*scores, overall)):
        total = overall_of(dict(zip(DIMENSIONS, scores, strict=True)))  # type: ignore[arg-type]  # mypy reads no such check
        if overall != total:
            problem = f"is {overall}, the four scores sum to {total}"
            yield fault(INCONSISTENCY, "JUDGE-3.2", pointer("scores", OVERALL), problem)


def _verdict(reply: Json, scores: Scores | None) -> Iterator[Fault]:
    """A verdict that fits neither reading of the thresholds (Reading R20)."""
    verdict = reply.get("verdict")
    if not is_text(verdict):
        return
    fitting = admitted(scores) if scores is not None else VERDICTS
    if verdict not in fitting:
        problem = f"is {excerpt(verdict)}, expected {' or '.join(fitting)}"
        yield fault(INCONSISTENCY, "JUDGE-3.3", "/verdict", problem)


def _method(reply: Json, sample: Sample, rules: Rules) -> Iterator[Fault]:
    """A method that is none, or contradicts judge and target, as asked for or as it says itself."""
    meta = members(reply, "meta")
    method, judge, target = (meta.get(key) for key in ("method", "judge_model", "target_model"))
    if not is_text(method):
        return
    if rules > 1 and method not in METHODS:
        problem = f"is {excerpt(method)}, expected {' or '.join(METHODS)}"
        yield fault(VIOLATION, "JUDGE-5.6", "/meta/method", problem)
    fits = method in METHODS and method == sample.method
    if is_text(judge) and is_text(target):
        fits = fits and method == method_of(judge, target)  # type: ignore[arg-type]  # mypy reads no such check
    if not fits:
        problem = f"is {excerpt(method)}, which contradicts the judge and the target"
        yield fault(INCONSISTENCY, "JUDGE-5.6", "/meta/method", problem)


def _date(reply: Json, rules: Rules) -> Iterator[Fault]:
    """A timestamp that is no date, or no date with a time."""
    stamp = _text({"timestamp": "2000-01-01", **members(reply, "meta")}, "timestamp")
    if rules > 1 and not _is_date(stamp):
        problem = f"is {excerpt(stamp)}, expected a date as YYYY-MM-DD"
        yield fault(VIOLATION, "JUDGE-5.2", "/meta/timestamp", problem)


def _is_date(text: str) -> bool:
    """Return whether a text is a day of the calendar, with or without a time."""
    match = _DATE.fullmatch(text)
    if match is None:
        return False
    year, month, day = map(int, match.groups())
    return year > 0 and 1 <= month <= 12 and 1 <= day <= monthrange(year, month)[1]  # noqa: PLR2004  (months)


def _own_flags(reply: Json) -> Iterator[Fault]:
    """The judge's own hand says that its record is invalid."""
    for index, flag in enumerate(items(reply, "flags")):
        if flag in FLAGS:
            yield fault(flag, "JUDGE-5.5", pointer("flags", index), f"the judge itself says {flag}")


def _text(item: dict[str, Any], key: str) -> str:
    value = item.get(key)
    return value if isinstance(value, str) else ""


def fault(flag: Flag, clause: str, where: str, problem: str) -> Fault:
    """Return a fault, in words that any file can hold."""
    # A hostile key may hold a lone surrogate, which no file takes.
    return Fault(clause, storable(where), storable(problem), _REMEDIES[flag], "error", flag)


def worth(
    faults: list[Fault],
    *,
    quotes: Quotes,
    flags: Iterable[Flag] = (),
    scores: Mapping[Dimension, int] | None = None,
    judge_verdict: str | None = None,
) -> Judgement:
    """Return the judgement that follows from faults: every flag, in the protocol's order."""
    raised = {fault.flag for fault in faults} | set(flags)
    ordered = tuple(flag for flag in FLAGS if flag in raised)
    return Judgement(
        valid=not ordered,
        flags=ordered,
        scores=scores,
        verdict=None if scores is None else verdict_of(scores),
        judge_verdict=judge_verdict,
        quotes=quotes,
        findings=tuple(islice(faults, _MAX_FAULTS)),
    )
