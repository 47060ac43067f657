"""The one interface behind which every model stands: `complete(prompt, decoding)`.

What is made for each call is a `Struct`: to make a frozen dataclass takes several times as long.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, Protocol

from msgspec import Struct, field

from epc.errors import StoppedError
from epc.protocol.config import Decoding
from epc.protocol.prompt import Pair
from epc.spec.domains import PhaseName
from epc.spec.epc_v1 import Method

Setting = Literal["temperature", "reasoning"]


class Occasion(Struct, frozen=True, kw_only=True):
    """The round in which something is asked."""

    seed: int
    phase: PhaseName
    round: int


class Prompt(Struct, frozen=True, kw_only=True):
    """Prompt that a model is asked.

    `text` is what is sent and recorded. `pair` is what the text was made from, for evaluators
    that look at the two answers and not at the words around them. `occasion` is None where the
    answer may serve any round. `lost` is called after each attempt that got no answer and may
    be billed, and awaited until there is room for another; it raises where there will be none.
    `failed` is told why an attempt got no answer, before the next one; `cut` is called where the
    run ends while an attempt is under way.
    """

    text: str
    pair: Pair | None = None
    occasion: Occasion | None = None
    lost: Callable[[], Awaitable[None]] | None = None
    failed: Callable[[str], None] | None = None
    cut: Callable[[], None] | None = None


class Completion(Struct, frozen=True, kw_only=True):
    """Answer of a model, and what its provider said about it.

    `reply` is the whole body that the answer was read from, `headers` are those of the reply that
    may be kept; None where the model is no provider's. `reasoning` is what the model wrote for
    itself before, as far as it is shown. `limit_field` is how the request spelt the most tokens,
    where the endpoint refused the usual spelling. Units: tokens; seconds of
    latency.
    """

    text: str
    served_model: str | None = None
    system_fingerprint: str | None = None
    finish_reason: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    latency_s: float | None = None
    retries: int = 0
    reply: str | None = None
    headers: Mapping[str, str] | None = None
    reasoning: str = ""
    reasoning_tokens: int | None = None
    limit_field: str | None = None


class Identity(Struct, frozen=True, kw_only=True):
    """Identity of a model as a manifest states it (EPC-2.2).

    `endpoint` is where it was asked: an address without user or key, or a word such as
    "embedded". `gateway` names a third party between us and the model, if there is one.
    `details` pins what decides its answers: weights by SHA-256, runtime, processor features.
    """

    model: str
    version: str | None
    endpoint: str
    gateway: str | None = None
    details: dict[str, Any] = field(default_factory=dict)


class Model(Protocol):
    """A model in either role.

    `repeatable` promises that at temperature 0 the same prompt gets the same answer whenever it
    is asked, so that an answer may be reused (Reading R16). `pinned`: its identity fixes its
    weights, so that an answer may serve other runs on any day (Reading R76). `concurrency` is how
    many calls it serves at once.
    """

    identity: Identity
    method: Method
    repeatable: bool
    pinned: bool
    concurrency: int

    def default_decoding(self, role: str) -> Decoding:
        """Return how this model decodes in a role unless told otherwise."""
        ...

    async def complete(self, prompt: Prompt, decoding: Decoding) -> Completion:
        """Answer a prompt.

        Raises: CallError if there is no answer. A failure is never an answer (Reading R4).
        """
        ...

    async def close(self) -> None:
        """Let go of connections, threads and memory."""
        ...


class CallError(StoppedError):
    """A call got no answer, retries included. The run stops and can be resumed.

    `setting` names what of the decoding the model refuses, if that is the cause.
    """

    def __init__(self, message: str, *, setting: Setting | None = None) -> None:
        super().__init__(message)
        self.setting = setting
