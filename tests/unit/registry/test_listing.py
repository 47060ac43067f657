from registry_support import FIGURES, card, date_claim, day, generation_record, life_record

from epc.answers.snapshot_status import snapshot_states
from epc.registry.listing import changes
from epc.registry.registry import Registry


def registry(*events: dict[str, str]) -> Registry:
    retires = date_claim("2026-06-30")
    return Registry.from_document(
        {
            "evaluators": [generation_record("Judge-1", life_record(retires=retires))],
            "snapshots": [{"card": card(), "figures": FIGURES}],
            "events": list(events),
            "policy": {"maximum_age_days": 1000, "notice_days": 30},
        }
    )


def event_of(name: str, on: str, **options: str) -> dict[str, str]:
    return {"event": name, "date": on, "tag": "v1.0-Judge-1", **options}


def listed(found: Registry, since: str, as_of: str) -> list[tuple[str, str]]:
    states = snapshot_states(found, day(as_of))
    return [(str(c.date), c.event) for c in changes(found, states, day(since), day(as_of))]


def test_events_after_the_day_are_listed_up_to_the_other() -> None:
    actual_registry = registry(
        event_of("published", "2026-02-01"), event_of("published", "2026-02-02")
    )

    assert listed(actual_registry, "2026-02-01", "2026-02-02") == [("2026-02-02", "published")]
    assert listed(actual_registry, "2026-01-31", "2026-02-01") == [("2026-02-01", "published")]


def test_an_end_that_the_calendar_brought_is_listed_on_its_day() -> None:
    actual_registry = registry(event_of("published", "2026-02-01"))

    assert listed(actual_registry, "2026-06-29", "2026-07-15") == [
        ("2026-06-30", "expired (retired)")
    ]
    assert listed(actual_registry, "2026-06-30", "2026-07-15") == []
    assert listed(actual_registry, "2026-05-01", "2026-06-05") == [
        ("2026-05-31", "expiring: will be retired on 2026-06-30")
    ]


def test_an_end_that_has_its_event_is_listed_once() -> None:
    actual_registry = registry(event_of("withdrawn", "2026-03-01", reason="r"))

    assert listed(actual_registry, "2026-02-01", "2026-03-05") == [("2026-03-01", "withdrawn")]
