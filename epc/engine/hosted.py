"""Models behind an endpoint: those that write, and decision models, which answer typed questions.

One request is one JSON body and one reply. What a protocol sends and reads is
`epc.engine.protocols`; what a failure means and how often to ask again is `epc.engine.asking`.
"""

import dataclasses
import os
import time
from collections.abc import Mapping
from functools import partial
from typing import Final
from urllib.parse import quote

from msgspec import structs
from msgspec.structs import replace

from epc.engine.asking import TransientError
from epc.engine.limits import Ticket
from epc.engine.model import Completion, Identity, Prompt
from epc.engine.protocols import PROTOCOLS, CallRequest, Protocol
from epc.engine.providers import OTHER_FIELD, PROVIDERS, LimitField, Provider, Wire
from epc.engine.remote import Remote, address_of, how_to_address, public_address
from epc.engine.replies import completion, meant_status, refuses_field
from epc.engine.request_body import require_sendable
from epc.engine.transport import NoReplyError, Reply, Transport, most_connections
from epc.errors import UsageError, unknown
from epc.judge.prompt import asked_in
from epc.protocol.config import REFERENCE_DECODING, Decoding
from epc.protocol.results import Json
from epc.records.decisions import INSTRUCTIONS, Asking, askings
from epc.records.replies import read_decided

_OK: Final = 200
_DECISION_PATHS: Final[dict[Wire, str]] = {
    "systemone": "/systemone",
    "clef": "/run/@cf/cloudflare/{model}",
    "decisions": "/decisions",
}


def open_hosted(provider: str, model: str) -> "Hosted | Deciding":
    """Return a model of a known provider.

    Its key is not needed yet: a dry run sends nothing.

    Raises: UsageError if the provider is unknown, or its address is missing.
    """
    if provider not in PROVIDERS:
        providers = ("local", "mock", *PROVIDERS)
        raise unknown(provider, providers, list_intro="the providers are", noun="provider ")
    known_provider = PROVIDERS[provider]
    base_url = address_of(known_provider, example="https://host:8000/v1")
    if base_url is None:
        raise UsageError(how_to_address(known_provider))
    key = os.environ.get(known_provider.key_variable)
    kind = Deciding if known_provider.decides else Hosted
    return kind(known_provider, model, base_url=base_url, key=key)


class _Endpoint(Remote):
    """Model at an endpoint, over one client that is closed with the run."""

    def __init__(self, provider: Provider, model: str, *, base_url: str, key: str | None) -> None:
        identity = Identity(
            model=f"{provider.name}/{model}",
            version=model,
            endpoint=public_address(base_url),
            gateway=provider.name if provider.gateway else None,
            details=self.details(provider),
        )
        super().__init__(provider, identity, address=base_url, key=key)
        self._model, self._limit_field = model, provider.limit_field
        self.transport = Transport(
            base_url, key=key, key_header=provider.key_header, headers=self.headers(provider)
        )
        if not provider.needs_key:
            self.concurrency = most_connections()
            self._line = replace(self._line, is_own_server=True)

    def details(self, provider: Provider) -> Json:  # noqa: ARG002  (for those that have some)
        """Return what else decides its answers."""
        return {}

    def headers(self, provider: Provider) -> Mapping[str, str]:  # noqa: ARG002  (as above)
        """Return what goes with each request beside the key."""
        return {}

    async def close(self) -> None:
        """Close the client's connections."""
        await self.transport.close()

    async def _post(self, path: str, content: Json, ticket: Ticket) -> Reply:
        """Send one request and return the reply, whatever it is.

        Raises: TransientError if there is none.
        """
        try:
            reply = await self.transport.post(path, content)
        except NoReplyError as failure:
            raise TransientError(
                str(failure), billed=failure.sent, unreached=not failure.sent
            ) from None
        self._line.gate.learn(ticket, reply.headers)
        if reply.status == _OK and reply.headers.get("content-type", "").startswith("text/html"):
            raise TransientError("a web page is all that answers there", unreached=True)
        return reply


