"""What figures about judges come to (Readings R24, R26, R27, labels), worked by hand as fractions.

This module shares no code with epc.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

Json = dict[str, Any]
Case = tuple[str, Json, Json]  # what it shows, what is given, what is expected

A, B, C = "maker/a", "maker/b", "maker/c"


def part(text: str) -> float:
    """Return a fraction such as 1/3 as the double that is nearest."""
    return float(Fraction(text))


# --- R26: shares of valid evaluations, with what invalid ones leave open.


def seen(target: str, scores: str | None, *, valid: bool = True) -> Json:
    """Return an evaluation of an output; `scores` are four digits."""
    return {"target": target, "scores": scores and [int(digit) for digit in scores], "valid": valid}


def stated(value: str | None, low: str, high: str) -> Json:
    """Return a figure with its bounds."""
    return {"value": value and part(value), "bounds": [part(low), part(high)]}


_NOTHING: Final = {"value": None, "bounds": None}
SHARES: Final[tuple[Case, ...]] = (
    (
        "nothing is invalid, so nothing is open",
        {"evaluations": [seen(A, "2222"), seen(A, "2221"), seen(B, "1111"), seen(B, "0001")]},
        {
            "verdicts": {
                "PASS": stated("1/2", "1/2", "1/2"),
                "PARTIAL": stated("1/4", "1/4", "1/4"),
                "FAIL": stated("1/4", "1/4", "1/4"),
            },
            "overall_score": stated("5", "5", "5"),  # 8 + 7 + 4 + 1 = 20
            "invalid": 0,
            "invalid_by_target": {A: 0, B: 0},
            "invalid_by_score": {"8": 0, "7": 0, "4": 0, "1": 0},
        },
    ),
    (
        "two of five are invalid, one of them with scores that can be read",
        {
            "evaluations": [
                seen(A, "2222"),
                seen(A, "2220"),
                seen(A, "0000"),
                seen(B, "0000", valid=False),
                seen(B, None, valid=False),
            ]
        },
        {
            "verdicts": {
                "PASS": stated("1/3", "1/5", "3/5"),
                "PARTIAL": stated("1/3", "1/5", "3/5"),
                "FAIL": stated("1/3", "1/5", "3/5"),
            },
            "overall_score": stated("14/3", "14/5", "30/5"),  # 8 + 6 + 0, and 8 for each of two
            "invalid": part("2/5"),
            "invalid_by_target": {A: 0, B: 1},
            "invalid_by_score": {"8": 0, "6": 0, "0": part("1/2")},
        },
    ),
    (
        "where all are invalid no share is known, and every one is possible",
        {"evaluations": [seen(A, None, valid=False), seen(A, "2222", valid=False)]},
        {
            "verdicts": dict.fromkeys(("PASS", "PARTIAL", "FAIL"), stated(None, "0", "1")),
            "overall_score": stated(None, "0", "8"),
            "invalid": 1,
            "invalid_by_target": {A: 1},
            "invalid_by_score": {"8": 1},
        },
    ),
    (
        "of nothing, nothing is stated",
        {"evaluations": []},
        {
            "verdicts": dict.fromkeys(("PASS", "PARTIAL", "FAIL"), _NOTHING),
            "overall_score": _NOTHING,
            "invalid": None,
            "invalid_by_target": {},
            "invalid_by_score": {},
        },
    ),
    (
        "the sum alone decides, whatever a dimension is (R20)",
        {"evaluations": [seen(A, "0222"), seen(A, "2122"), seen(A, "0012"), seen(A, "1110")]},
        {
            "verdicts": {
                "PASS": stated("1/4", "1/4", "1/4"),
                "PARTIAL": stated("1/4", "1/4", "1/4"),
                "FAIL": stated("1/2", "1/2", "1/2"),
            },
            "overall_score": stated("19/4", "19/4", "19/4"),  # 6 + 7 + 3 + 3
            "invalid": 0,
            "invalid_by_target": {A: 0},
            "invalid_by_score": {"6": 0, "7": 0, "3": 0},
        },
    ),
)

# --- R24: an output's name begins with its target's letter.


def judged(*rows: tuple[str, str, int], invalid: tuple[tuple[str, str], ...] = ()) -> Json:
    """Return judgments: who judged which output, with which overall score."""
    makers = {"a": A, "b": B, "c": C, "x": "maker/x"}
    return {
        "judgments": [
            {
                "judge": judge,
                "target": makers[output[0]],
                "output": output,
                "overall": overall,
                "valid": (judge, output) not in invalid,
            }
            for judge, output, overall in rows
        ]
    }


def everybody(
    first: tuple[int, int, int], second: tuple[int, int, int], third: tuple[int, ...]
) -> Json:
    """Return what A, B and C gave the outputs a1, b1 and c1."""
    rows = [
        (judge, output, overall)
        for judge, overalls in ((A, first), (B, second), (C, third))
        for output, overall in zip(("a1", "b1", "c1"), overalls, strict=True)
    ]
    return judged(*rows)


SELF_PREFERENCE: Final[tuple[Case, ...]] = (
    (
        "a lenient judge, 4 points above the others on every output, favours nobody",
        everybody((8, 8, 8), (4, 4, 4), (4, 4, 4)),
        # A is 4 above B and C on its own output, and 4 above C on b1 and B on c1.
        {A: 0, B: 0, C: 0},
    ),
    (
        "A lifts its own output by 3, and nobody else anybody",
        everybody((7, 4, 4), (4, 4, 4), (4, 4, 4)),
        # A: own +3 against B and C, others 0. B and C: what A says of a1 is no yardstick for them,
        # for A is its author; everything else is equal.
        {A: 3, B: 0, C: 0},
    ),
    (
        "a severe judge that lifts its own output by 2 favours it by 2",
        everybody((4, 2, 2), (4, 4, 4), (4, 4, 4)),
        # A: own 4 - 4 = 0, others 2 - 4 = -2. B: own against A 4 - 2 = 2 and c1 against A 2, so 0.
        {A: 2, B: 0, C: 0},
    ),
    (
        "with two judges no third one is a yardstick for others' outputs",
        judged((A, "a1", 8), (A, "b1", 4), (B, "a1", 4), (B, "b1", 8)),
        {A: None, B: None},
    ),
    (
        "a judge that has judged no output of its own has no figure",
        judged((A, "c1", 8), (B, "c1", 4), (A, "x1", 8), (B, "x1", 4)),
        {},
    ),
    (
        "each other judge is compared on what both judged, and counts once",
        judged(
            *(
                (A, output, overall)
                for output, overall in (("a1", 6), ("a2", 8), ("x1", 3), ("x2", 5))
            ),
            *((B, output, overall) for output, overall in (("a1", 4), ("a2", 4), ("x1", 3))),
            *((C, output, overall) for output, overall in (("a1", 5), ("x1", 4), ("x2", 4))),
        ),
        # Against B: own (2 + 4) / 2 = 3, others 0: 3. Against C: own 1, others (-1 + 1) / 2 = 0: 1.
        {A: 2},
    ),
    (
        "an invalid evaluation is none, and a judge without a common output is left out",
        judged(
            *((A, output, overall) for output, overall in (("a1", 6), ("x1", 3))),
            *((B, output, overall) for output, overall in (("a1", 2), ("x1", 2))),
            *((C, output, overall) for output, overall in (("a1", 0), ("x1", 3))),
            invalid=((C, "a1"),),
        ),
        # Against B: 4 - 1 = 3. C has nothing valid of a1.
        {A: 3},
    ),
)

# --- R27: like for like, and never over shared answers.

_SAME: Final[Json] = {
    "prompt": "p1",
    "mapping": None,
    "constraint": None,
    "decoding": "greedy",
    "blind": True,
}


def side(scores: dict[str, tuple[int, str]], **changed: object) -> Json:
    """Return an evaluation: its conditions, and overall score and answer of each output."""
    return {
        **_SAME,
        **changed,
        "scores": {name: {"overall": o, "answer": a} for name, (o, a) in scores.items()},
    }


_BEFORE: Final = {"o1": (4, "n1"), "o2": (8, "n2"), "o3": (0, "n3")}
_AFTER: Final = {"o1": (6, "n4"), "o2": (7, "n5"), "o4": (8, "n6")}


def like(
    description: str,
    differing: str = "",
    figures: tuple[int, int, str | None] | None = (2, 0, "1/2"),
    after: dict[str, tuple[int, str]] = _AFTER,
    **changed: object,
) -> Case:
    """Return a case: figures are outputs compared and shared, and the mean difference."""
    compared, shared, moved = figures or (None, None, None)
    expected = {
        "stated": figures is not None,
        "differing": differing.split(),
        "compared": compared,
        "shared": shared,
        "mean_difference": moved and part(moved),
    }
    return description, {"before": side(_BEFORE), "after": side(after, **changed)}, expected


DRIFT: Final[tuple[Case, ...]] = (
    like("the same conditions: two outputs in common, +2 and -1"),
    like("another prompt", "prompt", None, prompt="p2"),
    like("another mapping", "mapping", None, mapping="harsh"),
    like("another constraint", "constraint", None, constraint="json"),
    like("another decoding", "decoding", None, decoding="hot"),
    like(
        "all that differs is named, in order",
        "names prompt mapping constraint decoding",
        None,
        blind=False,
        prompt="p2",
        mapping="harsh",
        constraint="json",
        decoding="hot",
    ),
    like("names alone differ: what they change is stated, as that", "names", blind=False),
    like("names and the prompt differ", "names prompt", None, blind=False, prompt="p2"),
    like(
        "an answer that both hold is none of the figure",
        "",
        (1, 1, "-1"),
        {**_AFTER, "o1": (4, "n1")},
    ),
    like(
        "where all answers are shared nothing is left to compare", "", (0, 3, None), dict(_BEFORE)
    ),
    like("no output in common", "", (0, 0, None), {"o9": (1, "n9")}),
)

# --- Labels: PASS shares put right by what people said of some outputs.


def labelled(*groups: tuple[int, int, int | None]) -> Json:
    """Return outputs: how many, whether the judge passes them, whether people do, if asked."""
    return {
        "outputs": [
            {"judge": bool(judge), "people": None if people is None else bool(people)}
            for count, judge, people in groups
            for _ in range(count)
        ]
    }


def corrected(*figures: str | None) -> Json:
    """Return the stated share, sensitivity, specificity, and the two corrections."""
    names = ("stated", "sensitivity", "specificity", "rogan_gladen", "prediction_powered")
    return {
        name: None if text is None else part(text)
        for name, text in zip(names, figures, strict=True)
    }


LABELS: Final[tuple[Case, ...]] = (
    (
        "a judge without an error is left as it is",
        labelled((2, 1, 1), (2, 0, 0), (3, 1, None), (3, 0, None)),
        corrected("1/2", "1", "1", "1/2", "1/2"),
    ),
    (
        "a lenient judge: of ten labelled it passes all 4 good ones and 3 of 6 bad ones",
        labelled((4, 1, 1), (3, 1, 0), (3, 0, 0), (7, 1, None), (3, 0, None)),
        # 14 of 20 passed; (7/10 - 1/2) / (1 - 1/2) = 2/5; 7/10 - 3/10 = 2/5.
        corrected("7/10", "1", "1/2", "2/5", "2/5"),
    ),
    (
        "the two corrections differ where the labelled outputs are not like the others",
        labelled((3, 1, 1), (1, 0, 1), (1, 1, 0), (3, 0, 0), (8, 1, None)),
        # 12 of 16; (3/4 - 1/4) / (3/4 - 1/4) = 1; 3/4 + (1 - 1) / 8 = 3/4.
        corrected("3/4", "3/4", "3/4", "1", "3/4"),
    ),
    (
        "no correction leaves the shares that can be",
        labelled((1, 1, 1), (1, 1, 0), (1, 0, 0), (9, 0, None)),
        # 2 of 12; (1/6 - 1/2) / (1 - 1/2) < 0; 1/6 - 1/3 < 0.
        corrected("1/6", "1", "1/2", "0", "0"),
    ),
    (
        "without an output that people failed, only one correction can be had",
        labelled((2, 1, 1), (1, 0, 1), (3, 0, None)),
        corrected("1/3", "2/3", None, None, "2/3"),
    ),
    (
        "a judge that passes good and bad alike cannot be inverted",
        labelled((1, 1, 1), (1, 0, 1), (1, 1, 0), (1, 0, 0)),
        corrected("1/2", "1/2", "1/2", None, "1/2"),
    ),
    (
        "without labels there is the judge's own share",
        labelled((3, 1, None), (1, 0, None)),
        corrected("3/4", None, None, None, None),
    ),
)
