"""Models in their providers' own protocols, through Inspect (the extra `inspect`).

Inspect translates: our one user message and our decoding into a provider's request, the reply
into text. Everything else stays ours: what goes round its generate loop (retries, cache, limits
on connections) is not used, and the SDKs' own retries are switched off where they can be. What
it was about to send is held against what was asked, because it leaves out what it believes a
model does not take, and the record must say what was sent.
"""

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from epc.engine.asking import TransientError
from epc.engine.limits import Ticket
from epc.engine.model import CallError, Completion, Identity
from epc.engine.providers import NATIVE, Provider
from epc.engine.remote import Remote, address_of, public_address
from epc.engine.replies import without_secrets
from epc.errors import UsageError
from epc.extras import MissingExtraError
from epc.protocol.config import Decoding
from epc.protocol.results import Json
from epc.records.model_names import GATEWAYS
from epc.records.replies import named, spoken
from epc.records.usage import NO_CHOICE

if TYPE_CHECKING:
    from inspect_ai.model import ModelAPI, ModelOutput

PREFIX: Final = "inspect"
SDKS: Final = {"anthropic": "anthropic", "google": "google-genai", "bedrock": "aiobotocore"}
# The last version of Anthropic's API that takes a temperature; the SDK asks for a later one.
_ANTHROPIC_VERSION: Final = {"anthropic-version": "2023-06-01"}
_NO_REASONING: Final = ("anthropic", "google")  # the others warn or fail where it is switched off
# In which some SDKs put the HTTP headers of a reply.
_HEADERS: Final = ("sdkHttpResponse", "sdk_http_response", "ResponseMetadata")
_UNREACHED: Final = ("Connect", "Timeout", "Protocol", "Payload")  # in the names of such errors
# Of these, what they say where there was no connection at all.
_UNCONNECTED: Final = ("ConnectError", "ClientConnectorError", "EndpointConnectionError")
# What SDKs stumble with over a reply that is not what they expect.
_UNREADABLE: Final = (ValueError, TypeError, AttributeError, LookupError)
_SPELLINGS: Final = {
    "temperature": ("temperature",),
    "max_tokens": (
        *("max_tokens", "maxTokens", "max_output_tokens", "maxOutputTokens"),
        *("max_completion_tokens", "max_new_tokens", "max_gen_len"),
    ),
    "top_p": ("top_p", "topP"),
}


def missing(provider: str) -> str | None:
    """Return which package a provider lacks here, or None; nothing is imported."""
    from importlib.metadata import PackageNotFoundError, version

    for package in ("inspect-ai", SDKS.get(provider, "inspect-ai")):
        try:
            version(package)
        except PackageNotFoundError:
            return package
    return None


def open_inspected(name: str) -> "Inspected":
    """Return the model of a name: `anthropic/...`, `google/...`, `inspect/provider/...`.

    Its key is not needed yet: a dry run sends nothing.

    Raises: MissingExtraError if it is not installed; UsageError if the name or an address is no
    such thing.
    """
    named, _, model = name.removeprefix(f"{PREFIX}/").partition("/")
    if not named or not model:
        raise UsageError(f"{name!r}: models of Inspect are named {PREFIX}/provider/model")
    if name.startswith(f"{PREFIX}/"):
        gateway = named in GATEWAYS
        provider = Provider(name=named, base_url=None, gateway=gateway, needs_key=False)
    elif named != "bedrock" and "/" in model:
        raise UsageError(f"{name!r}: models of other services are named {PREFIX}/{name}")
    else:
        provider = NATIVE[named]
    if (package := missing(named)) is not None:
        raise MissingExtraError("inspect", package)
    base_url = address_of(provider, example="https://host:8000")
    return Inspected(provider, name, model, base_url=base_url)


