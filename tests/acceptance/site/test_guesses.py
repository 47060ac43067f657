"""Addresses that people type: aliases, and what programs read there."""

import json
import re
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any
from urllib.request import urlopen
from xml.etree import ElementTree as ET

import pytest
from icalendar import Calendar
from registry_support import Checkout, generation_record, life_record, stated
from site_support import ADDRESS, BuiltSite, epc

from epc.site import machines
from epc.site.collecting import collect
from epc.site.guessing import aliases, files, for_people
from epc.site.pages import Site

ATOM = {"a": "http://www.w3.org/2005/Atom"}
KINDS = (("calendars", "ics"), ("feeds", "xml"))


@pytest.fixture
def made(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path / "registry")


def guessed(made: Checkout) -> dict[str, str | bytes]:
    site = _site(made)
    found = {name: text for alias in aliases(site) for name, text in files(site, alias)}
    return found | {name: text for page in site.evaluators for name, text in for_people(site, page)}


def leads(page: str | bytes) -> list[str]:
    """Return where the links of a page lead, the last of which is to all evaluators."""
    return re.findall(r'<li><a href="([^"]*)">', str(page))[:-1]


@pytest.mark.parametrize("name", ["judge-latest", "judge-1"])
def test_an_alias_leads_to_the_page_and_has_the_answer_for_programs(
    address: str, name: str
) -> None:
    with urlopen(f"{address}evaluators/{name}/") as answer:
        page = answer.read().decode()
    (to,) = leads(page)
    assert to == "../Judge-1/"
    assert f'content="0; url={to}"' in page
    assert f'<link rel="canonical" href="{ADDRESS}evaluators/Judge-1/">' in page
    with urlopen(f"{address}api/v1/evaluators/{name}.json") as answer:
        record = json.load(answer)["record"]
    assert record["generation"] == "Judge-1"
    assert [life["platform"] for life in record["platforms"]] == ["maker", "cloud"]


def test_nobody_follows_what_has_ended_and_a_badge_is_of_a_baseline(made: Checkout) -> None:
    lives = {"Ended": "2026-01-30", "Recent": "2026-01-31", "Served": None}
    for name, day in lives.items():
        ends = stated(day) if day else None
        made.evaluator(generation_record(name, life_record(model=f"m-{name}", retires=ends)))
    made.evaluator(generation_record("Judge-1", life_record()))
    made.publish()

    found = {name for name in guessed(made) if not name.startswith(("api/", "evaluators/"))}

    followed = ("Judge-1", "Recent", "Served")
    files = {f"{kind}/{name}.{end}" for name in followed for kind, end in KINDS}
    files -= {"calendars/Served.ics"}  # of which no day is known
    assert found == {"badges/Judge-1.svg", *files}


def test_a_platform_has_a_page_a_calendar_and_a_feed(site: BuiltSite) -> None:
    page = site.text("evaluators/maker/index.html")

    assert "Models on maker" in page
    assert all(f'href="../{name}/"' in page for name in ("Judge-1", "Judge-2"))
    assert 'href="../../feeds/maker.xml"' in page
    assert (site.out / "calendars/maker.ics").is_file()
    assert 'href="maker/"' in site.text("evaluators/index.html")


def calendar_names(texts: Iterable[str | bytes]) -> set[tuple[str, str]]:
    found = [Calendar.from_ical(text) for text in texts]
    return {(str(given["name"]), str(given["uid"])) for given in found}


def test_every_calendar_and_feed_has_a_name_and_an_id_of_its_own(site: BuiltSite) -> None:
    own = ("Judge-1", "Judge-2", "maker", "cloud")
    calendars = [site.text(f"calendars/{name}.ics") for name in own if name != "Judge-2"]
    calendars += [site.text("calendar.ics"), site.text("retirements.ics")]
    assert len({name for name, _ in calendar_names(calendars)}) == len(calendars)
    assert len({uid for _, uid in calendar_names(calendars)}) == len(calendars)
    feeds = [ET.fromstring(site.text(f"feeds/{name}.xml")) for name in own]
    feeds += [ET.fromstring(site.text(f"{name}.xml")) for name in ("feed", "retirements")]
    for key in ("id", "title"):
        assert len({feed.findtext(f"a:{key}", "", ATOM) for feed in feeds}) == len(feeds)
    assert not (site.out / "calendars/judge-latest.ics").exists(), "nobody subscribes twice"


