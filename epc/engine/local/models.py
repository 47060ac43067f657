"""The embedded models: one set of weights, asked in three ways.

`smollm2-135m` is asked by the protocol's prompt and may write what it likes.
`smollm2-135m-constrained` is asked the same but can only write A or B (an AltPrompt).
`smollm2-135m-likelihood` is not asked at all: of two answers it prefers the one whose judged
characters it would more likely have written itself (an AltEvaluator).

A model this small is a poor judge. Its runs say so from their own numbers; see the report.
"""

import asyncio
import math
import time
from typing import Final

from epc.engine.constraints import response_format
from epc.engine.local import weights
from epc.engine.local.runtime import describe, shared_runtime
from epc.engine.model import Completion, Identity, Prompt
from epc.errors import UsageError
from epc.protocol.config import REFERENCE_DECODING, Decoding, Method
from epc.protocol.prompt import judged
from epc.protocol.results import Json

BASE: Final = "smollm2-135m"
# What the weights' chat template says where nobody else says anything.
SYSTEM_PROMPT: Final = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"
# Enough for the 300 characters that are judged: about 4.6 characters a token here.
ANSWER_TOKENS: Final = 80
_GRAMMARS: Final = {"A|B": 'root ::= "A" | "B"'}


class Local:
    """The weights as a chat model: the executor, and two of the three evaluators."""

    method: Method = "prompt"
    repeatable = True
    pinned = True

    def __init__(self, name: str, *, constraint: str | None = None) -> None:
        self._constraint = constraint
        self.identity = Identity(
            model=f"local/{name}",
            version=f"{weights.NAME} {weights.SHA256[:12]}",
            endpoint="embedded",
            details={
                "weights": {
                    "file": weights.NAME,
                    "sha256": weights.SHA256,
                    "source": weights.SOURCE,
                    "licence": weights.LICENCE,
                },
                "runtime": describe(),
                "system_prompt": SYSTEM_PROMPT,
            },
        )
        self._runtime = shared_runtime(weights.path())
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
            "messages": _messages(prompt.text),
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
        choices = [chunk["choices"][0] for chunk in chunks if chunk["choices"]]
        usage: Json = next((chunk["usage"] for chunk in chunks if "usage" in chunk), {})
        return Completion(
            text="".join(choice["delta"].get("content") or "" for choice in choices),
            served_model=self.identity.model,
            finish_reason=next((c["finish_reason"] for c in choices if c["finish_reason"]), None),
            tokens_in=usage.get("prompt_tokens"),
            tokens_out=usage.get("completion_tokens"),
            latency_s=round(time.monotonic() - began, 6),
        )

    async def close(self) -> None:
        """Unload the weights, for every role that shares them."""
        self._runtime.close()


class Likelihood(Local):
    """The weights as a likelihood scorer.

    The score of an answer is the mean log-likelihood, per token, of its judged characters after
    the task in the model's own chat template; the higher score wins and equal scores tie. Where
    an answer stands, first or second, plays no part.
    """

    method: Method = "likelihood"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._contexts: dict[str, list[int]] = {}
        # Futures, so that an answer wanted by several comparisons at once is scored once.
        self._scores: dict[tuple[str, str], asyncio.Future[tuple[float, int]]] = {}

    async def complete(self, prompt: Prompt, decoding: Decoding) -> Completion:  # noqa: ARG002  (the interface hands it over)
        """Score both answers and name the likelier one."""
        pair = prompt.pair
        if pair is None:
            raise UsageError(f"{self.identity.model} is an evaluator: use local/{BASE} as executor")
        began = time.monotonic()
        a, tokens_a = await self._score(pair.task, judged(pair.response or ""))
        b, tokens_b = await self._score(pair.task, judged(pair.baseline or ""))
        verdict = "tie" if a == b else "A" if a > b else "B"
        return Completion(
            text=f"{verdict}\nmean log-likelihood per token: A {a!r}, B {b!r}",
            served_model=self.identity.model,
            finish_reason="stop",
            tokens_in=tokens_a + tokens_b,
            tokens_out=0,
            latency_s=round(time.monotonic() - began, 6),
        )

    async def _score(self, task: str, answer: str) -> tuple[float, int]:
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

    async def _mean_log_likelihood(self, context: list[int], answer: list[int]) -> float:
        """Have the model write exactly these tokens, and average what it thought of them.

        The grammar forces the path; the reported log-probabilities are those of the free model.
        """
        forced = " ".join(f"<[{token}]>" for token in answer)
        body = {
            "prompt": context,
            "max_tokens": len(answer),
            "temperature": 0,
            "logprobs": 1,
            "grammar": f"root ::= {forced}",
        }
        chunks = await self._runtime.stream(body, chat=False)
        steps = [
            step
            for chunk in chunks
            for choice in chunk["choices"]
            for step in (choice.get("logprobs") or {}).get("content") or []
        ]
        if [step["id"] for step in steps] != answer:
            raise AssertionError(f"scored {len(steps)} tokens of {len(answer)}")
        return math.fsum(step["logprob"] for step in steps) / len(answer)

    async def _context(self, task: str) -> list[int]:
        if task not in self._contexts:
            rendered = await self._runtime.post("/apply-template", {"messages": _messages(task)})
            self._contexts[task] = await self._tokens(rendered["prompt"], special=True)
        return self._contexts[task]

    async def _tokens(self, text: str, *, special: bool) -> list[int]:
        body = {"content": text, "add_special": False, "parse_special": special}
        tokens: list[int] = (await self._runtime.post("/tokenize", body))["tokens"]
        return tokens


def _messages(text: str) -> list[Json]:
    return [{"role": "system", "content": SYSTEM_PROMPT}, {"role": "user", "content": text}]


def open_local(name: str) -> Local:
    """Return an embedded model.

    Raises: UsageError if there is no such model or its weights have not been fetched.
    """
    if name not in LOCAL_MODELS:
        known = ", ".join(f"local/{known}" for known in LOCAL_MODELS)
        raise UsageError(f"there is no local/{name}: the embedded models are {known}")
    if not weights.present():
        raise UsageError("the embedded weights are not here yet: run `epc models fetch`")
    if name.endswith("-likelihood"):
        return Likelihood(name)
    return Local(name, constraint="A|B" if name.endswith("-constrained") else None)


LOCAL_MODELS: Final = {
    BASE: "asked by the prompt, free text; executor or evaluator",
    f"{BASE}-constrained": "asked by the prompt, can only say A or B; evaluator",
    f"{BASE}-likelihood": "prefers the likelier answer; evaluator",
}
