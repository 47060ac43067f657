"""The site's own search."""

from collections.abc import Callable
from pathlib import Path

from browser_support import Visit, served, visit
from playwright.sync_api import Browser, Page
from site_support import BuiltSite

from epc.registry.reading import of_folder

FIRST = 5
# By their parts alone, a search ranks the rarer names before the one that was typed.
ALIKE = ("gpt-3.5-turbo", "gpt-4", "gpt-4-turbo", "gpt-4.5-preview")


def begin(page: Page) -> None:
    """Go into the search, and wait until the names are there that the theme knows nothing of."""
    page.locator("input[name=query]").fill("glossary")
    page.locator(".epc-exact a").first.wait_for()


def search_hits(page: Page, text: str) -> list[str]:
    """Return the addresses of the pages that the search lists first for some words."""
    paste_query(page, "", "says => says.startsWith('Type')")
    paste_query(page, text, "says => !says.startsWith('Type')")
    links: list[str] = page.locator(".md-search-result__link").evaluate_all(
        "all => all.map((link) => link.href)"
    )
    return list(dict.fromkeys(link.split("?")[0].split("#")[0] for link in links))[:FIRST]


def paste_query(page: Page, text: str, until: str) -> None:
    """Put words into the search all at once, as if pasted, and wait for its word on them."""
    page.locator("input[name=query]").fill(text)
    page.keyboard.press("End")
    meta = "document.querySelector('.md-search-result__meta').textContent.trim()"
    page.wait_for_function(f"() => ({until})({meta})")


def test_search_finds_every_evaluator_by_name_and_alias(
    window: Callable[..., Visit], site: BuiltSite
) -> None:
    page_visit = window()
    page = page_visit.to("")
    begin(page)
    registry = of_folder(site.checkout.folder)
    for generation in registry.generations.values():
        names = {
            generation.name,
            *(n for life in generation.lives for n in (life.model, *life.aliases)),
        }
        for name in names:
            assert f"{page_visit.home}evaluators/{generation.name}/" in search_hits(page, name), (
                name
            )


def test_search_finds_ids_then_names_then_platforms_then_documents(
    window: Callable[..., Visit],
) -> None:
    page_visit = window()
    page = page_visit.to("")
    begin(page)

    def first(text: str) -> str:
        return search_hits(page, text)[0].removeprefix(page_visit.home)

    assert first("v1.1-Judge-1") == "snapshots/v1.1-Judge-1/"
    assert first("V1.1-JUDGE") == "snapshots/v1.1-Judge-1/"
    assert first("judge-latest") == "evaluators/Judge-1/"
    assert first("maker/judge-latest") == "evaluators/Judge-1/"
    assert first("maker") == "evaluators/maker/"
    assert first("how do I contribute") == "contributing/"
    assert first("glossary") == "glossary/"


def test_what_is_nowhere_is_not_found(window: Callable[..., Visit]) -> None:
    page = window().to("")
    begin(page)

    assert search_hits(page, "zyxwvut") == []


def test_a_search_knows_no_words_but_those_of_the_pages(window: Callable[..., Visit]) -> None:
    """269 numbers of which lunr, as it comes with the theme, makes "8432" and "84315" as well."""
    page_visit = window()
    page = page_visit.to("")
    worker = page.evaluate("JSON.parse(document.getElementById('__config').textContent).search")
    page.add_script_tag(url=page_visit.home + worker)

    unknown = page.evaluate(
        """() => {
            let state = 2982;
            const next = (below) => (state = (state * 48271) % 2147483647) % below;
            const number = () => Array.from({length: 1 + next(5)}, () => next(10)).join("");
            const words = new Set(Array.from({length: 342}, number));
            const graph = new lunr.TokenSet.Builder();
            for (const word of [...words].sort()) graph.insert(word);
            graph.finish();
            return graph.root.toArray().filter((word) => !words.has(word));
        }"""
    )

    assert unknown == []


def test_the_page_of_a_whole_name_comes_first(deployed: Path, browser: Browser) -> None:
    with served(deployed) as home, visit(browser, home) as page_visit:
        page = page_visit.to("")
        begin(page)
        for name in ALIKE:
            for typed in (name, name.upper()):
                place = page.locator(".epc-exact a")
                first = search_hits(page, typed)
                assert first[0] == f"{home}evaluators/{name}/", typed
                assert place.first.inner_text() == f"Evaluator {name}"
        assert len(search_hits(page, "gpt")) > 1, "what is no whole name is searched for as ever"
        assert page.locator(".epc-exact a").count() == 0
        search_hits(page, "gpt-4")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.wait_for_url(f"{home}evaluators/gpt-4/**")
        assert page_visit.complaints == page_visit.outside == []
