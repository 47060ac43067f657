"""Traces of judges: exports of eight programs, small files of each (`traces/README.md`)."""

import json
from pathlib import Path
from typing import Any

import pytest
from records_support import epc

from epc.records.verdicts.traces import SHAPES

FOLDER = Path(__file__).parent / "traces"
EXPORTS = sorted(
    path.relative_to(FOLDER).as_posix()
    for path in FOLDER.glob("*/*")
    if path.name != "expected.json"
)


def shape(export: str) -> str:
    return export.partition("/")[0].partition("-")[0]


def imported(
    export: str, out: Path, *arguments: str
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    source = FOLDER / export
    done = epc("observe", "import", source, "--shape", shape(export), "--out", out, *arguments)
    assert done.returncode == 0, done.stdout
    header, *rows = map(json.loads, out.read_text().splitlines())
    return header, rows


def test_there_is_a_folder_for_each_shape() -> None:
    assert {*SHAPES} == {*map(shape, EXPORTS)}


@pytest.mark.parametrize("export", EXPORTS)
def test_the_scores_of_judges_are_verdicts_and_what_is_none_is_counted(
    export: str, tmp_path: Path
) -> None:
    expected = json.loads((FOLDER / export).with_name("expected.json").read_text())
    stated_words = [
        word for key, value in expected["set"].items() for word in ("--set", f"{key}={value}")
    ]

    header, rows = imported(export, tmp_path / "out.jsonl", *stated_words)

    judges = {key: setting["judge"] for key, setting in header["settings"].items()}
    found = [
        [
            row["subset"],
            judges[row["setting"]]["name"],
            judges[row["setting"]]["model"],
            round(row["a_score"], 9) if "a_score" in row else row["verdict"],
            *(row.get(text) for text in ("date", "a_by", "repeat")),
        ]
        for row in rows
    ]
    assert found == expected["verdicts"]
    assert header.get("left_out", {}) == expected["left_out"]
    assert header.get("identity", "text") == expected["identity"]
    assert all(setting["prompt"]["name"] for setting in header["settings"].values())


@pytest.mark.parametrize("export", EXPORTS)
def test_what_an_export_lacks_is_said(export: str, tmp_path: Path) -> None:
    done = epc(
        *("observe", "import", FOLDER / export, "--shape", shape(export)),
        *("--out", tmp_path / "o.jsonl", "--set", "judge=unknown"),
    )

    for fault in SHAPES[shape(export)].faults:
        assert f"known fault {fault.id}: {fault.says}" in done.stderr.decode()
    assert "no-prompt" in {fault.id for fault in SHAPES[shape(export)].faults}


def test_a_score_that_failed_is_of_no_judge_where_none_of_its_metric_is_known(
    tmp_path: Path,
) -> None:
    failed, *_ = (FOLDER / "mlflow" / "traces.jsonl").read_text().splitlines()
    (tmp_path / "failed.jsonl").write_text(failed)

    done = epc(
        *("observe", "import", tmp_path / "failed.jsonl", "--shape", "mlflow"),
        *("--out", tmp_path / "out.jsonl"),
    )

    assert done.returncode == 1
    assert b"2 scores that failed, of which nobody says which judge was asked" in done.stdout


def test_labels_and_a_judge_that_the_user_states_make_verdicts(tmp_path: Path) -> None:
    arguments = ("--label", "polite=1", "--set", "judge=openai/gpt-5.4-mini")

    header, rows = imported("langfuse/scores.json", tmp_path / "out.jsonl", *arguments)

    assert [row["a_score"] for row in rows] == [0.8, 0.0, 1.0, 3.2]
    assert header["left_out"] == {}  # the score by a person stands beside the judge's
    assert [row.get("human_score") for row in rows].count(None) == len(rows) - 1


def test_scores_that_nobody_is_said_to_have_given_are_a_finding_with_the_way_out(
    tmp_path: Path,
) -> None:
    done = epc(
        *("observe", "import", FOLDER / "ragas" / "results.csv", "--shape", "ragas"),
        *("--out", tmp_path / "out.jsonl"),
    )

    assert done.returncode == 1
    assert b"6 scores of which nobody says" in done.stdout
    assert b"--set judge=MODEL" in done.stdout


def test_a_field_of_another_type_is_a_finding_with_the_shape(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"data": [{"name": "x", "annotator_kind": ["LLM"]}]}')

    done = epc(
        *("observe", "import", tmp_path / "x.json", "--shape", "phoenix"),
        *("--out", tmp_path / "out.jsonl"),
    )

    assert done.returncode == 1
    assert b"x.json: Expected `str | null`, got `array` - at `annotator_kind" in done.stdout
    assert b"expected annotations of Phoenix as JSON" in done.stdout


def test_set_takes_what_a_setting_has_and_nothing_else(tmp_path: Path) -> None:
    done = epc(
        *("observe", "import", FOLDER / "ragas" / "results.csv", "--shape", "ragas"),
        *("--set", "item=1", "--out", tmp_path / "out.jsonl"),
    )

    assert b"item is none of judge, model, platform, prompt_sha256, decoding" in done.stdout
