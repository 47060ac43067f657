"""A folder that a build makes anew."""

from pathlib import Path

import pytest

from epc.errors import UsageError
from epc.site.with_mkdocs import Folder


def test_what_an_earlier_build_left_is_gone(tmp_path: Path) -> None:
    Folder(tmp_path / "out").put("old/deep/file.txt", "x")
    Folder(tmp_path / "out", "https://a.example/").put("kept.txt", "x")

    files = {path.name: path.read_text() for path in (tmp_path / "out").rglob("*")}
    assert files == {".epc-site": "https://a.example/", "kept.txt": "x"}


def test_of_two_names_that_a_disk_does_not_tell_apart_the_first_one_stays(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "out")
    folder.put("evaluators/GPT.html", "first")
    folder.put("evaluators/GPT.html", "second")

    assert (tmp_path / "out" / "evaluators" / "GPT.html").read_text() == "first"


def test_an_empty_folder_is_taken_and_what_somebody_else_filled_is_not(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("x")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("x")

    assert Folder(tmp_path / "empty").path.is_dir()
    for name in ("file", "full"):
        with pytest.raises(UsageError, match="holds something else"):
            Folder(tmp_path / name)
    assert (tmp_path / "full" / "mine").read_text() == "x"
