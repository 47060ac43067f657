"""States in the browser: those of `epc expiry`, by the reader's clock and not by the builder's."""

from collections.abc import Callable
from datetime import date, timedelta

import pytest
from browser_support import Visit
from budget_support import is_night
from playwright.sync_api import Page
from site_support import AS_OF, BuiltSite

from epc.answers.snapshot_status import snapshot_states
from epc.registry.reading import of_folder


def on(seen: Visit, day: str, path: str = "") -> Page:
    """Open a page with the reader's clock at noon of a day, and all that is folded in it."""
    seen.page.clock.set_fixed_time(f"{day}T12:00:00Z")
    page = seen.to(path)
    seen.unfold()
    return page


def states_on_page(page: Page, path: str) -> dict[str, str]:
    """Return the state that a page shows of each snapshot in a table."""
    rows: dict[str, str] = page.evaluate(
        f"""() => Object.fromEntries([...document.querySelectorAll({path!r})].map(
            (row) => [row.dataset.tag, row.querySelector("[data-epc=status]").textContent]))"""
    )
    return rows


def tags_of(page: Page, path: str) -> set[str]:
    """Return the tags of a table once what ended since was added."""
    page.wait_for_selector("html[data-epc-today]")
    found: list[str] = page.evaluate(
        f"() => [...document.querySelectorAll({path!r})].map((row) => row.dataset.tag)"
    )
    return set(found)


def days() -> list[str]:
    """Return days on either side of everything that ends in the test's registry; by day half."""
    first = date.fromisoformat(AS_OF)
    every = (0, 10, 29, 30, 31, 60, 89, 90, 91, 130, 132, 133, 400)
    return [(first + timedelta(days=n)).isoformat() for n in every[:: 1 if is_night() else 2]]


def test_the_browser_says_of_every_snapshot_what_the_command_line_says(
    window: Callable[..., Visit], site: BuiltSite
) -> None:
    registry = of_folder(site.checkout.folder)
    visit, met = window(), set()
    built = snapshot_states(registry, date.fromisoformat(AS_OF))
    for day in days():
        found = states_on_page(on(visit, day, "snapshots/"), "#current-table tbody tr")
        expected, ended = {}, set()
        states = snapshot_states(registry, date.fromisoformat(day))
        for tag in registry.snapshots:
            state = states[tag]
            met.add(state.status)
            reason = f" ({state.reason})" if state.status == "expired" else ""
            if built[tag].status != "expired":
                expected[tag] = f"{state.status}{reason}"
            if state.status == "expired":
                ended.add(tag)
        assert found == expected, day
        assert tags_of(on(visit, day, "expired/"), "#expired-table tbody tr") == ended, day

    assert met == {"current", "expiring", "expired"}


def test_a_state_in_a_sentence_ends_until_a_day_and_has_ended_since_it(
    window: Callable[..., Visit],
) -> None:
    # Measured on 2026-01-01, it holds 180 days at most.
    lead = "p[data-tag='v1.1-Judge-1']"
    before = on(window(), AS_OF, "snapshots/v1.1-Judge-1/").locator(lead).inner_text()
    after = on(window(), "2026-07-31", "snapshots/v1.1-Judge-1/").locator(lead).inner_text()

    assert "current until 30 Jun 2026 (in 90 days): " in before
    assert "expired (stale) since 30 Jun 2026 (31 days ago): " in after


def test_a_judges_scores_are_not_shown_as_current_once_the_judge_has_retired(
    window: Callable[..., Visit],
) -> None:
    early, late = window(), window()
    for path, table in (("snapshots/", "#current-table"), ("evaluators/Judge-4/", "#judged-table")):
        rows = f"{table} tbody tr[data-tag='v1.0-Judge-4']"
        before = states_on_page(on(early, "2026-05-19", path), rows)
        after = states_on_page(on(late, "2026-05-20", path), rows)
        assert before == {"v1.0-Judge-4": "expiring"}, path
        assert after == {"v1.0-Judge-4": "expired (retired)"}, path


