"""Properties of the figures that are stated of judges: one headline on every surface, with its day.

ANSWERS 8, P3 (the part on figures), P5 and P6.
"""

import json
import re
from functools import cache
from html import unescape

import pytest
from commands_support import run
from registry_support import ROOT
from site_support import REAL_DAY, real_pages, real_site

from epc.analysis.quotable import QuotableFigures
from epc.answers.choose import choose
from epc.answers.quotable import headlines, quotable_figures
from epc.answers.snapshot_status import figure_state
from epc.api.answers import Answers
from epc.records.typed import as_json
from epc.registry.reading import of_folder
from epc.registry.registry import Registry
from epc.site import api, names, rendering
from epc.site.pages import EvaluatorPage, Site

pytestmark = pytest.mark.slow  # all of this registry is read

DAY = REAL_DAY.isoformat()
MONTH = re.compile(
    r"\b(January|February|March|April|May|June|July|August|September|October|November|December)"
    r" 20\d\d"
)
MARKED = ("claude-haiku-4-5-20251001", "claude-sonnet-4-6")  # their record has client-context
# One of each kind: marked, an alias of it, one person's, too old, small, points, weights, history.
NAMES = (
    "claude-haiku-4-5-20251001", "claude-haiku-4-5", "claude-sonnet-4-6",
    "claude-opus-4-5-20251101", "gpt-5.2", "gpt-5.4", "gpt-5.4-mini", "gpt-5", "kimi-k2.6",
    "command-a-03-2025", "Skywork-Reward-V2-Llama-3.1-8B", "gpt-4", "text-bison-001", "gpt-4o",
    "claude-opus-5",
)  # fmt: skip


@cache
def published() -> Registry:
    return of_folder(ROOT)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return real_site(tmp_path_factory)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return real_pages(tmp_path_factory)


def quotable(name: str) -> QuotableFigures:
    return quotable_figures(published(), name, REAL_DAY)


def plain(markup: str) -> str:
    text = " ".join(unescape(re.sub(r"<[^>]+>", " ", markup)).split())
    return re.sub(r" ([,.])", r"\1", text)


def rows(page: str) -> dict[str, str]:
    """Return the rows of a page's tables of judges, by their names."""
    tables = page.split('id="judges-table"', 1)[1].split("<tbody>")[1:]
    bodies = [table.split("</tbody>", 1)[0] for table in tables if "evaluators/" in table]
    found = re.findall(r"<tr.*?</tr>", "".join(bodies), re.DOTALL)
    found = [row for row in found if "evaluators/" in row]
    return {row.split("evaluators/", 1)[1].split("/", 1)[0]: row for row in found}


def page_of(site: Site, name: str) -> EvaluatorPage:
    return next(page for page in site.evaluators if page.name == name)


@pytest.mark.parametrize("name", NAMES)
def test_p3_command_mcp_api_and_page_state_one_headline(site: Site, name: str) -> None:
    expected = quotable(name)
    first = expected.headline

    printed = run(ROOT, "evaluators", "card", name, "--as-of", DAY).stdout.splitlines()[0]
    answer = Answers(str(ROOT), clock=lambda: REAL_DAY).judge_card(name)
    record = api.evaluator(site, page_of(site, name))["card"]["quotable"]
    page = rendering._page(
        "evaluator", site, frozenset(), **rendering._evaluator(site, page_of(site, name))
    )
    may = plain(page.split("You may say", 1)[1].split("You may not say", 1)[0])

    assert answer.text.splitlines()[0] == printed
    assert answer.document["quotable"]["headline"] == record["headline"]
    assert record["headline"] == (as_json(first) if first else None)
    if first:
        assert f"It {first.says}." in printed
        assert may.startswith(f"It {first.says}.")
    else:
        assert " of 100" not in printed or "No figure of it stands." in printed


def test_p3_the_list_of_judges_and_the_front_page_state_it_too(pages: dict[str, str]) -> None:
    listed = json.loads(run(ROOT, "evaluators", "list", "--as-of", DAY, "--format", "json").stdout)
    by_name = {row["generation"]: row.get("figure") for row in listed}
    expected = headlines(published(), REAL_DAY)

    for name in NAMES:
        first = quotable(name).headline
        assert by_name[name] == (as_json(first) if first else None), name
    for page in ("index.md", "evaluators/index.md"):
        for name, row in rows(pages[page]).items():
            first = expected.get(name)
            if first:
                value = f"{100 * first.value:.1f}" if first.is_common else first.brief
                assert value in plain(row), (page, name)
                assert first.dated in plain(row), (page, name)


