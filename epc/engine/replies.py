"""What a chat-completion body holds: an answer, a refusal, nothing, or no answer at all.

Whatever the model did is an answer, and is not asked for again (Reading R4): text, a list of
parts, a refusal, no word before it stopped, or no choice at all. Only where a choice says neither
what the model wrote nor why it stopped is there no answer.
"""

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import PureWindowsPath
from typing import Any, Final

import msgspec

from epc.engine import reasoning
from epc.engine.asking import TransientError, start_of
from epc.engine.model import Completion
from epc.engine.providers import LimitField
from epc.engine.secrets import redact
from epc.records.strict_json import storable
from epc.records.usage import NO_CHOICE
from epc.spec.refusals import REFUSED

_LONGEST_NAME: Final = 300  # characters
_LONGEST_ID: Final = 200
_OPENAIS_ID: Final = "x-request-id"
_OTHERS_ID: Final = "request-id"
_UNUSABLE: Final = (400, 422)
# How endpoints say that they do not take a field, beside its name.
_UNKNOWN_FIELD: Final = (
    "unsupported parameter",
    "unsupported_parameter",
    "is not supported",
    "unrecognized request argument",
    "unknown parameter",
    "unknown_parameter",
    "extra_forbidden",
    "extra inputs are not permitted",
)
_FAILURES: Final = range(400, 600)  # the statuses that say so
# The finish reasons by which gateways, and Zhipu, say that generation broke off.
_FAILED: Final = ("error", "network_error")
_SENSITIVE: Final = {"sensitive": "content_filter"}  # Zhipu's word for what a filter withheld


def completion(
    body: bytes,
    *,
    latency_s: float | None,
    retries: int,
    redact: Callable[[str], str] = redact,
    headers: Mapping[str, str] | None = None,
) -> Completion:
    """Return the answer that a chat-completion body holds, and the body itself.

    Raises: TransientError if it holds none: garbage, truncated JSON, another protocol's, neither
    content nor a reason to stop.
    """
    raw = body.decode("utf-8", "replace")
    reply = redact(raw)
    try:
        value = _decoded(body)
        if reply != raw or "\\" in raw:  # else there is no secret in any of its parts
            echoed, value = value, without_secrets(value, redact)
            reply = reply if value == echoed else json.dumps(value, ensure_ascii=False)
        message, text, finish = _chosen(value)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        start, another = start_of(reply), isinstance(error, _AnotherProtocol)
        raise TransientError(
            f"the reply holds no answer: {start}", billed=True, unreached=another
        ) from None
    served = named(value.get("model"))
    if served is not None and served != (file := _file_name(served)):
        served, reply = file, reply.replace(json.dumps(served), json.dumps(file))
    usage = value.get("usage") if isinstance(value.get("usage"), dict) else {}
    details = usage.get("completion_tokens_details")
    if not isinstance(details, dict):
        details = usage  # as Perplexity counts them
    # Reading R79:
    thought, text = (
        (reasoning.stated(message), text) if finish == REFUSED else _parted(message, text)
    )
    return Completion(
        text=redact(text),  # which may have come in parts
        served_model=served,
        system_fingerprint=named(value.get("system_fingerprint")),
        finish_reason=finish,
        tokens_in=counted(usage.get("prompt_tokens")),
        tokens_out=counted(usage.get("completion_tokens")),
        latency_s=latency_s,
        retries=retries,
        reply=reply,
        headers=None if headers is None else {k: redact(v) for k, v in headers.items()},
        request_id=request_id(headers or {}, value.get("id"), redact),
        reasoning=storable(redact(thought)),
        reasoning_tokens=counted(details.get("reasoning_tokens")),
    )


def request_id(
    headers: Mapping[str, str], body_id: object = None, redact: Callable[[str], str] = redact
) -> str | None:
    """Return the provider's own name of a request, by its headers or else its body."""
    identifier = headers.get(_OPENAIS_ID) or headers.get(_OTHERS_ID) or body_id
    if (
        not isinstance(identifier, str)
        or not identifier
        or not identifier.isprintable()
        or len(identifier) > _LONGEST_ID
    ):
        return None
    return redact(identifier)[:_LONGEST_ID]


