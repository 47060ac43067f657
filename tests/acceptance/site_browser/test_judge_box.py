"""The box for several names answers as the program does, and asks nobody."""

import json
import shlex
from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit
from xml.etree import ElementTree as ET

import pytest
from browser_support import PHONE, Visit, visit
from budget_support import is_night
from icalendar import Calendar
from names_support import SPELT, TYPED, UNDATED
from playwright.sync_api import Browser, Page, Route
from registry_support import ROOT
from scan_support import PROJECTS
from site_support import BuiltSite, epc

from epc.answers.judge_cards import card_of
from epc.answers.replacement import firsts_of
from epc.answers.resolve import resolve
from epc.answers.service import service
from epc.answers.service import states as answers_of
from epc.answers.subjects import subject
from epc.records.strict_json import dumps_line
from epc.registry.names import names_of
from epc.registry.reading import of_folder
from epc.registry.registry import Registry
from epc.registry.scan.scan import IGNORED, Vocabulary
from epc.report.judge_card_text import sentence
from epc.site.names import documents

BUILT, DAY, LATER = "2026-11-01", "2026-11-23", "2027-03-01"
UNKNOWN = [
    "gtp-4o",
    "gpt-6",
    "no such model",
    "claude-opus-4-99",
    "openai/gpt4o",
    "arn:aws:bedrock:us-west-2:000000000000:application-inference-profile/5dews3o6kky6",
]
HOSTILE = '<img src=x onerror="window.canary=1"><script>window.canary=1</script>'
Told = tuple[str, str, str, str]


@cache
def published() -> Registry:
    return of_folder(ROOT)


@cache
def real() -> dict[str, str]:
    """Return the files of names of this very registry, by the end of their addresses."""
    names, places = documents(published(), date.fromisoformat(BUILT))
    return {"names.json": dumps_line(names), "places.json": dumps_line(places)}


def with_files(seen: Visit, files: Mapping[str, str]) -> None:
    """Answer for some of the site's files of names with others."""

    def answering(text: str) -> Callable[[Route], None]:
        return lambda route: route.fulfill(body=text)

    for name, text in files.items():
        seen.page.unroute(f"**/assets/{name}")
        seen.page.route(f"**/assets/{name}", answering(text))


@pytest.fixture(scope="module")
def desk(browser: Browser, home: str) -> Iterator[Visit]:
    """Return a window on a site whose list of names is that of this very registry."""
    with visit(browser, home) as page_visit:
        with_files(page_visit, real())
        yield page_visit


def linked(seen: Visit, names: list[str], day: str = DAY) -> Page:
    """Open the permanent link of some names on a day, and wait for the answers."""
    seen.page.clock.set_fixed_time(f"{day}T12:00:00Z")
    page = seen.to("check/?judge=" + ",".join(map(quote, names)))
    page.wait_for_selector("[data-epc=permanent]")
    seen.assert_quiet()
    return page


def answered_page(seen: Visit, text: str, day: str = DAY) -> Page:
    """Type a text into the box, and wait for the answer."""
    seen.page.clock.set_fixed_time(f"{day}T12:00:00Z")
    page = seen.to("check/")
    page.get_by_label("Names, or a requirements or configuration file").fill(text)
    page.get_by_role("button", name="Check").click()
    page.wait_for_selector("#judge-answers > :first-child")
    return page


def states(page: Page) -> dict[str, list[Told]]:
    """Return of each name the platform, the words, the note and the source of every answer."""
    texts: dict[str, list[list[str]]] = page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll("#judge li")].map((item) =>
            [item.dataset.name, [...item.querySelectorAll(".epc-judge-state")].map((line) =>
                ["platform", "words", "note", "source"].map((name) =>
                    line.querySelector(`[data-epc=${name}]`)?.textContent ?? ""))]))"""
    )
    return {name: sorted((a, b, c, d) for a, b, c, d in told) for name, told in texts.items()}


def cards(page: Page) -> dict[str, str]:
    texts: dict[str, str] = page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll("#judge-answers [data-epc=card]")]
            .map((place) => [place.closest("li").dataset.name, place.textContent]))"""
    )
    return texts


