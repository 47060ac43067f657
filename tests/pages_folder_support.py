"""The folder where commands of pages run: a clone, and what pages take as there."""

import contextlib
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from observed_sources_support import mt_bench, pandalm, prometheus, wildbench
from pages_support import Shell
from program_support import as_text, run_program
from registry_support import ROOT, git, with_bytecode
from web_support import folder_served

PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "site" / "docs").rglob("*.md")),
]


def cloned(home: Path) -> Path:
    """Return a new clone of this repository without tags, with this page's files and program."""
    folder = home / "clone"
    git(home, "clone", "--quiet", "--shared", "--no-tags", str(ROOT), str(folder))
    git(folder, "checkout", "--quiet", "-B", "main")
    with_bytecode(folder)
    (folder / ".venv").mkdir()
    (folder / ".venv" / "bin").symlink_to(Path(sys.executable).parent)
    return folder


@contextlib.contextmanager
def taken_back(folder: Path) -> Iterator[Path]:
    """Lend a clone as it came, and take all back that was done in it."""
    came = git(folder, "rev-parse", "HEAD").strip()
    try:
        yield folder
    finally:
        git(folder, "checkout", "--quiet", "--force", "-B", "main", came)
        git(folder, "clean", "--quiet", "-ffdx", "--exclude=.venv", "--exclude=__pycache__")
        for kind, delete in (("tag", "--delete"), ("branch", "-D")):
            listed = git(folder, kind, "--list", "--format=%(refname:short)").split()
            if names := [name for name in listed if name != "main"]:
                git(folder, kind, delete, *names)


def a_run(folder: Path) -> None:
    """Make a finished run: the scripted mock, which takes a second."""
    arguments = ("--evaluator", "mock/deterministic", "--executor", "mock/deterministic")
    done = as_text(run_program("run", *arguments, "--exhaustive", "--out", folder))
    assert done.returncode == 0, done.stderr


def copied(source: Path) -> Callable[[Path], object]:
    """Return what puts a copy of a folder or file at a place."""

    def put(place: Path) -> None:
        place.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, place)

    return put


@contextlib.contextmanager
def shell(clone: Path, home: Path) -> Iterator[Shell]:
    """Yield a shell in a clone, with what the pages take as there and what their places mean."""

    def run(place: Path) -> None:
        copied(_once(home / "run", a_run))(place)

    served = home / "served"
    served.mkdir()
    (served / "snapshots").symlink_to(clone / "snapshots")

    def exported(_: Path) -> None:
        done = as_text(run_program("admin", "snapshot", "export", cwd=clone))
        (served / "registry.json").write_text(done.stdout, "utf-8")

    prepared: dict[str, Callable[[Path], object]] = {
        r"runs/\w+": run,
        "mine.yaml": copied(ROOT / "epc" / "spec" / "designs" / "example.yaml"),
        "three-domains.yaml": copied(ROOT / "site" / "docs" / "assets" / "three-domains.yaml"),
        r"http\S+/registry\.json": exported,
        "WildBench": wildbench,
        "PandaLM": pandalm,
        "FastChat": mt_bench,
        "prometheus-eval": prometheus,
        "judged": lambda place: judged(_once(home / "run", a_run), place),
    }
    with folder_served(served) as address:
        meant = {
            "ADDRESS": address,
            "REPOSITORY": str(clone),
            "PLACE": f"{address}/snapshots/.store",
            "v1.0-Example": "v1.0-Word-Count",
            "v1.0-Other": "v1.0-WordLlama-Relevance",
        }
        yield Shell(clone, prepared, meant)


def _once(place: Path, make: Callable[[Path], object]) -> Path:
    if not place.exists():
        make(place)
    return place


def judged(run: Path, folder: Path) -> None:
    """Have the answers of a run judged by a mock."""
    for arguments in (("plan", run, "--judge", "mock/judge", "--out", folder), ("run", folder)):
        done = as_text(run_program("judge", *arguments))
        assert done.returncode == 0, done.stderr
