"""What `epc models list` says that a provider needs, and what is proposed for a name."""

import re
from typing import Any

import pytest

from epc.engine.catalog import _known_provider, open_judge, open_model
from epc.engine.providers import Provider
from epc.errors import UsageError

BEDROCK = "bedrock/amazon.nova-pro-v1:0"


def provider(**changed: Any) -> Provider:
    return Provider(**{"name": "p", "base_url": "https://p.example/v1", **changed})


@pytest.mark.parametrize(
    ("of", "environment", "needs"),
    [
        (provider(), {}, "P_API_KEY"),
        (provider(), {"P_API_KEY": "k"}, None),
        (provider(needs_key=False), {}, None),
        (provider(base_url=None), {"P_API_KEY": "k"}, "P_BASE_URL"),
        (provider(base_url=None), {"P_BASE_URL": "http://h", "P_API_KEY": "k"}, None),
        (provider(base_url=None), {"P_BASE_URL": "http://h"}, "P_API_KEY"),
    ],
)
def test_a_provider_needs_an_address_and_then_a_key(
    of: Any, environment: dict[str, str], needs: str | None
) -> None:
    assert _known_provider(of, environment).needs == needs


def test_a_gateway_and_an_address_of_ones_own_are_said() -> None:
    gateway = _known_provider(provider(gateway=True), {})
    own_model_entry = _known_provider(provider(base_url=None), {})

    assert gateway.description == "chat completions at https://p.example/v1 (a gateway)"
    assert (own_model_entry.name, own_model_entry.description) == (
        "p/MODEL",
        "chat completions at the address in P_BASE_URL",
    )


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("gpt-4o", "openai/gpt-4o"),
        ("claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"),
        ("grok-4", "xai/grok-4"),
        ("openai:chat:gpt-4o", "openai/gpt-4o"),
        ("openai:/gpt-5-mini", "openai/gpt-5-mini"),
        ("models/gemini-2.5-pro", "google/gemini-2.5-pro"),
        ("mistralai/mistral-large-2411", "mistral/mistral-large-2411"),
        ("azure_ai/gpt-4o", "azure/gpt-4o"),
        ("ollama:llama3.3:8b", "ollama/llama3.3:8b"),
        ("openrouter:openai/gpt-4o", "openrouter/openai/gpt-4o"),
        ("us.anthropic.claude-v2:1", "bedrock/us.anthropic.claude-v2:1"),
        ("arn:aws:bedrock:us-east-1::foundation-model/amazon.nova-pro-v1:0", BEDROCK),
    ],
)
def test_a_name_that_other_programs_write_is_proposed_as_we_name_it(
    written: str, name: str
) -> None:
    with pytest.raises(UsageError, match=f"did you mean {re.escape(name)}\\?"):
        open_model(written)


@pytest.mark.parametrize("written", ["vertex_ai/gemini-2.5-pro", "foo/bar", "a-model"])
def test_nothing_is_proposed_for_what_we_cannot_ask(written: str) -> None:
    with pytest.raises(UsageError) as error:
        open_model(written)

    assert "did you mean" not in str(error.value)


@pytest.mark.parametrize(
    ("written", "service"),
    [
        ("vertex/gemini-2.5-pro", "vertex"),
        ("vertex_ai/gemini-2.5-pro", "vertex_ai"),
        ("google/vertex/gemini-2.5-pro", "google/vertex"),
        ("anthropic/vertex/claude-sonnet-4-5", "anthropic/vertex"),
        ("together/meta/llama", "together"),
    ],
)
def test_a_service_that_is_no_provider_says_how_it_is_reached(written: str, service: str) -> None:
    with pytest.raises(UsageError) as error:
        open_model(written)

    assert str(error.value) == (
        f"{written!r}: {service} is no provider here: run a LiteLLM proxy, set "
        "OPENAI_COMPATIBLE_BASE_URL to it, and name openai-compatible/MODEL, MODEL as the proxy "
        "calls it"
    )


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("inspect/anthropic/claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"),
        ("inspect/mistral/mistral-large", "mistral/mistral-large"),
        ("anthropic/bedrock/claude-sonnet-4-5", "bedrock/claude-sonnet-4-5"),
    ],
)
def test_a_name_of_inspect_s_is_proposed_as_we_name_it(written: str, name: str) -> None:
    with pytest.raises(UsageError, match=f"did you mean {re.escape(name)}\\?"):
        open_model(written)


@pytest.mark.parametrize("named", ["mock/deterministic", "local/word-count"])
def test_what_runs_here_is_no_service_elsewhere(named: str) -> None:
    assert open_model(named).identity.model == named


@pytest.mark.parametrize(
    "named",
    [
        "balanced:mock/judge",
        "panel:mock/judge,mock/careless-judge,mock/deterministic",
        "recorded:there-is-no-such-file.csv",
        "local/word-count",
    ],
)
def test_what_only_compares_answers_writes_nothing_as_a_judge(named: str) -> None:
    with pytest.raises(UsageError) as error:
        open_judge(named)

    assert str(error.value) == f"{named} writes no text, so it cannot judge: name another --judge"


def test_a_judge_is_the_model_of_its_name() -> None:
    assert open_judge("mock/judge").identity == open_model("mock/judge").identity
