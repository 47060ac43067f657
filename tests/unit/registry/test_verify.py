"""Whether the events of a registry tell one story, line by line."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest
from registry_support import ROOT, Checkout, Json, commit, git

from epc.registry.verify import verify

EVENTS = "snapshots/events.jsonl"
WITHDRAWN: Json = {"date": "2026-03-01", "event": "withdrawn", "reason": "a cache"}


@pytest.fixture
def made(tmp_path: Path) -> Checkout:
    checkout = Checkout(tmp_path)
    checkout.publish("v1.0-Judge-1")
    return checkout


def event_errors(made: Checkout) -> list[tuple[str, str]]:
    """Return each error of the events, by its line."""
    if not (made.folder / ".git").exists():
        made.init()
    listed = verify(made.folder)
    return [(f.where, f.problem) for f in listed if f.where.startswith(EVENTS)]


def test_an_event_of_what_was_not_published_before_it_is_named(made: Checkout) -> None:
    made.tell(WITHDRAWN | {"tag": "v1.1-Judge-1"})
    made.tell(WITHDRAWN | {"tag": "v1.0-Judge-1"})

    assert event_errors(made) == [(f"{EVENTS}:2", "v1.1-Judge-1 was not published before this")]


def test_a_snapshot_is_published_once(made: Checkout) -> None:
    made.tell(made.events()[0])

    assert event_errors(made) == [(f"{EVENTS}:2", "v1.0-Judge-1 is published twice")]


def test_an_event_of_a_day_that_there_is_not_is_named(made: Checkout) -> None:
    made.tell(WITHDRAWN | {"tag": "v1.0-Judge-1", "date": "2026-02-30"})

    assert (f"{EVENTS}:2", "there is no day 2026-02-30") in event_errors(made)


def in_folder(made: Checkout) -> set[tuple[str, str]]:
    if not (made.folder / ".git").exists():
        made.init()
    home = "snapshots/v1.0-Judge-1/"
    return {
        (f.where.removeprefix(home), f.problem)
        for f in verify(made.folder)
        if f.where.startswith(home)
    }


@pytest.mark.parametrize("name", ["metrics.json", "snapshot.json"])
def test_a_document_that_is_gone_is_missing(made: Checkout, name: str) -> None:
    (made.folder / "snapshots" / "v1.0-Judge-1" / name).unlink()

    assert (name, "is missing") in in_folder(made)


def test_figures_of_another_kind_than_the_card_are_found(made: Checkout) -> None:
    other_path = ROOT / "snapshots" / "v1.0-CoinFlip" / "metrics.json"
    (made.folder / "snapshots" / "v1.0-Judge-1" / "metrics.json").write_bytes(
        other_path.read_bytes()
    )

    assert ("metrics.json/kind", "says measured, the card reported") in in_folder(made)


def test_a_file_that_nobody_listed_is_found(made: Checkout) -> None:
    (made.folder / "snapshots" / "v1.0-Judge-1" / "notes.txt").write_text("x")

    assert ("notes.txt", "is not in SHA256SUMS") in in_folder(made)


def named(made: Checkout) -> set[tuple[str, str]]:
    """Return every error with its place."""
    return {(f.where, f.problem) for f in verify(made.folder) if f.severity == "error"}


def append(name: str) -> Callable[[Path], object]:
    return lambda home: (home / name).write_bytes((home / name).read_bytes() + b" ")


def test_epc_4_nothing_is_found_where_all_is_as_it_was_published(made: Checkout) -> None:
    made.init()

    assert named(made) == set()


@pytest.mark.parametrize(
    ("change", "where", "problem"),
    [
        (append("metrics.json"), "/metrics.json", "SHA-256 is {now}, published with {before}"),
        (append("SHA256SUMS"), "/SHA256SUMS", "SHA-256 is {now}, published with {before}"),
        (lambda home: (home / "SHA256SUMS").unlink(), "/SHA256SUMS", "is missing"),
        (lambda home: home.rename(home.parent / "v1.0-Judge-2"), "", "was published and is gone"),
    ],
)
def test_epc_4_a_changed_or_lost_file_is_named_with_its_digests(
    made: Checkout, change: Callable[[Path], object], where: str, problem: str
) -> None:
    made.init()
    home = made.home / "v1.0-Judge-1"
    path = home / where.removeprefix("/")
    before = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
    change(home)
    now = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""

    place = f"snapshots/v1.0-Judge-1{where}"
    assert (place, problem.format(now=now, before=before)) in named(made)


def test_a_folder_that_no_event_published_is_named(made: Checkout) -> None:
    (made.home / "events.jsonl").write_text("")
    made.init()

    assert ("snapshots/v1.0-Judge-1", "no event says that it was published") in named(made)


def test_a_link_in_place_of_a_file_is_named(made: Checkout, tmp_path: Path) -> None:
    path = made.home / "v1.0-Judge-1" / "metrics.json"
    path.rename(tmp_path / "elsewhere.json")
    path.symlink_to(tmp_path / "elsewhere.json")
    made.init()

    expected = "is a link, expected a file or a folder"
    assert ("snapshots/v1.0-Judge-1/metrics.json", expected) in named(made)


def test_a_pulled_raw_file_is_held_against_its_digest(made: Checkout) -> None:
    raw = made.home / "v1.0-Judge-1" / "raw"
    raw.mkdir()
    (raw / "calls.jsonl").write_text("x")
    made.init()

    assert ("raw/calls.jsonl", "is not in SHA256SUMS") in in_folder(made)


def test_an_event_of_a_day_before_that_of_its_predecessor_is_named(made: Checkout) -> None:
    made.tell(WITHDRAWN | {"tag": "v1.0-Judge-1", "date": "2026-01-31"})

    assert event_errors(made) == [
        (f"{EVENTS}:2", "is of 2026-01-31, and stands after an event of 2026-02-01")
    ]


def test_a_published_line_that_is_gone_is_named(made: Checkout) -> None:
    made.tell(WITHDRAWN | {"tag": "v1.0-Judge-1"})
    made.init()
    first, second = (made.home / "events.jsonl").read_text().splitlines()
    (made.home / "events.jsonl").write_text(f"{first}\n")

    assert (EVENTS, f"this line was published and is gone: {second}") in named(made)


def test_a_tag_of_another_commit_than_the_one_that_published_is_named(made: Checkout) -> None:
    made.init()
    publication = git(made.folder, "rev-parse", "HEAD").strip()
    (made.folder / "other").write_text("x")
    commit(made.folder, "later")
    later_text = git(made.folder, "rev-parse", "HEAD").strip()
    git(made.folder, "tag", "v1.0-Judge-1", publication)
    assert named(made) == set()

    git(made.folder, "tag", "--force", "v1.0-Judge-1", later_text)

    expected = f"is a git tag of {later_text}; {publication} published this snapshot"
    assert named(made) == {("refs/tags/v1.0-Judge-1", expected)}
