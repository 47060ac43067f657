"""Sample projects that name models, and the scan of one on the project's day."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from program_support import as_text, run_program
from registry_support import ROOT

PROJECTS = ROOT / "tests" / "acceptance" / "scan" / "projects"
NAMES = sorted(path.name for path in PROJECTS.iterdir())
TODAY = "1795435200"  # 2026-11-23T12:00
Done = subprocess.CompletedProcess[str]


def project(name: str, folder: Path) -> Path:
    """Return a copy of a sample project, in no git repository."""
    return Path(shutil.copytree(PROJECTS / name, folder / name))


def expected(name: str) -> list[str]:
    """Return what is printed of a sample project, but for the reasons below each failing place."""
    return (PROJECTS / name / "expected.txt").read_text().splitlines()


def scan(folder: Path, *arguments: str | Path, registry: Path | None = ROOT) -> Done:
    where = ("--registry", registry) if registry else ()
    environment = os.environ | {"SOURCE_DATE_EPOCH": TODAY}
    return as_text(run_program("scan", *where, *arguments, cwd=folder, env=environment))


def scanned_names(folder: Path, *arguments: str | Path) -> dict[str, Any]:
    """Return of each name what the JSON says."""
    document = json.loads(scan(folder, *arguments, "--format", "json").stdout)
    return {name["name"]: name for name in document["names"]}


def unindented(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("  ")]
