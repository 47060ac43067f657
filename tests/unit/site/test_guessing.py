"""Names that people type, and what an evaluator has to follow: badge, calendar, feed."""

from datetime import date, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from icalendar import Calendar
from registry_support import Checkout, date_claim, generation_record, life_record
from site_support import ADDRESS

from epc.site import machines
from epc.site.collecting import collect
from epc.site.guessing import (
    _badge_words,
    _changes,
    _ends_in_feed,
    _Entry,
    _written_feed,
    aliases,
    badge_alternative,
    files_of_aliases,
    for_people,
)
from epc.site.pages import Site

AS_OF = date(2026, 4, 1)
ATOM = {"a": "http://www.w3.org/2005/Atom"}


KINDS = (("calendars", "ics"), ("feeds", "xml"))


@pytest.fixture
def made(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path / "registry")


def guessed(made: Checkout) -> dict[str, str | bytes]:
    site = _site(made)
    found: dict[str, str | bytes] = dict(files_of_aliases(site))
    return found | {name: text for page in site.evaluators for name, text in for_people(site, page)}


def test_nobody_follows_what_has_ended_and_a_badge_is_of_a_baseline(made: Checkout) -> None:
    lives = {"Ended": "2026-01-30", "Recent": "2026-01-31", "Served": None}
    for name, day in lives.items():
        ends = date_claim(day) if day else None
        made.evaluator(generation_record(name, life_record(model=f"m-{name}", retires=ends)))
    made.evaluator(generation_record("Judge-1", life_record()))
    made.publish()

    found = {name for name in guessed(made) if not name.startswith("api/")}

    followed = ("Judge-1", "Recent", "Served")
    files = {f"{kind}/{name}.{end}" for name in followed for kind, end in KINDS}
    files -= {"calendars/Served.ics"}  # of which no day is known
    assert found == {"badges/Judge-1.svg", *files}


def test_a_date_that_moved_is_told_anew_and_one_that_was_seen_again_is_not(made: Checkout) -> None:
    def ids(day: str, seen: str) -> set[str]:
        ends = date_claim(day) | {"seen": seen}
        made.evaluator(generation_record("Judge-1", life_record(retires=ends)))
        feed = ET.fromstring(bytes(guessed(made)["feeds/Judge-1.xml"]))  # type: ignore[arg-type]  # a feed is bytes
        return {entry.findtext("a:id", "", ATOM) for entry in feed.findall("a:entry", ATOM)}

    before = ids("2026-05-01", "2026-01-01")

    assert ids("2026-05-01", "2026-02-01") == before
    assert ids("2026-06-01", "2026-02-01").isdisjoint(before)


def test_calendars_name_every_end_and_a_corrected_one_rises_in_sequence(
    made: Checkout, tmp_path: Path
) -> None:
    def entries(name: str) -> dict[str, Any]:
        text = dict(machines.files(_site(made), tmp_path / "work"))[name]
        assert isinstance(text, str | bytes)
        return {str(entry["uid"]): entry for entry in Calendar.from_ical(text).walk("VEVENT")}

    made.evaluator(generation_record("Judge-1", life_record(retires=date_claim("2026-05-01"))))
    made.publish()
    before = entries("calendars/Judge-1.ics")
    moved = date_claim("2026-06-01")
    moved["others"] = [
        {"by": "https://maker.example/ends", "date": "2026-05-01", "seen": None, "settled": "moved"}
    ]
    made.evaluator(generation_record("Judge-1", life_record(retires=moved)))
    after = entries("calendars/Judge-1.ics")

    ends = {"judge-1.maker@epc-registry", "v1.0-Judge-1.maker@epc-registry"}
    assert set(before) == set(after) == ends
    for uid in ends:
        assert before[uid].decoded("dtstart") == date(2026, 5, 1)
        assert after[uid].decoded("dtstart") == date(2026, 6, 1)
        assert after[uid]["sequence"] > before[uid]["sequence"]
    assert set(entries("calendar.ics")) == {"v1.0-Judge-1.maker@epc-registry"}


def test_a_name_of_several_has_nothing_for_programs(
    made: Checkout,
) -> None:
    for name in ("One", "Two"):
        lives = [
            life_record(model=f"maker-{name}", aliases=["shared"], platform=f"{name.lower()}-{n}")
            for n in (1, 2)
        ]
        made.evaluator(generation_record(name, *lives))

    assert "shared" not in aliases(_site(made))
    assert "api/v1/evaluators/shared.json" not in guessed(made)


