"""Readings R53 to R55: when a figure holds, worked out by hand."""

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from registry_support import (
    FIGURES,
    Json,
    card,
    date_claim,
    day,
    event,
    generation,
    life_record,
    observed,
    snapshot,
)

from epc.registry.expiry import Expiry, Policy, of_evaluator, of_list, of_snapshot, unknown
from epc.registry.lifecycles import Generation
from epc.registry.snapshots import Event, Snapshot

LONG = Policy(maximum_age=100_000, notice=30)  # nothing grows old in these tests
SHORT = Policy(maximum_age=90, notice=30)


def state(
    as_of: str,
    lives: Generation | None,
    *events: Event,
    policy: Policy = LONG,
    last: str | None = None,
) -> Expiry:
    return of_snapshot(
        snapshot(first="2026-01-01", last=last),
        life=lives.on("maker") if lives else None,
        events=events,
        policy=policy,
        as_of=day(as_of),
    )


def served(as_of: str, generation: Generation, policy: Policy = LONG) -> Expiry:
    life = replace(generation.lives[0], released=None)
    return of_evaluator("judge-1", life, policy=policy, as_of=day(as_of))


def retiring(on: str, kind: str = "exact") -> Generation:
    return generation(life_record(retires=date_claim(on, kind), replacement="judge-2"))


@pytest.mark.parametrize(
    ("as_of", "status"),
    [("2026-06-29", "expiring"), ("2026-06-30", "expired"), ("2026-07-01", "expired")],
)
@pytest.mark.parametrize("kind", ["exact", "announced"])
def test_reading_r53_a_retirement_ends_a_figure_on_its_day(
    kind: str, as_of: str, status: str
) -> None:
    service_state = state(as_of, retiring("2026-06-30", kind))

    assert (service_state.status, service_state.reason, service_state.until) == (
        status,
        "retired",
        day("2026-06-30"),
    )
    assert service_state.source == "https://maker.example/ends"
    assert "judge-2" in service_state.note


@pytest.mark.parametrize(
    ("as_of", "status", "since"),
    [
        ("2026-05-30", "current", "2026-01-01"),
        ("2026-05-31", "expiring", "2026-05-31"),
        ("2026-06-01", "expiring", "2026-05-31"),
        ("2026-06-30", "expired", "2026-06-30"),
    ],
)
def test_reading_r53_notice_is_given_thirty_days_before(
    as_of: str, status: str, since: str
) -> None:
    service_state = state(as_of, retiring("2026-06-30"))

    assert (service_state.status, service_state.since) == (status, day(since))


def test_reading_r53_no_notice_is_older_than_the_measurement_that_it_is_of() -> None:
    """Thirty days before 20 January 2026 is 21 December, and it was measured on 1 January."""
    service_state = state("2026-01-02", retiring("2026-01-20"))

    assert (service_state.status, service_state.since) == ("expiring", day("2026-01-01"))


def test_reading_r53_an_evaluator_of_unknown_release_is_expiring_since_its_notice() -> None:
    life = retiring("2026-01-20").lives[0]

    expiry = of_evaluator("j", life, policy=LONG, as_of=day("2026-01-02"))

    assert (expiry.status, expiry.since) == ("expiring", day("2025-12-21"))


@pytest.mark.parametrize(
    ("as_of", "status"),
    [("2026-06-29", "current"), ("2026-06-30", "unconfirmed"), ("2026-07-01", "unconfirmed")],
)
def test_reading_r98_a_day_not_before_which_is_no_end_and_past_it_nobody_confirms(
    as_of: str, status: str
) -> None:
    service_state = served(as_of, retiring("2026-06-30", "not_before"))

    assert (service_state.status, service_state.reason) == (status, None)
    assert service_state.as_json()["not_before"] == "2026-06-30"


