"""The second line of defence: what git would have refused already is refused here too."""

from pathlib import Path

import pytest
from registry_support import commit, git

from epc.errors import UsageError
from epc.registry.github.pulls import _Entry, _top, _write

NAMES = ["submissions/a/../../x", "submissions/./x", "submissions//x", "submissions/a/.git/x"]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "checkout"
    folder.mkdir()
    git(folder, "init", "--quiet")
    (folder / "file").write_text("content")
    (folder / "target").write_bytes(b"/etc\0/passwd")
    commit(folder)
    return folder


def entry(
    checkout: Path, path: str, *, mode: bytes = b"100644", blob: str = "file", size: int = 7
) -> _Entry:
    name = git(checkout, "rev-parse", f"HEAD:{blob}").strip().encode()
    return _Entry(mode=mode, object=name, size=size, path=path.encode())


@pytest.mark.parametrize("name", NAMES)
def test_a_path_that_leads_elsewhere_is_refused(checkout: Path, tmp_path: Path, name: str) -> None:
    out = tmp_path / "out" / "deep"
    out.mkdir(parents=True)

    with pytest.raises(UsageError, match="no path may be"):
        _write(checkout, [entry(checkout, name)], out)

    assert list(out.parent.rglob("*")) == [out]


def test_no_file_takes_another_ones_place(checkout: Path, tmp_path: Path) -> None:
    same_entry = entry(checkout, "submissions/a/x")

    with pytest.raises(FileExistsError):
        _write(checkout, [same_entry, same_entry], tmp_path / "out")


def test_files_come_before_links_whatever_the_order(checkout: Path, tmp_path: Path) -> None:
    link = entry(checkout, "submissions/a", mode=b"120000", blob="target")
    file = entry(checkout, "submissions/a/x")

    with pytest.raises(FileExistsError):
        _write(checkout, [link, file], tmp_path / "out")

    assert (tmp_path / "out" / "submissions" / "a" / "x").read_text() == "content"


def test_a_link_whose_target_no_disk_can_hold_is_still_a_link(
    checkout: Path, tmp_path: Path
) -> None:
    _write(checkout, [entry(checkout, "submissions/a", mode=b"120000", blob="target")], tmp_path)

    assert str((tmp_path / "submissions" / "a").readlink()) == "/etc?/passwd"


def written(checkout: Path, out: Path, *sizes: int) -> list[bool]:
    """Write files of stated sizes, and return of each whether it is there as it lies in git."""
    entries = [entry(checkout, f"submissions/a/{n}", size=size) for n, size in enumerate(sizes)]
    _write(checkout, entries, out)
    paths = [out / "submissions" / "a" / str(n) for n in range(len(sizes))]
    for path, size in zip(paths, sizes, strict=True):
        assert path.stat().st_size in (len("content"), size)
    return [path.stat().st_size == len("content") for path in paths]


def test_beyond_64_mebibytes_an_empty_file_of_the_same_length_stands_for_one(
    checkout: Path, tmp_path: Path
) -> None:
    assert written(checkout, tmp_path / "out", 67_108_864, 67_108_865) == [True, False]


def test_beyond_512_mebibytes_in_all_an_empty_file_stands_for_each(
    checkout: Path, tmp_path: Path
) -> None:
    """Eight files of 64 MiB each are 512 MiB."""
    sizes = [67_108_864] * 7 + [67_108_863, 2, 1, 3]

    assert written(checkout, tmp_path / "out", *sizes) == [*[True] * 8, False, True, False]


@pytest.mark.parametrize(
    ("path", "top"),
    [
        (b"submissions/a/b", b"a"),
        (b"submissions/README.md", b"README.md"),
        (b"submissions", b""),
        (b"submissions2/a", None),
        (b"epc/submissions/a", None),
        (b"", None),
    ],
)
def test_the_folder_that_a_path_belongs_to(path: bytes, top: bytes | None) -> None:
    assert _top(path) == top
