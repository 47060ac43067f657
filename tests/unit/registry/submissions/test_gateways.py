"""Whose address an evaluator was asked at (EPC-5.3, pitfall 2)."""

from urllib.parse import urlsplit

import pytest

from epc.engine.inspected import _GATEWAYS
from epc.engine.providers import NATIVE, PROVIDERS
from epc.registry.submissions.gateways import NAMES, OWN, Kind, host_of, is_gateway, kind_of


def model(name: str, endpoint: str, gateway: str | None = None) -> dict[str, str | None]:
    return {"model": name, "endpoint": endpoint, "gateway": gateway}


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
        ("openai-compatible/x", "http://127.0.0.1:4000/v1", "unknown"),
    ],
)
def test_epc_5_3_2_the_kind_of_an_endpoint(name: str, endpoint: str, kind: Kind) -> None:
    assert kind_of(model(name, endpoint)) == kind


def test_epc_5_3_2_a_gateway_that_the_record_names_outweighs_the_address() -> None:
    assert kind_of(model("openai/gpt-4o", "https://api.openai.com/v1", "somebody")) == "gateway"


def test_every_gateway_that_models_can_be_asked_through_is_known() -> None:
    assert set(_GATEWAYS) <= set(NAMES)
    for provider in PROVIDERS.values():
        if provider.gateway:
            assert provider.name in NAMES
            assert is_gateway(provider.base_url or "")


@pytest.mark.parametrize("provider", [*PROVIDERS.values(), *NATIVE.values()], ids=lambda p: p.name)
def test_every_provider_s_own_address_is_known_as_its_own(provider: object) -> None:
    name, address = (getattr(provider, key) for key in ("name", "base_url"))
    if address and not getattr(provider, "gateway") and urlsplit(address).scheme == "https":  # noqa: B009  (both kinds of provider have one, `object` has not)
        assert host_of(address) in OWN[name]
