"""The pages that people open first, of this very registry: short, and found at once."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser_support import Visit, served, visit
from playwright.sync_api import Browser

# Words that a reader sees, header and footer with them: not what is folded, hidden or cut off.
WORDS = r"""() => {
    const seen = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = walker.nextNode(); text; text = walker.nextNode()) {
        const place = text.parentElement;
        if (place.closest("script, style, noscript, title, option, .epc-vh")) continue;
        if (place.closest("details:not([open]) > :not(summary)")) continue;
        if (!place.checkVisibility({visibilityProperty: true, opacityProperty: true})) continue;
        const range = document.createRange();
        range.selectNodeContents(text);
        const box = range.getBoundingClientRect();
        if (box.width > 1 && box.height > 1 && box.right > 0) seen.push(text.data);
    }
    return seen.join(" ").split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}"""
JUDGES = {
    "its end is announced, through an alias": "gpt-4o",
    "served and measured": "gpt-5.4-mini",
    "ended": "gpt-4",
    "unmeasured": "claude-opus-5",
    "measured for coupling": "SmolLM2-135M-Likelihood",
    "reported": "GPT4o-0806",
}
# Lists grow with the registry: what is long in them is folded.
LISTS = (
    *("snapshots/", "expired/", "succession/", "changes/", "evaluators/", "evaluators/catalogue/"),
    *("makers/anthropic/", "evaluators/anthropic/", "snapshots/v1.0-gpt-5.4/"),
)
# What people type, and the page that they mean.
QUERIES = {
    "gpt-4o": "evaluators/gpt-4o/",
    "GPT 4o": "evaluators/gpt-4o/",
    "gpt4o": "evaluators/gpt-4o/",
    "gtp-4o": "evaluators/gpt-4o/",
    "openai/gpt-5.4-mini": "evaluators/gpt-5.4-mini/",
    "gpt 5.4 mini": "evaluators/gpt-5.4-mini/",
    "claude sonnet 4.5": "evaluators/claude-sonnet-4-5/",
    "clade sonet 4.6": "evaluators/claude-sonnet-4-6/",
    "gemini 2.5 flash": "evaluators/gemini-2.5-flash/",
    "Haiku 4.5": "evaluators/claude-haiku-4-5/",
    "openai": "evaluators/openai/",
    "v1.0-gpt-4-0613": "snapshots/v1.0-gpt-4-0613/",
    "license": "about/",
    "licence": "about/",
    "cite": "about/",
    "pricing": "which/",
    "cost": "which/",
    "best judge": "which/",
    "jugde": "evaluators/",
    "github action": "ci/",
    "api": "machines/",
    "json": "machines/",
    "sample size": "simulate/",
    "download data csv": "data/",
    "coupled": "glossary/#coupled",
    "gamma": "glossary/#gamma",
    "noise floor": "glossary/#noise-floor",
    "position bias": "glossary/#position-bias",
    "what changed": "changes/",
    "compare": "compare/",
    "contribute": "contributing/",
    "which judge should I use": "faq/#which-judge-should-i-use",
    "expired": "expired/",
    "install": "getting-started/",
    "python": "python/",
    "glossary": "glossary/",
    "replacement": "succession/",
}
# What people type into the front page's input, and the judge that comes first.
SPELT = {
    "claude sonnet 4.5": "claude-sonnet-4-5",
    "openai/gpt-4o": "gpt-4o",
    "azure:gpt-4o": "gpt-4o",
    "gpt_5.4-mini": "gpt-5.4-mini",
    "claude 4.5 sonnet": "claude-sonnet-4-5",
    "clade sonet 4.6": "claude-sonnet-4-6",
    "anthropic.claude-3-5-sonnet-20240620-v1:0": "claude-3-5-sonnet-20240620",
    "gpt-4o-2024-08-06": "gpt-4o-2024-08-06",
}


@pytest.fixture(scope="module")
def desk(browser: Browser, deployed: Path) -> Iterator[Visit]:
    with served(deployed) as home, visit(browser, home, width=1440) as page_visit:
        yield page_visit


@pytest.fixture(scope="module")
def phone(browser: Browser, deployed: Path) -> Iterator[Visit]:
    with served(deployed) as home, visit(browser, home, width=390) as page_visit:
        yield page_visit


def test_the_front_page_has_250_words_and_is_no_longer_than_3500_pixels_on_a_phone(
    desk: Visit, phone: Visit
) -> None:
    assert 150 < desk.to("").evaluate(WORDS) <= 250
    page = phone.to("")
    assert page.evaluate(WORDS) <= 250
    assert page.evaluate("document.documentElement.scrollHeight") <= 3500


@pytest.mark.parametrize("kind", JUDGES)
def test_an_evaluators_page_has_350_words_before_what_is_folded(desk: Visit, kind: str) -> None:
    page = desk.to(f"evaluators/{JUDGES[kind]}/")

    assert 80 < page.evaluate(WORDS) <= 350
    terms = page.locator(".epc-result dt").all_inner_texts()
    assert terms == ["You may say", "You may not say"]
    assert page.locator(".epc-strip dt").last.inner_text() in ("Instead", "Agrees with it")
    assert desk.barriers() == []


@pytest.mark.parametrize("path", LISTS)
def test_a_list_is_no_longer_than_5000_pixels_on_a_phone(phone: Visit, path: str) -> None:
    page = phone.to(path)

    assert page.locator("article").inner_text()
    assert page.evaluate("document.documentElement.scrollHeight") <= 5000


@pytest.mark.parametrize("path", ["makers/openai/", "evaluators/openai/"])
def test_what_a_maker_or_a_platform_ended_is_folded(
    browser: Browser, deployed: Path, path: str
) -> None:
    """On the day of the build: a script marks what has ended since."""
    with served(deployed) as home, visit(browser, home, java_script_enabled=False) as page_visit:
        page = page_visit.to(path)

        assert page.locator("tr[data-status=current]:not(details *)").count()
        assert page.locator("details tr[data-status=expired]").count()
        assert not page.locator("tr[data-status=expired]:not(details *)").count()


def test_a_link_into_what_is_folded_opens_it(desk: Visit) -> None:
    page = desk.to("snapshots/#one-measurement")

    assert page.locator(".epc-told").is_visible()
    assert not desk.to("snapshots/").locator(".epc-told").is_visible()


def test_every_query_finds_its_page_first(desk: Visit) -> None:
    page = desk.to("")
    page.locator("input[name=query]").click()
    missed = {}
    for name, wanted in QUERIES.items():
        page.fill("input[name=query]", "")
        page.wait_for_function("() => !document.querySelector('.epc-exact a')")
        page.fill("input[name=query]", name)
        page.wait_for_selector(".epc-exact a")
        first = page.locator(".epc-exact a").first.evaluate("link => link.href")
        if first.removeprefix(desk.home) != wanted:
            missed[name] = first

    assert missed == {}
    assert len(QUERIES) > 30


def test_the_input_suggests_judges_in_any_spelling_and_is_used_with_arrow_keys(
    desk: Visit,
) -> None:
    page = desk.to("")
    field = page.get_by_role("combobox", name="Your judge, as you write it")
    options = page.get_by_role("option")
    for typed, first in SPELT.items():
        field.fill("")
        options.first.wait_for(state="hidden")
        field.fill(typed)
        options.first.wait_for()
        assert options.first.inner_text().split("\n")[0] == first, typed
    field.fill("zzzz")
    options.first.wait_for(state="hidden")
    assert field.get_attribute("aria-expanded") == "false"

    field.fill("claude sonnet 4")
    options.first.wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    chosen = page.locator("[role=option][aria-selected=true]")
    assert field.get_attribute("aria-activedescendant") == chosen.get_attribute("id")
    assert desk.barriers() == []
    name = chosen.locator("span").first.inner_text()
    page.keyboard.press("Enter")
    page.wait_for_url(f"{desk.home}evaluators/{name}/")


def test_what_the_input_does_not_know_is_asked_of_the_box_for_several(desk: Visit) -> None:
    page = desk.to("")
    page.get_by_role("combobox").fill("gpt-4o, no-such-judge")
    page.get_by_role("button", name="Look up").click()
    page.wait_for_selector("#judge-answers li")

    assert page.locator("#judge-answers h3").all_inner_texts() == ["gpt-4o", "no-such-judge"]


def test_without_scripts_the_input_is_a_form_and_the_domains_can_be_chosen(
    browser: Browser, deployed: Path
) -> None:
    with served(deployed) as home, visit(browser, home, java_script_enabled=False) as page_visit:
        page = page_visit.to("")
        shares = page.locator("#judges-table tbody tr").first.locator(".epc-pane:visible data")
        before = shares.first.inner_text()
        page.get_by_label("Focus").check()
        assert shares.count() == 1
        assert shares.first.inner_text() != before
        page.get_by_label("Your judge, as you write it").fill("gpt-4o")
        page.keyboard.press("Enter")
        page.wait_for_url(f"{home}evaluators/")