@pytest.mark.parametrize(
    ("as_of", "words", "note"),
    [
        (
            "2026-06-29",
            "current, served until 2026-06-30 at the least",
            "maker retires judge-1 on 2026-06-30 at the earliest",
        ),
        (
            "2026-06-30",
            "unconfirmed",
            (
                "maker retires judge-1 on 2026-06-30 at the earliest; that day has come, and "
                "nothing newer is known"
            ),
        ),
    ],
)
def test_reading_r98_a_day_not_before_which_is_an_answer_of_its_own(
    as_of: str, words: str, note: str
) -> None:
    life = retiring("2026-06-30", "not_before").lives[0]

    expiry = of_evaluator("judge-1", life, policy=LONG, as_of=day(as_of))

    assert (expiry.status_text, expiry.note, expiry.until) == (words, note, None)


def test_reading_r104_the_word_of_long_ago_on_a_day_to_come_holds() -> None:
    """Seen on 10 January, more than 120 days ago; the day is in 2027."""
    record = life_record(checked=CHECKED, retires=date_claim("2027-07-24", "not_before"))

    expiry = of_evaluator("j", generation(record).lives[0], policy=AGED, as_of=day("2026-05-11"))

    assert (expiry.status, expiry.not_before) == ("current", day("2027-07-24"))
    assert expiry.note == (
        "maker retires judge-1 on 2027-07-24 at the earliest, as seen on 2026-01-10"
    )


def test_reading_r104_a_model_that_was_seen_on_the_promised_day_outlived_it() -> None:
    """Seen on 10 January, the promised day: believed for 120 days, to 10 May."""
    record = life_record(checked=CHECKED, retires=date_claim("2026-01-10", "not_before"))
    life = generation(record).lives[0]

    expiries = [
        of_evaluator("j", life, policy=AGED, as_of=day(d)) for d in ("2026-05-10", "2026-05-11")
    ]

    assert [state.status for state in expiries] == ["current", "unconfirmed"]


def test_reading_r98_a_model_that_was_seen_after_the_day_outlived_it() -> None:
    """Seen on 10 January, after the day: believed for 120 days, to 10 May."""
    record = life_record(checked=CHECKED, retires=date_claim("2026-01-09", "not_before"))
    life = generation(record).lives[0]

    expiries = [
        of_evaluator("j", life, policy=AGED, as_of=day(d)) for d in ("2026-05-10", "2026-05-11")
    ]

    assert [state.status for state in expiries] == ["current", "unconfirmed"]
    assert [state.not_before for state in expiries] == [None, None]
    assert expiries[0].note == "no end is stated, as seen on 2026-01-10"


def test_reading_r98_a_page_that_still_states_the_day_after_it_is_no_news() -> None:
    retires = date_claim("2026-01-09", "not_before") | {"seen": "2026-01-12"}
    life = generation(life_record(checked=CHECKED | {"seen": "2026-01-08"}, retires=retires)).lives[
        0
    ]

    expiry = of_evaluator("j", life, policy=AGED, as_of=day("2026-01-13"))

    assert (expiry.status, expiry.not_before) == ("unconfirmed", day("2026-01-09"))


def test_what_is_served_is_said_to_end_and_not_to_have_ended() -> None:
    near = state("2026-06-29", retiring("2026-06-30"))
    old = state("2026-03-31", generation(), policy=SHORT)

    assert near.status_text == "expiring: will be retired on 2026-06-30"
    assert near.note == "maker retires judge-1 on 2026-06-30 and names judge-2 instead"
    assert old.status_text == "expiring: will be too old on 2026-04-01"


@pytest.mark.parametrize(
    ("kind", "as_of", "note"),
    [
        ("exact", "2026-06-30", "maker retired judge-1 on 2026-06-30 and named judge-2 instead"),
        (
            "announced",
            "2026-06-29",
            "maker is said to retire judge-1 on 2026-06-30 and to name judge-2 instead",
        ),
        (
            "announced",
            "2026-06-30",
            "maker is said to have retired judge-1 on 2026-06-30 and to name judge-2 instead",
        ),
    ],
)
def test_a_retirement_says_who_retires_what_and_who_says_so(
    kind: str, as_of: str, note: str
) -> None:
    assert state(as_of, retiring("2026-06-30", kind)).note == note


@pytest.mark.parametrize("as_of", ["2026-01-01", "2030-01-01"])
def test_reading_r53_without_a_stated_end_a_figure_is_current(as_of: str) -> None:
    service_state = state(as_of, generation())

    assert (service_state.status, service_state.reason) == ("current", None)
    assert service_state.until == day("2026-01-01") + timedelta(days=100_000)


