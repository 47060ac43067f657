"""The run folders of `records_support`, and a machine without a network, for every test here."""

import shutil
import subprocess
from pathlib import Path

import pytest
from records_support import exhaustive, flip, made, single, ties, tiny
from registry_support import ROOT

__all__ = ["exhaustive", "flip", "made", "single", "ties", "tiny"]

DRAWN = ROOT / "build" / "site" / "pictures"
_CLOSED = "http://127.0.0.1:9"


@pytest.fixture(scope="session")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where builds of this very registry's site keep evidence.

    It begins with what `make docs` worked out, if that was run. A build takes of this only what
    follows from the same snapshots and the same program. Each worker has its own, because a build
    throws away what others are about to keep.
    """
    folder = tmp_path_factory.mktemp("evidence")
    if DRAWN.is_dir():
        shutil.copytree(DRAWN, folder, dirs_exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def offline() -> tuple[tuple[str, ...], dict[str, str]]:
    """Return what takes the network from a command: a namespace without one, or dead proxies."""
    for words in (("unshare", "--net"), ("unshare", "--net", "--map-root-user")):
        tried = subprocess.run([*words, "true"], capture_output=True, check=False)
        if tried.returncode == 0:
            return words, {}
    return (), {f"{name}_proxy": _CLOSED for name in ("http", "https", "all")}
