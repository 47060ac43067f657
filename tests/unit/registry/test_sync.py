"""Proposals from others' lists: a diff, nothing lost, nothing written."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from registry_support import Checkout, date_claim, day, generation_record, life_record

from epc.records.typed import as_json, parse
from epc.registry.lifecycles import GenerationRecord, Kind, ServiceTermRecord
from epc.registry.lists import Claim, claims
from epc.registry.sync import candidates, diff, proposed

SEEN = day("2026-11-01")


def claim(
    on: str | None, seen: str = "2026-11-01", model: str = "judge-1", kind: Kind = "exact"
) -> Claim:
    retires = day(on) if on else None
    return Claim(
        platform="maker", model=model, retires=retires, kind=kind, source="list", seen=day(seen)
    )


def record(retires: dict[str, object] | None) -> GenerationRecord:
    return parse(generation_record("Judge-1", life_record(retires=retires)), GenerationRecord)


def changed_life(before: dict[str, object] | None, told: Claim) -> ServiceTermRecord:
    """Return the only life of a record after a claim."""
    (life,) = proposed(record(before), [told]).platforms
    return life


def seen_claim(on: str, seen: str | None) -> dict[str, object]:
    return date_claim(on, source="page") | {"seen": seen}


@pytest.mark.parametrize(
    ("before", "told"),
    [
        (seen_claim("2026-12-01", "2026-11-02"), claim("2027-01-01")),  # older than what we have
        (seen_claim("2026-12-01", "2026-11-01"), claim("2027-01-01")),  # of the same day
        (None, claim("2027-01-01", model="judge-2")),  # of another model
    ],
)
def test_an_older_word_changes_nothing(before: dict[str, object] | None, told: Claim) -> None:
    input_generation_record = record(before)

    assert proposed(input_generation_record, [told]) == input_generation_record
    assert diff([input_generation_record], [told]) == ""


@pytest.mark.parametrize("page", ["page", "pa\u2028ge", "pa\x85ge"])
def test_the_proposal_is_a_diff_that_git_applies(tmp_path: Path, page: str) -> None:
    checkout = Checkout(tmp_path)
    input_generation_record = record(date_claim("2026-12-01", source=page) | {"seen": None})
    checkout.evaluator(as_json(input_generation_record))
    path = checkout.home / "evaluators" / "Judge-1.json"
    before = path.read_text()

    text = diff([input_generation_record], [claim("2027-01-01")])

    assert path.read_text() == before
    subprocess.run(["git", "-C", tmp_path, "apply"], input=text.encode(), check=True)
    assert '"date": "2027-01-01"' in path.read_text()


def test_a_list_is_read_by_platform_and_entries_without_a_day_are_passed_over() -> None:
    entry = {"provider": "OpenAI", "model_id": "m", "shutdown_date": "2027-01-01", "url": "u"}
    dated = {**entry, "provider": "Azure", "last_observed": "2026-10-05"}
    given = [entry, dated, {**entry, "shutdown_date": None}]

    actual_claims = list(claims(given, platform=None, default_day=SEEN))

    assert [(c.platform, c.seen) for c in actual_claims] == [
        ("openai", SEEN),
        ("azure-foundry", day("2026-10-05")),
    ]
    assert [c.platform for c in claims(given, platform="openai", default_day=SEEN)] == ["openai"]


def test_a_models_endpoint_is_read_where_it_states_an_end() -> None:
    given = {"data": [{"id": "a", "deprecation": "2026-11-30T12:00:00Z"}, {"id": "b"}]}

    (claim,) = claims(given, platform="mistral", default_day=SEEN)

    assert (claim.platform, claim.model, claim.retires) == ("mistral", "a", day("2026-11-30"))


def test_models_that_only_the_source_knows_are_named() -> None:
    late = claim("2027-02-01", model="judge-2")
    told = [claim("2027-01-01"), late, claim("2027-01-01", "2026-10-01", model="judge-2")]

    assert candidates([record(None)], told) == [late]


@pytest.mark.parametrize("kind", ["exact", "not_before", "announced"])
def test_a_day_seen_again_keeps_its_kind_and_refreshes_when_it_was_seen(kind: str) -> None:
    before = seen_claim("2026-12-01", "2026-10-01") | {"kind": kind}

    life = changed_life(before, claim("2026-12-01", kind="exact"))

    assert as_json(life.retires) == before | {"source": "list", "seen": "2026-11-01"}


def test_a_day_that_moved_has_the_kind_that_its_source_states() -> None:
    before = seen_claim("2026-12-01", "2026-10-01")

    retires = changed_life(before, claim("2027-01-01", kind="not_before")).retires

    assert retires
    assert retires.kind == "not_before"


def test_no_published_end_takes_the_day_away_and_keeps_it_as_a_note() -> None:
    changed = proposed(record(seen_claim("2026-12-01", "2026-10-01")), [claim(None)])

    (life,) = changed.platforms
    assert life.retires is None
    assert life.notes == (
        "page stated 2026-12-01, seen on 2026-10-01; on 2026-11-01 none was published.",
    )
    assert (life.checked.source, life.checked.seen) == ("list", SEEN)
    assert proposed(changed, [claim("2026-12-01", "2026-10-31")]) == changed  # an older word


GOOGLE = "https://ai.google.dev/gemini-api/docs/deprecations#gemini-2.5-flash-models"


@pytest.mark.parametrize(
    ("entry", "kind"),
    [
        ({"url": GOOGLE, "deprecation_date": "2026-10-02"}, "not_before"),
        ({"url": GOOGLE, "deprecation_date": None}, "not_before"),
        ({"url": GOOGLE, "deprecation_date": "2026-08-01"}, "exact"),  # announced before
        ({"url": GOOGLE, "date_kind": "fixed"}, "exact"),
        ({"url": "https://ai.google.dev/gemini-api/docs/changelog#20251104"}, "exact"),
        ({"url": "u", "date_kind": "not_before"}, "not_before"),
        ({"url": "u", "date_kind": "inferred"}, "announced"),
        ({}, "exact"),
    ],
)
def test_a_page_of_earliest_possible_days_states_no_exact_end(
    entry: dict[str, object], kind: str
) -> None:
    listed_model = {"provider": "Google", "model_id": "m", "shutdown_date": "2026-10-02", **entry}

    (claim,) = claims([listed_model], platform=None, default_day=SEEN)

    assert claim.kind == kind


def test_an_entry_without_a_day_says_something_only_if_it_says_that_none_is_published() -> None:
    listed_model = {"provider": "Google", "model_id": "m", "shutdown_date": None}

    assert list(claims([listed_model], platform=None, default_day=SEEN)) == []
    (claim,) = claims(
        [listed_model | {"date_kind": "none_published"}], platform=None, default_day=SEEN
    )
    assert (claim.retires, claim.as_json()["kind"]) == (None, "none_published")


PAGES = {
    "models": [
        {
            "provider": "google-vertex-ai",
            "id": "m-1",
            "aliases": ["m-1-001"],
            "deprecated_on": "2026-08-01",
            "retires_on": "2027-01-01",
            "source": "https://page",
            "checked": "2026-10-16",
        },
        {"provider": "maker", "id": "m-2", "earliest_retirement": "2027-03-01"},
        {
            "provider": "aws-bedrock",
            "id": "m-3",
            "retires_on": "2027-02-01",
            "note": "EOL date applies in us-east-1.",
        },
        {"provider": "maker", "id": "m-4", "status": "deprecated"},
    ],
    "sources": [{"provider": "maker", "url": "https://maker", "verified_on": "2026-09-24"}],
}


def test_a_list_read_off_pages_has_its_pages_days_and_kinds() -> None:
    found = [
        (c.platform, c.model, str(c.retires), c.kind, c.source, str(c.seen), c.listed)
        for c in claims(PAGES, platform=None, default_day=SEEN, title="pages 1")
    ]

    page = ("2027-01-01", "exact", "https://page", "2026-10-16", False)
    assert found == [
        ("google-vertex", "m-1", *page),
        ("google-vertex", "m-1-001", *page),
        ("maker", "m-2", "2027-03-01", "not_before", "https://maker", "2026-09-24", False),
        # Some regions of a cloud are not the cloud.
        ("aws-bedrock", "m-3", "2027-02-01", "announced", "pages 1", str(SEEN), True),
    ]


def test_a_list_of_prices_says_who_lists_what_and_not_what_it_says_was_removed() -> None:
    given = {
        "models_dev": {
            "committed_at": "2026-10-23T18:58:46Z",
            "commit": "4a77c9046b16b24b",
            "source": "https://models.example",
        },
        "prices": {"moonshotai": {"kept": {}, "gone": {}, "old": {}}},
        "status": {"moonshotai": {"gone": "removed", "old": "deprecated"}},
    }

    actual_claims = list(claims(given, platform=None, default_day=SEEN, title="prices 2"))

    assert [(c.platform, c.model, c.retires, c.listed) for c in actual_claims] == [
        ("moonshot", "kept", None, True),
        ("moonshot", "old", None, True),
    ]
    assert {(c.source, c.via, c.seen) for c in actual_claims} == {
        ("https://models.example/commit/4a77c9046b16", "prices 2", day("2026-10-23"))
    }


def test_a_table_of_prices_and_days_is_read_without_its_routes() -> None:
    given = {
        "azure/us/m-1": {"litellm_provider": "azure", "deprecation_date": "2027-01-01"},
        "m-2@001": {"litellm_provider": "vertex_ai-some_models", "deprecation_date": "2027-01-01"},
        "m-3": {"litellm_provider": "openai"},
        "sample_spec": {"deprecation_date": "when it ends"},
    }

    actual_claims = list(claims(given, platform=None, default_day=SEEN, title="litellm 1"))

    assert [(c.platform, c.model, c.source, c.listed) for c in actual_claims] == [
        ("azure-foundry", "m-1", "litellm 1", True),
        ("google-vertex", "m-2@001", "litellm 1", True),
    ]


def listed(on: str | None, seen: str = "2026-11-01") -> Claim:
    return replace(claim(on, seen), listed=True, source="table", via="table 1")


def test_a_list_that_agrees_with_the_page_stands_beside_it() -> None:
    retires = changed_life(seen_claim("2026-12-01", "2026-10-01"), listed("2026-12-01")).retires

    assert retires
    assert retires.date == day("2026-12-01")
    assert [agreeing_list.by for agreeing_list in retires.also] == ["table"]


def test_what_a_list_has_was_served_on_its_day_unless_it_had_ended() -> None:
    open_end, ended = changed_life(None, listed(None)), seen_claim("2026-10-01", "2026-09-01")

    checked = open_end.checked
    assert (checked.source, checked.via, checked.seen) == ("table", "table 1", SEEN)
    assert open_end.retires is None
    assert changed_life(ended, listed(None)) == changed_life(ended, listed(None, "2026-08-01"))


def test_a_day_without_a_page_is_no_end_where_the_record_has_none() -> None:
    assert changed_life(None, listed("2027-01-01")).retires is None


def test_models_on_platforms_of_which_nothing_is_recorded_are_no_candidates() -> None:
    strange = replace(claim("2027-01-01", model="new"), platform="nobody")

    assert candidates([record(None)], [strange]) == []
    assert candidates([record(None)], [replace(strange, platform="maker")])


def test_a_life_without_an_end_is_as_old_as_its_last_look() -> None:
    looked = {"source": "page", "via": "read", "seen": "2026-11-02"}
    given = parse(generation_record("Judge-1", life_record(checked=looked)), GenerationRecord)

    assert proposed(given, [claim("2027-01-01")]) == given
    (life,) = proposed(given, [claim("2027-01-01", "2026-11-03")]).platforms
    assert life.retires
    assert life.retires.others == ()


def test_a_day_that_moved_is_noted_first_and_the_earlier_notes_stay() -> None:
    third = {"by": "third", "date": "2027-06-01", "seen": None, "settled": "a guess"}
    agreed = {"by": "a list", "date": "2027-01-01", "seen": "2026-09-01", "settled": "early"}
    undated = {"by": "another", "date": "2027-01-01", "seen": None, "settled": "not on the page"}
    before = seen_claim("2026-12-01", "2026-10-01") | {"others": [third, agreed, undated]}

    life = changed_life(before, claim("2027-01-01"))

    moved = "moved to 2027-01-01, as seen on 2026-11-01"
    assert as_json(life.retires) == {
        "date": "2027-01-01",
        "kind": "exact",
        "source": "list",
        "seen": "2026-11-01",
        "others": [
            {"date": "2026-12-01", "by": "page", "seen": "2026-10-01", "settled": moved},
            third,
        ],
        "also": [{"by": "a list", "seen": "2026-09-01"}, {"by": "another", "seen": None}],
    }


def test_where_none_was_stated_none_is_noted_and_where_no_day_was_seen_none_is_named() -> None:
    never, undated = (changed_life(b, claim(None)) for b in (None, seen_claim("2026-12-01", None)))

    assert never.notes == ()
    assert (never.checked.source, never.checked.via, never.checked.seen) == ("list", "read", SEEN)
    assert undated.notes == ("page stated 2026-12-01; on 2026-11-01 none was published.",)


@pytest.mark.parametrize(
    ("ends", "kind", "seen", "served"),
    [
        ("2026-11-02", "exact", None, True),
        ("2026-11-01", "exact", None, False),  # it ended on the very day
        ("2026-11-01", "announced", None, False),
        ("2026-10-01", "not_before", None, True),  # a floor is no end
        ("2026-11-02", "exact", "2026-10-31", True),
        ("2026-11-02", "exact", "2026-11-01", False),  # known of that day already
    ],
)
def test_a_model_on_a_list_is_seen_on_its_day_if_it_had_not_ended(
    ends: str, kind: str, seen: str | None, *, served: bool
) -> None:
    life = changed_life(seen_claim(ends, seen) | {"kind": kind}, listed(None))

    assert (life.checked.seen == SEEN) == served
    assert life.retires
    assert str(life.retires.date) == ends


@pytest.mark.parametrize(
    "named",
    [
        {"source": "table"},
        {"also": [{"by": "table", "seen": None}]},
        {"others": [{"by": "table", "date": "2027-06-01", "seen": None, "settled": "a guess"}]},
    ],
)
def test_a_list_that_is_named_with_a_date_is_not_named_twice(named: dict[str, object]) -> None:
    input_generation_record = record(seen_claim("2026-12-01", None) | named)

    assert (
        proposed(input_generation_record, [listed("2026-12-01"), listed("2027-01-01")])
        == input_generation_record
    )


def test_a_list_against_a_page_says_what_is_to_be_done() -> None:
    noted = {"by": "third", "date": "2027-06-01", "seen": None, "settled": "a guess"}
    before = seen_claim("2026-12-01", None) | {"others": [noted]}

    retires = changed_life(before, listed("2027-01-01")).retires

    look = "a list against the source that the record names; look it up"
    table = {"date": "2027-01-01", "by": "table", "seen": None, "settled": look}
    assert as_json(retires) == before | {"others": [noted, table]}


def test_candidates_stand_in_the_order_of_their_names() -> None:
    late, early = claim("2027-01-01", model="b"), claim("2027-01-01", "2026-10-01", model="c")

    assert candidates([record(None)], [early, late]) == [late, early]


def test_a_diff_names_the_record_s_file_twice() -> None:
    lines = diff([record(None)], [claim("2027-01-01")]).splitlines()

    path = "snapshots/evaluators/Judge-1.json"
    assert lines[:2] == [f"--- a/{path}", f"+++ b/{path}"]
