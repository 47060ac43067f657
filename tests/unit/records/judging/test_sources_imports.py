"""Replies that were recorded elsewhere, and rows that are about no sample of the set."""

from pathlib import Path

from judge_support import grid, planned, record_for, reply_row, write_rows

from epc.records.judging.sources import import_replies

ROWS = grid()
NOW = "2026-07-02T00:00:00Z"


def bundle(folder: Path, *, strange: int, fitting: int) -> Path:
    """Plan an evaluation, and return a bundle of rows of which some are about no sample."""
    planned(folder, ROWS, ("j/1",), recorded=True)
    rows = [reply_row(row, "j/1", record_for(row, "j/1")) for row in ROWS]
    elsewhere = [{**rows[0], "question_id": f"Q{9 + n}"} for n in range(strange)]
    return write_rows(folder.with_suffix(".jsonl"), [*elsewhere, *rows[:fitting]])


def test_three_rows_that_fit_nothing_are_shown_and_all_are_counted(tmp_path: Path) -> None:
    replies = bundle(tmp_path / "e", strange=5, fitting=2)

    log, unmatched = import_replies(replies, tmp_path / "e", now=NOW)

    assert log is not None
    assert (unmatched.rows, unmatched.total, unmatched.no_row_fits) == (5, 7, False)
    assert len(unmatched.findings) == 3
    # Of all samples the one that differs from it by the number of its question alone.
    assert "'Q9'" in unmatched.findings[0].problem
    nearest = ROWS[0]["question_id"], ROWS[0]["prompt_variant"], ROWS[0]["target_model"]
    assert all(repr(word) in unmatched.findings[0].remedy for word in nearest)


def test_an_empty_bundle_leaves_no_row_that_does_not_fit(tmp_path: Path) -> None:
    replies = bundle(tmp_path / "e", strange=0, fitting=0)

    assert not import_replies(replies, tmp_path / "e", now=NOW)[1].no_row_fits