def test_an_own_name_goes_before_an_alias_and_the_makers_before_others(made: Checkout) -> None:
    made.evaluator(generation_record("One", life_record(model="judge")))
    made.evaluator(generation_record("Two", life_record(model="two", aliases=["judge"])))
    made.evaluator(generation_record("Three", life_record(platform="cloud", model="judge")))

    assert aliases(_site(made))["judge"].name == "One"


HOSTILE = (
    *("../../index", "..", ".", "a/../b", "/etc/passwd", "a//b", "a\\b", ".git/config", "x/"),
    *('"><script>alert(1)</script>', "a b", "a%2e%2e", "a?b", "a#b", "index.json", "x.svg", "a."),
    *("judge\u202e1", "a\nb", "x" * 121, "openai/gpt-4o", ".hidden", "ends."),
    *("eu.anthropic.claude-5", "ai21.jamba"),
)


def test_a_plain_name_has_a_colon_and_120_characters_at_most(made: Checkout) -> None:
    names = ["gpt-4.1", "gpt-4o:free", "judge-1", "x" * 120]
    made.evaluator(generation_record("Judge-1", life_record(aliases=names)))

    assert [*aliases(_site(made))] == names


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_that_is_hostile_or_has_a_place_in_front_gets_no_address(
    made: Checkout, name: str
) -> None:
    made.evaluator(generation_record("Judge-1", life_record(aliases=[name])))

    assert [*aliases(_site(made))] == ["judge-1"]


def test_no_guess_takes_the_place_of_a_page_or_of_another_file(
    made: Checkout, tmp_path: Path
) -> None:
    made.evaluator(generation_record("Judge-1", life_record(aliases=["maker", "Judge-2"])))
    made.evaluator(generation_record("Judge-2", life_record(model="judge-2", aliases=["cloud"])))
    ended = life_record(platform="cloud", model="m", retires=date_claim("2027-01-30"))
    made.evaluator(generation_record("cloud", ended))

    site = _site(made)
    places = [place for place, _ in machines.files(site, tmp_path)]

    assert len(places) == len(set(places))
    assert "api/v1/evaluators/maker.json" not in places
    assert "calendars/cloud.ics" in places


def test_addresses_grow_with_names_and_not_with_snapshots(made: Checkout) -> None:
    made.evaluator(generation_record("Judge-1", life_record(aliases=["judge-latest"])))
    made.publish("v1.0-Judge-1")
    before = {*aliases(_site(made))}
    for minor in range(1, 5):
        made.publish(f"v1.{minor}-Judge-1")

    assert {*aliases(_site(made))} == before
    assert before == {"judge-1", "judge-latest"}


def _site(made: Checkout) -> Site:
    (made.home / "events.jsonl").touch()
    return collect(made.folder, as_of=AS_OF, address=ADDRESS)


def platform(**fields: Any) -> Any:
    record = {"platform": "maker", "model": "m", "retires": None, "deprecated": None, "routes": (),
              "points_to": (), "replacement": None}  # fmt: skip
    return SimpleNamespace(record=SimpleNamespace(**record | fields))


def ends(kind: str, seen: date | None = None) -> Any:
    return SimpleNamespace(date=date(2026, 6, 1), kind=kind, source="S", sources=2, seen=seen)


def feed_entries(**fields: Any) -> list[tuple[str, date, str]]:
    page: Any = SimpleNamespace(name="J", platforms=[platform(**fields)])
    entries = [*_ends_in_feed(page, AS_OF)]
    assert {entry.place for entry in entries} <= {"evaluators/J/#maker"}
    return [(entry.title, entry.updated, entry.summary) for entry in entries]


