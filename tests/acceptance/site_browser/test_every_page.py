"""Every kind of page, in both colour schemes, on a desk and in a hand."""

from collections.abc import Callable, Iterator
from typing import Literal

import pytest
from browser_support import DESKTOP, KINDS, PHONE, Visit, visit
from playwright.sync_api import Browser

SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


# One window goes from page to page: none of these tests leaves anything behind in it.


@pytest.fixture(scope="module", params=SCHEMES)
def scheme(request: pytest.FixtureRequest) -> Literal["light", "dark"]:
    chosen: Literal["light", "dark"] = request.param
    return chosen


@pytest.fixture(scope="module")
def desk(browser: Browser, home: str, scheme: Literal["light", "dark"]) -> Iterator[Visit]:
    with visit(browser, home, color_scheme=scheme) as seen:
        yield seen


@pytest.fixture(scope="module")
def phone(browser: Browser, home: str) -> Iterator[Visit]:
    with visit(browser, home, width=PHONE, has_touch=True) as seen:
        yield seen


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_asks_nobody_else_complains_of_nothing_and_stands_in_nobodys_way(
    desk: Visit, kind: str, scheme: Literal["light", "dark"]
) -> None:
    page = desk.to(KINDS[kind])
    assert page.locator(
        f"[data-md-color-scheme={'slate' if scheme == 'dark' else 'default'}]"
    ).count()

    pictures = desk.enlivened()

    assert page.locator('head > meta[http-equiv="Content-Security-Policy"]').count() == 1
    assert pictures == page.locator(".epc-figure").count()
    assert desk.barriers() == []
    desk.assert_quiet()


SMUGGLED = """() => {
    const script = document.createElement("script");
    script.textContent = "document.title = 'smuggled'";
    document.body.append(script);
    document.body.insertAdjacentHTML("beforeend",
        `<img src="data:," onerror="document.title = 'smuggled'">`);
}"""


def test_a_script_that_got_into_a_page_does_not_run(browser: Browser, home: str) -> None:
    with visit(browser, home) as seen:
        page = seen.to(KINDS["measured"])
        page.evaluate(SMUGGLED)
        page.wait_for_timeout(200)

        assert "smuggled" not in page.title()


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_fits_a_phone(phone: Visit, kind: str) -> None:
    page = phone.to(KINDS[kind])
    phone.enlivened()
    for details in page.query_selector_all("details"):
        details.evaluate("place => { place.open = true; }")

    assert phone.wider_than_the_window() == []
    assert phone.barriers() == []
    phone.assert_quiet()


@pytest.mark.parametrize(("kind", "rows"), [("measured", "#seeds"), ("judged", "#variants")])
def test_no_table_outside_a_picture_scrolls_sideways_at_a_desk(
    window: Callable[..., Visit], kind: str, rows: str
) -> None:
    page = window(width=DESKTOP).to(KINDS[kind])
    for details in page.query_selector_all("details"):
        details.evaluate("place => { place.open = true; }")
    widths = """() => [...document.querySelectorAll(".epc-scroll:not(.epc-figure *)")]
        .filter((place) => place.scrollWidth > place.clientWidth)
        .map((place) => `${place.ariaLabel}: ${place.scrollWidth} > ${place.clientWidth}`)"""

    assert page.locator(f"{rows} tbody tr:visible").count() > 1
    assert page.evaluate(widths) == []
