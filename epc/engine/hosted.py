"""Models behind an OpenAI-compatible endpoint.

One request is one JSON body and one reply. What a reply holds is `epc.engine.replies`; what a
failure means and how often to ask again is `epc.engine.asking`.
"""

import os
import time
from typing import Final

from msgspec import structs
from msgspec.structs import replace

from epc.engine.asking import TransientError
from epc.engine.limits import Ticket
from epc.engine.model import Completion, Identity
from epc.engine.providers import NATIVE, OTHER_FIELD, PROVIDERS, LimitField, Provider
from epc.engine.remote import Remote, address_of, public_address
from epc.engine.replies import completion, meant_status, refuses_field
from epc.engine.request_body import require_sendable, response_format
from epc.engine.transport import NoReplyError, Reply, Transport, most_connections
from epc.errors import UsageError, unknown
from epc.protocol.config import Decoding
from epc.protocol.results import Json

_OK: Final = 200


def open_hosted(provider: str, model: str) -> "Hosted":
    """Return a model of a known provider.

    Its key is not needed yet: a dry run sends nothing.

    Raises: UsageError if the provider is unknown, or its address is missing.
    """
    if provider not in PROVIDERS:
        known = ("local", "mock", *PROVIDERS, *NATIVE, "inspect")
        raise unknown(provider, known, are="the providers are", what="provider ")
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
        self._model, self._limit_field = model, provider.limit_field
        self.transport = Transport(base_url, key=key, bare_key=provider.bare_key)
        if not provider.needs_key:
            self.concurrency = most_connections()
            self._line = replace(self._line, own=True)

    def require_decoding(self, decoding: Decoding) -> None:
        """Refuse what the provider documents no setting for, and a body that may not be sent.

        Raises: UsageError.
        """
        require_sendable(decoding.body)
        fields = self.provider.reasoning(decoding.reasoning)
        if both := fields.keys() & decoding.body.keys():
            raise UsageError(f"--reasoning sets {min(both)} as well as --body: use one of them")

    def body(self, text: str, decoding: Decoding, *, limit_field: LimitField | None = None) -> Json:
        """Return exactly what is sent to the endpoint for a prompt."""
        request: Json = {
            "model": self._model,
            "messages": [{"role": "user", "content": text}],
            limit_field or self._limit_field: decoding.max_tokens,
            **self.provider.reasoning(decoding.reasoning),
            **decoding.body,
        }
        if decoding.temperature is not None:
            request["temperature"] = decoding.temperature
        if decoding.top_p is not None:
            request["top_p"] = decoding.top_p
        if decoding.stop:
            request["stop"] = list(decoding.stop)
        if (shape := response_format(decoding.constraint)) is not None:
            request["response_format"] = shape
        return request

    async def close(self) -> None:
        """Close the client's connections."""
        await self.transport.close()

    async def _once(
        self, text: str, decoding: Decoding, ticket: Ticket, retries: int
    ) -> Completion:
        began, field = time.monotonic(), self._limit_field
        reply = await self._send(text, decoding, field, ticket)
        if refuses_field(reply.status, reply.body, field):
            began, field = time.monotonic(), OTHER_FIELD[field]
            reply = await self._send(text, decoding, field, ticket)
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
        )
        return answer if unusual is None else structs.replace(answer, limit_field=unusual)

    async def _send(
        self, text: str, decoding: Decoding, field: LimitField, ticket: Ticket
    ) -> Reply:
        """Send one request and return the reply, whatever it is.

        Raises: TransientError if there is none.
        """
        try:
            reply = await self.transport.request(
                "POST",
                "/chat/completions",
                content=self.body(text, decoding, limit_field=field),
            )
        except NoReplyError as failure:
            raise TransientError(
                str(failure), billed=failure.sent, unreached=not failure.sent
            ) from None
        self._line.gate.learn(ticket, reply.headers)
        if reply.status == _OK and reply.headers.get("content-type", "").startswith("text/html"):
            raise TransientError("a web page is all that answers there", unreached=True)
        return reply
