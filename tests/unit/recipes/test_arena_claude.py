"""A judge's picks beside votes of an arena, as verdicts (Reading R77)."""

from pathlib import Path

from observed_sources_support import fields, rows
from recipes import arena_claude


def test_reading_r77_arena_claude_a_pick_stands_beside_a_person_s_choice(tmp_path: Path) -> None:
    pair = {"model_a": "claude", "model_b": "other"}
    judged = [
        {"id": "1", **pair, "human_winner": "model_b", "judge_pick": "A"},
        {"id": "2", **pair, "human_winner": "model_a", "judge_pick": None},
    ]

    actual_rows = rows(
        arena_claude.convert, tmp_path, {"data/judge_results/x_vs_y_j-5.2.json": judged}
    )

    assert fields(actual_rows, "setting", "subset", "verdict", "humans") == [
        ("j-5.2", "x_vs_y", "a", ("b",)),
        ("j-5.2", "x_vs_y", "unreadable", ("a",)),
    ]
