"""Scales of scores: the one that a file's scores are on, and the scores that lie outside it.

Source: Reading R101.
"""

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Final

from epc.errors import UsageError
from epc.records.verdicts.types import Scale

_SCALES: Final = ((0, 1), (1, 3), (1, 4), (1, 5), (0, 5), (1, 7), (1, 10), (0, 10), (0, 100))
BOTH: Final = ""  # whose scale is stated, where it is one for judge and people
SENTINELS: Final = frozenset((-1, -99, -100, -999, -9999, 99, 999, 9999))
_TEXT: Final = re.compile(r"(-?\d+(?:\.\d+)?)-(-?\d+(?:\.\d+)?)(?::(\d+(?:\.\d+)?))?")
_MOST_GRADES: Final = 11
_FEW: Final = 3  # different scores, of which a scale may be told
_APART: Final = 5  # times as high as another scale's top, which then is no part of this one
_ROUNDED: Final = 1e-9
_WHOLE: Final = 10  # a scale so long or shorter has whole grades


def scale_of(text: str, values: Iterable[float] = ()) -> Scale:
    """Return the scale that a user states: `1-5`, or `0-1:0.5` with its step.

    Raises: UsageError if it is none.
    """
    match = _TEXT.fullmatch(text.strip())
    if not match or not float(match[1]) < float(match[2]):
        raise UsageError(f"--scale {text}: no scale\n  fix: write it as 1-5, or as 0-1:0.5")
    low, high = float(match[1]), float(match[2])
    inside = [value for value in values if low <= value <= high]
    step = float(match[3]) if match[3] else step_of(low, high, inside)
    if not 0 < step <= high - low:
        raise UsageError(f"--scale {text}: {step:g} is no step of it\n  fix: write it as 0-1:0.5")
    return Scale(low=low, high=high, step=step, stated=True)


def known_scale(values: Iterable[float]) -> Scale | None:
    """Return the first scale that holds all scores but sentinels, or None."""
    scores = {*values}
    for low, high in _SCALES:
        usual_scores = {v for v in scores if low <= v <= high or v not in SENTINELS}
        if usual_scores and all(low <= value <= high for value in usual_scores):
            return Scale(low=low, high=high, step=step_of(low, high, usual_scores))
    return None


def common_scale(by_judge: Iterable[float], by_people: Iterable[float]) -> Scale | None:
    """Return the scale that holds the scores of a judge and of people.

    None where there is none, or where each side plainly has a scale of its own, as 0-1 and 1-5.
    """
    sides = [{*by_judge}, {*by_people}]
    tops = [scale.high for side in sides if len(side) >= _FEW and (scale := known_scale(side))]
    if len(tops) == len(sides) and max(tops) >= _APART * min(tops):
        return None
    return known_scale(sides[0] | sides[1])


def step_of(low: float, high: float, values: Iterable[float]) -> float:
    """Return one grade: 1 of whole numbers up to 10, the grid of few values, or a tenth."""
    grades = sorted({*values})
    if high <= _WHOLE and high - low > 1 and all(float(value).is_integer() for value in grades):
        return 1.0
    gaps = [b - a for a, b in pairwise(grades)]
    if len(grades) > 1:
        step = min(gaps)
        places = [(value - low) / step for value in grades]
        is_grid = all(abs(place - round(place)) < _ROUNDED for place in places)
        if is_grid and round((high - low) / step) + 1 <= _MOST_GRADES:
            return step
    return (high - low) / 10


def on_unit(value: float, scale: Scale) -> float:
    """Return a score on the scale from 0 to 1."""
    return (value - scale.low) / (scale.high - scale.low)


def both_scales(scales: Mapping[str, str]) -> bool:
    """Return whether the judge and people have a stated scale each.

    Raises: UsageError if only one of both has.
    """
    named = {*scales} - {""}
    if named and named != {"judge", "humans"}:
        fix = "--scale judge=1-10 --scale humans=1-5, or one --scale for both"
        raise UsageError(f"--scale: the judge's and people's scales go together\n  fix: {fix}")
    return bool(named)
