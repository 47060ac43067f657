"""Fitness of a model as an evaluator: about ten calls.

Three pairs whose better answer is plain are asked about, each in both orders, and one of them
three times. Where the model refuses a setting, or reasons, it is asked in another way first.
"""

import json
import statistics
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, Literal

from msgspec import Struct, structs

from epc.audit.competence import AnsweredProbe, Verdicts, pairs_of
from epc.audit.probes import SIDES, Answer, Probe, Side
from epc.engine.model import CallError, Completion, Model, Occasion, Prompt
from epc.engine.remote import Remote, require_decoding
from epc.errors import Finding, UsageError
from epc.protocol.config import Configuration, Decoding
from epc.protocol.verdict import AnswerKind, Verdict, classify, parse_verdict

Kind = Literal["letter", "text", "refusal", "silence"]
Outcome = Literal["ready", "limited", "unfit"]

ROOM: Final = 2000  # tokens: enough for a little reasoning and a letter
CUT: Final = ("length", "max_tokens")
# A task, an answer to it, and an answer to something else.
_PAIRS: Final = (
    (
        "Explain why leaves turn red in autumn.",
        "In autumn the green pigment, chlorophyll, breaks down, and red pigments can be seen.",
        "A train ticket bought on board costs two euros more than one from the machine.",
    ),
    (
        "Say how to keep bread fresh for three days.",
        "Keep it in a paper bag in a bread box, cut side down; a refrigerator makes it stale.",
        "The parliament of the island has forty-nine members and meets twice a year.",
    ),
    (
        "Name one cause of the tides and explain it briefly.",
        "The Moon's gravity pulls harder on the near water than on the far: two bulges form.",
        "Sand the table first, then apply the varnish in two thin coats along the grain.",
    ),
)
_CONFIG: Final = Configuration(tasks={"text": tuple(task for task, _, _ in _PAIRS)})


def _probe(number: int, first: Side) -> Probe:
    """Return one of the pairs as a question."""
    _, right, wrong = _PAIRS[number]
    good = Answer(call=f"{number}", domain="text", task=number, strategy=0, text=right)
    bad = structs.replace(good, text=wrong)
    return Probe(kind="off_topic", answer=good, against=bad, first=first)


_FIRST: Final = _probe(0, "answer")
_REST: Final = (
    *(_FIRST, _FIRST, _probe(0, "against")),
    *(_probe(number, first) for number in (1, 2) for first in SIDES),
)


class Reply(Struct, frozen=True, kw_only=True):
    """A model's reply to a question, and after how many seconds it came."""

    probe: Probe
    completion: Completion
    seconds: float

    @property
    def verdict(self) -> Verdict:
        """The verdict that it stands for."""
        return parse_verdict(self.completion.text)

    @property
    def kind(self) -> Kind:
        """How it answers."""
        return kind_of(self.completion.text, self.completion.finish_reason)

    @property
    def reasoned(self) -> bool:
        """Whether the model reasoned before it (EPC-2.6(d))."""
        return bool(self.completion.reasoning or self.completion.reasoning_tokens)

    @property
    def in_parts(self) -> bool:
        """Whether the reply held its text as a list of parts."""
        try:
            content = json.loads(self.completion.reply or "")["choices"][0]["message"]["content"]
        except (ValueError, LookupError, TypeError):
            return False
        return isinstance(content, list)

    @property
    def rank(self) -> tuple[bool, bool]:
        """How good it is: a verdict, and one without reasoning."""
        return self.verdict.decided, not self.reasoned


