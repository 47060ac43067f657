"""Tables that sort and filter, by pointer, by keyboard, and told to whoever cannot see them."""

from collections.abc import Callable

from browser_support import PHONE, Visit
from playwright.sync_api import Locator, Page


def tags(page: Page) -> list[str]:
    texts: list[str] = page.evaluate(
        "() => [...document.querySelectorAll('#current-table tbody tr')].filter((r) => !r.hidden)"
        ".map((r) => r.dataset.tag)"
    )
    return texts


def counted(page: Page) -> list[int]:
    """Return the column n of the rows that are shown."""
    numbers: list[str] = page.locator("#current-table td[data-label=n] data").evaluate_all(
        "(all) => all.filter((each) => !each.closest('tr').hidden).map((each) => each.value)"
    )
    return [int(number) for number in numbers]


def controls(page: Page) -> Locator:
    """Return what sorts and filters that table."""
    return page.get_by_role("group", name="Current snapshots: filter and sort")


def test_a_column_sorts_by_its_digits_up_and_down_by_keyboard(window: Callable[..., Visit]) -> None:
    page = window().to("snapshots/")
    button = page.get_by_role("button", name="n", exact=True)
    button.focus()

    page.keyboard.press("Enter")

    # 3 seeds, 8 and 12: as text, 12 would come first.
    assert tags(page)[0] == "v1.0-CoinFlip"
    assert counted(page) == sorted(counted(page))
    assert len(set(counted(page))) > 2
    assert page.locator("#current-table [aria-sort]").get_attribute("aria-sort") == "ascending"
    assert "sorted by n, ascending" in controls(page).locator(".epc-said").inner_text()

    page.keyboard.press("Space")

    assert counted(page) == sorted(counted(page), reverse=True)
    assert page.locator("#current-table [aria-sort]").get_attribute("aria-sort") == "descending"
    assert page.locator("#current-table [aria-sort]").count() == 1


def test_figures_of_different_kinds_have_no_order(window: Callable[..., Visit]) -> None:
    heads = window().to("snapshots/").locator("#current-table thead th")

    unsorted = heads.filter(has_text="Headline figure")
    assert unsorted.count() == 1
    assert unsorted.get_by_role("button").count() == 0


def test_a_filter_keeps_the_rows_that_hold_every_word_and_a_chip_those_of_a_kind(
    window: Callable[..., Visit],
) -> None:
    page = window().to("snapshots/")
    everything = len(tags(page))

    controls(page).get_by_label("Filter", exact=True).fill("judge-1 STALE")
    assert tags(page) == ["v1.1-Judge-1"]
    assert controls(page).locator(".epc-said").inner_text() == f"1 of {everything} shown"

    controls(page).get_by_label("Filter", exact=True).fill("")
    page.get_by_label("measured", exact=False).check()
    assert "v1.0-CoinFlip" in tags(page)
    assert "v1.1-Judge-1" not in tags(page)

    page.locator(".epc-filters [name=kind][value='']").check()
    assert len(tags(page)) == everything


def test_on_a_phone_a_choice_stands_in_for_the_head(window: Callable[..., Visit]) -> None:
    page = window(width=PHONE).to("snapshots/")
    assert not page.get_by_role("button", name="n", exact=True).is_visible()

    controls(page).get_by_label("Sort by", exact=True).select_option("n, descending")

    assert counted(page) == sorted(counted(page), reverse=True)
