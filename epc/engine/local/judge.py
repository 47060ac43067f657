"""The embedded weights as a judge: what they can write is a reply of the judge protocol.

A grammar leaves the weights two choices: each dimension's score, of 0, 1 and 2, and each
dimension's quote, of the stretches of the output. Decoding is greedy, so the likeliest score is
said; the log-probabilities of all three are the reason. Identifiers are copied, the sum and the
verdict are computed, and `notes` says so. Such a reply is valid under Reading R22 whatever the
weights know: that it is valid is no evidence that it is right.
"""

import json
import time
from operator import itemgetter
from typing import Final

from epc.engine.local import chat
from epc.engine.local.runtime import SLOT_TOKENS
from epc.engine.local.scoring import DECIMALS
from epc.engine.model import Completion, Prompt
from epc.errors import UsageError
from epc.judge.decided import COMPUTED, WORDS, record, spans
from epc.judge.prompt import Asked, asked_in
from epc.protocol.config import Decoding
from epc.protocol.results import Json
from epc.spec.epc_v1 import Method
from epc.spec.judge_v1 import DIMENSIONS, OVERALL, SCALE

_WRITTEN: Final = 220  # tokens: four scores, and four quotes of eight words
_READ: Final = SLOT_TOKENS - _WRITTEN - 64  # tokens; the template of the chat takes its part
_LISTED: Final = 100  # tokens at each step; a score that is not among them has no number


class LikelihoodJudge:
    """Scores an output by which of 0, 1 and 2 the weights would more likely write."""

    method: Method = "prompt"
    repeatable = True
    pinned = True
    roles = frozenset({"judge"})

    def __init__(self, name: str) -> None:
        self.identity = chat.identity_of(
            name,
            score="the likeliest of 0, 1 and 2 as the next token, for each dimension",
            quote=f"the likeliest of the output's stretches of up to {WORDS} words",
            computed=[OVERALL, "verdict"],
        )
        self._runtime = chat.loaded()
        self.concurrency = self._runtime.places

    def default_decoding(self, role: str) -> Decoding:  # noqa: ARG002  (a judge in any role)
        """Return what a reply takes: the likeliest token, always."""
        return Decoding(temperature=0.0, max_tokens=_WRITTEN)

    async def complete(self, prompt: Prompt, decoding: Decoding) -> Completion:
        """Have the weights choose scores and quotes, and put them into a reply.

        Raises: UsageError if the prompt is no judge's, or leaves no place for an output.
        """
        if (assignment := asked_in(prompt.text)) is None or decoding.temperature != 0:
            raise UsageError(f"{self.identity.model} judges outputs, at temperature 0")
        began = time.monotonic()
        length = await self._length_read(assignment)
        body = {
            "messages": chat.messages(assignment.reading(length)),
            "max_tokens": decoding.max_tokens,
            "temperature": 0,
            "logprobs": True,
            "top_logprobs": _LISTED,
            "grammar": _grammar(spans(assignment.output[:length])),
            "stream_options": {"include_usage": True},
        }
        chunks = await self._runtime.stream(body, chat=True)
        reply = _said(assignment, chat.text(chunks), chat.steps(chunks), length)
        return chat.completion(self.identity.model, chunks, began, reply)

    async def close(self) -> None:
        """Unload the weights, for every role that shares them."""
        self._runtime.close()

    async def _length_read(self, assignment: Asked) -> int:
        """Return how many of the output's characters there is place for."""
        length = len(assignment.output)
        while True:
            body = {"content": assignment.reading(length), "parse_special": False}
            if len((await self._runtime.post("/tokenize", body))["tokens"]) <= _READ:
                return length
            if not length:
                problem = f"the prompt takes more than {_READ} tokens before any output"
                raise UsageError(f"{problem}: shorten --prompt or the task")
            length = length * 3 // 4


def _grammar(quotable: list[str]) -> str:
    """Return the grammar of what the weights choose: four scores, then a quote for each."""
    between = f" {_literal(', ')} "
    scores = between.join(f"{_literal(json.dumps(name) + ': ')} score" for name in DIMENSIONS)
    quotes = between.join(["quote"] * len(DIMENSIONS))
    opened, turned, closed = map(_literal, ('{"scores": {', '}, "quotes": [', "]}"))
    choices = [json.dumps(span, ensure_ascii=False) for span in quotable] or ["null"]
    return "\n".join(
        (
            f"root ::= {opened} {scores} {turned} {quotes} {closed}",
            f"score ::= {' | '.join(_literal(str(score)) for score in SCALE)}",
            f"quote ::= {' | '.join(map(_literal, choices))}",
        )
    )


def _literal(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _said(assignment: Asked, written: str, steps: list[Json], length: int) -> str:
    """Return the record that a judge prints, of what the weights chose.

    What ended too early to be read stays as it is.
    """
    try:
        chosen = json.loads(written)
    except ValueError:
        return written
    scores: dict[str, int] = chosen["scores"]
    digits = [step for step in steps if step["token"] in map(str, SCALE)]
    notes = f"The scores are the likeliest of 0, 1 and 2. {COMPUTED}"
    if length < len(assignment.output):
        notes += f" The model read the first {length:,} of {len(assignment.output):,} characters."
    reasons: dict[str, str] = {
        name: _reason(step["top_logprobs"]) for name, step in zip(DIMENSIONS, digits, strict=False)
    }
    return record(assignment, scores, chosen["quotes"], reasons, notes)


def _reason(listed: list[Json]) -> str:
    """Return what the weights thought of each score: the log-probability of its token."""
    logprobs = dict(map(itemgetter("token", "logprob"), listed))
    values = [
        round(logprobs[s], DECIMALS) if s in logprobs else "unlisted" for s in map(str, SCALE)
    ]
    return "log-probability of " + ", ".join(
        f"{s}: {p}" for s, p in zip(SCALE, values, strict=True)
    )
