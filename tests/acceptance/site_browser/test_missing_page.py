"""What a reader sees at an address where nothing is, however deep it lies."""

from collections.abc import Callable

import pytest
from browser_support import DESKTOP, PHONE, Visit, settled
from site_support import IN_A_WORKFLOW

DEEP = ("gone", "gone/", "snapshots/v9.9-Nobody/", "a/b/c/d/e/", "evaluators/%2e%2e%3Cb%3E/x.html")


def lost(seen: Visit, path: str) -> None:
    """Go where nothing is. That the answer was 404 is all that the browser may complain of."""
    answer = settled(seen.page, seen.home + path)
    assert answer
    assert answer.status == 404
    assert all("404" in complaint for complaint in seen.complaints)
    assert len(seen.complaints) == 1
    seen.complaints.clear()


@pytest.mark.parametrize("path", DEEP)
def test_a_missing_page_helps_at_any_depth_of_a_folder_of_its_host(
    window: Callable[..., Visit], path: str
) -> None:
    visit = window()
    lost(visit, path)
    page = visit.page

    assert page.get_by_role("heading", level=1).inner_text() == "Nothing is at this address"
    # The theme's style sheet came: the header is dark, and not the text of a bare page.
    assert page.locator(".md-header").evaluate("e => getComputedStyle(e).position") == "sticky"
    assert visit.barriers() == []
    main = page.locator("article > ul a").evaluate_all("links => links.map((link) => link.href)")
    own = [link.removeprefix(visit.home) for link in main if link.startswith(visit.home)]
    assert own == ["", "evaluators/", "snapshots/", "expired/", "about/"]
    for link in own:
        answer = page.request.get(visit.home + link)
        assert answer.status == 200, link


@pytest.mark.parametrize("width", [DESKTOP, PHONE])
def test_the_search_of_a_missing_page_finds_an_evaluator(
    window: Callable[..., Visit], width: int
) -> None:
    visit = window(width=width)
    lost(visit, "evaluators/judge1/")
    assert visit.wider_than_the_window() == []

    visit.page.get_by_label("Search for an evaluator or a word").fill("Judge-1")
    visit.page.locator("article").get_by_role("button", name="Search").click()

    found = visit.page.locator(".epc-exact a").first
    found.wait_for()
    assert found.get_attribute("href")
    found.click()
    visit.page.wait_for_url(f"{visit.home}evaluators/Judge-1/**")


@pytest.mark.parametrize(
    ("path", "nearest", "leads"),
    [
        ("evaluators/judge1/", "judge-1", "evaluators/Judge-1/"),
        ("evaluators/makr/judge-2/", "judge-2", "evaluators/Judge-2/"),
        ("evaluators/jduge-2/", "judge-2", "evaluators/Judge-2/"),
        ("badges/Judge-3x.svg", "Judge-3", "evaluators/Judge-3/"),
        ("snapshots/v1.1-judg-1/", "v1.1-Judge-1", "snapshots/v1.1-Judge-1/"),
    ],
)
def test_a_missing_page_offers_the_nearest_names(
    window: Callable[..., Visit], path: str, nearest: str, leads: str
) -> None:
    visit = window()
    lost(visit, path)

    first = visit.page.locator("#epc-near a").first
    assert first.inner_text() == nearest
    first.click()
    visit.page.wait_for_url(visit.home + leads)


@pytest.mark.parametrize(
    ("path", "leads"),
    [
        ("evaluators/maker/judge-1/", "evaluators/Judge-1/"),
        ("evaluators/CLOUD/judge-1/", "evaluators/Judge-1/"),
        ("evaluators/judge-1/", "evaluators/Judge-1/"),
        ("snapshots/v1.1-judge-1/", "snapshots/v1.1-Judge-1/"),
    ],
)
def test_a_missing_page_leads_on_where_only_one_thing_has_that_name(
    window: Callable[..., Visit], path: str, leads: str
) -> None:
    visit = window()
    lost(visit, path)

    visit.page.wait_for_url(visit.home + leads)


def test_an_address_like_no_name_is_offered_none(window: Callable[..., Visit]) -> None:
    visit = window()
    lost(visit, "a/b/c/d/e/")

    assert visit.page.locator("#epc-near a").count() == 0


def test_a_missing_page_helps_without_scripts(window: Callable[..., Visit]) -> None:
    visit = window(java_script_enabled=False)
    visit.page.goto(f"{visit.home}a/b/c", wait_until="load")
    visit.complaints.clear()

    visit.page.locator("article").get_by_role("link", name="Current snapshots").click()

    assert visit.page.url == f"{visit.home}snapshots/"


def test_the_repository_is_in_header_and_footer_and_its_host_is_asked_nothing(
    window: Callable[..., Visit],
) -> None:
    """The theme would ask GitHub's API for stars; `window` asserts that nothing left the site."""
    page = window().to("about/")
    address = "/".join(IN_A_WORKFLOW.values())

    header = page.locator(".md-header a.md-source")
    assert header.is_visible()
    assert (header.get_attribute("href") or "").rstrip("/") == address
    assert header.inner_text().strip() == "lab/registry"
    footer = page.locator("footer").get_by_role("link", name="lab/registry")
    assert footer.get_attribute("href") == address
    edit = page.get_by_role("link", name="Edit this page")
    assert edit.get_attribute("href") == f"{address}/edit/main/site/docs/about.md"
