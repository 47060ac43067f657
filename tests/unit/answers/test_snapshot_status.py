"""Reading R103: which published snapshots hold on a day, worked out from the records by hand.

Days of publication are those of the commits that hold the verdicts; each sum stands beside its day.
"""

from datetime import date
from functools import cache

import pytest
from registry_support import FIGURES, ROOT, card, day, generation_record, life_record, observed_card

from epc.answers.snapshot_status import snapshot_status, status_on
from epc.registry.reading import of_folder
from epc.registry.registry import Registry

A, C = "2026-11-28", "2027-03-15"
NEVER_CHANGES = {"source": "https://maker.example/ids", "seen": "2026-01-10"}


@cache
def published() -> Registry:
    return of_folder(ROOT)


@pytest.mark.parametrize(
    ("tag", "on", "words"),
    [
        # Given on 16 May 2026 by an id that never changes: 365 days.
        ("v1.2-claude-opus-4-5-20251101", A, "current until 2027-05-16"),
        # Committed on 29 April 2026; 365 days. Its notice of 60 days begins on 28 February.
        ("v1.0-claude-haiku-4-5-20251001", A, "current until 2027-04-29"),
        ("v1.0-claude-haiku-4-5-20251001", C, "expiring: will be too old on 2027-04-29"),
        # Committed on 30 April 2026 of a name that may move: 180 days, to 27 October.
        ("v1.0-gpt-5.4-mini", A, "expired since 2026-10-27 (stale)"),
        # Committed on 29 December 2025: 180 days, to 27 June.
        ("v1.0-gpt-5.2", A, "expired since 2026-06-27 (stale)"),
        # Given on 6 August 2026, and Anthropic fixes claude-sonnet-4-6: to 6 August 2027.
        ("v1.2-claude-sonnet-4-6", A, "current until 2027-08-06"),
        ("v1.2-claude-sonnet-4-6", C, "current until 2027-08-06"),
        # The runs of an optimiser rest on the same recorded verdicts.
        ("v1.1-gpt-5.4-mini", A, "expired since 2026-10-27 (stale)"),
        # Committed on 13 August 2026; nobody checked a digest of these weights: 9 February.
        ("v1.0-Skywork-Reward-V2-Llama-3.1-8B", A, "current until 2027-02-09"),
        # Before its judge ends in 2026 the record of 2023 was too old: 29 October and 180 days.
        ("v1.0-gpt-4", A, "expired since 2024-04-26 (stale)"),
        # Weights by digest never grow old.
        ("v1.0-SmolLM2-135M", C, "current"),
    ],
)
def test_reading_r103_the_state_of_a_snapshot_is_that_of_its_days(
    tag: str, on: str, words: str
) -> None:
    assert snapshot_status(published(), tag, day(on)).state.status_text == words


def test_reading_r103_every_snapshot_has_a_state_and_bounds_of_its_day() -> None:
    for tag in published().snapshots:
        status = status_on(published(), tag, day("2026-12-01"))

        assert status.state.status in {"current", "expiring", "expired"}, tag
        assert status.measured_by, tag
        assert not status.measured_from or status.measured_from <= status.measured_by, tag


def test_reading_r103_the_first_day_is_the_release_where_none_is_stated() -> None:
    """Haiku 4.5 was released on 15 October 2025, and its scores were committed on 29 April."""
    status = status_on(published(), "v1.0-claude-haiku-4-5-20251001", day(A))

    assert (status.measured_from, status.measured_by, status.is_day_stated) == (
        date(2025, 10, 15),
        date(2026, 4, 29),
        False,
    )


def test_a_status_says_when_it_changes_and_on_no_day_between() -> None:
    """28 November: notice from 28 February (60 days before 29 April), the end on that day."""
    tag = "v1.0-claude-haiku-4-5-20251001"

    assert snapshot_status(published(), tag, day(A)).next == date(2027, 2, 28)
    assert snapshot_status(published(), tag, date(2027, 2, 28)).next == date(2027, 4, 29)
    assert snapshot_status(published(), tag, date(2027, 4, 29)).next is None


def registry(published_on: str | None = None, **life: object) -> Registry:
    """Return a registry of recorded verdicts without a day."""
    source = {"date": published_on, "source": "https://example.org/commit/1"}
    snapshot = {
        "card": observed_card() | {"measured": None},
        "figures": FIGURES,
        **({"published": source} if published_on else {}),
    }
    tag = card()["tag"]
    return Registry.from_document(
        {
            "evaluators": [generation_record("Judge-1", life_record(**life))],
            "snapshots": [snapshot],
            "events": [
                {"date": "2026-06-01", "tag": tag, "event": "published", "sha256": "0" * 64}
            ],
            "policy": {
                "maximum_age_days": 180,
                "maximum_age_fixed_days": 365,
                "notice_days": 60,
            },
        }
    )


@pytest.mark.parametrize(
    ("published_on", "life", "until"),
    [
        ("2026-01-01", {}, "2026-06-30"),
        ("2026-01-01", {"fixed": NEVER_CHANGES}, "2027-01-01"),
        # Nobody knows when the source published it: the registry did on 1 June.
        (None, {}, "2026-11-28"),
        # Somebody else asked them: nobody checked the digest.
        ("2026-01-01", {"pinned": True}, "2026-06-30"),
    ],
)
def test_reading_r103_without_a_day_age_counts_from_the_publication(
    published_on: str | None, life: dict[str, object], until: str
) -> None:
    state = status_on(registry(published_on, **life), "v1.0-Judge-1", date(2026, 6, 15)).state

    assert state.until == day(until)


def test_before_its_source_was_published_nothing_is_known_of_it() -> None:
    state = status_on(registry("2026-01-01"), "v1.0-Judge-1", date(2025, 12, 31)).state

    assert (state.status, state.note) == ("unknown", "not published yet on this day")
