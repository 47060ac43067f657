"""The table of providers."""

from epc.engine.providers import PROVIDERS
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
