"""Content of a chat-completion body, without its secrets, and what its status means."""

import json
from codecs import BOM_UTF8
from collections.abc import Callable, Mapping
from typing import Any, Final

from epc.engine.asking import TransientError, start_of
from epc.engine.model import Completion
from epc.engine.providers import LimitField
from epc.engine.secrets import redact
from epc.json_text import storable
from epc.records.replies import read_completion
from epc.records.reply_parts import AnotherProtocolError, ReplyContent, decoded

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


def completion(
    body: bytes,
    *,
    latency_s: float | None,
    retries: int,
    redact: Callable[[str], str] = redact,
    headers: Mapping[str, str] | None = None,
    read: Callable[[Any], ReplyContent] = read_completion,
) -> Completion:
    """Return the answer that a body holds as `read` reads it, and the body itself.

    Raises: TransientError if it holds none: garbage, truncated JSON, another protocol's, neither
    content nor a reason to stop.
    """
    body = body.removeprefix(BOM_UTF8)
    raw = body.decode("utf-8", "replace")
    reply = redact(raw)
    try:
        body.decode()  # strictly
        value = decoded(raw)
        if reply != raw or "\\" in raw:  # else there is no secret in any of its parts
            echoed, value = value, without_secrets(value, redact)
            reply = reply if value == echoed else json.dumps(value, ensure_ascii=False)
        content = read(value)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        start, another = start_of(reply), isinstance(error, AnotherProtocolError)
        raise TransientError(
            f"the reply holds no answer: {start}", billed=True, unreached=another
        ) from None
    if content.served_model is not None and "model" in value:
        reply = reply.replace(json.dumps(value["model"]), json.dumps(content.served_model))
    text, thought = redact(content.answer), redact(content.reasoning)
    return Completion(
        text=text,
        served_model=content.served_model,
        system_fingerprint=content.system_fingerprint,
        finish_reason=content.finish_reason,
        tokens_in=content.tokens_in,
        tokens_out=content.tokens_out,
        latency_s=latency_s,
        retries=retries,
        # A secret that came in parts still stands in them.
        reply=reply if (text, thought) == (content.answer, content.reasoning) else None,
        headers=None if headers is None else {k: redact(v) for k, v in headers.items()},
        reasoning=storable(thought),
        reasoning_tokens=content.reasoning_tokens,
    )


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
        return [without_secrets(inner, redact) for inner in value]
    if isinstance(value, dict):
        return {redact(key): without_secrets(inner, redact) for key, inner in value.items()}
    return value
