"""Verdicts about pages of a website, as verdicts (Reading R77)."""

from pathlib import Path

import pytest
from observed_sources_support import fields, rows
from recipes import uijudge


@pytest.mark.parametrize(
    ("answer", "refused", "verdict"),
    [
        ("yes", False, "a"),
        ("no", False, "b"),
        ("perhaps", False, "unreadable"),
        ("no", True, "unreadable"),
    ],
)
def test_reading_r77_uijudge_an_answer_is_a_verdict_and_a_page_a_cluster(
    tmp_path: Path, *, answer: str, refused: bool, verdict: str
) -> None:
    about = {"page_id": "p", "judge": "x:v4", "runs": [{"raw": "words"}], "refused": False}
    answers = [
        {**about, "item_id": "i1", "task_level": "L1", "answer": answer, "refused": refused},
        {**about, "item_id": "i2", "task_level": "L4", "answer": "yes"},
        {**about, "item_id": "i3", "task_level": "L3", "answer": {"box": [1, 2]}},
    ]
    labels = [{"item_id": "i1", "ground_truth": "no"}, {"item_id": "i3", "ground_truth": {"x": 1}}]
    files = {"reports/predictions_x.jsonl": answers, "labels/items.jsonl": labels}

    actual_rows = rows(uijudge.convert, tmp_path, files)

    assert fields(actual_rows, "item", "verdict", "gold") == [
        ("i1", verdict, "b"),
        ("i2", "a", None),
    ]
    assert actual_rows[0]["a_sha256"] == actual_rows[1]["a_sha256"]
    assert actual_rows[0]["b_sha256"] != actual_rows[1]["b_sha256"]
