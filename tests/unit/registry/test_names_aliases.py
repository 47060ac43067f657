"""Reading R54: what an alias means on a day, worked out by hand."""

from datetime import date
from typing import Any

import pytest
from registry_support import date_claim, day, generation_record, life_record

from epc.answers.service import states
from epc.registry.expiry import Policy, of_evaluator
from epc.registry.lifecycles import Generation, ServiceTerm
from epc.registry.names import in_words_of_alias
from epc.registry.registry import Registry

POLICY = {"maximum_age_days": 100_000, "notice_days": 30}


def pointer(to: str, since: str | None) -> dict[str, Any]:
    return {"to": to, "since": since, "source": "https://maker.example/models", "seen": None}


def registry(*pointers: dict[str, Any], **fields: Any) -> Registry:
    """Return a registry with an alias of judge-1, which ends on 1 June, and judge-2, on 1 Sept."""
    alias = life_record(model="judge", points_to=list(pointers), **fields)
    records = [
        generation_record("Judge", alias),
        generation_record(
            "Judge-1", life_record(model="judge-1", retires=date_claim("2026-06-01"))
        ),
        generation_record(
            "Judge-2", life_record(model="judge-2", retires=date_claim("2026-09-01"))
        ),
    ]
    return Registry.from_document(
        {"evaluators": records, "snapshots": [], "events": [], "policy": POLICY}
    )


MOVED = registry(pointer("judge-1", "2026-01-01"), pointer("judge-2", "2026-04-01"))


def alias(found: Registry) -> ServiceTerm:
    return found.generations["Judge"].lives[0]


def state(found: Registry, on: str) -> tuple[str, date | None, str]:
    (expiry,) = states(found, "judge", day(on))
    return expiry.status, expiry.until, expiry.note


def test_an_alias_follows_its_present_target_and_says_so() -> None:
    assert state(MOVED, "2026-04-01") == (
        "current",
        day("2026-09-01"),
        ("judge means judge-2 (since 2026-04-01); maker retires judge-2 on 2026-09-01"),
    )
    assert state(MOVED, "2026-09-01")[0] == "expired"


def test_a_move_that_is_known_of_ends_what_the_name_means_now() -> None:
    status, until, note = state(MOVED, "2026-02-01")

    assert (status, until) == ("current", day("2026-04-01"))
    assert "judge means judge-1 (since 2026-01-01, until 2026-04-01)" in note
    assert state(MOVED, "2026-03-31")[0] == "expiring"


def test_before_its_first_target_nobody_can_tell_what_it_meant() -> None:
    status, _, note = state(MOVED, "2025-12-31")

    assert status == "unknown"
    assert note == "no source states what judge pointed to on this day"


def test_a_day_that_no_source_states_is_said_to_be_that() -> None:
    status, until, note = state(registry(pointer("judge-1", None)), "2020-01-01")

    assert (status, until) == ("current", day("2026-06-01"))
    assert (
        "judge means judge-1 (since a day that no source states); maker retires judge-1 on" in note
    )


def test_a_day_that_is_stated_of_the_alias_itself_goes_before_its_targets() -> None:
    own_registry = registry(pointer("judge-2", None), retires=date_claim("2026-05-01"))

    assert state(own_registry, "2026-05-01")[:2] == ("expired", day("2026-05-01"))


def test_a_target_without_a_record_is_unknown() -> None:
    status, _, note = state(registry(pointer("judge-9", None)), "2026-01-01")

    assert status == "unknown"
    assert "maker has no record of judge-9 here, to which judge points" in note


def test_what_was_recorded_of_an_end_never_counts_for_less_after_a_move() -> None:
    days = ["2025-12-31", "2026-01-01", "2026-03-31", "2026-04-01", "2026-09-01"]
    policy = Policy(maximum_age=1, notice=1)

    told = [MOVED.meant(alias(MOVED), day(on)) for on in days]
    revisions = [
        of_evaluator("j", life, policy=policy, as_of=day(on)).revision
        for life, on in zip(told, days, strict=True)
    ]

    assert revisions == sorted(revisions)


def test_an_alias_has_the_end_of_its_target_and_the_later_move_as_a_route() -> None:
    first, later_day = MOVED.meant(alias(MOVED), day("2026-03-31")), day("2026-04-01")

    assert first.model == "judge-1"
    assert first.retires
    assert first.retires.date == day("2026-06-01")
    assert (first.moves, [(r.date, r.to) for r in first.routes]) == (
        later_day,
        [(later_day, "judge-2")],
    )
    assert first.means
    assert (first.means.to, first.earlier, first.doubt) == ("judge-1", 0, "")


def test_past_moves_count_with_what_was_stated_of_their_targets() -> None:
    """One move, and one day on which judge-1 was said to end."""
    second = MOVED.meant(alias(MOVED), day("2026-04-01"))

    assert (second.model, second.moves, second.routes, second.earlier) == ("judge-2", None, (), 2)


@pytest.mark.parametrize(
    ("gone", "until", "words"),
    [
        (False, None, "judge means judge-1 (since 2026-01-01)"),
        (True, None, "judge meant judge-1 (since 2026-01-01)"),
        (False, "2026-04-01", "judge means judge-1 (since 2026-01-01, until 2026-04-01)"),
    ],
)
def test_what_an_alias_means_is_said_with_its_days(
    gone: bool,  # noqa: FBT001  (a case's value)
    until: str | None,
    words: str,
) -> None:
    means = alias(MOVED).points_to[0]

    text = in_words_of_alias("judge", means, ended=gone, until=day(until) if until else None)

    assert text == words


def test_what_is_no_alias_means_itself() -> None:
    (life,) = Generation.parse(generation_record()).lives

    assert MOVED.meant(life, day("2026-01-01")) is life
