"""Questions that a decision model is asked for a prompt, and the reply that its decisions make.

Such a model reads a text and answers questions about it, each from fixed options with a
probability for every one; it writes nothing. A verdict is one choice of A and B. A judge's record
is four scores, and for each a choice among stretches of the output, which is its quote. The reply
follows from prompt and decisions alone, so whoever has both can make it again.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Final, Literal

from msgspec import Struct

from epc.judge.prompt import Assignment, asked_in
from epc.spec.judge_v1 import DIMENSIONS, LEAST_CHARACTERS, OVERALL, SCALE, overall_of, verdict_of

VERDICT: Final = "verdict"
PLACES: Final = ("A", "B")
WORDS: Final = 8  # of a quote, at most
# What stands in a request beside the prompt, so a model's identity names it.
_WHICH: Final = "Which answer is better, A or B, as the text asks?"
_POINTS: Final = "How many points does the output get for {} by the text's rules?"
_QUOTE: Final = "Which stretch of the output shows best what it deserves for {}?"
INSTRUCTIONS: Final = {"verdict": _WHICH, "score": _POINTS, "quote": _QUOTE}
_MOST_QUOTES: Final = 100  # to choose from: endpoints take about 120 options and more
_WORD: Final = r"\S{1,20}"  # scripts that do not part words have long ones
_SPAN: Final = re.compile(rf"{_WORD}(?: {_WORD}){{0,{WORDS - 1}}}")
COMPUTED: Final = f"{OVERALL} and verdict are computed from the scores, not written by the model."


class Asking(Struct, frozen=True, kw_only=True):
    """A question; `options` are its answers with what they mean, of a score from 0 on."""

    name: str
    type: Literal["choice", "score"]
    instructions: str
    options: dict[str, str]


class Decision(Struct, frozen=True, kw_only=True):
    """The option that was chosen, and the probability of each as far as it is stated."""

    chosen: str
    probabilities: dict[str, float]


def askings(prompt: str) -> list[Asking]:
    """Return the questions about a prompt: a judge's, or one for a verdict."""
    if (assignment := asked_in(prompt)) is None:
        options = {place: f"answer {place} is better" for place in PLACES}
        return [Asking(name=VERDICT, type="choice", instructions=_WHICH, options=options)]
    quotes = _offered(assignment.output)
    scores = [
        Asking(
            name=name.lower(),
            type="score",
            instructions=_POINTS.format(name),
            options={str(points): f"{points} of {SCALE[-1]} points" for points in SCALE},
        )
        for name in DIMENSIONS
    ]
    evidence = [
        Asking(
            name=_quote_of(name),
            type="choice",
            instructions=_QUOTE.format(name),
            options={str(number): quote for number, quote in enumerate(quotes, 1)},
        )
        for name in DIMENSIONS
    ]
    return [*scores, *(evidence if len(quotes) > 1 else [])]


def reply_of(prompt: str, decisions: Mapping[str, Decision]) -> str:
    """Return the reply that the decisions on a prompt's questions make.

    Raises: LookupError if a question has no decision.
    """
    if (assignment := asked_in(prompt)) is None:
        verdict = decisions[VERDICT]
        chances = [verdict.probabilities.get(place) for place in PLACES]
        if None in chances:
            return verdict.chosen
        return f"{verdict.chosen}\nprobability: A {chances[0]!r}, B {chances[1]!r}"
    quotes = _offered(assignment.output)
    scores = {name: decisions[name.lower()] for name in DIMENSIONS}
    chosen = quotes * len(DIMENSIONS)
    if len(quotes) > 1:
        chosen = [quotes[int(decisions[_quote_of(name)].chosen) - 1] for name in DIMENSIONS]
    reasons: dict[str, str] = {
        name: "probability of " + ", ".join(f"{s}: {p}" for s, p in score.probabilities.items())
        if score.probabilities
        else "the model states no probability"
        for name, score in scores.items()
    }
    notes = f"The scores are the likeliest of 0, 1 and 2. {COMPUTED}"
    if len(quotes) < (total := len(spans(assignment.output))):
        notes += f" Quotes are chosen among {len(quotes)} of the output's {total:,} stretches."
    points: dict[str, int] = {name: int(score.chosen) for name, score in scores.items()}
    return record(assignment, points, chosen, reasons, notes)


def record(
    assignment: Assignment,
    scores: Mapping[str, int],
    quotes: Sequence[str | None],
    reasons: Mapping[str, str],
    notes: str,
) -> str:
    """Return the JSON that a judge prints, of scores and quotes that were chosen one by one."""
    evidence = [
        {"dimension": name, "quote": quote, "reason": reasons[name]}
        for name, quote in zip(DIMENSIONS, quotes, strict=False)
        if quote is not None and name in reasons  # a blank output has nothing to quote
    ]
    return json.dumps(
        {
            "meta": assignment.meta,
            "scores": {**scores, OVERALL: overall_of(scores)},
            "verdict": verdict_of(scores),
            "flags": [],
            "evidence": evidence,
            "notes": notes,
        },
        ensure_ascii=False,
    )


def spans(output: str) -> list[str]:
    """Return the stretches of an output that can be quoted, the trivial ones if need be."""
    stretches = [span for span in _SPAN.findall(output) if span.isprintable()]
    telling = [span for span in stretches if sum(map(str.isalnum, span)) >= LEAST_CHARACTERS]
    return list(dict.fromkeys(telling or stretches))


def _offered(output: str) -> list[str]:
    """Return the stretches to choose from: all, or so many from the whole length of the output."""
    stretches = spans(output)
    return stretches[:: math.ceil(len(stretches) / _MOST_QUOTES)] if stretches else []


def _quote_of(dimension: str) -> str:
    return f"quote_{dimension.lower()}"
