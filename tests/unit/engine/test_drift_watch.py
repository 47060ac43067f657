"""Watching an evaluator day by day: which days the history has."""

from types import SimpleNamespace
from typing import Any

import pytest

from epc.engine.drift_watch import _has
from epc.errors import UsageError


def watching(*days: str) -> Any:
    history = SimpleNamespace(days=[SimpleNamespace(day=day) for day in days])
    return SimpleNamespace(standing=lambda: SimpleNamespace(history=history))


def test_only_its_last_day_can_be_today() -> None:
    history = watching("2026-07-01", "2026-07-03")

    assert _has(history, "2026-07-03")
    assert not _has(history, "2026-07-04")
    assert not _has(watching(), "2026-07-04")


@pytest.mark.parametrize("today", ["2026-07-02", "2026-07-01"])
def test_a_clock_before_the_end_of_the_history_is_refused(today: str) -> None:
    with pytest.raises(UsageError, match="the history ends on 2026-07-03"):
        _has(watching("2026-07-01", "2026-07-03"), today)
