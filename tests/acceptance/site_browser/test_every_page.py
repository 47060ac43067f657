"""Every kind of page: light on a desk, dark in a hand."""

from collections.abc import Callable, Iterator

import pytest
from browser_support import DESKTOP, KINDS, PHONE, Visit, visit
from budget_support import by_night
from playwright.sync_api import Browser

# Documents all have one form. By day a phone has the one with formulas and the one with commands.
DOCUMENTS = (
    *("questions", "readings", "glossary", "python"),
    *("registry", "gold", "about", "judge protocol"),
)
# One window goes from page to page: none of these tests leaves anything behind in it.


@pytest.fixture(scope="module")
def desk(browser: Browser, home: str) -> Iterator[Visit]:
    with visit(browser, home, color_scheme="light") as page_visit:
        yield page_visit


@pytest.fixture(scope="module")
def phone(browser: Browser, home: str) -> Iterator[Visit]:
    with visit(browser, home, width=PHONE, has_touch=True, color_scheme="dark") as page_visit:
        yield page_visit


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_asks_nobody_else_complains_of_nothing_and_stands_in_nobodys_way(
    desk: Visit, kind: str
) -> None:
    page = desk.to(KINDS[kind])
    assert page.locator("[data-md-color-scheme=default]").count()

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
    with visit(browser, home) as page_visit:
        page = page_visit.to(KINDS["measured"])
        page.evaluate(SMUGGLED)
        page.wait_for_function("() => [...document.images].every((image) => image.complete)")

        assert "smuggled" not in page.title()


def test_a_scale_is_as_wide_in_every_row(desk: Visit) -> None:
    """`100.0% [58.9%, 100.0%]` is wider than `0.0%`, and would push its row's scale together."""
    page = desk.to(KINDS["judged"])
    places = page.eval_on_selector_all(
        "#picture-result .epc-row svg",
        "all => all.map((e) => e.getBoundingClientRect()).map((r) => `${r.x} ${r.width}`)",
    )

    assert len(places) > 2
    assert len(set(places)) == 1, places


@pytest.mark.parametrize(
    "kind",
    [*(kind for kind in KINDS if kind not in DOCUMENTS), *by_night(DOCUMENTS)],
)
def test_a_page_fits_a_phone(phone: Visit, kind: str) -> None:
    page = phone.to(KINDS[kind])
    assert page.locator("[data-md-color-scheme=slate]").count()
    phone.enlivened()

    assert phone.wider_than_the_window() == []
    assert phone.barriers() == []
    phone.assert_quiet()


@pytest.mark.parametrize(("kind", "rows"), [("measured", "#seeds"), ("judged", "#variants")])
def test_no_table_outside_a_picture_scrolls_sideways_at_a_desk(
    window: Callable[..., Visit], kind: str, rows: str
) -> None:
    page_visit = window(width=DESKTOP)
    page = page_visit.to(KINDS[kind])
    page_visit.unfold()
    widths = """() => [...document.querySelectorAll(".epc-scroll:not(.epc-figure *)")]
        .filter((place) => place.scrollWidth > place.clientWidth)
        .map((place) => `${place.ariaLabel}: ${place.scrollWidth} > ${place.clientWidth}`)"""

    assert page.locator(f"{rows} tbody tr:visible").count() > 1
    assert page.evaluate(widths) == []


# The contrast of every word of code with what stands behind it, as WCAG 2.2 works it out.
CONTRASTS = """() => {
    const numbers = (text) => text.match(/[\\d.]+/g).map(Number);
    const linear = (part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    const light = (rgb) => rgb.slice(0, 3).map((part) => linear(part / 255))
        .reduce((sum, part, n) => sum + part * [0.2126, 0.7152, 0.0722][n], 0.05);
    const behind = (place) => {
        const colour = numbers(getComputedStyle(place).backgroundColor);
        return colour.length < 4 ? colour : behind(place.parentElement);
    };
    return [...document.querySelectorAll("pre code span, code")].map((place) => {
        const pair = [light(numbers(getComputedStyle(place).color)), light(behind(place))];
        return [place.className, Math.max(...pair) / Math.min(...pair)];
    });
}"""


@pytest.mark.parametrize("kind", ["python", "first steps", "document"])
def test_code_in_the_light_theme_has_the_contrast_that_is_asked_for(desk: Visit, kind: str) -> None:
    contrasts = desk.to(KINDS[kind]).evaluate(CONTRASTS)

    assert len(contrasts) > 10
    assert [pair for pair in contrasts if pair[1] < 4.5] == []
