"""The run folders of `records_support`, and a machine without a network, for every test here."""

import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from endpoint_support import Endpoint, serving
from installed_support import Installed
from installed_support import installed_in as made_clean
from records_support import exhaustive, flip, made, single, ties, tiny
from shared_support import shared
from site_support import ADDRESS, AS_OF, IN_A_WORKFLOW, BuiltSite, complete, epc, real_checkout

from epc.report import picture

__all__ = ["exhaustive", "flip", "made", "single", "ties", "tiny"]

_CLOSED = "http://127.0.0.1:9"


def _deployed(folder: Path) -> Path:
    """Build the site of this very registry as a workflow does."""
    (folder / "checkout").mkdir()
    checkout = real_checkout(folder / "checkout")
    arguments = ("admin", "site", "build", "--as-of", AS_OF, "--base-url", ADDRESS)
    epc(checkout, *arguments, env=IN_A_WORKFLOW)
    return folder


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """A server on loopback that stands in for a provider."""
    with serving() as server:
        yield server


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return shared(tmp_path_factory, "installed", made_clean)


@pytest.fixture(scope="session")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared(tmp_path_factory, "deployed", _deployed) / "checkout" / "public"


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> BuiltSite:
    """The site of one registry with every kind of page."""
    return shared(tmp_path_factory, "site", complete)


@pytest.fixture(scope="session", autouse=True)
def _one_bundle() -> Iterator[None]:
    """Vega-Embed as one script costs a second and is the same for every site: it is made once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(picture, "bundle", cache(picture.bundle))
        yield


@pytest.fixture(scope="module")
def offline() -> tuple[tuple[str, ...], dict[str, str]]:
    """Return what takes the network from a command: a namespace without one, or dead proxies."""
    for arguments in (("unshare", "--net"), ("unshare", "--net", "--map-root-user")):
        tried = subprocess.run([*arguments, "true"], capture_output=True, check=False)
        if tried.returncode == 0:
            return arguments, {}
    return (), {f"{name}_proxy": _CLOSED for name in ("http", "https", "all")}
