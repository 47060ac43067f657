"""Any two snapshots side by side: the page says what `epc compare` says."""

import json
from collections.abc import Callable
from itertools import combinations

import pytest
from browser_support import PHONE, Visit, opened
from playwright.sync_api import Page
from registry_support import Json
from site_support import BuiltSite, epc

TAGS = (
    *("v1.0-Judge-1", "v1.1-Judge-1", "v1.0-Judge-3", "v1.0-CoinFlip"),
    *("v1.0-CarelessJudge", "v1.0-Judge-4"),
)
NUMBERS = """() => Object.fromEntries(
    [...document.querySelectorAll("[aria-label='Figures side by side'] tbody tr")].map((row) => [
        row.cells[0].querySelector("code").textContent,
        [1, 2, 3].map((place) => row.cells[place].querySelector("data")?.value ?? null)]))"""

UNFOLDED_TEXT = """() => {
    const place = document.getElementById("comparison");
    for (const fold of place.querySelectorAll("details")) fold.open = true;
    return place.innerText;
}"""


def compared(seen: Visit, a: str, b: str) -> Page:
    page = seen.page
    page.goto(f"{seen.home}compare/?a={a}&b={b}")
    return unfolded(page)


def unfolded(page: Page) -> Page:
    """Wait for the comparison, and open its tables."""
    page.wait_for_selector("#comparison table", state="attached")
    page.eval_on_selector_all("details", "all => all.forEach((each) => { each.open = true; })")
    return page


def exact(number: str) -> str:
    """Keep a JSON number as it is spelled."""
    return number


@pytest.fixture(scope="module")
def diffs(site: BuiltSite) -> dict[tuple[str, str], Json]:
    """Return what the command says of each pair; before the browser starts it runs in process."""
    found = {}
    for a, b in [*combinations(TAGS, 2), TAGS[1::-1]]:
        arguments = ("compare", a, b, "--format", "json")
        same = {a, b} == {"v1.0-Judge-1", "v1.1-Judge-1"}
        done = epc(site.checkout.folder, *arguments, code=0 if same else 1)
        found[a, b] = json.loads(done.stdout, parse_float=exact)
    return found


def test_conditions_and_figures_are_those_of_the_command_digit_for_digit(
    diffs: dict[tuple[str, str], Json], window: Callable[..., Visit]
) -> None:
    visit = window()
    for (a, b), diff in diffs.items():
        page = compared(visit, a, b)

        words = page.locator("#comparison > p").all_inner_texts()
        differing = {key.replace("_", " ") for key in diff["conditions"]}
        assert (words == ["Like for like."]) == diff["like_for_like"]
        assert "[object" not in page.locator("#comparison").inner_text()
        rows = page.locator("[aria-label='What differs'] tbody th")
        assert {*rows.all_inner_texts()} == differing
        warned = differing - {"generation", "evaluator"}
        said = words[0].partition("different settings (")[2].partition(")")[0].split(", ")
        assert {*said} == warned or not warned
        assert page.locator(".epc-unlike").count() == bool(warned)
        assert page.locator(".epc-another").count() == bool(differing - warned)
        numbers = page.evaluate(NUMBERS)
        both_rows = {name: row for name, row in numbers.items() if None not in row}
        assert both_rows == {
            name: [pair["a"], pair["b"], pair["difference"]]
            for name, pair in diff["figures"].items()
        }


def test_epc_5_2_each_gamma_has_the_class_and_the_noise_that_the_command_states(
    site: BuiltSite, window: Callable[..., Visit]
) -> None:
    documents = [
        json.loads(epc(site.checkout.folder, "snapshot", "show", tag, "--format", "json").stdout)
        for tag in ("v1.0-Judge-1", "v1.0-CoinFlip")
    ]
    page = compared(window(), *(document["tag"] for document in documents))

    rows = page.locator("[aria-label='Figures side by side'] tbody tr")
    for place, document in enumerate(documents):
        assert document["epc_5_2"]
        for name, reading in document["epc_5_2"].items():
            row = rows.filter(has=page.get_by_text(name, exact=True))
            assert row.locator("td").nth(place).inner_text().endswith(f", {reading}")


