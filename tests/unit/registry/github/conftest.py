"""A `gh` that answers from a list and writes down what it was asked."""

import os
from pathlib import Path

import pytest
from workflow_support import TOKEN, FakeGitHub


@pytest.fixture
def github(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeGitHub:
    fake = FakeGitHub(tmp_path / "gh", {})
    known_environment = {"GH_TOKEN": TOKEN, "GH_REPO": "owner/registry"}
    for name, value in (fake.environment(os.environ["PATH"]) | known_environment).items():
        monkeypatch.setenv(name, value)
    return fake
