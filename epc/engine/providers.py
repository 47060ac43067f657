"""The providers that can be asked, as data.

Most speak the OpenAI chat protocol, three have protocols of their own (`epc.engine.protocols`),
some answer typed questions. A key comes from the environment only. Any endpoint can be moved by
setting `base_variable`, which is how a proxy, a private deployment or a test server is reached; the
manifest records the address.
"""

import re
from collections.abc import Mapping
from typing import Final, Literal

from msgspec import Struct, field

from epc.engine import request_body
from epc.engine.request_body import Levels
from epc.errors import UsageError
from epc.protocol.config import REASONING, Reasoning
from epc.protocol.results import Json

# What an endpoint is asked in: chat completions, Anthropic's Messages, Gemini's generateContent,
# Bedrock's Converse; or questions with typed answers (decision models), in TypeSafe's form,
# Cloudflare's way of serving it, or OpenAI's form.
Wire = Literal["chat", "messages", "generate_content", "converse", "systemone", "clef", "decisions"]
_DECIDING: Final = frozenset({"systemone", "clef", "decisions"})
LimitField = Literal["max_tokens", "max_completion_tokens"]
OTHER_FIELD: Final[Mapping[LimitField, LimitField]] = {
    "max_tokens": "max_completion_tokens",
    "max_completion_tokens": "max_tokens",
}


class Provider(Struct, frozen=True):
    """Provider: where it is, and which environment variables speak to it.

    `gateway`: it forwards to models of others, so a measurement through it may show the gateway
    rather than the model (EPC-5.3, pitfall 2). `needs_key`: it refuses calls without a key.
    `base_url` may have a place for the region of an Amazon account. `priced_as` is its name in the
    price table, if that is another. `limit_field` is how a request spells the most tokens, `levels`
    what it holds for each amount of reasoning. `key_header` is the header in which the key stands
    by itself; without one it is a bearer token. `keys_of` is the provider whose key it takes, if it
    is not its own; `key_name` the variable that holds it, if that is not called for the provider.
    """

    name: str
    base_url: str | None
    gateway: bool = False
    needs_key: bool = True
    priced_as: str | None = None
    limit_field: LimitField = "max_tokens"
    levels: Levels = field(default_factory=dict)
    key_header: str | None = None
    wire: Wire = "chat"
    keys_of: str | None = None
    key_name: str | None = None

    @property
    def decides(self) -> bool:
        """Whether its models answer typed questions, and write nothing."""
        return self.wire in _DECIDING

    def address(self, environment: Mapping[str, str]) -> str | None:
        """Return where it is asked: where its variable says, or at its own address, if any."""
        address = environment.get(self.base_variable) or self.base_url
        if address is None or _REGION not in address:
            return address
        region = environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION") or ""
        return address.replace(_REGION, region) if _IS_REGION.fullmatch(region) else None

    def reasoning(self, level: Reasoning | None) -> Json:
        """Return what a request holds so that a model reasons so much before it answers.

        Raises: UsageError if this provider states no such setting.
        """
        if level is None:
            return {}
        if level not in self.levels:
            levels = ", ".join(name for name in REASONING if name in self.levels)
            instead = f"--reasoning {levels}" if levels else "--body with the server's own setting"
            raise UsageError(f"{self.name} documents no reasoning {level!r}: use {instead}")
        return self.levels[level]

    @property
    def key_variable(self) -> str:
        """The environment variable that holds the key."""
        return self.key_name or f"{_variable(self.keys_of or self.name)}_API_KEY"

    @property
    def price_variable(self) -> str:
        """The environment variable with a price of one's own: dollars for a million tokens."""
        return f"{_variable(self.name)}_PRICE"

    @property
    def address_variable(self) -> str:
        """The environment variable that is missing where no address is known."""
        return "AWS_REGION" if _REGION in (self.base_url or "") else self.base_variable

    @property
    def base_variable(self) -> str:
        """The environment variable that moves the endpoint."""
        return f"{_variable(self.name)}_BASE_URL"


_REGION: Final = "{region}"
_IS_REGION: Final = re.compile(r"[a-z]{2}(?:-[a-z]+)+-[0-9]")


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
        key_header="api-key",
    ),
    Provider(
        "anthropic",
        "https://api.anthropic.com",
        wire="messages",
        levels=request_body.ANTHROPIC,
        key_header="x-api-key",
    ),
    Provider(
        "google",
        "https://generativelanguage.googleapis.com",
        wire="generate_content",
        levels=request_body.GEMINI,
        key_header="x-goog-api-key",
    ),
    Provider(
        "bedrock",
        "https://bedrock-runtime.{region}.amazonaws.com",
        wire="converse",
        priced_as="aws",
        key_name="AWS_BEARER_TOKEN_BEDROCK",
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
