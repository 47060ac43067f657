"""What of a pull request keeps CI from running the suite: the script, on real git changes."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from registry_support import commit, git
from workflow_support import ROOT

SLUG = "submissions/2026-07-02-mine"


def change(folder: Path, *names: str) -> None:
    """Write files, each of which says something new."""
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"changed {name}\n")


@pytest.fixture
def offered(tmp_path: Path) -> Path:
    """Return a repository on a contributor's branch, with a submission on main already."""
    folder = tmp_path / "offered"
    folder.mkdir()
    git(folder, "init", "--quiet")
    (folder / "README.md").write_text("# A registry\n")
    for name in ("README.md", "theirs/manifest.json"):
        (folder / "submissions" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "submissions" / name).write_text("as it was\n")
    commit(folder)
    git(folder, "checkout", "--quiet", "-b", "mine")
    return folder


def runs_all(offered: Path, tmp_path: Path, event: str = "pull_request") -> bool:
    """Check the branch out merged, as GitHub does, run the step there, and read its output."""
    git(offered, "checkout", "--quiet", "main")
    (offered / "CHANGELOG.md").write_text("main went on\n")
    commit(offered)
    git(offered, "merge", "--quiet", "--no-ff", "--message", "merge", "mine")
    clone, output = tmp_path / "clone", tmp_path / "output"
    git(tmp_path, "clone", "--quiet", "--depth=2", offered.as_uri(), str(clone))
    subprocess.run(
        [ROOT / ".ci" / "scope"],
        cwd=clone,
        env={
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "GITHUB_EVENT_NAME": event,
            "GITHUB_OUTPUT": str(output),
        },
        check=True,
    )
    said = {"all=true\n": True, "all=false\n": False}
    return said[output.read_text()]


def test_a_pull_request_that_only_adds_submissions_runs_no_suite(
    offered: Path, tmp_path: Path
) -> None:
    change(offered, f"{SLUG}/manifest.json", f"{SLUG}/calls.jsonl", "submissions/second/x")
    commit(offered)

    assert not runs_all(offered, tmp_path)


def removed(folder: Path) -> None:
    (folder / "submissions/theirs/manifest.json").unlink()


def moved(folder: Path) -> None:
    (folder / "submissions" / "mine").mkdir()
    (folder / "README.md").rename(folder / "submissions" / "mine" / "README.md")


@pytest.mark.parametrize(
    "also",
    [
        lambda folder: change(folder, "README.md"),
        lambda folder: change(folder, "epc/new.py"),
        lambda folder: change(folder, ".github/workflows/ci.yml"),
        lambda folder: change(folder, "submissions/README.md"),
        lambda folder: change(folder, "submissions/beside-the-folders"),
        lambda folder: change(folder, "submissions/theirs/manifest.json"),
        lambda folder: change(folder, "submissions\nA\tsubmissions/x/y"),
        lambda folder: change(folder, "other/submissions/x/y"),
        removed,
        moved,
    ],
)
def test_a_pull_request_that_does_anything_else_too_runs_all(
    offered: Path, tmp_path: Path, also: Callable[[Path], None]
) -> None:
    change(offered, f"{SLUG}/manifest.json")
    also(offered)
    commit(offered)

    assert runs_all(offered, tmp_path)


def test_a_pull_request_that_changes_nothing_runs_all(offered: Path, tmp_path: Path) -> None:
    git(offered, "commit", "--quiet", "--allow-empty", "--message", "nothing")

    assert runs_all(offered, tmp_path)


def test_a_push_runs_all(offered: Path, tmp_path: Path) -> None:
    change(offered, f"{SLUG}/manifest.json")
    commit(offered)

    assert runs_all(offered, tmp_path, event="push")
