"""One registry with every kind of snapshot and this very registry, each built once."""

from pathlib import Path

import pytest
from site_support import (
    ADDRESS,
    AS_OF,
    IN_A_WORKFLOW,
    BuiltSite,
    build,
    epc,
    furnished,
    judged,
    measured,
    real_checkout,
)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> BuiltSite:
    made = furnished(tmp_path_factory.mktemp("site") / "clone")
    measured(made)
    judged(made)
    return build(made)


@pytest.fixture(scope="session")
def deployed(tmp_path_factory: pytest.TempPathFactory, evidence: Path) -> Path:
    """Build the site of this very registry as a workflow does."""
    folder = real_checkout(tmp_path_factory.mktemp("workflow"), evidence)
    words = ("site", "build", "--as-of", AS_OF, "--base-url", ADDRESS)
    epc(folder, *words, env=IN_A_WORKFLOW)
    return folder / "public"
