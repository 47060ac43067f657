"""Logs of Inspect AI as verdicts (Reading R77)."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from observed_sources_support import write

from epc.records.observed.converting import Conversion, Request
from epc.records.observed.inspect import convert

REQUEST = {"role": "user", "content": "grade this"}
ANSWER = {"role": "assistant", "content": "C", "model": "grader-0613"}


def score(value: Any, **more: Any) -> dict[str, Any]:
    graded = {"metadata": {"grading": [REQUEST, ANSWER]}, "answer": "submitted"}
    return {"value": value, **graded, **more}


def log(scores: dict[str, Any], *, sample: str = "1", **more: Any) -> dict[str, Any]:
    about = {"task": "qa", "model": "p/m", "created": "2026-07-02T10:00:00"}
    one = {"id": sample, "epoch": 1, "input": "q", "scores": scores, **more}
    return {"version": 2, "eval": about, "samples": [one]}


def converted(folder: Path, *logs: dict[str, Any]) -> Conversion:
    return convert(write(folder, {f"{n}.json": each for n, each in enumerate(logs)}), Request())


def told(found: Conversion, *fields: str) -> list[tuple[Any, ...]]:
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
    found = converted(tmp_path, log({"s": score(value)}))

    assert told(found, "a_score", "verdict", "a_by", "date") == [
        (a_score, verdict, "p/m", "2026-07-02")
    ]


def test_reading_r77_the_answer_names_the_model_that_graded(tmp_path: Path) -> None:
    found = converted(tmp_path, log({"s": score("C")}))

    assert found.header is not None
    assert {name: each.judge.model for name, each in found.header.settings.items()} == {
        "s/grader-0613": "grader-0613"
    }


def test_reading_r77_what_no_model_graded_and_copies_are_left_out_and_counted(
    tmp_path: Path,
) -> None:
    scores = {
        "s": score("C"),
        "rule": {"value": 1},
        "empty": score("C", metadata={"grading": []}),
        "edited": score("C", history=[{"value": "I"}]),
    }
    found = converted(
        tmp_path, log(scores), log(scores), log(scores, sample="2", invalidation={"by": "me"})
    )

    assert len(found.rows) == 1
    assert found.header is not None
    assert sorted(found.header.left_out.values()) == [1, 1, 1, 2]


def test_reading_r77_a_log_of_another_version_is_refused(tmp_path: Path) -> None:
    found = converted(tmp_path, log({"s": score("C")}) | {"version": 1})

    assert found.header is None
