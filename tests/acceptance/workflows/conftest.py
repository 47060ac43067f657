"""The repository that every walk clones."""

from pathlib import Path

import pytest
from shared_support import shared
from workflow_support import make_origin


@pytest.fixture(scope="session")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared(tmp_path_factory, "origin", make_origin)
