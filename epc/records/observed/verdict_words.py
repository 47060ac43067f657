"""Words by which verdicts are written: a pass, a side, no answer."""

import re
from collections.abc import Collection, Mapping
from typing import Final

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
# What programs write for an empty cell.
MISSING: Final = frozenset(["n/a", "na", "nan", "none", "null", "-", "--"])
NO_ANSWER: Final = MISSING | frozenset(
    ["error", "invalid", "unparsable", "unparseable", "parse_error", "refusal", "refused"]
)
_BETTER: Final = re.compile(r" (?:(?:is|was) (?:slightly |much |clearly )?better|wins|won)\.?$")


def bare(label: str) -> str:
    """Return a label in lower case, as `a` of `A is better`."""
    return _BETTER.sub("", label.strip().lower())


def are_passes(labels: Collection[str]) -> bool:
    """Return whether most labels of verdicts say pass or fail, and none which of two is better."""
    said = [label for label in map(bare, labels) if label and label not in NO_ANSWER]
    passes = [label in PASSES for label in said]
    return 2 * sum(passes) > len(said) and not {*said} & (SIDES.keys() - PASSES.keys())