@pytest.mark.parametrize("domain", ["all", "Math", "Safety"])
def test_p3_which_lists_the_same_share_as_the_headline(domain: str) -> None:
    """Of all kinds of task; of one domain the way that is listed may be another one."""
    choice = choose(published(), domain, REAL_DAY)
    alone = {o.way.models[0]: o for o in choice.ranked[::-1] if len(o.way.models) == 1}

    assert len(alone) > 8
    for name, option in alone.items():
        first = quotable(name).common
        assert first
        assert (first.marks, first.dated) == (option.faults, option.dated)
        if domain == "all":
            assert (first.value, first.ci95) == (option.right.value, option.right.ci95)


def test_p5_no_ranking_has_what_ended_or_was_taken_back() -> None:
    registry = published()
    for domain in registry.choices.domains if registry.choices else ():
        for option in choose(registry, domain, REAL_DAY).ranked:
            states = {figure_state(registry, tag, REAL_DAY) for tag in option.way.tags}
            assert states <= {"stands", "stale"}, option.way.words
    for name in registry.generations:
        stated = quotable(name).stated if name in NAMES else ()
        assert all(figure.state in ("stands", "stale") for figure in stated), name


def test_p5_on_pages_every_figure_has_its_month_and_every_marked_one_its_dagger(
    pages: dict[str, str],
) -> None:
    for page in ("index.md", "evaluators/index.md"):
        for name, row in rows(pages[page]).items():
            if "<data" in row:
                assert MONTH.search(plain(row)), (page, name)
                assert ("†" in row) == (name in MARKED), (page, name)
        assert "† Asked through a client that adds text before the prompt" in plain(pages[page])
    for row in re.findall(r"<tr>.*?</tr>", pages["which.md"], re.DOTALL):
        if "<data" in row:
            assert MONTH.search(plain(row)), row
            is_marked = any(name in row for name in MARKED) or "CLINC150" in row
            assert ("†" in row) == is_marked, row


def test_p5_in_commands_every_figure_has_its_month_and_every_marked_one_its_dagger() -> None:
    for name in NAMES:
        text = run(ROOT, "evaluators", "card", name, "--as-of", DAY).stdout
        for line in text.splitlines()[1:]:
            if re.search(r"  n [\d,]+ (?!platform)", line):
                assert MONTH.search(line), (name, line)
                assert ("†" in line) == ("client-context" in line), (name, line)
    for line in run(ROOT, "which", "--as-of", DAY).stdout.splitlines():
        if re.search(r": \d+\.\d% \[", line):
            assert MONTH.search(line), line
            assert ("†" in line) == any(name in line for name in MARKED), line


def test_p6_an_alias_has_its_target_s_figures() -> None:
    aliases = [
        name
        for name, generation in published().generations.items()
        if any(life.points_to for life in generation.lives)
        and not any(s.tag.generation == name for s in published().snapshots.values())
    ]
    compared = 0
    for alias in aliases:
        found = quotable(alias)
        if not found.stated:
            continue
        target = quotable(found.target)
        assert (found.stated, found.history) == (target.stated, target.history), alias
        compared += 1
    assert compared > 1


def test_p3_the_box_says_the_same_and_in_the_past_tense_from_the_day_on_which_it_is_too_old() -> (
    None
):
    """Scores published on 29 April 2026, of an id that is fixed: a year later they are too old."""
    index, places = names.documents(published(), REAL_DAY)
    (model,) = (m for m in index["models"] if m["served"][:1] == ["claude-haiku-4-5"])
    first = quotable("claude-haiku-4-5").headline
    said = dict(places["judged"][model["group"]])

    assert first
    assert f"It {first.says}" in said[DAY] or f"it {first.says}" in said[DAY]
    assert "is right on" in said[max(day for day in said if day < "2027-04-29")]
    assert "was right on" in said["2027-04-29"]
