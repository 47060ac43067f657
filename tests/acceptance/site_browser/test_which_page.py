"""The page "Which judge?" answers for a platform and a budget as `epc which` does, on any day."""

from collections.abc import Iterable, Iterator
from datetime import date
from itertools import product

import pytest
from browser_support import Visit, visit
from budget_support import by_night
from playwright.sync_api import Browser, Page
from registry_support import ROOT
from site_support import REAL_DAY, real_pages

from epc.analysis.choosing import Choice, Option
from epc.analysis.domains import domains
from epc.answers.choose import choose
from epc.answers.domains import of_domain
from epc.errors import UsageError
from epc.registry.reading import of_folder
from epc.report.which_text import beaten, may_say, sentence, unserved, untried


@pytest.fixture(scope="module")
def asked(browser: Browser, home: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    """Return a window on the page as it is made of this very registry."""
    text = real_pages(tmp_path_factory)["which.md"]
    script = "<script type=module src=../assets/expiry.js></script>"
    age = f"<aside data-as-of={REAL_DAY}></aside>{script}"
    main = f"<main>{text.split('---', 2)[2]}</main>"
    body = f"<!doctype html><title>Which judge?</title>{age}{main}"
    with visit(browser, home) as page_visit:
        page_visit.page.route(
            "**/which/",
            lambda route: route.fulfill(body=body, content_type="text/html; charset=utf-8"),
        )
        page_visit.to("which/")
        yield page_visit


LIMITS = [
    *(("", budget) for budget in (None, 0.5, 3.0, 40.0)),
    *(("openai", 10.0), ("anthropic", 3.0), ("open-weights", None)),
]
# From the first later day on Claude Haiku 4.5, last seen 121 days before, is not confirmed; on the
# last nothing that is stated lies ahead.
DAYS = [
    REAL_DAY,
    *map(date.fromisoformat, ("2027-03-20", "2027-03-21", "2027-04-29", "2031-01-01")),
]
BY_DAY = [REAL_DAY, date(2027, 3, 21), date(2031, 1, 1)]


def opened(asked: Visit, day: date) -> Page:
    """Open the page with the reader's clock at noon of a day."""
    asked.page.clock.set_fixed_time(f"{day}T12:00:00Z")
    return asked.to("which/")


def rows_on_page(page: Page, place: str) -> list[str]:
    """Return of each row of the tables of a place who is asked, as of when, until when served."""
    heads = page.locator(f"{place} tbody th").all_text_contents()
    return [" ".join(head.split()) for head in heads]


def rows_of(choice: Choice, options: Iterable[Option]) -> list[str]:
    """Return the same of the options of an answer."""
    rows = []
    for option in options:
        words = f"{option.way.words}{' †' if option.faults else ''}"
        served = [choice.served[model].items() for model in option.way.models]
        named = not choice.platform
        ends = ["; ".join(f"{p} {end}" if named else end for p, end in each) for each in served]
        rows.append(f"{words} {'; '.join(filter(None, (option.dated, ' / '.join(ends))))}")
    return rows


@pytest.mark.parametrize("day", [*BY_DAY, *by_night(day for day in DAYS if day not in BY_DAY)])
def test_the_page_answers_on_the_readers_day_what_the_command_answers(
    asked: Visit, day: date
) -> None:
    registry = of_folder(ROOT)
    assert registry.choices
    page = opened(asked, day)
    for (platform, budget), domain in product(LIMITS, registry.choices.domains):
        page.check(f"input[name=domain][value='{domain}']")
        page.select_option("select[name=platform]", platform)
        page.fill("input[name=budget]", "" if budget is None else str(budget))
        is_limited = bool(platform) or budget is not None
        is_as_built = not is_limited and day == REAL_DAY
        section = f"section#{domain.lower().replace(' ', '-')} .epc-open"
        place = section if is_as_built else "#which-answer"

        try:
            told = choose(registry, domain, day, platform=platform or None, budget=budget)
        except UsageError:  # nobody is served there any more
            assert rows_on_page(page, place) == [], (platform, domain)
            continue
        listed = [*told.short.options, *told.scorers.options]
        below = () if is_limited else (*beaten(told.scorers), *beaten(told.short))
        assert rows_on_page(page, place) == rows_of(told, [*listed, *below]), (platform, domain)
        assert page.locator(section).is_visible() == is_as_built
        words = sentence(told, " within the budget" if budget is not None else "")
        if told.first is None:
            assert page.inner_text(place) == words, (platform, domain)
            continue
        said = page.locator(f"{place} .epc-answer p").last.inner_text()
        assert said == words, (platform, budget, domain)
        verb = "Ask" if told.verb == "ask" else "Score with"
        title = page.inner_text(f"{place} h2").replace(" †", "")
        assert title == f"{verb} {told.first.way.words}.", (platform, budget, domain)
        if not is_limited:
            assert page.inner_text(f"{place} .epc-may dd") == may_say(told), domain
    asked.assert_quiet()


@pytest.mark.parametrize("day", DAYS)
def test_what_stands_below_the_answers_is_of_the_readers_day(asked: Visit, day: date) -> None:
    """Claude Haiku 4.5 was last seen on 20 Nov 2026, so from 21 Mar 2027 on nobody confirms it."""
    page = opened(asked, day)

    told = choose(of_folder(ROOT), "all", day)
    gone = page.inner_text("[data-note=gone]")
    assert gone == unserved(told)
    assert ("claude-haiku-4-5" in gone) == (day >= date(2027, 3, 21))
    text = untried(told)
    assert page.inner_text("[data-note=untried]") == (f"{text}." if text else "")


def test_one_judge_alone_is_not_called_better_than_others(asked: Visit) -> None:
    """Within $1.50 only gpt-5.4-nano can be asked, once; within $2 it is still alone, twice."""
    opened(asked, REAL_DAY)
    asked.page.check("input[name=domain][value='all']")
    asked.page.select_option("select[name=platform]", "")
    for budget in ("1.5", "2"):
        asked.page.fill("input[name=budget]", budget)
        text = asked.page.inner_text("#which-answer p")
        assert "No other judge within the budget that was tried fits." in text
    asked.page.fill("input[name=budget]", "10")
    text = asked.page.inner_text("#which-answer p")
    assert "Every other judge within the budget that was tried is shown to be right less" in text


@pytest.mark.parametrize("day", [*DAYS, date(2027, 5, 17)])
def test_the_judges_of_benchmarks_of_their_own_are_of_the_readers_day(
    asked: Visit, day: date
) -> None:
    """As `epc which --domain NAME` has the highest judge of each benchmark, and its month."""
    page = opened(asked, day)

    registry = of_folder(ROOT)
    highest = {
        part.benchmark.name: part.candidates[0]
        for name in domains()
        for part in of_domain(registry, name, day).benchmarks
        if part.candidates
    }
    for row in page.locator("#domains + table tbody tr").all():
        name = row.locator("th small").inner_text().partition(":")[0]
        judge, figure, decision = row.locator("td").all_inner_texts()
        first = highest.pop(name, None)
        if first is None:
            assert (judge, decision) == ("none", "nobody serves a judge that was measured"), name
        elif first.figure:
            assert judge == f"{first.judge}{' †' if first.marks else ''}", name
            assert figure.startswith(f"{first.figure.value:.2f}"), name
            assert figure.endswith(first.dated), name
    assert not highest
    asked.assert_quiet()


def test_domains_with_benchmarks_of_their_own_stand_in_a_table_of_the_page(asked: Visit) -> None:
    """Opus 4.7's rank correlation is .56; the difference from the others is within its interval."""
    table = opened(asked, REAL_DAY).locator("#domains + table")
    (rag,) = [row for row in table.locator("tbody tr").all_inner_texts() if row.startswith("rag")]
    assert "claude-opus-4-7" in rag
    assert "0.56" in rag
    assert "537 verdicts on 86 items, by April 2026" in rag
    assert "not decided: no judge is shown to be better than all others" in rag
