"""A request's body: reasoning, constraints, and what a user may add (`--body KEY=JSON`).

A record holds the added keys as they were sent, so nothing that looks like a credential may be
among them: a key of a provider comes from the environment, and is sent in a header.
"""

import copy
import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import chain
from typing import Any, Final

from epc.engine.secrets import SHORTEST, secrets
from epc.errors import UsageError
from epc.protocol.config import REASONING, Reasoning
from epc.protocol.results import Json
from epc.records.schemas import schema

_OPTIONS: Final = {
    "temperature": "--temperature",
    "top_p": "--top-p",
    "max_tokens": "--max-tokens",
    "max_completion_tokens": "--max-tokens",
    "maxTokens": "--max-tokens",
    "maxOutputTokens": "--max-tokens",
    "topP": "--top-p",
}
# What the protocol sets, or what would make the reply another thing than one answer.
_OURS: Final = frozenset(
    {"model", "messages", "prompt", "stream", "stream_options", "n", "tools"}
    | {"contents", "system", "systemInstruction", "system_instruction", "candidateCount"}
)
# Objects in which some protocols keep the settings that others keep beside the messages.
_SETTINGS: Final = ("generationConfig", "inferenceConfig")
_SECRET_NAME: Final = re.compile(
    r"api[-_]?key|authori[sz]ation|password|secret|credential|(?:access|auth|bearer|id)[-_]?token"
    r"|^token$|cookie",
    re.IGNORECASE,
)
_SECRET_VALUE: Final = re.compile(
    r"(?i:bearer|basic)\s+\S{8}"
    r"|\b(?:(?:sk|pk|rk|xai|gsk|hf|ghp|gho)[-_]|AKIA|AIza)[A-Za-z0-9_-]{16}"
    r"|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\."
    r"|://[^/\s:@]+:[^/\s@]+@"
)


def require_sendable(body: Mapping[str, Any]) -> None:
    """Refuse keys that are not the user's to set, and whatever must not stand in a record.

    Raises: UsageError; it names the place, never the value.
    """
    settings = [body[key] for key in _SETTINGS if isinstance(body.get(key), Mapping)]
    for key in [*body, *chain.from_iterable(settings)]:
        if key in _OPTIONS:
            raise UsageError(f"--body {key}: use {_OPTIONS[key]}, which the record reports")
        if key in _OURS:
            raise UsageError(f"--body {key}: the protocol sets it; leave it out")
    held_secrets = [(name, secret) for name, secret in secrets() if len(secret) >= SHORTEST]
    for where, text in _texts(body, ""):
        name = next((name for name, secret in held_secrets if secret in text), None)
        if name is not None:
            raise UsageError(f"--body {where} holds the value of {name}, and records are published")
        if _SECRET_VALUE.search(text) or _SECRET_NAME.search(where.rpartition(".")[2]):
            raise UsageError(
                f"--body {where} looks like a credential, and records are published: keys come "
                "from the environment, see `epc doctor`"
            )


def _texts(value: Any, where: str) -> Iterator[tuple[str, str]]:
    """Yield every place below a value with its text, names of keys included."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            path = f"{where}.{key}" if where else key
            yield path, key
            yield from _texts(inner, path)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner, where)
    else:
        yield where, value if isinstance(value, str) else json.dumps(value)


Levels = Mapping[Reasoning, Json]


def _levels(fields: Callable[[Reasoning], Json]) -> Levels:
    return {level: fields(level) for level in REASONING}


def _thinking(level: Reasoning, *, effort: str | None = None) -> Json:
    """Return what switches a chat template: families differ in the name of its variable."""
    on = level != "none"
    kwargs: Json = {"enable_thinking": on, "thinking": on}
    if on and effort is not None:
        kwargs[effort] = level
    return {"chat_template_kwargs": kwargs}


# By the fields of a request. What a provider does not document is not here.
EFFORT: Final = _levels(lambda level: {"reasoning_effort": level})
OPENROUTER: Final = _levels(lambda level: {"reasoning": {"effort": level}})
DEEPSEEK: Final = _levels(
    lambda level: (
        {"thinking": {"type": "disabled"}}
        if level == "none"
        else {"thinking": {"type": "enabled"}, "reasoning_effort": level}
    )
)
# Claude decides by itself how long to think at an effort; a budget of tokens is for older models.
ANTHROPIC: Final[Levels] = {
    "none": {"thinking": {"type": "disabled"}},
    "low": {"thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}},
    "medium": {"thinking": {"type": "adaptive"}, "output_config": {"effort": "medium"}},
    "high": {"thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}},
}
_UNTHOUGHT: Final[Json] = {"thinkingConfig": {"includeThoughts": False, "thinkingBudget": 0}}
GEMINI: Final = _levels(
    lambda level: (
        _UNTHOUGHT
        if level == "none"
        else {"thinkingConfig": {"includeThoughts": True, "thinkingLevel": level}}
    )
)


def default_gemini_thinking(model: str) -> Json:
    """Return what a Gemini is told of thinking where nobody chose a level (EPC-2.6(d)).

    Thinking is switched off where a model can be told that. Before 2.5 there is none, and a Pro
    model always thinks.
    """
    if not model.startswith("gemini-") or model.startswith(("gemini-1.5", "gemini-2.0")):
        return {}
    return {"thinkingConfig": {"includeThoughts": True}} if "-pro" in model else _UNTHOUGHT


# A switch: it has no levels, and any but these two would record what was not asked for.
QWEN: Final[Levels] = {"none": {"enable_thinking": False}, "high": {"enable_thinking": True}}
TEMPLATE: Final = _levels(
    lambda level: {
        **_thinking(level),
        **({} if level == "none" else {"reasoning_effort": level}),
    }
)
LLAMACPP: Final = _levels(lambda level: _thinking(level, effort="reasoning_effort"))


JSON_MODE: Final = "json"
_SCHEMAS: Final = ("judge_reply",)


def response_format(constraint: str | None) -> Json | None:
    """Return the `response_format` of a constraint; None if it is none of these."""
    if constraint == JSON_MODE:
        return {"type": "json_object"}
    if constraint in _SCHEMAS:
        inner = {"name": constraint, "strict": True, "schema": _required_only(constraint)}
        return {"type": "json_schema", "json_schema": inner}
    return None


@cache
def _required_only(name: str) -> Json:
    """Return a schema without its optional keys, which strict modes refuse."""
    reduced: Json = copy.deepcopy(schema(name))
    for key in ("$schema", "$id", "title", "description"):
        reduced.pop(key, None)
    reduced["properties"] = {key: reduced["properties"][key] for key in reduced["required"]}
    return reduced
