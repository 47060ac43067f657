"""Figures below each other: a dot each, and the line of its interval where it has one."""

from records_support import vega_lite

from epc.report.charts.chart import Chart, dots, rows_of


def test_a_figure_s_row_has_both_ends_of_its_interval_or_none() -> None:
    assert rows_of([("gamma", 1.1, (0.9, 1.3)), ("ties", 0.2, None)]) == [
        {"figure": "gamma", "value": 1.1, "low": 0.9, "high": 1.3},
        {"figure": "ties", "value": 0.2, "low": None, "high": None},
    ]


def test_lines_to_read_by_come_first_then_intervals_then_dots() -> None:
    rows = rows_of([("gamma", 1.1, (0.9, 1.3)), ("ties", 0.2, None)])

    content = dots(rows, "value", guides=(0.5,), domain=[0, 2])

    marks, spread, dot = content["layer"]
    assert marks["data"]["values"] == [{"at": 0.5}]
    assert spread["data"]["values"] == rows[:1]
    assert dot["data"]["values"] == rows
    assert (spread["encoding"]["x"]["field"], spread["encoding"]["x2"]["field"]) == ("low", "high")
    for layer in content["layer"]:
        assert layer["encoding"]["x"]["scale"] == {"domain": [0, 2]}
    chart = Chart(name="n", title="t", note="n", alternative="a", content=content, rows=rows)
    assert list(vega_lite().iter_errors(chart.specification)) == []


def test_figures_without_intervals_are_dots_alone() -> None:
    content = dots(rows_of([("ties", 0.2, None)]), "value")

    assert [len(layer["data"]["values"]) for layer in content["layer"]] == [0, 1]


def test_a_name_of_two_lines_gets_twice_the_height() -> None:
    document = dots(rows_of([("a", 0.2, None), ("b", 0.3, None)]), "value")
    two_documents = dots(rows_of([("a\nmore", 0.2, None), ("b", 0.3, None)]), "value")

    assert two_documents["height"] == 2 * document["height"]
    assert document["height"] == 2 * dots(rows_of([("a", 0.2, None)]), "value")["height"]