def by_command(name: str, day: str) -> list[Told]:
    return sorted(
        (s.platform or "", s.status_text, s.note, s.source or "")
        for s in answers_of(published(), name, date.fromisoformat(day))
    )


@pytest.mark.parametrize("day", [DAY, LATER])
def test_names_that_people_type_get_the_commands_answers_on_the_readers_day(
    desk: Visit, day: str
) -> None:
    names = [name for name, *_ in TYPED]
    spelt = [name for name, *_ in SPELT]
    unknown = [*UNKNOWN, *(name for name, *_ in UNDATED if "," not in name)]
    halves = [names[:40], [*names[40:], *unknown], spelt[:40], spelt[40:]]

    on = date.fromisoformat(day)
    for half in halves:
        page = linked(desk, half, day)
        found = {
            name: sentence(
                card_of(
                    published(),
                    subject(published(), name, date.fromisoformat(day)),
                    date.fromisoformat(day),
                )
            )
            for name in half
            if resolve(published(), name, on).everywhere
        }

        assert states(page) == {name: by_command(name, day) for name in half}
        assert cards(page) == found


EVERY = 10  # of so many names one is asked about on further days
DAYS = ["2026-11-28", "2026-12-15", "2027-03-15"]
ASKED_ON = DAYS if is_night() else DAYS[::2]
ANSWERED = """async ([names, days]) => {
    const told = await import(new URL("../assets/names.js", location.href).href);
    const index = await told.load();
    const answered = (name) => {
        const { first, why, places } = told.answer(index, name);
        const line = ({ platform, status, rest, note }) => [platform, status + rest, note];
        return [...(first ? [] : [["", "unknown", why]]), ...places.map(line)];
    };
    return Object.fromEntries(days.map((day) => {
        index.today = day;
        return [day, Object.fromEntries(names.map((name) => [name, answered(name)]))];
    }));
}"""


def asked_names() -> list[str]:
    """Return the names of records and lists: bare, behind their platforms, and a gateway."""
    models = (*published().generations.values(), *published().catalogue.values())
    lives = [(life, name) for g in models for life in g.lives for name in names_of(g, life)]
    lives += [(life, name) for _, life, names in published().names.further for name in names]
    spelled = {f"{word}{name}" for life, name in lives for word in ("", f"{life.platform}/")}
    spelled |= {f"openrouter/{name}" for _, name in lives}
    elsewhere = {f"groq/{name}" for _, name in lives[::EVERY]}
    return sorted((spelled | elsewhere) - published().snapshots.keys())


def printed(name: str, day: date) -> list[list[str]]:
    """Return the places, words and notes of a name as the command prints them."""
    states = answers_of(published(), name, day)
    return [[state.platform or "", state.status_text, state.note] for state in states]


def test_reading_r104_the_script_finds_what_the_program_does_for_names_of_every_platform(
    desk: Visit,
) -> None:
    names = asked_names()

    answered = desk.to("check/").evaluate(ANSWERED, [names, ASKED_ON])

    assert len(names) > 7000
    for day in ASKED_ON:
        on = date.fromisoformat(day)
        differing = [name for name in names if answered[day][name] != printed(name, on)]
        assert differing == [], day


def test_the_script_turns_an_answer_on_the_programs_next_day_and_on_none_before(
    desk: Visit,
) -> None:
    """P8 in the browser: names of which the program says on which day their answer changes."""
    begin = date.fromisoformat(DAYS[0])
    turns = {name: service(published(), name, begin).next for name in asked_names()[::EVERY]}
    page = desk.to("check/")
    changed = 0
    for turn in sorted({day for day in turns.values() if day}):
        names = [name for name, day in turns.items() if day == turn]
        days = [DAYS[0], str(turn - timedelta(days=1)), str(turn)]
        answered = page.evaluate(ANSWERED, [names, days])
        before, last, after = (answered[day] for day in days)
        assert before == last, turn
        assert after == {name: printed(name, turn) for name in names}, turn
        changed += sum(after[name] != before[name] for name in names)

    assert changed > 100  # what changes elsewhere alone is no change of these lines


