"""What git remembers of the events, in histories that are written line by line."""

from pathlib import Path

import pytest
from registry_support import commit, git

from epc.registry.history import added_by, lost_events, published_by, restore_tags, untagged

A, B, C = ('{"event":"a"}', '{"event":"b"}', '{"event":"c"}')


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    git(tmp_path, "init", "--quiet")
    return tmp_path


def state(checkout: Path, *lines: str) -> None:
    """Write the events."""
    path = checkout / "snapshots" / "events.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")


def committed(checkout: Path, *lines: str) -> None:
    state(checkout, *lines)
    commit(checkout)


def test_a_line_that_two_branches_added_in_either_order_is_not_lost(checkout: Path) -> None:
    committed(checkout, A)
    git(checkout, "checkout", "--quiet", "-b", "other")
    committed(checkout, A, C)
    git(checkout, "checkout", "--quiet", "-")
    committed(checkout, A, B)
    git(checkout, "merge", "--quiet", "--no-commit", "-s", "ours", "other")
    committed(checkout, A, B, C)

    assert lost_events(checkout) == []


def test_each_snapshot_was_published_by_the_commit_that_added_its_digests(checkout: Path) -> None:
    made = {}
    for tag in ("v1.0-A", "v1.0-B"):
        path = checkout / "snapshots" / tag / "SHA256SUMS"
        path.parent.mkdir(parents=True)
        path.write_text("digests\n")
        commit(checkout)
        made[tag] = git(checkout, "rev-parse", "HEAD").strip()
    git(checkout, "tag", "v1.0-A", made["v1.0-A"])

    assert published_by(checkout) == made
    assert untagged(checkout) == {"v1.0-B": made["v1.0-B"]}


def test_a_restored_tag_is_the_object_that_git_tag_makes_with_the_committers_name_and_day(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tags = ("v1.0-A", "v1.1-B.2")
    for number, tag in enumerate(tags):
        path = checkout / "snapshots" / tag / "SHA256SUMS"
        path.parent.mkdir(parents=True)
        path.write_text("digests\n")
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"@{1_790_000_000 + number} +0330")
        commit(checkout)

    restored = restore_tags(checkout)

    made = {tag: git(checkout, "rev-parse", f"refs/tags/{tag}") for tag in tags}
    for number, tag in enumerate(tags):
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"@{1_790_000_000 + number} +0330")
        message = ("--annotate", "--force", "--message", f"Publish {tag}")
        git(checkout, "tag", *message, tag, restored[tag])
        assert git(checkout, "rev-parse", f"refs/tags/{tag}") == made[tag]
    assert restore_tags(checkout) == {}


def test_the_commit_that_added_a_file_is_found_whatever_changed_it_since(checkout: Path) -> None:
    committed(checkout, A)
    added = git(checkout, "rev-parse", "HEAD").strip()
    committed(checkout, A, B)

    assert added_by(checkout, "snapshots/events.jsonl") == added
    assert added_by(checkout, "snapshots/other.jsonl") == ""
