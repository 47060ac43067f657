"""Issue 22: a measured page's trials replayed and changed in the browser, to the program's bits."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from browser_support import DESKTOP, PHONE, Visit
from msgspec.structs import replace
from playwright.sync_api import Locator, Page, Route
from registry_support import ROOT
from site_support import BuiltSite

from epc.audit.control import simulated
from epc.audit.coupling import these_tasks
from epc.audit.evidence import table_of
from epc.protocol.batch_replay import run_course
from epc.protocol.metrics import gamma
from epc.protocol.results import replay
from epc.protocol.table import VERDICTS, VerdictTable
from epc.protocol.verdict import Verdict
from epc.records.manifest import Manifest
from epc.records.typed import parse
from epc.registry.reading import of_folder
from epc.registry.store import listed
from epc.statistics.intervals import mean

HERE = "snapshots/v1.0-CoinFlip/"
SAME = "every draw, every choice, every weight, gamma and JSD is the published one to the last bit"
DIGESTS = "The SHA-256 of both files is the one that this page and the API publish."
DOMAINS = "v1.2-Flesch-Reading-Ease"  # three domains and a simulated control
TURNED = {Verdict.A: Verdict.B, Verdict.B: Verdict.A}
ADDED = 5
Figures = dict[str, dict[str, float]]


def in_the_browser(page: Page, module: str, body: str, given: Any) -> Any:
    """Call JavaScript with a module of the figure and a value."""
    module = f"await import('/epc/assets/replay/{module}.js')"
    return page.evaluate(f"async (given) => {{ const own = {module}; {body} }}", given)


def test_every_well_formed_conformance_vector_gives_the_programs_bits_in_the_browser(
    window: Callable[..., Visit],
) -> None:
    files = sorted((ROOT / "epc" / "spec" / "conformance" / "v1").glob("*.json"))
    cases = [case for file in files for case in json.loads(file.read_text())["cases"]]
    cases = [case for case in cases if "expect" in case]
    page = window().to("")

    found = in_the_browser(
        page, "protocol", "return given.map(own.answer)", [c["given"] for c in cases]
    )

    assert len(cases) > 140
    for case, answer in zip(cases, found, strict=True):
        assert answer == json.loads(json.dumps(replay(case["given"]))), case["id"]
        assert_near(answer, case["expect"], case["id"])


def assert_near(found: Any, expected: Any, where: str) -> None:
    """Assert agreement within 1e-12, as the vectors ask for it."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys(), where
        for key, value in expected.items():
            assert_near(found[key], value, f"{where} {key}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), where
        for left, right in zip(found, expected, strict=True):
            assert_near(left, right, where)
    else:
        assert abs(found - expected) <= 1e-12, where


def test_a_published_measurement_and_a_what_if_of_it_have_the_programs_bits(
    window: Callable[..., Visit],
) -> None:
    folder = ROOT / "snapshots" / DOMAINS
    store = ROOT / "snapshots" / ".store"
    pointer = (folder / "raw.dvc").read_text()
    places = listed(pointer, lambda place: (store / place).read_bytes())
    text = (folder / "manifest.json").read_text()
    manifest = parse(json.loads(text), Manifest)
    md5 = places["trials.jsonl"]
    trials = (store / "files" / "md5" / md5[:2] / md5[2:]).read_text()

    found = in_the_browser(
        window().to(""),
        "measurement",
        """
        const read = own.read(JSON.parse(given.manifest), given.trials);
        const { differ, runs } = own.replayed(read);
        const turned = { A: "B", B: "A", tie: "tie" };
        const table = own.changed(read.table, (verdict) => turned[verdict]);
        const more = own.runsOf(read, table, given.seeds);
        const published = own.figures(read, read.table, runs);
        return { differ, published, other: own.figures(read, table, more) };
        """,
        {"manifest": text, "trials": trials, "seeds": _seeds(manifest)},
    )

    assert found["differ"] == []
    control = manifest.results.summary.control
    crossing = of_folder(ROOT).snapshots[DOMAINS].audit
    assert crossing
    assert found["published"] == {
        direction: {
            "gamma": manifest.results.summary.gamma[direction].mean,
            "floor": control.noise_floor[direction].mean,
            "excess": control.excess[direction].mean,
            "redirected": into.these_tasks.redirected,
            "regret": into.these_tasks.regret,
        }
        for direction, into in crossing.crossing.items()
    }
    stated_verdict_table = json.loads(text)["results"]["verdict_table"]
    assert found["other"] == turned(
        manifest, table_of(stated_verdict_table, manifest.names, is_whole=False)
    )


def _seeds(manifest: Manifest) -> list[int]:
    own = [record.seed for record in manifest.results.per_seed]
    return [*own, *range(max(own) + 1, max(own) + 1 + ADDED)]


def turned(manifest: Manifest, given: VerdictTable) -> Figures:
    """Return the program's figures of a table with A and B exchanged, over a few seeds more."""
    config = manifest.configuration
    table = replace(given, counts={d: counts[..., [1, 0, 2]] for d, counts in given.counts.items()})
    course = run_course(_seeds(manifest), config.rounds, verdicts_by_domain(table), config.rule)
    assert course
    outcomes = course.outcomes()
    vectors = {phase.name: [o[phase.name].weights for o in outcomes] for phase in course.phases}
    figures: Figures = {}
    for direction, target in config.domains.target.items():
        gammas = [gamma(*pair) for pair in zip(vectors[direction], vectors[target], strict=True)]
        control = simulated(
            gammas,
            vectors[target],
            table=table,
            domain=target,
            rounds=config.rounds,
            rule=config.rule,
        )
        crossed = these_tasks(vectors, direction, table=table, config=config)
        figures[direction] = {
            "gamma": mean(gammas),
            "floor": control.floor,
            "excess": control.excess,
            "redirected": crossed.redirected,
            "regret": crossed.regret,
        }
    return figures


def verdicts_by_domain(table: VerdictTable) -> Mapping[str, list[list[Verdict | None]]]:
    """Return a table's verdicts, one for each pair."""
    return {
        domain: [
            [VERDICTS[cell.argmax()] if cell.any() else None for cell in row] for row in counts
        ]
        for domain, counts in table.counts.items()
    }


def opened(page: Page) -> Locator:
    """Open the figure, wait until it has replayed, and return what it says of itself."""
    page.locator(".epc-living > summary").click()
    state = page.locator(".epc-living-state")
    ended = state.filter(has_text="could not").or_(page.locator(".epc-living-figures caption"))
    ended.first.wait_for()
    assert page.locator(".epc-living-figures").count() == 1, state.inner_text()
    return state


def moved(page: Page) -> list[str]:
    return page.locator(".epc-living-figures tbody td:last-child").all_inner_texts()


def test_nothing_of_it_loads_until_the_reader_opens_it_and_then_only_from_this_site(
    window: Callable[..., Visit],
) -> None:
    visit, asked = window(), list[str]()
    visit.page.on("request", lambda request: asked.append(request.url.removeprefix(visit.home)))
    page = visit.to(HERE)
    assert [url for url in asked if "replay/" in url or ".store" in url] == [
        "assets/replay/open.js"
    ]

    locator = opened(page)

    assert locator.inner_text() == f"{DIGESTS} 3 seeds replayed: {SAME}."
    assert set(moved(page)) == {"same bits"}
    assert page.locator(".epc-living-figures caption").inner_text() == "As published."
    names = {url.rpartition("/")[2] for url in asked if "assets/replay/" in url}
    modules = {"open.js", "figure.js", "parts.js", "worker.js", "measurement.js", "protocol.js"}
    assert names <= {*modules, "arithmetic.js"}
    visit.assert_quiet()


def test_a_reader_steps_and_plays_through_the_rounds_by_keyboard(
    window: Callable[..., Visit],
) -> None:
    page = window().to(HERE)
    summary = page.locator(".epc-living > summary")
    summary.focus()
    page.keyboard.press("Enter")
    page.locator(".epc-living-figures tbody tr").first.wait_for()
    locator = page.locator(".epc-living-round")
    assert locator.inner_text() == "Before round 1 of 3. This phase trains on text."

    page.locator("select[name=phase]").focus()
    page.keyboard.press("Tab")  # to the round
    page.keyboard.press("ArrowRight")
    assert locator.inner_text().startswith(
        "Round 1 of 3: 0.637 draws task 6, 0.270 stops the wheel at"
    )
    weights = page.locator(".epc-living-weights td.epc-number").all_inner_texts()
    assert sum(map(float, weights)) == pytest.approx(1, abs=0.01)
    for name in ("Back", "Step", "Play"):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == name

    locator.evaluate(
        """told => {
            window.live = [];
            const note = () => window.live.push(told.getAttribute("aria-live"));
            new MutationObserver(note).observe(told, { attributeFilter: ["aria-live"] });
        }"""
    )
    page.keyboard.press("Enter")
    locator.filter(has_text="Round 3 of 3").wait_for()
    page.get_by_role("button", name="Play").wait_for()
    assert page.evaluate("live") == ["off", "polite"], "no sentence a round is read aloud"


def test_what_the_reader_changes_is_named_as_no_measurement_and_can_be_taken_back(
    window: Callable[..., Visit],
) -> None:
    page = window().to(HERE)
    locator = opened(page)
    caption = page.locator(".epc-living-figures caption")

    page.locator("select[name=every]").select_option("turned")
    locator.filter(has_text="What if").wait_for()
    assert caption.inner_text() == (
        "What if, no measurement: every verdict turned round (A for B, B for A)."
    )
    assert "same bits" not in moved(page)[0]
    page.get_by_role("button", name="Step").click()
    assert (
        page.locator(".epc-living-round").inner_text().startswith("What if, no measurement: round")
    )

    page.get_by_role("button", name="Add ten").click()
    locator.filter(has_text="13 seeds").wait_for()
    assert "10 further seeds" in caption.inner_text()
    assert "12 (added)" in page.locator("select[name=seed]").inner_text()

    page.get_by_role("button", name="Back to what is published").click()
    locator.filter(has_text=SAME).wait_for()
    assert set(moved(page)) == {"same bits"}

    page.locator("select[name=strategy]").select_option(label="synthesis")
    verdict = page.locator("select[name=verdict]")
    now = "B" if verdict.input_value() == "A" else "A"
    verdict.select_option(now)
    page.get_by_role("button", name="Set this verdict").click()
    locator.filter(has_text=f"synthesis on text task 1 set to {now}").wait_for()


def test_a_pair_that_nobody_asked_is_said_and_not_made_up(
    window: Callable[..., Visit], site: BuiltSite
) -> None:
    visit = window()
    files = (site.out / "snapshots" / ".store" / "files").rglob("*")
    texts = [path.read_bytes() for path in files if path.is_file()]
    (trials,) = [text for text in texts if b'"u_task"' in text]
    drawn = {
        (row["phase"].removesuffix("_start").rpartition("_")[2], row["strategy"], row["task"])
        for row in map(json.loads, trials.splitlines())
    }

    def lacking(route: Route) -> None:
        """Publish the same run without the verdicts that no round of it drew."""
        answer = route.fetch()
        manifest = answer.json()
        for domain, rows in manifest["results"]["verdict_table"]["counts"].items():
            for name, row in rows.items():
                kept = [(domain, name, task) in drawn for task in range(len(row))]
                pairs = zip(row, kept, strict=True)
                rows[name] = [cell if keep else [0, 0, 0] for cell, keep in pairs]
        route.fulfill(response=answer, body=json.dumps(manifest))

    visit.page.route("**/v1.0-CoinFlip/manifest.json", lacking)
    visit.page.add_init_script("Object.defineProperty(crypto, 'subtle', { value: undefined })")
    page = visit.to(HERE)
    locator = opened(page)
    assert "was not checked" in locator.inner_text()

    page.get_by_role("button", name="Add ten").click()

    locator.filter(has_text="10 seeds draw a pair that nobody asked, such as").wait_for()
    assert "cannot be replayed" in locator.inner_text()
    assert " 3 seeds." in locator.inner_text()


def test_rounds_that_were_asked_afresh_are_replayed_and_not_changed(
    window: Callable[..., Visit],
) -> None:
    visit = window()

    def afresh(route: Route) -> None:
        answer = route.fetch()
        manifest = answer.json()
        manifest["results"]["verdict_table"]["repeated"] = False
        route.fulfill(response=answer, body=json.dumps(manifest))

    visit.page.route("**/v1.0-CoinFlip/manifest.json", afresh)
    visit.page.add_init_script("Object.defineProperty(crypto, 'subtle', { value: undefined })")
    page = visit.to(HERE)

    assert SAME in opened(page).inner_text()
    assert "was asked afresh" in page.locator(".epc-living-figure").inner_text()
    assert page.locator("select[name=every]").count() == 0


def test_files_with_another_digest_are_not_replayed(window: Callable[..., Visit]) -> None:
    visit = window()

    def other(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace('"A"', '"B"', 1))

    visit.page.route("**/.store/**", other)
    page = visit.to(HERE)
    page.locator(".epc-living > summary").click()

    page.locator(".epc-living-state").filter(has_text="SHA-256 of raw/trials.jsonl").wait_for()
    assert page.locator(".epc-living-figures").count() == 0


@pytest.mark.parametrize(("width", "scheme"), [(DESKTOP, "light"), (PHONE, "dark")])
def test_the_open_figure_stands_in_nobodys_way_and_fits(
    window: Callable[..., Visit], width: int, scheme: str
) -> None:
    visit = window(width=width, color_scheme=scheme)
    page = visit.to(HERE)
    opened(page)

    assert visit.barriers() == []
    assert visit.wider_than_the_window() == []
    page.emulate_media(media="print")
    assert page.locator(".epc-living-controls").first.is_hidden()
    assert page.locator(".epc-living-figures").is_visible()


def test_reduced_motion_goes_to_the_end_at_once(window: Callable[..., Visit]) -> None:
    page = window(reduced_motion="reduce").to(HERE)
    opened(page)

    page.get_by_role("button", name="To the end").click()

    assert page.locator(".epc-living-round").inner_text().startswith("Round 3 of 3")


def test_without_scripts_the_section_says_what_does_the_same(
    window: Callable[..., Visit],
) -> None:
    page = window(java_script_enabled=False).to(HERE)
    page.locator(".epc-living > summary").click()

    text = page.locator(".epc-living").inner_text()
    assert "epc validate" in text
    assert "no measurement" in text
    assert page.locator(".epc-living :is(button, select, input)").count() == 0
