"""Whose address is it? Known gateways, and the providers' own addresses (EPC-5.3, pitfall 2).

A gateway forwards to models of others and may change questions, answers, or the model itself. The
table need not be complete to be safe: an address that is neither a provider's own nor on this
machine cannot be called direct.
"""

from typing import Any, Final, Literal
from urllib.parse import urlsplit

Json = dict[str, Any]
Kind = Literal["direct", "gateway", "unknown"]

# By what stands before the `/` of a model's name: the provider's own hosts; a leading dot means
# any host below.
OWN: Final = {
    "openai": ("api.openai.com", ".api.openai.com"),
    "azure-openai": (".openai.azure.com", ".cognitiveservices.azure.com"),
    "deepseek": ("api.deepseek.com",),
    "dashscope": ("dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com"),
    "anthropic": ("api.anthropic.com",),
    "google": ("generativelanguage.googleapis.com", ".aiplatform.googleapis.com"),
    "bedrock": (".amazonaws.com",),
}
# Self-hosted: whoever measures runs the server too, wherever it is.
_SELF_HOSTED: Final = ("ollama", "vllm", "llamacpp")
_HERE: Final = ("embedded", "mock", "file")

NAMES: Final = ("openrouter", "litellm-proxy", "cloudflare", "hf-inference-providers")
_HOSTS: Final = (
    "openrouter.ai",
    "gateway.ai.cloudflare.com",
    "router.huggingface.co",
    "ai-gateway.vercel.sh",
    "api.portkey.ai",
    "helicone.ai",
    "hconeai.com",
    "api.aimlapi.com",
    "router.requesty.ai",
    "api.unify.ai",
    "api.edenai.run",
    "api.poe.com",
    "api.nano-gpt.com",
    "aihubmix.com",
    "llm.kluster.ai",
)


def kind_of(model: Json) -> Kind:
    """Return how a role's model was asked, as far as its own record tells.

    `unknown`: the address is neither a known gateway nor the provider's own.
    """
    prefix = provider_of(model["model"])
    if model["gateway"] is not None or prefix in NAMES or is_gateway(model["endpoint"]):
        return "gateway"
    if model["endpoint"] in _HERE or prefix in _SELF_HOSTED:
        return "direct"
    host = host_of(model["endpoint"])
    own = OWN.get(prefix, ())
    if any(host.endswith(known) if known[0] == "." else host == known for known in own):
        return "direct"
    return "unknown"


def provider_of(name: str) -> str:
    """Return the provider of a model's name, which Inspect's names carry second."""
    return name.removeprefix("inspect/").partition("/")[0]


def is_gateway(endpoint: str) -> bool:
    """Whether an address is a known gateway's."""
    host = host_of(endpoint)
    return any(host == known or host.endswith(f".{known}") for known in _HOSTS)


def host_of(endpoint: str) -> str:
    """Return the host of an address in lower case, empty where it is none."""
    try:
        return (urlsplit(endpoint).hostname or "").rstrip(".")
    except ValueError:
        return ""
