"""Ranks by the Judgment Battery, as verdicts (Reading R77)."""

from pathlib import Path

from observed_sources_support import fields, rows
from recipes import judgment_battery


def test_reading_r24_judgment_battery_a_rank_is_a_score_turned_round(tmp_path: Path) -> None:
    about = {"dilemma_id": "A1", "category": "A", "timestamp": "2026-02-01T00:06:54+00:00"}
    ranked = [
        {"model": "gpt-5.1", "rank": 1, "avg_rank": 1.5},
        {"model": "gemini-3-pro", "rank": 2, "avg_rank": 1.5},
        {"model": "claude-opus", "rank": 3},
    ]
    file = {
        "run_label": "ablation-B-position",
        "judge_model": "gemini-3-pro-preview",
        "comparisons": [{**about, "rankings": ranked}, about],
    }

    actual_rows = rows(
        judgment_battery.convert, tmp_path, {"comparisons/compare_1_ablation-B.json": file}
    )

    assert fields(actual_rows, "a_by", "a_score", "setting")[1:] == [
        ("gemini-3-pro", 2.5, "gemini-3-pro/ablation-B-position/unknown"),
        ("claude-opus", 1.0, "gemini-3-pro/ablation-B-position/unknown"),
    ]
    assert len({row["question_sha256"] for row in actual_rows}) == 1
