"""Reading R93: the files of an optimiser's run, as we write them and as others do."""

import hashlib
import json
from pathlib import Path

import pytest
from loop_support import log_rows, written

from epc.errors import MalformedError
from epc.records.loop import (
    StoredValue,
    digest,
    is_log,
    loop_paths,
    name_and_text,
    read_checks,
    read_items,
    read_kept,
    read_log,
    text_digest,
)


def test_reading_r93_a_candidate_is_named_by_its_sorted_json() -> None:
    candidate = {"system": "Be brief.", "answer": "Ends with a number."}
    text = '{"answer": "Ends with a number.", "system": "Be brief."}'

    assert digest(candidate) == hashlib.sha256(text.encode()).hexdigest()[:12]


@pytest.mark.parametrize("name", ["log.csv", "log.tsv"])
def test_reading_r93_a_table_of_somebody_is_read_as_it_is(tmp_path: Path, name: str) -> None:
    table = tmp_path / name
    text = "candidate,item,score,split\n007,1,0.5,val\n8,1,1,val\n8,t,0,train\n"
    table.write_text(text if name == "log.csv" else text.replace(",", "\t"), "utf-8")
    rows = read_log(table).rows

    assert [(row.candidate, row.item, row.score, row.split) for row in rows] == [
        ("007", "1", 0.5, "val"),
        ("8", "1", 1.0, "val"),
        ("8", "t", 0.0, "train"),
    ]


def test_reading_r93_a_log_stands_in_the_order_of_seq(tmp_path: Path) -> None:
    rows = log_rows()
    log = read_log(written(tmp_path / "run.loop.jsonl", reversed(rows)))

    assert [row.item for row in log.rows] == [row["item"] for row in rows]


@pytest.mark.parametrize(
    ("line", "place", "problem"),
    [
        ('{"candidate": "a", "item": "x"}', ":2", "missing required field `score`"),
        ('{"candidate": "a", "item": "x", "score": "7"}', ":2", "the score '7' is no number"),
        ('{"candidate": "a"', ":2", "not JSON at line 2"),
    ],
    ids=["no score", "a text", "no JSON"],
)
def test_reading_r93_a_line_that_is_none_is_named(
    tmp_path: Path, line: str, place: str, problem: str
) -> None:
    path = tmp_path / "run.loop.jsonl"
    path.write_text(f"{json.dumps(log_rows()[0])}\n{line}\n", "utf-8")

    with pytest.raises(MalformedError) as raised:
        read_log(path)
    assert raised.value.finding.where.endswith(f"run.loop.jsonl{place}")
    assert problem in raised.value.finding.problem


def test_reading_r93_a_score_in_a_table_that_is_no_number_is_named(tmp_path: Path) -> None:
    table = tmp_path / "log.csv"
    table.write_text("candidate;item;score;split\na;1;3,5;val\n\na;2;seven;val\n", "utf-8")
    with pytest.raises(MalformedError, match=r"log\.csv:4: the score 'seven' is no number"):
        read_log(table)
    table.write_text("candidate;item;score;split\na;1;3,5;val\n", "utf-8")
    assert read_log(table).rows[0].score == 3.5


@pytest.mark.parametrize("score", ["", "nan", "n/a", "-1", "999"])
def test_reading_r101_an_item_without_a_readable_score_is_left_out_for_every_candidate(
    tmp_path: Path, score: str
) -> None:
    """Of 1 to 5 points -1 and 999 are sentinels; the other candidate's score goes with them."""
    table = tmp_path / "log.csv"
    text = "candidate,item,score,split\na,1,4,val\na,2,5,val\nb,1,1,val\nb,2,{},val\n"
    table.write_text(text.format(score), "utf-8")
    log = read_log(table)

    assert [(row.candidate, row.item, row.score) for row in log.rows] == [
        ("a", "1", 4.0),
        ("b", "1", 1.0),
    ]
    assert log.unread == {"2"}


def test_reading_r93_a_text_is_the_same_however_it_is_spaced_and_labelled() -> None:
    digests = {
        text_digest("What is 2 + 2?"),
        text_digest({"question": "what is  2 + 2?\n", "answer": "4"}),
        text_digest({"id": 7, "input": "What is 2 + 2?"}),
    }

    assert len(digests) == 1
    assert text_digest({"a": 1, "id": 1}) == text_digest({"a": 1, "id": 2})
    assert text_digest({"a": 1}) != text_digest({"a": 2})


def test_reading_r93_an_item_is_named_by_its_id_or_by_its_text() -> None:
    assert name_and_text({"id": 7, "question": "?"}) == ("7", text_digest("?"))
    assert name_and_text({"item": "q1", "id": 7})[0] == "q1"
    assert name_and_text("What?") == (text_digest("What?"),) * 2


def test_reading_r93_two_test_items_of_one_name_are_refused(tmp_path: Path) -> None:
    items = written(tmp_path / "items.jsonl", [{"id": 1, "text": "a"}, {"id": 1, "text": "b"}])

    with pytest.raises(MalformedError, match="the item 1 appears twice"):
        read_items(items)


def test_reading_r93_plan_checks_and_texts_stand_beside_the_log() -> None:
    assert [path.name for path in loop_paths(Path("a/run.loop.jsonl"))] == [
        "run.plan.json",
        "run.checks.jsonl",
        "run.kept.jsonl",
    ]
    assert loop_paths(Path("a/votes.csv"))[1] == Path("a/votes.checks.jsonl")


def test_reading_r93_a_log_is_told_from_checks(tmp_path: Path) -> None:
    log = tmp_path / "scores.csv"
    log.write_text("candidate,item,score,split\n", "utf-8")
    checks = tmp_path / "other.csv"
    checks.write_text("candidate,item,judge,score\n", "utf-8")

    assert (is_log(log), is_log(checks)) == (True, False)
    assert is_log(Path("not/there.loop.jsonl"))


def test_reading_r93_what_is_kept_is_found_by_its_identifier(tmp_path: Path) -> None:
    path = tmp_path / "run.kept.jsonl"
    assert read_kept(path) == {}
    written(path, [{"kind": "item", "id": "x", "value": {"text": "?"}}])

    assert read_kept(path) == {("item", "x"): {"text": "?"}}
    assert StoredValue(kind="item", id="x", value=1).value == 1


def test_reading_r93_checks_may_have_scores_that_could_not_be_read(tmp_path: Path) -> None:
    path = written(
        tmp_path / "c.jsonl", [{"candidate": "a", "item": 1, "judge": "j", "score": None}]
    )

    assert read_checks(path)[0].score is None
