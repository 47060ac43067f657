"""A contest's reports in Korean, as verdicts (Reading R77)."""

from pathlib import Path

from observed_sources_support import fields, rows
from recipes import ssafy


def page(a: str, b: str, said: str) -> str:
    parts = (
        "# T (code)",
        "**문제**\n> Q?\n",
        f"## 🅰️ X\n{a}\n",
        f"## 🅱️ Y\n{b}\n",
        f"## ⚖️ J\n{said}\n",
    )
    return "\n".join(parts)


def test_reading_r77_ssafy_what_was_shown_as_a_is_turned_back_and_bold_is_read(
    tmp_path: Path,
) -> None:
    battle, swap = "battle_20260516_134437_judge-gpt5", "replay_20260516_1_swap"
    judge = {"name": "J", "model": "j-5"}
    at = {"timestamp": "20260516_134437", "judge": judge}
    results = [{"id": "code-1", "category": "code", "winner": "A"}]
    again = [{"id": "code-1", "category": "code", "original_winner": "TIE"}]
    failed = [{"id": "code-2", "category": "code", "original_winner": "ERROR"}]
    files = {
        f"results/{battle}/_results.json": {**at, "results": results},
        f"results/{battle}/code-1.md": page("one", "two", "WINNER: A\nREASON: A."),
        f"results/{swap}/_results.json": {
            **at,
            "from_battle": battle,
            "swap_ab": True,
            "results": again + failed,
        },
        f"results/{swap}/code-1.md": page("two", "one", "**WINNER: A**\n\n**해석**: WINNER: B"),
        "results/human_baseline/progress.json": {"scores": {"code-1": {"human_pick": "B"}}},
        "results/logickor_fights/01.json": {
            "questions": ["Q1", "Q2"],
            "a": {"answers": ["x1", "x2"]},
            "b": {"answers": ["y1", "y2"]},
        },
        "results/logickor_judge_1/_results.json": {
            **at,
            "results": [
                {
                    "id": 1,
                    "category": "수학(Math)",
                    "turns": [
                        {"turn": 1, "winner": "TIE", "raw": "I like both."},
                        {"turn": 2, "winner": "B", "raw": "WINNER: B"},
                    ],
                }
            ],
        },
    }

    actual_rows = rows(ssafy.convert, tmp_path, files)

    assert fields(actual_rows, "item", "subset", "first", "verdict", "humans") == [
        (f"{battle}/code-1", "code", "a", "a", ("b",)),
        ("logickor/1/1", "math", "a", "unreadable", None),
        ("logickor/1/2", "math", "a", "b", None),
        (f"{battle}/code-1", "code", "b", "b", ("b",)),
    ]
    first, *_, exchanged = actual_rows
    assert first["a_sha256"] == exchanged["a_sha256"]
    assert {row["date"] for row in actual_rows} == {"2026-05-16"}
