"""The repository that every walk clones."""

from pathlib import Path

import pytest
from workflow_support import make_origin


@pytest.fixture(scope="session")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_origin(tmp_path_factory.mktemp("origin"))
