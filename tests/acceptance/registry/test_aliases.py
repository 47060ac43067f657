"""What `epc expiry` says of the names that users type, in the published registry.

The days are those of the makers' pages, read by hand. OpenAI ends its GPT-5 snapshots of August
2025 on 2026-12-11, and those of GPT-4o and GPT-4.1 on 2027-01-14. Anthropic ends
claude-sonnet-4-5-20250929 on 2026-11-30, ended claude-opus-4-1-20250805 on 2026-08-05, and ends
claude-opus-4-5-20251101 not before 2026-11-24. The notice is of 60 days.
"""

import json
from typing import Any

import pytest
from program_support import run_program
from registry_support import ROOT

DAY = "2026-11-23"


def expiry(*arguments: str, as_of: str = DAY) -> tuple[int, list[dict[str, Any]]]:
    done = run_program("expiry", *arguments, "--as-of", as_of, "--format", "json", cwd=ROOT)
    return done.returncode, json.loads(done.stdout)


@pytest.mark.parametrize(
    ("name", "maker", "target", "status", "until"),
    [
        ("gpt-5", "openai", "gpt-5-2025-08-07", "expiring", "2026-12-11"),
        ("gpt-5-mini", "openai", "gpt-5-mini-2025-08-07", "expiring", "2026-12-11"),
        ("gpt-5-nano", "openai", "gpt-5-nano-2025-08-07", "expiring", "2026-12-11"),
        ("gpt-4o", "openai", "gpt-4o-2024-08-06", "expiring", "2027-01-14"),
        ("gpt-4o-mini", "openai", "gpt-4o-mini-2024-07-18", "expiring", "2027-01-14"),
        ("gpt-4.1", "openai", "gpt-4.1-2025-04-14", "expiring", "2027-01-14"),
        ("gpt-4.1-mini", "openai", "gpt-4.1-mini-2025-04-14", "expiring", "2027-01-14"),
        ("gpt-4.1-nano", "openai", "gpt-4.1-nano-2025-04-14", "expired", "2026-10-23"),
        ("o3", "openai", "o3-2025-04-16", "expiring", "2026-12-11"),
        ("o3-mini", "openai", "o3-mini-2025-01-31", "expired", "2026-10-23"),
        ("o4-mini", "openai", "o4-mini-2025-04-16", "expired", "2026-10-23"),
        ("gpt-4-turbo", "openai", "gpt-4-turbo-2024-04-09", "expired", "2026-10-23"),
        ("gpt-4", "openai", "gpt-4-0613", "expired", "2026-10-23"),
        ("gpt-3.5-turbo", "openai", "gpt-3.5-turbo-0125", "expired", "2026-10-23"),
        ("claude-sonnet-4-5", "anthropic", "claude-sonnet-4-5-20250929", "expiring", "2026-11-30"),
        ("claude-opus-4-5", "anthropic", "claude-opus-4-5-20251101", "current", None),
        ("claude-haiku-4-5", "anthropic", "claude-haiku-4-5-20251001", "current", None),
        ("claude-opus-4-1", "anthropic", "claude-opus-4-1-20250805", "expired", "2026-08-05"),
        (
            "claude-3-7-sonnet-latest",
            "anthropic",
            "claude-3-7-sonnet-20250219",
            "expired",
            "2026-02-19",
        ),
        (
            "claude-3-5-haiku-latest",
            "anthropic",
            "claude-3-5-haiku-20241022",
            "expired",
            "2026-02-19",
        ),
        ("deepseek-chat", "deepseek", "deepseek-v4-flash", "expired", "2026-07-24"),
    ],
)
def test_reading_r54_an_alias_is_a_record_and_ends_as_its_target_does(
    name: str, maker: str, target: str, status: str, until: str | None
) -> None:
    code, rows = expiry("--known", f"{maker}/{name}")

    (row,) = rows
    assert (row["platform"], row["alias_of"]["to"]) == (maker, target)
    assert (row["status"], row["until"]) == (status, until)
    verb = "meant" if status == "expired" else "means"
    assert f"{name} {verb} {target} (since " in row["note"]
    assert row["alias_of"]["source"].startswith("https://")
    assert code == (1 if status in {"expired", "unconfirmed"} else 0)


