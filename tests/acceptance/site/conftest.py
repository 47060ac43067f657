"""One registry with every kind of snapshot, built once."""

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


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> BuiltSite:
    return shared(tmp_path_factory, "site", _site)


def _site(folder: Path) -> BuiltSite:
    made = furnished(folder / "clone")
    measured(made)
    judged(made)
    return build(made)
