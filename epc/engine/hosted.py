"""Models behind an OpenAI-compatible endpoint.

A failure that may pass is tried again, after a pause that grows and is spread at random; one that
cannot pass stops the run at once and says what to do. A failure is never a verdict (Reading R4).
"""

import asyncio
import json
import os
import random
import time
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

from epc.core.config import REFERENCE_DECODING, Decoding, Method
from epc.core.results import Json
from epc.engine.constraints import response_format
from epc.engine.limits import Gate, retry_after
from epc.engine.model import CallError, Completion, Identity, Prompt
from epc.engine.providers import PROVIDERS, Provider
from epc.engine.secrets import redact
from epc.engine.transport import NoReplyError, Reply, Transport
from epc.errors import UsageError
from epc.records.strict_json import storable

ATTEMPTS: Final = 8
DEADLINE_S: Final = 120.0  # for one reply
PATIENCE_S: Final = 600.0  # for one answer, pauses included
FIRST_PAUSE_S: Final = 0.5
LONGEST_PAUSE_S: Final = 60.0
CONCURRENCY: Final = 128
_OK: Final = 200
_TOO_MANY: Final = 429
_TRANSIENT: Final = frozenset({408, 409, 425, _TOO_MANY, 500, 502, 503, 504, 529})
_ARREARS: Final = ("quota", "billing", "arrear", "balance", "credit", "payment")
_TOO_FAST: Final = ("rate limit", "rate_limit")  # such replies may advise on billing as well
_FILTERED: Final = ("content_filter", "content_policy_violation", "data_inspection_failed")
_REMEDIES: Final = {
    400: "check the model's name and what it accepts",
    401: "check the key in {key}",
    402: "settle the account, or use another key in {key}",
    403: "the key in {key} may not use this model: use another key or model",
    404: "there is no such model or path at this endpoint: check its name and {base}",
}


def open_hosted(provider: str, model: str) -> "Hosted":
    """Return a model of a known provider.

    Its key is not needed yet: a dry run sends nothing.

    Raises: UsageError if the provider is unknown, or its address is missing.
    """
    if provider not in PROVIDERS:
        known = ", ".join(("local", "mock", *PROVIDERS))
        raise UsageError(f"there is no provider {provider!r}: the providers are {known}")
    known_provider = PROVIDERS[provider]
    base_url = os.environ.get(known_provider.base_variable) or known_provider.base_url
    if base_url is None:
        raise UsageError(f"set {known_provider.base_variable} to the endpoint's address")
    if not is_address(base_url):
        expected = "expected one such as https://host:8000/v1"
        raise UsageError(f"the value of {known_provider.base_variable} is no address: {expected}")
    key = os.environ.get(known_provider.key_variable)
    return Hosted(known_provider, model, base_url=base_url, key=key)