class Inspected(Remote):
    """One model of one provider, asked through Inspect's interface to it."""

    def __init__(self, provider: Provider, name: str, model: str, *, base_url: str | None) -> None:
        from importlib.metadata import version

        packages = {"inspect-ai", SDKS.get(provider.name, "inspect-ai")}
        identity = Identity(
            model=name,
            version=model,
            endpoint=_endpoint(provider, base_url),
            gateway=provider.name if provider.gateway else None,
            details={"packages": {package: version(package) for package in sorted(packages)}},
        )
        key = os.environ.get(provider.key_variable)
        super().__init__(provider, identity, address=identity.endpoint, key=key)
        self._model, self.base_url = model, base_url
        self._apis: dict[Decoding, ModelAPI] = {}

    def require_decoding(self, decoding: Decoding) -> None:
        """Refuse a body: Inspect makes the requests.

        Raises: UsageError.
        """
        if decoding.body:
            raise UsageError(f"{self.identity.model} is asked through Inspect: leave --body out")

    async def close(self) -> None:
        """Close the clients that Inspect opened."""
        while self._apis:
            await self._apis.popitem()[1].aclose()

    def _api(self, decoding: Decoding) -> "ModelAPI":
        """Return Inspect's interface to the model; for Anthropic it holds part of the decoding."""
        if decoding in self._apis:
            return self._apis[decoding]
        from inspect_ai.model import get_model

        anthropic = self.provider.name == "anthropic"
        more: Json = {"extra_body": _sampling(decoding)} if anthropic else {}
        try:
            model = get_model(
                f"{self.provider.name}/{self._model}",
                base_url=self.base_url,
                api_key=self.key,
                memoize=False,
                **more,
            )
        except Exception as error:  # noqa: BLE001  (Inspect has no common class for what it refuses)
            message = f"{self.identity.model}: Inspect cannot ask it: {self._said(error)}"
            raise CallError(
                f"{message}\n  fix: see `epc doctor`, and Inspect's page on it"
            ) from None
        _retry_never(model.api)
        self._apis[decoding] = model.api
        return model.api

    async def _once(
        self, text: str, decoding: Decoding, ticket: Ticket, retries: int
    ) -> Completion:
        from inspect_ai.model import ChatMessageUser, GenerateConfig, ModelCall, ModelOutput

        api = self._api(decoding)
        anthropic = self.provider.name == "anthropic"
        config = GenerateConfig(
            max_tokens=decoding.max_tokens,
            stop_seqs=list(decoding.stop) or None,
            cache_prompt=False,
            # EPC-2.6(d): no chain of thought, unless it is asked for (Reading R79).
            reasoning_effort=decoding.reasoning
            or ("none" if self.provider.name in _NO_REASONING else None),
            extra_headers=_ANTHROPIC_VERSION if anthropic and _sampling(decoding) else None,
            **({} if anthropic else _sampling(decoding)),
        )
        began = time.monotonic()
        try:
            result = await api.generate([ChatMessageUser(content=text)], [], "none", config)
        except Exception as error:  # noqa: BLE001  (each provider's SDK has classes of its own)
            return self._failed(error, ticket, retries)
        output, call = result if isinstance(result, tuple) else (result, ModelCall(request={}))
        if not isinstance(output, ModelOutput):
            return self._failed(output, ticket, retries)
        if call.error:
            return self._refused(output, retries)
        self._require_sent(call.request, text, decoding)
        shown = {key: part for key, part in (call.response or {}).items() if key not in _HEADERS}
        response = without_secrets(shown, self._redact)
        return _completion(
            output,
            response,
            latency_s=round(time.monotonic() - began, 9),
            retries=retries,
            redact=self._redact,
        )

    def _failed(self, error: Exception, ticket: Ticket, retries: int) -> Completion:
        """Return what an SDK's exception means: an answer that was withheld, or a failure."""
        status, headers = _status(error), _headers(error)
        self._line.gate.learn(ticket, headers)
        if status is not None and status >= 300:  # noqa: PLR2004  (what HTTP calls no success)
            return self._line.refused(status, self._said(error), headers, retries=retries)
        names = [kind.__name__ for kind in type(error).__mro__]
        if isinstance(error, OSError) or any(mark in name for name in names for mark in _UNREACHED):
            raise TransientError(
                f"{names[0]}: {self._said(error)}",
                billed="Connect" not in names[0],
                unreached=any(
                    type(each).__name__ in _UNCONNECTED for each in (error, error.__cause__)
                ),
            )
        if isinstance(error, _UNREADABLE):
            message = f"the reply holds no answer: {' '.join(self._said(error).split())[:300]}"
            raise TransientError(message, billed=True)
        message = f"{self.identity.model}: {names[0]}: {self._said(error)}"
        raise CallError(f"{message}\n  fix: see the message, and Inspect's page on the provider")

    def _refused(self, output: "ModelOutput", retries: int) -> Completion:
        """Return what a refusal means that Inspect has turned into an output of its own words."""
        if output.stop_reason == "content_filter":
            return Completion(text="", finish_reason="content_filter", retries=retries)
        message = self._redact(output.error or output.completion)[:300]
        raise CallError(f"{self.identity.model}: {message}\n  fix: see the message")

    def _require_sent(self, request: Json, text: str, decoding: Decoding) -> None:
        """Hold what Inspect sent against what was asked.

        Raises: CallError if the record would not say what was sent.
        """
        if not request:
            return  # this provider's interface does not show it
        sent = list(_leaves(request))
        for name, spellings in _SPELLINGS.items():
            choice = getattr(decoding, name)
            values = {value for key, value in sent if key in spellings and value is not None}
            if values != (set() if choice is None else {choice}):
                raise CallError(
                    f"{self.identity.model}: {name} {choice} was asked for, and Inspect sent "
                    f"{', '.join(map(str, values)) or 'none'}\n  fix: ask as it does: "
                    "`--temperature none` leaves the temperature to the provider, and the record "
                    "says so",
                    setting="temperature" if name == "temperature" else None,
                )
        if text not in [value for _, value in sent]:
            raise CallError(f"{self.identity.model}: Inspect sent another prompt than was asked")

    def _said(self, error: Exception) -> str:
        """Return a provider's own words, where an exception has kept them apart from the SDK's."""
        body = getattr(error, "body", None)
        if isinstance(body, dict):
            return self._redact(json.dumps(body))
        response = getattr(error, "response", None)
        named = response.get("Error", {}) if isinstance(response, dict) else {}
        message = getattr(error, "message", None) or named.get("Message")
        return self._redact(str(message or error))[:2000]


