"""The registry's commands in a checkout, as users type them."""

import json
from datetime import date
from typing import Any

import pytest
from commands_support import rows, run
from icalendar import Calendar
from registry_support import Checkout, date_claim, generation_record, life_record


@pytest.mark.parametrize(
    ("as_of", "status", "code"),
    [("2026-06-29", "expiring", 0), ("2026-06-30", "expired", 1), ("2026-07-01", "expired", 1)],
)
def test_expiry_gates_on_the_day_before_of_and_after(
    checkout: Checkout, as_of: str, status: str, code: int
) -> None:
    """Measured on 1 January, so 180 days later, on 30 June, the figure is stale."""
    done = run(checkout.folder, "expiry", "v1.0-Judge-1", "--as-of", as_of, "--format", "json")

    assert done.returncode == code
    (row,) = rows(done)
    assert (row["id"], row["status"], row["as_of"]) == ("v1.0-Judge-1", status, as_of)
    assert row["until"] == "2026-06-30"


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Etc/GMT+12"])  # UTC+14 and UTC-12
@pytest.mark.parametrize(
    ("at", "states"),
    [
        ("2026-06-30T10:00", ["expiring", "current", "current"]),  # is 1 July in Kiritimati
        ("2026-06-30T23:59", ["expiring", "current", "current"]),
        ("2026-07-01T00:00", ["expired", "unconfirmed", "current"]),  # is 30 June at UTC-12
        ("2026-07-01T11:59", ["expired", "unconfirmed", "current"]),
        ("2026-07-02T00:00", ["expired", "unconfirmed", "current"]),
    ],
)
def test_an_exact_day_one_not_before_which_and_none_are_of_utc_everywhere(
    checkout: Checkout, zone: str, at: str, states: list[str]
) -> None:
    ends = {"exact": date_claim("2026-07-01"), "later": date_claim("2026-07-01", "not_before")}
    for name in ("exact", "later", "endless"):
        life = life_record(model=name, retires=ends.get(name))
        checkout.evaluator(generation_record(f"G-{name}", life))

    done = run(checkout.folder, "expiry", *ends, "endless", "--format", "json", at=at, TZ=zone)

    assert [row["status"] for row in rows(done)] == states
    assert done.returncode == (1 if "expired" in states else 0)


def test_platforms_differ_and_a_name_without_one_means_all(checkout: Checkout) -> None:
    done = run(checkout.folder, "expiry", "judge-1", "--as-of", "2026-07-15", "--format", "json")

    assert done.returncode == 1
    assert [(r["platform"], r["status"]) for r in rows(done)] == [
        ("maker", "expired"),
        ("cloud", "expiring"),
    ]
    assert run(checkout.folder, "expiry", "cloud/judge-1", "--as-of", "2026-07-15").returncode == 0


def test_the_calendar_keeps_an_entrys_name_when_its_date_moves(checkout: Checkout) -> None:
    def entry() -> Any:
        done = run(checkout.folder, "expiry", "maker/judge-1", "--format", "ics")
        (found,) = Calendar.from_ical(done.stdout).walk("VEVENT")
        return found

    before = entry()
    moved = life_record(retires=date_claim("2026-08-01"))
    checkout.evaluator(generation_record("Judge-1", moved))
    after = entry()

    assert (before.decoded("dtstart"), after.decoded("dtstart")) == (
        date(2026, 7, 1),
        date(2026, 8, 1),
    )
    assert before["uid"] == after["uid"]


def test_list_show_and_changes_print_what_the_json_says(checkout: Checkout) -> None:
    listed = rows(run(checkout.folder, "snapshot", "list", "--format", "json"))
    text = run(checkout.folder, "snapshot", "list").stdout
    document = json.loads(
        run(checkout.folder, "snapshot", "show", "v1.0-Judge-1", "--format", "json").stdout
    )
    page = run(checkout.folder, "snapshot", "show", "v1.0-Judge-1").stdout

    assert [(r["tag"], r["mean"], r["status"]) for r in listed] == [
        ("v1.0-Judge-1", 1.1, "current")
    ]
    assert "1.100" in text
    assert document["figures"]["gamma"]["text_to_visual"]["mean"] == 1.1
    assert document["expiry"]["status"] == "current"
    assert "1.100 (no interval)" in page


def test_a_diff_of_two_snapshots_says_whether_they_are_like_for_like(checkout: Checkout) -> None:
    checkout.publish("v1.1-Judge-1")
    same_result = run(checkout.folder, "compare", "v1.0-Judge-1", "v1.1-Judge-1")
    checkout.publish("v1.2-Judge-1", protocol_version="EPC-v1.0-AltLR")
    other_result = run(checkout.folder, "compare", "v1.0-Judge-1", "v1.2-Judge-1")

    assert (same_result.returncode, other_result.returncode) == (0, 1)
    assert same_result.stdout.startswith("like for like")
    assert "EPC-v1.0-AltLR" in other_result.stdout


