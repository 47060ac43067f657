"""`epc judge export`: the record object of JUDGE-5 with its true judge, method and time."""

import json
import shutil
from pathlib import Path

import pytest
from engine_support import DAY, epc
from judge_support import grid, write_rows

from epc.records.schemas import findings
from epc.spec.judge_v1 import IDENTIFIERS

SELF = "mock/judge"


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two judges, asked blind about outputs of others and of one of themselves."""
    home = tmp_path_factory.mktemp("export")
    rows = grid()
    for row in rows[:1]:
        row |= {"target_model": SELF, "output_id": "mine.txt"}
    write_rows(home / "outputs.jsonl", rows)
    judges = ("--judge", SELF, "--judge", "mock/careless-judge", "--allow-gaps")
    done = epc("judge", "plan", "outputs.jsonl", *judges, "--out", "judged", cwd=home)
    assert done.returncode == 0, done.stdout
    assert epc("judge", "run", "judged", cwd=home).returncode == 0
    return home / "judged"


def test_judge_5_an_archive_made_blind_is_exported_with_true_names(
    judged: Path, tmp_path: Path
) -> None:
    done = epc("judge", "export", judged)

    assert done.returncode == 0, done.stderr
    objects = [json.loads(line) for line in done.stdout.splitlines()]
    valid = [
        json.loads(line)
        for path in judged.glob("valid_evaluations/*/records.jsonl")
        for line in path.read_text().splitlines()
    ]
    assert 0 < len(objects) == len(valid)
    by_sample = {json.dumps(record["sample"], sort_keys=True): record for record in valid}
    for value in objects:
        assert [f.problem for f in findings("judge_reply", value)] == []
        meta = value["meta"]
        assert meta["timestamp"] == DAY.date().isoformat()
        sample = {key: text for key, text in meta.items() if key != "timestamp"}
        record = by_sample.pop(json.dumps(sample, sort_keys=True))
        raw = json.loads(record["raw"])
        assert (raw["meta"]["judge_model"], raw["meta"]["timestamp"]) == ("judge", "2000-01-01")
        assert [value[key] for key in ("scores", "verdict", "evidence")] == [
            raw[key] for key in ("scores", "verdict", "evidence")
        ]
        assert set(IDENTIFIERS) <= sample.keys()
        output = judged / "outputs" / f"{record['output_sha256']}.txt"
        (tmp_path / "reply.json").write_text(json.dumps(value))
        (tmp_path / "sample.json").write_text(json.dumps(sample))
        paths = ("--sample", tmp_path / "sample.json", "--output", output)
        checked = epc("judge", "check", tmp_path / "reply.json", *paths)
        assert checked.returncode == 0, checked.stdout
    methods = {value["meta"]["method"] for value in objects}
    assert methods == {"cross_judge", "self_judge"}


def test_judge_5_the_objects_go_to_a_file(judged: Path, tmp_path: Path) -> None:
    done = epc("judge", "export", judged, "--out", tmp_path / "records.jsonl")

    assert (done.returncode, done.stdout) == (0, "")
    assert (tmp_path / "records.jsonl").read_text() == epc("judge", "export", judged).stdout


def test_judge_5_an_evaluation_that_no_file_dates_is_left_out(judged: Path, tmp_path: Path) -> None:
    """Records of before had no day; the log says one only where it began and ended on it."""
    shutil.copytree(judged, tmp_path / "old")
    for path in (tmp_path / "old").glob("valid_evaluations/*/records.jsonl"):
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        path.write_text("".join(f"{json.dumps({**row, 'date': None})}\n" for row in lines))
        text = path.read_text().replace('"date": null, ', "")
        path.write_text(text.replace(', "date": null', ""))
    one_day = epc("judge", "export", tmp_path / "old")
    log = tmp_path / "old" / "run_log.json"
    document = json.loads(log.read_text())
    document["time"]["from"] = "2026-06-30T23:00:00Z"
    log.write_text(json.dumps(document))
    two_days = epc("judge", "export", tmp_path / "old")

    assert one_day.stdout == epc("judge", "export", judged).stdout
    assert (two_days.returncode, two_days.stdout) == (1, "")
    assert "left out, since no file says their day" in two_days.stderr
