"""Issue 22: `epc expiry` on names that people type, one true sentence each.

What is expected was read in the sources that the records name, on the project's day.
"""

import re
from functools import cache
from pathlib import Path

import pytest
from names_support import SPELT, TYPED, UNDATED
from program_support import as_text, run_program
from registry_support import ROOT, day

from epc.answers.service import states as states_of
from epc.registry.reading import of_folder
from epc.registry.registry import Registry
from epc.registry.scan.scan import Vocabulary

AS_OF = day("2026-11-23")


@cache
def published() -> Registry:
    return of_folder(ROOT)


@pytest.mark.parametrize(("typed", "platform", "words", "said"), TYPED)
def test_a_name_that_people_type_gets_the_answer_that_its_sources_give(
    typed: str, platform: str | None, words: str, said: str
) -> None:
    states = {state.platform: state for state in states_of(published(), typed, AS_OF)}

    assert states[platform].status_text.startswith(words)
    assert said in states[platform].note


def test_no_real_name_is_missing() -> None:
    assert len(TYPED) >= 40
    for typed, *_ in TYPED:
        for state in states_of(published(), typed, AS_OF):
            assert "not in this registry" not in state.note, typed


@pytest.mark.parametrize(
    ("typed", "platforms"),
    [
        ("google/gemini-2.5-pro", ["google-gemini-api", "google-vertex"]),
        ("bedrock/anthropic.claude-3-5-sonnet-20240620-v1:0", ["aws-bedrock"]),
        ("dashscope/qwen3-max", ["alibaba-model-studio"]),
        ("grok/grok-4", ["xai"]),
        ("amazon.nova-pro-v1:0", ["aws-bedrock"]),
    ],
)
def test_a_model_is_known_by_the_name_under_which_the_program_asks_it(
    typed: str, platforms: list[str]
) -> None:
    expiries = states_of(published(), typed, AS_OF)

    assert [state.platform for state in expiries] == platforms


@pytest.mark.parametrize(("typed", "hint"), [("gtp-4o", "gpt-4o"), ("gpt-6", "gpt-6-sol")])
def test_a_name_that_nobody_serves_is_unknown_and_says_what_may_be_meant(
    typed: str, hint: str
) -> None:
    (state,) = states_of(published(), typed, AS_OF)

    assert state.status == "unknown"
    assert hint in state.note


@pytest.mark.parametrize("spelt", ["text-bison@001", "us.anthropic.claude-haiku-4-5-20251001-v1:0"])
def test_reading_r53_a_platforms_own_spelling_needs_no_other_word_of_the_maker(spelt: str) -> None:
    """The maker has a record of the model under its own name: what is typed means one platform."""
    (state,) = states_of(published(), spelt, AS_OF)

    assert state.platform


def test_no_dated_name_lacks_the_end_that_is_stated_of_the_undated_one() -> None:
    """A platform that names an end of `gpt-5.1` ends its version `gpt-5.1-2025-11-13`."""
    served = published().served
    lacking = [
        (platform, model)
        for (platform, model), life in served.items()
        if life.retires is None and not (life.points_to or life.is_listed)
        for undated in [re.sub(r"[-@]\d{4}(-?\d\d-?\d\d)?\Z", "", model)]
        if undated != model and (named := served.get((platform, undated))) and named.retires
    ]

    assert lacking == []
    for pinned, replacement in (("gpt-5.4-nano-2026-03-17", "luna"), ("gpt-5.1-2025-11-13", "sol")):
        (state,) = states_of(published(), f"openai/{pinned}", AS_OF)
        assert (state.status, str(state.until)) == ("current", "2027-04-01")
        assert f"on 2027-04-01 and to name gpt-6-{replacement} instead, as seen on" in state.note


@pytest.mark.parametrize(("spelt", "platform", "model", "through"), SPELT)
def test_reading_r53_a_model_gets_its_own_days_however_it_is_spelt(
    spelt: str, platform: str, model: str, through: str | None
) -> None:
    """`through` is None where a name says no platform, and others answer for it as well."""
    states = {state.platform: state for state in states_of(published(), spelt, AS_OF)}
    expected = published().of_life("", published().served[platform, model], AS_OF)

    assert (states[platform].status, states[platform].until) == (expected.status, expected.until)
    assert through is None or list(states) == [platform]
    assert states[platform].note.endswith(f"; asked through {through}") is bool(through)


@pytest.mark.parametrize(("spelt", "said", "more"), UNDATED)
def test_reading_r53_a_name_without_a_day_is_unknown_and_says_what_is_known(
    spelt: str, said: str, more: str
) -> None:
    (state,) = states_of(published(), spelt, AS_OF)

    assert (state.status, state.until) == ("unknown", None)
    assert state.note.startswith(said)
    assert more in str(state.note)


def test_a_file_that_spells_a_model_so_never_has_no_names() -> None:
    vocabulary = Vocabulary.from_registry(published())
    spellings = [*(name for name, *_ in SPELT), *(name for name, *_ in UNDATED)]
    spellings.remove("claude-opus-4-1[1m]")  # a bracket ends a word

    for spelt in spellings:
        assert [mention.name for mention in vocabulary.mentions(f"judge = '{spelt}'\n")] == [spelt]
    assert len(spellings) > 80