CHECKED = {"source": "https://maker.example/models", "via": "read", "seen": "2026-01-10"}
AGED = Policy(maximum_age=100_000, notice=30, confirmation=120)


@pytest.mark.parametrize(
    ("as_of", "status", "since"),
    # 2026-01-10 and 120 days is 2026-05-10: on that day the word is not yet too old.
    [("2026-05-10", "current", None), ("2026-05-11", "unconfirmed", "2026-05-11")],
)
def test_reading_r53_a_word_that_is_too_old_confirms_nothing(
    as_of: str, status: str, since: str | None
) -> None:
    service_state = served(as_of, generation(life_record(checked=CHECKED)), AGED)

    assert (service_state.status, service_state.since, service_state.reason) == (
        status,
        day(since) if since else None,
        None,
    )
    assert ("last confirmed on 2026-01-10, more than 120 days ago" in service_state.note) == (
        status == "unconfirmed"
    )


def test_reading_r104_a_stated_end_holds_however_long_ago_any_source_was_seen() -> None:
    """The notice of 30 days before 1 January begins on 2 December."""
    agreed = date_claim("2027-01-01") | {"also": [{"by": "a list 3f2a", "seen": "2026-04-01"}]}
    lives = generation(life_record(checked=CHECKED, retires=agreed))

    current = served("2026-12-01", lives, AGED)
    assert current.status_text == "current until 2027-01-01"
    assert current.note == "maker retires judge-1 on 2027-01-01, as seen on 2026-04-01"
    assert served("2026-12-02", lives, AGED).status == "expiring"


def test_reading_r53_without_a_day_on_which_a_source_was_seen_nothing_is_confirmed() -> None:
    service_state = served("2026-02-01", generation(), AGED)

    assert (service_state.status, service_state.since) == ("unconfirmed", None)
    assert "no source's day is recorded" in service_state.note


@pytest.mark.parametrize(
    "life", [{"pinned": True}, {"platform": "open-weights"}], ids=["pinned", "open-weights"]
)
def test_reading_r53_weights_that_nobody_can_end_need_no_confirmation(life: Json) -> None:
    held_generation = generation(life_record(**life))

    assert held_generation.is_makers(held_generation.lives[0])
    expiry = of_evaluator("judge-1", held_generation.lives[0], policy=AGED, as_of=day("2030-01-01"))
    assert (expiry.status, expiry.note) == ("current", "no end is stated")


@pytest.mark.parametrize(
    ("confirmation", "as_of", "status", "since"),
    # 2026-01-10 and 120 days is 2026-05-10; a word that is believed 0 days holds on its own day.
    [
        (120, "2026-05-10", "current", "2026-01-01"),
        (120, "2026-05-11", "unconfirmed", "2026-05-11"),
        (0, "2026-01-10", "current", "2026-01-01"),
        (0, "2026-01-11", "unconfirmed", "2026-01-11"),
        (None, "2030-01-01", "current", "2026-01-01"),
    ],
)
def test_reading_r53_a_registry_that_ends_on_a_day_confirms_as_long_as_a_source_does(
    confirmation: int | None, as_of: str, status: str, since: str
) -> None:
    own_service_state = state(as_of, generation(life_record(pinned=True)))
    policy = Policy(maximum_age=90, notice=30, confirmation=confirmation)

    expiry = of_list(own_service_state, day("2026-01-10"), policy)

    assert (expiry.status, expiry.since) == (status, day(since))
    text = f"this registry ends on 2026-01-10, more than {confirmation} days ago"
    assert (text in expiry.note) == (status == "unconfirmed")


def test_of_what_the_registry_does_not_know_no_word_was_ever_recorded() -> None:
    expiry = unknown("gpt-z", day("2026-02-01"), "no such name")

    assert (expiry.status_text, expiry.subject, expiry.grounds) == (
        "unknown",
        "gpt-z",
        "no such name",
    )
    assert expiry.revision == 0


