"""Models behind an OpenAI-compatible endpoint, through the `openai` SDK.

The SDK's own retries are off: which failures are retried, and how often, is decided here. A
failure that retrying cannot mend stops the run at once; a failure is never a verdict (Reading R4).
"""

import asyncio
import math
import os
import time
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

from epc.core.config import REFERENCE_DECODING, Decoding, Method
from epc.engine.model import CallError, Completion, Identity, Prompt
from epc.engine.providers import PROVIDERS, Provider
from epc.engine.secrets import redact
from epc.errors import UsageError
from epc.records.strict_json import storable

ATTEMPTS: Final = 6
DEADLINE_S: Final = 120.0
_FIRST_PAUSE_S: Final = 0.5
_LONGEST_PAUSE_S: Final = 60.0
_TRANSIENT: Final = frozenset({408, 409, 429, 500, 502, 503, 504})
_ARREARS: Final = ("insufficient_quota", "quota", "billing", "arrear", "balance", "credit")
_TOO_FAST: Final = ("rate limit", "rate_limit")  # such replies may advise on billing as well
_REMEDIES: Final = {
    400: "check the model's name and what it accepts",
    401: "check the key in {key}",
    402: "settle the account, or use another key in {key}",
    403: "the key in {key} may not use this model",
    404: "there is no such model at this endpoint: check its name and {base}",
}


def open_hosted(provider: str, model: str) -> "Hosted":
    """Return a model of a known provider.

    Raises: UsageError if the provider is unknown, or its address or key is missing.
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
    if not key and known_provider.needs_key:
        raise UsageError(f"set {known_provider.key_variable} to your key for {provider}")
    return Hosted(known_provider, model, base_url=base_url, key=key or "none")


class Hosted:
    """One model at one endpoint, over one client that is closed with the run."""

    method: Method = "prompt"
    repeatable = True
    concurrency = 16

    def __init__(self, provider: Provider, model: str, *, base_url: str, key: str) -> None:
        self._provider, self._model = provider, model
        self._base_url, self._key = base_url, key
        self._client: Any = None
        self.identity = Identity(
            model=f"{provider.name}/{model}",
            version=model,
            endpoint=public_address(base_url),
            gateway=provider.name if provider.gateway else None,
        )

    def default_decoding(self, role: str) -> Decoding:
        """Return the reference decoding for an evaluator, a whole answer for an executor."""
        if role == "evaluator":
            return REFERENCE_DECODING
        # Enough for the 300 characters that are judged, in any language we know of.
        return Decoding(temperature=0.0, max_tokens=400)

    async def complete(self, prompt: Prompt, decoding: Decoding) -> Completion:
        """Ask, and ask again after a failure that may pass.

        Raises: CallError once asking again cannot help.
        """
        pause = _FIRST_PAUSE_S
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return await self._once(prompt.text, decoding)
            except _Transient as failure:
                if attempt == ATTEMPTS:
                    message = f"{self.identity.model}: {failure} after {ATTEMPTS} attempts"
                    raise CallError(message) from None
                await asyncio.sleep(min(failure.retry_after or pause, _LONGEST_PAUSE_S))
                pause *= 2
        raise AssertionError

    async def close(self) -> None:
        """Close the client's connections."""
        if self._client is not None:
            await self._client.close()

    async def _once(self, text: str, decoding: Decoding) -> Completion:
        """Send one request and read its answer.

        Raises: _Transient if asking again may help, CallError if it cannot.
        """
        import openai

        if self._client is None:
            self._client = openai.AsyncOpenAI(
                api_key=self._key, base_url=self._base_url, max_retries=0, timeout=DEADLINE_S
            )
        asked: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": "user", "content": text}],
            "temperature": decoding.temperature,
            "max_tokens": decoding.max_tokens,
        }
        if decoding.top_p is not None:
            asked["top_p"] = decoding.top_p
        if decoding.stop:
            asked["stop"] = list(decoding.stop)
        began = time.monotonic()
        try:
            async with asyncio.timeout(DEADLINE_S):
                answer = await self._client.chat.completions.create(**asked)
        except openai.APIStatusError as error:
            raise self._refused(error) from None
        except (openai.APIError, TimeoutError, ValueError) as error:
            raise _Transient(redact(f"{type(error).__name__}: {error}"), None) from None
        return _completion(answer, time.monotonic() - began)

    def _refused(self, error: Any) -> Exception:
        """Return what an HTTP status means for the run."""
        status, body = error.status_code, redact(str(error.message))[:300]
        # What kind of failure it is may stand in the error's code or type alone.
        kinds = (getattr(error, "code", None), getattr(error, "type", None))
        said = f"{body} {kinds}".lower()
        too_fast = any(word in said for word in _TOO_FAST)
        in_arrears = not too_fast and any(word in said for word in _ARREARS)
        if status in _TRANSIENT and not (status == 429 and in_arrears):  # noqa: PLR2004
            return _Transient(f"HTTP {status}: {body}", _retry_after(error.response.headers))
        remedy = _REMEDIES[402] if in_arrears else _REMEDIES.get(status, "see the message")
        remedy = remedy.format(key=self._provider.key_variable, base=self._provider.base_variable)
        return CallError(f"{self.identity.model}: HTTP {status}: {body}\n  fix: {remedy}")


class _Transient(Exception):  # noqa: N818  (a signal inside this module, not an error for callers)
    """A failure after which the same request may succeed."""

    def __init__(self, message: str, retry_after: float | None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


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


def _completion(answer: Any, latency_s: float) -> Completion:
    """Take what is needed from a reply. Only the text must be there; endpoints differ in the rest.

    Raises: _Transient if there is no text.
    """
    try:
        choice = answer.choices[0]
        text = choice.message.content
    except (AttributeError, IndexError, KeyError, TypeError):
        text = None
    if not isinstance(text, str):
        raise _Transient("the reply holds no answer", None)
    usage = getattr(answer, "usage", None)
    return Completion(
        text=text,
        served_model=_word(answer, "model"),
        system_fingerprint=_word(answer, "system_fingerprint"),
        finish_reason=_word(choice, "finish_reason"),
        tokens_in=_count(usage, "prompt_tokens"),
        tokens_out=_count(usage, "completion_tokens"),
        latency_s=round(latency_s, 6),
    )


def _word(reply: Any, name: str) -> str | None:
    value = getattr(reply, name, None)
    return storable(value) if isinstance(value, str) and value else None


def _count(usage: Any, name: str) -> int | None:
    value = getattr(usage, name, None)
    return value if type(value) is int and value >= 0 else None


def _retry_after(headers: Any) -> float | None:
    try:
        seconds = float(headers.get("retry-after"))
    except (TypeError, ValueError):
        return None
    return seconds if math.isfinite(seconds) and seconds > 0 else None