REPLACED = """async ([names, days]) => {
    const told = await import(new URL("../assets/names.js", location.href).href);
    const index = await told.load();
    const replaced = (name) => told.answer(index, name).judge?.slice(0, 2).join(", ");
    return Object.fromEntries(days.map((day) => {
        index.today = day;
        const found = names.map((name) => [name, replaced(name)]);
        return [day, Object.fromEntries(found.filter(([, judge]) => judge))];
    }));
}"""


def test_whom_to_turn_to_instead_is_the_commands_answer_on_every_day(desk: Visit) -> None:
    """Names of what ends, bare and behind their platform, an alias, a gateway and a hosted one."""
    ending = ("gpt-4", "claude-3", "gemini-", "grok-", "deepseek", "llama", "mistral", "command-")
    known = (lives for name, lives in published().names.spelled() if name.startswith(ending))
    bare = {(life.platform, life.model) for lives in known for _, life in lives if life.retires}
    spelled = {name for _, name in bare} | {f"{platform}/{name}" for platform, name in bare}
    typed = [name for name, *_ in TYPED]
    names = [*typed, "openrouter/openai/gpt-4o", *sorted(spelled)[:: EVERY // 2]]
    days = [BUILT, "2026-11-28", "2026-12-15", "2027-03-15", "2027-10-20"]

    found = desk.to("check/").evaluate(REPLACED, [names, days])

    for day in days:
        firsts = firsts_of(published(), names, date.fromisoformat(day))
        assert found[day] == {name: first.text for name, first in firsts.items()}, day
    assert len(found[BUILT]) > 30


def test_the_box_names_the_judge_that_the_command_names_instead(desk: Visit) -> None:
    page = linked(desk, ["gpt-4o", "claude-haiku-4-5", "v1.2-gpt-4"])

    told = page.locator("#judge-answers [data-epc=instead]").all_inner_texts()
    printed = epc(ROOT, "expiry", "gpt-4o", "claude-haiku-4-5", "--as-of", DAY).stdout
    named = [line for line in printed.splitlines() if line.startswith("instead of ")]
    assert named == [f"instead of gpt-4o: {text}" for text in told]
    assert told == ["gpt-6-luna, named by openai; agreement not in this registry"]
    link = page.locator("#judge-answers [data-epc=instead] a").get_attribute("href")
    assert link == f"{desk.home}evaluators/gpt-6-luna/"


def test_suggestions_and_nearest_names_have_the_judge_to_turn_to(desk: Visit) -> None:
    desk.page.clock.set_fixed_time(f"{DAY}T12:00:00Z")
    page = desk.to("")
    page.get_by_role("combobox", name="Your judge").fill("gpt-4-0613")
    page.get_by_role("option").first.wait_for()
    first = page.get_by_role("option").first.inner_text().split("\n")
    assert [text for text in first if text] == ["gpt-4-0613", "ended", "instead: gpt-5.6-sol"]

    page.goto(f"{desk.home}evaluators/gpt-4-06133/", wait_until="load")
    page.wait_for_selector("#epc-near li")
    desk.complaints.clear()  # that nothing is there
    nearest = page.locator("#epc-near li").all_inner_texts()
    assert nearest[0] == "gpt-4-0613, instead: gpt-5.6-sol"


def test_the_answer_is_what_the_command_prints_with_how_sure_it_is(desk: Visit) -> None:
    page = answered_page(desk, "GPT-4o")

    arguments = ("expiry", "GPT-4o", "--as-of", DAY, "--format", "json")
    given, *others = json.loads(epc(ROOT, *arguments).stdout)
    text = "expiring: will be retired on 2027-01-14"
    first, *folded = page.locator("#judge li > .epc-judge-state, #judge li details p").all()
    assert (first.locator("[data-epc=words]").inner_text(), len(folded)) == (text, len(others))
    assert ("openai", text, given["note"], given["source"]) in states(page)["GPT-4o"]
    assert "and names gpt-6-luna instead" in given["note"]
    printed = epc(ROOT, "evaluators", "card", "GPT-4o", "--as-of", DAY).stdout.splitlines()[0]
    assert cards(page) == {"GPT-4o": printed}
    assert "How sure: confidence high" in page.locator(".epc-judge-sure").first.inner_text()
    desk.assert_quiet()
    page.get_by_role("link", name="All about gpt-4o", exact=True).click()
    assert page.url.endswith("/evaluators/gpt-4o/")
    desk.complaints.clear()  # the site of this test has no such page


@pytest.mark.parametrize(
    "text",
    [
        (
            "inspect-ai==0.3.1  # judges: gpt-4o-2024-08-06\nnumpy>=2.1\n"
            "JUDGE = 'anthropic/claude-sonnet-4-5'\nOTHER=grok-4\n"
        ),
        (
            "judges:\n  - model: openai/gpt-4o-2024-08-06\n    temperature: 0.0\n"
            '  - model: "claude-sonnet-4-5"\n  - {name:grok-4, max-tokens: 16}\n'
        ),
        '{"judge": "gpt-4o-2024-08-06", "panel": ["claude-sonnet-4-5", "grok-4"], "n": 3}',
    ],
)
def test_a_file_that_is_pasted_gives_its_three_models(desk: Visit, text: str) -> None:
    found = [name.rpartition("/")[2] for name in states(answered_page(desk, text))]

    assert found == ["gpt-4o-2024-08-06", "claude-sonnet-4-5", "grok-4"]


def sample_texts() -> list[str]:
    """Return the sample projects' files that programs read, and words at the edges."""
    read = (".py", ".toml", ".yml", ".yaml", ".json", ".ipynb", ".env", "eval.txt")
    files = [path for path in sorted(PROJECTS.rglob("*")) if path.name.endswith(read)]
    edges = (
        r'x = "azure/gpt-4o \"gpt-4-0613\"\tgrok-4\n", claude-sonet-4-5. gpt-4o.json text-2xl; '
        "lib/command openrouter/openai/gpt-9o https://x.example/gpt-4o v1.0-GPT4o-0806: GROK-4"
        "\u00a0balanced:openai/gpt-4o\ufeffphi-4:free text-bison@001 davinci command-r7b-99 "
        "gpt-5.6+ o1 judged by GPT-3.5 Turbo. Claude Opus 4.1, Claude 4"
    )
    lines = [f"judge: '{each[0]}'\n" for each in (*SPELT, *UNDATED)]
    spelt = ["".join(lines[index::3]) for index in range(3)]  # the box shows 50 names
    return [*(path.read_text().replace(IGNORED, "") for path in files), edges, *spelt]


def test_a_scan_finds_the_same_names_as_the_box_in_the_same_text(desk: Visit) -> None:
    known_vocabulary = Vocabulary.from_registry(published())
    found = []
    for text in sample_texts():
        names = list(dict.fromkeys(mention.name for mention in known_vocabulary.mentions(text)))
        assert list(states(answered_page(desk, text))) == names
        found += names

    assert len(found) > 20


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("gpt-4o-2024-08-06, still valid?", ["gpt-4o-2024-08-06"]),
        ("is gtp-4o still a good judge", ["gtp-4o"]),
        ("Which judge should I use?", []),
        ("nonesuch", ["nonesuch"]),
    ],
)
def test_a_question_is_answered_for_the_names_in_it_and_leads_on_without_any(
    desk: Visit, text: str, names: list[str]
) -> None:
    page = answered_page(desk, text)

    assert list(states(page)) == names
    if not names:
        leads = page.locator("#judge-answers a").evaluate_all(
            "all => all.map((a) => a.hash || a.pathname)"
        )
        assert leads == ["#judges", "/epc/succession/"]


