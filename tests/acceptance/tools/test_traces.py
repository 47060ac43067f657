"""Traces of judges: exports of eight programs, small files of each (`traces/README.md`)."""

import json
from pathlib import Path
from typing import Any

import pytest
from records_support import epc

from epc.records.observed.traces import SHAPES

FOLDER = Path(__file__).parent / "traces"
NAMES = sorted(folder.name for folder in FOLDER.iterdir() if folder.is_dir())


def source(name: str) -> Path:
    (found,) = [path for path in (FOLDER / name).iterdir() if path.name != "expected.json"]
    return found


def imported(name: str, out: Path, *words: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    done = epc("observe", "import", source(name), "--shape", name, "--out", out, *words)
    assert done.returncode == 0, done.stdout
    header, *rows = map(json.loads, out.read_text().splitlines())
    return header, rows


def test_there_is_a_folder_for_each_shape() -> None:
    assert sorted(SHAPES) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_scores_of_judges_are_verdicts_and_what_is_none_is_counted(
    name: str, tmp_path: Path
) -> None:
    expected = json.loads((FOLDER / name / "expected.json").read_text())
    stated = [
        word for key, value in expected["set"].items() for word in ("--set", f"{key}={value}")
    ]

    header, rows = imported(name, tmp_path / "out.jsonl", *stated)

    judges = {key: setting["judge"] for key, setting in header["settings"].items()}
    found = [
        [
            row["subset"],
            judges[row["setting"]]["name"],
            judges[row["setting"]]["model"],
            row.get("a_score", row.get("verdict")),
            *(row.get(each) for each in ("date", "a_by", "repeat")),
        ]
        for row in rows
    ]
    assert found == expected["verdicts"]
    assert header.get("left_out", {}) == expected["left_out"]
    assert header.get("identity", "text") == expected["identity"]
    assert all(setting["prompt"]["name"] for setting in header["settings"].values())


@pytest.mark.parametrize("name", NAMES)
def test_what_an_export_lacks_is_said(name: str, tmp_path: Path) -> None:
    words = ("--set", "judge=unknown")
    done = epc(
        "observe", "import", source(name), "--shape", name, "--out", tmp_path / "o.jsonl", *words
    )

    for fault in SHAPES[name].faults:
        assert f"known fault {fault.id}: {fault.says}" in done.stderr.decode()
    assert "no-prompt" in {fault.id for fault in SHAPES[name].faults}


def test_labels_and_a_judge_that_the_user_states_make_verdicts(tmp_path: Path) -> None:
    words = ("--label", "polite=1", "--set", "judge=openai/gpt-5.4-mini")

    header, rows = imported("langfuse", tmp_path / "out.jsonl", *words)

    assert [row["a_score"] for row in rows] == [0.8, 0.0, 1.0, 3.2]
    assert header["left_out"] == {"scores by people": 1}


def test_scores_that_nobody_is_said_to_have_given_are_a_finding_with_the_way_out(
    tmp_path: Path,
) -> None:
    done = epc(
        "observe", "import", source("ragas"), "--shape", "ragas", "--out", tmp_path / "out.jsonl"
    )

    assert done.returncode == 1
    assert b"holds no verdict, but 4 scores of which nobody says" in done.stdout
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
        *("observe", "import", source("ragas"), "--shape", "ragas", "--set", "item=1"),
        *("--out", tmp_path / "out.jsonl"),
    )

    assert b"item is none of judge, model, platform, prompt_sha256, decoding" in done.stdout
