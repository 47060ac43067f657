"""A wrapper's verdicts a second time, from its members' calls and the text of Reading R80 alone.

It shares no code with `epc.protocol.mitigation`: a judging is read as the record spells it, and
scores are cut out of the reply by hand.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

Json = dict[str, Any]
Spoken = Callable[[str], str]
Said = Mapping[tuple[int, bool], str]


def composed_otherwise(manifest: Json, calls: Path, spoken: Spoken) -> Iterator[tuple[str, str]]:
    """Yield where a wrapper's verdicts are not what its calls give.

    `spoken` reads A, B or tie out of a reply.
    """
    details = manifest["evaluator"]["details"]
    if "judging" not in details:
        return
    with calls.open(encoding="utf-8") as file:
        rows = {row["id"]: row for row in map(json.loads, file)}
    keys = list(dict.fromkeys(_questions(details["judging"], turned=False)))
    for row in rows.values():
        if row["role"] != "evaluator":
            continue
        replies = [rows[name]["answer"] for name in row["votes"]]
        answers = dict(zip(keys, replies, strict=True))
        verdict = _verdict(details["judging"], answers, spoken, turned=False)
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


def _verdict(judging: Json, answers: Said, spoken: Spoken, *, turned: bool) -> str:
    """Return A where the first answer wins, B where the second does, else tie."""
    kind = judging["kind"]
    if kind == "asked":
        return spoken(answers[judging["member"], turned])
    if kind == "band":
        margin = _margin(answers[judging["of"][0]["member"], turned])
        if margin is None or margin == 0 or abs(margin) < judging["band"]:
            return "tie"
        return "A" if margin > 0 else "B"
    arguments = [_verdict(part, answers, spoken, turned=turned) for part in judging["of"]]
    if kind == "balanced":
        other_text = _verdict(judging["of"][0], answers, spoken, turned=not turned)
        return arguments[0] if {arguments[0], other_text} == {"A", "B"} else "tie"
    counts = {word: arguments.count(word) for word in ("A", "B")}
    return next((word for word, n in counts.items() if n > len(arguments) - n), "tie")


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
