"""One registry with every kind of snapshot, built once."""

import pytest
from site_support import BuiltSite, build, furnished, judged, measured


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> BuiltSite:
    made = furnished(tmp_path_factory.mktemp("site") / "clone")
    measured(made)
    judged(made)
    return build(made)
