"""The embedded models: sets of weights, each asked in five ways, and a rule that scores.

`NAME` of `epc.engine.local.weights` is asked by the protocol's prompt and may write what it likes.
`NAME-constrained` is asked the same but can only write A or B (an AltPrompt).
`NAME-labels` is asked the same and says how likely each letter was.
`NAME-likelihood` is not asked at all: of two answers it prefers the one whose judged
characters it would more likely have written itself (an AltEvaluator).

`NAME-judge-likelihood` scores outputs under the judge protocol.

Models this small are poor judges. Their runs say so from their own numbers; see the report.
`word-count` is a rule, so that there are two evaluators that truly differ.
"""

import asyncio
import json
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Final

from msgspec import structs
from msgspec.structs import replace

from epc.engine.local import runtime
from epc.engine.local.scoring import DECIMALS, WordCount, pair_of, score_text
from epc.engine.local.weights import WEIGHTS, weights_of
from epc.engine.model import Completion, Model, Prompt
from epc.engine.request_body import response_format
from epc.errors import UsageError, unknown
from epc.judge.prompt import Assignment, asked_in
from epc.protocol.config import REFERENCE_DECODING, Decoding
from epc.protocol.prompt import judged
from epc.protocol.results import Json
from epc.records.decisions import COMPUTED, WORDS, record, spans
from epc.spec.epc_v1 import Method
from epc.spec.judge_v1 import DIMENSIONS, OVERALL, SCALE

# Enough for the 300 characters that are judged: about 4.6 characters a token here.
ANSWER_TOKENS: Final = 80
_LISTED: Final = 2000  # tokens, of 49,152 or 151,936; both letters are among the first few
_ALL: Final = 1_000_000  # more tokens than any vocabulary has
_CERTAIN: Final = 10_000.0  # added to a token's logit: no other is written
_WRITTEN: Final = 220  # tokens: four scores, and four quotes of eight words
_TEMPLATE: Final = 64  # tokens that the template of the chat takes
_LISTED_SCORES: Final = 100  # tokens at each step; a score that is not among them has no number
_GRAMMARS: Final = {"A|B": 'root ::= "A" | "B"'}


class Local:
    """The weights as a chat model: the executor, and two of the three evaluators."""

    method: Method = "prompt"
    repeatable = True
    pinned = True

    def __init__(self, name: str, *, constraint: str | None = None) -> None:
        self._constraint = constraint
        self.weights = weights_of(name)
        self.identity = runtime.identity_of(name)
        self._runtime = runtime.loaded(self.weights)
        self.concurrency = self._runtime.places

    def default_decoding(self, role: str) -> Decoding:
        """Return a short answer's decoding for an executor, the reference's for an evaluator."""
        if role == "executor":
            return Decoding(temperature=0.0, max_tokens=ANSWER_TOKENS)
        return Decoding(
            temperature=REFERENCE_DECODING.temperature,
            max_tokens=REFERENCE_DECODING.max_tokens,
            constraint=self._constraint,
        )

    async def complete(self, prompt: Prompt, decoding: Decoding) -> Completion:
        """Write an answer in the weights' own chat template."""
        began = time.monotonic()
        body: Json = {
            "messages": self._runtime.messages(prompt.text),
            "max_tokens": decoding.max_tokens,
            "stream_options": {"include_usage": True},
        }
        if decoding.temperature is not None:
            body["temperature"] = decoding.temperature
        if decoding.top_p is not None:
            body["top_p"] = decoding.top_p
        if (shape := response_format(decoding.constraint)) is not None:
            body["response_format"] = shape
        elif decoding.constraint is not None:
            body["grammar"] = _GRAMMARS[decoding.constraint]
        chunks = await self._runtime.stream(body, chat=True)
        return runtime.completion(self.identity.model, chunks, began, runtime.text(chunks))

    async def _first_token(
        self, prompt: Prompt, count: int, **settings: str
    ) -> tuple[list[Json], dict[str, float]]:
        """Have one token written; return its chunks, and the log-probability of the likeliest."""
        body = {
            "messages": self._runtime.messages(prompt.text),
            "max_tokens": 1,
            "temperature": 0,
            "logprobs": True,
            "top_logprobs": count,
            "stream_options": {"include_usage": True},
            **settings,
        }
        chunks = await self._runtime.stream(body, chat=True)
        listed: list[Json] = runtime.steps(chunks)[0]["top_logprobs"]
        return chunks, dict(map(itemgetter("token", "logprob"), listed))

    async def close(self) -> None:
        """Unload the weights, for every role that shares them."""
        self._runtime.close()


