"""The front page of this very registry: who ends next, how judges were measured, what changed."""

import json
import re
from dataclasses import replace
from datetime import date
from functools import cache
from html import unescape

import pytest
from records_support import epc
from registry_support import ROOT
from site_support import REAL_DAY, list_page, real_pages, real_site

from epc.answers.choose import choose
from epc.answers.service import service_on
from epc.answers.snapshot_status import snapshot_states
from epc.answers.subjects import subject
from epc.answers.succession import succession_of
from epc.registry.figures import figures_by_name
from epc.registry.reading import of_folder
from epc.registry.succession import VerdictStore, agreement_in_store
from epc.report.succession_text import text
from epc.site.charts.forest import drawn
from epc.site.charts.results import result_chart
from epc.site.collecting import collect
from epc.site.pages import Site
from epc.site.profile import context

pytestmark = pytest.mark.slow  # all of this registry is read

SITE: list[Site] = []
PAGES: dict[str, str] = {}
REGISTRY = cache(lambda: of_folder(ROOT))


@pytest.fixture(scope="module", autouse=True)
def _pages(tmp_path_factory: pytest.TempPathFactory) -> None:
    SITE[:] = [real_site(tmp_path_factory)]
    PAGES.update(real_pages(tmp_path_factory))


def table(page: str, name: str) -> list[str]:
    body = PAGES[page].split(name, 1)[1].split("<tbody>", 1)[1].split("</tbody>", 1)[0]
    return re.findall(r"<tr.*?</tr>", body, re.DOTALL)


