"""The pipeline of pipeline/dvc.yaml, with the real dvc in a real git repository.

Its first stages, on small parameters. `make reproduce` runs all of them in workflows/test_walk.py.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from endpoint_support import Endpoint, refusal
from engine_support import environment, files_that_hold
from registry_support import git

ROOT = Path(__file__).parent.parent.parent
SMALL = {"seeds: 0-29": "seeds: 0-1", "rounds: 30": "rounds: 3"}


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    folder = tmp_path / "clone"
    folder.mkdir()
    names = git(ROOT, "ls-files", "-z", "*.yaml", ".*ignore", ".dvc", "pipeline")
    for name in filter(None, names.split("\0")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    params = folder / "params.yaml"
    for large, small in SMALL.items():
        assert large in params.read_text()
        params.write_text(params.read_text().replace(large, small))
    run(folder, "git", "init", "--quiet")
    run(folder, "git", "add", "--all")
    return folder


def run(
    folder: Path, *arguments: str, code: int = 0, further_environment: dict[str, str] | None = None
) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {
        **environment(**(further_environment or {})),
        "PATH": path,
        "SOURCE_DATE_EPOCH": "1795305600",
    }
    done = subprocess.run(
        arguments,
        cwd=folder,
        env={**env, "DVC_NO_ANALYTICS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr if code else done.stdout


def test_dvc_measures_as_params_say_and_gives_the_run_back_byte_for_byte(clone: Path) -> None:
    pipeline, folder = clone / "pipeline", clone / "pipeline" / "run"
    run(pipeline, "dvc", "repro", "measure")
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["config"]["seeds"] == [0, 1]
    assert manifest["protocol_version"] == "EPC-v1.0-AltRounds"
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    shutil.rmtree(folder)

    run(pipeline, "dvc", "checkout")

    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


CANARY = "sk-canary-0123456789abcdef"
SECRETS = (CANARY, "hunter2-canary", "dXNlcjpodW50ZXIyLWNhbmFyeQ")  # base64 of user:password


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

    run(clone / "pipeline", "dvc", "repro", "check", further_environment=secrets)

    assert endpoint.received[0].headers["authorization"] == f"Bearer {CANARY}"
    kept_names = {path.name for path in (clone / "pipeline").iterdir()}
    assert {".dvc", "dvc.lock", "run"} <= kept_names
    assert list((clone / "pipeline" / ".dvc" / "cache").rglob("*.dir"))
    assert files_that_hold(clone.parent, *SECRETS) == []


def test_no_secret_is_in_what_dvc_keeps_of_a_run_that_failed(
    clone: Path, endpoint: Endpoint
) -> None:
    secrets = hosted(clone, endpoint)
    endpoint.behave = lambda got: refusal(401, f"not with {got.headers['authorization']}")

    text = run(clone / "pipeline", "dvc", "repro", "check", code=255, further_environment=secrets)

    assert "not with Bearer [OPENAI_API_KEY]" in text
    assert [secret for secret in SECRETS if secret in text] == []
    assert files_that_hold(clone.parent, *SECRETS) == []
