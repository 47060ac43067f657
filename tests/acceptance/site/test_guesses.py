"""Addresses that people type: aliases, and what programs read there."""

import json
import re
from collections.abc import Iterable
from urllib.request import urlopen
from xml.etree import ElementTree as ET

import pytest
from icalendar import Calendar
from site_support import ADDRESS, BuiltSite, epc

ATOM = {"a": "http://www.w3.org/2005/Atom"}
KINDS = (("calendars", "ics"), ("feeds", "xml"))


@pytest.mark.parametrize("name", ["judge-latest", "judge-1"])
def test_an_alias_has_the_answer_for_programs(address: str, name: str) -> None:
    with urlopen(f"{address}api/v1/evaluators/{name}.json") as answer:
        record = json.load(answer)["record"]
    assert record["generation"] == "Judge-1"
    assert [life["platform"] for life in record["platforms"]] == ["maker", "cloud"]


def test_a_platform_has_a_page_a_calendar_and_a_feed(site: BuiltSite) -> None:
    page = site.text("evaluators/maker/index.html")

    assert "Models on maker" in page
    assert all(f'href="../{name}/"' in page for name in ("Judge-1", "Judge-2"))
    assert 'href="../../feeds/maker.xml"' in page
    assert (site.out / "calendars/maker.ics").is_file()
    assert 'href="maker/"' in site.text("evaluators/index.html")


def calendar_names(texts: Iterable[str | bytes]) -> set[tuple[str, str]]:
    calendars = [Calendar.from_ical(text) for text in texts]
    return {(str(calendar["name"]), str(calendar["uid"])) for calendar in calendars}


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
        arguments = ("expiry", "--as-of", "2026-04-01", "--format", "ics", *asked)
        return calendar_names([epc(site.checkout.folder, *arguments).stdout])

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
