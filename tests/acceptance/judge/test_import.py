"""Importing what judges said already, in the forms in which people have it."""

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from judge_support import planned, record_for, table_row, write_rows
from program_support import as_text, run_program

from epc.spec.judge_v1 import DIMENSIONS

EXAMPLE = Path(__file__).parents[3] / "site" / "docs" / "data" / "judged-scores"
ROWS = [table_row(question, variant, "m/x") for question in ("q1", "q2") for variant in "AB"]
QUOTE = "An answer of m/x"
JUDGE = "GPT-4"
MARKS = ("marks", "rules", "meaning", "whole")
MAPPING = {
    "id": "four",
    "description": "The four dimensions under other names.",
    "scale": {"lowest": 0, "highest": 2},
    "cuts": [1, 2],
    "dimensions": {
        ours: {"from": [theirs], "rule": "minimum"}
        for ours, theirs in zip(DIMENSIONS, MARKS, strict=True)
    },
    "constants": {"target_model": "m/x"},
    "fields": {"reason": "/notes"},
    "patterns": [
        {"source": "file name", "forms": ["said by {judge_model}.json"]},
        {"source": "/file", "forms": ["{question_id}_{prompt_variant}.txt"]},
    ],
    "templates": {"output_id": "m/x/{question_id}/{prompt_variant}.txt"},
}


def epc(*arguments: str | Path) -> Any:
    return as_text(run_program(*arguments))


def set_of(folder: Path, mapping: dict[str, Any] | None = None) -> Path:
    asked = {}
    if mapping is not None:
        asked["mapping"] = folder.with_suffix(".mapping.json")
        asked["mapping"].write_text(json.dumps(mapping))
    planned(folder, ROWS, [JUDGE], recorded=True, **asked)
    return folder


def totals(folder: Path) -> dict[str, Any]:
    log = json.loads((folder / "run_log.json").read_text())
    record: dict[str, Any] = log["totals"]["cross_judge"]
    return record


def foreign(row: dict[str, Any], **further_fields: Any) -> dict[str, Any]:
    return {
        "file": f"{row['question_id']}_{row['prompt_variant']}.txt",
        "scores": dict.fromkeys(MARKS, 2),
        "evidence": dict.fromkeys(MARKS, QUOTE),
        "notes": "As asked.",
        **further_fields,
    }


def test_the_published_agreement_of_prompt_drift_lab_comes_out_of_its_table(tmp_path: Path) -> None:
    """What its authors print: MAE 1.06, 0.12, 1.25; 7, 14 and 6 equal; means 8.56, 2.19, 4.91."""
    folder = tmp_path / "imported"
    judges = [word for name in ("chatgpt", "claude", "gemini") for word in ("--judge", name)]
    arguments = ("--methods", "cross", "--recorded", "--mapping", EXAMPLE / "mapping.json")
    made = epc("judge", "plan", EXAMPLE / "outputs.csv", *judges, *arguments, "--out", folder)
    done = epc("judge", "import", EXAMPLE / "scores.csv", folder, "--format", "json")

    assert (made.returncode, done.returncode) == (0, 0), done.stderr
    (evaluation,) = json.loads(done.stdout)["evaluations"]
    own_scales = {
        tuple(pair["judges"]): pair["own_scale"]
        for pair in evaluation["agreement"]["readable"]["pairs"]
    }
    assert {
        judges: (each["outputs"], each["mean_absolute_error"]["mean"], each["same"]["count"])
        for judges, each in own_scales.items()
    } == {
        ("chatgpt", "claude"): (16, 17 / 16, 7),
        ("chatgpt", "gemini"): (16, 2 / 16, 14),
        ("claude", "gemini"): (16, 20 / 16, 6),
    }
    targets = {
        row["value"]: row["own_scale"]["mean"] for row in evaluation["primary"]["target_model"]
    }
    assert targets == {"chatgpt": 274 / 32, "claude": 70 / 32, "gemini": 157 / 32}
    assert any("the rows hold no quotes" in remark for remark in evaluation["remarks"])
    assert not any("no evidence about the outputs" in remark for remark in evaluation["remarks"])
    assert epc("judge", "check", folder).returncode == 0


def as_csv(path: Path) -> Path:
    with path.open("w", encoding="utf-8-sig", newline="") as file:  # as a spreadsheet saves it
        writer = csv.DictWriter(file, ["reply", "judge_model", *ROWS[0]])
        writer.writeheader()
        for row in ROWS:
            text = json.dumps(record_for(row, JUDGE))
            writer.writerow({"reply": text, "judge_model": JUDGE, **row})
    return path


def as_array(path: Path) -> Path:
    path.write_text(json.dumps([record_for(row, JUDGE) for row in ROWS], indent=2))
    return path


def as_lines(path: Path) -> Path:
    return write_rows(path, [record_for(row, JUDGE) for row in ROWS])


