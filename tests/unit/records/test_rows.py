"""Reading the raw files row by row."""

from pathlib import Path

from engine_support import call
from records_support import Run

from epc.records.findings import Findings
from epc.records.rows import MAX_UNUSABLE, is_taken, origin_of_run, read_rows, with_origin

WEIGHT = b'{"phase":"text","seed":0,"strategy":"x","weight":0.5}\n'


def test_usable_rows_come_with_their_index_and_the_others_with_their_place(tmp_path: Path) -> None:
    bad = WEIGHT.replace(b"0.5", b"-0.5")
    torn = WEIGHT[:20]
    (tmp_path / "weights.jsonl").write_bytes(WEIGHT + bad + b"[]\n" + WEIGHT + torn)
    findings = Findings()

    rows = list(read_rows(tmp_path, "weights", findings, clause="EPC-2.5(b)"))

    assert [index for index, _ in rows] == [0, 3]
    assert [(f.where, f.clause) for f in findings.as_list()] == [
        ("/weights/1/weight", "EPC-2.5(b)"),
        ("/weights/2", "EPC-2.5(b)"),
        ("/weights/4", "RFC 8259"),
    ]


def test_an_empty_file_has_no_rows_and_no_findings(tmp_path: Path) -> None:
    (tmp_path / "weights.jsonl").touch()
    findings = Findings()

    assert list(read_rows(tmp_path, "weights", findings, clause="c")) == []
    assert len(findings) == 0


def test_reading_stops_where_nothing_but_mistakes_has_been_seen(tmp_path: Path) -> None:
    (tmp_path / "weights.jsonl").write_bytes(b"x\n" * (MAX_UNUSABLE - 1) + WEIGHT + b"x\n" * 5000)
    findings = Findings()

    rows = list(read_rows(tmp_path, "weights", findings, clause="c"))

    assert [index for index, _ in rows] == [MAX_UNUSABLE - 1]
    # Its thousandth mistake, and the word that reading ends there.
    assert len(findings) == MAX_UNUSABLE + 1


def test_rows_written_by_a_run_are_all_usable(flip: Run) -> None:
    findings = Findings()

    for name, count in (("trials", 60), ("weights", 132)):
        assert len(list(read_rows(flip.folder, name, findings, clause="c"))) == count
    assert len(findings) == 0


def test_reading_r76_a_call_of_before_says_that_nobody_knows() -> None:
    old = {key: value for key, value in call(1).items() if key not in ("answered_at", "origin")}

    assert with_origin(old) == {**old, "answered_at": None, "origin": "unknown"}
    assert with_origin(call(1)) == call(1)


def test_reading_r76_taken_over_is_neither_asked_nor_a_batch() -> None:
    taken_flags = [is_taken(origin) for origin in ("cache", origin_of_run("0123456789abcdef" * 4))]
    own = [is_taken(origin) for origin in (None, "asked", "batch", "recorded", "unknown")]

    assert (taken_flags, own) == ([True] * 2, [False] * 5)
