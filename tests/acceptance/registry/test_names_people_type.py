"""Issue 22: `epc expiry` on names that people type, one true sentence each.

What is expected was read in the sources that the records name, on the project's day.
"""

from functools import cache

import pytest
from registry_support import ROOT, day

from epc.registry.reading import of_folder
from epc.registry.registry import Registry

AS_OF = day("2026-11-23")

# What is typed, the platform that answers, its state, and a part of what is said.
TYPED = [
    # Judges of the sources with recorded verdicts.
    ("gpt-4-0314", "openai", "expired since 2026-03-26 (retired)", "replacement"),
    ("gpt-4-0613", "openai", "expired since 2026-10-23 (retired)", "replacement gpt-5.6-sol"),
    ("azure-foundry/gpt-4-0613", "azure-foundry", "expired since 2025-06-06 (retired)", ""),
    ("gpt-4", "openai", "expired since 2026-10-23 (retired)", "was an alias of gpt-4-0613"),
    (
        "gpt-3.5-turbo",
        "openai",
        "expired since 2026-10-23 (retired)",
        "alias of gpt-3.5-turbo-0125",
    ),
    ("gpt-3.5-turbo-0301", "openai", "expired since 2024-09-13 (retired)", ""),
    ("gpt-35-turbo-0613", "azure-foundry", "expired since 2025-02-13 (retired)", ""),
    ("gpt-4-1106-preview", "openai", "expired since 2026-10-23 (retired)", ""),
    ("gpt-4-turbo-2024-04-09", "openai", "expired since 2026-10-23 (retired)", ""),
    ("gpt-4o-2024-05-13", "openai", "expired since 2026-10-23 (retired)", ""),
    ("o1-mini-2024-09-12", "openai", "expired since 2025-10-27 (retired)", "replacement o4-mini"),
    ("text-bison-001", "google-gemini-api", "expired since 2024-08-15 (retired)", ""),
    ("text-bison@001", "google-vertex", "expired since 2025-04-09 (retired)", ""),
    ("gemini-1.5-pro-001", "google-vertex", "expired since 2025-05-24 (retired)", ""),
    ("claude-3-5-sonnet-20240620", "anthropic", "expired since 2025-10-28 (retired)", ""),
    ("anthropic.claude-3-5-sonnet-20240620-v1:0", "aws-bedrock", "expired since 2026-07-30", ""),
    ("claude-3-5-sonnet@20240620", "google-vertex", "expired since 2026-02-19 (retired)", ""),
    ("meta-llama/Llama-2-70b-chat-hf", "open-weights", "current", "no end is stated"),
    ("tiiuae/falcon-180B-chat", "open-weights", "current", "no end is stated"),
    ("WeOpenML/PandaLM-7B-v1", "open-weights", "current", "no end is stated"),
    ("GAIR/autoj-13b", "open-weights", "current", "no end is stated"),
    ("prometheus-7b-v2.0", "open-weights", "current", "no end is stated"),
    ("prometheus-eval/prometheus-8x7b-v2.0", "open-weights", "current", "no end is stated"),
    # What people use today.
    ("openai/gpt-4o-2024-08-06", "openai", "expiring until 2027-01-14 (retired)", "gpt-6-luna"),
    ("GPT-4o", "openai", "expiring until 2027-01-14 (retired)", "is an alias of gpt-4o-2024-08-06"),
    ("gpt-4o-mini", "openai", "expiring until 2027-01-14 (retired)", "gpt-4o-mini-2024-07-18"),
    ("gpt-5", "openai", "expiring until 2026-12-11 (retired)", "is an alias of gpt-5-2025-08-07"),
    ("gpt-5.6-sol", "openai", "current", "no end is stated"),
    ("gpt-6-sol", "openai", "current", "no end is stated"),
    ("gpt-oss-120b", "open-weights", "current", "no end is stated"),
    ("claude-opus-5-5", "anthropic", "current", "no end is stated"),
    ("claude-sonnet-5-5", "anthropic", "current", "no end is stated"),
    ("claude-sonnet-4-5", "anthropic", "expiring until 2026-11-30 (retired)", "claude-sonnet-5-5"),
    ("claude-haiku-4-5", "anthropic", "unknown", "until 2026-10-15 at the least"),
    ("us.anthropic.claude-haiku-4-5-20251001-v1:0", "aws-bedrock", "unconfirmed", "2026-07-02"),
    ("gemini-2.5-pro", "google-gemini-api", "expiring until 2026-12-01 (retired)", ""),
    ("grok-4.5", "xai", "current", "no end is stated"),
    ("grok-4", "xai", "expired since 2026-05-15 (retired)", "replacement grok-4.3"),
    ("mistral-large-3", "mistral", "current", "no end is stated"),
    ("mistral-large-2411", "mistral", "expired since 2026-05-31 (retired)", ""),
    ("llama-3.3-70b-versatile", "groq", "expired since 2026-08-16 (retired)", "gpt-oss-120b"),
    ("meta-llama/Llama-4-Scout-17B-16E-Instruct", "open-weights", "current", ""),
    ("kimi-k2.6", "moonshot", "current", "no end is stated"),
    ("glm-5.2", "zai", "current", "no end is stated"),
    ("qwen3-max", "alibaba-model-studio", "expired since 2026-10-11 (retired)", "it is said"),
    ("deepseek-chat", "deepseek", "expired since 2026-07-24 (retired)", "deepseek-v4-flash"),
]


@cache
def published() -> Registry:
    return of_folder(ROOT)


@pytest.mark.parametrize(("typed", "platform", "words", "said"), TYPED)
def test_a_name_that_people_type_gets_the_answer_that_its_sources_give(
    typed: str, platform: str, words: str, said: str
) -> None:
    found = {state.platform: state for state in published().expiry([typed], AS_OF)}

    assert found[platform].words.startswith(words)
    assert said in found[platform].note


@pytest.mark.parametrize(("typed", "hint"), [("gtp-4o", "gpt-4o"), ("gpt-6", "gpt-6-sol")])
def test_a_name_that_nobody_serves_is_unknown_and_says_what_may_be_meant(
    typed: str, hint: str
) -> None:
    (state,) = published().expiry([typed], AS_OF)

    assert state.status == "unknown"
    assert hint in state.note


@pytest.mark.parametrize("spelt", ["text-bison@001", "us.anthropic.claude-haiku-4-5-20251001-v1:0"])
def test_reading_r53_a_platforms_own_spelling_needs_no_other_word_of_the_maker(spelt: str) -> None:
    """The maker has a record of the model under its own name: what is typed means one platform."""
    (state,) = published().expiry([spelt], AS_OF)

    assert state.platform
