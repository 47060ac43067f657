"""One registry and one honest submission, copied for every test."""

from pathlib import Path

import pytest
from submissions_support import Offered, offered


@pytest.fixture(scope="session")
def submissions_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("submissions")


@pytest.fixture
def honest(submissions_home: Path, tmp_path: Path) -> Offered:
    return offered(submissions_home, tmp_path)
