"""Common base of all models behind a network, whatever protocol they speak."""

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit, urlunsplit

from msgspec.structs import replace

from epc.engine.asking import Line
from epc.engine.limits import Ticket, gate_of
from epc.engine.model import Completion, Identity, Model, Prompt
from epc.engine.providers import Provider
from epc.engine.secrets import in_address, redactor
from epc.errors import UsageError
from epc.protocol.config import REFERENCE_DECODING, Decoding
from epc.spec.epc_v1 import Method

CONCURRENCY: Final = 128  # of a provider with accounts, whose rate limits bind before this does
NOT_ASCII: Final = (
    "it holds a character that is not printable ASCII, such as a quotation mark of a word "
    "processor or the end of a line: copy it again"
)
# Enough for the 300 characters that are judged, in any language we know of.
EXECUTOR_DECODING: Final = Decoding(temperature=0.0, max_tokens=400)


class Remote(ABC):
    """A model that is asked over a network, and asked again after a failure that may pass."""

    method: Method = "prompt"
    repeatable = True
    pinned = False

    def __init__(
        self, provider: Provider, identity: Identity, *, address: str, key: str | None
    ) -> None:
        self.identity, self.concurrency = identity, CONCURRENCY
        self.provider, self.key = provider, key
        self._redact = redactor()
        self._line = Line(
            name=identity.model,
            endpoint=identity.endpoint,
            key=provider.key_variable,
            base=provider.base_variable,
            gate=gate_of(address, key),
        )

    def require_key(self) -> None:
        """Refuse to begin without the key that the provider will ask for.

        Raises: UsageError that names the variable to set.
        """
        name, variable = self.provider.name, self.provider.key_variable
        if self.provider.needs_key and not self.key:
            raise UsageError(f"set {variable} to your key for {name}")
        if self.key and not is_sendable(self.key):
            raise UsageError(f"{variable} is no key for {name}: {NOT_ASCII}")

    def wait_for(self, seconds: float) -> None:
        """Give every reply so long, the first one too."""
        self._line = replace(self._line, deadline_s=seconds)

    def default_decoding(self, role: str) -> Decoding:
        """Return the reference decoding for an evaluator, a whole answer for an executor."""
        return REFERENCE_DECODING if role == "evaluator" else EXECUTOR_DECODING

    @abstractmethod
    def require_decoding(self, decoding: Decoding) -> None:
        """Refuse a decoding that this model cannot be asked for.

        Raises: UsageError that says what it can be asked for.
        """

    async def complete(self, prompt: Prompt, decoding: Decoding) -> Completion:
        """Ask, and ask again after a failure that may pass.

        Raises: CallError once asking again cannot help, or has not within the budget of tries.
        """
        return await self._line.answer(prompt, decoding, self._once)

    def refused(
        self, status: int, body: bytes, headers: Mapping[str, str], *, retries: int
    ) -> Completion:
        """Return what another status than success means: an answer withheld, or a failure.

        Raises: TransientError if asking again may help, CallError if it cannot.
        """
        text = body[:2000].decode("utf-8", "replace")
        return self._line.refused(status, text, headers, retries=retries)

    @abstractmethod
    async def close(self) -> None:
        """Let go of the connections."""

    @abstractmethod
    async def _once(
        self, text: str, decoding: Decoding, ticket: Ticket, retries: int
    ) -> Completion:
        """Send one request and read its answer.

        Raises: TransientError if asking again may help, CallError if it cannot.
        """


def require_decoding(model: Model, decoding: Decoding) -> None:
    """Refuse to ask a model for a decoding that it does not have.

    Raises: UsageError that says what it can be asked for.
    """
    if model.method != "prompt" or model.identity.endpoint == "mock":
        raise UsageError(f"{model.identity.model} decodes nothing: leave its decoding out")
    if isinstance(model, Remote):
        model.require_decoding(decoding)
    elif decoding.reasoning is not None or decoding.body:
        raise UsageError(f"{model.identity.model} takes neither --reasoning nor --body")


def address_of(provider: Provider, *, example: str) -> str | None:
    """Return where a provider is asked: where its variable says, or at its own address.

    Raises: UsageError if the variable holds no address.
    """
    address = provider.address(os.environ)
    if address is not None and not is_address(address):
        expected = f"expected one such as {example}"
        raise UsageError(f"the value of {provider.base_variable} is no address: {expected}")
    return address


def how_to_address(provider: Provider) -> str:
    """Return how to say where a provider is."""
    if provider.address_variable == provider.base_variable:
        return f"set {provider.base_variable} to the endpoint's address"
    return (
        f"set {provider.address_variable} to the region of your account, such as us-east-1, or "
        f"{provider.base_variable} to the endpoint's address"
    )


def is_sendable(text: str) -> bool:
    """Return whether a text can stand in a request's head, as keys and addresses do."""
    return text.isascii() and text.isprintable()


def is_address(url: str) -> bool:
    """Return whether a text is an address that requests can be sent to."""
    if not is_sendable(url):
        return False
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def public_address(url: str) -> str:
    """Return an address without user, password, query, fragment, or a secret in its path."""
    for secret in in_address(url):
        url = url.replace(secret, "***")
    parts = urlsplit(url)
    host = parts.hostname or ""
    if ":" in host:
        host = f"[{host}]"
    port = f":{parts.port}" if parts.port else ""
    return urlunsplit((parts.scheme, f"{host}{port}", parts.path.rstrip("/"), "", ""))