def test_a_calendar_of_the_command_is_named_after_what_was_asked(site: BuiltSite) -> None:
    def named(*asked: str) -> set[tuple[str, str]]:
        words = ("expiry", "--as-of", "2026-04-01", "--format", "ics", *asked)
        return calendar_names([epc(site.checkout.folder, *words).stdout])

    assert named("maker/judge-1") == {("EPC: maker/judge-1", "maker/judge-1@epc-registry")}
    assert named("Judge-2") == {("EPC: Judge-2", "Judge-2@epc-registry")}


def test_a_feed_tells_of_ends_and_keeps_to_rfc_4287(site: BuiltSite) -> None:
    for place in site.out.rglob("*.xml"):
        if place.name == "sitemap.xml":
            continue
        feed = ET.fromstring(place.read_text())
        entries = feed.findall("a:entry", ATOM)
        for node in (feed, *entries):  # sections 4.1.1 and 4.1.2: one of each
            assert all(len(node.findall(f"a:{k}", ATOM)) == 1 for k in ("id", "title", "updated"))
            stamp = node.findtext("a:updated", "", ATOM)
            assert re.fullmatch(r"\d{4}-\d\d-\d\dT00:00:00Z", stamp)
            assert re.fullmatch(r"urn:epc:[!-~]+", node.findtext("a:id", "", ATOM))
        ids = [entry.findtext("a:id", "", ATOM) for entry in entries]
        assert len(set(ids)) == len(ids)
        newest = max((e.findtext("a:updated", "", ATOM) for e in entries), default=None)
        assert newest in (None, feed.findtext("a:updated", "", ATOM))
        (own,) = feed.findall("a:link[@rel='self']", ATOM)
        assert (site.out / own.attrib["href"].removeprefix(ADDRESS)).is_file()

    titles = [e.text for e in ET.fromstring(site.text("feeds/Judge-1.xml")).iter() if e.text]
    assert "maker/judge-1 retires on 2026-07-01" in titles
    assert "v1.0-Judge-1: withdrawn" in titles
    whole = ET.fromstring(site.text("retirements.xml"))
    told = {entry.findtext("a:title", "", ATOM) for entry in whole.findall("a:entry", ATOM)}
    assert told == {
        "maker/judge-1 retires on 2026-07-01",
        "cloud/judge-1 does not retire before 2026-05-01",
        "cloud/judge-3 does not retire before 2026-05-01",
        "self-hosted/judge-4 retires on 2026-05-20",
        "others/other-1 retires on 2026-03-01",
        "others/other-2 retires on 2026-12-01",
        "others/other means other-2 from 2026-02-01",
    }


def test_a_date_that_moved_is_told_anew_and_one_that_was_seen_again_is_not(made: Checkout) -> None:
    def ids(day: str, seen: str) -> set[str]:
        ends = stated(day) | {"seen": seen}
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

    made.evaluator(generation_record("Judge-1", life_record(retires=stated("2026-05-01"))))
    made.publish()
    before = entries("calendars/Judge-1.ics")
    moved = stated("2026-06-01")
    moved["others"] = [
        {"by": "https://maker.example/ends", "date": "2026-05-01", "seen": None, "settled": "moved"}
    ]
    made.evaluator(generation_record("Judge-1", life_record(retires=moved)))
    after = entries("calendars/Judge-1.ics")

    ends = {"Judge-1.maker@epc-registry", "v1.0-Judge-1.maker@epc-registry"}
    assert set(before) == set(after) == ends
    for uid in ends:
        assert before[uid].decoded("dtstart") == date(2026, 5, 1)
        assert after[uid].decoded("dtstart") == date(2026, 6, 1)
        assert after[uid]["sequence"] > before[uid]["sequence"]
    assert set(entries("calendar.ics")) == {"v1.0-Judge-1.maker@epc-registry"}


