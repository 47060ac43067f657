"""What a reader has who runs no scripts, waits for none, or prints."""

import json
import re
from collections.abc import Callable

import pytest
from browser_support import Visit

MEASURED = "snapshots/v1.0-CoinFlip/"


def test_without_scripts_tables_and_pictures_are_there(window: Callable[..., Visit]) -> None:
    page = window(java_script_enabled=False).to("snapshots/")

    rows = page.locator("table#current-table tbody tr")
    count = rows.count()
    assert page.locator("table#current-table tbody tr:visible").count() == count
    assert rows.get_by_role("link", name="v1.1-Judge-1").inner_text() == "judge-1"
    page.locator(".epc-filters input[value=measured]").check()
    measured = page.locator("table#current-table tbody tr:visible")
    assert 0 < measured.count() < count
    assert {row.get_attribute("data-kind") for row in measured.all()} == {"measured"}

    visit = window(java_script_enabled=False)
    page = visit.to(MEASURED)
    assert page.locator("#picture-result svg:visible").count() == 6, "four figures and two scales"
    visit.unfold()

    pictures = page.locator("svg.epc-picture:visible")
    assert pictures.count() == page.locator(".epc-figure").count() == 5
    for picture in pictures.all():
        size = picture.bounding_box()
        assert size
        assert size["width"] > 200
        assert picture.locator("path, line").count() > 5
        assert len(picture.get_attribute("aria-label") or "") > 40
    assert page.locator("#figures tbody tr:visible").count() > 20


def test_the_numbers_of_a_picture_are_one_click_away_without_scripts(
    window: Callable[..., Visit],
) -> None:
    page = window(java_script_enabled=False).to(MEASURED)
    page.goto(f"{page.url}#picture-gamma")  # what is linked to opens
    figure = page.locator("#picture-gamma")

    figure.locator("summary").click()

    assert figure.locator("tbody tr:visible").count() == 6, "three seeds in two directions"
    figure.get_by_role("link", name="pictures.json").click()
    numbers = json.loads(page.locator("body").inner_text())["gamma"]["numbers"]
    assert {name: len(column) for name, column in numbers.items()} == dict.fromkeys(
        ("seed", "direction", "gamma"), 6
    )


def test_the_first_picture_waits_for_no_script(window: Callable[..., Visit]) -> None:
    visit = window()
    visit.page.context.route("**/*.js", lambda _: None)  # no script is ever answered

    visit.page.goto(visit.home + MEASURED, wait_until="commit")

    picture = visit.page.locator("#picture-result svg").first
    picture.wait_for(state="visible")
    assert picture.locator("line, circle").count() >= 2
    visit.page.context.unroute_all()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_paper_a_picture_is_dark_on_light(window: Callable[..., Visit], scheme: str) -> None:
    visit = window(color_scheme=scheme)
    page = visit.to(MEASURED)
    visit.unfold()
    ink = "() => getComputedStyle(document.querySelector('.epc-picture text')).fill"

    on_screen = page.evaluate(ink)
    page.emulate_media(media="print")

    assert page.evaluate(ink) == "rgb(0, 0, 0)"
    assert (on_screen == "rgb(0, 0, 0)") == (scheme == "light")


def test_a_judges_page_prints_on_four_sheets_at_most(window: Callable[..., Visit]) -> None:
    """The published one with most verdicts took 23: the theme opens what is folded on paper."""
    page = window().to("evaluators/Judge-1/")

    sheets = re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4"))

    assert page.locator("details.epc-fold").count() > 3
    assert 1 <= len(sheets) <= 4