# Ids of LiteLLM's table, whole, and the generation that each means.
HOSTED = [
    ("fireworks_ai/accounts/fireworks/models/glm-5p1", "GLM-5.1"),
    ("fireworks_ai/kimi-k2p6", "kimi-k2.6"),
    ("azure/eu/gpt-4o-2024-08-06", "GPT4o-0806"),
    ("azure/global-standard/gpt-4o-mini", "gpt-4o-mini"),
    ("azure_ai/FW-GLM-5.1", "GLM-5.1"),
    ("bedrock/us-gov-west-1/amazon.nova-pro-v1:0", "nova-pro"),
    ("bedrock/ap-northeast-1/6-month-commitment/anthropic.claude-v2:1", "claude-2.1"),
    ("bedrock/*/1-month-commitment/cohere.command-text-v14", "command-text"),
    ("bedrock/claude_platform/claude-opus-5", "claude-opus-5"),
    ("in.moonshotai.kimi-k3", "kimi-k3"),
    ("vertex_ai/zai-org/glm-5.2-maas", "GLM-5.2"),
    ("databricks/databricks-claude-opus-4-5", "claude-opus-4-5"),
    ("databricks/system.ai.kimi-k3", "kimi-k3"),
    ("gmi/deepseek-ai/DeepSeek-V3.2", "deepseek-v3.2"),
    ("gradient_ai/openai-gpt-4o", "gpt-4o"),
    ("cloudflare/@cf/moonshotai/kimi-k2.6", "kimi-k2.6"),
    ("openai/decisions/gpt-6-luna", "gpt-6-luna"),
    # What a host makes of a model, or a faster way to it, is not that model.
    ("fireworks_ai/glm-5p2-fast", "GLM-5.2-Fast"),
    ("deepinfra/openai/gpt-oss-120b-Turbo", "gpt-oss-120b-Turbo"),
    ("fireworks_ai/accounts/fireworks/models/qwen2p5-coder-7b", "Qwen2.5-Coder-7B"),
    ("nebius/Qwen/Qwen2.5-Coder-7B", "Qwen2.5-Coder-7B"),
    (
        "fireworks_ai/accounts/fireworks/models/qwen2p5-coder-7b-instruct",
        "Qwen2.5-Coder-7B-Instruct",
    ),
]


@pytest.mark.parametrize(("spelt", "generation"), HOSTED)
def test_what_a_host_or_a_cloud_puts_round_a_name_is_taken_off(spelt: str, generation: str) -> None:
    meaning = published().names.meaning(spelt)

    assert {known.name for known, _ in (*meaning.matches, *meaning.elsewhere)} == {generation}


@pytest.mark.parametrize(
    "spelt",
    ["empiriolabs/qwen3-7-max:variant1", "gmi/zai-org/GLM-5.2-FP8", "coralbricks/glm-5.3-fp4"],
)
def test_a_hosts_build_of_a_known_model_is_not_taken_for_it(spelt: str) -> None:
    (state,) = states_of(published(), spelt, AS_OF)

    assert (state.status, "not in this registry" in state.note) == ("unknown", True)


def test_names_of_judges_in_papers_mean_their_weights() -> None:
    for name in ("Con-J", "RISE-7B", "OffsetBias", "URM", "Skywork-Reward-V2-Qwen3-8B"):
        (state,) = states_of(published(), name, AS_OF)
        assert (state.platform, state.status) == ("open-weights", "current"), name


def test_from_any_folder_the_program_reads_the_registry_that_it_runs_from(tmp_path: Path) -> None:
    for arguments in (("expiry", "gpt-4-0613"), ("which", "--domain", "math")):
        result = as_text(run_program(*arguments, "--as-of", "2026-11-23", cwd=ROOT))
        remote_result = as_text(run_program(*arguments, "--as-of", "2026-11-23", cwd=tmp_path))

        assert (remote_result.stdout, remote_result.stderr) == (result.stdout, result.stderr)
        assert "gpt" in remote_result.stdout


@pytest.mark.parametrize("command", ["expiry", "evaluators succeed", "evaluators card"])
def test_reading_r104_on_a_past_day_no_model_is_named_that_came_later(command: str) -> None:
    """OpenAI names gpt-5.6-sol in place of gpt-4; nobody had a GPT-5 in 2022."""
    result = as_text(run_program(*command.split(), "gpt-4", "--as-of", "2022-01-01", cwd=ROOT))

    assert result.returncode == 0
    assert "no release day is stated" in result.stdout or command == "evaluators succeed"
    assert re.findall(r"gpt-5[\w.-]*|gpt-6[\w.-]*", result.stdout) == []


def test_reading_r104_which_judge_of_a_past_day_asks_none_that_came_later() -> None:
    result = as_text(run_program("which", "--as-of", "2022-01-01", cwd=ROOT))

    assert result.stdout.startswith("No judge that was tried fits")


@pytest.mark.parametrize(
    ("typed", "cure"),
    [
        # Snowflake was seen to have it on 18 August, so it is confirmed until 16 December.
        ("claude-sonnet-4-5", "snowflake-cortex/claude-sonnet-4-5 asks about one platform"),
        ("claude-3-5-sonnet", ""),  # no platform is known to serve any version of it
    ],
)
def test_reading_r104_a_failing_gate_names_a_platform_that_serves_the_model(
    typed: str, cure: str
) -> None:
    result = as_text(run_program("expiry", typed, "--as-of", "2026-12-15", cwd=ROOT))

    assert result.returncode == 1
    assert cure in result.stderr
    assert bool(result.stderr.strip()) == bool(cure)


def test_reading_r104_the_list_of_a_past_day_has_no_model_that_came_later() -> None:
    """Models of March 2026 and October 2025; verdicts of gpt-4 are of 12 October 2023."""
    early, late = (
        as_text(run_program("evaluators", "list", "--as-of", on, cwd=ROOT)).stdout
        for on in ("2023-10-12", "2026-11-28")
    )

    for name in ("gpt-5.4-mini", "gpt-5.4-nano", "claude-haiku-4-5-20251001"):
        assert name not in early
        assert name in late
    assert "openai/gpt-4 " in early