def test_a_name_of_several_has_a_page_to_choose_from_and_nothing_for_programs(
    made: Checkout,
) -> None:
    for name in ("One", "Two"):
        lives = [
            life_record(model=f"maker-{name}", aliases=["shared"], platform=f"{name.lower()}-{n}")
            for n in (1, 2)
        ]
        made.evaluator(generation_record(name, *lives))
    given = guessed(made)

    page = given["evaluators/shared/index.html"]
    assert leads(page) == ["../One/", "../Two/"]
    assert 'http-equiv="refresh"' not in str(page)
    assert "api/v1/evaluators/shared.json" not in given


def test_an_own_name_goes_before_an_alias_and_the_makers_before_others(made: Checkout) -> None:
    made.evaluator(generation_record("One", life_record(model="judge")))
    made.evaluator(generation_record("Two", life_record(model="two", aliases=["judge"])))
    made.evaluator(generation_record("Three", life_record(platform="cloud", model="judge")))

    assert leads(guessed(made)["evaluators/judge/index.html"]) == ["../One/"]


HOSTILE = (
    *("../../index", "..", ".", "a/../b", "/etc/passwd", "a//b", "a\\b", ".git/config", "x/"),
    *('"><script>alert(1)</script>', "a b", "a%2e%2e", "a?b", "a#b", "index.json", "x.svg", "a."),
    *("judge\u202e1", "a\nb", "x" * 121, "openai/gpt-4o", ".hidden", "ends."),
    *("eu.anthropic.claude-5", "ai21.jamba"),
)


def test_a_plain_name_has_a_colon_and_120_characters_at_most(made: Checkout) -> None:
    names = ["gpt-4.1", "gpt-4o:free", "judge-1", "x" * 120]
    made.evaluator(generation_record("Judge-1", life_record(aliases=names)))

    assert [alias.place for alias in aliases(_site(made))] == names


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_that_is_hostile_or_has_a_place_in_front_gets_no_address(
    made: Checkout, name: str
) -> None:
    made.evaluator(generation_record("Judge-1", life_record(aliases=[name])))

    assert [alias.place for alias in aliases(_site(made))] == ["judge-1"]


def test_no_guess_takes_the_place_of_a_page_or_of_another_file(
    made: Checkout, tmp_path: Path
) -> None:
    made.evaluator(generation_record("Judge-1", life_record(aliases=["maker", "Judge-2"])))
    made.evaluator(generation_record("Judge-2", life_record(model="judge-2", aliases=["cloud"])))
    ended = life_record(platform="cloud", model="m", retires=stated("2027-01-30"))
    made.evaluator(generation_record("cloud", ended))

    site = _site(made)
    places = [place for place, _ in machines.files(site, tmp_path)]

    assert len(places) == len(set(places))
    assert not {"evaluators/maker/index.html", "evaluators/Judge-2/index.html"} & set(places)
    assert "calendars/cloud.ics" in places


def test_addresses_grow_with_names_and_not_with_snapshots(made: Checkout) -> None:
    made.evaluator(generation_record("Judge-1", life_record(aliases=["judge-latest"])))
    made.publish("v1.0-Judge-1")
    before = {alias.place for alias in aliases(_site(made))}
    for minor in range(1, 5):
        made.publish(f"v1.{minor}-Judge-1")

    assert {alias.place for alias in aliases(_site(made))} == before
    assert before == {"judge-1", "judge-latest"}


def _site(made: Checkout) -> Site:
    (made.home / "events.jsonl").touch()
    return collect(made.folder, as_of=date(2026, 4, 1), address=ADDRESS)
