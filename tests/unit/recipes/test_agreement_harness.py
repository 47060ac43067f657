"""Agreement Harness' votes, as verdicts (Reading R77)."""

from pathlib import Path
from typing import Any

from observed_sources_support import fields, rows
from recipes import agreement_harness


def harness_row(order: str, verdict: str, **further_fields: Any) -> dict[str, Any]:
    fixed = {"question_id": 91, "model_a": "one", "model_b": "two", "verdict_raw": "[[?]]"}
    about = {"judge_model": "j", "temperature": 0.0, "ts": "2026-08-06T20:26:47+00:00"}
    return {
        **fixed,
        "parse_ok": True,
        **about,
        "order": order,
        "verdict": verdict,
        **further_fields,
    }


def test_reading_r77_agreement_harness_a_verdict_is_a_place(tmp_path: Path) -> None:
    answers = [
        harness_row("ab", "model_a"),
        harness_row("ba", "model_a"),
        harness_row("ba", "tie"),
        harness_row("ab", "model_b"),
    ]
    answers += [harness_row("ab", "tie", parse_ok=False)] * 96
    files = {"results/runs/full.jsonl": answers, "results/runs/trial.jsonl": answers[:4]}

    actual_rows = rows(agreement_harness.convert, tmp_path, files)

    assert len(actual_rows) == 100
    assert fields(actual_rows, "first", "verdict")[:5] == [
        ("a", "a"),
        ("b", "b"),
        ("b", "tie"),
        ("a", "b"),
        ("a", "unreadable"),
    ]
    assert fields(actual_rows, "subset", "date")[0] == ("roleplay", "2026-08-06")