def markup_text(markup: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", markup))


@cache
def ends() -> dict[date, dict[str, str | None]]:
    """Return who ends on each day to come, and what its platform names instead."""
    found: dict[date, dict[str, str | None]] = {}
    registry = REGISTRY()
    for name, generation in registry.generations.items():
        for life in generation.lives:
            state = registry.of_life(name, life, REAL_DAY)
            if state.until and state.until > REAL_DAY:
                instead = registry.meant(life, REAL_DAY).replacement or life.replacement
                found.setdefault(state.until, {})[name] = instead
    return found


def test_the_next_four_days_on_which_judges_end_have_a_line_each() -> None:
    days = sorted(ends())[:4]
    lines = table("index.md", "epc-ends")

    assert [re.findall(r'datetime="([^"]+)"', line) for line in lines] == [[f"{d}"] for d in days]
    for line, day in zip(lines, days, strict=True):
        name = line.split('href="evaluators/')[1].split("/")[0]
        (match,) = re.findall(r'data-epc="days">(\d+)<', line)
        further_match = re.search(r"(\d+) more", line)
        instead = markup_text(line.rsplit("<td>", 1)[1]).strip()
        assert int(match) == (day - REAL_DAY).days
        assert (int(further_match[1]) if further_match else 0) == len(ends()[day]) - 1
        assert instead == (ends()[day][name] or "none named")
    assert any("<td><a href=" in line for line in lines), "a replacement is linked"


def test_judges_in_the_table_are_real_and_have_the_measured_shares() -> None:
    registry = REGISTRY()
    assert registry.choices
    lines = table("index.md", "judges-table")
    shares = []
    for line in lines:
        name = line.split('href="evaluators/')[1].split("/")[0]
        assert service_on(registry, name, REAL_DAY).is_served
        tags = [s for s in registry.snapshots.values() if s.tag.generation == name]
        assert tags
        assert not any(s.calibration or s.platform in ("local", "mock") for s in tags)
        ways = [n for n, way in enumerate(registry.choices.ways) if way.models == (name,)]
        if not ways:
            continue
        largest = max(ways, key=lambda n: registry.choices.ways[n].askings)  # type: ignore[union-attr]
        right = registry.choices.domains["all"].right[largest]
        assert f'<data value="{right!r}">{100 * right:.1f}</data>' in line
        shares.append(right)

    assert len(lines) == 5
    assert len(shares) == 5


def test_the_first_row_of_both_tables_is_the_judge_that_which_names_first() -> None:
    """P4: `epc which` and the tables of judges name one judge first, with its month and marks."""
    choice = choose(REGISTRY(), "all", REAL_DAY)
    assert choice.first
    (name,) = choice.first.way.models
    alone = {o.way.models[0]: o for o in choice.ranked[::-1] if len(o.way.models) == 1}

    for page in ("index.md", "evaluators/index.md"):
        rows = {re.split(r"evaluators/|/\"", row)[1]: row for row in table(page, "judges-table")}
        assert next(iter(rows)) == name
        assert f"<small>{choice.first.dated}</small>" in rows[name]
        for model, row in rows.items():
            assert ("</a> †" in row) == (model in alone and bool(alone[model].faults)), model


def test_all_measured_judges_are_in_the_list_and_counted_on_the_front_page() -> None:
    all_verdict_tables = table("evaluators/index.md", "judges-table")
    all_verdict_tables += table("evaluators/index.md", "other-judges")

    assert f">all {len(all_verdict_tables)}</a>" in PAGES["index.md"]
    assert set(table("index.md", "judges-table")[0].split()) & set(all_verdict_tables[0].split())


def test_what_changed_names_the_newest_days() -> None:
    news = PAGES["index.md"].split('class="epc-news"')[1].split("</ul>")[0]
    days = [date.fromisoformat(day) for day in re.findall(r'datetime="([^"]+)"', news)]

    assert len(days) == 2
    assert days == sorted(days, reverse=True)
    assert days[0] <= REAL_DAY


def test_the_example_read_aloud_states_the_numbers_of_a_published_measurement() -> None:
    page = PAGES["snapshots/index.md"]
    printed_text = page.split('<ol class="epc-told">')[1].split("</ol>")[0]
    tag = re.search(r'read aloud</h2>.*?<a href="([^"]+)/"', page, re.DOTALL)

    assert tag
    snapshot = REGISTRY().snapshots[tag[1]]
    assert not snapshot.calibration
    assert not snapshot.failed
    assert snapshot.audit
    into = max(snapshot.audit.crossing.values(), key=lambda each: each.regret)
    said = markup_text(printed_text)
    assert len(re.findall("<li>", printed_text)) == 5
    assert f"made {100 * into.redirected:.1f}% of its choices" in said
    assert f"chance alone gives {100 * into.chance:.1f}%" in said
    assert f"{100 * into.regret:+.1f} points" in said
    assert f"{snapshot.n} times over" in said
    assert str(snapshot.verdict).replace("_", " ") in said


def tags_in_order(page: str) -> list[str]:
    return re.findall(r'<tr data-tag="([^"]+)"', PAGES[page])


def test_every_snapshot_stands_open_in_one_of_two_tables_examples_last() -> None:
    registry = REGISTRY()
    current, expired = map(tags_in_order, ("snapshots/index.md", "expired.md"))
    states = snapshot_states(registry, REAL_DAY)
    days = [states[tag].since for tag in expired]
    failed = [registry.snapshots[tag].failed for tag in expired]

    assert sorted([*current, *expired]) == sorted(registry.snapshots)
    assert all(states[tag].status == "expired" for tag in expired)
    assert not any(states[tag].status == "expired" for tag in current)
    assert "<details" not in PAGES["expired.md"]
    assert "<details" not in PAGES["snapshots/index.md"].split("</table>")[0]
    last = [(registry.snapshots[t].failed, registry.snapshots[t].is_example) for t in current]
    assert last == sorted(last), "examples behind judges that people use, failed runs behind all"
    assert failed == sorted(failed)
    standing = [day for day, broken in zip(days, failed, strict=True) if day and not broken]
    assert standing == sorted(standing, reverse=True), "the last expired first"


def test_reading_r93_the_page_of_loops_says_who_lost_and_the_front_page_leads_to_it() -> None:
    """Values of the published files, by hand: -0.0336 [-0.0455, -0.0217] and -0.0257."""
    loops, front = (re.sub(r"<[^>]+>", " ", unescape(PAGES[p])) for p in ("loops.md", "index.md"))
    loops, front = (" ".join(text.split()) for text in (loops, front))

    worst = "Judge said +0.08 [+0.05, +0.10] Asked "
    worst += "afresh -0.04 [-0.05, -0.02] Right of 100 -3.4 [-4.6, -2.2]"
    assert worst in loops
    assert f"claude-sonnet-4-6 , 30 runs, by April 2026 {worst}" in front
    assert 'href="loops/"' in PAGES["index.md"]
    assert "right answers fell under all of them" in loops
    row = "gpt-5.4-mini by April 2026 (too old) from a good start +0.13 [+0.09, +0.17] "
    row += "-0.00 [-0.02, +0.01] -2.6 [-3.4, -1.7] 30"
    assert row in loops or row.replace("-0.00 [", "+0.00 [") in loops
    assert loops.count("30 runs from a good start lost") == 5
    assert "from a weak start lost" not in loops


def test_the_page_of_comparisons_opens_with_two_judges_that_have_common_figures() -> None:
    selected = re.findall(r'<option value="([^"]+)" data-verdicts selected>', PAGES["compare.md"])
    left, right = (figures_by_name(REGISTRY().snapshots[tag]) for tag in selected)

    assert selected == ["v1.0-claude-haiku-4-5-20251001", "v1.0-claude-sonnet-4-6"]
    assert f"epc compare {' '.join(selected)}" in PAGES["compare.md"]
    assert len(set(left) & set(right)) > 10


def test_a_line_names_the_judge_as_people_type_it_and_its_headline_figure() -> None:
    """Values of the published files: 84.1 of 100 in 41,520 verdicts on 1,730 items."""
    tables = PAGES["snapshots/index.md"] + PAGES["expired.md"]

    def line(tag: str) -> str:
        row = tables.split(f'<tr data-tag="{tag}"')[1].split("</tr>", maxsplit=1)[0]
        return unescape(" ".join(re.sub(r"<[^>]+>", " ", row.split(">", 1)[1]).split()))

    assert line("v1.0-gpt-5.4").startswith("gpt-5.4 v1.0, observed; RewardBench 2, Composo's")
    assert "84.1 [82.8, 85.3] accuracy, of 100 41,520 on 1,730 items" in line("v1.0-gpt-5.4")
    assert line("v1.1-GPT4o-0806").startswith("gpt-4o-2024-08-06 proxy v1.1, reported; the paper")
    assert "-2.6 [-3.4, -1.7] right answers of 100, change" in line("v1.1-gpt-5.4-mini")
    assert "1.89 [1.27, 2.50] " in line("v1.0-command-a-03-2025")
    assert "failed run, not ranked" in line("v1.0-QwenPlus-0626")


def test_the_state_of_the_judges_counts_a_month_as_its_dates_and_events_do() -> None:
    registry = REGISTRY()
    gone = {
        name
        for name, generation in registry.generations.items()
        for life in generation.lives
        if (state := registry.of_life(name, life, REAL_DAY)).status == "expired"
        and state.until
        and (state.until.year, state.until.month) == (2026, 10)
    }
    released: dict[str, list[date]] = {
        name: [life.released.date for life in generation.lives if life.released]
        for name, generation in registry.generations.items()
    }
    came = {n for n, days in released.items() if days and f"{min(days)}".startswith("2026-08")}
    assert gone
    assert came

    months = dict(
        re.findall(r'<h2 id="m([\d-]+)">.*?</h2>\s*<p>(.*?)</p>', PAGES["changes.md"], re.DOTALL)
    )

    assert len(months) == 12
    assert markup_text(months["2026-10"]).startswith(f"{len(gone)} models ended on a platform")
    assert f"{len(came)} new models" in markup_text(months["2026-08"])


def test_the_line_of_a_judge_on_the_page_of_successors_has_its_answer() -> None:
    registry = REGISTRY()
    kept_verdict_store = VerdictStore.from_registry(registry, str(ROOT))
    judges = [subject(registry, name, REAL_DAY) for name in ("gpt-5.4-nano", "gpt-4")]
    successions = tuple(
        succession_of(registry, judge, REAL_DAY, agreement_in_store(kept_verdict_store, judge))
        for judge in judges
    )
    page = list_page(replace(SITE[0], successions=successions), "succession.md")
    line = r'<summary><h2>(.*?)</h2><span class="epc-brief">(.*?)</span></summary>'
    lines = dict(re.findall(line, page))
    named = "named by openai; agreement not in this registry"
    for succession, model in zip(successions, ("gpt-6-luna", "gpt-5.6-sol"), strict=True):
        assert markup_text(lines[succession.name]) == f"{model}, {named}"
        printed_text = text(succession)
        assert printed_text.startswith(f"{succession.name}: {model}, {named}. ")
    assert len(lines) == len(successions)


def test_settings_are_drawn_best_first_on_the_scale_of_their_range() -> None:
    (page,) = [page for page in SITE[0].snapshots if page.row.tag == "v1.0-gpt-4"]
    forest = result_chart(page.row, None)
    assert forest
    (panel,) = forest.panels
    values = [mark.value for mark in panel.marks]

    assert 0.7 < values[-1] < values[0] < 0.9
    assert values == sorted(values, reverse=True)
    picture = str(drawn(forest))
    assert "The scale begins at 0.7." in picture
    assert re.findall(r">([\d.]+)</text>", picture) == ["0.7", "0.75", "0.8", "0.85", "0.9"]
    assert "begins" not in str(drawn(replace(forest, panels=[replace(panel, reach=(0, 1))])))


def test_a_promise_that_has_passed_is_no_day_until_which_a_judge_is_served() -> None:
    passed = 0
    for page in SITE[0].evaluators:
        for platform in page.platforms:
            promised, day = platform.standing.state.not_before, platform.standing.day(REAL_DAY)
            passed += promised is not None and promised <= REAL_DAY and day is None
        second = context(SITE[0], page)["second"]
        assert second in (None, page.gravest) or second.standing.day(REAL_DAY) is not None
    assert passed


def test_the_answers_to_which_judge_are_those_of_the_command_on_both_days_of_a_month() -> None:
    """Claude Haiku 4.5 was seen on 20 November; from 21 March nobody confirms it any more."""
    first, last = "2027-03-01", "2027-03-31"
    change = replace(SITE[0].changes[-1], date=date(2027, 3, 15))
    later_site = replace(SITE[0], as_of=date(2027, 3, 31), changes=(*SITE[0].changes, change))
    march = list_page(later_site, "changes.md").split('<h2 id="m')[1]
    rows = [
        [markup_text(cell) for cell in re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row, re.DOTALL)]
        for row in re.findall(r"<tr>.*?</tr>", march, re.DOTALL)
    ]
    (safety,) = [row for row in rows if row[0] == "Safety"]

    for day, shown in zip((first, last), safety[1:], strict=True):
        done = epc("which", "--domain", "safety", "--as-of", day, "--format", "json")
        listed = json.loads(done.stdout)["short"]["options"]
        assert [way.split(",")[0] for way in shown.split("; ")] == [
            " and ".join(option["way"]["models"]) for option in listed
        ]
    assert "claude-haiku-4-5" in safety[1]
    assert "claude-haiku-4-5" not in safety[2]
    assert "Which judge? The answer is the same on 1 Oct" in PAGES["changes.md"]