def test_a_misspelt_model_in_a_file_is_unknown_and_not_passed_over(desk: Visit) -> None:
    page = answered_page(desk, 'judge = "gpt-4o-2024-08-60"\n')

    ((_, words, note, _),) = states(page)["gpt-4o-2024-08-60"]
    assert words == "unknown"
    assert "did you mean gpt-4o-2024-08-06" in note
    page.get_by_role("button", name="gpt-4o-2024-08-06", exact=True).click()
    page.wait_for_selector("li[data-name='gpt-4o-2024-08-06']")
    assert page.get_by_role("textbox", name="Names").input_value() == "gpt-4o-2024-08-06"


def test_the_permanent_link_holds_the_names_and_gives_the_same_again(desk: Visit) -> None:
    names = ["text-bison@001", "anthropic.claude-3-5-sonnet-20240620-v1:0", "xai/grok-4"]
    page = answered_page(desk, "\n".join(names))
    link = page.locator("[data-epc=permanent]").get_attribute("href") or ""

    assert page.url == link
    assert parse_qs(urlsplit(link).query) == {"judge": [",".join(names)]}
    before = states(page)
    page.goto(link)
    page.wait_for_selector("[data-epc=permanent]")
    assert states(page) == before
    assert list(before) == names


def downloaded(page: Page, name: str) -> str:
    with page.expect_download() as found:
        page.get_by_role("link", name=name).click()
    return Path(found.value.path()).read_bytes().decode()


