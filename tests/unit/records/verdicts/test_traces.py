"""Traces of judges as verdicts, by the examples of eight programs' exports."""

import json
from pathlib import Path

import pytest
from msgspec import UNSET

from epc.records.verdicts.converting import Request
from epc.records.verdicts.shapes import convert
from epc.records.verdicts.traces import SHAPES

FOLDER = Path(__file__).parents[3] / "acceptance" / "tools" / "traces"
EXPORTS = sorted(
    path.relative_to(FOLDER).as_posix()
    for path in FOLDER.glob("*/*")
    if path.name != "expected.json"
)


@pytest.mark.parametrize("export", EXPORTS)
def test_the_scores_of_judges_are_verdicts_and_what_is_none_is_counted(export: str) -> None:
    expected = json.loads((FOLDER / export).with_name("expected.json").read_text())

    shape = export.partition("/")[0].partition("-")[0]
    done = convert(shape, FOLDER / export, Request(constants=expected["set"]))

    assert done.header is not None
    found = []
    for row in done.rows:
        judge = done.header.settings[row.setting].judge
        score = row.verdict if row.a_score is UNSET else round(row.a_score, 9)
        optional = (row.date, row.a_by, row.repeat)
        told = [None if value is UNSET else value for value in optional]
        found.append([row.subset, judge.name, judge.model, score, *told])
    assert found == expected["verdicts"]
    assert (done.header.left_out or {}) == expected["left_out"]
    assert {
        fault.id
        for fault in SHAPES[export.split("/", maxsplit=1)[0].split("-", maxsplit=1)[0]].faults
    }