def _completion(
    output: "ModelOutput",
    response: Json,
    *,
    latency_s: float,
    retries: int,
    redact: Callable[[str], str],
) -> Completion:
    """Return the answer of a reply that Inspect has read.

    Raises: TransientError if the words are Inspect's, and it is no reply of the provider's.
    """
    text, stopped = redact(output.completion), str(output.stop_reason)
    if not spoken(response, text, blank=True):
        text = ""
        if stopped != "content_filter":
            stopped = _stop_without_words(response, stopped)
    usage = output.usage
    served = response.get("model") or response.get("modelVersion")
    return Completion(
        text=text,
        served_model=named(served),
        finish_reason=stopped,
        # Inspect says 0 where the provider said nothing, and no prompt has 0 tokens.
        tokens_in=(usage.input_tokens or None) if usage else None,
        tokens_out=usage.output_tokens if usage and usage.input_tokens else None,
        reasoning=redact(_thought(output)),
        reasoning_tokens=usage.reasoning_tokens if usage else None,
        latency_s=latency_s,
        retries=retries,
        reply=json.dumps(response, ensure_ascii=False, sort_keys=True),
    )


def _stop_without_words(response: Json, stopped: str) -> str:
    """Return why a reply of Google's has no word of the model (Reading R4).

    Raises: TransientError if it is no such reply.
    """
    match response:
        case {"candidates": [_, *_]}:
            return stopped
        case {"usageMetadata": _}:
            return NO_CHOICE
    raise TransientError("the reply holds no answer", billed=True)


def _thought(output: "ModelOutput") -> str:
    """Return the reasoning that Inspect has told from the answer; a signature is none."""
    content = output.message.content if output.choices else ""
    parts = [part for part in content if not isinstance(part, str) and part.type == "reasoning"]
    shown = (part.summary or ("" if part.redacted else part.reasoning) for part in parts)
    return "\n".join(filter(None, shown)).strip()


def _sampling(decoding: Decoding) -> Json:
    """Return the part of a decoding that providers have begun to refuse."""
    settings = {"temperature": decoding.temperature, "top_p": decoding.top_p}
    return {name: value for name, value in settings.items() if value is not None}


def _retry_never(api: "ModelAPI") -> None:
    """Switch off the retries of the SDK below: most have a client, Bedrock a session."""
    client, session = getattr(api, "client", None), getattr(api, "session", None)
    if client is not None and hasattr(client, "max_retries"):
        client.max_retries = 0
    if session is not None and hasattr(session, "set_config_variable"):
        session.set_config_variable("max_attempts", 1)


def _endpoint(provider: Provider, base_url: str | None) -> str:
    """Return what a manifest says of where a model was asked."""
    if base_url is not None:
        return public_address(base_url)
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    if provider.name == "bedrock" and region:
        return f"https://bedrock-runtime.{region}.amazonaws.com"
    return f"{PREFIX}:{provider.name}"


def _status(error: Exception) -> int | None:
    """Return the HTTP status that an SDK's exception carries, each in its own place."""
    response = getattr(error, "response", None)
    named = response.get("ResponseMetadata", {}) if isinstance(response, dict) else {}
    for status in (
        getattr(error, "status_code", None),
        getattr(error, "code", None),
        named.get("HTTPStatusCode"),
    ):
        if isinstance(status, int):
            return status
    return None


def _headers(error: Exception) -> dict[str, str]:
    """Return the headers of the reply behind an SDK's exception, in lower case."""
    response = getattr(error, "response", None)
    if isinstance(response, dict):
        headers = response.get("ResponseMetadata", {}).get("HTTPHeaders", {})
    else:
        headers = getattr(response, "headers", {})
    if not isinstance(headers, Mapping):
        return {}
    return {str(name).lower(): str(value) for name, value in headers.items()}


def _leaves(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every value that is neither object nor list, with the key it stands under."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _leaves(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, key)
    else:
        yield key, value
