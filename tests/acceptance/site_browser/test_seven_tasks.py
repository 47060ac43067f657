"""Seven things that people come for, done on the published site from its front page.

Each test is one of them. A click counts when a person would make it; what is typed is not counted.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from browser_support import Visit, opened, served, visit
from playwright.sync_api import Browser, Locator


@dataclass(kw_only=True)
class Person:
    """Somebody at the front page, and how often they clicked."""

    seen: Visit
    clicks: int = 0

    def click(self, place: str | Locator) -> None:
        self.clicks += 1
        (self.seen.page.locator(place) if isinstance(place, str) else place).click()

    def named(self, kind: str, name: str) -> Locator:
        """Return the one thing of a kind with this name, as a screen reader finds it."""
        return self.seen.page.get_by_role(kind, name=name, exact=True)  # type: ignore[arg-type]

    def search(self, text: str) -> None:
        """Type into the search and click what stands first."""
        self.click("input[name=query]")
        self.seen.page.keyboard.type(text)
        self.click(self.seen.page.locator(".epc-exact .md-search-result__link").first)

    def check(self, names: str) -> None:
        """Ask the input on the front page, on a day on which these names have not ended."""
        self.seen.page.clock.set_fixed_time("2026-11-24T12:00:00Z")
        self.click("#judge-name")
        self.seen.page.keyboard.type(names)
        self.click(self.named("button", "Look up"))

    def reads(self, pattern: str, place: str = "article") -> None:
        """Assert that what this person sees has some words."""
        self.seen.page.wait_for_load_state()
        self.seen.page.wait_for_function(
            "([place, pattern]) => new RegExp(pattern).test("
            "document.querySelector(place)?.innerText ?? '')",
            arg=[place, pattern],
        )


@pytest.fixture
def person(deployed: Path, browser: Browser) -> Iterator[Person]:
    with served(deployed) as home, visit(browser, home) as page_visit:
        opened(page_visit.page, home)
        yield Person(seen=page_visit)
        page_visit.assert_quiet()


def test_is_gpt_4o_2024_08_06_still_valid(person: Person) -> None:
    person.check("openai/gpt-4o-2024-08-06")

    # The site was built on 1 April: openai names gpt-6-luna, which nobody served then.
    person.reads(r"Served until, at openai\s+14 January 2027[\s\S]*Instead\s+gpt-5\.4-mini")
    assert person.clicks == 2


def test_which_judge_should_i_use(person: Person) -> None:
    person.search("which judge should I use?")

    person.reads("Type your candidates into the box")
    assert person.seen.page.url.endswith("faq/#which-judge-should-i-use")
    assert person.clicks == 2


def test_where_is_this_snapshot(person: Person) -> None:
    person.search("v1.0-gpt-4-0613")

    person.reads(r"^v1\.0-gpt-4-0613")
    assert person.clicks == 2


def test_how_do_i_contribute(person: Person) -> None:
    person.click(person.named("link", "Contribute"))

    person.reads("^Contribute a measurement")
    assert person.clicks == 1


def test_how_do_two_judges_compare(person: Person) -> None:
    person.click(person.named("link", "Compare"))
    for name, tag in (("First", "v1.1-VADER-Sentiment"), ("Second", "v1.1-MiniLM-L6-Relevance")):
        person.clicks += 1
        person.seen.page.get_by_label(name).select_option(tag)

    person.reads(r"^Another evaluator, as expected: .*The setting is the same\.", "#comparison")
    assert person.clicks == 3


def test_tell_me_when_these_end(person: Person, tmp_path: Path) -> None:
    person.check("gpt-4o-2024-08-06, claude-opus-4-1")
    person.seen.page.wait_for_selector("#judge-answers li")
    with person.seen.page.expect_download() as coming:
        person.click(person.named("link", "Calendar of these names"))
    coming.value.save_as(tmp_path / "names.ics")

    ends = re.findall(
        r"^DTSTART;VALUE=DATE:(\d{8})", (tmp_path / "names.ics").read_text(), re.MULTILINE
    )
    assert "20270114" in ends
    assert len(ends) > 1
    assert person.clicks == 3


def test_how_do_i_cite_a_reported_figure(person: Person) -> None:
    person.search("v1.1-GPT4o-0806")

    person.reads(r"arXiv:2607\.00297v1, Table 2, row 1\..*As transcribed in: EPC registry")
    assert person.clicks == 2
