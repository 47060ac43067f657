"""What a verdict file states of how it was made, and what is said of a shape that is none."""

from pathlib import Path

import pytest
from observed_sources_support import pandalm

from epc.errors import UsageError
from epc.records.verdicts import recipes, shapes
from epc.records.verdicts.converting import Request
from epc.records.verdicts.shapes import convert, expected_of, faults_of, names
from epc.records.verdicts.types import Fault, ImportOptions


def test_reading_r77_a_table_states_its_shape_and_how_it_was_mapped(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("item,judge,a,b,won\n1,j,x,y,yes\n", "utf-8")

    conversion = convert("csv", path, Request(columns={"verdict": "won"}, labels={"yes": "a"}))

    assert [row.verdict for row in conversion.rows] == ["a"]
    assert conversion.header is not None
    assert conversion.header.made == ImportOptions(
        shape="csv", columns={"verdict": "won"}, labels={"yes": "a"}
    )


def test_reading_r77_a_folder_states_the_files_that_its_verdicts_are_of(tmp_path: Path) -> None:
    conversion = convert("pandalm", pandalm(tmp_path), Request())

    assert conversion.header is not None
    import_options = conversion.header.made
    assert import_options is not None
    assert import_options.shape == "pandalm"
    assert list(import_options.files) == sorted(
        file.path for file in conversion.header.files.values()
    )
    assert "data/gpt-3.5-turbo-testset-v1.json" in import_options.files


def test_reading_r77_a_source_that_does_not_fit_is_made_of_nothing(tmp_path: Path) -> None:
    conversion = convert("pandalm", tmp_path, Request())

    assert (conversion.header, list(conversion.rows)) == (None, [])
    assert conversion.findings


@pytest.mark.parametrize(
    "request_", [Request(columns={"item": "id"}), Request(constants={"prompt": "v1"})]
)
def test_reading_r77_columns_of_what_is_no_table_are_a_finding(
    request_: Request, tmp_path: Path
) -> None:
    (finding,) = convert("pandalm", pandalm(tmp_path), request_).findings

    assert finding.problem == "pandalm has no columns, so --map and --set say nothing of it"


def test_reading_r77_a_shape_that_there_is_not_lists_those_that_there_are(tmp_path: Path) -> None:
    (finding,) = convert("papyrus", tmp_path, Request()).findings

    assert (finding.where, finding.problem) == ("--shape", "there is no shape 'papyrus'")
    assert all(f"\n  {name}: {expected_of(name)}" in finding.remedy for name in names())
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
