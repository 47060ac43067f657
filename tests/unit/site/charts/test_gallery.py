"""The rows of a picture, as a file."""

import json
from typing import Any

from epc.site.charts.gallery import _columns
from epc.site.numbers import csv_text


def test_csv_is_written_as_json_writes_numbers() -> None:
    rows: list[dict[str, Any]] = [{"a": 1e-05, "b": 0.1 + 0.2, "c": None}, {"a": 2, "d": 'x,"y"'}]

    text = csv_text(_columns(rows), rows)

    assert text == 'a,b,c,d\r\n1e-05,0.30000000000000004,,\r\n2,,,"x,""y"""\r\n'
    assert json.loads("0.30000000000000004") == 0.1 + 0.2
