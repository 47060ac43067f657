"""Asking GitHub: every page of a list, and a refusal that says what GitHub said."""

from pathlib import Path

import pytest
from workflow_support import FakeGitHub, Json

from epc.errors import WorldError
from epc.registry.github.gh import api, pages


def answering(github: FakeGitHub, answers: Json) -> None:
    FakeGitHub(github.folder, answers)


def test_a_refusal_is_the_world_s_fault_and_says_what_github_said(github: FakeGitHub) -> None:
    answering(github, {"pulls/7": {"number": 7}})

    assert api("pulls/7") == {"number": 7}
    with pytest.raises(WorldError, match=r"gh api pulls/8 failed: gh: Not Found \(HTTP 404\)"):
        api("pulls/8")


def test_without_gh_its_absence_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(WorldError, match="gh is not installed"):
        api("pulls/7")


def test_a_list_goes_on_until_a_page_is_not_full(github: FakeGitHub) -> None:
    """A full page has a hundred entries; the second one here has none."""
    first = list(range(100))
    answering(
        github,
        {
            "issues?per_page=100&page=1": first,
            "issues?per_page=100&page=2": [],
            "pulls?state=open&per_page=100&page=1": [1, 2],
        },
    )

    assert list(pages("issues")) == first
    assert list(pages("pulls?state=open")) == [1, 2]
