"""On which platform a model was asked, by its name and its address (EPC-5.3, pitfall 2)."""

from urllib.parse import urlsplit

import pytest

from epc.engine.local.models import LOCAL_MODELS
from epc.engine.providers import PROVIDERS, Provider
from epc.records.manifest import ModelIdentity
from epc.records.model_names import ASKED, EMBEDDED_EVALUATORS, GATEWAYS, PROVIDER_OF, routes
from epc.registry.platforms import (
    PLATFORMS,
    Kind,
    addressed,
    contradiction,
    is_gateway,
    kind_of,
    misplaced,
    platform_of,
)


def test_what_the_program_asks_by_name_is_known_by_that_name() -> None:
    """`openai-compatible` says nothing of who is asked, and a gateway is no platform."""
    named = {name for known_platform in PLATFORMS.values() for name in known_platform.providers}

    nobodys = {"openai-compatible", "openrouter", "openrouter-decisions", "systemone"}

    # Cloudflare serves its own models and forwards to others at one address.
    assert PROVIDERS.keys() - named == {*nobodys, "cloudflare-decisions"}


def test_whom_run_can_ask_is_what_the_engine_has() -> None:
    route_table = routes()
    asked = {
        platform: word
        for platform, words in ASKED.items()
        for word in reversed(words)
        if word in PROVIDERS and route_table[word][0] == platform
    }
    local = {name for name, embedded in LOCAL_MODELS.items() if "evaluator" in embedded.description}

    assert asked.pop("self-hosted")  # a server of one's own has no generation by its name
    assert asked == PROVIDER_OF
    assert local == EMBEDDED_EVALUATORS


def model(name: str, endpoint: str, gateway: str | None = None) -> ModelIdentity:
    return ModelIdentity(model=name, version=None, endpoint=endpoint, gateway=gateway, details={})


@pytest.mark.parametrize(
    ("name", "endpoint", "kind"),
    [
        ("local/smollm2-135m", "embedded", "direct"),
        ("mock/coin-flip", "mock", "direct"),
        ("openai/gpt-4o", "https://api.openai.com/v1", "direct"),
        ("openai/gpt-4o", "https://eu.api.openai.com/v1", "direct"),
        ("openai/gpt-4o", "https://API.OPENAI.COM./v1", "direct"),
        ("openai/gpt-4o", "https://openrouter.ai/api/v1", "gateway"),
        ("openai/gpt-4o", "https://eu.openrouter.ai/api/v1", "gateway"),
        ("openai/gpt-4o", "https://evil-api.openai.com.example/v1", "unknown"),
        ("openai/gpt-4o", "https://evilapi.openai.com/v1", "unknown"),
        ("openai/gpt-4o", "https://api.openai.com@evil.example/v1", "unknown"),
        ("openai/gpt-4o", "not an address", "unknown"),
        ("openai/gpt-4o", "https://[broken", "unknown"),
        ("openrouter/openai/gpt-4o", "https://my.proxy.example/v1", "gateway"),
        ("inspect/openrouter/x", "https://x.example", "gateway"),
        ("inspect/anthropic/claude", "https://api.anthropic.com", "direct"),
        ("ollama/llama3", "http://10.0.0.7:11434/v1", "direct"),
        ("openai-compatible/x", "http://127.0.0.1:4000/v1", "direct"),
        ("openai-compatible/x", "https://llm.example.org/v1", "unknown"),
        ("openai/gpt-4o", "http://127.0.0.1:4000/v1", "unknown"),
        ("openai/gpt-4o", "http://api.openai.com/v1", "unknown"),
        ("openai/gpt-4o", "embedded", "unknown"),
        ("openai/gpt-4o", "file", "unknown"),
        ("recorded:verdicts.csv", "file", "direct"),
        ("inspect/mistral/mistral-large", "inspect:mistral", "direct"),
        ("bedrock/x", "https://bedrock-runtime.us-east-1.amazonaws.com", "direct"),
        ("bedrock/x", "https://ec2-1-2-3-4.compute.amazonaws.com", "unknown"),
    ],
)
def test_epc_5_3_2_the_kind_of_an_endpoint(name: str, endpoint: str, kind: Kind) -> None:
    assert kind_of(model(name, endpoint)) == kind


