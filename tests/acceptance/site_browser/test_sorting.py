"""Tables that sort and filter, by pointer, by keyboard, and told to whoever cannot see them."""

from collections.abc import Callable
from typing import Any

import pytest
from browser_support import PHONE, Visit
from playwright.sync_api import Locator, Page
from site_support import BuiltSite


@pytest.fixture
def window(window: Callable[..., Visit], site: BuiltSite) -> Callable[..., Visit]:
    """Return what opens a window in which the examples stand in the table of coupling as well.

    Judges that were measured and those that were reported are in one table then.
    """
    text = site.text("snapshots/index.html")
    examples, coupling = (
        text.split(f'id="{name}"')[1].split("<tbody>")[1].split("</tbody>")[0]
        for name in ("examples-table", "all")
    )
    body = text.replace(coupling, coupling + examples)

    def open_window(**fields: Any) -> Visit:
        visit = window(**fields)
        visit.page.route(
            "**/snapshots/", lambda route: route.fulfill(body=body, content_type="text/html")
        )
        return visit

    return open_window


def tags(page: Page) -> list[str]:
    texts: list[str] = page.evaluate(
        "() => [...document.querySelectorAll('#all tbody tr')].filter((r) => !r.hidden)"
        ".map((r) => r.dataset.tag)"
    )
    return texts


def controls(page: Page) -> Locator:
    """Return what sorts and filters that table; the page has another one of judges' scores."""
    return page.get_by_role("group", name="Snapshots of coupling: filter and sort")


def test_a_column_sorts_by_its_digits_up_and_down_by_keyboard(window: Callable[..., Visit]) -> None:
    page = window().to("snapshots/#coupling")
    button = page.get_by_role("button", name="N", exact=True)
    button.focus()

    page.keyboard.press("Enter")

    # 3 seeds, 8 and 8 and 12: as text, 12 would come first.
    assert tags(page)[0] == "v1.0-CoinFlip"
    assert tags(page)[-1] == "v1.0-Judge-3"
    assert page.locator("#all [aria-sort]").get_attribute("aria-sort") == "ascending"
    assert "sorted by N, ascending" in controls(page).locator(".epc-said").inner_text()

    page.keyboard.press("Space")

    assert tags(page)[0] == "v1.0-Judge-3"
    assert tags(page)[-1] == "v1.0-CoinFlip"
    assert page.locator("#all [aria-sort]").get_attribute("aria-sort") == "descending"
    assert page.locator("#all [aria-sort]").count() == 1


def test_what_is_not_stated_comes_last_either_way(window: Callable[..., Visit]) -> None:
    page = window().to("snapshots/#coupling")
    button = page.get_by_role("button", name="Audit")

    for _ in range(2):
        button.click()
        assert tags(page)[0] == "v1.0-CoinFlip", "the only one with trials"


def test_a_filter_keeps_the_rows_that_hold_every_word(window: Callable[..., Visit]) -> None:
    page = window().to("snapshots/#coupling")
    everything = len(tags(page))

    controls(page).get_by_label("Filter", exact=True).fill("judge-1 WITHDRAWN")
    assert tags(page) == ["v1.0-Judge-1"]
    assert controls(page).locator(".epc-said").inner_text() == f"1 of {everything} shown"

    controls(page).get_by_label("Filter", exact=True).fill("")
    controls(page).get_by_label("Trust", exact=True).select_option("recomputed")
    assert tags(page) == ["v1.0-CoinFlip"]

    controls(page).get_by_label("Trust", exact=True).select_option("")
    assert len(tags(page)) == everything


def test_on_a_phone_a_choice_stands_in_for_the_head(window: Callable[..., Visit]) -> None:
    page = window(width=PHONE).to("snapshots/#coupling")
    assert not page.get_by_role("button", name="N", exact=True).is_visible()

    controls(page).get_by_label("Sort by", exact=True).select_option("N, descending")

    assert tags(page)[0] == "v1.0-Judge-3"