class Labels(Local):
    """The weights as a chat model that states how likely it was to say A, and B.

    The letter that is likelier is the verdict, as of the constrained model.
    """

    states_scores = True

    def __init__(self, name: str) -> None:
        super().__init__(name, constraint="A|B")
        listed = f"the free model's log-probabilities among the {_LISTED} likeliest tokens"
        self.identity = replace(self.identity, details={**self.identity.details, "score": listed})

    async def complete(self, prompt: Prompt, decoding: Decoding) -> Completion:  # noqa: ARG002  (one letter is read, whatever the decoding)
        """Have the model say a letter, and note what it thought of both before it did."""
        pair_of(prompt, self.identity.model)
        began = time.monotonic()
        chunks, logprobs = await self._first_token(prompt, _LISTED, grammar=_GRAMMARS["A|B"])
        a, b = (round(logprobs.get(letter, -math.inf), DECIMALS) for letter in "AB")
        reply = score_text("log-probability of the letter", a, b)
        answer = runtime.completion(self.identity.model, chunks, began, reply)
        return structs.replace(answer, finish_reason="stop", tokens_out=1)


class Likelihood(Local):
    """The weights as a likelihood scorer.

    The score of an answer is the mean log-likelihood, per token, of its judged characters after
    the task in the model's own chat template; the higher score wins and equal scores tie. Where
    an answer stands, first or second, plays no part.
    """

    method: Method = "likelihood"
    states_scores = True

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._contexts: dict[str, list[int]] = {}
        # Futures, so that an answer wanted by several comparisons at once is scored once.
        self._scores: dict[tuple[str, str], asyncio.Future[tuple[float, int]]] = {}

    async def complete(self, prompt: Prompt, decoding: Decoding) -> Completion:  # noqa: ARG002  (the interface hands it over)
        """Score both answers and name the likelier one."""
        pair = pair_of(prompt, self.identity.model)
        began = time.monotonic()
        a, tokens_a = await self.score(pair.task, judged(pair.response or ""))
        b, tokens_b = await self.score(pair.task, judged(pair.baseline or ""))
        return Completion(
            text=score_text("mean log-likelihood per token", a, b),
            served_model=self.identity.model,
            finish_reason="stop",
            tokens_in=tokens_a + tokens_b,
            tokens_out=0,
            latency_s=round(time.monotonic() - began, 6),
        )

    async def score(self, task: str, answer: str) -> tuple[float, int]:
        """Return an answer's score and the tokens read for it; each answer is scored once."""
        key = (task, answer)
        if key not in self._scores:
            self._scores[key] = asyncio.ensure_future(self._read(task, answer))
        return await asyncio.shield(self._scores[key])

    async def _read(self, task: str, answer: str) -> tuple[float, int]:
        context = await self._context(task)
        tokens = await self._tokens(answer, special=False)
        score = await self._mean_log_likelihood(context, tokens) if tokens else -math.inf
        return score, len(context) + len(tokens)

    async def _mean_log_likelihood(self, context: list[int], answer: list[Json]) -> float:
        """Average what the free model thinks of an answer's tokens, one after another."""
        read = list(context)
        thought: list[float] = []
        for in_parts, run in groupby(answer, key=_is_part):
            tokens = [token["id"] for token in run]
            if in_parts:
                for token in tokens:
                    thought.append(await self._listed(read, token))
                    read.append(token)
            else:
                thought += await self._written(read, tokens)
                read += tokens
        return math.fsum(thought) / len(answer)

    async def _written(self, read: list[int], tokens: list[int]) -> list[float]:
        """Have the model write exactly these tokens; return the log-probability of each.

        The grammar forces the path; the reported log-probabilities are those of the free model.
        """
        forced = " ".join(f"<[{token}]>" for token in tokens)
        body = {
            "prompt": read,
            "max_tokens": len(tokens),
            "temperature": 0,
            "logprobs": 1,
            "grammar": f"root ::= {forced}",
        }
        steps = runtime.steps(await self._runtime.stream(body, chat=False))
        if [step["id"] for step in steps] != tokens:
            raise AssertionError(f"scored {len(steps)} tokens of {len(tokens)}")
        return [step["logprob"] for step in steps]

    async def _listed(self, read: list[int], token: int) -> float:
        """Return the log-probability of a token that is a part of a character.

        No grammar lets the runtime begin a character, and of a character that has no end it
        reports nothing. So it writes another token, and lists what it thought of all.
        """
        body = {
            "prompt": read,
            "max_tokens": 1,
            "temperature": 0,
            "logprobs": _ALL,
            "logit_bias": [[".", _CERTAIN]],
        }
        (step,) = runtime.steps(await self._runtime.stream(body, chat=False))
        listed: dict[int, float] = {one["id"]: one["logprob"] for one in step["top_logprobs"]}
        return listed[token]

    async def _context(self, task: str) -> list[int]:
        if task not in self._contexts:
            rendered = await self._runtime.post(
                "/apply-template", {"messages": self._runtime.messages(task)}
            )
            tokens = await self._tokens(rendered["prompt"], special=True)
            self._contexts[task] = [token["id"] for token in tokens]
        return self._contexts[task]

    async def _tokens(self, text: str, *, special: bool) -> list[Json]:
        body = {"content": text, "add_special": False, "parse_special": special}
        answer = await self._runtime.post("/tokenize", {**body, "with_pieces": True})
        tokens: list[Json] = answer["tokens"]
        return tokens


