"""Lives in OSV's and model-eol's shapes, each held to what its documentation asks for."""

import json
import re
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pytest
from engine_support import epc
from registry_support import ROOT, Checkout, date_claim, generation_record, life_record

from epc.answers.service import life_state
from epc.records.strict_json import dumps
from epc.registry.exports import model_eol, osv
from epc.registry.reading import of_folder
from epc.registry.registry import Registry

AS_OF = date(2026, 4, 1)
Shape = Literal["osv", "model-eol"]
SOURCE = "https://maker.example/ends"
# OSV schema 1.7.5, https://ossf.github.io/osv-schema/: keys of a record, of `affected`, of a range.
OSV = {
    *("schema_version", "id", "modified", "published", "withdrawn", "aliases", "related"),
    *("upstream", "summary", "details", "severity", "affected", "references", "credits"),
    "database_specific",
}
AFFECTED = {"package", "severity", "ranges", "versions", "ecosystem_specific", "database_specific"}
EVENTS = {"introduced", "fixed", "last_affected", "limit"}
REFERENCES = {
    *("ADVISORY", "ARTICLE", "DETECTION", "DISCUSSION", "REPORT", "FIX", "INTRODUCED"),
    *("GIT", "PACKAGE", "EVIDENCE", "WEB"),
}
# model-eol/0.1, SPEC.md.
MODEL = {
    *("id", "aliases", "announced", "shutdown", "date_precision", "replacement"),
    *("replacement_options", "replacement_note", "notes", "source", "distributions"),
}
DISTRIBUTION = {"via", "announced", "shutdown", "date_precision", "status", "source"}


def valid_osv(record: Any) -> None:
    assert set(record) <= OSV
    assert record["id"].startswith("x_"), "the prefix of a database that nobody aggregates"
    for key in ("modified", "published"):
        if key in record:
            assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", record[key])
    for affected in record["affected"]:
        assert set(affected) <= AFFECTED
        assert all(isinstance(version, str) for version in affected["versions"])
        for given in affected["ranges"]:
            assert given["type"] in {"GIT", "SEMVER", "ECOSYSTEM"}
            assert any("introduced" in event for event in given["events"])
            assert all(len(event) == 1 and set(event) <= EVENTS for event in given["events"])
    for reference in record["references"]:
        assert set(reference) == {"type", "url"}
        assert reference["type"] in REFERENCES
        assert re.match(r"https?://", reference["url"])


def valid_dates(entry: Any, *, source: bool) -> None:
    days = [entry[key] for key in ("announced", "shutdown") if key in entry]
    assert [date.fromisoformat(day).isoformat() for day in days] == sorted(days)
    assert source or not days, "a dated entry needs a source"
    assert entry.get("date_precision", "exact") in {"exact", "earliest"}
    assert entry.get("status", "active") in {"active", "legacy", "extended-access", "retired"}


def valid_feed(feed: Any) -> None:
    assert set(feed) <= {"spec", "publisher", "generated", "source", "note", "policy", "models"}
    assert feed["spec"] == "model-eol/0.1"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT00:00:00Z", feed["generated"])
    names = [n for model in feed["models"] for n in (model["id"], *model.get("aliases", ()))]
    assert len(names) == len(set(names)), "an id or alias stands once in a feed"
    assert all(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name) for name in names)
    for model in feed["models"]:
        assert set(model) <= MODEL
        assert model.get("aliases") != []
        assert "replacement" not in model, "only what is safe as a substitution may stand there"
        valid_dates(model, source="source" in model)
        distributions = model.get("distributions", [])
        assert len({distribution["via"] for distribution in distributions}) == len(distributions)
        for distribution in distributions:
            assert set(distribution) <= DISTRIBUTION
            valid_dates(distribution, source="source" in distribution or "source" in model)


def exported(registry: Registry, shape: Shape, as_of: date) -> list[Any]:
    if shape == "osv":
        return osv(registry)
    feeds = model_eol(registry, as_of, lambda life: life_state(registry, life.model, life, as_of))
    return list(feeds.values())


@cache
def published(shape: Shape) -> list[Any]:
    return exported(of_folder(ROOT), shape, date(2026, 11, 23))


def test_every_published_end_is_an_osv_record_with_an_id_of_its_own() -> None:
    records = published("osv")
    for record in records:
        valid_osv(record)

    assert len({record["id"] for record in records}) == len(records) > 300


def test_every_makers_feed_is_one_of_model_eol() -> None:
    feeds = published("model-eol")
    for feed in feeds:
        valid_feed(feed)

    assert {"openai", "anthropic", "google", "mistral"} <= {feed["publisher"] for feed in feeds}


@pytest.fixture
def made(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path / "registry")


def exported_lives(made: Checkout, shape: Shape, *lives: Any) -> list[Any]:
    made.evaluator(generation_record("Judge-1", *lives))
    return exported(of_folder(made.folder), shape, AS_OF)


