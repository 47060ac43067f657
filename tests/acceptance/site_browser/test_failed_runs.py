"""Runs that failed are marked and never ranked: in a browser, without scripts, in the exports."""

import json
import re
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from browser_support import visit
from playwright.sync_api import Browser, Page
from registry_support import generation_record, life_record
from shared_support import shared
from site_support import AS_OF, BuiltSite, build, furnished, measured

from epc.records.strict_json import dumps

FAILED, EXPIRED = "v1.0-Judge-5", "v1.0-Judge-7"
FAULTS = [
    {"id": "totals", "says": "The totals differ."},
    {"id": "failed-runs", "says": "25 of 30 seeds counted no verdict."},
]


def reported(made: Any, name: str, gamma: float, **fields: Any) -> Path:
    """Publish a reported snapshot with a gamma of its own."""
    life = life_record(model=name.lower(), platform="cloud")
    made.evaluator(generation_record(name, life))
    model = {"model": name.lower(), "platform": "cloud", "gateway": None, "proxy": False}
    folder: Path = made.publish(f"v1.0-{name}", evaluator=model | {"as_printed": None}, **fields)
    figures = {"n": 30, "gamma": {"text_to_visual": {"mean": gamma, "ci95": None}}}
    (folder / "metrics.json").write_text(dumps({"kind": "reported", "figures": figures}))
    made.seal(folder.name)
    return folder


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> BuiltSite:
    return shared(tmp_path_factory, "failed", _site)


def _site(folder: Path) -> BuiltSite:
    """Return a site on which the smallest gammas, and the latest end, are of runs that failed."""
    checkout = furnished(folder / "clone")
    reported(checkout, "Judge-5", 0.187, known_faults=FAULTS)
    reported(checkout, "Judge-6", 0.9)
    reported(checkout, "Judge-7", 0.033, known_faults=FAULTS)
    end = {"date": "2026-03-10", "event": "expired", "cause": "stale", "reason": "old"}
    checkout.tell(end | {"tag": EXPIRED, "source": "https://maker.example/ends"})
    measured(checkout)
    measured(checkout, generation="Scripted-Ties", rounds=4)
    card = checkout.home / "v1.0-Scripted-Ties" / "snapshot.json"
    document = json.loads(card.read_text())
    document["audit"]["verdict"] = "no_verdicts_counted"
    card.write_text(dumps(document))
    checkout.seal(card.parent.name)
    return build(checkout)


def rows(site: BuiltSite, path: str, table: str) -> list[str]:
    """Return the tags of a table in the order of the page's own bytes."""
    body = site.text(f"{path}index.html").split(f'id="{table}"', 1)[1].split("</table>", 1)[0]
    return re.findall(r'<tr data-tag="([^"]+)"', body)


@pytest.mark.parametrize(
    ("path", "table", "failed"),
    [
        ("expired/", "expired-table", ["v1.0-Judge-7"]),
        ("snapshots/", "current-table", ["v1.0-Judge-5", "v1.0-Scripted-Ties"]),
    ],
)
def test_reading_r8_without_scripts_failed_runs_stand_after_all_that_can_be_ranked(
    site: BuiltSite, path: str, table: str, failed: list[str]
) -> None:
    actual_rows = rows(site, path, table)

    assert len(actual_rows) > len(failed)
    assert actual_rows[-len(failed) :] == failed


def visible_tags(page: Page, table: str) -> list[str]:
    texts: list[str] = page.evaluate(
        "(id) => [...document.querySelectorAll(`#${id} tbody tr`)].map((r) => r.dataset.tag)", table
    )
    return texts


def test_reading_r8_no_order_of_any_column_ranks_a_failed_run(browser: Browser, home: str) -> None:
    with visit(browser, home) as opened:
        opened.page.clock.set_fixed_time(f"{AS_OF}T12:00:00Z")
        page = opened.to("snapshots/")
        heads = page.locator("#current-table thead button")
        assert heads.all_inner_texts() == ["Judge", "State", "n", "As of", "Published"]
        for place in range(heads.count()):
            for _ in range(2):
                heads.nth(place).click()
                last = visible_tags(page, "current-table")[-2:]
                assert set(last) == {FAILED, "v1.0-Scripted-Ties"}
        page = opened.to("expired/")
        for place in range(page.locator("#expired-table thead button").count()):
            for _ in range(2):
                page.locator("#expired-table thead button").nth(place).click()
                assert visible_tags(page, "expired-table")[-1] == EXPIRED
        assert opened.complaints == []


def test_a_failed_run_that_expires_after_the_page_was_built_is_no_first_either(
    browser: Browser, home: str
) -> None:
    with visit(browser, home) as opened:
        opened.page.clock.set_fixed_time("2027-01-15T12:00:00Z")
        found = visible_tags(opened.to("expired/"), "expired-table")
        assert set(found[-2:]) == {FAILED, EXPIRED}
        assert len(found) > 2