def test_reading_r53_an_end_that_is_near_or_come_needs_no_confirmation() -> None:
    assert state("2026-06-29", retiring("2026-06-30"), policy=AGED).status == "expiring"
    assert state("2026-06-30", retiring("2026-06-30"), policy=AGED).status == "expired"


@pytest.mark.parametrize("lives", [None, generation(life_record(platform="elsewhere"))])
def test_reading_r53_without_a_record_of_the_platform_nobody_knows(
    lives: Generation | None,
) -> None:
    assert state("2026-02-01", lives).status == "unknown"


def test_reading_r53_dates_of_another_platform_do_not_count() -> None:
    away = life_record(platform="elsewhere", retires=date_claim("2026-02-01"))

    assert state("2026-06-30", generation(life_record(), away)).status == "current"


@pytest.mark.parametrize(
    ("as_of", "status"),
    [
        ("2026-03-01", "current"),
        ("2026-03-02", "expiring"),
        ("2026-03-31", "expiring"),
        ("2026-04-01", "expired"),
        ("2026-04-02", "expired"),
    ],
)
def test_reading_r55_a_figure_grows_old(as_of: str, status: str) -> None:
    """90 days after 1 January 2026 is 1 April; 30 days before that is 2 March."""
    service_state = state(as_of, generation(), policy=SHORT)

    assert (service_state.status, service_state.until) == (status, day("2026-04-01"))
    assert service_state.reason == (None if status == "current" else "stale")


def test_reading_r55_pinned_weights_neither_grow_old_nor_retire() -> None:
    pinned = generation(life_record(pinned=True, retires=date_claim("2026-02-01")))

    service_state = state("2036-01-01", pinned, policy=SHORT)

    assert (service_state.status, service_state.until) == ("current", None)


def test_a_calibration_snapshot_holds_for_good_unless_it_is_withdrawn() -> None:
    flip = Snapshot.parse(card() | {"calibration": True}, FIGURES)

    def found(*events: Event) -> Expiry:
        late = day("2036-01-01")
        return of_snapshot(flip, life=None, events=events, policy=SHORT, as_of=late)

    assert (found().status, found().until) == ("current", None)
    assert found(event("withdrawn", "2026-02-01", reason="r")).status == "expired"


def test_the_source_of_a_state_is_the_platform_s_page_once_it_was_measured() -> None:
    """Pinned weights neither grow old nor retire, so no end has a source of its own."""
    pinned = generation(life_record(pinned=True))

    assert state("2026-01-01", pinned).source == "https://maker.example/models"
    assert state("2026-02-01", pinned).source == "https://maker.example/models"
    assert state("2025-12-31", pinned).source is None
    assert state("2026-02-01", None).source is None


def test_reading_r77_verdicts_of_no_stated_day_have_the_platform_s_page_as_their_source() -> None:
    expiry = of_snapshot(
        observed(),
        life=generation(life_record(pinned=True)).on("maker"),
        events=(),
        policy=LONG,
        as_of=day("2026-02-01"),
    )

    assert (expiry.status, expiry.source) == ("unknown", "https://maker.example/models")
    assert expiry.note == "nothing says by which day it was measured"


def test_reading_r54_a_name_that_outlives_its_model_ends_what_was_measured_before() -> None:
    route = {"date": "2026-03-01", "to": "judge-2", "source": "s", "seen": None}
    lives = generation(life_record(routes=[route]))

    assert state("2026-02-28", lives).status == "expiring"
    assert state("2026-03-01", lives).reason == "retired"
    assert state("2026-03-02", lives, last="2026-03-01").status == "current"
    evaluator = of_evaluator("judge-1", lives.lives[0], policy=LONG, as_of=day("2026-03-01"))
    assert (evaluator.status, evaluator.reason) == ("expired", "retired")


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        (event("withdrawn", "2026-02-01", reason="r"), "withdrawn"),
        (event("superseded", "2026-02-01", reason="r", by="v1.1-Judge-1"), "superseded"),
        (event("drifted", "2026-02-01", reason="r", source="s"), "drifted"),
        (event("expired", "2026-02-01", reason="r", cause="retired", source="s"), "retired"),
    ],
)
def test_an_event_ends_a_figure_on_its_day_and_is_not_known_before(
    told: Event, reason: str
) -> None:
    assert state("2026-01-31", generation(), told).status == "current"
    service_state = state("2026-02-01", generation(), told)
    assert (service_state.status, service_state.reason, service_state.note) == (
        "expired",
        reason,
        "r",
    )


