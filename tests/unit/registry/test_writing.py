"""Adding to the registry: lines at the end, all or none."""

import json
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from epc.errors import UsageError
from epc.registry import layout, writing
from epc.registry.snapshots import Event
from epc.registry.writing import end, new_folder

DAY = date(2026, 7, 2)


def event(name: Any, reason: str = "because") -> Event:
    return Event(date=DAY, tag="v1.0-X", event=name, reason=reason)


def ended(home: Path, wanted: Event, before: list[Event], monkeypatch: pytest.MonkeyPatch) -> Path:
    registry = SimpleNamespace(by_tag={"v1.0-X": before})
    monkeypatch.setattr(writing, "of_folder", lambda _: registry)
    lock: Any = SimpleNamespace(home=home, checkout=home)
    return end(lock, wanted)


@pytest.mark.parametrize("reason", ["", " \n"])
def test_an_end_has_a_reason(tmp_path: Path, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="without a reason"):
        ended(tmp_path, event("withdrawn", reason), [], monkeypatch)


def test_an_end_is_added_behind_what_stands_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / layout.EVENTS).write_text("{}\n")

    path = ended(tmp_path, event("withdrawn"), [event("published")], monkeypatch)

    first, second = path.read_text().splitlines()
    assert (first, json.loads(second)["event"]) == ("{}", "withdrawn")


@pytest.mark.parametrize("before", ["withdrawn", "deprecated"])
def test_what_ended_in_the_same_way_or_for_good_does_not_end_again(
    tmp_path: Path, before: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UsageError, match=f"is {before} already"):
        ended(tmp_path, event("deprecated"), [event(before)], monkeypatch)


def test_a_folder_stands_there_once_its_block_ended_and_not_if_it_failed(tmp_path: Path) -> None:
    out, building = tmp_path / "out", tmp_path / "building"
    with pytest.raises(ZeroDivisionError), new_folder(out, building, "--out"):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []

    with new_folder(out, building, "--out") as folder:
        (folder / "x").write_text("1")
        assert not out.exists()

    assert (out / "x").read_text() == "1"
    with pytest.raises(UsageError, match="exists already"), new_folder(out, building, "--out"):
        pass