def test_another_evaluator_in_the_same_setting_is_no_warning_and_both_intervals_are_drawn(
    window: Callable[..., Visit],
) -> None:
    page = compared(window(), "v1.0-CarelessJudge", "v1.0-Judge-4")

    locator = page.locator("#comparison .epc-another")
    assert locator.inner_text().startswith(
        "Another evaluator, as expected: CarelessJudge and Judge-4."
    )
    assert "rgb(163, 21, 21)" not in locator.evaluate("place => getComputedStyle(place).color")
    rows = page.locator(".epc-both .epc-row").all()
    intervals = [row.inner_text().count("[") for row in rows]
    drawings = [row.locator("svg") for row in rows]
    assert "share of valid evaluations: PASS" in rows[2].inner_text()
    assert {drawing.locator("circle").count() for drawing in drawings} == {2}
    assert [drawing.locator("g line").count() for drawing in drawings] == intervals
    assert sum(intervals) > 0


def test_figures_are_named_in_words_with_their_names_for_programs_beside(
    window: Callable[..., Visit],
) -> None:
    page = compared(window(), "v1.0-Judge-1", "v1.1-Judge-1")

    names = page.locator("[aria-label='Figures side by side'] tbody th")
    assert names.first.inner_text().split("\n") == [
        "gamma: text to visual",
        "gamma/text_to_visual",
    ]


def test_a_choice_becomes_an_address_that_gives_the_same_page(window: Callable[..., Visit]) -> None:
    page = window().to("compare/")
    page.get_by_label("First").select_option("v1.0-Judge-1")
    page.get_by_label("Second").select_option("v1.0-CoinFlip")
    page.get_by_role("button", name="Compare").click()
    # Each choice draws the comparison anew, the first with the second snapshot of before.
    page.wait_for_selector("#comparison th:text-is('v1.0-CoinFlip')", state="attached")
    texts = page.evaluate(UNFOLDED_TEXT)

    assert page.url.endswith("compare/?a=v1.0-Judge-1&b=v1.0-CoinFlip")
    repeated_page = window().page
    opened(repeated_page, page.url)
    unfolded(repeated_page)

    assert repeated_page.evaluate(UNFOLDED_TEXT) == texts
    assert "not stated" in texts, "a figure that only one of them has"


def test_an_address_with_what_is_no_snapshot_says_so_as_text(window: Callable[..., Visit]) -> None:
    hostile = "%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E"

    page = window().to(f"compare/?a={hostile}&b=v1.0-Judge-1")

    assert page.locator("#comparison").inner_text().strip() == (
        "There is no snapshot <img src=x onerror=alert(1)> here."
    )
    assert page.locator("#comparison img").count() == 0


def test_the_command_is_always_that_of_the_chosen_pair(window: Callable[..., Visit]) -> None:
    page = window().to("compare/")
    command = page.locator("#command")
    assert command.inner_text() == "epc compare v1.0-Judge-1 v1.1-Judge-1"

    page.get_by_label("Second").select_option("v1.0-CoinFlip")
    assert command.inner_text() == "epc compare v1.0-Judge-1 v1.0-CoinFlip"

    page = compared(window(), "v1.0-Judge-3", "v1.1-Judge-1")
    assert page.locator("#command").inner_text() == "epc compare v1.0-Judge-3 v1.1-Judge-1"


def test_the_same_snapshot_twice_is_no_comparison(window: Callable[..., Visit]) -> None:
    page = window().to("compare/?a=v1.0-Judge-1&b=v1.0-Judge-1")

    assert page.locator("#comparison").inner_text().strip() == (
        "Both are v1.0-Judge-1. Choose two that are not the same."
    )


def test_on_a_phone_every_figure_of_both_can_be_read(window: Callable[..., Visit]) -> None:
    page = compared(window(width=PHONE), "v1.0-Judge-1", "v1.1-Judge-1")

    cells = page.locator("[aria-label='Figures side by side'] tbody td").all()
    boxes = [box for cell in cells if (box := cell.bounding_box())]
    assert len(boxes) >= 2
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= PHONE for box in boxes)


def test_two_snapshots_fit_one_screen(window: Callable[..., Visit]) -> None:
    visit = window(width=1440)
    page = visit.to("compare/?a=v1.0-CarelessJudge&b=v1.0-Judge-4")
    page.wait_for_selector(".epc-both")

    (bottom,) = page.eval_on_selector_all(
        ".epc-both", "all => all.map((each) => each.getBoundingClientRect().bottom)"
    )
    assert bottom <= 900
    assert page.locator("#comparison details[open]").count() == 0