def test_failed_runs_are_marked_wherever_they_are_named(site: BuiltSite) -> None:
    for path in ("snapshots/", "evaluators/Judge-5/", f"snapshots/{FAILED}/"):
        text = site.text(f"{path}index.html")
        assert '<span class="epc-failed">failed run</span>' in text, path
    assert f">{FAILED} (failed run)</option>" in site.text("compare/index.html")
    assert f"[{FAILED}]" in site.text("llms.txt")
    assert "failed run" in site.text("llms.txt").split(f"[{FAILED}]")[1].split("\n")[0]
    for page in ("v1.0-Judge-6", "v1.0-CoinFlip"):
        assert "epc-failed" not in site.text(f"snapshots/{page}/index.html")


def test_a_failed_run_is_no_evaluators_baseline(site: BuiltSite) -> None:
    page = site.text("evaluators/Judge-5/index.html")

    assert "no verdict was counted" in page
    assert "EPC Judge-5: failed run" in site.text("badges/Judge-5.svg")
    assert "#555555" in site.text("badges/Judge-5.svg")


def test_a_failed_run_prints_no_excess_beside_its_word(site: BuiltSite) -> None:
    mean = json.loads(site.text("api/v1/snapshots/v1.0-Scripted-Ties.json"))["figures"]["control"][
        "excess"
    ]
    value = f'<data value="{mean["text_to_visual"]["mean"]}"'

    def excess(path: str, start: str) -> str:
        return site.text(path).split(start, 1)[1].split("</tr>", 1)[0]

    own_text = excess(
        "snapshots/v1.0-Scripted-Ties/index.html", ">excess coupling</a>, with its 95% interval"
    )
    row = excess("snapshots/index.html", 'data-tag="v1.0-Scripted-Ties"')

    assert "a failed run has none" in own_text
    assert "<data" not in own_text
    assert '<span class="epc-none">failed run, not ranked</span>' in row
    assert "<svg" not in row
    assert value not in row


def test_comparing_with_a_failed_run_says_so_and_states_no_difference(
    browser: Browser, home: str
) -> None:
    with visit(browser, home) as opened:
        page = opened.to(f"compare/?a={FAILED}&b=v1.0-Judge-6")
        assert "failed run" in page.locator("#comparison").inner_text()
        assert page.locator("#comparison table").last.locator("td:nth-child(4) data").count() == 0


COLUMNS = {"state", "reason", "since", "until", "as_of", "audit", "failed", "faults", "model"}


def test_the_exports_say_of_every_row_whether_it_may_be_used(site: BuiltSite) -> None:
    words = StringIO(site.text("figures.csv"))
    table = pd.read_csv(words, dtype=str, keep_default_na=False)
    columnar = pq.read_table(BytesIO((site.out / "figures.parquet").read_bytes()))

    assert columnar.schema.field("failed").type == pa.bool_()
    assert columnar.schema.field("since").type == pa.date32()
    typed = columnar.to_pandas().astype(str).replace({"True": "true", "False": "false"})
    for frame in (table, typed):
        assert set(frame.columns) >= COLUMNS
        by_tag = frame.drop_duplicates("tag").set_index("tag")
        failed = by_tag.loc[FAILED]
        assert (failed["failed"], failed["faults"]) == ("true", "totals failed-runs")
        assert (failed["model"], failed["state"]) == ("cloud/judge-5", "current")
        assert failed["as_of"] == AS_OF
        ended = by_tag.loc[EXPIRED]
        assert (ended["state"], ended["reason"]) == ("expired", "stale")
        assert ended["since"] == "2026-03-10"
        ties = by_tag.loc["v1.0-Scripted-Ties"]
        assert (ties["audit"], ties["failed"]) == ("no_verdicts_counted", "true")
        assert by_tag.loc["v1.0-Judge-6", "failed"] == "false"
        assert by_tag.loc["v1.0-Judge-6", "until"] != ""
    ranked = table[(table["figure"] == "gamma/text_to_visual") & (table["failed"] == "false")]
    assert FAILED not in set(ranked["tag"])


def test_croissant_describes_the_columns_that_the_table_has(site: BuiltSite) -> None:
    records = json.loads(site.text("croissant.json"))["recordSet"]
    (record,) = (each for each in records if each["name"] == "figures")
    fields = {field["name"]: field for field in record["field"]}

    assert set(fields) == set(pd.read_csv(StringIO(site.text("figures.csv"))).columns)
    assert set(fields) >= COLUMNS
    assert fields["until"]["dataType"] == "sc:Date"


def test_the_index_for_programs_marks_it(site: BuiltSite) -> None:
    index = json.loads(site.text("api/v1/index.json"))["snapshots"]

    assert {row["tag"] for row in index if row["failed"]} == {FAILED, EXPIRED, "v1.0-Scripted-Ties"}
    assert json.loads(site.text(f"api/v1/snapshots/{FAILED}.json"))["failed"] is True