def test_an_end_in_osv_names_model_day_sources_and_disagreement(made: Checkout) -> None:
    ends = date_claim("2026-07-01") | {"seen": "2026-03-15"}
    ends |= {"also": [{"by": "list@1", "seen": "2026-03-01"}]}
    ends["others"] = [{"by": "list@2", "date": "2026-08-01", "seen": None, "settled": "older"}]
    document = date_claim("2026-01-01")
    term_record = life_record(model="a/judge:1", aliases=["j"], retires=ends, deprecated=document)

    (record,) = exported_lives(made, "osv", term_record)

    assert record == {
        "schema_version": "1.7.5",
        # SHA-256 of "maker-a/judge:1" begins so: a changed name stays apart from others.
        "id": "x_EPC-maker-a-judge-1-95a9a538",
        "modified": "2026-03-15T00:00:00Z",
        "published": "2026-01-01T00:00:00Z",
        "summary": "maker/a/judge:1 retires on 2026-07-01",
        "affected": [
            {
                "versions": ["a/judge:1", "j"],
                "ranges": [
                    {
                        "type": "ECOSYSTEM",
                        "events": [{"introduced": "2026-07-01"}],
                        "database_specific": {"events_are": "days in UTC"},
                    }
                ],
            }
        ],
        "references": [{"type": "WEB", "url": SOURCE}],
        "database_specific": {
            "platform": "maker",
            "evaluator": "Judge-1",
            "maker": "maker",
            "kind": "exact",
            "replacement": None,
            "seen": "2026-03-15",
            "agree": [SOURCE, "list@1"],
            "disagree": [{"by": "list@2", "date": "2026-08-01", "settled": "older"}],
        },
    }


def test_a_day_before_which_nothing_ends_is_no_end_in_osv_and_earliest_in_model_eol(
    made: Checkout,
) -> None:
    term_record = life_record(retires=date_claim("2026-07-01", "not_before"))

    assert exported_lives(made, "osv", term_record) == []
    ((model,),) = [feed["models"] for feed in exported_lives(made, "model-eol", term_record)]
    assert model == {
        "id": "judge-1",
        "shutdown": "2026-07-01",
        "date_precision": "earliest",
        "source": SOURCE,
    }


def test_a_feed_keeps_platforms_apart_and_promises_no_substitution(made: Checkout) -> None:
    own_term_record = life_record(
        aliases=["judge-latest", "not an id"],
        deprecated=date_claim("2026-01-01"),
        retires=date_claim("2026-03-01"),
        replacement="judge-2",
    )
    elsewhere = life_record(platform="azure-foundry", retires=date_claim("2026-09-01"))

    ((model,),) = [
        feed["models"] for feed in exported_lives(made, "model-eol", own_term_record, elsewhere)
    ]

    assert model == {
        "id": "judge-1",
        "aliases": ["judge-latest"],
        "announced": "2026-01-01",
        "shutdown": "2026-03-01",
        "date_precision": "exact",
        "source": SOURCE,
        "replacement_options": ["judge-2"],
        "distributions": [
            {
                "via": "azure-ai-foundry",
                "shutdown": "2026-09-01",
                "date_precision": "exact",
                "source": SOURCE,
            }
        ],
    }


def test_no_end_is_said_to_be_scheduled_only_where_somebody_confirmed_it_lately(
    made: Checkout,
) -> None:
    """In a feed an entry without dates says that no retirement is scheduled."""

    def seen(day: str | None) -> list[Any]:
        checked = {"source": SOURCE, "via": "list", "seen": day}
        (made.folder / "params.yaml").write_text(
            "expiry:\n  maximum_age_days: 180\n  notice_days: 60\n  confirmation_days: 120\n"
        )
        return exported_lives(made, "model-eol", life_record(checked=checked))

    assert [*seen(None), *seen("2025-11-01")] == []
    ((model,),) = [feed["models"] for feed in seen("2026-03-01")]
    assert model == {"id": "judge-1"}


def test_a_hostile_name_stays_text_and_makes_no_id(made: Checkout) -> None:
    name = '../"><script>\u202e'
    term_record = life_record(model=name, retires=date_claim("2026-07-01"))

    (record,) = exported_lives(made, "osv", term_record)
    valid_osv(record)
    assert re.fullmatch(r"x_EPC-[A-Za-z0-9._-]+", record["id"])
    assert json.loads(dumps(record))["affected"][0]["versions"] == [name]
    ((model,),) = [feed["models"] for feed in exported_lives(made, "model-eol", term_record)]
    assert model["id"] == "Judge-1"


