"""JudgeBench's outputs as verdicts (Reading R77)."""

from pathlib import Path
from typing import Any

import msgspec
from observed_sources_support import write
from recipes.judgebench import convert

from epc.records.verdicts.converting import Conversion, Request


def judgment_entry(
    decision: str | None, model: str | None = "m-1", **further_fields: Any
) -> dict[str, Any]:
    judgment = {"judge_model": model, "prompt": "p", "response": "Answer A.", **further_fields}
    return {"judgment": judgment, "decision": decision}


def pair(*judgments: dict[str, Any] | None, **further_fields: Any) -> dict[str, Any]:
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
    return {**fixed, **further_fields, "judgments": list(judgments)}


def converted(folder: Path, *pairs: dict[str, Any]) -> Conversion:
    return convert(write(folder, {"outputs/j.jsonl": list(pairs)}), Request())


def field_values(found: Conversion, *fields: str) -> list[tuple[Any, ...]]:
    rows = [msgspec.to_builtins(row) for row in found.rows]
    return [tuple(row.get(field) for field in fields) for row in rows]


def test_reading_r77_judgebench_a_judge_that_is_not_named_is_unknown(tmp_path: Path) -> None:
    conversion = converted(tmp_path, pair(judgment_entry("A>B"), judgment_entry("A>B", None)))

    assert conversion.header is not None
    judges = {name: setting.judge.model for name, setting in conversion.header.settings.items()}
    assert judges == {"vanilla/m-1": "m-1", "vanilla/unknown": "unknown"}
    assert field_values(conversion, "setting") == [("vanilla/m-1",), ("vanilla/unknown",)]


def test_reading_r77_judgebench_a_label_that_is_none_is_found(tmp_path: Path) -> None:
    conversion = converted(
        tmp_path, pair(judgment_entry("A>B"), label="A=B"), pair(judgment_entry("A=A")), pair()
    )

    assert conversion.header is None
    assert len(conversion.findings) == 3
