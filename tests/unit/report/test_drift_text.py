"""Tests of where a watched evaluator stands, in words: the last week, and what changed."""

from types import SimpleNamespace
from typing import Any

import pytest

from epc.report.drift_text import _count, _days, _pair


def standing(days: int) -> Any:
    return SimpleNamespace(
        days=[SimpleNamespace(day=f"day {n}", changed=n, answers="A" * 20) for n in range(days)]
    )


def test_the_last_seven_days_are_shown() -> None:
    lines = list(_days(standing(9)))

    assert lines[1:] == [f"  day {n}  {n} of 20" for n in range(2, 9)]
    assert list(_days(standing(0))) == []


@pytest.mark.parametrize(("length", "end"), [(48, ""), (49, "...")])
def test_a_task_is_cut_where_it_is_longer_than_48_characters(length: int, end: str) -> None:
    pair = {"domain": "text", "strategy": "s", "task": "t" * length, "before": "A", "raw": "B"}

    assert _pair(pair) == f"text, s, {'t' * 48}{end} was 'A', last 'B'"


def test_one_day_is_a_day_and_two_are_days() -> None:
    assert (_count(1, "day"), _count(2, "day")) == ("1 day", "2 days")
