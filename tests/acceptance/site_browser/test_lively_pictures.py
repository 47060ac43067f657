"""Vega-Embed, made from the locked renderer, over the very specification that was drawn."""

from collections.abc import Callable

import pytest
from browser_support import Visit
from playwright.sync_api import Route

# What a strict host could send: scripts of the site alone, and no making of code from text.
STRICT = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:"
)


def test_a_pointer_is_told_the_seed_and_its_value(window: Callable[..., Visit]) -> None:
    visit = window()
    page = visit.to("snapshots/v1.0-CoinFlip/")
    visit.enlivened()

    page.locator("#picture-gamma .mark-symbol path").first.hover(force=True)

    locator = page.locator("#vg-tooltip-element.visible")
    locator.wait_for(state="visible")
    assert "seed" in locator.inner_text()
    assert "gamma" in locator.inner_text()


def test_a_lively_picture_keeps_its_name_and_its_place(window: Callable[..., Visit]) -> None:
    visit = window(java_script_enabled=True)
    page = visit.to("snapshots/v1.0-CoinFlip/")
    reduced_visit = window(java_script_enabled=False)
    still = reduced_visit.to("snapshots/v1.0-CoinFlip/")
    reduced_visit.unfold()

    count = visit.enlivened()

    assert count == 5
    for before, after in zip(
        still.locator("svg.epc-picture").all(), page.locator("svg.epc-picture").all(), strict=True
    ):
        assert after.get_attribute("aria-label") == before.get_attribute("aria-label")
        was, now = before.bounding_box(), after.bounding_box()
        assert was
        assert now
        assert now["height"] == pytest.approx(was["height"], abs=12), "the page hardly moves"


def test_pictures_come_alive_where_no_code_may_be_made_from_text(
    window: Callable[..., Visit],
) -> None:
    visit = window()

    def strict(route: Route) -> None:
        answer = route.fetch()
        headers = {**answer.headers, "content-security-policy": STRICT}
        route.fulfill(response=answer, headers=headers)

    visit.page.context.route("**/snapshots/v1.0-CoinFlip/", strict)
    visit.to("snapshots/v1.0-CoinFlip/")

    assert visit.enlivened() == 5


def test_the_large_script_is_asked_for_only_where_there_are_pictures(
    window: Callable[..., Visit],
) -> None:
    texts: list[str] = []
    visit = window()
    visit.page.on("request", lambda request: texts.append(request.url))

    visit.to("")
    assert not [url for url in texts if "vega" in url]

    visit.to("snapshots/v1.0-CoinFlip/")
    visit.enlivened()
    assert len([url for url in texts if url.endswith("assets/vega-embed.js")]) == 1
