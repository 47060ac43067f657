"""`epc observe import|check|report`, as a user types it (Reading R77)."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from observed_support import PROMPTS, llmbar
from program_support import run_program
from records_support import epc
from studies import llmbar as study

from epc.records.verdicts.converting import digest

PARQUET = pytest.param(".parquet", marks=pytest.mark.extra)
FORMS = [".jsonl", PARQUET]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return llmbar(tmp_path_factory.mktemp("llmbar"))


@pytest.fixture(scope="module")
def report(source: Path) -> dict[str, Any]:
    file = source.parent / "tiny.jsonl"
    assert epc("observe", "import", source, "--shape", "llmbar", "--out", file).returncode == 0
    document: dict[str, Any] = json.loads(epc("observe", "report", file, "--format=json").stdout)
    return document


def group(report: dict[str, Any], name: str) -> Any:
    return next(group for group in report["groups"] if group["settings"][0] == name)


def values(report: dict[str, Any], name: str) -> dict[str, float]:
    return {key: round(f["value"], 6) for key, f in group(report, name)["figures"].items()}


def test_reading_r77_figures_of_places_gold_and_length_come_out(report: dict[str, Any]) -> None:
    """Items: right in both orders; the first place in both; unreadable, then right."""
    assert values(report, "J/Vanilla") == {
        "place_consistency": 0.333333,
        "place_consistency_readable": 0.5,
        "first_place": 0.75,
        "accuracy": 0.666667,
        "accuracy_gold_first": 0.666667,
        "accuracy_gold_second": 0.666667,
        "ties": 0,
        "unreadable": 0.166667,
        "accuracy_readable": 0.833333,  # of the items 1, a half, 1
        "longer": 0.5,  # of the items 1, a half, 0
        "longer_by_gold": 0.375,  # 3 of 4 where it is better, 0 of 1 where it is worse
    }


def test_reading_r77_a_prompt_asked_under_two_names_is_one_setting(report: dict[str, Any]) -> None:
    """Of 6 pairs of askings 5 agree; 2 have equal long answers, 1 of them with two verdicts."""
    actual_group = group(report, "J/CoT")

    assert actual_group["settings"] == ["J/CoT", "J/Swap/1"]
    assert (actual_group["equal_answers"], actual_group["equal_answers_other_verdict"]) == (2, 1)
    assert values(report, "J/CoT")["repeat_consistency"] == 1
    assert values(report, "J/CoT")["repeat_consistency_all"] == 0.833333


def test_reading_r77_a_second_step_says_whom_it_was_asked_about(report: dict[str, Any]) -> None:
    actual_group = group(report, "J/Swap")

    assert actual_group["verdicts"] == 2
    assert "disagreed" in actual_group["setting"]["note"]


def test_reading_r77_scores_are_kept_and_winners_derived_from_them_are_not(
    report: dict[str, Any],
) -> None:
    assert values(report, "J/Rating") == {
        "accuracy": 0.333333,
        "accuracy_readable": 0.5,
        "ties": 0.333333,
        "unreadable": 0.333333,
        "longer": 1,
    }
    assert report["left_out"] == {
        "auxiliary texts of a strategy's earlier steps": 3,
        "winners derived from two ratings": 6,
    }


def test_reading_r77_what_the_source_does_not_state_is_unknown(report: dict[str, Any]) -> None:
    stated_setting = group(report, "J/Vanilla")["setting"]

    assert stated_setting == {
        "date": "unknown",
        "decoding": {"temperature": 0.0},
        "judge": {"model": "judge-0613", "name": "J", "platform": "unknown"},
        "prompt": {"name": "Vanilla.txt", "sha256": digest(PROMPTS["Vanilla.txt"])},
    }
    assert report["source"]["licence"] == "MIT"
    assert report["source"]["commit"] == "unknown"


def test_reading_r77_a_second_computation_gives_the_same_figures(
    source: Path, report: dict[str, Any]
) -> None:
    ours = study.figures(source)

    assert sorted(ours) == ["J/Metrics", "J/Vanilla"]
    assert study.differences(ours, report) == []
    ours["J/Vanilla"]["accuracy"] += 0.01
    assert len(study.differences(ours, report)) == 1


@pytest.mark.parametrize("form", FORMS)
def test_reading_r77_both_forms_are_clean_and_say_the_same(
    form: str, source: Path, report: dict[str, Any], tmp_path: Path
) -> None:
    file = tmp_path / f"tiny{form}"
    epc("observe", "import", source, "--shape", "llmbar", "--texts", "--out", file)

    checked = epc("validate", file)

    assert checked.stdout == epc("observe", "check", file).stdout
    assert (checked.returncode, checked.stderr) == (0, b"")
    assert checked.stdout.decode() == f"{file}: ok, findings: 0\n"
    repeated_document = json.loads(epc("observe", "report", file, "--format", "json").stdout)
    assert repeated_document["groups"] == report["groups"]
    assert repeated_document["source"]["texts"] is True


def test_reading_r77_a_checkout_says_its_commit(tmp_path: Path) -> None:
    checkout = llmbar(tmp_path / "clone")
    git = ["git", "-C", str(checkout), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
        subprocess.run([*git, *arguments], check=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True).stdout

    file = tmp_path / "tiny.jsonl"
    epc("observe", "import", checkout, "--shape", "llmbar", "--out", file)

    assert f'"commit":"{head.decode().strip()}"' in file.read_text().splitlines()[0]


def test_the_text_of_a_report_has_the_figures_and_what_is_left_out(
    source: Path, tmp_path: Path
) -> None:
    file = tmp_path / "tiny.jsonl"
    epc("observe", "import", source, "--shape", "llmbar", "--out", file)
    done = epc("observe", "report", file, "--setting", "*/Rating")

    text = done.stdout.decode()
    assert "place consistency" not in text
    assert re.search(r"^  accuracy +0\.333 \(too few items\) +3 +3$", text, re.MULTILINE)
    assert "\n  - first_place: no item was decided in both" in text
    assert "J/Vanilla" not in text


def test_reading_r77_a_source_without_a_configuration_gets_a_finding(tmp_path: Path) -> None:
    place = llmbar(tmp_path / "repository")
    (place / "LLMEvaluator/evaluators/config/J/CoT.json").unlink()

    done = epc("observe", "import", place, "--shape", "llmbar", "--out", tmp_path / "o.jsonl")

    assert done.returncode == 1
    assert "evaluators/config/J/CoT.json: is missing" in done.stdout.decode()


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        ("[]", "holds no Dataset"),
        ('[{"input": 1}]', "Expected `str`, got `int` - at `$[0].input`"),
    ],
)
def test_reading_r77_a_source_of_another_shape_gets_a_finding(
    damage: str, expected: str, tmp_path: Path
) -> None:
    place = tmp_path / "repository"
    if damage == "[]":
        place.mkdir()
    else:
        (llmbar(place) / "Dataset/Set/Tiny/evaluators/J/CoT/result.json").write_text(damage)

    done = epc("observe", "import", place, "--shape", "llmbar", "--out", tmp_path / "o.jsonl")

    assert done.returncode == 1
    assert expected in done.stdout.decode()
    assert "expected a folder with Dataset/" in done.stdout.decode()


TABLE = """id,model,answer_1,answer_2,shown first,choice,better
q1,m,yes,nope,model_1,first,model_1
q1,m,yes,nope,model_2,first,model_1
q2,m,"long, answer",x,model_1,model_2,model_2
"""
MAPPED = [
    *("--map", "item=id", "--map", "judge=model", "--map", "a=answer_1", "--map", "b=answer_2"),
    *("--map", "first=shown first", "--map", "verdict=choice", "--map", "gold=better"),
    *("--label", "model_1=a", "--label", "model_2=b", "--licence", "CC-BY-4.0"),
]


def test_reading_r77_a_table_is_read_by_a_map_of_its_columns(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TABLE)

    done = run_program(
        "observe", "import", "t.csv", "--shape=csv", *MAPPED, "--out=t.jsonl", cwd=tmp_path
    )

    assert (done.returncode, done.stdout) == (0, b"t.csv: ok, findings: 0\n")
    header, *rows = map(json.loads, (tmp_path / "t.jsonl").read_text().splitlines())
    assert header["settings"]["m"]["judge"] == {
        "model": "m",  # a column of that name
        "name": "m",
        "platform": "unknown",
    }
    assert [row["verdict"] for row in rows] == ["a", "b", "b"]
    assert rows[2] == {
        "a_length": 12,
        "a_sha256": digest("long, answer"),
        "b_length": 1,
        "b_sha256": digest("x"),
        "file": "table",
        "first": "a",
        "gold": "b",
        "item": "q2",
        "setting": "m",
        "verdict": "b",
    }


def test_reading_r101_7_a_row_that_cannot_be_read_is_said_and_a_column_that_is_not_there_is_misuse(
    tmp_path: Path,
) -> None:
    (tmp_path / "t.csv").write_text(TABLE.replace("model_2,model_2", "better,perhaps"))
    arguments = ("observe", "import", "t.csv", "--shape", "csv", "--out", "t.jsonl")

    done = run_program(*arguments, *MAPPED, cwd=tmp_path)
    unmapped = run_program(*arguments, "--map", "item=number", cwd=tmp_path)

    assert (done.returncode, unmapped.returncode) == (0, 2)
    says = "left out: 1 row has 'better' in choice, which is no label: --label 'better'=WORD says"
    assert says in done.stderr.decode()
    assert "--map item: the file has no column 'number'" in unmapped.stderr.decode()
    assert "its columns are 'id', 'model', 'answer_1'" in unmapped.stderr.decode()


def test_reading_r77_a_table_may_be_larger_than_a_document_and_must_be_utf_8(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("epc.json_text.MAX_DOCUMENT_BYTES", 100)
    (tmp_path / "t.csv").write_text(TABLE)
    arguments: tuple[str | Path, ...] = ("--shape=csv", *MAPPED, "--out", tmp_path / "t.jsonl")

    large = epc("observe", "import", tmp_path / "t.csv", *arguments)
    (tmp_path / "t.csv").write_bytes(TABLE.encode() + b"q3,m,\xff,x,model_1,model_2,model_2\n")
    latin = epc("observe", "import", tmp_path / "t.csv", *arguments)

    assert large.returncode == 0
    assert latin.returncode == 1
    assert "t.csv:5: no CSV: the line is not UTF-8" in latin.stdout.decode()


def test_reading_r77_texts_without_a_licence_are_refused(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TABLE)

    done = run_program(
        *("observe", "import", "t.csv", "--shape", "csv", "--texts", "--out", "t.jsonl"),
        *MAPPED[:-2],
        cwd=tmp_path,
    )

    assert done.returncode == 1
    assert "t.jsonl:1/source/texts: no licence is stated" in done.stdout.decode()


def test_a_file_of_an_unknown_form_is_misuse(source: Path, tmp_path: Path) -> None:
    done = epc("observe", "import", source, "--shape", "llmbar", "--out", tmp_path / "x.txt")

    assert done.returncode == 2
    assert b"neither .jsonl nor .parquet" in done.stderr
