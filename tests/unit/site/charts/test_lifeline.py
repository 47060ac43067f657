"""Tests of who serves a judge how long, as a line."""

from datetime import date
from types import SimpleNamespace
from typing import Any

from epc.site.charts.lifeline import lifelines

TODAY = date(2026, 11, 26)


def platform(start: date | None, status: str, **ends: date) -> Any:
    state = SimpleNamespace(status=status, until=None, not_before=None)
    return SimpleNamespace(
        record=SimpleNamespace(released=start and SimpleNamespace(date=start)),
        standing=SimpleNamespace(state=SimpleNamespace(**{**vars(state), **ends})),
    )


def test_a_lifeline_is_drawn_as_far_as_somebody_states_it() -> None:
    served = platform(date(2026, 3, 17), "current")
    promised = platform(None, "current", not_before=date(2027, 9, 21))
    ended = platform(date(2025, 1, 1), "expired", until=date(2026, 6, 1))
    scale = lifelines([served, promised, ended], TODAY)
    assert scale
    lines = [str(scale.line(each)) for each in (served, promised, ended)]

    assert "Released 2026-03-17; no end is stated." in lines[0]
    assert "Nobody states when it was released; served until 2027-09-21." in lines[1]
    assert "Released 2025-01-01; ended 2026-06-01." in lines[2]
    # From 1 January 2025 at 2% to 21 September 2027 at 98% are 993 days: 26 November 2026 is 694.
    today = f"{2 + 96 * 694 / 993:.1f}%"
    assert all(f'x1="{today}" x2="{today}"' in line for line in lines)
    assert f'class="epc-open" x1="{today}" x2="98.0%"' in lines[0]
    assert f'<line x1="{today}" x2="98.0%"' in lines[1], "promised"
    assert 'class="epc-served" x1="2.0%"' in lines[2]
    assert [line.count("epc-ended") for line in lines] == [0, 0, 1]
    assert "26 Nov 2026" in scale.scale()
    assert lifelines([platform(None, "unknown")], TODAY) is None
