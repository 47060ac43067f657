"""Two small registries: one with a reported snapshot, one with a published evaluation."""

from pathlib import Path

import pytest
from judged_support import published_evaluation
from registry_support import Checkout, date_claim, generation_record, git, life_record
from shared_support import shared


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    checkout = Checkout(tmp_path / "clone")
    lives = [
        life_record(retires=date_claim("2026-07-01")),
        life_record(platform="cloud", retires=date_claim("2026-09-01")),
    ]
    checkout.evaluator(generation_record("Judge-1", *lives))
    checkout.publish()
    return checkout


@pytest.fixture(scope="session")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A registry in which an evaluation is published; no test changes it."""
    return shared(tmp_path_factory, "published evaluation", published_evaluation)


@pytest.fixture
def evaluation(origin: Checkout) -> Path:
    """The folder that was published."""
    return origin.folder.parent / "judged-CarelessJudge"


@pytest.fixture
def clone(origin: Checkout, tmp_path: Path) -> Path:
    folder = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", str(origin.folder), str(folder))
    return folder