def test_a_bare_name_is_answered_by_its_maker_before_any_other_platform() -> None:
    """`gpt-5-mini` was "current" by Azure's record alone."""
    code, rows = expiry("--known", "gpt-5-mini")

    assert [(row["platform"], row["status"]) for row in rows] == [
        ("openai", "expiring"),
        ("azure-foundry", "current"),
        ("snowflake-cortex", "unknown"),
    ]
    assert code == 0
    assert expiry("--known", "gpt-5-mini", as_of="2026-12-11")[0] == 1


@pytest.mark.parametrize("flag", [[], ["--known"]])
def test_reading_r104_a_bare_name_that_its_maker_is_only_listed_with_is_unknown(
    flag: list[str],
) -> None:
    """A list has DeepSeek's own name without any day; lists of three platforms saw it."""
    code, (maker, other_record, *unsure) = expiry(*flag, "deepseek-v3")

    assert (maker["id"], maker["status"], maker["platform"]) == (
        *("deepseek-v3", "unknown", "deepseek"),
    )
    assert maker["note"] == "listed by litellm 1.110.2, no day"
    assert (other_record["platform"], other_record["status"]) == ("together", "current")
    assert [text["platform"] for text in unsure[:2]] == ["novita", "siliconflow"]
    assert code == (1 if flag else 0)


def test_a_name_with_its_platform_needs_no_record_of_its_maker() -> None:
    code, (row,) = expiry("--known", "azure-foundry/gpt-5.2")

    assert (code, row["status"]) == (0, "current")


def test_the_alias_gpt_4o_says_since_when_and_until_when_it_means_what() -> None:
    """OpenAI moved it on 2024-10-02."""
    _, (now, *_) = expiry("gpt-4o")
    _, (record, *_) = expiry("gpt-4o", as_of="2024-10-01")

    assert now["note"].startswith("gpt-4o means gpt-4o-2024-08-06 (since 2024-10-02); ")
    assert (now["alias_of"]["since"], now["alias_of"]["seen"]) == ("2024-10-02", "2026-09-30")
    assert record["alias_of"]["to"] == "gpt-4o-2024-05-13"
    assert (record["status"], record["until"]) == ("expiring", "2024-10-02")
    assert record["alias_of"]["since"] is None


def test_a_name_that_its_maker_gave_to_another_model_has_expired() -> None:
    """Google's changelog of 2026-10-08: requests for gemini-3.7-flash go to gemini-3.8-flash."""
    _, before = expiry("google-gemini-api/gemini-3.7-flash", as_of="2026-10-07")
    _, after = expiry("google-gemini-api/gemini-3.7-flash", as_of="2026-10-08")

    assert [row["status"] for row in before + after] == ["expiring", "expired"]
    assert "answers with gemini-3.8-flash from 2026-10-08" in after[0]["note"]


def test_a_model_whose_earliest_possible_end_has_passed_is_not_called_expired() -> None:
    """Microsoft's page calls 2026-11-15 the earliest possible day for Claude Haiku 4.5."""
    _, rows = expiry("azure-foundry/claude-haiku-4-5")

    assert [(row["status"], row["reason"]) for row in rows] == [("unconfirmed", None)]


@pytest.mark.parametrize("wrapper", ["balanced:{}", "panel:local/word-count,{},mock/coin-flip"])
def test_reading_r80_a_wrapper_ends_with_the_first_of_its_members(wrapper: str) -> None:
    """OpenAI ended gpt-4.1-nano-2025-04-14 on 2026-10-23, by its own page."""
    name = wrapper.format("openai/gpt-4.1-nano-2025-04-14")

    code, (state,) = expiry(name)

    assert (code, state["id"], state["status"], state["reason"]) == (1, name, "expired", "retired")
    assert state["until"] == "2026-10-23"
    assert expiry("panel:local/word-count,local/vader-sentiment,local/minilm-l6-relevance")[0] == 0