class Hosted:
    """One model at one endpoint, over one client that is closed with the run."""

    method: Method = "prompt"
    repeatable = True
    pinned = False

    def __init__(self, provider: Provider, model: str, *, base_url: str, key: str | None) -> None:
        self._provider, self._model, self._has_key = provider, model, bool(key)
        self.transport = Transport(base_url, key=key)
        self._gate = Gate()
        self.concurrency = CONCURRENCY
        self.identity = Identity(
            model=f"{provider.name}/{model}",
            version=model,
            endpoint=public_address(base_url),
            gateway=provider.name if provider.gateway else None,
        )

    def require_key(self) -> None:
        """Refuse to begin without the key that the provider will ask for.

        Raises: UsageError that names the variable to set.
        """
        if self._provider.needs_key and not self._has_key:
            name = self._provider.name
            raise UsageError(f"set {self._provider.key_variable} to your key for {name}")

    def default_decoding(self, role: str) -> Decoding:
        """Return the reference decoding for an evaluator, a whole answer for an executor."""
        if role == "evaluator":
            return REFERENCE_DECODING
        # Enough for the 300 characters that are judged, in any language we know of.
        return Decoding(temperature=0.0, max_tokens=400)

    def body(self, text: str, decoding: Decoding) -> Json:
        """Return exactly what is sent to the endpoint for a prompt."""
        asked: Json = {
            "model": self._model,
            "messages": [{"role": "user", "content": text}],
            "temperature": decoding.temperature,
            "max_tokens": decoding.max_tokens,
        }
        if decoding.top_p is not None:
            asked["top_p"] = decoding.top_p
        if decoding.stop:
            asked["stop"] = list(decoding.stop)
        if (shape := response_format(decoding.constraint)) is not None:
            asked["response_format"] = shape
        return asked

    async def complete(self, prompt: Prompt, decoding: Decoding) -> Completion:
        """Ask, and ask again after a failure that may pass.

        Raises: CallError once asking again cannot help, or has not within the budget of tries.
        """
        body = self.body(prompt.text, decoding)
        began = time.monotonic()
        for attempt in range(ATTEMPTS):
            try:
                return await self._once(body, retries=attempt)
            except _Transient as failure:
                last = failure
            ceiling = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2**attempt)
            pause = last.wait_s if last.wait_s is not None else random.uniform(ceiling / 2, ceiling)  # noqa: S311  (spreads load, hides nothing)
            if time.monotonic() - began + pause > PATIENCE_S:
                break
            if attempt + 1 < ATTEMPTS:
                await asyncio.sleep(pause)
        message = f"{self.identity.model}: {last} ({attempt + 1} attempts)"
        raise CallError(f"{message}\n  fix: see whether {self.identity.endpoint} is well") from None

    async def close(self) -> None:
        """Close the client's connections."""
        await self.transport.close()

    async def _once(self, body: Json, *, retries: int) -> Completion:
        """Send one request and read its answer.

        Raises: _Transient if asking again may help, CallError if it cannot.
        """
        await self._gate.passage()
        began = time.monotonic()
        try:
            reply = await self.transport.request(
                "POST", "/chat/completions", deadline_s=DEADLINE_S, json=body
            )
        except NoReplyError as failure:
            raise _Transient(str(failure)) from None
        self._gate.learn(reply.headers)
        if reply.status != _OK:
            return self._refused(reply, retries)
        return completion(reply.body, latency_s=round(time.monotonic() - began, 6), retries=retries)

    def _refused(self, reply: Reply, retries: int) -> Completion:
        """Return what an HTTP status means: an answer that was withheld, or a failure."""
        said = redact(reply.body[:2000].decode("utf-8", "replace"))
        lower = said.lower()
        if reply.status == 400 and any(mark in lower for mark in _FILTERED):  # noqa: PLR2004
            return Completion(text="", finish_reason="content_filter", retries=retries)
        shown = f"HTTP {reply.status}: {_message(said)}"
        too_fast = any(mark in lower for mark in _TOO_FAST) and "insufficient_quota" not in lower
        in_arrears = not too_fast and any(mark in lower for mark in _ARREARS)
        in_arrears = in_arrears and reply.status in (402, 403, _TOO_MANY)
        if reply.status in _TRANSIENT and not in_arrears:
            wait_s = retry_after(reply.headers)
            if reply.status == _TOO_MANY and wait_s is not None:
                self._gate.hold(wait_s)
            raise _Transient(shown, wait_s)
        remedy = _REMEDIES[402] if in_arrears else _REMEDIES.get(reply.status, "see the message")
        remedy = remedy.format(key=self._provider.key_variable, base=self._provider.base_variable)
        raise CallError(f"{self.identity.model}: {shown}\n  fix: {remedy}")


class _Transient(Exception):  # noqa: N818  (a signal inside this module, not an error for callers)
    """A failure after which the same request may succeed; `wait_s` is what the reply asked for."""

    def __init__(self, message: str, wait_s: float | None = None) -> None:
        super().__init__(message)
        self.wait_s = wait_s


def completion(body: bytes, *, latency_s: float | None, retries: int) -> Completion:
    """Return the answer that a chat-completion body holds.

    Raises: _Transient if it holds none: garbage, truncated JSON, no choice, no content.
    """
    try:
        value: Any = json.loads(body)
        choice = value["choices"][0]
        text, finish = choice["message"].get("content"), choice.get("finish_reason")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise _Transient(f"the reply holds no answer: {redact(_start(body))}") from None
    if text is None and finish == "content_filter":
        text = ""
    if not isinstance(text, str):
        raise _Transient("the reply's answer is no text")
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
    )


def completion_of(body: bytes) -> Completion | None:
    """Return the answer that a batch's body holds, or None if it holds none."""
    try:
        return completion(body, latency_s=None, retries=0)
    except _Transient:
        return None


def is_address(url: str) -> bool:
    """Return whether a text is an address that requests can be sent to."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def public_address(url: str) -> str:
    """Return an address without user, password, query or fragment: what may be published."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if ":" in host:
        host = f"[{host}]"
    port = f":{parts.port}" if parts.port else ""
    return urlunsplit((parts.scheme, f"{host}{port}", parts.path.rstrip("/"), "", ""))


def _message(said: str) -> str:
    """Return the message inside an error body, or the start of the body."""
    try:
        error = json.loads(said)["error"]
        return str(error["message"] if isinstance(error, dict) else error)[:300]
    except (ValueError, KeyError, TypeError, RecursionError):
        return _start(said.encode())


def _start(body: bytes) -> str:
    return " ".join(body[:200].decode("utf-8", "replace").split()) or "an empty body"


def _text(value: Any) -> str | None:
    return storable(value) if isinstance(value, str) and value else None


def _count(value: Any) -> int | None:
    whole = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53
    return value if whole else None
