"""The table of providers."""

from collections.abc import Callable

import pytest

from epc.engine.providers import NATIVE, PROVIDERS, Provider
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
    assert set(cannot) == {"lmstudio", *decide, "ollaya", "systemone"}, "these write nothing"


def named(given: Callable[[Provider], bool]) -> set[str]:
    return {name for name, provider in (PROVIDERS | NATIVE).items() if given(provider)}


def test_epc_5_3_gateways_forward_and_servers_of_one_s_own_take_no_key() -> None:
    assert named(lambda one: one.gateway) == {"openrouter", "openrouter-decisions"}
    assert named(lambda one: not one.needs_key) == {
        *("ollama", "vllm", "sglang", "llamacpp", "lmstudio", "openai-compatible", "ollaya"),
        *("systemone", "bedrock"),
    }
    assert named(lambda one: one.bare_key) == {"azure"}
    assert named(lambda one: one.limit_field != "max_tokens") == {"openai", "azure", "xai"}
    assert named(lambda one: one.wire == "chat") >= {"openai", "anthropic", "vllm"}
    assert named(lambda one: one.wire != "chat") == {
        *("typesafe", "openai-decisions", "openrouter-decisions", "cloudflare-decisions"),
        *("ollaya", "systemone"),
    }


def test_a_provider_s_variables_are_its_name_s_and_a_key_may_be_another_s() -> None:
    decisions, bedrock = PROVIDERS["openai-decisions"], NATIVE["bedrock"]

    assert decisions.key_variable == decisions.key_holder == "OPENAI_API_KEY"
    assert decisions.price_variable == "OPENAI_DECISIONS_PRICE"
    assert decisions.base_variable == "OPENAI_DECISIONS_BASE_URL"
    assert bedrock.key_holder == "the Amazon account"
    assert PROVIDERS["openai"].reasoning(None) == {}
    assert PROVIDERS["openai"].reasoning("low") == {"reasoning_effort": "low"}
    with pytest.raises(UsageError, match="use --body with the server's own setting"):
        PROVIDERS["lmstudio"].reasoning("low")
    with pytest.raises(UsageError, match="use --reasoning none, high"):
        PROVIDERS["dashscope"].reasoning("low")