def test_epc_5_3_2_a_gateway_that_the_record_names_outweighs_the_address() -> None:
    assert kind_of(model("openai/gpt-4o", "https://api.openai.com/v1", "somebody")) == "gateway"


def test_every_gateway_that_models_can_be_asked_through_is_known() -> None:
    for provider in PROVIDERS.values():
        if provider.gateway:
            assert provider.name in GATEWAYS
            assert is_gateway(provider.base_url or "")


@pytest.mark.parametrize("provider", PROVIDERS.values(), ids=lambda p: p.name)
def test_every_provider_s_own_address_is_known_as_its_own(provider: Provider) -> None:
    address = provider.address({"AWS_REGION": "eu-west-1"})
    if address and not provider.gateway and urlsplit(address).scheme == "https":
        (platform,) = addressed(address) or {""}
        assert provider.name in PLATFORMS[platform].providers


@pytest.mark.parametrize(
    ("name", "endpoint", "platform"),
    [
        ("openai/gpt-4o", "https://api.openai.com/v1", "openai"),
        ("openai-compatible/x", "https://me.openai.azure.com/openai/v1", "azure-openai"),
        (
            "dashscope/qwen-plus",
            "https://dashscope.aliyuncs.com/compatible-mode/v1",
            "alibaba-model-studio",
        ),
        ("google/gemini-2.5", "https://generativelanguage.googleapis.com", "google-gemini-api"),
        ("google/gemini-2.5", "https://us-east1-aiplatform.googleapis.com", "google-vertex"),
        ("ollama/llama3", "http://127.0.0.1:11434/v1", "self-hosted"),
        ("ollama/llama3", "https://gpu.example.org/v1", "self-hosted"),
        ("openai-compatible/x", "http://192.168.0.9/v1", "self-hosted"),
        ("openai-compatible/x", "http://gpu-box:8000/v1", "self-hosted"),
        ("openai-compatible/x", "http://box.local/v1", "self-hosted"),
        ("openai-compatible/x", "https://llm.example.org/v1", None),
        ("local/smollm2-135m", "embedded", "local"),
        ("mock/coin-flip", "mock", "mock"),
        ("recorded:verdicts.csv", "file", None),
    ],
)
def test_the_platform_follows_from_name_and_address(
    name: str, endpoint: str, platform: str | None
) -> None:
    assert platform_of(model(name, endpoint)) == platform
    assert contradiction(model(name, endpoint)) == ""


OWN_SERVERS = [
    "http://127.0.0.1:9/v1",
    "http://127.8.7.6/v1",
    "http://[::1]:9/v1",
    "http://[::ffff:127.0.0.1]/v1",
    "http://0.0.0.0:9/v1",
    "http://localhost:9/v1",
    "http://LOCALHOST./v1",
    "http://api.openai.com.localhost/v1",
    "http://10.1.2.3/v1",
    "http://169.254.1.1/v1",
    "http://2130706433/v1",
    "http://host.docker.internal/v1",
]


@pytest.mark.parametrize("endpoint", OWN_SERVERS)
def test_a_server_of_ones_own_stands_for_no_maker_s_platform(endpoint: str) -> None:
    assert "is self-hosted, and openai/gpt-4o" in contradiction(model("openai/gpt-4o", endpoint))
    assert contradiction(model("openrouter/openai/gpt-4o", endpoint, "openrouter"))
    for name in ("ollama/gpt-4o", "openai-compatible/gpt-4o"):
        assert misplaced(model(name, endpoint), "openai") == (
            f"says openai, {name} was asked on self-hosted"
        )
        assert misplaced(model(name, endpoint), "self-hosted") == ""
