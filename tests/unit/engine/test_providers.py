"""The table of providers."""

from collections.abc import Callable

import pytest

from epc.engine.protocols import PROTOCOLS
from epc.engine.providers import PROVIDERS, Provider
from epc.errors import UsageError


def test_every_provider_can_be_told_to_reason_not_at_all_or_says_that_it_cannot() -> None:
    cannot = []
    for provider in PROVIDERS.values():
        assert provider.reasoning(None) == {}
        try:
            assert provider.reasoning("none")
        except UsageError:
            cannot.append(provider.name)
    decide = ["typesafe", "openai-decisions", "openrouter-decisions", "cloudflare-decisions"]
    write_nothing = {*decide, "ollaya", "systemone"}
    assert set(cannot) == {"lmstudio", "bedrock", *write_nothing}


def named(function: Callable[[Provider], bool]) -> set[str]:
    return {name for name, provider in PROVIDERS.items() if function(provider)}


def test_epc_5_3_gateways_forward_and_servers_of_one_s_own_take_no_key() -> None:
    assert named(lambda one: one.gateway) == {"openrouter", "openrouter-decisions"}
    assert named(lambda one: not one.needs_key) == {
        *("ollama", "vllm", "sglang", "llamacpp", "lmstudio", "openai-compatible", "ollaya"),
        "systemone",
    }
    assert named(lambda one: one.key_header is not None) == {"azure", "anthropic", "google"}
    assert named(lambda one: one.limit_field != "max_tokens") == {"openai", "azure", "xai"}
    assert named(lambda one: one.wire == "chat") >= {"openai", "azure", "vllm"}
    assert {PROVIDERS[name].wire for name in ("anthropic", "google", "bedrock")} == {
        *("messages", "generate_content", "converse"),
    }
    assert named(lambda one: one.wire not in PROTOCOLS) == named(lambda one: one.decides)
    assert named(lambda one: one.decides) == {
        *("typesafe", "openai-decisions", "openrouter-decisions", "cloudflare-decisions"),
        *("ollaya", "systemone"),
    }


def test_a_provider_s_variables_are_its_name_s_and_a_key_may_be_another_s() -> None:
    decisions, bedrock = PROVIDERS["openai-decisions"], PROVIDERS["bedrock"]

    assert decisions.key_variable == "OPENAI_API_KEY"
    assert decisions.price_variable == "OPENAI_DECISIONS_PRICE"
    assert decisions.base_variable == "OPENAI_DECISIONS_BASE_URL"
    assert bedrock.key_variable == "AWS_BEARER_TOKEN_BEDROCK"
    assert PROVIDERS["openai"].reasoning(None) == {}
    assert PROVIDERS["openai"].reasoning("low") == {"reasoning_effort": "low"}
    with pytest.raises(UsageError, match="use --body with the server's own setting"):
        PROVIDERS["lmstudio"].reasoning("low")
    with pytest.raises(UsageError, match="use --reasoning none, high"):
        PROVIDERS["dashscope"].reasoning("low")


@pytest.mark.parametrize(
    ("environment", "address"),
    [
        ({}, None),
        ({"AWS_REGION": "eu-west-1"}, "https://bedrock-runtime.eu-west-1.amazonaws.com"),
        (
            {"AWS_DEFAULT_REGION": "us-gov-west-1"},
            "https://bedrock-runtime.us-gov-west-1.amazonaws.com",
        ),
        ({"AWS_REGION": "evil.example/"}, None),
        ({"AWS_REGION": "eu-west-1", "BEDROCK_BASE_URL": "http://h:1"}, "http://h:1"),
    ],
)
def test_bedrock_is_in_the_region_of_the_account(
    environment: dict[str, str], address: str | None
) -> None:
    bedrock = PROVIDERS["bedrock"]

    assert bedrock.address(environment) == address
    assert bedrock.address_variable == "AWS_REGION"


def test_an_address_is_the_provider_s_own_or_where_its_variable_says() -> None:
    assert PROVIDERS["openai"].address({}) == "https://api.openai.com/v1"
    assert PROVIDERS["openai"].address({"OPENAI_BASE_URL": "http://h/v1"}) == "http://h/v1"
    assert PROVIDERS["azure"].address({}) is None
    assert PROVIDERS["azure"].address_variable == "AZURE_BASE_URL"
