"""Reasoning before an answer: how each provider is told how much, and what came back of it.

No two providers switch it alike, and some models put it into the answer's text. What a model wrote
for itself is no part of its answer: it is kept beside it, and the verdict is read from the rest
(Reading R79).
"""

from collections.abc import Callable, Mapping
from typing import Final

from epc.protocol.config import REASONING, Reasoning
from epc.protocol.results import Json

Levels = Mapping[Reasoning, Json]


def _each(fields: Callable[[Reasoning], Json]) -> Levels:
    return {level: fields(level) for level in REASONING}


def _thinking(level: Reasoning, *, effort: str | None = None) -> Json:
    """Return what switches a chat template: families differ in the name of its variable."""
    on = level != "none"
    kwargs: Json = {"enable_thinking": on, "thinking": on}
    if on and effort is not None:
        kwargs[effort] = level
    return {"chat_template_kwargs": kwargs}


# By the fields of a request. What a provider does not document is not here.
EFFORT: Final = _each(lambda level: {"reasoning_effort": level})
OPENROUTER: Final = _each(lambda level: {"reasoning": {"effort": level}})
DEEPSEEK: Final = _each(
    lambda level: (
        {"thinking": {"type": "disabled"}}
        if level == "none"
        else {"thinking": {"type": "enabled"}, "reasoning_effort": level}
    )
)
# A switch: it has no levels, and any but these two would record what was not asked for.
QWEN: Final[Levels] = {"none": {"enable_thinking": False}, "high": {"enable_thinking": True}}
TEMPLATE: Final = _each(
    lambda level: {
        **_thinking(level),
        **({} if level == "none" else {"reasoning_effort": level}),
    }
)
LLAMACPP: Final = _each(lambda level: _thinking(level, effort="reasoning_effort"))
