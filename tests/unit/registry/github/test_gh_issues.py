"""A text is found again by its first line, and the one issue is opened, changed and closed."""

import pytest
from workflow_support import FakeGitHub, Json

from epc.errors import UsageError
from epc.registry.github.gh import keep_issue, mark

LIST = "issues?state=open&per_page=100&page=1"
BOT = {"login": "github-actions[bot]"}
BEGINS = "<!-- epc-upkeep -->"
OURS: Json = {"number": 3, "body": f"{BEGINS}\nyesterday", "user": BOT}


def kept(github: FakeGitHub, issues: list[Json], text: str) -> tuple[str, list[Json]]:
    """Keep the issue where these are open; return what was said and what was written."""
    FakeGitHub(github.folder, {LIST: issues})
    said = keep_issue(text, begins=BEGINS, title="T")
    return said, github.calls("POST", "PATCH")


def test_the_first_line_is_a_mark_or_the_text_is_not_taken() -> None:
    assert mark(f"{BEGINS}\nwords") == BEGINS
    for text in ("", "words", f" {BEGINS}\n", f"{BEGINS} words", "<!-- other -->\n"):
        with pytest.raises(UsageError, match="does not begin"):
            mark(text)


def test_a_text_longer_than_github_takes_is_refused() -> None:
    assert mark(f"{BEGINS}\n".ljust(65_536))
    with pytest.raises(UsageError, match="65,537 characters"):
        mark(f"{BEGINS}\n".ljust(65_537))


def test_an_issue_is_opened_where_none_of_its_kind_is(github: FakeGitHub) -> None:
    strangers = OURS | {"user": {"login": "stranger"}}
    pull = OURS | {"pull_request": {}}
    other = OURS | {"body": "words"}

    said, wrote = kept(github, [strangers, pull, other], f"{BEGINS}\ntoday")

    assert said == "opened #101"
    assert [(call["method"], call["path"]) for call in wrote] == [("POST", "issues")]
    assert wrote[0]["body"] == {"title": "T", "body": f"{BEGINS}\ntoday"}


def test_the_open_one_is_changed_once(github: FakeGitHub) -> None:
    said, wrote = kept(github, [OURS], f"{BEGINS}\ntoday")
    again, still = kept(github, [OURS | {"body": f"{BEGINS}\ntoday"}], f"{BEGINS}\ntoday")

    assert said == again == "#3 is open"
    assert wrote == still
    assert [(call["method"], call["path"]) for call in wrote] == [("PATCH", "issues/3")]


def test_with_nothing_to_say_the_open_one_is_closed(github: FakeGitHub) -> None:
    said, wrote = kept(github, [OURS], "")

    assert said == "closed #3"
    assert [(call["path"], call["body"]) for call in wrote] == [("issues/3", {"state": "closed"})]


def test_with_nothing_to_say_and_none_open_nothing_is_done(github: FakeGitHub) -> None:
    said, wrote = kept(github, [], "")

    assert "nothing to say" in said
    assert wrote == []


def test_a_text_of_another_kind_is_refused(github: FakeGitHub) -> None:
    with pytest.raises(UsageError, match="epc-upkeep"):
        kept(github, [], "<!-- epc-other -->\nwords")