def entries(text: str) -> list[dict[str, Any]]:
    made = Calendar.from_ical(text).walk("VEVENT")
    found = [{str(k): v.to_ical() for k, v in entry.items()} for entry in made]
    return sorted(found, key=lambda entry: (entry["UID"], entry["DTSTART"]))


def test_the_permanent_link_is_the_calendar_that_the_command_prints(desk: Visit) -> None:
    names = ["gpt-4o", "xai/grok-4", "v1.2-gpt-4", "claude-3-haiku-20240307", "no-such-model"]
    page = linked(desk, names)

    new_text = downloaded(page, "Calendar of these names")
    other_text = downloaded(linked(desk, ["gpt-4o"]), "Calendar of these names")

    arguments = ("expiry", *names, "--as-of", DAY, "--format", "ics")
    assert entries(new_text) == entries(epc(ROOT, *arguments, code=1).stdout)
    assert len(entries(new_text)) > len(names)
    assert max(len(line.encode()) for line in new_text.split("\r\n")) <= 75
    titles = [Calendar.from_ical(text) for text in (new_text, other_text)]
    assert [str(title["X-WR-CALNAME"]) for title in titles] == [
        f"EPC: {', '.join(names)}",
        "EPC: gpt-4o",
    ]
    assert titles[0]["UID"] != titles[1]["UID"]