class Diagnosis(Struct, frozen=True, kw_only=True):
    """Answers of a model, asked as `decoding` says; `changes` is what had to be set for it."""

    model: Model
    decoding: Decoding
    changes: Mapping[str, Any]
    calls: int
    answers: tuple[Reply, ...]

    @property
    def seconds(self) -> float:
        """How long a call takes, by the median."""
        return statistics.median(answer.seconds for answer in self.answers)

    @property
    def repeats(self) -> bool:
        """True if one question got one verdict, all the times that it was asked."""
        return len({answer.verdict for answer in self.answers if answer.probe == _FIRST}) == 1

    @property
    def reusable(self) -> bool:
        """True if a run of it may ask each question once (Reading R16)."""
        return self.model.repeatable and self.decoding.temperature == 0 and self.repeats

    @property
    def outcome(self) -> Outcome:
        """The word for it."""
        if self.one_place == len(_PAIRS) or not any(a.verdict.decided for a in self.answers):
            return "unfit"
        return "limited" if self.findings else "ready"

    @property
    def one_place(self) -> int:
        """In how many pairs the letter was the same in both orders."""
        return sum(verdicts.first is verdicts.exchanged for verdicts in self._decided())

    @property
    def findings(self) -> list[Finding]:
        """Findings that speak against it, and what to do."""
        return [
            Finding(clause, "", problem, remedy, severity="warning")
            for clause, problem, remedy in self._against()
        ]

    def _decided(self) -> list[Verdicts]:
        """Return the verdicts on each pair that got one in both orders, the last one of each."""
        answered = (
            AnsweredProbe(probe=reply.probe, verdict=reply.verdict, run_verdict=None)
            for reply in self.answers
        )
        return [pair.verdicts for pair in pairs_of(answered) if not pair.verdicts.ties]

    def _against(self) -> Iterator[tuple[str, str, str]]:
        """Yield the clause that asks for something else, the problem, and the remedy."""
        if undecided := [answer for answer in self.answers if not answer.verdict.decided]:
            kinds = sorted({answer.kind for answer in undecided})
            remedy = "name another evaluator: its rounds would be ties"
            if any(answer.completion.finish_reason in CUT for answer in undecided):
                remedy = "it was cut off: try --max-tokens with more, or --reasoning none"
            counts = f"{len(undecided)} of {len(self.answers)}"
            problem = f"{counts} answers are no verdict: {', '.join(kinds)}"
            yield "EPC-2.6(c)", problem, remedy
        if self.one_place:
            problem = (
                f"it gave one letter in both orders of {self.one_place} of {len(_PAIRS)} pairs"
            )
            remedy = "name another evaluator, or measure how much: `epc audit RUN --swap 50`"
            yield "EPC-5.3(4)", f"{problem}: it prefers a place", remedy
        if wrong := sum(verdicts.right == 0 for verdicts in self._decided()):
            yield (
                "EPC-5.3(4)",
                f"it preferred an answer to something else in {wrong} of {len(_PAIRS)} pairs",
                "run it with `--controls 20`, which stops before a bad evaluator is paid for",
            )
        if not self.repeats:
            times = sum(answer.probe == _FIRST for answer in self.answers)
            yield (
                "EPC-2.6(b)",
                f"one question got different verdicts, asked {times} times",
                "ask every round anew (`--reuse none`), or say how often with `--recheck 50`",
            )
        if reasoned := sum(answer.reasoned for answer in self.answers):  # Reading R79
            yield (
                "EPC-2.6(d)",
                f"{reasoned} of {len(self.answers)} answers came after reasoning",
                "the record says so; a model that can leave it out is nearer to the protocol",
            )


def kind_of(text: str, finish_reason: str | None) -> Kind:
    """Return how an answer answers."""
    outcome = classify(text, finish_reason=finish_reason)
    if outcome in (AnswerKind.A, AnswerKind.B):
        return "letter"
    if outcome is AnswerKind.REFUSAL:
        return "refusal"
    return "text" if text.strip() else "silence"


async def examine(model: Model, changes: Mapping[str, Any]) -> Diagnosis:
    """Ask a model about ten questions; `changes` is how it shall decode, setting by setting.

    Raises: UsageError if it cannot be asked for that; CallError if it cannot be asked at all.
    """
    if model.method == "recorded":
        raise UsageError("recorded verdicts exist already: there is nobody to ask")
    if changes:
        require_decoding(model, replace(model.default_decoding("evaluator"), **changes))
    first, changes, calls = await _settled(model, dict(changes))
    decoding = replace(model.default_decoding("evaluator"), **changes)
    answers = [first]
    for number, question in enumerate(_REST, 1):
        answers.append(await _answer(model, question, decoding, number))
    return Diagnosis(
        model=model,
        decoding=decoding,
        changes=changes,
        calls=calls + len(_REST),
        answers=tuple(answers),
    )


async def _settled(model: Model, changes: dict[str, Any]) -> tuple[Reply, dict[str, Any], int]:
    """Find settings under which the first question gets a verdict, at best without reasoning."""
    usual, calls = model.default_decoding("evaluator"), 0
    best: tuple[Reply, dict[str, Any]] | None = None
    ways = [changes]
    while ways:
        tried, calls = ways.pop(0), calls + 1
        try:
            answer = await _answer(model, _FIRST, replace(usual, **tried), 0)
        except CallError as error:
            if error.setting == "temperature" and tried.get("temperature", 0) is not None:
                ways = [{**settings, "temperature": None} for settings in (tried, *ways)]
            elif best is None or error.setting is None:
                raise
            continue
        if best is None and (answer.reasoned or answer.kind == "silence"):
            ways += [way for way in _other_ways(tried) if _can(model, replace(usual, **way))]
        if best is None or answer.rank > best[0].rank:
            best = answer, tried
        if answer.verdict.decided:
            # More room is for a model that got to no verdict.
            ways = [way for way in ways if "max_tokens" not in way and answer.reasoned]
    assert best is not None
    return *best, calls


def _other_ways(tried: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield what a model that reasons may be asked for instead, the protocol's own way first."""
    if "reasoning" not in tried:
        yield {**tried, "reasoning": "none"}
        yield {**tried, "reasoning": "low", "max_tokens": ROOM}
    yield {**tried, "max_tokens": ROOM}


def _can(model: Model, decoding: Decoding) -> bool:
    try:
        require_decoding(model, decoding)
    except UsageError:
        return False
    return isinstance(model, Remote)


async def _answer(model: Model, probe: Probe, decoding: Decoding, number: int) -> Reply:
    config = replace(_CONFIG, method=model.method)
    occasion = Occasion(seed=0, phase="text", round=number)
    prompt = Prompt(text=probe.text(config), pair=probe.pair(config), occasion=occasion)
    began = time.monotonic()
    completion = await model.complete(prompt, decoding)
    return Reply(probe=probe, completion=completion, seconds=time.monotonic() - began)