def test_an_end_is_told_in_the_words_of_its_kind_on_the_day_that_it_was_stated() -> None:
    source = "Source: S; sources that agree: 2"

    assert feed_entries() == []
    for kind, words in (
        ("exact", "retires on"),
        ("not_before", "does not retire before"),
        ("announced", "is said to retire on"),
    ):
        found = feed_entries(retires=ends(kind, date(2026, 1, 5)))
        assert found == [(f"maker/m {words} 2026-06-01", date(2026, 1, 5), source)]
    stated = {"retires": ends("exact", date(2026, 1, 5)), "replacement": "n"}
    (one,) = feed_entries(**stated, deprecated=SimpleNamespace(date=date(2025, 12, 1)))
    assert one[1:] == (date(2025, 12, 1), f"{source}; the platform names n in its place")
    assert feed_entries(retires=ends("exact"))[0][1] == date(1970, 1, 1), "nobody says since when"
    assert feed_entries(retires=ends("exact", date(2099, 1, 1)))[0][1] == AS_OF, (
        "never in the future"
    )


def test_a_name_that_means_another_model_is_told_with_its_day() -> None:
    routes = [SimpleNamespace(to="n", date=date(2026, 2, 1), source="S", seen=date(2026, 1, 1))]
    points = [
        SimpleNamespace(to="o", since=date(2026, 3, 1), source="T"),
        SimpleNamespace(to="p", since=None, source="T"),
    ]

    assert feed_entries(routes=routes, points_to=points) == [
        ("maker/m is answered by n from 2026-02-01", date(2026, 1, 1), "Source: S"),
        ("maker/m means o from 2026-03-01", date(2026, 3, 1), "Source: T"),
    ]


def test_a_feed_has_its_200_latest_entries_newest_first_and_text_that_xml_has_a_place_for() -> None:
    site: Any = SimpleNamespace(address=ADDRESS)
    days = [date(2026, 1, 1) + timedelta(days=n) for n in range(201)]
    entries = [
        _Entry(id=f"i{n}", title="a\x0bb\ufffe\tc", updated=day, place="p", summary="s")
        for n, day in enumerate(days)
    ]

    text = _written_feed(site, ("urn:x", "t"), ("f.xml", "about/"), entries)
    feed = ET.fromstring(text)
    listed = feed.findall("a:entry", ATOM)

    assert text.endswith(b"\n")
    assert [entry.findtext("a:id", "", ATOM) for entry in listed] == [
        f"i{n}" for n in range(200, 0, -1)
    ]
    assert feed.findtext("a:updated", "", ATOM) == f"{days[-1]}T00:00:00Z"
    assert listed[0].findtext("a:title", "", ATOM) == "a\ufffdb\ufffd\tc"
    assert [link.attrib for link in feed.findall("a:link", ATOM)] == [
        {"rel": "self", "href": f"{ADDRESS}f.xml"},
        {"href": f"{ADDRESS}about/"},
    ]
    empty = ET.fromstring(_written_feed(site, ("urn:x", "t"), ("f.xml", "about/"), []))
    assert empty.findtext("a:updated", "", ATOM) == "1970-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ({"status": "expired", "since": "2026-01-01", "until": "2026-01-01"}, "expired 2026-01-01"),
        ({"status": "expiring", "since": None, "until": "2026-05-01"}, "until 2026-05-01"),
        ({"status": "current", "since": None, "until": None}, "no end stated"),
    ],
)
def test_a_badge_has_the_newest_version_and_its_end(state: dict[str, Any], words: str) -> None:
    row = SimpleNamespace(
        standing=SimpleNamespace(state=SimpleNamespace(**state)),
        snapshot=SimpleNamespace(tag=SimpleNamespace(version="v1.2")),
    )
    page: Any = SimpleNamespace(plain="J", newest=SimpleNamespace(row=row))

    assert _badge_words(page) == (f"v1.2 {words}", state["status"])
    assert badge_alternative(page) == f"EPC J: v1.2 {words}"
    failed: Any = SimpleNamespace(plain="J", newest=None)
    assert _badge_words(failed) == ("failed run", "unknown")


def test_a_change_of_the_same_day_and_kind_has_an_id_of_its_own() -> None:
    def change(tag: str, why: str) -> Any:
        return SimpleNamespace(tag=tag, date=date(2026, 1, 1), event="was withdrawn", why=why)

    found = [*_changes([change("v1", "because"), change("v1", ""), change("v2", "")])]

    assert [entry.id for entry in found] == [
        f"urn:epc:change:{tag}:2026-01-01:was-withdrawn:{n}"
        for tag, n in (("v1", 1), ("v1", 2), ("v2", 1))
    ]
    assert [entry.summary for entry in found] == ["because", "was withdrawn", "was withdrawn"]