def test_an_event_of_another_snapshot_or_of_publication_ends_nothing() -> None:
    other_entry = event("withdrawn", "2026-02-01", tag="v1.1-Judge-1", reason="r")
    published = event("published", "2026-02-01", sha256="0" * 64)

    assert state("2026-02-02", generation(), other_entry, published).status == "current"


def test_a_withdrawal_outweighs_an_earlier_end() -> None:
    entry = event("withdrawn", "2026-06-01", reason="wrong from the start")

    assert state("2026-05-31", retiring("2026-03-01"), entry).reason == "retired"
    assert state("2026-06-01", retiring("2026-03-01"), entry).reason == "withdrawn"


def test_on_one_day_the_graver_reason_is_given() -> None:
    assert state("2026-04-01", retiring("2026-04-01"), policy=SHORT).reason == "retired"


def test_before_it_was_measured_nothing_is_known_of_a_figure() -> None:
    assert state("2025-12-31", generation()).status == "unknown"


def test_an_evaluator_before_its_release_is_unknown() -> None:
    life = generation(life_record(released=date_claim("2026-03-01"))).lives[0]

    assert of_evaluator("j", life, policy=LONG, as_of=day("2026-02-28")).status == "unknown"
    assert of_evaluator("j", life, policy=LONG, as_of=day("2026-03-01")).status == "current"


def test_the_contracts_keys_are_all_there() -> None:
    keys = {"id", "status", "reason", "since", "until", "source", "as_of"}

    assert keys <= set(state("2026-02-01", generation()).as_json())


DAYS = st.dates(date(2025, 6, 1), date(2027, 6, 1))
KINDS = st.sampled_from(["exact", "not_before", "announced"])


@st.composite
def lives(draw: st.DrawFn) -> Generation | None:
    record: dict[str, Any] = {"pinned": draw(st.booleans())}
    if draw(st.booleans()):
        record["retires"] = date_claim(draw(DAYS).isoformat(), draw(KINDS))
    record["routes"] = [
        {"date": moved.isoformat(), "to": "x", "source": "s", "seen": None}
        for moved in draw(st.lists(DAYS, max_size=2))
    ]
    platform = draw(st.sampled_from(["maker", "elsewhere"]))
    return draw(st.none() | st.just(generation(life_record(platform=platform, **record))))


@st.composite
def events(draw: st.DrawFn) -> Event:
    name = draw(st.sampled_from(["published", "withdrawn", "superseded", "drifted", "expired"]))
    cause = draw(st.sampled_from(["retired", "stale"]))
    return event(name, draw(DAYS).isoformat(), reason="r", cause=cause, source="s")


@given(
    lives(),
    st.lists(events(), max_size=4),
    st.builds(Policy, maximum_age=st.integers(0, 400), notice=st.integers(0, 120)),
    st.tuples(DAYS, DAYS),
)
def test_a_later_date_never_revives_an_expired_snapshot(
    found: Generation | None, told: list[Event], policy: Policy, days: tuple[date, date]
) -> None:
    life = found.on("maker") if found else None

    earlier, later_expiry = (
        of_snapshot(snapshot(), life=life, events=told, policy=policy, as_of=as_of)
        for as_of in sorted(days)
    )

    if earlier.status == "expired":
        assert later_expiry.status == "expired"
        assert earlier.since
        assert earlier.since <= earlier.as_of
    if later_expiry.status in {"current", "expiring"}:
        assert earlier.status != "expired"
        assert later_expiry.until is None or later_expiry.until > later_expiry.as_of
    assert (later_expiry.reason is None) == (later_expiry.status in {"current", "unknown"})


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_a_policy_of_any_size_stays_within_the_calendar(age: int, notice: int) -> None:
    policy = Policy(maximum_age=age, notice=notice)

    assert state("2026-02-01", generation(), policy=policy).status in {
        "expiring",
        "expired",
        "current",
    }
