"""Today's intervals of what was published under an earlier rule (Reading R102)."""

from typing import Any

from epc.registry.intervals import moved, restated


def document(ends: list[float] | None, other: list[float] | None) -> dict[str, Any]:
    figures = {"best/1": {"value": 0.5, "ci95": ends}, "ties": {"value": 0.1, "ci95": other}}
    return {"rule": 2, "groups": [{"figures": figures}]}


def test_reading_r102_figures_with_another_interval_are_named_and_others_are_not() -> None:
    published, today = document([0.2, 0.8], [0.0, 0.3]), document([0.25, 0.75], [0.0, 0.3 + 1e-13])

    assert dict(moved(published, today)) == {"/groups/0/figures/best~11": [0.25, 0.75]}
    assert dict(moved(document(None, None), today)) == {
        "/groups/0/figures/best~11": [0.25, 0.75],
        "/groups/0/figures/ties": [0.0, 0.3],
    }
    assert dict(moved(today, document(None, [0.0, 0.3]))) == {"/groups/0/figures/best~11": None}


def test_reading_r102_published_figures_are_stated_with_todays_intervals() -> None:
    published, today = document([0.2, 0.8], None), document([0.25, 0.75], [0.0, 0.3])

    assert restated(published, dict(moved(published, today))) == today
    assert published == document([0.2, 0.8], None)
