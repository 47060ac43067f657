"""Whether the events of a registry tell one story, line by line."""

from pathlib import Path

import pytest
from registry_support import ROOT, Checkout, Json

from epc.registry.verify import verify

EVENTS = "snapshots/events.jsonl"
WITHDRAWN: Json = {"date": "2026-03-01", "event": "withdrawn", "reason": "a cache"}


@pytest.fixture
def made(tmp_path: Path) -> Checkout:
    made = Checkout(tmp_path)
    made.publish("v1.0-Judge-1")
    return made


def found(made: Checkout) -> list[tuple[str, str]]:
    """Return each error of the events, by its line."""
    if not (made.folder / ".git").exists():
        made.init()
    listed = verify(made.folder)
    return [(f.where, f.problem) for f in listed if f.where.startswith(EVENTS)]


def test_an_event_of_what_was_not_published_before_it_is_named(made: Checkout) -> None:
    made.tell(WITHDRAWN | {"tag": "v1.1-Judge-1"})
    made.tell(WITHDRAWN | {"tag": "v1.0-Judge-1"})

    assert found(made) == [(f"{EVENTS}:2", "v1.1-Judge-1 was not published before this")]


def test_a_snapshot_is_published_once(made: Checkout) -> None:
    made.tell(made.events()[0])

    assert found(made) == [(f"{EVENTS}:2", "v1.0-Judge-1 is published twice")]


def test_an_event_of_a_day_that_there_is_not_is_named(made: Checkout) -> None:
    made.tell(WITHDRAWN | {"tag": "v1.0-Judge-1", "date": "2026-02-30"})

    assert (f"{EVENTS}:2", "there is no day 2026-02-30") in found(made)


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
    other = ROOT / "snapshots" / "v1.0-CoinFlip" / "metrics.json"
    (made.folder / "snapshots" / "v1.0-Judge-1" / "metrics.json").write_bytes(other.read_bytes())

    assert ("metrics.json/kind", "says measured, the card reported") in in_folder(made)


def test_a_file_that_nobody_listed_is_found(made: Checkout) -> None:
    (made.folder / "snapshots" / "v1.0-Judge-1" / "notes.txt").write_text("x")

    assert ("notes.txt", "is not in SHA256SUMS") in in_folder(made)
