"""The providers that can be asked, as data.

Most speak the OpenAI chat protocol, which we speak ourselves; those of `NATIVE` have protocols of
their own and are reached through Inspect (`epc.engine.inspected`). A key comes from the
environment only. Any endpoint can be moved by setting `base_variable`, which is how a proxy, a
private deployment or a test server is reached; the manifest records the address.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """Where a provider is, and which environment variables speak to it.

    `gateway`: it forwards to models of others, so a measurement through it may show the gateway
    rather than the model (EPC-5.3, pitfall 2). `needs_key`: it refuses calls without a key.
    `priced_as` is its name in the price table, if that is another. `keyed_by` is what holds its
    keys, if that is no variable.
    """

    name: str
    base_url: str | None
    gateway: bool = False
    needs_key: bool = True
    priced_as: str | None = None
    keyed_by: str | None = None

    @property
    def key_variable(self) -> str:
        """The environment variable that holds the key."""
        return f"{self._prefix}_API_KEY"

    @property
    def key_holder(self) -> str:
        """What a message about the key names."""
        return self.keyed_by or self.key_variable

    @property
    def base_variable(self) -> str:
        """The environment variable that moves the endpoint."""
        return f"{self._prefix}_BASE_URL"

    @property
    def _prefix(self) -> str:
        return self.name.upper().replace("-", "_")


_ALL: Final = (
    Provider(name="openai", base_url="https://api.openai.com/v1"),
    Provider(name="deepseek", base_url="https://api.deepseek.com/v1"),
    Provider(name="dashscope", base_url="https://dashscope.aliyuncs.com/compatible-mode/v1"),
    Provider(name="openrouter", base_url="https://openrouter.ai/api/v1", gateway=True),
    Provider(name="ollama", base_url="http://127.0.0.1:11434/v1", needs_key=False),
    Provider(name="vllm", base_url="http://127.0.0.1:8000/v1", needs_key=False),
    Provider(name="llamacpp", base_url="http://127.0.0.1:8080/v1", needs_key=False),
    Provider(name="openai-compatible", base_url=None, needs_key=False),
)
PROVIDERS: Final = {provider.name: provider for provider in _ALL}

_NATIVE: Final = (
    Provider(name="anthropic", base_url="https://api.anthropic.com"),
    Provider(name="google", base_url="https://generativelanguage.googleapis.com"),
    # Its address follows from the region, and its keys are those of the Amazon account.
    Provider(
        name="bedrock",
        base_url=None,
        needs_key=False,
        priced_as="aws",
        keyed_by="the Amazon account",
    ),
)
NATIVE: Final = {provider.name: provider for provider in _NATIVE}