def test_a_front_page_built_long_ago_counts_days_and_drops_what_has_ended(
    window: Callable[..., Visit],
) -> None:
    """Judge-1 is retired on 2026-07-01; its line goes on that day, and its example says so."""
    before, after = on(window(), "2026-06-21"), on(window(), "2026-07-01")
    line, chip = (f"{place} [data-tag=Judge-1]" for place in (".epc-ends", ".epc-chips"))

    assert before.locator(f"{line} [data-epc=days]").inner_text() == "10"
    assert before.locator(f"{chip} [data-epc=left]").inner_text() == "10 days"
    assert after.locator(line).count() == 0
    assert after.locator(f"{chip} [data-epc=left]").inner_text() == "ended"


def test_the_page_of_expired_ones_takes_what_expired_since(window: Callable[..., Visit]) -> None:
    page = on(window(), "2026-07-02", "expired/")

    page.wait_for_selector('#expired-table tr[data-tag="v1.1-Judge-1"]')

    row = page.locator('#expired-table tr[data-tag="v1.1-Judge-1"]').inner_text()
    assert "stale" in row
    assert "2026-06-30" in row
    page.locator('#expired-table tr[data-tag="v1.1-Judge-1"] a').first.click()
    assert page.url.endswith("/snapshots/v1.1-Judge-1/")


def test_how_long_is_left_is_counted_from_the_readers_day(window: Callable[..., Visit]) -> None:
    left = 'table#current-table tr[data-tag="v1.1-Judge-1"] [data-epc=in]'
    days = ("2026-06-20", "2026-06-29")

    told = {d: on(window(), d, "snapshots/").locator(left).inner_text() for d in days}

    assert told == {"2026-06-20": "in 10 days", "2026-06-29": "in 1 day"}


def test_a_site_built_120_days_ago_says_so_on_every_page(
    window: Callable[..., Visit],
) -> None:
    """Built on 1 April 2026: 30 July is 120 days later."""
    visit = window()
    for path in ("", "check/", "snapshots/v1.1-Judge-1/", "statistics/", "404.html"):
        assert not on(visit, "2026-07-29", path).locator(".epc-age").is_visible(), path
        later = on(visit, "2026-07-30", path).locator(".epc-age").inner_text()
        assert "built on 1 April 2026. Nothing newer is known here" in later, path
    assert visit.barriers() == []


def test_a_clock_that_is_behind_brings_nothing_back(window: Callable[..., Visit]) -> None:
    page = on(window(), "2020-01-01", "snapshots/")

    assert states_on_page(page, "#current-table tbody tr")["v1.1-Judge-1"] == "current"
    page = on(window(), "2020-01-01", "expired/")
    assert "v1.0-Judge-1" in tags_of(page, "#expired-table tbody tr")


def test_a_day_is_a_day_in_utc(window: Callable[..., Visit]) -> None:
    for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago"):  # 14 hours ahead, 11 behind
        visit = window(timezone_id=zone)
        visit.page.clock.set_fixed_time("2026-06-29T23:30:00Z")
        rows = "table#current-table tbody tr"
        assert states_on_page(visit.to("snapshots/"), rows)["v1.1-Judge-1"] == "expiring"
        visit.page.clock.set_fixed_time("2026-06-30T00:30:00Z")
        assert states_on_page(visit.to("snapshots/"), rows)["v1.1-Judge-1"] == "expired (stale)"


@pytest.mark.parametrize("path", ["snapshots/v1.1-Judge-1/", "evaluators/Judge-1/"])
def test_a_snapshots_and_an_evaluators_own_pages_tell_the_day_too(
    window: Callable[..., Visit], path: str
) -> None:
    page = on(window(), "2026-07-02", path)

    text = page.locator("[data-epc=status]").first.text_content()
    assert (text or "").endswith("expired (stale)")


def test_reading_r53_a_word_that_is_too_old_is_unconfirmed_in_the_browser_too(
    window: Callable[..., Visit],
) -> None:
    """Judge-3 is served until 1 May 2026 at the least, and nobody says more."""
    visit = window()
    place = "[data-tag=Judge-3] [data-epc=left]"

    before = on(visit, "2026-04-30", "evaluators/Judge-3/").locator(place).first.inner_text()
    after = on(visit, "2026-05-01", "evaluators/Judge-3/").locator(place).first.inner_text()

    assert (before, after) == ("served", "not confirmed")
