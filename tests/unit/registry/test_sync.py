"""Proposals from others' lists: a diff, nothing lost, nothing written."""

import subprocess
from pathlib import Path

import pytest
from registry_support import Checkout, day, generation_record, life_record, stated

from epc.records.typed import as_json, parse
from epc.registry.lifecycles import GenerationRecord, Kind, LifeRecord
from epc.registry.sync import Claim, candidates, claims, diff, proposed

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


def changed_life(before: dict[str, object], told: Claim) -> LifeRecord:
    """Return the only life of a record after a claim."""
    (life,) = proposed(record(before), [told]).platforms
    return life


def known(on: str, seen: str | None) -> dict[str, object]:
    return stated(on, source="page") | {"seen": seen}


def test_a_newer_word_moves_the_date_and_keeps_the_earlier_one() -> None:
    retires = changed_life(known("2026-12-01", "2026-10-01"), claim("2027-01-01")).retires

    assert retires
    assert (retires.date, retires.source, retires.seen) == (day("2027-01-01"), "list", SEEN)
    (earlier,) = retires.others
    assert (earlier.date, earlier.seen) == (day("2026-12-01"), day("2026-10-01"))
    assert earlier.by == "page"


@pytest.mark.parametrize(
    ("before", "told"),
    [
        (known("2026-12-01", "2026-11-02"), claim("2027-01-01")),  # older than what we have
        (known("2026-12-01", "2026-11-01"), claim("2027-01-01")),  # of the same day
        (None, claim("2027-01-01", model="judge-2")),  # of another model
    ],
)
def test_an_older_word_changes_nothing(before: dict[str, object] | None, told: Claim) -> None:
    given = record(before)

    assert proposed(given, [told]) == given
    assert diff([given], [told]) == ""


@pytest.mark.parametrize("page", ["page", "pa\u2028ge", "pa\x85ge"])
def test_the_proposal_is_a_diff_that_git_applies(tmp_path: Path, page: str) -> None:
    checkout = Checkout(tmp_path)
    given = record(stated("2026-12-01", source=page) | {"seen": None})
    checkout.evaluator(as_json(given))
    path = checkout.home / "evaluators" / "Judge-1.json"
    before = path.read_text()

    text = diff([given], [claim("2027-01-01")])

    assert path.read_text() == before
    subprocess.run(["git", "-C", tmp_path, "apply"], input=text.encode(), check=True)
    assert '"date": "2027-01-01"' in path.read_text()


def test_a_list_is_read_by_platform_and_entries_without_a_day_are_passed_over() -> None:
    entry = {"provider": "OpenAI", "model_id": "m", "shutdown_date": "2027-01-01", "url": "u"}
    dated = {**entry, "provider": "Azure", "last_observed": "2026-10-05"}
    none = {**entry, "shutdown_date": None}
    strange = {**entry, "provider": "Nobody"}
    given = [entry, dated, none, strange]

    found = list(claims(given, platform=None, seen=SEEN))

    assert [(c.platform, c.seen) for c in found] == [
        ("openai", SEEN),
        ("azure-foundry", day("2026-10-05")),
    ]
    assert [c.platform for c in claims(given, platform="openai", seen=SEEN)] == ["openai"]


def test_a_models_endpoint_is_read_where_it_states_an_end() -> None:
    given = {"data": [{"id": "a", "deprecation": "2026-11-30T12:00:00Z"}, {"id": "b"}]}

    (found,) = claims(given, platform="mistral", seen=SEEN)

    assert (found.platform, found.model, found.retires) == ("mistral", "a", day("2026-11-30"))


def test_models_that_only_the_source_knows_are_named() -> None:
    late = claim("2027-02-01", model="judge-2")
    told = [claim("2027-01-01"), late, claim("2027-01-01", "2026-10-01", model="judge-2")]

    assert candidates([record(None)], told) == [late]


@pytest.mark.parametrize("kind", ["exact", "not_before", "announced"])
def test_a_day_seen_again_keeps_its_kind_and_refreshes_when_it_was_seen(kind: str) -> None:
    before = known("2026-12-01", "2026-10-01") | {"kind": kind}

    life = changed_life(before, claim("2026-12-01", kind="exact"))

    assert as_json(life.retires) == before | {"source": "list", "seen": "2026-11-01"}


def test_a_day_that_moved_has_the_kind_that_its_source_states() -> None:
    before = known("2026-12-01", "2026-10-01")

    retires = changed_life(before, claim("2027-01-01", kind="not_before")).retires

    assert retires
    assert retires.kind == "not_before"


def test_no_published_end_takes_the_day_away_and_keeps_it_as_a_note() -> None:
    changed = proposed(record(known("2026-12-01", "2026-10-01")), [claim(None)])

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
    given = {"provider": "Google", "model_id": "m", "shutdown_date": "2026-10-02", **entry}

    (found,) = claims([given], platform=None, seen=SEEN)

    assert found.kind == kind


def test_an_entry_without_a_day_says_something_only_if_it_says_that_none_is_published() -> None:
    given = {"provider": "Google", "model_id": "m", "shutdown_date": None}

    assert list(claims([given], platform=None, seen=SEEN)) == []
    (found,) = claims([given | {"date_kind": "none_published"}], platform=None, seen=SEEN)
    assert (found.retires, found.as_json()["kind"]) == (None, "none_published")
