"""The rows of calls.jsonl that answers make."""

from datetime import UTC, datetime, timedelta, timezone
from types import SimpleNamespace
from typing import Any

import pytest

from epc.engine.model import Completion
from epc.engine.roles import answered_row, composed_row

NOW = datetime(2026, 7, 2, 14, 5, 6, 789, tzinfo=timezone(timedelta(hours=2)))


def question(method: str = "prompt") -> Any:
    model = SimpleNamespace(method=method, identity=SimpleNamespace(model="m/x"))
    return SimpleNamespace(role=SimpleNamespace(name="evaluator", model=model), text="Better?")


def test_an_answer_has_the_second_in_utc_and_what_was_told_of_it() -> None:
    done = Completion(text="A", tokens_in=7, tokens_out=1, retries=2, latency_s=0.5)

    row = answered_row("n", question(), done, "0/text/1", NOW)

    assert row["answered_at"] == "2026-07-02T12:05:06Z"
    assert (row["id"], row["role"], row["model"], row["prompt"]) == (
        *("n", "evaluator", "m/x", "Better?"),
    )
    assert (row["answer"], row["tokens_in"], row["tokens_out"], row["retries"]) == ("A", 7, 1, 2)
    assert (row["origin"], row["occasion"], row["latency_s"]) == ("asked", "0/text/1", 0.5)
    optional = {"reasoning", "reasoning_tokens", "limit_field", "reply", "headers"}
    assert not optional & row.keys()


def test_a_recorded_verdict_was_given_nobody_knows_when() -> None:
    row = answered_row("n", question("recorded"), Completion(text="A"), None, NOW)

    assert (row["answered_at"], row["origin"]) == (None, "recorded")


def test_reading_r79_reasoning_and_all_that_a_reply_holds_are_kept_as_far_as_json_can() -> None:
    done = Completion(
        text="A\ud800", reasoning="so", reasoning_tokens=3, limit_field="max_tokens",
        reply="{}", headers={"x": "y\ud800"},
    )  # fmt: skip

    row = answered_row("n", question(), done, None, NOW)

    assert (row["reasoning"], row["reasoning_tokens"], row["reply"]) == ("so", 3, "{}")
    assert row["limit_field"] == "max_tokens"
    row["answer"].encode()
    row["headers"]["x"].encode()
    assert answered_row("n", question(), Completion(text="A", reply=""), None, NOW)["reply"] == ""


def call(name: str, answer: str, at: str | None = "2026-07-02T12:00:00Z") -> Any:
    return SimpleNamespace(id=name, answer=answer, answered_at=at, finish_reason="stop")


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        (("2026-07-02T12:00:00Z", "2026-07-02T12:00:09Z"), "2026-07-02T12:00:09Z"),
        (("2026-07-02T12:00:00Z", None), None),
    ],
)
def test_reading_r80_a_wrapper_s_row_follows_from_its_members_calls(
    times: tuple[str | None, str | None], expected: str | None
) -> None:
    calls = [
        call(f"c{n}", letter, at) for n, (letter, at) in enumerate(zip("AB", times, strict=True))
    ]

    row = composed_row("n", question(), calls, answer="A\nbalanced", place=None)

    assert row["answer"] == "A\nbalanced"
    assert (row["answered_at"], row["votes"]) == (expected, ["c0", "c1"])
    assert (row["finish_reason"], row["retries"], row["origin"]) == ("stop", 0, "composed")
    calls[1].finish_reason = "length"
    repeated_document = composed_row("n", question(), calls, answer="A\nbalanced", place=None)
    assert repeated_document["finish_reason"] is None


def test_a_day_without_a_zone_of_its_own_is_utc() -> None:
    row = answered_row("n", question(), Completion(text="A"), None, NOW.astimezone(UTC))

    assert row["answered_at"] == "2026-07-02T12:05:06Z"
