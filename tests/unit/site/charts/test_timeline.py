"""A picture through time: how much of it is shown, and where directions stand."""

from typing import Any

import pytest

from epc.simulation.noise import Band
from epc.site.charts.history import Metric, _days, _span, directions, timeline

METRIC = Metric(name="gamma", title="gamma", place="gamma", note="")


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        (["2026-03-11"], ["2026-03-01", "2026-03-21"]),
        (["2026-03-31", "2026-03-11"], ["2026-03-01", "2026-04-10"]),
        # 400 days: a twentieth is 20 to either side.
        (["2025-01-01", "2026-02-05"], ["2024-12-12", "2026-02-25"]),
        (["0001-01-03", "0001-01-03"], ["0001-01-01", "0001-01-13"]),
    ],
)
def test_there_is_some_air_around_what_happened(days: list[str], expected: list[str]) -> None:
    assert _span(days) == expected


@pytest.mark.parametrize(("last", "form"), [("2026-05-30", "%-d %b %Y"), ("2026-05-31", "%b %Y")])
def test_an_axis_names_days_below_150_of_them_and_months_from_there_on(
    last: str, form: str
) -> None:
    assert _days(["2026-01-01", last])["format"] == form


def row(direction: str) -> dict[str, Any]:
    day = {"day": "2026-03-11", "from": "2026-03-11", "to": "2026-03-11"}
    return {"direction": direction, "mean": 1.0, "low": 0.9, "high": 1.1, "snapshot": "v1", **day}


@pytest.mark.parametrize(
    ("titles", "expected"), [(["x"], [0]), (["x", "y"], [-2, 2]), (["x", "y", "z"], [-4, 0, 4])]
)
def test_directions_of_one_day_stand_side_by_side(titles: list[str], expected: list[int]) -> None:
    event = {"day": "2026-03-11", "what": "published", "of": "v1", "why": ""}

    picture = timeline(METRIC, [row(title) for title in titles], None, [event])

    layers = picture["vconcat"][0]["layer"]
    dots = [each["mark"] for each in layers if each["mark"].get("size") == 60]
    assert [mark["xOffset"] for mark in dots] == expected
    assert directions([row(title) for title in titles]) == titles


def test_a_band_of_noise_reaches_over_the_whole_time() -> None:
    event = {"day": "2026-03-21", "what": "published", "of": "v1", "why": ""}
    band = Band(mean=1.2, low=0.8, high=1.6)

    picture = timeline(METRIC, [row("x")], band, [event])

    drawn = [each["data"]["values"] for each in picture["vconcat"][0]["layer"]]
    assert drawn[0] == [{"day": "2026-03-01"}, {"day": "2026-03-31"}]
    assert drawn[1] == [{"from": "2026-03-01", "to": "2026-03-31", "low": 0.8, "high": 1.6}]
    assert drawn[2] == [{"mean": 1.2}]
