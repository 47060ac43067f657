"""A judge's reply as text: one JSON object or not, its fields and their types, and its verdict.

Source: JUDGE-5.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from epc.errors import Finding
from epc.json_text import decode, parse, pointer
from epc.spec.judge_v1 import (
    DIMENSIONS,
    EVIDENCE_KEYS,
    META,
    OVERALL,
)
from epc.spec.refusals import refuses

Json = dict[str, Any]

_FIELDS: Final = {
    "meta": (dict, "an object", "JUDGE-5.2"),
    "scores": (dict, "an object", "JUDGE-5.3"),
    "verdict": (str, "a string", "JUDGE-3.3"),
    "flags": (list, "an array", "JUDGE-5.5"),
    "evidence": (list, "an array", "JUDGE-4.1"),
}

Departure = tuple[str, str, str]  # clause, JSON Pointer, problem
Rule = tuple[Callable[[Any], bool], str, str]  # what fits, that in words, clause


def departures(reply: Json) -> Iterator[Departure]:
    """Yield every missing field and every value of a wrong type; true and 2.0 are no integers.

    Source: JUDGE-5; Reading R21. Keys beyond the protocol's are not its matter.
    """
    for name, (kind, expected, clause) in _FIELDS.items():
        if name not in reply:
            yield clause, "", f"the field {name!r} is missing"
        elif not isinstance(reply[name], kind):
            yield clause, pointer(name), f"is {excerpt(reply[name])}, expected {expected}"
    if "notes" in reply and not isinstance(reply["notes"], str):
        yield "JUDGE-5.1", "/notes", f"is {excerpt(reply['notes'])}, expected a string or no notes"
    for name, keys, rule in _MEMBERS:
        if isinstance(reply.get(name), dict):  # if not, that has been said
            yield from _members(reply, name, keys, rule)
    for index, flag in enumerate(items(reply, "flags")):
        if not isinstance(flag, str):
            yield "JUDGE-5.5", pointer("flags", index), f"is {excerpt(flag)}, expected a string"
    yield from _evidence(reply)


def _members(reply: Json, name: str, keys: tuple[str, ...], rule: Rule) -> Iterator[Departure]:
    fits, expected, clause = rule
    for key in keys:
        if key not in reply[name]:
            yield clause, pointer(name), f"the field {key!r} is missing"
        elif not fits(reply[name][key]):
            problem = f"is {excerpt(reply[name][key])}, expected {expected}"
            yield clause, pointer(name, key), problem


def _evidence(reply: Json) -> Iterator[Departure]:
    for index, item in enumerate(items(reply, "evidence")):
        if not isinstance(item, dict):
            problem = f"is {excerpt(item)}, expected an object"
            yield "JUDGE-4.2", pointer("evidence", index), problem
            continue
        for key in EVIDENCE_KEYS:
            if key not in item:
                problem = f"the field {key!r} is missing"
                yield "JUDGE-4.2", pointer("evidence", index), problem
            elif not isinstance(item[key], str):
                problem = f"is {excerpt(item[key])}, expected a string"
                yield "JUDGE-4.2", pointer("evidence", index, key), problem


def is_text(value: Any) -> bool:
    """Return whether a value is a JSON string."""
    return isinstance(value, str)


def is_integer(value: Any) -> bool:
    """Return whether a value is a JSON integer; 2.0 and true are none (Reading R21)."""
    return isinstance(value, int) and not isinstance(value, bool)


_MEMBERS: Final[tuple[tuple[str, tuple[str, ...], Rule], ...]] = (
    ("meta", META, (is_text, "a string", "JUDGE-5.2")),
    ("scores", DIMENSIONS, (is_integer, "an integer", "JUDGE-5.3")),
    ("scores", (OVERALL,), (is_integer, "an integer", "JUDGE-5.4")),
)


def members(reply: Json, name: str) -> Json:
    """Return an object of the reply, empty if there is none."""
    value = reply.get(name)
    return value if isinstance(value, dict) else {}


def items(reply: Json, name: str) -> list[Any]:
    """Return an array of the reply, empty if there is none."""
    value = reply.get(name)
    return value if isinstance(value, list) else []


def excerpt(value: Any) -> str:
    """Return a value in a few words for a message."""
    if isinstance(value, str):
        return f"{value[:40]!r}" + ("..." if len(value) > 40 else "")  # noqa: PLR2004  (a message)
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "an array"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return f"the number {value!r}"


_CLAUSE: Final = "JUDGE-5.1"
_SHOWN: Final = 60
# A dimension's name in any spelling, what may stand between it and a score, and a digit.
_NAMES: Final = "|".join(name.replace("_", "[_ -]?") for name in DIMENSIONS)
_SCORE: Final = re.compile(
    rf"(?:{_NAMES})[\s\\\"'\u2018-\u201f*_`:=|(\[-]{{0,12}}[0-9]", re.IGNORECASE
)


def read_reply(raw: str | bytes) -> tuple[str, Json | None, list[Finding]]:
    """Return a reply's text, its one JSON object, and why there is none.

    A reply that is not exactly one strict JSON object is not interpreted: whichever object we
    took out of its fence or its prose, we would be guessing what the judge meant.

    Source: JUDGE-5.1; Reading R21.
    """
    if isinstance(raw, bytes):
        text, problems = decode(raw)
        if problems:
            return raw.decode("utf-8", "replace"), None, problems
    else:
        text = raw
    value, problems = parse(text)
    if problems:
        return text, None, [_not_one_object(text, problem) for problem in problems]
    if not isinstance(value, dict):
        problem = f"the reply is {excerpt(value)}, expected exactly one object"
        return text, None, [_finding("", problem)]
    return text, value, []


def evades(text: str) -> bool:
    """Return whether a text that cannot be read refuses to score, or scores no dimension in sight.

    An apology before an object is a manner, not a refusal.

    Source: JUDGE-6.4; Reading R22.
    """
    return _SCORE.search(text) is None or ("{" not in text and refuses(text))


def _not_one_object(text: str, problem: Finding) -> Finding:
    """Say what kind of departure it is, if it is one that judges are known for."""
    stripped = text.strip()
    if problem.where:
        return _finding(problem.where, problem.problem)
    if stripped.startswith("```"):
        return _finding("", "the reply is wrapped in a code fence")
    if not stripped:
        return _finding("", "the reply is empty")
    if not stripped.startswith("{"):
        return _finding("", f"the reply begins with text: {stripped[:_SHOWN]!r}")
    return _finding("", problem.problem)


def _finding(where: str, problem: str) -> Finding:
    remedy = "have the judge print exactly one JSON object, and nothing else"
    return Finding(clause=_CLAUSE, where=where, problem=problem, remedy=remedy)