def test_the_command_prints_a_makers_feed_its_records_and_says_whom_it_does_not_know(
    made: Checkout,
) -> None:
    def export(*arguments: str) -> Any:
        return epc("admin", "evaluators", "export", *arguments, cwd=made.folder)

    (record,) = exported_lives(made, "osv", life_record(retires=date_claim("2026-07-01")))
    (feed,) = exported(of_folder(made.folder), "model-eol", AS_OF)

    assert json.loads(export("--shape", "osv").stdout) == [record]
    on_the_day = ("--shape", "model-eol", "--as-of", "2026-04-01")
    assert json.loads(export(*on_the_day).stdout) == [feed]
    assert json.loads(export(*on_the_day, "--maker", "maker").stdout) == feed
    missing = export("--shape", "osv", "--maker", "nobody")
    assert missing.returncode == 2
    assert "nobody: no end" in missing.stderr


def test_an_end_that_others_announced_is_said_to_be_one_and_has_no_page(made: Checkout) -> None:
    ends = date_claim("2026-07-01", "announced", source="a list")
    (record,) = exported_lives(
        made, "osv", life_record(retires=ends, deprecated=date_claim("2026-01-01"))
    )

    assert record["summary"] == "maker/judge-1 is said to retire on 2026-07-01"
    assert record["id"] == "x_EPC-maker-judge-1"
    assert record["modified"] == "2026-01-01T00:00:00Z"
    assert record["references"] == [{"type": "WEB", "url": SOURCE}]
    assert record["database_specific"]["agree"] == ["a list"]
    assert record["database_specific"]["seen"] is None


def test_an_end_of_no_known_day_of_writing_is_of_the_first_day_and_of_its_maker(
    made: Checkout,
) -> None:
    (record,) = exported_lives(made, "osv", life_record(retires=date_claim("2026-07-01")))

    registry = of_folder(made.folder)
    assert record["modified"] == "1970-01-01T00:00:00Z"
    assert "published" not in record
    assert osv(registry, "maker") == [record]
    assert osv(registry, "nobody") == []


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        # A day of which no page tells is no clock, and one that somebody confirmed has an end.
        ({"retires": date_claim("2026-07-01", source="a list")}, None),
        (
            {"deprecated": date_claim("2026-07-02"), "retires": date_claim("2026-07-01")},
            {"shutdown": "2026-07-01", "date_precision": "exact"},
        ),
        (
            {
                "deprecated": date_claim("2026-07-01"),
                "retires": date_claim("2026-07-01", "announced"),
            },
            {"announced": "2026-07-01", "shutdown": "2026-07-01", "date_precision": "exact"},
        ),
        ({"deprecated": date_claim("2026-07-01")}, {"announced": "2026-07-01"}),
        (
            {
                "deprecated": date_claim("2026-01-01"),
                "retires": date_claim("2026-07-01", source="list"),
            },
            {"announced": "2026-01-01"},
        ),
    ],
)
def test_a_feed_states_the_days_that_a_page_states(
    made: Checkout, given: dict[str, Any], expected: dict[str, str] | None
) -> None:
    models = [
        m
        for feed in exported_lives(made, "model-eol", life_record(**given))
        for m in feed["models"]
    ]

    assert models == ([] if expected is None else [{"id": "judge-1", "source": SOURCE} | expected])


@pytest.mark.parametrize(
    ("day", "kind", "retired"),
    [
        ("2026-04-01", "exact", True),
        ("2026-04-02", "exact", False),
        ("2026-03-01", "announced", False),
        ("2026-03-01", "not_before", False),
    ],
)
def test_elsewhere_a_model_is_retired_from_its_exact_day_on(
    made: Checkout, day: str, kind: str, *, retired: bool
) -> None:
    term_record = life_record(platform="google-vertex", model="j@1", retires=date_claim(day, kind))

    ((model,),) = [feed["models"] for feed in exported_lives(made, "model-eol", term_record)]

    assert model["id"] == "Judge-1"
    (distribution,) = model["distributions"]
    assert distribution["via"] == "vertex-ai"
    assert distribution["shutdown"] == day
    assert distribution.get("status") == ("retired" if retired else None)


def test_weights_have_no_clock_and_a_name_stands_once_in_a_makers_feed(made: Checkout) -> None:
    end = date_claim("2026-07-01")
    made.evaluator(
        generation_record("Judge-2", life_record(model="judge-2", aliases=["j"], retires=end))
    )
    first = life_record(aliases=["judge-2", "j", "j"], retires=end)
    open_ones = life_record(platform="open-weights", model="w", retires=end)
    pinned = life_record(platform="host", model="p", pinned=True, retires=end)

    (feed,) = exported_lives(made, "model-eol", first, open_ones, pinned)

    assert feed["publisher"] == "maker"
    assert feed["generated"] == "2026-04-01T00:00:00Z"
    day = {"shutdown": "2026-07-01", "date_precision": "exact", "source": SOURCE}
    assert feed["models"] == [
        {"id": "judge-1", "aliases": ["j"], **day},
        {"id": "judge-2", **day},
    ]
