"""Tests of which files of a project are read, and what is passed over."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from epc.errors import UsageError
from epc.registry.scan.files import LARGEST, Files


def read(*paths: Path, exclude: tuple[str, ...] = ()) -> tuple[list[str], dict[str, int]]:
    """Return the names of the files that are read, and what is skipped."""
    files = Files(paths=paths, exclude=exclude)
    return [Path(name).name for name, _ in files.texts()], dict(files.skipped)


def test_a_zero_byte_in_the_first_eight_kibibytes_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "in.py").write_bytes(b"x" * 8191 + b"\0")
    (tmp_path / "behind.py").write_bytes(b"x" * 8192 + b"\0")

    assert read(tmp_path) == (["behind.py"], {"not text": 1})


def test_what_is_larger_than_five_mebibytes_is_not_read(tmp_path: Path) -> None:
    assert LARGEST == 5 * 1024 * 1024
    (tmp_path / "most.py").write_bytes(b"x" * LARGEST)
    (tmp_path / "more.py").write_bytes(b"x" * (LARGEST + 1))

    assert read(tmp_path) == (["most.py"], {"larger than 5 MiB": 1})


def test_links_in_a_folder_are_not_followed_and_one_that_is_named_is(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text("x")
    (tmp_path / "link.py").symlink_to(tmp_path / "plain.py")

    assert read(tmp_path) == (["plain.py"], {"a link": 1})
    assert read(tmp_path / "link.py") == (["link.py"], {})


def test_each_file_is_read_once_documents_and_what_tools_put_there_not_at_all(
    tmp_path: Path,
) -> None:
    for name in ("b.py", "a.yaml", "README.md", "node_modules/c.js", "deep/d.ts"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")

    assert read(tmp_path, tmp_path / "b.py")[0] == ["a.yaml", "b.py", "d.ts"]
    assert read(tmp_path, exclude=("*/deep/*",))[0] == ["a.yaml", "b.py"]
    with pytest.raises(UsageError, match="there is no"):
        read(tmp_path / "missing")


def test_folders_may_be_nested_deeper_than_python_calls_itself(tmp_path: Path) -> None:
    depth = sys.getrecursionlimit() + 100
    # A folder at a time: the whole path would be too long to be made at once.
    outermost = Path.cwd()
    try:
        os.chdir(tmp_path)
        for _ in range(depth):
            os.mkdir("d")  # noqa: PTH102  (below where we stand)
            os.chdir("d")
        Path("a.py").write_text("x")
    finally:
        os.chdir(outermost)

    try:
        assert read(tmp_path) == (["a.py"], {})
    finally:  # before pytest would, which calls itself for each folder
        subprocess.run(["rm", "-r", str(tmp_path / "d")], check=True)
