"""Every kind of page, in both colour schemes, on a desk and in a hand."""

from collections.abc import Callable
from typing import Literal

import pytest
from browser_support import DESKTOP, KINDS, PHONE, Visit

SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_page_asks_nobody_else_complains_of_nothing_and_stands_in_nobodys_way(
    window: Callable[..., Visit], kind: str, scheme: Literal["light", "dark"]
) -> None:
    # That nothing leaves the site and nothing complains is what `window` asserts at its end.
    seen = window(color_scheme=scheme)
    page = seen.to(KINDS[kind])
    assert page.locator(
        f"[data-md-color-scheme={'slate' if scheme == 'dark' else 'default'}]"
    ).count()

    pictures = seen.enlivened()

    assert pictures == page.locator("figure").count()
    assert seen.barriers() == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_fits_a_phone(window: Callable[..., Visit], kind: str) -> None:
    seen = window(width=PHONE, has_touch=True)
    page = seen.to(KINDS[kind])
    seen.enlivened()
    for details in page.query_selector_all("details"):
        details.evaluate("place => { place.open = true; }")

    assert seen.wider_than_the_window() == []
    assert seen.barriers() == []


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
