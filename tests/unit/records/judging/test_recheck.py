"""What of an evaluation's folder must be kept, and nothing else of it."""

import json
import shutil
from pathlib import Path

import pytest
from judge_support import grid, judged_by_models, planned

from epc.errors import EpcError
from epc.records.judging.documents import PLAN, RUN_LOG, load_plan
from epc.records.judging.recheck import needed, recheck

MAPPING = {
    "id": "eight-to-four",
    "description": "Marks from 1 to 5.",
    "scale": {"lowest": 1, "highest": 5},
    "cuts": [2.5, 4],
    "dimensions": {
        name: {"from": [name.lower()], "rule": "mean"}
        for name in (
            "FORMAT_COMPLIANCE",
            "INSTRUCTION_COMPLIANCE",
            "SEMANTIC_FIDELITY",
            "COMPLETENESS",
        )
    },
    "fields": {},
    "evidence": {"dimension": "about", "quote": "text", "reason": "because"},
    "constants": {},
    "ignored": [],
}


@pytest.fixture(params=["plain", "mapped"])
def evaluation(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    folder, asked = tmp_path / "e", {}
    if request.param == "mapped":
        asked["mapping"] = tmp_path / "rubric.json"
        asked["mapping"].write_text(json.dumps(MAPPING))
    planned(folder, grid(), ["mock/careless-judge"], **asked)
    judged_by_models(folder)
    return folder


def archive_of(evaluation: Path, home: Path, *, without: str = "") -> Path:
    names = [PLAN, RUN_LOG, *needed(evaluation, load_plan(evaluation))]
    for name in names:
        if name != without:
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(evaluation / name, home / name)
    return home


def test_what_is_kept_checks_as_the_whole_folder_does(evaluation: Path, tmp_path: Path) -> None:
    (evaluation / "notes.txt").write_text("nobody else's business")
    (evaluation / "outputs" / "notes.txt").write_text("nobody else's business")
    home = archive_of(evaluation, tmp_path / "kept")

    repeated_archive_check = recheck(home)

    assert (repeated_archive_check.findings, repeated_archive_check.totals) == (
        [],
        recheck(evaluation).totals,
    )
    assert not list(home.rglob("notes.txt"))
    assert (home / "mapping.json").exists() == (evaluation / "mapping.json").exists()


def test_nothing_of_it_can_be_spared(evaluation: Path, tmp_path: Path) -> None:
    told = {"used_prompt_manifest.md", "invalid_evaluations/README.md"}  # for people alone
    for number, name in enumerate(needed(evaluation, load_plan(evaluation))):
        if name in told:
            continue
        home = archive_of(evaluation, tmp_path / str(number), without=name)
        try:
            found = recheck(home).ok
        except EpcError:
            found = False
        assert not found, name
