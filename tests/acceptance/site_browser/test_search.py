"""The site's own search."""

from collections.abc import Callable

from browser_support import Visit
from playwright.sync_api import Page
from site_support import BuiltSite

from epc.registry.reading import of_folder

FIRST = 5


def found(page: Page, words: str) -> list[str]:
    """Return the addresses of the pages that the search lists first for some words."""
    asked(page, "", "says => says.startsWith('Type')")
    asked(page, words, "says => !says.startsWith('Type')")
    links: list[str] = page.locator(".md-search-result__link").evaluate_all(
        "all => all.map((link) => link.href)"
    )
    return list(dict.fromkeys(link.split("?")[0].split("#")[0] for link in links))[:FIRST]


def asked(page: Page, words: str, until: str) -> None:
    """Put words into the search all at once, as if pasted, and wait for its word on them."""
    page.locator("input[name=query]").fill(words)
    page.keyboard.press("End")
    meta = "document.querySelector('.md-search-result__meta').textContent.trim()"
    page.wait_for_function(f"() => ({until})({meta})")


def test_search_finds_every_evaluator_by_name_and_alias(
    window: Callable[..., Visit], site: BuiltSite
) -> None:
    seen = window()
    page = seen.to("")
    page.locator("input[name=query]").click()
    registry = of_folder(site.checkout.folder)
    for generation in registry.generations.values():
        names = {
            generation.name,
            *(n for life in generation.lives for n in (life.model, *life.aliases)),
        }
        for name in names:
            assert f"{seen.home}evaluators/{generation.name}/" in found(page, name), name


def test_what_is_nowhere_is_not_found(window: Callable[..., Visit]) -> None:
    page = window().to("")
    page.locator("input[name=query]").click()

    assert found(page, "zyxwvut") == []
