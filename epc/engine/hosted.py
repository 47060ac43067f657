"""Models behind an OpenAI-compatible endpoint.

One request is one JSON body and one reply, read strictly; what a failure means and how often to
ask again is `epc.engine.asking`.
"""

import json
import os
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from epc.core.config import Decoding
from epc.core.results import Json
from epc.engine import asking
from epc.engine.asking import TransientError, start_of
from epc.engine.constraints import response_format
from epc.engine.limits import Ticket
from epc.engine.model import Completion, Identity
from epc.engine.providers import NATIVE, PROVIDERS, Provider
from epc.engine.remote import Remote, address_of, public_address
from epc.engine.secrets import redact
from epc.engine.transport import NoReplyError, Transport, most_connections
from epc.errors import UsageError
from epc.records.strict_json import storable

_OK: Final = 200


def open_hosted(provider: str, model: str) -> "Hosted":
    """Return a model of a known provider.

    Its key is not needed yet: a dry run sends nothing.

    Raises: UsageError if the provider is unknown, or its address is missing.
    """
    if provider not in PROVIDERS:
        known = ", ".join(("local", "mock", *PROVIDERS, *NATIVE, "inspect"))
        raise UsageError(f"there is no provider {provider!r}: the providers are {known}")
    known_provider = PROVIDERS[provider]
    base_url = address_of(known_provider, example="https://host:8000/v1")
    if base_url is None:
        raise UsageError(f"set {known_provider.base_variable} to the endpoint's address")
    key = os.environ.get(known_provider.key_variable)
    return Hosted(known_provider, model, base_url=base_url, key=key)


class Hosted(Remote):
    """One model at one endpoint, over one client that is closed with the run."""

    def __init__(self, provider: Provider, model: str, *, base_url: str, key: str | None) -> None:
        identity = Identity(
            model=f"{provider.name}/{model}",
            version=model,
            endpoint=public_address(base_url),
            gateway=provider.name if provider.gateway else None,
        )
        super().__init__(provider, identity, address=base_url, key=key)
        self._model, self.transport = model, Transport(base_url, key=key)
        if not provider.needs_key:
            self.concurrency = most_connections()

    def body(self, text: str, decoding: Decoding) -> Json:
        """Return exactly what is sent to the endpoint for a prompt."""
        asked: Json = {
            "model": self._model,
            "messages": [{"role": "user", "content": text}],
            "max_tokens": decoding.max_tokens,
        }
        if decoding.temperature is not None:
            asked["temperature"] = decoding.temperature
        if decoding.top_p is not None:
            asked["top_p"] = decoding.top_p
        if decoding.stop:
            asked["stop"] = list(decoding.stop)
        if (shape := response_format(decoding.constraint)) is not None:
            asked["response_format"] = shape
        return asked

    async def close(self) -> None:
        """Close the client's connections."""
        await self.transport.close()

    async def _once(
        self, text: str, decoding: Decoding, ticket: Ticket, retries: int
    ) -> Completion:
        began = time.monotonic()
        try:
            reply = await self.transport.request(
                "POST",
                "/chat/completions",
                deadline_s=asking.DEADLINE_S,
                json=self.body(text, decoding),
            )
        except NoReplyError as failure:
            raise TransientError(str(failure), billed=failure.sent) from None
        self._line.gate.learn(ticket, reply.headers)
        if reply.status != _OK:
            said = reply.body[:2000].decode("utf-8", "replace")
            return self._line.refused(reply.status, said, reply.headers, retries=retries)
        return completion(
            reply.body,
            latency_s=round(time.monotonic() - began, 9),
            retries=retries,
            redact=self._redact,
            headers=reply.headers,
        )


def completion(
    body: bytes,
    *,
    latency_s: float | None,
    retries: int,
    redact: Callable[[str], str] = redact,
    headers: Mapping[str, str] | None = None,
) -> Completion:
    """Return the answer that a chat-completion body holds, and the body itself.

    Raises: TransientError if it holds none: garbage, truncated JSON, no choice, no content.
    """
    try:
        value: Any = json.loads(body)
        choice = value["choices"][0]
        text, finish = choice["message"].get("content"), choice.get("finish_reason")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        said = redact(start_of(body.decode("utf-8", "replace")))
        raise TransientError(f"the reply holds no answer: {said}", billed=True) from None
    if text is None and finish == "content_filter":
        text = ""
    if not isinstance(text, str):
        raise TransientError("the reply's answer is no text", billed=True)
    usage = value.get("usage") if isinstance(value.get("usage"), dict) else {}
    return Completion(
        text=text,
        served_model=_text(value.get("model")),
        system_fingerprint=_text(value.get("system_fingerprint")),
        finish_reason=_text(finish),
        tokens_in=_count(usage.get("prompt_tokens")),
        tokens_out=_count(usage.get("completion_tokens")),
        latency_s=latency_s,
        retries=retries,
        reply=redact(body.decode("utf-8", "replace")),
        headers=headers,
    )


def completion_of(body: bytes) -> Completion | None:
    """Return the answer that a batch's body holds, or None if it holds none."""
    try:
        return completion(body, latency_s=None, retries=0)
    except TransientError:
        return None


def _text(value: Any) -> str | None:
    return storable(value) if isinstance(value, str) and value else None


def _count(value: Any) -> int | None:
    whole = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53
    return value if whole else None
