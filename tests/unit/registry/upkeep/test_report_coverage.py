"""Tests of which ids of LiteLLM's table have a state, and why the others have none."""

from functools import partial

import pytest
from registry_support import date_claim, day, generation_record, life_record

from epc.answers.service import states
from epc.registry.registry import Registry
from epc.registry.upkeep.report import (
    NAMELESS,
    NO_DAY,
    NO_ROUTE,
    NOTHING,
    VARIANT,
    coverage,
    judges,
    markdown,
    text,
    upkeep,
)

AS_OF = day("2026-11-26")
SEEN = {"source": "https://maker.example", "via": "read", "seen": "2026-11-20"}
LIVES = (
    life_record(checked=SEEN),
    life_record(platform="host", model="judge-2", retires=date_claim("2026-10-01")),
)
REGISTRY = Registry.from_document(
    {
        "evaluators": [
            generation_record("Judge-1", LIVES[0]),
            generation_record("Judge-2", LIVES[1]),
        ],
        "snapshots": [],
        "events": [],
        "policy": {"maximum_age_days": 180, "notice_days": 60, "confirmation_days": 120},
    }
)
STATES = partial(states, REGISTRY, day=AS_OF)
CHAT = {"mode": "chat"}


def test_what_hears_speaks_or_draws_judges_no_text() -> None:
    table = {
        "judge-1": CHAT,
        "sample_spec": CHAT,
        "gpt-4o-audio-preview": CHAT,
        "ft:gpt-4o": CHAT,
        "llama-guard-3-8b": CHAT,
        "old": {"mode": "completion"},
        "new": {"mode": "responses"},
        "picture": {"mode": "image_generation"},
        "vectors": {"mode": "embedding"},
    }

    assert judges(table) == ["judge-1", "old", "new"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("host/judge-1", NO_DAY),
        ("strange/folder/judge-1", NO_ROUTE),
        ("maker/judge-1-fp4", VARIANT),
        ("judge-1:fast", VARIANT),
        ("bedrock/arn:aws:bedrock:us-east-1:0:provisioned-model/abc", NAMELESS),
        ("maker/other-9", NOTHING),
    ],
)
def test_an_id_without_a_state_is_counted_under_its_reason(name: str, reason: str) -> None:
    actual_coverage = coverage(REGISTRY, {name: CHAT}, "table", STATES)

    assert actual_coverage.unknown == {reason: (name,)}
    assert actual_coverage.states == {}


def test_upkeep_says_how_many_ids_of_a_table_have_no_state_and_why() -> None:
    table = dict.fromkeys(["judge-1", "host/judge-2", "other-9", "maker/other-8"], CHAT)
    actual_coverage = coverage(REGISTRY, table, "litellm 9.9.9", STATES)
    printed_text = (
        "ids of litellm 9.9.9 that can judge text: 4; with a state: 2 (50.0%): current 1,"
        " expired 1; without: 2"
    )

    report = upkeep(REGISTRY, [], None, [], as_of=AS_OF, coverage=actual_coverage)

    assert printed_text in text(report)
    assert "  2 nothing is known by that name: other-9, maker/other-8" in text(report)
    # What nobody here can mend makes no task, and stands beside one.
    assert report.clean
    assert markdown(report) == ""
    assert report.as_json()["coverage"]["unknown"] == {NOTHING: ("other-9", "maker/other-8")}
