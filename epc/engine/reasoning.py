"""Reasoning before an answer: how each provider is told how much, and what came back of it.

No two providers switch it alike, and some models put it into the answer's text. What a model wrote
for itself is no part of its answer: it is kept beside it, and the verdict is read from the rest
(Reading R79).
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from epc.protocol.config import REASONING, Reasoning
from epc.protocol.results import Json

Levels = Mapping[Reasoning, Json]

_OPENING: Final = re.compile(r"\s*(?:<(think|thinking)>|\[(THINK)\])")
# Templates that open the block themselves leave only its end in the answer, on a line of its own.
_CLOSED: Final = "</think>"
_ONLY_CLOSED: Final = re.compile(rf"(?:\A|\n)[ \t]*{_CLOSED}[ \t]*(?:\n|\Z)")


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


def separated(text: str) -> tuple[str, str]:
    """Return what a model wrote for itself at the start of a text, and the answer after it.

    A block that was never closed is all reasoning: the answer had not begun.
    """
    kept: list[str] = []
    while opened := _OPENING.match(text):
        name = opened[1] or opened[2]
        closing = f"[/{name}]" if opened[2] else f"</{name}>"
        inside, closed, after = text[opened.end() :].partition(closing)
        kept.append(inside)
        text = after.lstrip() if closed else ""
    # A text is looked for in a tenth of the time of a pattern, and next to no answer holds it.
    if not kept and _CLOSED in text and (closed_only := _ONLY_CLOSED.search(text)):
        kept.append(text[: closed_only.start()])
        text = text[closed_only.end() :].lstrip()
    if not kept:
        return "", text
    return "\n".join(filter(None, map(str.strip, kept))), text


def stated(message: Mapping[str, Any]) -> str:
    """Return the reasoning that a message holds beside its content, in either spelling."""
    text = message.get("reasoning_content") or message.get("reasoning")
    parts = message.get("content")
    if not text and isinstance(parts, list):
        text = "".join(map(_thought, parts))
    return text.strip() if isinstance(text, str) else ""


def _thought(part: Any) -> str:
    """Return the text of a part of reasoning: a text, or parts itself."""
    if not isinstance(part, dict) or part.get("type") not in ("thinking", "reasoning"):
        return ""
    inside = part.get("thinking", part.get("summary", part.get("text")))
    if isinstance(inside, list):
        texts = (each.get("text") for each in inside if isinstance(each, dict))
        return "".join(text for text in texts if isinstance(text, str))
    return inside if isinstance(inside, str) else ""
