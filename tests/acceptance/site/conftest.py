"""One registry with every kind of snapshot, built once."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from shared_support import shared
from site_support import (
    BuiltSite,
    build,
    furnished,
    judged,
    measured,
)

from epc.site.serving import SiteServer


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> BuiltSite:
    return shared(tmp_path_factory, "site", _site)


def _site(folder: Path) -> BuiltSite:
    made = furnished(folder / "clone")
    measured(made)
    judged(made)
    return build(made)


@pytest.fixture(scope="session")
def address(site: BuiltSite) -> Iterator[str]:
    with SiteServer(site.out, 0) as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{made.server_port}/"
        made.shutdown()