def _is_part(token: Json) -> bool:
    """Return whether a token is a part of a character: its piece is then bytes, and no text."""
    return isinstance(token["piece"], list)


class LikelihoodJudge(Local):
    """Scores an output by which of 0, 1 and 2 the weights would more likely write.

    A grammar leaves the weights two choices: each dimension's score, of 0, 1 and 2, and each
    dimension's quote, of the stretches of the output. Decoding is greedy, so the likeliest score is
    said; the log-probabilities of all three are the reason. Identifiers are copied, the sum and the
    verdict are computed, and `notes` says so. Such a reply is valid under Reading R22 whatever the
    weights know: that it is valid is no evidence that it is right.
    """

    roles = frozenset({"judge"})

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.identity = runtime.identity_of(
            name,
            score="the likeliest of 0, 1 and 2 as the next token, for each dimension",
            quote=f"the likeliest of the output's stretches of up to {WORDS} words",
            computed=[OVERALL, "verdict"],
        )

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
            "messages": self._runtime.messages(assignment.reading(length)),
            "max_tokens": decoding.max_tokens,
            "temperature": 0,
            "logprobs": True,
            "top_logprobs": _LISTED_SCORES,
            "grammar": _grammar(spans(assignment.output[:length])),
            "stream_options": {"include_usage": True},
        }
        chunks = await self._runtime.stream(body, chat=True)
        reply = _record_of(assignment, runtime.text(chunks), runtime.steps(chunks), length)
        return runtime.completion(self.identity.model, chunks, began, reply)

    async def _length_read(self, assignment: Assignment) -> int:
        """Return how many of the output's characters there is place for."""
        length = len(assignment.output)
        place = self.weights.slot_tokens - _WRITTEN - _TEMPLATE
        while True:
            body = {"content": assignment.reading(length), "parse_special": False}
            if len((await self._runtime.post("/tokenize", body))["tokens"]) <= place:
                return length
            if not length:
                problem = f"the prompt takes more than {place} tokens before any output"
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


def _record_of(assignment: Assignment, written: str, steps: list[Json], length: int) -> str:
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


@dataclass(frozen=True, slots=True)
class Embedded:
    """A model that needs no server: what it is, what it needs, and how it is opened."""

    description: str
    opened: Callable[[str], Model]
    has_weights: bool = True

    def needs(self, name: str) -> str | None:
        """Return the command that gets what this model lacks, or None if it can be used.

        Raises: WorldError if its weights are there but are others.
        """
        if self.has_weights and not weights_of(name).present():
            return f"epc models fetch local/{name}"
        return None


_WAYS: Final = {
    "": Embedded("asked by the prompt, free text; executor or evaluator", Local),
    "-constrained": Embedded(
        "asked by the prompt, can only say A or B; evaluator",
        lambda name: Local(name, constraint="A|B"),
    ),
    "-labels": Embedded("asked by the prompt, says how likely A and B were; evaluator", Labels),
    "-likelihood": Embedded("prefers the likelier answer; evaluator", Likelihood),
    "-judge-likelihood": Embedded(
        "scores by the likelihood of 0, 1 and 2, and quotes the output; judge",
        LikelihoodJudge,
    ),
}
LOCAL_MODELS: Final = {
    **{f"{name}{suffix}": way for name in WEIGHTS for suffix, way in _WAYS.items()},
    "word-count": Embedded(
        "a rule: prefers the answer of more words; evaluator",
        WordCount,
        has_weights=False,
    ),
}


_GONE: Final = (
    "minilm-l6-relevance", "wordllama-relevance", "vader-sentiment", "flesch-reading-ease",
)  # fmt: skip


def open_local(name: str) -> Model:
    """Return an embedded model.

    Raises: UsageError if there is no such model or something that it needs is not here.
    """
    embedded = embedded_model(name)
    if missing := embedded.needs(name):
        raise UsageError(f"the weights {weights_of(name).file} are not here yet: run `{missing}`")
    return embedded.opened(name)


def embedded_model(name: str) -> Embedded:
    """Return what is known of an embedded model.

    Raises: UsageError if there is none of this name.
    """
    if name in _GONE:
        raise UsageError(
            f"local/{name} is no longer part of the program\n"
            "  fix: its measurements stay published (`epc snapshot list`); a scorer of your own can"
            " be measured from its verdicts: `--evaluator recorded:FILE`"
        )
    if name not in LOCAL_MODELS:
        names = [f"local/{embedded}" for embedded in LOCAL_MODELS]
        raise unknown(f"local/{name}", names, list_intro="the embedded models are")
    return LOCAL_MODELS[name]
