"""JudgeBench's outputs as verdicts (Reading R77)."""

from pathlib import Path
from typing import Any

import msgspec
from observed_sources_support import write
from recipes.judgebench import convert

from epc.records.observed.converting import Conversion, Request


def said(decision: str | None, model: str | None = "m-1", **more: Any) -> dict[str, Any]:
    judgment = {"judge_model": model, "prompt": "p", "response": "Answer A.", **more}
    return {"judgment": judgment, "decision": decision}


def pair(*judgments: dict[str, Any] | None, **more: Any) -> dict[str, Any]:
    fixed = {
        "pair_id": "x",
        "source": "mmlu",
        "question": "q",
        "response_model": "writer",
        "response_A": "one",
        "response_B": "two",
        "label": "A>B",
        "judge_name": "vanilla",
    }
    return {**fixed, **more, "judgments": list(judgments)}


def converted(folder: Path, *pairs: dict[str, Any]) -> Conversion:
    return convert(write(folder, {"outputs/j.jsonl": list(pairs)}), Request())


def told(found: Conversion, *fields: str) -> list[tuple[Any, ...]]:
    rows = [msgspec.to_builtins(row) for row in found.rows]
    return [tuple(row.get(field) for field in fields) for row in rows]


def test_reading_r77_judgebench_a_judge_that_is_not_named_is_unknown(tmp_path: Path) -> None:
    found = converted(tmp_path, pair(said("A>B"), said("A>B", None)))

    assert found.header is not None
    judges = {name: each.judge.model for name, each in found.header.settings.items()}
    assert judges == {"vanilla/m-1": "m-1", "vanilla/unknown": "unknown"}
    assert told(found, "setting") == [("vanilla/m-1",), ("vanilla/unknown",)]


def test_reading_r77_judgebench_a_label_that_is_none_is_found(tmp_path: Path) -> None:
    found = converted(tmp_path, pair(said("A>B"), label="A=B"), pair(said("A=A")), pair())

    assert found.header is None
    assert len(found.findings) == 3
