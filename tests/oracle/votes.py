"""A wrapper's verdicts a second time, from its members' calls and the text of Reading R80 alone.

It shares no code with `epc.protocol.mitigation`: a judging is read as the record spells it, scores
are cut out of the reply by hand, and the temperature is found by Newton's steps.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import exp, fsum, inf, isfinite
from pathlib import Path
from typing import Any, Final

Json = dict[str, Any]
Spoken = Callable[[str], str]
Said = Mapping[tuple[int, bool], str]

_NEAR: Final = 2e-6  # what was stated is rounded to six digits
_STEPS: Final = 200


def composed_otherwise(manifest: Json, calls: Path, spoken: Spoken) -> Iterator[tuple[str, str]]:
    """Yield where a wrapper's verdicts or its calibration are not what its calls give.

    `spoken` reads A, B or tie out of a reply.
    """
    details = manifest["evaluator"]["details"]
    if "judging" not in details:
        return
    with calls.open(encoding="utf-8") as file:
        rows = {row["id"]: row for row in map(json.loads, file)}
    stated = {each["member"]: each for each in manifest.get("calibration", ())}
    for member, each in stated.items():
        pairs = [tuple(_margin(rows[name]["answer"]) for name in pair) for pair in each["calls"]]
        again = _fitted(pairs)
        where = f"manifest.json/calibration/{member}"
        for key, value in zip(("prior", "temperature"), again, strict=True):
            if abs(each[key] - value) > _NEAR * max(1.0, abs(value)):
                yield where, f"{key} is {each[key]!r}, a second implementation {value!r}"
    keys = list(dict.fromkeys(_questions(details["judging"], turned=False)))
    for row in rows.values():
        if row["role"] != "evaluator":
            continue
        replies = [rows[name]["answer"] for name in row["votes"]]
        answers = dict(zip(keys, replies, strict=True))
        verdict = _verdict(details["judging"], answers, stated, spoken, turned=False)
        if verdict != spoken(row["answer"]):
            word = spoken(row["answer"])
            yield f"calls.jsonl/{row['id']}", f"says {word}, a second implementation {verdict}"


def _questions(judging: Json, *, turned: bool) -> Iterator[tuple[int, bool]]:
    if judging["kind"] == "asked":
        yield judging["member"], turned
        return
    for part in judging["of"]:
        yield from _questions(part, turned=turned)
        if judging["kind"] == "balanced":
            yield from _questions(part, turned=not turned)


def _verdict(
    judging: Json, answers: Said, fits: Mapping[int, Json], spoken: Spoken, *, turned: bool
) -> str:
    """Return A where the first answer wins, B where the second does, else tie."""
    kind = judging["kind"]
    if kind == "asked":
        return spoken(answers[judging["member"], turned])
    if kind in ("band", "calibrated"):
        inner = judging["of"][0] if kind == "band" else judging
        calibrates = inner["kind"] == "calibrated"
        member = (inner["of"][0] if calibrates else inner)["member"]
        margin = _margin(answers[member, turned])
        if margin is None:
            return "tie"
        if calibrates:
            margin = round(margin - fits[member]["prior"], 6) / fits[member]["temperature"]
            if kind == "band":  # of the two probabilities
                margin = 2 * _sigmoid(margin) - 1
        if margin == 0 or (kind == "band" and abs(margin) < judging["band"]):
            return "tie"
        return "A" if margin > 0 else "B"
    words = [_verdict(part, answers, fits, spoken, turned=turned) for part in judging["of"]]
    if kind == "balanced":
        other = _verdict(judging["of"][0], answers, fits, spoken, turned=not turned)
        return words[0] if {words[0], other} == {"A", "B"} else "tie"
    counts = {word: words.count(word) for word in ("A", "B")}
    return next((word for word, n in counts.items() if n > len(words) - n), "tie")


def _margin(reply: str) -> float | None:
    """Return the first score minus the second of a reply: `words: A 12.0, B 9.0` in line 2."""
    lines = reply.split("\n")
    if len(lines) < 2 or ": A " not in lines[1]:
        return None
    a, _, b = lines[1].rpartition(": A ")[2].partition(", B ")
    try:
        first, second = float(a), float(b)
    except ValueError:
        return None
    return 0.0 if first == second else round(first - second, 6)


def _fitted(pairs: Sequence[tuple[float | None, ...]]) -> tuple[float, float]:
    """Return the place prior and the temperature that margins of known pairs give."""
    usable = [(a, b) for a, b in pairs if a is not None and b is not None]
    usable = [(a, b) for a, b in usable if isfinite(a) and isfinite(b)]
    if not usable:
        return 0.0, 1.0
    prior = round(fsum(a + b for a, b in usable) / (2 * len(usable)), 6)
    right = [a - prior for a, _ in usable] + [prior - b for _, b in usable]

    def slope(sureness: float) -> float:
        return fsum(m * _sigmoid(-m * sureness) for m in right)

    low, high = 0.01, 100.0
    if slope(high) >= 0:
        return prior, round(1 / high, 6)
    if slope(low) <= 0:
        return prior, round(1 / low, 6)
    at = 1.0
    for _ in range(_STEPS):
        bend = -fsum(m * m * (p := _sigmoid(m * at)) * (1 - p) for m in right)
        low, high = (at, high) if slope(at) > 0 else (low, at)
        step = at - slope(at) / bend if bend else inf
        at = step if low < step < high else (low + high) / 2
    return prior, round(1 / at, 6)


def _sigmoid(x: float) -> float:
    return 1 / (1 + exp(-x)) if x >= 0 else exp(x) / (1 + exp(x))
