"""What a verdict file states of how it was made, and what is said of a shape that is none."""

from pathlib import Path

import pytest
from observed_sources_support import pandalm

from epc.errors import UsageError
from epc.records.observed import recipes, shapes
from epc.records.observed.converting import Request
from epc.records.observed.shapes import convert, expected_of, faults_of, names
from epc.records.observed.types import Fault, Made


def test_reading_r77_a_table_states_its_shape_and_how_it_was_mapped(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("item,judge,a,b,won\n1,j,x,y,yes\n", "utf-8")

    found = convert("csv", path, Request(columns={"verdict": "won"}, words={"yes": "a"}))

    assert [row.verdict for row in found.rows] == ["a"]
    assert found.header is not None
    assert found.header.made == Made(shape="csv", columns={"verdict": "won"}, labels={"yes": "a"})


def test_reading_r77_a_folder_states_the_files_that_its_verdicts_are_of(tmp_path: Path) -> None:
    found = convert("pandalm", pandalm(tmp_path), Request())

    assert found.header is not None
    made = found.header.made
    assert made is not None
    assert made.shape == "pandalm"
    assert list(made.files) == sorted(file.path for file in found.header.files.values())
    assert "data/gpt-3.5-turbo-testset-v1.json" in made.files


def test_reading_r77_a_source_that_does_not_fit_is_made_of_nothing(tmp_path: Path) -> None:
    found = convert("pandalm", tmp_path, Request())

    assert (found.header, list(found.rows)) == (None, [])
    assert found.findings


@pytest.mark.parametrize(
    "request_", [Request(columns={"item": "id"}), Request(constants={"prompt": "v1"})]
)
def test_reading_r77_columns_of_what_is_no_table_are_a_finding(
    request_: Request, tmp_path: Path
) -> None:
    (found,) = convert("pandalm", pandalm(tmp_path), request_).findings

    assert found.problem == "pandalm has no columns, so --map and --set say nothing of it"


def test_reading_r77_a_shape_that_there_is_not_lists_those_that_there_are(tmp_path: Path) -> None:
    (found,) = convert("papyrus", tmp_path, Request()).findings

    assert (found.where, found.problem) == ("--shape", "there is no shape 'papyrus'")
    assert all(f"\n  {name}: {expected_of(name)}" in found.remedy for name in names())
    assert {"csv", "inspect", "promptfoo", "alpaca-eval", "mt-bench"} < {*names()}


def test_an_installed_program_without_recipes_says_where_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recipes, "FOLDER", tmp_path / "nowhere")

    with pytest.raises(UsageError, match="not part of the installed program"):
        convert("llmbar", tmp_path, Request())


@pytest.mark.parametrize(
    ("models", "expected"),
    [(["m"], ["all", "of m"]), (["n"], ["all"]), (["n", "m"], ["all", "of m"]), ([], ["all"])],
)
def test_reading_r77_a_fault_of_one_judge_is_not_told_of_another(
    models: list[str], expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    faults = (Fault(id="all", says="."), Fault(id="of m", says=".", models=("m", "l")))
    monkeypatch.setattr(shapes, "known_faults", lambda _: faults)

    assert [fault.id for fault in faults_of("any", models)] == expected
