"""A folder that is brought to hold exactly what is put into it."""

import os
from pathlib import Path

import pytest

from epc.errors import UsageError
from epc.site.writing import Folder


def test_a_file_that_would_not_change_is_left_alone(tmp_path: Path) -> None:
    Folder(tmp_path / "out").put("a/b.txt", "same")
    path = tmp_path / "out" / "a" / "b.txt"
    os.utime(path, (1, 1))

    assert Folder(tmp_path / "out").put("a/b.txt", "same") is False
    assert path.stat().st_mtime == 1
    assert Folder(tmp_path / "out").put("a/b.txt", "other") is True
    assert path.read_text() == "other"


def test_what_is_no_longer_put_goes_and_takes_its_empty_folders_along(tmp_path: Path) -> None:
    first = Folder(tmp_path / "out")
    first.put("old/deep/file.txt", "x")
    first.put("kept.txt", "x")
    first.tidy()
    second = Folder(tmp_path / "out")
    second.put("kept.txt", "x")
    second.tidy()

    assert sorted(path.name for path in (tmp_path / "out").rglob("*")) == [".epc-site", "kept.txt"]


def test_where_names_fold_the_first_spelling_has_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Folder(tmp_path / "out")
    monkeypatch.setattr(folder, "_folds", True)

    assert folder.put("evaluators/GPT.html", "first") is True
    assert folder.put("evaluators/gpt.html", "second") is False
    assert folder.put("evaluators/GPT.html", "first again") is True
    assert folder.put("other.html", "third") is True
    assert not (tmp_path / "out" / "evaluators" / "gpt.html").exists()


def test_an_empty_folder_is_taken_and_a_file_is_not(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("x")

    assert Folder(tmp_path / "empty").put("a", "b") is True
    with pytest.raises(UsageError, match="holds something else"):
        Folder(tmp_path / "file")