class Hosted(_Endpoint):
    """A model that writes, asked in its provider's protocol."""

    @property
    def protocol(self) -> Protocol:
        """How it is asked."""
        return PROTOCOLS[self.provider.wire]

    def headers(self, provider: Provider) -> Mapping[str, str]:
        """Return those of the protocol."""
        return PROTOCOLS[provider.wire].headers

    def require_decoding(self, decoding: Decoding) -> None:
        """Refuse what the provider documents no setting for, and a body that may not be sent.

        Raises: UsageError.
        """
        require_sendable(decoding.body)
        fields = self.provider.reasoning(decoding.reasoning)
        if conflicts := fields.keys() & self.protocol.user_settings(decoding).keys():
            raise UsageError(
                f"--reasoning sets {min(conflicts)} as well as --body: use one of them"
            )

    def body(self, text: str, decoding: Decoding, *, limit_field: LimitField | None = None) -> Json:
        """Return exactly what is sent to the endpoint for a prompt."""
        request = CallRequest(
            model=self._model,
            text=text,
            decoding=decoding,
            reasoning=self.provider.reasoning(decoding.reasoning),
            limit_field=limit_field or self._limit_field,
        )
        return self.protocol.body(request)

    async def _once(
        self, text: str, decoding: Decoding, ticket: Ticket, retries: int
    ) -> Completion:
        protocol = self.protocol
        path = protocol.path.format(model=quote(self._model, safe=":"))
        spellings = [self._limit_field]
        if protocol.respells:
            spellings.append(OTHER_FIELD[self._limit_field])
        for field in spellings:
            began = time.monotonic()
            content = self.body(text, decoding, limit_field=field)
            reply = await self._post(path, content, ticket)
            if not refuses_field(reply.status, reply.body, field):
                break
        if (status := meant_status(reply.status, reply.body)) != _OK:
            return self.refused(status, reply.body, reply.headers, retries=retries)
        self._limit_field = field
        unusual = None if field == self.provider.limit_field else field
        answer = completion(
            reply.body,
            latency_s=round(time.monotonic() - began, 9),
            retries=retries,
            redact=self._redact,
            headers=reply.headers,
            read=protocol.read,
        )
        return answer if unusual is None else structs.replace(answer, limit_field=unusual)


class Deciding(_Endpoint):
    """A decision model: it reads a prompt and answers typed questions about it, with probabilities.

    No token is drawn, so there is nothing to decode: what it says is the likeliest option.
    """

    states_scores = True

    def details(self, provider: Provider) -> Json:
        """Return the form of its questions and their words."""
        return {"wire": provider.wire, "instructions": INSTRUCTIONS}

    def default_decoding(self, role: str) -> Decoding:  # noqa: ARG002  (one way in any role)
        """Return that of a model that can say A or B alone."""
        return dataclasses.replace(REFERENCE_DECODING, constraint="A|B")

    def require_decoding(self, decoding: Decoding) -> None:
        """Refuse all settings, as a request has none.

        Raises: UsageError.
        """
        plain = Decoding(
            temperature=0.0, max_tokens=decoding.max_tokens, constraint=decoding.constraint
        )
        if decoding != plain:
            name = self.identity.model
            raise UsageError(
                f"{name} is a decision model and decodes nothing: leave its decoding out"
            )

    async def complete(self, prompt: Prompt, decoding: Decoding) -> Completion:
        """Have the questions about a prompt answered, as an evaluator or a judge.

        Raises: UsageError if the prompt asks for an answer in words; CallError as for any model.
        """
        if prompt.pair is None and asked_in(prompt.text) is None:
            name = self.identity.model
            raise UsageError(
                f"{name} is a decision model and writes nothing: name another executor"
            )
        return await super().complete(prompt, decoding)

    def body(self, text: str) -> Json:
        """Return exactly what is sent to the endpoint for a prompt."""
        if self.provider.wire == "decisions":
            questions = [_of_openai(asking) for asking in askings(text)]
            return {"model": self._model, "input": text, "questions": questions}
        named = {asking.name: _of_typesafe(asking) for asking in askings(text)}
        return {"model": self._model, "state": text, "questions": named}

    async def _once(
        self,
        text: str,
        decoding: Decoding,  # noqa: ARG002  (the interface hands it over)
        ticket: Ticket,
        retries: int,
    ) -> Completion:
        began = time.monotonic()
        path = _DECISION_PATHS[self.provider.wire].format(model=self._model)
        reply = await self._post(path, self.body(text), ticket)
        if (status := meant_status(reply.status, reply.body)) != _OK:
            return self.refused(status, reply.body, reply.headers, retries=retries)
        return completion(
            reply.body,
            latency_s=round(time.monotonic() - began, 9),
            retries=retries,
            redact=self._redact,
            headers=reply.headers,
            read=partial(read_decided, prompt=text),
        )


def _of_typesafe(asking: Asking) -> Json:
    options = asking.options
    criteria = options if asking.type == "choice" else list(options.values())
    return {"type": asking.type, "instructions": asking.instructions, "criteria": criteria}


def _of_openai(asking: Asking) -> Json:
    common = {"type": asking.type, "name": asking.name, "instructions": asking.instructions}
    if asking.type == "score":
        return {**common, "levels": [{"label": meant} for meant in asking.options.values()]}
    choices = [{"value": o, "description": meant} for o, meant in asking.options.items()]
    return {**common, "choices": choices}