def as_parquet(path: Path) -> Path:
    said = [json.dumps(record_for(row, JUDGE)) for row in ROWS]
    rows = [
        {"reply": reply, "judge_model": JUDGE, **row} for reply, row in zip(said, ROWS, strict=True)
    ]
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def as_folder(path: Path) -> Path:
    path.mkdir()
    for index, row in enumerate(ROWS):
        (path / f"{index}.json").write_text(json.dumps(record_for(row, JUDGE), indent=2))
    (path / ".DS_Store").write_bytes(b"\x00")
    return path


@pytest.mark.parametrize("form", [as_csv, as_array, as_lines, as_parquet, as_folder])
def test_records_are_read_in_every_form_whatever_the_files_name(tmp_path: Path, form: Any) -> None:
    folder = set_of(tmp_path / "set")
    done = epc("judge", "import", form(tmp_path / "said"), folder)

    assert done.returncode == 0, done.stderr
    assert (totals(folder)["valid"], totals(folder)["samples"]) == (4, 4)


def test_a_bundle_by_dimension_with_a_reason_in_its_notes_becomes_valid(tmp_path: Path) -> None:
    folder = set_of(tmp_path / "set", {**MAPPING, "rows": "/per_file"})
    bundle = tmp_path / f"said by {JUDGE}.json"
    bundle.write_text(json.dumps({"size": 4, "per_file": [foreign(row) for row in ROWS]}, indent=2))
    done = epc("judge", "import", bundle, folder)

    assert done.returncode == 0, done.stderr
    assert totals(folder)["valid"] == 4
    assert epc("judge", "check", folder).returncode == 0


def test_nested_scores_and_quotes_beside_them_become_valid(tmp_path: Path) -> None:
    nested = {"mark": 2, "quote": QUOTE, "reason": "As asked."}
    records = [foreign(row, scores=dict.fromkeys(MARKS, nested)) for row in ROWS]
    mapping = {**MAPPING, "score": "/mark", "fields": {"evidence": "/scores"}}
    folder = set_of(tmp_path / "set", mapping)
    bundle = tmp_path / f"said by {JUDGE}.json"
    bundle.write_text(json.dumps(records))
    done = epc("judge", "import", bundle, folder)

    assert done.returncode == 0, done.stderr
    assert totals(folder)["valid"] == 4


def test_an_empty_quote_is_no_evidence(tmp_path: Path) -> None:
    folder = set_of(tmp_path / "set", MAPPING)
    bundle = tmp_path / f"said by {JUDGE}.json"
    blank = {**dict.fromkeys(MARKS, QUOTE), "whole": ""}
    bundle.write_text(json.dumps([foreign(row, evidence=blank) for row in ROWS]))
    done = epc("judge", "import", bundle, folder, "--format", "json")

    (evaluation,) = json.loads(done.stdout)["evaluations"]
    assert [(row["quotes"], row["verbatim"]["count"]) for row in evaluation["evidence"]] == [
        (12, 12)
    ]
    assert totals(folder)["flags"] == {"PROTOCOL_VIOLATION": 4}


def test_ids_that_all_differ_are_refused_with_an_example_and_nothing_is_written(
    tmp_path: Path,
) -> None:
    folder = set_of(tmp_path / "set")
    other_reply_records = [
        record_for({**row, "question_id": row["question_id"].upper()}, JUDGE) for row in ROWS
    ]
    done = epc("judge", "import", write_rows(tmp_path / "said", other_reply_records), folder)

    assert done.returncode == 1, done.stderr
    assert "4 of 4 rows are about no sample of the set: nothing was written" in done.stderr
    assert "question_id 'Q1'" in done.stderr
    assert "the nearest sample is question_id 'q1', prompt_variant 'A'" in done.stderr
    assert not (folder / "run_log.json").exists()
    again = epc("judge", "import", as_lines(tmp_path / "right"), folder)
    assert again.returncode == 0


def test_ids_that_differ_in_some_rows_are_counted_for_nobody(tmp_path: Path) -> None:
    folder = set_of(tmp_path / "set")
    reply_records = [record_for(row, JUDGE) for row in ROWS]
    reply_records[3] = record_for({**ROWS[3], "output_id": "elsewhere.txt"}, JUDGE)
    done = epc("judge", "import", write_rows(tmp_path / "said", reply_records), folder)

    assert done.returncode == 1
    assert "said, line 4: is about no sample of the set" in done.stderr
    assert "1 samples of the set have no row in what was imported" in done.stdout
    assert "no evidence about the outputs" not in done.stdout
    counts = totals(folder)
    assert (counts["valid"], counts["not_judged"], counts["surplus"]) == (3, 1, 1)


def test_a_row_without_a_name_says_what_it_has(tmp_path: Path) -> None:
    folder = set_of(tmp_path / "set", {**MAPPING, "patterns": MAPPING["patterns"][1:]})  # type: ignore[index]  # a list, as JSON has it
    bundle = tmp_path / "said.json"
    bundle.write_text(json.dumps([foreign(ROWS[0])]))
    done = epc("judge", "import", bundle, folder)

    assert done.returncode == 2
    assert "said.json, row 1" in done.stderr
    assert "does not say its judge_model: it has 'file', 'scores'" in done.stderr
    assert "`patterns`" in done.stderr
