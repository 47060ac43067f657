"""Rendering the two prompts (EPC-2.2, EPC-2.6)."""

import json
import re
from functools import lru_cache
from typing import Final

from msgspec import Struct

from epc.spec.domains import Domain
from epc.spec.epc_v1 import JUDGED_CHARACTERS, Method
from epc.spec.reference import EVALUATOR_PROMPT, EXECUTOR_PROMPT

_ANSWERS: Final = ("response_A", "response_B")
_PLACEHOLDER: Final = re.compile(r"\{(\w+)(?:\[:(\d+)\])?\}")


def fill(template: str, values: dict[str, str]) -> str:
    """Fill `{name}` and `{name[:n]}` in one pass.

    One pass, so that an answer which itself contains `{task}` stays as the model wrote it. A
    cut counts Unicode code points, and an answer without one is cut as the reference prompt cuts
    it (Reading R7). Unknown names stay as they are printed.

    Source: EPC-2.6.
    """
    filled: list[str] = []
    for before, name, cut, printed in _parsed(template):
        filled += (before, values[name][:cut] if name in values else printed)
    return "".join(filled)


@lru_cache(maxsize=64)
def _parsed(template: str) -> list[tuple[str, str, int | None, str]]:
    """Return the placeholders of a template: what stands before, name, cut, and as printed."""
    placeholders, end = [], 0
    for match in _PLACEHOLDER.finditer(template):
        cut = None if match[2] is None else int(match[2])
        if cut is None and match[1] in _ANSWERS:
            cut = JUDGED_CHARACTERS
        placeholders.append((template[end : match.start()], match[1], cut, match[0]))
        end = match.end()
    return [*placeholders, (template[end:], "", None, "")]


@lru_cache(maxsize=2**12)
def executor_prompt(*, strategy_prompt: str, task: str, template: str = EXECUTOR_PROMPT) -> str:
    """Return what the executor is asked: the strategy's prefix, then the task (Reading R31)."""
    return fill(template, {"strategy_prompt": strategy_prompt, "task": task})


class Pair(Struct, frozen=True, kw_only=True):
    """Comparison for an evaluator: two answers to one task, the sampled strategy's as A.

    The answers are None where recorded verdicts stand in for both models. In an exchanged pair
    `strategy` and `response` are the baseline's, and `against` names the strategy beside B.
    """

    domain: Domain
    task: str
    strategy: str
    response: str | None
    baseline: str | None
    against: str | None = None


def exchanged(pair: Pair, baseline: str) -> Pair:
    """Return a pair with its two answers in each other's place, each under its own name.

    Exchanged twice, it is the pair again.

    Source: Reading R40.
    """
    if pair.against is not None:
        return Pair(
            domain=pair.domain,
            task=pair.task,
            strategy=pair.against,
            response=pair.baseline,
            baseline=pair.response,
        )
    return Pair(
        domain=pair.domain,
        task=pair.task,
        strategy=baseline,
        response=pair.baseline,
        baseline=pair.response,
        against=pair.strategy,
    )


def evaluation_text(pair: Pair, *, method: Method, template: str = EVALUATOR_PROMPT) -> str:
    """Return what an evaluator is given.

    The filled prompt for one that is asked; for the others a line of JSON with exactly the parts
    that they look at, so that equal lines mean equal verdicts.

    Source: EPC-2.6; Reading R7, R13.
    """
    response, baseline = pair.response or "", pair.baseline or ""
    if method == "prompt":
        values = {
            "task": pair.task,
            "strategy_name": pair.strategy,
            "response_A": response,
            "response_B": baseline,
        }
        if pair.against is not None:
            # Reading R40: the prompt prints the baseline's name beside B, which is now A's.
            values["name_of_B"] = pair.against
            template = re.sub(
                rf"(?<![\w{{]){re.escape(pair.strategy)}(?!\w)", "{name_of_B}", template
            )
        return fill(template, values)
    parts = {
        "task": pair.task,
        "response_A": judged(response),
        "response_B": judged(baseline),
    }
    if method == "recorded":
        parts = {"strategy": pair.strategy, "domain": pair.domain, "task": pair.task}
    return json.dumps(parts, ensure_ascii=False, sort_keys=True)


def characters_shown(template: str) -> int:
    """Return how many characters of an answer a prompt shows at most: 300, or what it says."""
    cuts = (cut for _, name, cut, _ in _parsed(template) if name in _ANSWERS)
    return max((cut for cut in cuts if cut is not None), default=JUDGED_CHARACTERS)


def judged(answer: str) -> str:
    """Return the part of an answer that the reference prompt shows (EPC-2.6, Reading R7)."""
    return answer[:JUDGED_CHARACTERS]
