"""Banks that are tables of lines (Reading R94)."""

from pathlib import Path

import pytest

from epc.errors import MalformedError
from epc.records.banks import Bank, read_banks


def lines(tmp_path: Path, text: str) -> list[Bank]:
    (tmp_path / "bank.csv").write_text(text)
    return read_banks(tmp_path / "bank.csv")


def test_a_table_of_scores_is_a_bank_a_judge_with_its_askings_in_their_order(
    tmp_path: Path,
) -> None:
    rows = (
        "x,1,j,3,maths,1,g x,2,j,5,maths,0,g x,1,j,4,maths,1,g x,2,j,6,maths,0,g "
        "y,8,j,1,code,0,g y,9,j,2,code,1,g y,8,j,1,code,0,g y,9,j,7,code,1,g "
        "y,8,k,9,code,0,h y,9,k,8,code,1,h"
    )
    head = "item,response,judge,score,domain,gold,group\n"
    bank, other_bank = lines(tmp_path, head + rows.replace(" ", "\n"))

    assert (bank.judge, other_bank.judge) == ("j", "k")
    assert bank.domains == other_bank.domains == ["maths", "code"]
    assert bank.scores.tolist() == [[[3, 5], [4, 6]], [[1, 2], [1, 7]]]
    assert bank.gold.tolist() == [[1, 0], [0, 1]]
    assert (bank.item.tolist(), other_bank.item.tolist()) == ([0, 1], [1])
    assert (bank.domain.tolist(), other_bank.domain.tolist()) == ([0, 1], [1])
    assert len({*bank.cluster.tolist()}) == 1, "one group, whatever the items"
    assert other_bank.cluster.tolist() != bank.cluster.tolist()[:1]
    assert (bank.left_out, other_bank.left_out, bank.arranged) == (0, 0, False)


def test_a_numbered_asking_stands_where_its_number_says_and_once(tmp_path: Path) -> None:
    head = "item,response,judge,score,asking\n"
    (bank,) = lines(tmp_path, f"{head}x,1,j,3,b\nx,2,j,5,b\nx,1,j,4,a\nx,2,j,6,a\n")

    assert bank.scores.tolist() == [[[3, 5], [4, 6]]]
    with pytest.raises(MalformedError, match="same asking about the same response") as caught:
        lines(tmp_path, f"{head}x,1,j,3,b\nx,2,j,5,b\nx,1,j,4,b\n")
    assert "bank.csv:4" in str(caught.value)


def test_items_with_fewer_answers_or_askings_than_most_are_left_out_and_counted(
    tmp_path: Path,
) -> None:
    rows = [f"{item},{answer},j,{asking}{answer}" for item in "uvw" for asking in (1, 2)
            for answer in (1, 2)]  # fmt: skip
    rows += ["short,1,j,1", "short,2,j,1", "thin,1,j,1", "thin,1,j,1"]
    rows += [f"more,{answer},j,{asking}{answer}" for asking in (1, 2, 3) for answer in (1, 2)]
    rows += ["gap,1,j,", "gap,2,j,2", "gap,1,j,3", "gap,2,j,4", "gap,1,j,5", "gap,2,j,6"]

    (bank,) = lines(tmp_path, "item,response,judge,score\n" + "\n".join(rows))

    assert bank.left_out == 2
    assert bank.item.tolist() == [0, 1, 2, 5, 6]
    assert bank.scores[3].tolist() == [[11, 12], [21, 22]], "the first askings count"
    assert bank.scores[4].tolist() == [[3, 4], [5, 6]], "those that have every score"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("item,response,score\nx,1,2\n", "has no column 'judge'"),
        ("item,response,judge,score\n", "holds no score"),
        ("item,response,judge,score\nx,1,j,high\n", "bank.csv:2/score"),
    ],
)
def test_a_table_that_is_no_bank_says_where(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(MalformedError, match=words):
        lines(tmp_path, text)
