"""What every picture is made of: colours, layers, and the values that hovering shows."""

from epc.report.charts.chart import colours, layer, listed, quantity, tooltip_fields

SIX = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]


def test_names_have_six_colours_before_they_come_again() -> None:
    names = list("abcdefg")

    assert colours(names) == {"domain": names, "range": [*SIX, SIX[0]]}


def test_hovering_shows_each_field_under_its_title() -> None:
    assert tooltip_fields(value="gamma", low="from") == [
        {"field": "value", "title": "gamma"},
        {"field": "low", "title": "from"},
    ]


def test_a_layer_has_rows_of_its_own_and_each_axis_its_scale_and_order() -> None:
    x, y = quantity("value", "gamma", domain=[0, 2]), listed("name", ["b", "a"], labelLimit=190)

    document = layer([{"value": 1}], {"type": "point"}, x=x, y=y)

    assert document["data"] == {"values": [{"value": 1}]}
    assert document["mark"] == {"type": "point"}
    assert document["encoding"] == {
        "x": {
            "field": "value",
            "type": "quantitative",
            "title": "gamma",
            "scale": {"domain": [0, 2]},
        },
        "y": {
            "field": "name",
            "type": "nominal",
            "sort": ["b", "a"],
            "axis": {"title": None, "labelLimit": 190},
        },
    }
