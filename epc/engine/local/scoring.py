"""Evaluators that score each answer by itself: the higher score wins, equal scores tie.

Where an answer stands, first or second, plays no part: such an evaluator has no position bias and
can show none. It looks at what any evaluator sees: the task, and an answer's judged characters.
"""

import math
import re
import time
from typing import Final

from epc.engine.model import Completion, Identity, Prompt
from epc.errors import UsageError
from epc.protocol.config import REFERENCE_DECODING, Decoding
from epc.protocol.prompt import Pair, judged
from epc.spec.epc_v1 import Method

# Sums of floats may differ in their last digits between processors; a verdict must not.
DECIMALS: Final = 6
_UNIT: Final = "words"
_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")


class WordCount:
    """The longer answer wins, by its words: a baseline whose preference is known beforehand.

    It is an AltEvaluator. An empty answer loses to any other.
    """

    method: Method = "score"
    states_scores = True
    repeatable = True
    pinned = True
    concurrency = 1

    def __init__(self, name: str) -> None:
        self.identity = Identity(
            model=f"local/{name}", version="1", endpoint="embedded", details={"score": _UNIT}
        )

    def default_decoding(self, role: str) -> Decoding:  # noqa: ARG002  (the interface hands it over)
        """Return the reference's decoding: a rule decodes nothing."""
        return REFERENCE_DECODING

    async def complete(self, prompt: Prompt, decoding: Decoding) -> Completion:  # noqa: ARG002  (the interface hands it over)
        """Count the words of both answers and name the longer one."""
        pair = pair_of(prompt, self.identity.model)
        began = time.monotonic()
        a, b = (count_words(judged(text or "")) for text in (pair.response, pair.baseline))
        return Completion(
            text=score_text(_UNIT, a, b),
            served_model=self.identity.model,
            finish_reason="stop",
            tokens_in=0,
            tokens_out=0,
            latency_s=round(time.monotonic() - began, 6),
        )

    async def close(self) -> None:
        """Nothing is held."""


def count_words(answer: str) -> float:
    """Return the number of words: runs of letters and digits, joined by ' and -."""
    return float(len(_WORD.findall(answer))) if answer.strip() else -math.inf


def pair_of(prompt: Prompt, model: str) -> Pair:
    """Return what is compared.

    Raises: UsageError if an answer is wanted instead.
    """
    if prompt.pair is None:
        raise UsageError(f"{model} is an evaluator: use local/smollm2-135m as executor")
    return prompt.pair


def score_text(unit: str, a: float, b: float) -> str:
    """Return the answer of an evaluator that scores: its verdict, and why in the next line."""
    verdict = "tie" if a == b else "A" if a > b else "B"
    return f"{verdict}\n{unit}: A {a!r}, B {b!r}"
