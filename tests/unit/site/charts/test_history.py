"""Evaluators through time: how much of it is shown, where directions stand, what happened."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from records_support import vega_lite
from registry_support import Checkout, generation_record, life_record, stated

from epc.simulation.training import Band
from epc.site.charts import charts_of_evaluator
from epc.site.charts.history import Metric, _days, _span, directions, timeline
from epc.site.collecting import collect
from epc.site.pages import EvaluatorPage, Site

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


READ = "substantial, within coin-flip range"


def site(folder: Path, *, record: Any = None) -> Site:
    made = Checkout(folder)
    if record:
        made.evaluator(record)
    made.publish("v1.0-Judge-1")
    made.publish("v1.1-Judge-1", measured={"from": "2026-02-01", "to": "2026-02-11"})
    return collect(folder, as_of=date(2026, 4, 1), address="")


def judge(found: Site) -> EvaluatorPage:
    return next(page for page in found.evaluators if page.name == "Judge-1")


def scales(specification: object) -> list[list[str]]:
    """Return the directions that each scale of a picture names."""
    if isinstance(specification, list):
        return [found for each in specification for found in scales(each)]
    if not isinstance(specification, dict):
        return []
    own = specification.get("scale", {}).get("domain", [])
    return ([own] if own else []) + scales(list(specification.values()))


def test_a_history_names_no_direction_without_figures(tmp_path: Path) -> None:
    # Judge-1's figures were reported in one direction.
    (chart,) = charts_of_evaluator(judge(site(tmp_path)), {})

    assert {row["direction"] for row in chart.rows if "direction" in row} == {"text to visual"}
    named = scales(chart.specification)
    assert named
    assert all(each == ["text to visual"] for each in named)


def test_a_history_holds_figures_lifecycle_events_and_expiry(tmp_path: Path) -> None:
    life = life_record(released=stated("2025-03-01"), retires=stated("2026-12-01"))
    record = generation_record("Judge-1", life)

    (chart,) = charts_of_evaluator(judge(site(tmp_path, record=record)), {})

    assert chart.name == "gamma-history"
    assert list(vega_lite().iter_errors(chart.specification)) == []
    figures = [row for row in chart.rows if "snapshot" in row]
    assert [(r["snapshot"], r["day"], r["mean"]) for r in figures] == [
        ("v1.0-Judge-1", "2026-01-01", 1.1),
        ("v1.1-Judge-1", "2026-02-06", 1.1),
    ]
    events = {(row["day"], row["what"], row["of"]) for row in chart.rows if "what" in row}
    assert events == {
        ("2025-03-01", "released", "maker"),
        ("2026-12-01", "retires", "maker"),
        ("2026-02-01", "published", "v1.0-Judge-1"),
        ("2026-02-01", "published", "v1.1-Judge-1"),
        ("2026-06-30", "expires", "v1.0-Judge-1"),
        ("2026-07-31", "expires", "v1.1-Judge-1"),
    }
    assert (
        f"gamma in 2 snapshots; newest, 2026-02-06: text to visual 1.100, {READ}."
        in chart.alternative
    )
    assert "v1.0-Judge-1 expires 2026-06-30" in chart.alternative
    assert "maker retires 2026-12-01" in chart.alternative


def test_where_nothing_was_published_there_is_no_picture(tmp_path: Path) -> None:
    Checkout(tmp_path).tell({"date": "2026-01-01", "event": "published", "tag": "x"})
    (tmp_path / "snapshots" / "events.jsonl").write_text("")

    found = collect(tmp_path, as_of=date(2026, 4, 1), address="")

    assert charts_of_evaluator(judge(found), {}) == []
