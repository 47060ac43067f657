"""One registry and one honest submission, copied for every test."""

import shutil
from pathlib import Path

import pytest
from shared_support import shared
from submissions_support import Offered, offered, templates


@pytest.fixture(scope="session")
def submissions_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared(tmp_path_factory, "submissions", templates)


@pytest.fixture
def honest(submissions_home: Path, tmp_path: Path) -> Offered:
    return offered(submissions_home, tmp_path)


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """The submission in the registry that a module's `made` is, in a copy of the test's own."""
    shutil.copytree(made, tmp_path / "registry")
    (path,) = (tmp_path / "registry" / "submissions").iterdir()
    return path
