"""The picture of an optimiser's run: its rows, where its line stands, and its words."""

from types import SimpleNamespace
from typing import Any

from records_support import vega_lite

from epc.report.charts.loop import loop_chart, runs_chart
from epc.statistics.figures import Figure


def figure(value: float, half: float | None = 0.125) -> Figure:
    return Figure(value=value, ci95=None if half is None else (value - half, value + half))


def run(calls: int = 1200, *, gold: Figure | None = None, judge: str = "j") -> Any:
    course = [
        SimpleNamespace(calls=100, believed=figure(0.0, None), candidate="seed"),
        SimpleNamespace(calls=300, believed=figure(0.5), candidate="c1"),
        SimpleNamespace(calls=900, believed=figure(0.75), candidate="c2"),
    ]
    return SimpleNamespace(
        course=course, final="c1", fresh=figure(0.25), gold=gold, believed=figure(0.5),
        calls=calls, judge=judge,
    )  # fmt: skip


def test_a_run_has_its_candidates_call_by_call_and_its_final_by_fresh_items_and_gold() -> None:
    chart = loop_chart(run(gold=figure(0.125)))

    keys = ("gain", "calls", "value", "low", "high", "candidate")
    assert [tuple(row[key] for key in keys) for row in chart.rows] == [
        ("believed", 100, 0.0, 0.0, 0.0, "seed"),
        ("believed", 300, 0.5, 0.375, 0.625, "c1, the final"),
        ("believed", 900, 0.75, 0.625, 0.875, "c2"),
        ("fresh", 300, 0.25, 0.125, 0.375, "c1, the final"),
        ("by gold", 300, 12.5, 0.0, 25.0, "c1, the final"),
    ]
    assert chart.alternative == (
        "A run of 1,200 metric calls under j. Gains of the final: believed +0.500 [+0.375, "
        "+0.625], fresh +0.250 [+0.125, +0.375], by gold +0.125 [+0.000, +0.250]."
    )
    judged, gold = chart.content["vconcat"]
    assert judged["layer"][0]["data"]["values"] == [{"zero": 0}]
    assert judged["layer"][1]["data"]["values"] == [{"end": 300}]
    assert judged["layer"][1]["mark"]["strokeDash"] == [4, 3]
    assert len(judged["layer"][2]["data"]["values"]) == 4
    assert gold["layer"][-1]["data"]["values"] == chart.rows[-1:]
    assert judged["layer"][2]["encoding"]["x"]["scale"]["domain"] == [0, 1200]
    assert [*vega_lite().iter_errors(chart.specification)] == []
    assert "the dashed line" in chart.note


def test_without_gold_there_is_one_panel_and_no_word_of_it() -> None:
    chart = loop_chart(run())

    assert len(chart.content["vconcat"]) == 1
    assert "by gold" not in chart.alternative
    assert {row["gain"] for row in chart.rows} == {"believed", "fresh"}


def test_of_several_runs_the_finals_stand_on_the_longest_scale_without_a_dashed_line() -> None:
    reports = [run(1200, gold=figure(0.5)), run(2500)]
    runs: Any = SimpleNamespace(reports=reports, runs=2, judge="j")

    chart = runs_chart(runs)

    assert [(row["gain"], row["calls"]) for row in chart.rows] == [
        *[("believed", 300)] * 2,
        *[("fresh", 300)] * 2,
        ("by gold", 300),
    ]
    assert all(row["candidate"] == "c1, the final" for row in chart.rows)
    assert chart.alternative.startswith("2 runs under j. Gains of the final: believed +0.500")
    assert chart.alternative.count("fresh") == 2
    layers = chart.content["vconcat"][0]["layer"]
    assert len(layers) == 3
    assert layers[1]["encoding"]["x"]["scale"]["domain"] == [0, 2500]
    assert "The final of each run" in chart.note
