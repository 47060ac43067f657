"""A labelled set of pairs is read from whatever table people have."""

import json
from pathlib import Path

import pytest
from msgspec import UNSET

from epc.errors import MalformedError
from epc.records.pairs import read_pairs

ROW = {"id": 7, "prompt": "Name a colour.", "answer_a": "blue", "answer_b": "Tuesday"}


def stored(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_numbers_become_texts_and_empty_labels_are_none(tmp_path: Path) -> None:
    row = {**ROW, "gold": None, "humans": ["a", "Tie"], "subset": "", "score": 3}
    pair_set = read_pairs(stored(tmp_path / "set.jsonl", row))

    (pair,) = pair_set.pairs
    assert (pair.item, pair.a, pair.b) == ("7", "blue", "Tuesday")
    assert (pair.gold, pair.subset, pair.humans) == (UNSET, UNSET, ("a", "tie"))
    assert pair_set.ignored == ("score",)


def test_a_column_that_one_row_alone_uses_is_used(tmp_path: Path) -> None:
    path = stored(tmp_path / "set.jsonl", {**ROW, "gold": "a"}, {**ROW, "id": 8})

    assert read_pairs(path).ignored == ()


def test_people_stand_between_semicolons(tmp_path: Path) -> None:
    path = tmp_path / "set.csv"
    path.write_text("item,question,a,b,humans\n1,q,x,y,a; b ;A\n")

    assert read_pairs(path).pairs[0].humans == ("a", "b", "a")


@pytest.mark.parametrize("value", [["blue"], True, {"text": "blue"}, None])
def test_an_answer_that_is_no_text_is_refused_with_its_row(value: object, tmp_path: Path) -> None:
    path = stored(tmp_path / "set.jsonl", ROW, {**ROW, "id": 8, "answer_a": value})

    with pytest.raises(MalformedError, match=r"line 2.*as a, which is no text"):
        read_pairs(path)
