"""Tests of which calls an evaluation's records refer to."""

import json
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from judge_support import archived, grid, judged_by_models, planned

from epc.records.findings import Findings
from epc.records.judging.documents import RUN_LOG, load_plan, records_path
from epc.records.judging.recheck import NamedCalls, recheck
from epc.records.layout import CALLS


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("asked") / "e"
    planned(home, grid(), ("mock/judge",))
    judged_by_models(home)
    return home


def record(like: dict[str, Any], **changed: Any) -> Any:
    fields = {"date": None, "calls": like["calls"], "raw": like["raw"], **changed}
    return SimpleNamespace(sample=SimpleNamespace(judge_model="mock/judge"), **fields)


def test_a_record_has_its_judges_calls_and_the_last_one_gave_its_reply(folder: Path) -> None:
    calls = NamedCalls(folder, load_plan(folder), Findings())
    first, second = archived(folder, valid=True)[:2]

    assert calls.answered(record(first))
    assert calls.answered(record(first, calls=second["calls"] + first["calls"]))
    assert not calls.answered(record(first, raw="another reply"))
    assert not calls.answered(record(first, raw=None))
    assert not calls.answered(record(first, calls=first["calls"] + second["calls"]))
    assert not calls.answered(record(first, calls=["0" * 64]))


def test_judge_5_2_a_record_alone_says_on_which_day_its_judge_was_asked(folder: Path) -> None:
    days = {
        call["id"]: call["answered_at"].partition("T")[0]
        for call in map(json.loads, (folder / CALLS).read_text("utf-8").splitlines())
    }
    records = archived(folder, valid=True)

    assert records
    for record in records:
        assert record["date"] == days[record["calls"][-1]]
        assert record["sample"].keys() >= {"judge_model", "target_model", "method"}
    path = records_path(folder, valid=True, method="cross_judge")
    before = path.read_text("utf-8")
    path.write_text(before.replace(f'"date":"{records[0]["date"]}"', '"date":"2020-02-29"', 1))
    problems = [f.problem for f in recheck(folder).findings if f.where.endswith("/calls")]
    path.write_text(before)
    assert problems == [
        "calls.jsonl has no such answer of this judge to this record's prompt on 2020-02-29"
    ]
    assert recheck(folder).ok


def test_judge_7_3_each_call_that_was_edited_is_found(folder: Path, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in (folder / CALLS).read_text("utf-8").splitlines()]
    for row in rows:
        row["prompt"] += " "
    (tmp_path / CALLS).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    findings = Findings()

    NamedCalls(tmp_path, load_plan(folder), findings)

    places = [(f.clause, f.where) for f in findings.as_list()]
    assert places == [("JUDGE-7.3", f"/calls/{index}/id") for index in range(len(rows))]


def test_judge_8_what_a_judge_spent_is_counted_from_its_calls(folder: Path, tmp_path: Path) -> None:
    home = shutil.copytree(folder, tmp_path / "e")
    log = json.loads((home / RUN_LOG).read_text("utf-8"))
    log["judges"][0] |= {"tokens_in": 1, "served_models": {"another": 4}}
    (home / RUN_LOG).write_text(json.dumps(log), "utf-8")

    findings = recheck(home).findings

    assert {f.where for f in findings} >= {"/judges/0/tokens_in", "/judges/0/served_models/another"}
    assert {f.clause for f in findings} == {"JUDGE-8"}
