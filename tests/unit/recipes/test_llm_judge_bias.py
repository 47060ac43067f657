"""Best of four answers in four orders, as a share of the orders (Reading R77)."""

from pathlib import Path
from typing import Any

from observed_sources_support import fields, rows
from recipes import llm_judge_bias

SOL, OPUS = "openai/gpt-5.6-sol", "anthropic/claude-opus-4.8"


def chosen(rotation: int, winner: str | None) -> dict[str, Any]:
    return {
        "pid": 7,
        "judge": OPUS,
        "rotation": rotation,
        "order": [SOL, OPUS],
        "winner_model": winner,
    }


def test_reading_r77_llm_judge_bias_an_answer_has_its_share_of_four_orders(tmp_path: Path) -> None:
    """The second order stands twice: its first reply names no answer."""
    choices = [(0, OPUS), (1, None), (1, SOL), (2, OPUS), (3, OPUS)]
    files = {"data/verdicts.jsonl": [chosen(*choice) for choice in choices], "judge_bias.py": ""}

    actual_rows = rows(llm_judge_bias.convert, tmp_path, files)

    assert fields(actual_rows, "item", "a_by", "a_score") == [
        (f"7/{OPUS}", OPUS, 0.75),
        (f"7/{SOL}", SOL, 0.25),
    ]
    assert len({row["question_sha256"] for row in actual_rows}) == 1