def refuses_field(status: int, body: bytes, field: LimitField) -> bool:
    """Return whether a reply refuses the very spelling of the most tokens that was sent."""
    if status not in _UNUSABLE:
        return False
    text = body[:2000].decode("utf-8", "replace").lower()
    return field in text and any(mark in text for mark in _UNKNOWN_FIELD)


def meant_status(status: int, body: bytes) -> int:
    """Return the HTTP status that a reply means.

    Gateways and llama.cpp may fail with 200, and state the status inside the body.
    """
    if b'"choices"' in body or b'"error"' not in body:
        return status
    try:
        code = json.loads(body)["error"]["code"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return status
    return code if isinstance(code, int) and code in _FAILURES else status


def without_secrets(value: Any, redact: Callable[[str], str]) -> Any:
    """Return a JSON value in which no text, and no name of a key, holds a secret."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, list):
        return [without_secrets(each, redact) for each in value]
    if isinstance(value, dict):
        return {redact(key): without_secrets(each, redact) for key, each in value.items()}
    return value


def _decoded(body: bytes) -> Any:
    """Return the JSON value that a body holds, also one that only Python takes: `NaN`, say.

    Raises: ValueError or RecursionError if it holds none.
    """
    try:
        return msgspec.json.decode(body)  # in half the time
    except msgspec.DecodeError:
        return json.loads(body)


class _AnotherProtocol(ValueError):  # noqa: N818  (a signal within this module, never shown)
    """A reply of JSON that is no chat completion."""


def _chosen(value: Any) -> tuple[Any, str, str | None]:
    """Return the message of a chat completion, what it says, and why it ended.

    Raises: ValueError, LookupError, TypeError or AttributeError if it is none, or says nothing.
    """
    match value:
        case {"choices": [{"message": message, **choice}, *_]}:
            finish = named(choice.get("finish_reason"))
            return message, *_answer(message, _SENSITIVE.get(finish or "", finish))
        case {"error": error} if error:
            raise ValueError(value)
        # Reading R4: a prompt for which there is no choice has none when it is asked again either.
        case {"choices": [] | None}:
            return {}, "", _without_choice(value)
        case {"choices": _}:
            raise ValueError(value)
        case {"object": "chat.completion"}:
            return {}, "", _without_choice(value)
        case dict():
            raise _AnotherProtocol(value)
    raise ValueError(value)


def _without_choice(value: Any) -> str:
    """Return why a reply has no choice, as far as it says."""
    match value:
        case {"prompt_filter_results": results} if '"filtered": true' in json.dumps(results):
            return "content_filter"
    return NO_CHOICE


def _answer(message: Any, finish: str | None) -> tuple[str, str | None]:
    """Return what a message says, and why it ended.

    Raises: ValueError if it says nothing and no reason is given, or the endpoint says it failed.
    """
    content, refusal = message.get("content"), message.get("refusal")
    if isinstance(content, list):
        refusal = refusal or _joined(content, "refusal")
        content = _joined(content, "text")
    if not isinstance(content, str | None) or finish in _FAILED:
        raise ValueError(message)
    if not content and isinstance(refusal, str) and refusal:
        return refusal, REFUSED
    if content is None and finish is None:
        raise ValueError(message)
    return content or "", finish


def _parted(message: Any, text: str) -> tuple[str, str]:
    """Return the reasoning of a message, wherever it stands, and its answer."""
    inside, answer = reasoning.separated(text)
    return "\n".join(filter(None, (reasoning.stated(message), inside))), answer


def _joined(parts: list[Any], kind: str) -> str:
    """Return the parts of one kind as one text; reasoning, pictures and the like are others."""
    return "".join(part[kind] for part in parts if part.get("type", "text") == kind)


def named(value: Any) -> str | None:
    """Return a name that a provider gave, if it is one: text, not empty, not longer than names."""
    return storable(value) if isinstance(value, str) and 0 < len(value) <= _LONGEST_NAME else None


@lru_cache(maxsize=64)  # an endpoint says the same name with every reply
def _file_name(model: str) -> str:
    """Return a model's name; of one that is a file's whole path, as llama.cpp's, its last part."""
    path = PureWindowsPath(model)
    return path.name if path.root else model


def counted(value: Any) -> int | None:
    """Return a number of tokens that a provider gave, if it is one."""
    whole = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53
    return value if whole else None
