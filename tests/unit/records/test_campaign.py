"""A campaign's file: which runs it has, and which of them are complete."""

from pathlib import Path
from typing import Any

import pytest

from epc.errors import MalformedError, UsageError
from epc.records import strict_json
from epc.records.campaign import CAMPAIGN, Campaign, Member
from epc.records.layout import MANIFEST

RUNS: list[dict[str, Any]] = [
    {"folder": "a_on_x", "evaluator": "m/a", "executor": "m/x", "answers": "x"},
    {"folder": "b", "evaluator": "recorded:f", "executor": None, "answers": None},
]


def write(folder: Path, **changed: object) -> Path:
    identifier = "0123456789abcdef"
    document = {"schema_version": 2, "id": identifier, "runs": RUNS, **changed}
    strict_json.write(folder / CAMPAIGN, document)
    return folder


def test_a_campaign_is_read_as_it_was_written(tmp_path: Path) -> None:
    campaign = Campaign.load(write(tmp_path))

    assert campaign.runs == tuple(Member(**run) for run in RUNS)
    assert campaign.complete(tmp_path) == []


def test_a_run_with_a_manifest_is_complete(tmp_path: Path) -> None:
    campaign = Campaign.load(write(tmp_path))
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / MANIFEST).write_text("{}")

    assert campaign.complete(tmp_path) == [campaign.runs[1]]


def test_a_folder_without_the_file_and_a_damaged_file_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is no campaign"):
        Campaign.load(tmp_path)
    with pytest.raises(MalformedError):
        Campaign.load(write(tmp_path, runs="none"))
