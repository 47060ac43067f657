"""Logs of Inspect AI as verdicts (Reading R77)."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from observed_sources_support import write

from epc.records.verdicts.converting import Conversion, Request
from epc.records.verdicts.inspect import convert

REQUEST = {"role": "user", "content": "grade this"}
ANSWER = {"role": "assistant", "content": "C", "model": "grader-0613"}


def score(value: Any, **further_fields: Any) -> dict[str, Any]:
    graded = {"metadata": {"grading": [REQUEST, ANSWER]}, "answer": "submitted"}
    return {"value": value, **graded, **further_fields}


def log(scores: dict[str, Any], *, sample: str = "1", **further_fields: Any) -> dict[str, Any]:
    about = {"task": "qa", "model": "p/m", "created": "2026-07-02T10:00:00"}
    one = {"id": sample, "epoch": 1, "input": "q", "scores": scores, **further_fields}
    return {"version": 2, "eval": about, "samples": [one]}


def converted(folder: Path, *logs: dict[str, Any]) -> Conversion:
    return convert(write(folder, {f"{n}.json": log for n, log in enumerate(logs)}), Request())


def field_values(found: Conversion, *fields: str) -> list[tuple[Any, ...]]:
    rows = [msgspec.to_builtins(row) for row in found.rows]
    return [tuple(row.get(field) for field in fields) for row in rows]


@pytest.mark.parametrize(
    ("value", "a_score", "verdict"),
    [
        ("C", 1.0, None),
        ("P", 0.5, None),
        ("I", 0.0, None),
        (7, 7.0, None),
        (None, None, "unreadable"),
        ("", None, "unreadable"),
        ("c", 1.0, None),
        ("-0.5", -0.5, None),
        ("inf", None, "unreadable"),
        (True, 1.0, None),
    ],
)
def test_reading_r77_inspects_grades_are_scores(
    tmp_path: Path, value: Any, a_score: float | None, verdict: str | None
) -> None:
    conversion = converted(tmp_path, log({"s": score(value)}))

    assert field_values(conversion, "a_score", "verdict", "a_by", "date") == [
        (a_score, verdict, "p/m", "2026-07-02")
    ]
