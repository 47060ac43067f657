"""Choices between two poems in both orders (Reading R77)."""

from pathlib import Path

from observed_sources_support import fields, rows
from recipes import haiku_judge

TABLE = """\
scenario_id,stratum,judge_model,author_left,author_right,preferred_side,eval_log
snow,nature,gpt-4o-mini,gpt-4o-mini,claude-haiku-4-5,A,2026-07-06T00-06-51.eval
snow,nature,gpt-4o-mini,claude-haiku-4-5,gpt-4o-mini,A,2026-07-06T00-06-51.eval
"""


def test_reading_r77_haiku_judge_a_side_is_the_author_that_stood_there(tmp_path: Path) -> None:
    files = {"results/frontier-judged/pairs.csv": TABLE}

    actual_rows = rows(haiku_judge.convert, tmp_path, files)

    assert fields(actual_rows, "a_by", "b_by", "first", "verdict", "date") == [
        ("claude-haiku-4-5", "gpt-4o-mini", "b", "b", "2026-07-06"),
        ("claude-haiku-4-5", "gpt-4o-mini", "a", "a", "2026-07-06"),
    ]
    assert len({row["item"] for row in actual_rows}) == 1
