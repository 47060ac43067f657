"""The pipeline of dvc.yaml, with the real dvc in a real git repository."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from endpoint_support import Endpoint, refusal, serving
from engine_support import environment, files_that_hold

ROOT = Path(__file__).parent.parent.parent
SMALL = {"seeds: 0-29": "seeds: 0-1", "rounds: 30": "rounds: 3"}


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    folder = tmp_path / "clone"
    folder.mkdir()
    for name in ("dvc.yaml", "params.yaml", ".dvcignore", ".gitignore"):
        shutil.copy(ROOT / name, folder / name)
    for name in ("snapshots", "site"):
        shutil.copytree(ROOT / name, folder / name)
    (folder / ".dvc").mkdir()
    shutil.copy(ROOT / ".dvc" / "config", folder / ".dvc" / "config")
    params = folder / "params.yaml"
    for large, small in SMALL.items():
        assert large in params.read_text()
        params.write_text(params.read_text().replace(large, small))
    run(folder, "git", "init", "--quiet")
    return folder


def run(folder: Path, *words: str, code: int = 0, more: dict[str, str] | None = None) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {**environment(**(more or {})), "PATH": path, "SOURCE_DATE_EPOCH": "1795305600"}
    done = subprocess.run(
        words,
        cwd=folder,
        env={**env, "DVC_NO_ANALYTICS": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=280,  # it builds the whole site, with its pictures
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr if code else done.stdout


def test_dvc_repro_measures_checks_and_then_has_nothing_to_do(clone: Path) -> None:
    run(clone, "dvc", "repro")

    manifest = json.loads((clone / "runs" / "pipeline" / "manifest.json").read_text())
    report = json.loads((clone / "runs" / "pipeline.findings.json").read_text())
    assert manifest["config"]["seeds"] == [0, 1]
    assert manifest["protocol_version"] == "EPC-v1.0-AltRounds"
    assert report["ok"] is True
    assert "Data and pipelines are up to date." in run(clone, "dvc", "repro")
    assert (clone / "public" / "index.html").is_file()
    left = run(clone, "git", "status", "--porcelain")
    assert not any(f"{name}/" in left for name in ("runs", "public", "build")), left


def test_dvc_gives_a_run_back_byte_for_byte(clone: Path) -> None:
    run(clone, "dvc", "repro", "measure")
    folder = clone / "runs" / "pipeline"
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    shutil.rmtree(folder)

    run(clone, "dvc", "checkout", "runs/pipeline")  # published raw files wait for `dvc pull`

    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


CANARY = "sk-canary-0123456789abcdef"
SECRETS = (CANARY, "hunter2-canary", "dXNlcjpodW50ZXIyLWNhbmFyeQ")  # base64 of user:password


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serving() as server:
        yield server


def hosted(clone: Path, endpoint: Endpoint) -> dict[str, str]:
    """Have the pipeline measure hosted models; return the environment that holds their secrets."""
    params = clone / "params.yaml"
    text = params.read_text()
    for mock in ("mock/coin-flip", "mock/deterministic"):
        assert mock in text
        text = text.replace(mock, "openai/judge-0806")
    params.write_text(text)
    address = endpoint.url.replace("://", "://user:hunter2-canary@")
    cache = str(clone.parent / "answers")
    return {"OPENAI_BASE_URL": address, "OPENAI_API_KEY": CANARY, "EPC_CACHE_DIR": cache}


def test_no_secret_is_in_what_dvc_keeps_of_a_hosted_run(clone: Path, endpoint: Endpoint) -> None:
    secrets = hosted(clone, endpoint)

    run(clone, "dvc", "repro", "check", more=secrets)

    assert endpoint.received[0].headers["authorization"] == f"Bearer {CANARY}"
    kept = {path.relative_to(clone).parts[0] for path in clone.rglob("*") if path.is_file()}
    assert {".dvc", "dvc.lock", "runs"} <= kept
    assert list((clone / ".dvc" / "cache").rglob("*.dir"))
    assert files_that_hold(clone.parent, *SECRETS) == []


def test_no_secret_is_in_what_dvc_keeps_of_a_run_that_failed(
    clone: Path, endpoint: Endpoint
) -> None:
    secrets = hosted(clone, endpoint)
    endpoint.behave = lambda got: refusal(401, f"not with {got.headers['authorization']}")

    said = run(clone, "dvc", "repro", "check", code=255, more=secrets)

    assert "not with Bearer [OPENAI_API_KEY]" in said
    assert [secret for secret in SECRETS if secret in said] == []
    assert files_that_hold(clone.parent, *SECRETS) == []


def outs(stage: dict[str, Any]) -> set[str]:
    return {next(iter(out)) if isinstance(out, dict) else out for out in stage["outs"]}


def test_the_stages_stand_in_the_order_of_what_they_need() -> None:
    """So `dvc repro --single-item`, which takes them as they stand, leaves nothing out of date."""
    stages = yaml.safe_load((ROOT / "dvc.yaml").read_text("utf-8"))["stages"]
    made: set[str] = set()
    every = {path for stage in stages.values() for path in outs(stage)}
    for stage in stages.values():
        needed = {str(dep) for dep in stage.get("deps", [])} & every
        assert needed <= made
        made |= outs(stage)
    assert made == every
