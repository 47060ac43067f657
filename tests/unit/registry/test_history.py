"""What git remembers of the events, in histories that are written line by line."""

from pathlib import Path

import pytest
from registry_support import commit, git

from epc.registry.history import lost_events, moved_events

A, B, C, D = ('{"event":"a"}', '{"event":"b"}', '{"event":"c"}', '{"event":"d"}')


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


def test_lines_that_were_only_added_have_not_moved(checkout: Path) -> None:
    committed(checkout, A)
    committed(checkout, A, B)
    state(checkout, A, B, C)

    assert (moved_events(checkout), lost_events(checkout)) == ([], [])


@pytest.mark.parametrize(
    ("reordered", "moved"),
    [
        ((A, C, B), [C]),  # git takes one line away and adds one
        ((C, B, A), [B, C]),  # git takes two away
        ((D, C, B, A), [B, C]),
    ],
)
def test_a_commit_that_took_any_number_of_lines_away_does_not_hide_their_order(
    checkout: Path, reordered: tuple[str, ...], moved: list[str]
) -> None:
    committed(checkout, A, B, C)
    committed(checkout, *reordered)

    assert moved_events(checkout) == moved


def test_an_order_that_was_put_right_again_is_no_finding(checkout: Path) -> None:
    committed(checkout, A, B, C)
    committed(checkout, C, B, A)
    committed(checkout, A, B, C)

    assert moved_events(checkout) == []


def test_a_line_that_is_gone_is_lost_and_not_moved(checkout: Path) -> None:
    committed(checkout, A, B, C)
    committed(checkout, A, C)

    assert (moved_events(checkout), lost_events(checkout)) == ([], [B])


def test_a_line_that_two_branches_added_in_either_order_has_not_moved(checkout: Path) -> None:
    committed(checkout, A)
    git(checkout, "checkout", "--quiet", "-b", "other")
    committed(checkout, A, C)
    git(checkout, "checkout", "--quiet", "-")
    committed(checkout, A, B)
    git(checkout, "merge", "--quiet", "--no-commit", "-s", "ours", "other")
    committed(checkout, A, B, C)

    assert (moved_events(checkout), lost_events(checkout)) == ([], [])


def test_without_a_history_nothing_is_known_of_lost_lines(tmp_path: Path) -> None:
    assert lost_events(tmp_path) is None
