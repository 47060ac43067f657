"""What a new measurement means for the older ones."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from registry_support import (
    card,
    event,
    generation_record,
    judged,
    measured,
    observed,
    snapshot,
)

from epc.answers.snapshot_status import status_on
from epc.records.typed import as_json
from epc.registry.endings import endings
from epc.registry.registry import Registry
from epc.registry.snapshots import Event, Snapshot

DAY = date(2026, 2, 1)


def registry(*snapshots: Snapshot, events: tuple[Event, ...] = ()) -> Registry:
    return Registry.from_document(
        {
            "evaluators": [generation_record()],
            "snapshots": [{"card": as_json(s.card), "figures": s.figures} for s in snapshots],
            "events": [as_json(e) for e in events],
            "policy": {"maximum_age_days": 180, "notice_days": 60},
        }
    )


def test_reading_r57_a_newer_measurement_that_agrees_supersedes() -> None:
    new = measured("v1.1-Judge-1", low=1.2, high=1.3)

    (printed_event,) = endings(registry(measured()), new, DAY)

    assert (printed_event.event, printed_event.tag, printed_event.by) == (
        "superseded",
        "v1.0-Judge-1",
        str(new.tag),
    )


def test_reading_r57_one_that_differs_says_that_the_older_one_drifted_and_by_what() -> None:
    new = measured("v1.1-Judge-1", low=1.3, high=1.4)

    (printed_event,) = endings(registry(measured()), new, DAY)

    assert (printed_event.event, printed_event.source) == ("drifted", "v1.1-Judge-1")
    assert "1.100 [1.000, 1.200]" in printed_event.reason
    assert "1.350 [1.300, 1.400]" in printed_event.reason


OTHERS: list[tuple[str, Snapshot]] = [
    ("a publication", snapshot()),
    ("what it said as a judge", judged()),
    ("another generation", measured("v1.0-Judge-2")),
    ("a later number", measured("v1.2-Judge-1")),
    ("another executor", measured(executor=card()["evaluator"])),
]


@pytest.mark.parametrize("old", [old for _, old in OTHERS], ids=[name for name, _ in OTHERS])
def test_reading_r57_what_was_not_measured_alike_before_is_left_standing(old: Snapshot) -> None:
    assert list(endings(registry(old), measured("v1.1-Judge-1"), DAY)) == []


def test_what_a_model_said_as_a_judge_ends_nothing() -> None:
    assert list(endings(registry(judged(), measured()), judged("v1.1-Judge-1"), DAY)) == []


NEWER = "b" * 40


def test_reading_r57_another_commit_of_a_source_supersedes_what_it_said_of_the_same_judge() -> None:
    new = observed("v1.1-Judge-1", NEWER, settings=("J/1", "J/2", "J/3"))

    (printed_event,) = endings(registry(observed()), new, DAY)

    assert (printed_event.event, printed_event.tag, printed_event.by) == (
        "superseded",
        "v1.0-Judge-1",
        "v1.1-Judge-1",
    )
    assert (
        printed_event.reason
        == "v1.1-Judge-1 is of the same judge at another commit of the same source"
    )


def with_transfer(old: Snapshot) -> Snapshot:
    """Return a snapshot of the same verdicts, by which something crosses between two subsets."""
    into = {"redirected": 0.0, "redirected_ci95": None, "regret": 0.0, "regret_ci95": None}
    transfer = {
        "verdicts": 8,
        "domains": {"x": 4, "y": 4},
        "word": "inconclusive",
        "strategies": ["s", "t"],
        "directions": {"x_to_y": into | {"chance": 0.0}, "y_to_x": into | {"chance": 0.0}},
    }
    groups = [group | {"transfer": transfer} for group in old.figures["groups"]]
    return replace(old, figures=old.figures | {"groups": groups})


def test_reading_r57_the_same_verdicts_with_what_crosses_between_domains_supersede() -> None:
    new = with_transfer(observed("v1.1-Judge-1"))

    (printed_event,) = endings(registry(observed()), new, DAY)

    assert (printed_event.event, printed_event.tag) == ("superseded", "v1.0-Judge-1")
    assert printed_event.reason == (
        "v1.1-Judge-1 has the same verdicts, with what crosses between two of the source's domains"
    )


def test_reading_r57_the_same_verdicts_without_what_crossed_end_nothing() -> None:
    old = with_transfer(observed())
    beside = replace(old, figures=old.figures | {"beside": ["K"]})

    assert list(endings(registry(beside), with_transfer(observed("v1.1-Judge-1")), DAY)) == []
    assert list(endings(registry(old), observed("v1.1-Judge-1"), DAY)) == []


BESIDE: dict[str, Snapshot] = {
    "the same commit": observed("v1.1-Judge-1"),
    "another judge": observed("v1.1-Judge-1", NEWER, judge="K"),
    "another generation": observed("v1.1-Judge-2", NEWER),
    "another repository": observed(
        "v1.1-Judge-1", NEWER, origin={"repository": "https://b.example"}
    ),
    "another part of it": observed("v1.1-Judge-1", NEWER, origin={"name": "Other"}),
    "fewer ways of asking": observed("v1.1-Judge-1", NEWER, settings=("J/1",)),
    "no stated commit": observed("v1.1-Judge-1", "unknown"),
    "an older number": observed("v0.9-Judge-1", NEWER),
    "a measurement": measured("v1.1-Judge-1"),
}


@pytest.mark.parametrize("new", BESIDE.values(), ids=BESIDE)
def test_reading_r57_what_does_not_hold_all_of_an_older_record_ends_nothing(new: Snapshot) -> None:
    assert list(endings(registry(observed()), new, DAY)) == []


def test_reading_r57_a_replication_ends_nothing() -> None:
    new = measured("v1.1-Judge-1", by="B", replicates="v1.0-Judge-1")

    assert list(endings(registry(measured()), new, DAY)) == []


@pytest.mark.parametrize(
    ("name", "given"),
    [("withdrawn", {"reason": "r"}), ("superseded", {"reason": "r", "by": "v1.1-Judge-1"})],
)
def test_what_has_ended_does_not_end_again(name: str, given: Any) -> None:
    over = event(name, "2026-03-01", **given)

    assert list(endings(registry(measured(), events=(over,)), measured("v1.1-Judge-1"), DAY)) == []


def test_the_events_end_the_older_snapshot_on_their_day() -> None:
    old = measured()
    (printed_event,) = endings(registry(old), measured("v1.1-Judge-1"), DAY)
    after = registry(old, events=(printed_event,))

    assert status_on(after, "v1.0-Judge-1", date(2026, 1, 31)).state.status != "expired"
    assert status_on(after, "v1.0-Judge-1", date(2026, 2, 1)).state.reason == "superseded"
