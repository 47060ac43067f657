"""No line of a record is longer than strict reading takes back."""

from pathlib import Path
from typing import Any

import pytest
from engine_support import call

from epc.records.layout import LONGEST_CALL, TOO_LARGE, recordable
from epc.records.strict_json import MAX_LINE_BYTES, dumps_line, read_lines, write_text

KIB = 2**10


def size(row: dict[str, Any]) -> int:
    return len(dumps_line(row).encode())


def filled(**texts: str) -> dict[str, Any]:
    return {**call(1), **texts}


def test_what_fits_to_the_byte_stays_as_it_is() -> None:
    row = filled(answer="")
    row["answer"] = "x" * (LONGEST_CALL - size(row))

    assert size(row) == LONGEST_CALL
    assert recordable(row) is row
    assert recordable({**row, "answer": row["answer"] + "x"})["finish_reason"] == TOO_LARGE


@pytest.mark.parametrize("letter", ["x", "\u56db", '"', "\x00", "\U0001f600"])
def test_whatever_the_letters_a_recorded_line_can_be_read_back(tmp_path: Path, letter: str) -> None:
    row = recordable(filled(answer=letter * 5_000_000, reply=letter * 5_000_000, role="executor"))

    write_text(tmp_path / "calls.jsonl", [dumps_line(row)])

    assert size(row) <= LONGEST_CALL < MAX_LINE_BYTES
    assert list(read_lines(tmp_path / "calls.jsonl", "calls")) == [(0, row, [])]
    assert row["answer"] == letter * 10_000


def test_a_reply_goes_before_the_answer_that_was_read_from_it() -> None:
    row = filled(answer="A", reply="x" * 5_000_000)

    assert recordable(row) == {**row, "reply": "(a reply of 5,000,000 bytes, too large to record)"}


def test_reading_r4_an_evaluator_s_answer_that_is_too_large_is_no_verdict() -> None:
    row = filled(answer="A\n" + "x" * 5_000_000)

    assert recordable(row) == {**row, "answer": "", "finish_reason": "too_large"}


def test_a_judge_s_line_may_be_as_long_as_its_folder_takes() -> None:
    row = filled(answer="x" * 5_000_000, role="judge:m")

    assert recordable(row, 2**27) is row
    assert recordable(row, 100 * KIB)["answer"] == "x" * 10_000


@pytest.mark.parametrize("around", [0, 100, 2**13])
def test_a_line_fits_even_where_every_character_is_an_escape_and_little_stands_around(
    around: int,
) -> None:
    row = filled(prompt="", answer="\x00" * 20_000, role="executor")

    assert size(recordable(row, 6 * 20_000 + around)) <= 6 * 20_000 + around
