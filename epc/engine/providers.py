"""The providers that can be asked, as data.

Most speak the OpenAI chat protocol, some answer typed questions; both we speak ourselves. Those of
`NATIVE` have protocols of their own and are reached through Inspect (`epc.engine.inspected`). A key
comes from the environment only. Any endpoint can be moved by setting `base_variable`, which is how
a proxy, a private deployment or a test server is reached; the manifest records the address.
"""

from collections.abc import Mapping
from typing import Final, Literal

from msgspec import Struct, field

from epc.engine import request_body
from epc.engine.request_body import Levels
from epc.errors import UsageError
from epc.protocol.config import REASONING, Reasoning
from epc.protocol.results import Json

# What an endpoint is asked in: chat completions, or questions with typed answers (decision models),
# in TypeSafe's form, Cloudflare's way of serving it, or OpenAI's form.
Wire = Literal["chat", "systemone", "clef", "decisions"]
LimitField = Literal["max_tokens", "max_completion_tokens"]
OTHER_FIELD: Final[Mapping[LimitField, LimitField]] = {
    "max_tokens": "max_completion_tokens",
    "max_completion_tokens": "max_tokens",
}


class Provider(Struct, frozen=True):
    """Where a provider is, and which environment variables speak to it.

    `gateway`: it forwards to models of others, so a measurement through it may show the gateway
    rather than the model (EPC-5.3, pitfall 2). `needs_key`: it refuses calls without a key.
    `priced_as` is its name in the price table, if that is another. `keyed_by` is what holds its
    keys, if that is no variable. `limit_field` is how a request spells the most tokens, `levels`
    what it holds for each amount of reasoning; `bare_key`: the key stands in a header `api-key`.
    `keys_of` is the provider whose key it takes, if it is not its own.
    """

    name: str
    base_url: str | None
    gateway: bool = False
    needs_key: bool = True
    priced_as: str | None = None
    keyed_by: str | None = None
    limit_field: LimitField = "max_tokens"
    levels: Levels = field(default_factory=dict)
    bare_key: bool = False
    wire: Wire = "chat"
    keys_of: str | None = None

    def reasoning(self, level: Reasoning | None) -> Json:
        """Return what a request holds so that a model reasons so much before it answers.

        Raises: UsageError if this provider states no such setting.
        """
        if level is None:
            return {}
        if level not in self.levels:
            known = ", ".join(name for name in REASONING if name in self.levels)
            instead = f"--reasoning {known}" if known else "--body with the server's own setting"
            raise UsageError(f"{self.name} documents no reasoning {level!r}: use {instead}")
        return self.levels[level]

    @property
    def key_variable(self) -> str:
        """The environment variable that holds the key."""
        return f"{_variable(self.keys_of or self.name)}_API_KEY"

    @property
    def price_variable(self) -> str:
        """The environment variable with a price of one's own: dollars for a million tokens."""
        return f"{_variable(self.name)}_PRICE"

    @property
    def key_holder(self) -> str:
        """What a message about the key names."""
        return self.keyed_by or self.key_variable

    @property
    def base_variable(self) -> str:
        """The environment variable that moves the endpoint."""
        return f"{_variable(self.name)}_BASE_URL"


def _variable(name: str) -> str:
    return name.upper().replace("-", "_")


_ALL: Final = (
    Provider(
        "openai",
        "https://api.openai.com/v1",
        limit_field="max_completion_tokens",
        levels=request_body.EFFORT,
    ),
    # Its address holds the resource's name: https://NAME.openai.azure.com/openai/v1
    Provider(
        "azure",
        None,
        limit_field="max_completion_tokens",
        levels=request_body.EFFORT,
        bare_key=True,
    ),
    Provider("deepseek", "https://api.deepseek.com/v1", levels=request_body.DEEPSEEK),
    Provider(
        "dashscope", "https://dashscope.aliyuncs.com/compatible-mode/v1", levels=request_body.QWEN
    ),
    Provider("mistral", "https://api.mistral.ai/v1", levels=request_body.EFFORT),
    Provider(
        "xai",
        "https://api.x.ai/v1",
        limit_field="max_completion_tokens",
        levels=request_body.EFFORT,
        priced_as="x-ai",
    ),
    Provider(
        "openrouter", "https://openrouter.ai/api/v1", gateway=True, levels=request_body.OPENROUTER
    ),
    Provider("ollama", "http://127.0.0.1:11434/v1", needs_key=False, levels=request_body.EFFORT),
    Provider("vllm", "http://127.0.0.1:8000/v1", needs_key=False, levels=request_body.TEMPLATE),
    Provider("sglang", "http://127.0.0.1:30000/v1", needs_key=False, levels=request_body.TEMPLATE),
    Provider("llamacpp", "http://127.0.0.1:8080/v1", needs_key=False, levels=request_body.LLAMACPP),
    Provider("lmstudio", "http://127.0.0.1:1234/v1", needs_key=False),
    Provider("openai-compatible", None, needs_key=False, levels=request_body.EFFORT),
    Provider("typesafe", "https://api.typesafe.ai/v1", wire="systemone"),
    Provider(
        "openai-decisions",
        "https://api.openai.com/v1",
        wire="decisions",
        keys_of="openai",
        priced_as="openai",
    ),
    Provider(
        "openrouter-decisions",
        "https://openrouter.ai/api/v1",
        gateway=True,
        wire="systemone",
        keys_of="openrouter",
        priced_as="openrouter",
    ),
    # Its address holds the account: https://api.cloudflare.com/client/v4/accounts/ID/ai
    Provider("cloudflare-decisions", None, wire="clef", keys_of="cloudflare"),
    Provider("ollaya", "http://127.0.0.1:11435/v1", needs_key=False, wire="systemone"),
    Provider("systemone", None, needs_key=False, wire="systemone"),
)
PROVIDERS: Final = {provider.name: provider for provider in _ALL}

_NATIVE: Final = (
    Provider(name="anthropic", base_url="https://api.anthropic.com"),
    Provider(name="google", base_url="https://generativelanguage.googleapis.com"),
    # Its address follows from the region, and its keys are those of the Amazon account.
    Provider("bedrock", None, needs_key=False, priced_as="aws", keyed_by="the Amazon account"),
)
NATIVE: Final = {provider.name: provider for provider in _NATIVE}
