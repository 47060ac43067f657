"""The bank of recorded scores, counted again from the published verdicts by other code (R93)."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from registry_support import ROOT

from epc.errors import UsageError
from epc.records.banks import COLUMNS, read_banks, shared_bank

pytestmark = pytest.mark.extra  # Parquet

SNAPSHOTS = ROOT / "snapshots"
BANK = SNAPSHOTS / "bank.parquet"
PLAIN = ("/base", "/base/client-context", "/polarity_original", "/score")


def blob(md5: str) -> Path:
    return SNAPSHOTS / ".store" / "files" / "md5" / md5[:2] / md5[2:]


def published(tag: str) -> Any:
    """Read a snapshot's verdicts where DVC keeps them, without a line of the program."""
    pointer = (SNAPSHOTS / tag / "raw.dvc").read_text("utf-8").split()
    [listed] = json.loads(blob(pointer[pointer.index("md5:") + 1]).read_text("utf-8"))
    return pd.read_parquet(blob(listed["md5"]))


def scores_of(tag: str) -> Iterator[tuple[str, int, int, float]]:
    """Yield item, asking, response and score of each readable verdict with the plain prompt."""
    rows = published(tag)
    rows = rows[rows.setting.str.endswith(PLAIN)]
    arranged = "order" in rows and rows.order.notna().any()
    orders = sorted({tuple(order) for order in rows.order}) if arranged else []
    for row in rows.itertuples():
        again = getattr(row, "repeat", np.nan)
        if arranged:
            if again > 0 or np.isnan(row.picked):
                continue
            scores: Any = np.arange(4) == row.picked
            asking = orders.index(tuple(row.order))
        else:
            if row.scores is None:
                continue
            scores, asking = row.scores, 0 if np.isnan(again) else int(again)
        for response, score in enumerate(scores):
            if not np.isnan(score):
                yield row.item, asking, response, float(score)


@pytest.mark.parametrize(
    ("tag", "judge"),
    [
        ("v1.0-gpt-5.4", "gpt-5.4"),
        ("v1.0-gpt-5.4-nano", "gpt-5.4-nano"),
        ("v1.0-claude-haiku-4-5-20251001", "claude-haiku-4-5-20251001"),
        ("v1.0-qwen2-5-7b-instruct", "qwen2-5-7b-instruct"),
        ("v1.0-Skywork-Reward-V2-Qwen3-8B", "Skywork-Reward-V2-Qwen3-8B"),
    ],
)
def test_reading_r93_the_bank_holds_every_score_that_is_published(tag: str, judge: str) -> None:
    table = pd.read_parquet(BANK)
    own = table[table.judge == judge]
    in_bank = own.set_index(["item", "asking", "response"]).score.sort_index()
    wanted: Any = pd.DataFrame([*scores_of(tag)], columns=["item", "asking", "response", "score"])
    wanted = wanted.set_index(["item", "asking", "response"]).score.sort_index()

    assert in_bank.index.is_unique
    assert in_bank.index.equals(wanted.index)
    assert np.array_equal(in_bank.to_numpy(), wanted.to_numpy(np.float32))


def test_reading_r93_the_bank_is_small_and_has_one_right_answer_of_four() -> None:
    table = pd.read_parquet(BANK)
    answers = table.drop_duplicates(["item", "response"])

    assert BANK.stat().st_size < 2_000_000
    assert tuple(table.columns) == COLUMNS
    assert (answers.groupby("item").response.count() == 4).all()
    assert (answers[answers.gold == 1].response == 0).all()
    assert (answers.groupby("item").gold.sum() == 1).all()
    assert not table.isna().any().any()


def test_a_bank_is_read_into_arrays_with_a_gap_where_a_score_is_missing(tmp_path: Path) -> None:
    rows = [
        ("Math/2", "Math", 0, 1, "a", 0, 9.0),
        ("Math/2", "Math", 1, 0, "a", 0, 2.0),
        ("Focus/1", "Focus", 0, 1, "a", 1, 7.0),
        ("Focus/1", "Focus", 1, 0, "b", 0, 3.0),
    ]
    path = tmp_path / "bank.parquet"
    pd.DataFrame(rows, columns=list(COLUMNS)).to_parquet(path)

    bank = shared_bank(path.read_bytes())

    assert bank.items == ("Focus/1", "Math/2")
    assert bank.domains == ("Focus", "Math")
    assert bank.gold.tolist() == [[1, 0], [1, 0]]
    nan = np.nan
    a = np.array([[[nan, 7], [nan, nan]], [[9, nan], [2, nan]]])
    assert np.array_equal(bank.scores["a"], a, equal_nan=True)
    b = np.array([[[nan], [3]], [[nan], [nan]]])
    assert np.array_equal(bank.scores["b"], b, equal_nan=True)


@pytest.mark.parametrize("content", [b"", b"item,score\n", b"PAR1 and then nothing"])
def test_what_is_no_bank_says_which_columns_one_has(content: bytes) -> None:
    with pytest.raises(UsageError, match="item, domain, response, gold, judge, asking, score"):
        shared_bank(content)


def test_reading_r94_an_item_is_complete_or_dropped_and_counted(tmp_path: Path) -> None:
    """Of five items one lacks an answer and one an asking; the last was asked about once more."""
    path = tmp_path / "bank.csv"
    lines = [
        f"{item},{answer},j,{asking},{item + answer},{int(answer == 0)}"
        for item in range(5)
        for answer in range(3)
        for asking in range(2 + (item == 4))
        if (item, answer) != (1, 2) and (item, answer, asking) != (2, 0, 1)
    ]
    path.write_text("\n".join(["item,response,judge,asking,score,gold", *lines]))

    (bank,) = read_banks(path)

    assert (bank.item.tolist(), bank.left_out) == ([0, 3, 4], 2)
    assert bank.scores.shape == (3, 2, 3)
    assert bank.scores[:, 1].tolist() == [[0, 1, 2], [3, 4, 5], [4, 5, 6]]
