"""What intervals, kappas and alphas of judges come to, from their definitions in exact fractions.

This module shares no code with epc. Student's t has closed forms for 1, 2 and 4 degrees of freedom,
so every interval here is of 2, 3 or 5 questions.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations
from math import acos, cos, exp, pi, sqrt, tan
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Final

from cases_judge import DIMENSIONS

if TYPE_CHECKING:
    from collections.abc import Callable

Json = dict[str, Any]
Case = tuple[str, Json, Json]
Exact = Fraction | None

HIGHEST: Final = 8  # of an overall score
Z: Final = NormalDist().inv_cdf(0.975)
_ROOT: Final = sqrt(1 - 0.95**2)
T: Final = {
    1: tan(pi * 0.475),
    2: 0.95 * sqrt(2 / (1 - 0.95**2)),
    4: 2 * sqrt(cos(acos(_ROOT) / 3) / _ROOT - 1),  # W. T. Shaw, J. Comp. Finance 9 (2006), 37-73
}


def wilson(hits: float, n: float) -> list[float]:
    """Return Wilson's interval: where (p - x)^2 = z^2 x (1 - x) / n."""
    p, z2 = hits / n, Z * Z
    root = sqrt(z2 / n * (p * (1 - p) + z2 / (4 * n)))
    ends = [(p + z2 / (2 * n) + sign * root) / (1 + z2 / n) for sign in (-1, 1)]
    return [max(0.0, ends[0]), min(1.0, ends[1])]


def interval_case(says: str, figure: str, *seen: tuple[str, int, int]) -> Case:
    """Return a share's or a mean's case; what is seen has a question, a value, and of how many."""
    total, n = sum(one[1] for one in seen), sum(one[2] for one in seen)
    value = Fraction(total, n)
    off: dict[str, Fraction] = {}
    for question, seen_value, of in seen:
        off[question] = off.get(question, Fraction()) + (seen_value - value * of) / n
    k, ci95 = len(off), None
    if figure == "wilson":
        ci95 = wilson(float(total), n)
    elif k > 1:
        spread = sum((part**2 for part in off.values()), Fraction()) * Fraction(k, k - 1)
        if figure == "mean":
            half = T[k - 1] * sqrt(spread)
            ci95 = [float(value) - half, float(value) + half]
        else:
            top, most = (HIGHEST, None) if figure == "score" else (1, n)
            part, unit = value / top, spread / top**2
            alike = float(part * (1 - part) / unit) if unit else float(k)
            effective = (alike if most is None else min(alike, most)) * (Z / T[k - 1]) ** 2
            ci95 = [top * end for end in wilson(float(part) * effective, effective)]
    given = [{"question": q, "value": v, "of": of} for q, v, of in seen]
    expected = {"value": float(value), "ci95": ci95}
    return says, {"figure": figure, "observations": given}, expected


INTERVALS: Final[tuple[Case, ...]] = (
    interval_case("3 of 10 by Wilson", "wilson", ("a", 3, 10)),
    interval_case("none of 8 is no interval from 0 to 0", "wilson", ("a", 0, 8)),
    interval_case("one question has no spread", "share", ("a", 1, 2), ("a", 2, 2)),
    interval_case(
        "five questions that vary",
        "share",
        *(("a", 8, 9), ("b", 7, 9), ("c", 9, 9), ("d", 4, 9), ("e", 6, 9)),
    ),
    interval_case(
        "questions that do not vary count once each",
        "share",
        *((q, 1, 1) for q in "aabbccddee"),
    ),
    interval_case("questions that vary less than coins", "share", *((q, 1, 2) for q in "abcde")),
    interval_case("two questions say little", "share", ("a", 1, 4), ("b", 3, 4)),
    interval_case("a mean of two questions", "mean", ("a", 5, 1), ("a", 7, 1), ("b", 4, 1)),
    interval_case("a mean of three questions", "mean", ("a", 8, 1), ("b", 2, 1), ("c", 3, 1)),
    interval_case(
        "unequal questions",
        "mean",
        *(("a", 1, 1), ("a", 2, 1), ("b", 4, 1), ("c", 8, 1), ("d", 0, 1), ("e", 3, 1)),
    ),
    interval_case("one question", "mean", ("a", 1, 1), ("a", 3, 1)),
    interval_case("two of five", "share", *((q, q in "ab", 1) for q in "abcde")),
    interval_case(
        "scores near the highest stay below it", "score", *((q, 8 - (q == "a"), 1) for q in "abcde")
    ),
    interval_case("scores that do not vary", "score", *((q, 8, 1) for q in "abc")),
    interval_case(
        "scores of unequal questions",
        "score",
        *(("a", 1, 1), ("a", 2, 1), ("b", 4, 1), ("c", 8, 1), ("d", 0, 1), ("e", 3, 1)),
    ),
)


Rated = list[tuple[str, dict[str, int]]]  # the question of each output, and each judge's score


def kappa(rated: Rated, left: str, right: str) -> Exact:
    """Return Cohen's kappa with quadratic weights: squared gaps, seen against by chance."""
    pairs = [(one[left], one[right]) for _, one in rated if left in one and right in one]
    chance = sum(Fraction((a - b) ** 2) for a, _ in pairs for _, b in pairs)
    seen = sum(Fraction((a - b) ** 2) for a, b in pairs)
    return 1 - seen * len(pairs) / chance if chance else None


