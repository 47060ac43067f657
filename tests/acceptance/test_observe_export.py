"""`epc observe export`: the other form, and documents of Every Eval Ever (Reading R77)."""

import json
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from observed_support import llmbar
from program_support import run_program
from records_support import epc


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = llmbar(tmp_path_factory.mktemp("export") / "llmbar")
    file = source.parent / "tiny.jsonl"
    done = epc("observe", "import", source, "--shape=llmbar", "--texts", "--out", file)
    assert done.returncode == 0
    return file


@pytest.mark.extra
def test_reading_r77_a_file_goes_to_the_other_form_and_back_as_it_was(
    verdicts: Path, tmp_path: Path
) -> None:
    packed, back = tmp_path / "t.parquet", tmp_path / "t.jsonl"

    assert epc("observe", "export", verdicts, "--to=parquet", "--out", packed).returncode == 0
    assert epc("observe", "export", packed, "--to=jsonl", "--out", back).returncode == 0

    assert back.read_bytes() == verdicts.read_bytes()


@pytest.fixture(scope="module")
def document(verdicts: Path) -> tuple[Path, dict[str, Any]]:
    folder = verdicts.parent / "store"
    arguments = ("observe", "export", verdicts, "--to", "every-eval-ever", "--out", folder)
    assert run_program(*arguments, env={"SOURCE_DATE_EPOCH": "1700000000"}).returncode == 0
    (path,) = folder.rglob("*.json")
    return path.relative_to(folder), json.loads(path.read_text())


def test_reading_r77_a_judge_is_the_evaluated_model_of_every_eval_ever(
    document: tuple[Path, dict[str, Any]],
) -> None:
    path, record = document

    assert path.parts[:-1] == ("data", "observed-llmbar", "unknown", "judge-0613")
    assert UUID(path.stem).version == 4
    assert record["schema_version"] == "0.3.0"
    assert record["evaluation_id"] == "observed-llmbar/judge-0613/1700000000.0"
    assert record["retrieved_timestamp"] == "1700000000.0"
    assert record["model_info"]["id"] == "judge-0613"
    assert record["source_metadata"]["evaluator_relationship"] == "third_party"
    assert record["source_metadata"]["additional_details"]["licence"] == "MIT"


def test_reading_r77_each_figure_has_its_interval_and_its_way_of_asking(
    document: tuple[Path, dict[str, Any]],
) -> None:
    results = {each["evaluation_result_id"]: each for each in document[1]["evaluation_results"]}

    result = results["J/Vanilla/accuracy"]
    assert result["evaluation_name"] == "LLMBar/J/Vanilla"
    assert result["source_data"]["url"] == ["https://github.com/princeton-nlp/LLMBar"]
    assert round(result["score_details"]["score"], 6) == 0.666667  # 4 of 6 verdicts
    assert result["score_details"]["uncertainty"]["num_samples"] == 6
    assert result["score_details"]["details"] == {"items": "3"}
    assert result["generation_config"]["generation_args"] == {"temperature": 0.0}
    assert result["generation_config"]["additional_details"]["prompt"] == "Vanilla.txt"
    assert result["metric_config"]["lower_is_better"] is False
    assert results["J/Vanilla/unreadable"]["metric_config"]["lower_is_better"] is True
    # 0.5 is the best value of these: the schema has no word for that.
    assert "J/Vanilla/first_place" not in results


def test_a_damaged_file_is_not_exported_and_a_wrong_name_is_misuse(
    verdicts: Path, tmp_path: Path
) -> None:
    damaged = tmp_path / "damaged.jsonl"
    damaged.write_text(verdicts.read_text().replace('"verdict":"a"', '"verdict":"A"'))

    refused = epc("observe", "export", damaged, "--to=jsonl", "--out", tmp_path / "o.jsonl")
    misnamed = epc("observe", "export", verdicts, "--to=jsonl", "--out", tmp_path / "o.parquet")

    assert refused.returncode == 1
    assert "Invalid enum value 'A'" in refused.stdout.decode()
    assert misnamed.returncode == 2
    assert b"o.parquet is not named .jsonl" in misnamed.stderr
    assert not [*tmp_path.glob("o.*")]
