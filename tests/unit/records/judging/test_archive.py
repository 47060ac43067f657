"""Valid here, invalid there, nothing dropped, and all of it checked again from the raw replies."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from judge_support import (
    archived,
    grid,
    imported,
    judged_by_models,
    planned,
    record_for,
    reply_row,
    table_row,
    write_rows,
)

from epc.errors import MalformedError, UsageError
from epc.records.judging.documents import (
    RUN_LOG,
    SAMPLES,
    load_run_log,
    records_path,
)
from epc.records.judging.recheck import recheck
from epc.records.judging.sources import import_replies
from epc.records.schemas import findings as schema_findings
from epc.spec.judge_v1 import METHODS

ROWS = grid()
JUDGES = ("j/1", "j/2")
HOSTILE = ("../../up", "/etc/passwd", "a\x00b", "\u202etxt", "con", "x" * 5000, "a\nb", "\"'`$meta")


def good() -> list[dict[str, Any]]:
    return [reply_row(row, judge, record_for(row, judge)) for row in ROWS for judge in JUDGES]


def test_judge_7_4_valid_and_invalid_stand_apart_by_method(tmp_path: Path) -> None:
    replies = good()
    replies[0]["reply"] = "I'm sorry, but I can't."
    replies[3]["reply"] = f"```json\n{replies[3]['reply']}\n```"

    log = imported(tmp_path / "e", ROWS, replies)

    assert log["totals"]["cross_judge"] == {
        "samples": 8,
        "valid": 6,
        "invalid": 2,
        "not_judged": 0,
        "replies": 8,
        "surplus": 0,
        "flags": {"UNPARSABLE_OUTPUT": 2, "JUDGE_REFUSAL_OR_EVASION": 1},
    }
    valid, invalid = (archived(tmp_path / "e", valid=valid) for valid in (True, False))
    assert [record["raw"] for record in invalid] == [replies[0]["reply"], replies[3]["reply"]]
    assert all(record["verdict"] == record["judge_verdict"] == "PASS" for record in valid)
    assert {record["sample"]["judge_model"] for record in valid} == set(JUDGES)
    for record in (*valid, *invalid):
        assert schema_findings("judge_record", record) == []


def test_judge_9_2_the_invalid_folder_explains_itself(tmp_path: Path) -> None:
    imported(tmp_path / "e", ROWS, good())

    said = (tmp_path / "e" / "invalid_evaluations" / "README.md").read_text("utf-8")

    assert all(flag in said for flag in ("UNPARSABLE_OUTPUT", "INTERNAL_INCONSISTENCY"))
    assert "not low\nquality" in said


def test_our_verdict_stands_beside_the_judges(tmp_path: Path) -> None:
    row = ROWS[0]
    admitted = {**record_for(row, "j/1", (0, 1, 1, 1)), "verdict": "PARTIAL"}

    imported(tmp_path / "e", [row], [reply_row(row, "j/1", admitted)], judges=["j/1"])

    (record,) = archived(tmp_path / "e", valid=True)
    assert (record["verdict"], record["judge_verdict"]) == ("FAIL", "PARTIAL")


def test_judge_7_2_a_sample_judged_twice_is_invalid_both_times(tmp_path: Path) -> None:
    replies = good()

    log = imported(tmp_path / "e", ROWS, [*replies, replies[5]])

    total = log["totals"]["cross_judge"]
    assert (total["samples"], total["valid"], total["invalid"]) == (8, 7, 1)
    assert (total["replies"], total["surplus"]) == (9, 1)
    twice = archived(tmp_path / "e", valid=False)
    assert [record["flags"] for record in twice] == [["INCOMPLETE_COVERAGE"]] * 2


def test_judge_7_1_a_sample_that_nobody_judged_is_in_the_archive(tmp_path: Path) -> None:
    log = imported(tmp_path / "e", ROWS, good()[:-2])

    total = log["totals"]["cross_judge"]
    assert (total["samples"], total["invalid"], total["not_judged"]) == (8, 2, 2)
    missing = archived(tmp_path / "e", valid=False)
    assert [record["raw"] for record in missing] == [None, None]


def test_a_reply_about_nothing_in_the_set_is_kept_and_counted_beside_it(tmp_path: Path) -> None:
    stranger = table_row("Q9", "A", "m/x")
    own = {**ROWS[0], "target_model": "j/1"}  # a self-judgment that was not planned
    more = [
        reply_row(stranger, "j/1", record_for(stranger, "j/1")),
        reply_row(ROWS[0], "j/9", record_for(ROWS[0], "j/9")),
        reply_row(own, "j/1", record_for(own, "j/1")),
    ]

    log = imported(tmp_path / "e", ROWS, [*good(), *more])

    assert log["totals"]["cross_judge"]["surplus"] == 2
    assert log["totals"]["self_judge"]["surplus"] == 1
    assert log["totals"]["cross_judge"]["valid"] == 8
    assert recheck(tmp_path / "e").ok


def test_reading_r23_totals_add_up_whatever_comes(tmp_path: Path) -> None:
    kinds = ["good", "again", "nothing", "rubbish", "stranger"]

    # One fits the set: where none does, nothing is written.
    @given(st.lists(st.sampled_from(kinds), min_size=7, max_size=7).map(["good"].__add__))
    @settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def holds(drawn: list[str]) -> None:
        replies: list[dict[str, Any]] = []
        for reply, kind in zip(good(), drawn, strict=True):
            rubbish = {**reply, "reply": "{"}
            stranger = {**reply, "question_id": "Q9"}
            chosen = {"good": [reply], "again": [reply, rubbish], "nothing": []}
            replies += chosen.get(kind, [rubbish] if kind == "rubbish" else [stranger])
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        log = imported(folder, ROWS, replies)
        total = log["totals"]["cross_judge"]
        assert total["samples"] == 8 == total["valid"] + total["invalid"]
        assert total["valid"] == drawn.count("good")
        assert total["not_judged"] == drawn.count("nothing") + drawn.count("stranger")
        assert total["replies"] == len(replies)
        assert total["replies"] == 8 - total["not_judged"] + total["surplus"]
        kept_raws = [
            record["raw"]
            for valid in (True, False)
            for record in archived(folder, valid=valid)
            if record["raw"] is not None
        ]
        assert sorted(kept_raws) == sorted(reply["reply"] for reply in replies)
        assert recheck(folder).ok

    holds()


def test_hostile_identifiers_and_outputs_reach_no_file_name(tmp_path: Path) -> None:
    rows = [
        {**table_row(name, name, name), "output_id": f"{name}|{index}", "output": f"{name} words"}
        for index, name in enumerate(HOSTILE)
    ]
    replies = [reply_row(row, "../judge", record_for(row, "../judge")) for row in rows]
    (tmp_path / "in").mkdir()

    imported(tmp_path / "in" / "e", rows, replies, judges=["../judge"], allow_gaps=True)

    assert {path.name for path in tmp_path.iterdir()} == {"in"}
    allowed = set("abcdefghijklmnopqrstuvwxyz0123456789._-RDMEA")
    for path in (tmp_path / "in" / "e").rglob("*"):
        assert set(path.name) <= allowed, path
    assert len(archived(tmp_path / "in" / "e", valid=True)) == len(HOSTILE)
    assert recheck(tmp_path / "in" / "e").ok


def test_a_ten_megabyte_output_and_reply_are_archived(tmp_path: Path) -> None:
    row = {**ROWS[0], "output": "word " * 2_000_000}
    reply = record_for(row, "j/1")
    reply["notes"] = "n" * 10_000_000

    imported(tmp_path / "e", [row], [reply_row(row, "j/1", reply)], judges=["j/1"])

    (record,) = archived(tmp_path / "e", valid=True)
    assert len(record["raw"]) > 10_000_000
    assert recheck(tmp_path / "e").ok


def damage(folder: Path, **changed: Any) -> None:
    path = records_path(folder, valid=True, method="cross_judge")
    first, *remaining_text = path.read_text("utf-8").splitlines()
    record = {**json.loads(first), **changed}
    path.write_text("\n".join([json.dumps(record), *remaining_text, ""]), "utf-8")


@pytest.mark.parametrize(
    ("changed", "where"),
    [
        ({"verdict": "FAIL"}, "/verdict"),
        ({"judge_verdict": "FAIL"}, "/judge_verdict"),
        ({"raw": "{}"}, "/flags"),
        ({"raw": None}, "/flags"),
        ({"flags": ["PROTOCOL_VIOLATION"]}, "/flags"),
        ({"id": "0" * 20}, "/id"),
        ({"output_sha256": "0" * 64}, "/output_sha256"),
        ({"quotes": {"given": 4, "invented": 1}}, "/quotes/invented"),
        ({"valid": False}, "/valid"),
        ({"extra": 1}, "/extra"),
    ],
)
def test_judge_7_3_a_record_that_was_changed_is_found(
    tmp_path: Path, changed: dict[str, Any], where: str
) -> None:
    imported(tmp_path / "e", ROWS, good())
    assert recheck(tmp_path / "e").findings == []

    damage(tmp_path / "e", **changed)

    places = [finding.where for finding in recheck(tmp_path / "e").findings]
    assert f"/valid_evaluations/cross_judge/0{where}" in places
    assert "/files/valid_evaluations~1cross_judge~1records.jsonl" in places


def test_a_record_that_was_taken_out_is_missed(tmp_path: Path) -> None:
    imported(tmp_path / "e", ROWS, good())
    path = records_path(tmp_path / "e", valid=True, method="cross_judge")
    path.write_text("".join(path.read_text("utf-8").splitlines(keepends=True)[1:]), "utf-8")

    clauses = {finding.clause for finding in recheck(tmp_path / "e").findings}

    assert {"JUDGE-7.1", "JUDGE-7.4"} <= clauses


def test_totals_that_were_changed_are_found(tmp_path: Path) -> None:
    imported(tmp_path / "e", ROWS, good())
    log = json.loads((tmp_path / "e" / RUN_LOG).read_text("utf-8"))
    log["totals"]["cross_judge"]["valid"] = 7
    (tmp_path / "e" / RUN_LOG).write_text(json.dumps(log), "utf-8")

    assert [finding.where for finding in recheck(tmp_path / "e").findings] == [
        "/totals/cross_judge/valid"
    ]


def test_an_output_that_was_changed_stops_the_check_or_changes_the_records(tmp_path: Path) -> None:
    imported(tmp_path / "e", ROWS, good())
    output = next((tmp_path / "e" / "outputs").iterdir())
    output.write_text("Something else.", "utf-8")

    assert not recheck(tmp_path / "e").ok


def test_the_sample_list_is_the_planned_one(tmp_path: Path) -> None:
    imported(tmp_path / "e", ROWS, good())
    path = tmp_path / "e" / SAMPLES
    path.write_text(path.read_text("utf-8").replace("Q1", "Q7"), "utf-8")

    assert "/samples" in [finding.where for finding in recheck(tmp_path / "e").findings]


@pytest.mark.parametrize(
    "row",
    [
        [],
        {"reply": "x"},
        {**reply_row(ROWS[0], "j/1", "x"), "question_id": 7},
        {"meta": {"judge_model": "j/1"}},
    ],
    ids=["array", "nothing", "number", "record"],
)
def test_judge_6_3_a_row_that_names_nobody_is_refused_with_its_place(
    tmp_path: Path, row: Any
) -> None:
    planned(tmp_path / "e", ROWS, JUDGES, recorded=True)
    bundle = write_rows(tmp_path / "b.jsonl", [good()[0], row])

    with pytest.raises(MalformedError) as refused:
        import_replies(bundle, tmp_path / "e", now="2026-07-02T00:00:00Z")

    assert refused.value.finding.where == "b.jsonl, line 2"
    assert not (tmp_path / "e" / RUN_LOG).exists()


def test_records_without_a_wrapper_are_imported_by_their_own_meta(tmp_path: Path) -> None:
    planned(tmp_path / "e", ROWS, ["j/1"], recorded=True)
    bundle = tmp_path / "bundle.json"
    bundle.write_text(json.dumps([record_for(row, "j/1") for row in ROWS]), "utf-8")

    log, unmatched = import_replies(bundle, tmp_path / "e", now="2026-07-02T00:00:00Z")

    assert log is not None
    assert unmatched.rows == 0
    assert log.totals["cross_judge"].valid == 4
    assert log.tools.startswith("unknown")


def test_an_evaluation_is_judged_once(tmp_path: Path) -> None:
    imported(tmp_path / "e", ROWS, good())

    with pytest.raises(UsageError, match="holds judgments already"):
        import_replies(tmp_path / "e.replies.jsonl", tmp_path / "e", now="2026-07-02T00:00:00Z")
    with pytest.raises(UsageError, match="epc judge import"):
        judged_by_models(tmp_path / "e")
    assert tuple(load_run_log(tmp_path / "e").totals) == METHODS
