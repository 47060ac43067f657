"""The last build stands while what it read and what it left is as it was, and no longer."""

import os
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from epc.registry.repository import Repository
from epc.site.last_build import Counts, LastBuild

COUNTS = Counts(snapshots=2, evaluators=3, pages=5)
DAY = date(2026, 4, 1)


def look(
    folder: Path,
    *,
    address: str = "",
    repository: Repository | None = None,
    as_of: date = DAY,
    out: str = "public",
) -> LastBuild:
    return LastBuild.of(
        folder / "last.json",
        checkout=folder,
        out=folder / out,
        sources=folder / "sources",
        address=address,
        repository=repository,
        as_of=as_of,
    )


def keep(looked: LastBuild) -> None:
    looked.made("a page", "what it follows from", looked.out / "a" / "index.html")
    looked.keep(COUNTS)


@pytest.fixture
def built(tmp_path: Path) -> Path:
    for place in ("snapshots/v1.0-A/snapshot.json", "site/docs/a.md", "public/a/index.html"):
        (tmp_path / place).parent.mkdir(parents=True)
        (tmp_path / place).write_text("before")
    (tmp_path / "params.yaml").write_text("before")
    keep(look(tmp_path))
    return tmp_path


def test_it_stands_while_nothing_changed(built: Path) -> None:
    assert look(built).counts() == COUNTS


def test_without_a_last_build_there_is_none(tmp_path: Path) -> None:
    assert look(tmp_path).counts() is None


@pytest.mark.parametrize(
    "place",
    ["snapshots/v1.0-A/snapshot.json", "site/docs/a.md", "params.yaml", "public/a/index.html"],
)
@pytest.mark.parametrize("change", ["another", "sooner", "longer", None])
def test_a_file_that_changed_is_found(built: Path, place: str, change: str | None) -> None:
    path = built / place
    if change is None:
        path.unlink()
    else:
        was = path.stat()
        path.write_text(change)
        os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))  # as some tools put it back

    assert look(built).counts() is None


@pytest.mark.parametrize("folder", ["snapshots", "site", "public", "public/a"])
def test_a_file_or_folder_that_came_to_it_is_found(built: Path, folder: str) -> None:
    (built / folder / "more").mkdir()

    assert look(built).counts() is None

    (built / folder / "more").rmdir()
    assert look(built).counts() == COUNTS
    (built / folder / "more").write_text("")
    assert look(built).counts() is None


@pytest.mark.parametrize(
    "another",
    [
        lambda folder: look(folder, as_of=date(2026, 4, 2)),
        lambda folder: look(folder, address="https://registry.example/"),
        lambda folder: look(folder, repository=Repository(address="x", issues="", edit="")),
        lambda folder: look(folder, out="elsewhere"),
    ],
)
def test_another_site_is_asked_for(built: Path, another: Callable[[Path], LastBuild]) -> None:
    assert another(built).counts() is None


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"given": 1}', "\x00"])
def test_what_was_kept_and_is_damaged_counts_as_none(built: Path, text: str) -> None:
    (built / "last.json").write_text(text)

    assert look(built).counts() is None


def test_what_changes_during_a_build_has_the_next_one_built(built: Path) -> None:
    looked = look(built)
    (built / "site" / "docs" / "a.md").write_text("after it was read")
    keep(looked)

    assert look(built).counts() is None