def test_the_permanent_link_leads_to_calendars_feeds_and_a_gate_that_exist(
    desk: Visit, window: Callable[..., Visit], site: BuiltSite, tmp_path: Path
) -> None:
    page_visit = window()
    page = linked(page_visit, ["judge-latest", "v1.1-Judge-1", "no such"], "2026-04-01")
    follow = page.locator("#judge-follow")

    opml = ET.fromstring(downloaded(page, "List of these feeds"))
    feeds = [outline.attrib["xmlUrl"] for outline in opml.iter("outline")]
    assert feeds == [f"{page_visit.home}feeds/Judge-1.xml"]
    found = [a.get_attribute("href") or "" for a in follow.get_by_role("link").all()]
    kept = [href.removeprefix(page_visit.home) for href in found if not href.startswith("blob:")]
    assert kept == ["calendars/Judge-1.ics", "feeds/Judge-1.xml"]
    assert all((site.out / path).is_file() for path in kept)
    program, *text = shlex.split(follow.locator("[data-epc=gate]").inner_text())
    assert (program, text[-3:]) == ("epc", ["judge-latest", "v1.1-Judge-1", "no such"])
    output = epc(tmp_path, *text, "--as-of", "2026-04-01", code=1).stdout
    assert "no such" in output
    epc(tmp_path, *text[:-2], "--as-of", "2026-04-01")
    hostile = ["$(touch x)", "it's", "-rf"]
    line = linked(desk, hostile).locator("[data-epc=gate]").inner_text()
    assert shlex.split(line)[-4:] == ["--", *hostile]


def test_what_is_typed_linked_or_recorded_never_becomes_markup(desk: Visit) -> None:
    page = linked(desk, [HOSTILE, 'gpt-4o"><svg onload=window.canary=1>'])
    assert HOSTILE in page.locator("#judge-answers").inner_text()

    for text in (HOSTILE, "javascript:window.canary=1", "constructor __proto__"):
        page = answered_page(desk, text)
        assert page.evaluate("window.canary") is None
    assert page.locator("#judge-answers :is(img, script, svg)").count() == 0
    assert page.locator("#judge-answers h3").all_inner_texts() == ["constructor", "__proto__"]
    desk.assert_quiet()

    index, there = (json.loads(text) for text in real().values())
    place = there["places"][0][0]
    place[0], there["sentences"][place[3][0][2]] = HOSTILE, HOSTILE
    there["sources"] = [f"javascript:window.canary=1{HOSTILE}" for _ in there["sources"]]
    with_files(desk, {"places.json": json.dumps(there)})
    page = linked(desk, [index["models"][0]["served"][0]], BUILT)
    assert HOSTILE in page.locator("#judge-answers").inner_text()
    assert page.locator("#judge-answers :is(img, script, svg, [href^='javascript:'])").count() == 0
    with_files(desk, real())


def test_a_clock_that_is_behind_the_list_brings_nothing_back(desk: Visit) -> None:
    assert states(linked(desk, ["gpt-4-0613"], "2020-01-01")) == {
        "gpt-4-0613": by_command("gpt-4-0613", BUILT)
    }


def test_the_sites_own_list_answers_for_its_evaluators_and_snapshots(
    window: Callable[..., Visit],
) -> None:
    page = linked(window(), ["judge-latest", "v1.1-Judge-1"], "2026-06-30")

    words = [words for _, words, *_ in states(page)["judge-latest"]]
    assert "expiring: will be retired on 2026-07-01" in words
    assert states(page)["v1.1-Judge-1"][0][1] == "expired since 2026-06-30 (stale)"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_answers_stand_in_nobodys_way_and_fit_a_phone(
    browser: Browser, home: str, scheme: str
) -> None:
    names = ["gpt-4o", "claude-haiku-4-5", "gtp-4o", "llama-3.3-70b-versatile"]
    with visit(browser, home, width=PHONE, color_scheme=scheme) as page_visit:
        with_files(page_visit, real())
        page = linked(page_visit, names)
        for details in page.query_selector_all("#judge-answers details"):
            details.evaluate("place => { place.open = true; }")

        assert page_visit.barriers() == []
        assert page_visit.wider_than_the_window() == []


@pytest.mark.parametrize("path", ["check/", "check/?judge=gpt-4o"])
def test_without_scripts_the_box_leads_to_the_list_of_judges(
    window: Callable[..., Visit], path: str
) -> None:
    page_visit = window(java_script_enabled=False)
    page_visit.page.goto(f"{page_visit.home}{path}")

    page_visit.page.wait_for_url(f"{page_visit.home}evaluators/")
    assert page_visit.page.get_by_role("heading", name="All judges").is_visible()
