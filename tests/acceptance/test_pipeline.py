"""The pipeline of dvc.yaml, with the real dvc in a real git repository."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
SMALL = {"seeds: 0-29": "seeds: 0-1", "rounds: 30": "rounds: 3"}


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    for name in ("dvc.yaml", "params.yaml", ".dvcignore", ".gitignore"):
        shutil.copy(ROOT / name, tmp_path / name)
    shutil.copytree(ROOT / "snapshots", tmp_path / "snapshots")
    (tmp_path / ".dvc").mkdir()
    shutil.copy(ROOT / ".dvc" / "config", tmp_path / ".dvc" / "config")
    params = tmp_path / "params.yaml"
    for large, small in SMALL.items():
        assert large in params.read_text()
        params.write_text(params.read_text().replace(large, small))
    run(tmp_path, "git", "init", "--quiet")
    return tmp_path


def run(folder: Path, *words: str) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "SOURCE_DATE_EPOCH": "1795305600", "DVC_NO_ANALYTICS": "1"}
    done = subprocess.run(
        words, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_dvc_repro_measures_checks_and_then_has_nothing_to_do(clone: Path) -> None:
    run(clone, "dvc", "repro")

    manifest = json.loads((clone / "runs" / "pipeline" / "manifest.json").read_text())
    report = json.loads((clone / "runs" / "pipeline.findings.json").read_text())
    assert manifest["config"]["seeds"] == [0, 1]
    assert manifest["protocol_version"] == "EPC-v1.0-AltRounds"
    assert report["ok"] is True
    assert "Data and pipelines are up to date." in run(clone, "dvc", "repro")
    assert "runs" not in run(clone, "git", "status", "--porcelain"), "runs are no source files"


def test_dvc_gives_a_run_back_byte_for_byte(clone: Path) -> None:
    run(clone, "dvc", "repro")
    folder = clone / "runs" / "pipeline"
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    shutil.rmtree(folder)

    run(clone, "dvc", "checkout")

    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
