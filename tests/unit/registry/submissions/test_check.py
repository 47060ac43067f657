"""Tests of which submissions a path stands for."""

from pathlib import Path

import pytest

from epc.errors import UsageError
from epc.records.findings import Findings
from epc.registry.submissions.check import _submissions


def listed(path: Path) -> tuple[list[str], int]:
    whole_findings = Findings()
    return [entry.name for entry in _submissions(path, whole_findings)], len(whole_findings)


def test_the_folder_of_submissions_stands_for_those_in_it(tmp_path: Path) -> None:
    home = tmp_path / "submissions"
    for name in ("b", "a"):
        (home / name).mkdir(parents=True)
    (home / "README.md").write_text("about")

    assert listed(home) == (["a", "b"], 0)
    assert listed(home / "a") == (["a"], 0)
    with pytest.raises(UsageError, match="there is no"):
        listed(home / "c")


def test_a_file_or_a_link_in_its_place_is_found(tmp_path: Path) -> None:
    (tmp_path / "submissions").write_text("no folder")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")

    assert listed(tmp_path / "submissions") == ([], 1)
    assert listed(tmp_path / "link") == ([], 1)
