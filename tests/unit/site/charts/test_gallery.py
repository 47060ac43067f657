"""The file with a page's pictures: their numbers and how they are drawn."""

from typing import Any

from epc.records.strict_json import dumps_line
from epc.report.charts.chart import Chart
from epc.site.charts.gallery import document


def test_numbers_of_a_picture_stand_by_column_with_every_digit() -> None:
    rows: list[dict[str, Any]] = [{"a": 1e-05, "b": 0.1 + 0.2, "c": None}, {"a": 2, "d": "x"}]
    chart = Chart(name="one", title="", note="", alternative="", content={}, rows=rows)

    text = dumps_line(document([chart])["one"]["numbers"])

    assert text == (
        '{"a":[1e-05,2],"b":[0.30000000000000004,null],"c":[null,null],"d":[null,"x"]}\n'
    )
