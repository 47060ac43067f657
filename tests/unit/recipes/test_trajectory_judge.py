"""Verdicts on an agent's runs with planted faults (Reading R77)."""

from pathlib import Path
from typing import Any

from observed_sources_support import fields, rows
from recipes import trajectory_judge


def _run(number: int, *, faulty: bool, outcome_correct: bool) -> dict[str, Any]:
    label = {"faulty": faulty, "outcome_correct": outcome_correct}
    return {"trajectory_id": f"t{number}", "instance_id": "w1", "label": label}


def _verdict(run: str, judge: str, *, faulty: bool, error: str | None = None) -> dict[str, Any]:
    return {
        "trajectory_id": run,
        "judge_id": judge,
        "faulty": faulty,
        "confidence": 0.9,
        "prompt_tokens": 10,
        "completion_tokens": 2,
        "error": error,
    }


def test_reading_r77_trajectory_judge_no_fault_is_pass_and_an_error_is_unreadable(
    tmp_path: Path,
) -> None:
    runs = [
        _run(1, faulty=False, outcome_correct=True),
        _run(2, faulty=True, outcome_correct=True),
        _run(3, faulty=True, outcome_correct=False),
    ]
    judge = "step:qwen2.5:14b"
    verdicts = [
        _verdict("t1", judge, faulty=False),
        _verdict("t2", judge, faulty=True),
        _verdict("t3", judge, faulty=False, error="unparseable response"),
        _verdict("t1", "programmatic", faulty=True),
    ]
    files = {
        "results/raw/trajectories.jsonl": runs,
        "results/raw/verdicts.jsonl": verdicts,
        "src/trajectory_judge/judges/llm.py": "prompt",
    }

    actual_rows = rows(trajectory_judge.convert, tmp_path, files)

    assert fields(actual_rows, "setting", "item", "verdict", "gold", "subset") == [
        (judge, "t1", "a", "a", "clean"),
        (judge, "t2", "b", "b", "silent fault"),
        (judge, "t3", "unreadable", "b", "loud fault"),
    ]
    assert len({row["question_sha256"] for row in actual_rows}) == 1, "a world is the item"
