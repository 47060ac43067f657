"""Rows of a table as verdicts: cells, words, sides and names (Reading R77, AUDIT 7)."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from epc.digests import sha256
from epc.errors import UsageError
from epc.records.verdicts import table
from epc.records.verdicts.converting import FAILS, Conversion, Request

A, B = sha256("one"), sha256("two!")
HEAD = "id,judge,a,b,verdict"
LINE = "i,j,one,two!,a"


def converted(folder: Path, *lines: str, **request: Any) -> Conversion:
    path = folder / "t.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return table.convert(path, Request(**request))


def rows(folder: Path, *lines: str, **request: Any) -> list[dict[str, Any]]:
    done = converted(folder, *lines, **request)
    assert not done.findings, done.findings
    return [msgspec.to_builtins(row) for row in done.rows]


def test_reading_r77_texts_are_kept_as_digests_and_lengths_and_as_texts_where_they_may_be(
    tmp_path: Path,
) -> None:
    lines = (f"{HEAD},question,answer", f"{LINE},Q?,A wins")

    (row,) = rows(tmp_path, *lines)

    assert (row["a_sha256"], row["a_length"], row["b_sha256"], row["b_length"]) == (A, 3, B, 4)
    assert (row["question_sha256"], row["answer_sha256"]) == (sha256("Q?"), sha256("A wins"))
    assert row["answer_length"] == 6
    assert "a_text" not in row
    (row,) = rows(tmp_path, *lines, texts=True)
    assert (row["a_text"], row["b_text"]) == ("one", "two!")


def test_a_long_text_has_the_digest_and_the_length_of_the_whole(tmp_path: Path) -> None:
    long = "x" * 100_000

    (row,) = rows(tmp_path, HEAD, f"i,j,{long},y,a")

    assert (row["a_sha256"], row["a_length"]) == (sha256(long), 100_000)


@pytest.mark.parametrize(
    ("cell", "score"),
    [("7", 7.0), ("7.5", 7.5), ('"7,5"', 7.5), ("8/10", 8.0), ("-2", -2.0)],
)
def test_reading_r77_a_score_may_be_out_of_ten_or_have_a_comma(
    cell: str, score: float, tmp_path: Path
) -> None:
    done = converted(tmp_path, "id,judge,a,b,a_score,b_score", f"i,j,x,y,{cell},1")

    (row,) = done.rows
    assert (row.a_score, row.b_score, row.verdict) == (score, 1.0, msgspec.UNSET)
    assert bool(done.column_choice.notes) == ("/" in cell)


def test_reading_r77_a_missing_score_is_noted_and_no_verdict(tmp_path: Path) -> None:
    done = converted(
        tmp_path, "id,judge,a,b,a_score,b_score", "1,j,x,y,7,n/a", "2,j,x,y,7,6", "3,j,x,y,,"
    )

    half, whole = done.rows
    assert (half.a_score, half.b_score, whole.b_score) == (7.0, msgspec.UNSET, 6.0)
    assert done.column_choice.notes == [
        "1 row without a score, so without a verdict: line 2",
        "left out: 1 row has no score: line 4",
    ]


def test_reading_r77_people_s_scores_of_one_answer_are_kept_with_their_mean(tmp_path: Path) -> None:
    (row,) = rows(
        tmp_path,
        "id,judge,response,score,human_score,confidence,run_index",
        '1,j,x,3,1; 2;6,"0,5",2',
        labels={},
    )

    assert (row["human_scores"], row["human_score"]) == ((1.0, 2.0, 6.0), 3.0)
    assert (row["confidence"], row["repeat"]) == (0.5, 2)


def test_reading_r101_7_confidence_to_100_is_percent_and_ten_digits_are_seconds(
    tmp_path: Path,
) -> None:
    """1,767,225,600 seconds after 1970 began the year 2026 (`date -u -d @1767225600`)."""
    lines = ("id,response,verdict,confidence,created_at", "1,x,pass,85,1767225600")

    (row,) = rows(tmp_path, *lines, "2,y,fail,7.5,1767225600000")[:1]

    assert (row["confidence"], row["date"]) == (0.85, "2026-01-01")


def test_reading_r101_a_column_that_is_none_of_its_field_is_not_used(tmp_path: Path) -> None:
    done = converted(
        tmp_path, "id,response,verdict,confidence,date", "1,x,pass,high,soon", "2,y,fail,low,late"
    )

    why = {use.column: use.why for use in done.column_choice.uses if use.taken_for is None}
    assert why == {"confidence": "holds no probabilities", "date": "holds no days"}
    assert len(done.rows) == 2


WORDS = [
    ("A is better", "", "a"),
    ("refused", "", "unreadable"),
    ("n/a", "", "unreadable"),
    (" TIE ", "a", "tie"),
    ("a", "b", "a"),
    ("first", "a", "a"),
    ("first", "b", "b"),
    ("second", "b", "a"),
    ("second", "a", "b"),
    ("m", "b", "a"),  # an author's name
    ("n", "", "b"),
]


@pytest.mark.parametrize(("verdict", "first", "expected"), WORDS)
def test_reading_r77_a_label_is_a_word_of_ours_an_author_or_a_place(
    verdict: str, first: str, expected: str, tmp_path: Path
) -> None:
    head, line = "id,model_a,model_b,winner", f"1,m,n,{verdict}"
    if first:
        head, line = f"{head},first", f"{line},{first}"

    row, *_ = rows(tmp_path, head, line, line.replace(verdict, "A").replace("1,", "2,", 1))

    assert row["verdict"] == expected


def test_reading_r101_7_what_users_say_of_labels_goes_before_all_else(tmp_path: Path) -> None:
    """A label named like an author, or like one of our words, means what the user says."""
    lines = ("id,model_a,model_b,winner,gold", "1,A,B,A,A", "2,A,B,B,A")

    turned = rows(tmp_path, *lines, labels={"A": "b", "B": "a"})

    assert [(row["verdict"], row["gold"]) for row in turned] == [("b", "b"), ("a", "b")]
    one_column = rows(tmp_path, *lines, labels={"winner:A": "b", "winner:B": "a"})
    assert [(row["verdict"], row["gold"]) for row in one_column] == [("b", "a"), ("a", "a")]
    empty = rows(tmp_path, *lines, "3,A,B,,B", labels={"": "tie"})
    assert empty[2]["verdict"] == "tie"


def test_reading_r101_a_label_may_stand_among_several_of_people(tmp_path: Path) -> None:
    lines = ("id,a,b,verdict,humans", "1,x,y,a,L;R", "2,u,v,b,L R", "3,p,q,b,a")

    read = rows(tmp_path, *lines, labels={"L": "a", "R": "b"})

    assert [row["humans"] for row in read] == [("a", "b"), ("a", "b"), ("a",)]
    with pytest.raises(UsageError, match="--label S=a: no row has the label"):
        rows(tmp_path, *lines, labels={"L": "a", "R": "b", "S": "a"})


@pytest.mark.parametrize("label", ["C", "winner:C", "gold:B"])
def test_reading_r101_a_label_that_no_row_has_is_an_error(label: str, tmp_path: Path) -> None:
    lines = ("id,model_a,model_b,winner,gold", "1,A,B,A,A", "2,A,B,B,A")

    with pytest.raises(UsageError, match=f"--label {label}=tie: no row has the label"):
        converted(tmp_path, *lines, labels={label: "tie"})


def test_reading_r101_7_rows_that_cannot_be_read_are_left_out_and_counted(tmp_path: Path) -> None:
    lines = [f"{n},x{n},pass,pass" for n in range(40)]

    done = converted(
        tmp_path, "id,response,judge_verdict,human", *lines, "40,y,PARTIAL,pass", "41,y,,pass", "42"
    )

    assert len(done.rows) == 40
    odd, *further = done.column_choice.notes
    assert odd == (
        "left out: 1 row has 'PARTIAL' in judge_verdict, which is no label: --label 'PARTIAL'=WORD "
        "says what it means; WORD is pass, fail, tie or unreadable: line 42"
    )
    assert further == [
        "left out: 1 row has no verdict: line 43",
        "left out: 1 row has 1 cell, and the header 4 columns: line 44",
    ]


def test_reading_r101_a_table_of_which_over_half_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (finding,) = converted(
        tmp_path, "id,model_a,model_b,winner", "1,m,n,A", "2,m,n,", "3,m,n,"
    ).findings

    assert finding.problem == "more than half of 3 rows cannot be read: 2 rows have no verdict"


def test_reading_r77_a_pair_that_comes_back_turned_round_is_the_same_item(tmp_path: Path) -> None:
    head = "id,judge,a,b,verdict,first,a_score,b_score,gold,humans"
    end = "a,a,2,1,a,a;b;tie"

    row, turned = rows(tmp_path, head, f"i,j,one,two!,{end}", f"i,j,two!,one,{end}")

    assert row["item"] == turned["item"] == f"i/{A[:12]}/{B[:12]}"
    assert row["question_sha256"] == sha256("i"), "the column names the question"
    assert (turned["a_sha256"], turned["a_length"]) == (A, 3)
    assert (turned["a_score"], turned["b_score"]) == (1.0, 2.0)
    assert (turned["verdict"], turned["first"], turned["gold"]) == ("b", "b", "b")
    assert turned["humans"] == ("b", "a", "tie")
    assert (row["verdict"], row["humans"]) == ("a", ("a", "b", "tie"))


def test_reading_r77_answers_without_texts_go_by_their_author(tmp_path: Path) -> None:
    (row,) = rows(tmp_path, "id,model_a,model_b,winner,category", "i,x,y,x,s")

    assert (row["a_sha256"], row["b_sha256"]) == (sha256("s/i/x"), sha256("s/i/y"))
    assert (row["verdict"], row["question_sha256"]) == ("a", sha256("s/i"))
    assert row["item"] == f"i/{sha256('s/i/x')[:12]}/{sha256('s/i/y')[:12]}"


def test_reading_r77_answers_that_pass_or_fail_are_never_turned_round(tmp_path: Path) -> None:
    done = converted(tmp_path, "response,verdict", "one,pass", "fail,pass", "fail,fail")

    assert {row.b_sha256 for row in done.rows} == {FAILS}
    assert not [note for note in done.column_choice.assumed if "exchanged" in note]


def test_reading_r77_settings_are_told_apart_by_all_that_a_line_states_of_them(
    tmp_path: Path,
) -> None:
    done = converted(
        tmp_path,
        "id,response,judge,prompt,model_setting,score,decoding",
        "1,x,j,,,3,",
        "2,x,j,short,,3,",
        "3,x,j,,m-1,3,",
        '4,x,j,,,3,"{""temperature"": 0.5}"',
        "5,x,j,,,3,hot",
        columns={"model": "model_setting"},
    )

    assert [row.setting for row in done.rows] == ["j", "j/short", "j#3", "j#4"]
    assert done.header is not None
    assert done.header.settings["j#3"].judge.model == "m-1"
    assert done.header.settings["j#4"].decoding == {"temperature": 0.5}
    assert done.column_choice.notes == [
        "left out: 1 row has no JSON object in decoding: 'hot': line 6"
    ]
