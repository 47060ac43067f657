"""Words by which verdicts are written: a pass, a side, no answer, and the score in a text."""

import re
from collections.abc import Mapping
from typing import Final

from epc.json_text import is_number, parse

PASSES: Final[Mapping[str, str]] = {
    **dict.fromkeys(["pass", "passed", "yes", "true", "correct", "good", "acceptable", "1"], "a"),
    **dict.fromkeys(
        ["fail", "failed", "no", "false", "incorrect", "bad", "unacceptable", "wrong", "0"], "b"
    ),
    "y": "a",
    "n": "b",
    "c": "a",
    "i": "b",
}
SIDES: Final[Mapping[str, str]] = {
    **{
        f"{word}{gap}{side}": meant
        for word in ("model", "answer", "response", "output", "assistant", "candidate", "option")
        for gap in ("_", " ", "")
        for side, meant in (("a", "a"), ("b", "b"), ("1", "a"), ("2", "b"))
    },
    **{
        f"{opened}{said}{closed}": meant
        for opened, closed in (("", ""), ("[[", "]]"))
        for meant, words in (
            ("a", "a a>b a>>b b<a b<<a"),
            ("b", "b b>a b>>a a<b a<<b"),
            ("tie", "a=b b=a a~=b"),
        )
        for said in words.split()
    },
    "left": "a",
    "right": "b",
    "1": "a",
    "2": "b",
    **dict.fromkeys(
        ("[[c]]", "draw", "equal", "same", "neither", "both", "both_bad", "both bad", "bothbad"),
        "tie",
    ),
    **dict.fromkeys(("tie (bothbad)", "tie_bothbad", "tie (both bad)", "ties"), "tie"),
}
PLACES: Final = ("first", "second")
TIE, UNREADABLE = "tie", "unreadable"
# What programs write for an empty cell.
MISSING: Final = frozenset(["n/a", "na", "nan", "none", "null", "-", "--"])
NO_ANSWER: Final = MISSING | frozenset(
    ["error", "invalid", "unparsable", "unparseable", "parse_error", "refusal", "refused"]
)
_BETTER: Final = re.compile(r" (?:(?:is|was) (?:slightly |much |clearly )?better|wins|won)\.?$")
_KEY: Final = "score"
_FENCED: Final = re.compile(r"```(?:json)?\s*(\{.*?\})\s*```", re.DOTALL)
_NUMBER: Final = re.compile(r"(?<![\w.-])[-+]?\d+(?:\.\d+)?(?![\w-]|\.\d)")
_OUT_OF: Final = re.compile(r"\s*(?:/|out of)\s*\d+(?:\.\d+)?")


def bare(label: str) -> str:
    """Return a label in lower case, as `a` of `A is better`."""
    return _BETTER.sub("", label.strip().lower())


def score_in(reply: str) -> float | None:
    """Return the score of a judge's reply: `score` of a JSON object, or its only number.

    `7/10` and `7 out of 10` are 7. None if there are several numbers, or none.
    """
    fenced = _FENCED.search(reply)
    value, problems = parse(fenced[1] if fenced else reply)
    if problems:
        numbers = {*_NUMBER.findall(_OUT_OF.sub(" ", reply))}
        return float(numbers.pop()) if len(numbers) == 1 else None
    value = value.get(_KEY) if isinstance(value, dict) else value
    return float(value) if is_number(value) else None