def test_epc_5_2_the_page_of_sizes_has_gamma_and_floor_of_each_judge_and_no_trend() -> None:
    """Gamma is the mean of the seeds in the published manifest, worked out here."""
    site = collect(ROOT, as_of=date(2026, 11, 29), address="")
    page = " ".join(re.sub(r"<[^>]+>", " ", unescape(list_page(site, "coupling.md"))).split())
    assert "None of six measurements of three sizes shows coupling for the domains" in page

    written = "v1.0-qwen2.5-coder-0.5b", "v1.3-qwen2.5-coder-1.5b", "v1.1-SmolLM2-135M"
    for tag in (*written, "v1.0-qwen2.5-coder-1.5b-likelihood"):
        manifest = json.loads((ROOT / "snapshots" / tag / "manifest.json").read_text("utf-8"))
        for direction in ("text_to_visual", "visual_to_text"):
            gammas = [seed["gamma"][direction] for seed in manifest["results"]["per_seed"]]
            words = direction.replace("_", " ")
            assert f"{words} {sum(gammas) / len(gammas):.2f} [" in page, (tag, direction)
    assert "of two equal answers it said A in 14 of 14" in page
    assert "SmolLM2-135M couples less: 99 of 100 comparisons were ties" in page
    assert "That coupling shrinks, or grows, with size" in page