def alpha(rated: Rated, *, ordinal: bool) -> Exact:
    """Return Krippendorff's alpha: gaps within outputs against gaps among all scores."""
    units = [list(one.values()) for _, one in rated if len(one) > 1]
    every = Counter(score for unit in units for score in unit)
    n = sum(every.values())

    def gap(a: int, b: int) -> Fraction:
        if not ordinal:
            return Fraction((a - b) ** 2)
        low, high = min(a, b), max(a, b)
        between = sum(every[score] for score in range(low, high + 1))
        return (between - Fraction(every[a] + every[b], 2)) ** 2 if a != b else Fraction()

    within = sum(
        (gap(a, b) / (len(unit) - 1) for unit in units for a, b in permutations(unit, 2)),
        Fraction(),
    )
    among = sum((gap(a, b) * every[a] * every[b] for a in every for b in every), Fraction())
    return 1 - within / n / (among / (n * (n - 1))) if among else None


def with_interval(rated: Rated, figure: Callable[[Rated], Exact], counted: Rated) -> Json:
    """Return a figure with the interval that comes from leaving out each question."""
    whole = figure(rated)
    questions = list(dict.fromkeys(question for question, _ in counted))
    parts = [figure([one for one in rated if one[0] != q]) for q in questions]
    known = [part for part in parts if part is not None]
    if whole is None or len(questions) < 2 or len(known) < len(parts):
        return {"value": None if whole is None else float(whole), "ci95": None}
    k = len(known)
    middle = sum(known, Fraction()) / k
    spread = sum(((part - middle) ** 2 for part in known), Fraction()) * Fraction(k - 1, k)
    differing = len({question for question, by in counted if len(set(by.values())) > 1})
    if not differing:
        return {"value": float(whole), "ci95": None}
    # The ratio of disagreements, on the scale of its logarithm, and one of any size unseen.
    off = float(1 - whole)
    half = T[k - 1] * sqrt(float(spread) / off**2 + 1 / differing**2)
    ends = [max(-1.0, 1 - off * exp(half)), 1 - off * exp(-half)]
    return {"value": float(whole), "ci95": ends}


def agreement_case(says: str, *outputs: tuple[str, dict[str, str]]) -> Case:
    """Return judges' agreement; an output has a question, and four digits by each judge."""
    digits = [
        (q, {judge: [int(d) for d in said] for judge, said in by.items()}) for q, by in outputs
    ]
    given = [{"question": q, "scores": by} for q, by in digits]
    names = ("overall_score", *DIMENSIONS)
    scores: dict[str, Rated] = {
        name: [
            (q, {judge: [sum(four), *four][at] for judge, four in by.items()}) for q, by in digits
        ]
        for at, name in enumerate(names)
    }
    pairs = []
    for left, right in combinations(sorted({judge for _, by in outputs for judge in by}), 2):
        kappas = {}
        for name, rated in scores.items():
            both = [
                (q, {judge: by[judge] for judge in (left, right)})
                for q, by in rated
                if left in by and right in by
            ]
            kappas[name] = with_interval(both, lambda kept: kappa(kept, left, right), both)  # noqa: B023  (called at once)
        pairs.append({"judges": [left, right], "kappa": kappas})
    alphas = {}
    for name, rated in scores.items():
        several = [one for one in rated if len(one[1]) > 1]
        ordinal = name != "overall_score"
        alphas[name] = with_interval(several, lambda kept: alpha(kept, ordinal=ordinal), several)  # noqa: B023  (called at once)
    return says, {"outputs": given}, {"pairs": pairs, "alpha": alphas}


AGREEMENT: Final[tuple[Case, ...]] = (
    agreement_case(
        "two judges of five questions",
        *(
            (q, {"a": left, "b": right})
            for q, left, right in (
                *(("1", "2222", "2212"), ("2", "1111", "1021"), ("3", "0001", "1001")),
                *(("4", "2120", "2210"), ("5", "0112", "0201"), ("5", "2011", "1012")),
            )
        ),
    ),
    agreement_case(
        "three judges, of whom one saw less",
        ("1", {"a": "2222", "b": "1222", "c": "2221"}),
        ("1", {"a": "0110", "b": "1110"}),
        ("2", {"a": "1201", "b": "1101", "c": "0211"}),
        ("2", {"a": "2002", "c": "2012"}),
        ("3", {"a": "0020", "b": "0120", "c": "1020"}),
        ("3", {"a": "1112", "b": "2112"}),
    ),
    agreement_case(
        "one value everywhere is no agreement",
        *((q, {"a": "1111", "b": "1111"}) for q in "123"),
    ),
    agreement_case(
        "judges that are opposed",
        *(("1", {"a": "2220", "b": "0002"}), ("2", {"a": "0002", "b": "2220"})),
        *(("1", {"a": "2210", "b": "0112"}), ("2", {"a": "0012", "b": "2110"})),
    ),
    agreement_case(
        "one question has no spread", *(("1", {"a": s, "b": "2101"}) for s in ("2101", "0121"))
    ),
)
