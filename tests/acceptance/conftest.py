"""The run folders of `records_support`, and a machine without a network, for every test here."""

import shutil
import subprocess
from pathlib import Path

import pytest
from installed_support import Installed
from installed_support import made as made_clean
from records_support import exhaustive, flip, made, single, ties, tiny
from registry_support import ROOT
from shared_support import shared
from site_support import ADDRESS, AS_OF, IN_A_WORKFLOW, epc, real_checkout

__all__ = ["exhaustive", "flip", "made", "single", "ties", "tiny"]

DRAWN = ROOT / "build" / "site" / "pictures"
_CLOSED = "http://127.0.0.1:9"


def _deployed(folder: Path) -> Path:
    """Build the site of this very registry as a workflow does, from what `make docs` worked out.

    A build takes of that only what follows from the same snapshots and the same program.
    """
    if DRAWN.is_dir():
        shutil.copytree(DRAWN, folder / "evidence")
    else:
        (folder / "evidence").mkdir()
    (folder / "checkout").mkdir()
    checkout = real_checkout(folder / "checkout", folder / "evidence")
    words = ("admin", "site", "build", "--as-of", AS_OF, "--base-url", ADDRESS)
    epc(checkout, *words, env=IN_A_WORKFLOW)
    return folder


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return shared(tmp_path_factory, "installed", made_clean)


@pytest.fixture(scope="session")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared(tmp_path_factory, "deployed", _deployed) / "checkout" / "public"


@pytest.fixture(scope="session")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where further builds of this very registry's site find evidence, and keep more.

    Each worker has its own, because a build throws away what others are about to keep.
    """
    folder = tmp_path_factory.mktemp("evidence")
    home = shared(tmp_path_factory, "deployed", _deployed)
    shutil.copytree(home / "evidence", folder, dirs_exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def offline() -> tuple[tuple[str, ...], dict[str, str]]:
    """Return what takes the network from a command: a namespace without one, or dead proxies."""
    for words in (("unshare", "--net"), ("unshare", "--net", "--map-root-user")):
        tried = subprocess.run([*words, "true"], capture_output=True, check=False)
        if tried.returncode == 0:
            return words, {}
    return (), {f"{name}_proxy": _CLOSED for name in ("http", "https", "all")}
