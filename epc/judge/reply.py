"""A judge's reply as text: one JSON object or not, and the verdict that its score makes."""

import re
from collections.abc import Mapping
from typing import Final

from epc.errors import Finding
from epc.json_text import decode, parse
from epc.judge.shape import Json, shown
from epc.spec.judge_v1 import (
    DECISIVE,
    DIMENSIONS,
    FAIL_TO,
    PARTIAL_FROM,
    PASS_FROM,
    Verdict,
)
from epc.spec.refusals import refuses

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
        problem = f"the reply is {shown(value)}, expected exactly one object"
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


Scores = Mapping[str, int]


def overall_of(scores: Scores) -> int:
    """Return the sum of the four scores, 0 to 8 (JUDGE-3.2)."""
    return sum(scores.values())


def verdict_of(scores: Scores) -> Verdict:
    """Return the verdict that we archive.

    Source: JUDGE-3.3. Reading R20: as printed, a vector can be PARTIAL and FAIL at once; the
    sum decides.
    """
    overall = overall_of(scores)
    if overall <= FAIL_TO:
        return "FAIL"
    return "PASS" if overall >= PASS_FROM else "PARTIAL"


def admitted(scores: Scores) -> tuple[Verdict, ...]:
    """Return every verdict that the printed thresholds admit; a judge may give any of them.

    Source: JUDGE-3.3; Reading R20.
    """
    overall = overall_of(scores)
    holds: dict[Verdict, bool] = {
        "PASS": overall >= PASS_FROM and all(scores[name] != 0 for name in DECISIVE),
        "PARTIAL": PARTIAL_FROM <= overall < PASS_FROM or 0 in scores.values(),
        "FAIL": overall <= FAIL_TO,
    }
    return tuple(verdict for verdict, held in holds.items() if held)
