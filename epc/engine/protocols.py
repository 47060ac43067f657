"""The protocols of models that write: how each makes a request, and who reads the reply.

A protocol is a row of `PROTOCOLS`. Whoever asks (`epc.engine.hosted`) knows none of them by name.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec import Struct, field

from epc.engine.providers import LimitField, Wire
from epc.engine.request_body import default_gemini_thinking, response_format
from epc.errors import UsageError
from epc.protocol.config import Decoding
from epc.protocol.results import Json
from epc.records.native_replies import read_converse, read_generated, read_message
from epc.records.replies import read_completion
from epc.records.reply_parts import ReplyContent


class CallRequest(Struct, frozen=True, kw_only=True):
    """One request: the model, the text, the decoding, and the provider's fields for reasoning."""

    model: str
    text: str
    decoding: Decoding
    reasoning: Json
    limit_field: LimitField = "max_tokens"


class Protocol(Struct, frozen=True, kw_only=True):
    """A protocol by which a model that writes is asked: its request, and the reader of its reply.

    `path` has a place for the model's name. `settings` is the object of a request that holds its
    settings, if they are not beside the rest. `headers` go with each request. `respells`: an
    endpoint may know the most tokens by another name. `constrains`: a reply can be held to JSON.
    """

    title: str
    path: str
    body: Callable[[CallRequest], Json]
    read: Callable[[Any], ReplyContent]
    settings: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    respells: bool = False
    constrains: bool = False

    def user_settings(self, decoding: Decoding) -> Json:
        """Return what the user adds to the settings of a request.

        Raises: UsageError if they are no object where the protocol has one.
        """
        if self.settings is None:
            return dict(decoding.body)
        body = decoding.body.get(self.settings, {})
        if not isinstance(body, dict):
            raise UsageError(f"--body {self.settings} is no object")
        return body


def _chat(request: CallRequest) -> Json:
    decoding = request.decoding
    body = {
        "model": request.model,
        "messages": [{"role": "user", "content": request.text}],
        request.limit_field: decoding.max_tokens,
        **request.reasoning,
        **decoding.body,
    }
    return body | _chosen(
        temperature=decoding.temperature,
        top_p=decoding.top_p,
        stop=list(decoding.stop) or None,
        response_format=response_format(decoding.constraint),
    )


def _message(request: CallRequest) -> Json:
    decoding = request.decoding
    body = {
        "model": request.model,
        "messages": [{"role": "user", "content": request.text}],
        "max_tokens": decoding.max_tokens,
        **request.reasoning,
        **decoding.body,
    }
    return body | _chosen(
        temperature=decoding.temperature,
        top_p=decoding.top_p,
        stop_sequences=list(decoding.stop) or None,
    )


# Nothing is to be held back that a model would say of the texts it compares.
_UNFILTERED: Final = [
    {"category": f"HARM_CATEGORY_{harm}", "threshold": "BLOCK_NONE"}
    for harm in (
        *("CIVIC_INTEGRITY", "DANGEROUS_CONTENT", "HARASSMENT", "HATE_SPEECH"),
        "SEXUALLY_EXPLICIT",
    )
]


def _generate_content(request: CallRequest) -> Json:
    decoding = request.decoding
    settings = {
        "maxOutputTokens": decoding.max_tokens,
        **(request.reasoning or default_gemini_thinking(request.model)),
        **GENERATE_CONTENT.user_settings(decoding),
    }
    settings |= _chosen(
        temperature=decoding.temperature,
        topP=decoding.top_p,
        stopSequences=list(decoding.stop) or None,
    )
    return {
        "contents": [{"role": "user", "parts": [{"text": request.text}]}],
        "safetySettings": _UNFILTERED,
        **decoding.body,
        "generationConfig": settings,
    }


def _converse(request: CallRequest) -> Json:
    decoding = request.decoding
    settings = {"maxTokens": decoding.max_tokens, **CONVERSE.user_settings(decoding)}
    settings |= _chosen(
        temperature=decoding.temperature,
        topP=decoding.top_p,
        stopSequences=list(decoding.stop) or None,
    )
    return {
        "messages": [{"role": "user", "content": [{"text": request.text}]}],
        **request.reasoning,
        **decoding.body,
        "inferenceConfig": settings,
    }


def _chosen(**settings: Any) -> Json:
    """Return the settings that somebody chose: a model's own are not sent."""
    return {name: value for name, value in settings.items() if value is not None}


CHAT: Final = Protocol(
    title="chat completions",
    path="/chat/completions",
    body=_chat,
    read=read_completion,
    respells=True,
    constrains=True,
)
# Source: Anthropic's API reference, "Create a Message".
MESSAGES: Final = Protocol(
    title="Anthropic's Messages",
    path="/v1/messages",
    body=_message,
    read=read_message,
    headers={"anthropic-version": "2023-06-01"},
)
# Source: Gemini's API reference, "models.generateContent".
GENERATE_CONTENT: Final = Protocol(
    title="Gemini's generateContent",
    path="/v1beta/models/{model}:generateContent",
    body=_generate_content,
    read=read_generated,
    settings="generationConfig",
)
# Source: Amazon Bedrock's API reference, "Converse".
CONVERSE: Final = Protocol(
    title="Bedrock's Converse",
    path="/model/{model}/converse",
    body=_converse,
    read=read_converse,
    settings="inferenceConfig",
)
PROTOCOLS: Final[Mapping[Wire, Protocol]] = {
    "chat": CHAT,
    "messages": MESSAGES,
    "generate_content": GENERATE_CONTENT,
    "converse": CONVERSE,
}
