"""The page "Which judge?" decides for a platform and a budget as `epc which` does."""

from collections.abc import Iterator

import pytest
from browser_support import Visit, visit
from playwright.sync_api import Browser
from registry_support import ROOT
from site_support import REAL_DAY, real_site

from epc.answers.choose import choose
from epc.registry.reading import of_folder
from epc.site.rendering import lists


@pytest.fixture(scope="module")
def asked(browser: Browser, home: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    """Return a window on the page as it is made of this very registry."""
    text = next(text for name, text in lists(real_site(tmp_path_factory)) if name == "which.md")
    body = f"<!doctype html><title>Which judge?</title><main>{text.split('---', 2)[2]}</main>"
    with visit(browser, home) as page_visit:
        page_visit.page.route(
            "**/which/", lambda route: route.fulfill(body=body, content_type="text/html")
        )
        page_visit.to("which/")
        yield page_visit


@pytest.mark.parametrize(
    ("platform", "budget"),
    [
        *(("", budget) for budget in (None, 0.5, 3.0, 40.0)),
        *(("openai", 10.0), ("anthropic", 3.0), ("open-weights", None)),
    ],
)
def test_the_page_lists_what_the_command_lists(
    asked: Visit, platform: str, budget: float | None
) -> None:
    registry = of_folder(ROOT)
    assert registry.choices
    for domain in registry.choices.domains:
        asked.page.check(f"input[name=domain][value='{domain}']")
        asked.page.select_option("select[name=platform]", platform)
        asked.page.fill("input[name=budget]", "" if budget is None else str(budget))
        rows = asked.page.locator("#which-answer tbody tr")
        shown = [
            words.removesuffix(" †") for words in rows.locator("th > span").all_text_contents()
        ]

        told = choose(registry, domain, REAL_DAY, platform=platform or None, budget=budget)
        limited = bool(platform) or budget is not None
        listed = [*told.short.options, *told.scorers.options]
        assert shown == [option.way.words for option in listed] * limited, domain
        if limited and told.first:
            verb = "Ask" if told.verb == "ask" else "Score with"
            title = asked.page.inner_text("#which-answer h2").replace(" †", "")
            assert title == f"{verb} {told.first.way.words}.", domain


def test_one_judge_alone_is_not_called_better_than_others(asked: Visit) -> None:
    """Within $1.50 only gpt-5.4-nano can be asked, once; within $2 it is still alone, twice."""
    asked.page.check("input[name=domain][value='all']")
    asked.page.select_option("select[name=platform]", "")
    for budget in ("1.5", "2"):
        asked.page.fill("input[name=budget]", budget)
        text = asked.page.inner_text("#which-answer p")
        assert "No other judge within the budget that was tried fits." in text
    asked.page.fill("input[name=budget]", "10")
    text = asked.page.inner_text("#which-answer p")
    assert "Every other judge within the budget that was tried is shown to be right less" in text


def test_domains_with_benchmarks_of_their_own_stand_in_a_table_of_the_page(asked: Visit) -> None:
    """Opus 4.7's rank correlation is .56; the difference from the others is within its interval."""
    table = asked.page.locator("#domains + table")
    (rag,) = [row for row in table.locator("tbody tr").all_inner_texts() if row.startswith("rag")]
    assert "claude-opus-4-7" in rag
    assert "0.56" in rag
    assert "537 verdicts on 86 items, by April 2026" in rag
    assert "not decided: no judge is shown to be better than all others" in rag