def test_a_withdrawal_needs_a_reason_and_changes_nothing_that_was_published(
    checkout: Checkout,
) -> None:
    before = (checkout.home / "events.jsonl").read_text()
    arguments = ("admin", "snapshot", "withdraw", "v1.0-Judge-1")
    assert run(checkout.folder, *arguments).returncode == 2
    assert run(checkout.folder, *arguments, "--reason", " ").returncode == 2

    done = run(checkout.folder, *arguments, "--reason", "answers came from a cache")

    assert done.returncode == 0
    after = (checkout.home / "events.jsonl").read_text()
    assert after.startswith(before)
    assert checkout.events()[-1]["reason"] == "answers came from a cache"
    (row,) = rows(run(checkout.folder, "expiry", "v1.0-Judge-1", "--format", "json"))
    assert (row["status"], row["reason"]) == ("expired", "withdrawn")
    assert run(checkout.folder, *arguments, "--reason", "again").returncode == 2


@pytest.mark.parametrize("tag", ["v1.0-Nobody", "1.0-Judge", "v01.0-Judge-1"])
def test_a_tag_that_is_none_or_not_here_is_misuse(checkout: Checkout, tag: str) -> None:
    done = run(checkout.folder, "snapshot", "show", tag)

    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_evaluators_are_listed_shown_and_checked(checkout: Checkout) -> None:
    listed = rows(run(checkout.folder, "evaluators", "list", "--format", "json"))
    (row,) = rows(run(checkout.folder, "admin", "evaluators", "show", "judge-1"))

    assert [r["platform"] for r in listed] == ["maker", "cloud"]
    assert row["platforms"][0]["retires"]["source"] == "https://maker.example/ends"
    assert run(checkout.folder, "admin", "evaluators", "check").returncode == 0
    assert run(checkout.folder, "admin", "evaluators", "show", "nobody").returncode == 2


def test_a_model_that_a_list_alone_knows_is_shown_and_answered_for(checkout: Checkout) -> None:
    head = "generation,maker,platform,names,released,not_before,retires,seen,source"
    row = "Other-2,other,host,other-2,,,2026-11-01,,a list"
    (checkout.home / "evaluators" / "catalogue.csv").write_text(f"{head}\n{row}\n")

    (shown_row,) = rows(run(checkout.folder, "admin", "evaluators", "show", "host/other-2"))
    listed = rows(run(checkout.folder, "evaluators", "list", "--format", "json"))
    answer = run(checkout.folder, "expiry", "host/other-2", "--as-of", "2026-11-23")

    assert (shown_row["generation"], shown_row["platforms"][0]["retires"]["date"]) == (
        "Other-2",
        "2026-11-01",
    )
    assert "expired since 2026-11-01 (retired)" in answer.stdout
    assert [(r["generation"], r["listed"]) for r in listed][-2:] == [
        ("Judge-1", False),
        ("Other-2", True),
    ]
    assert run(checkout.folder, "admin", "evaluators", "check").returncode == 0


def test_sync_reads_the_list_that_the_installed_package_carries(checkout: Checkout) -> None:
    life = life_record(platform="openai", model="gpt-4o-2024-05-13")
    checkout.evaluator(generation_record("gpt-4o-2024-05-13", life))

    done = run(checkout.folder, "admin", "evaluators", "sync")

    assert done.returncode == 1
    assert '+        "date": "2026-10-23"' in done.stdout


@pytest.mark.parametrize("content", ["{}", '{"a":NaN}'])
@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("snapshot", "list"), "metrics.json"),
        (("snapshot", "list"), "snapshot.json"),
        (("expiry",), "snapshot.json"),  # which looks at no figures
    ],
)
def test_a_damaged_snapshot_is_named_and_no_unforeseen_error(
    checkout: Checkout, words: tuple[str, ...], name: str, content: str
) -> None:
    (damaged,) = checkout.home.glob(f"v*/{name}")
    damaged.write_text(content, "utf-8")

    done = run(checkout.folder, *words)

    assert done.returncode == 2
    assert name in done.stderr
    assert "unforeseen" not in done.stderr


@pytest.mark.parametrize("name", ["judge-11", "v1.0-Judge", ""])
def test_a_gate_that_asks_for_the_known_is_not_passed_by_a_misspelt_name(
    checkout: Checkout, name: str
) -> None:
    arguments = ("expiry", name, "--as-of", "2026-02-02")

    plain, gate = run(checkout.folder, *arguments), run(checkout.folder, *arguments, "--known")
    known_result = run(
        checkout.folder, "expiry", "v1.0-Judge-1", "--as-of", "2026-02-02", "--known"
    )

    assert (plain.returncode, gate.returncode, known_result.returncode) == (0, 1, 0)
    assert plain.stdout == gate.stdout
    assert "not in this registry" in gate.stdout


def test_a_beginning_of_a_name_is_answered_with_the_names_that_it_begins(
    checkout: Checkout,
) -> None:
    (row,) = rows(run(checkout.folder, "expiry", "v1.0-J", "--format", "json"))

    assert row["note"] == "not in this registry; did you mean v1.0-Judge-1?"


@pytest.mark.parametrize(
    "words", [("expiry", "--as-of", "soon"), ("snapshot", "list", "--as-of", "soon")]
)
def test_a_day_that_is_none_is_answered_with_how_to_write_one(
    checkout: Checkout, words: tuple[str, ...]
) -> None:
    done = run(checkout.folder, *words)

    assert done.returncode == 2
    assert "'soon' is no day; write it as YYYY-MM-DD" in done.stderr
