"""What the site shows of a judge's evaluations: the command line's digits, apart from gammas."""

import json
import re
from collections.abc import Iterator
from datetime import date
from html import unescape
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from judge_support import grid, write_rows
from registry_support import date_claim, generation_record, life_record
from shared_support import shared
from site_support import (
    WEIGHTS,
    BuiltSite,
    build,
    epc,
    evaluated,
    evaluated_by_endpoint,
    judged,
    with_documents,
)

from epc.site.collecting import collect
from epc.site.rendering import lists

MOCK, HOSTED, REPORTED = "v1.0-CarelessJudge", "v1.1-Judge-1", "v1.0-Judge-1"
FAILED = "v1.0-DigestJudge"


@pytest.fixture(scope="module")
def judging(tmp_path_factory: pytest.TempPathFactory) -> BuiltSite:
    return shared(tmp_path_factory, "judging", _judging)


def _judging(folder: Path) -> BuiltSite:
    """A model with a reported gamma that judged outputs as well, and a mock that judged."""
    checkout = with_documents(folder / "clone")
    life = life_record(platform="self-hosted", model="judge-1", retires=date_claim("2026-05-20"))
    checkout.evaluator(generation_record("Judge-1", life))
    checkout.publish(REPORTED)
    careless = evaluated(checkout.folder.parent / "careless")
    epc(checkout.folder, "judge", "competence", str(careless), "--pairs", "8", code=1)
    said = [{"output_id": row["output_id"], "verdict": "PASS"} for row in grid("1234", "ABC")]
    labels = write_rows(checkout.folder.parent / "labels.jsonl", said)
    epc(checkout.folder, "judge", "label", str(labels), str(careless))
    judged(checkout, careless)
    judged(
        checkout,
        evaluated_by_endpoint(checkout.folder.parent / "hosted"),
        generation="Judge-1",
        weights=WEIGHTS,
    )
    blank = [{**row, "output": " "} for row in grid()]  # nothing can be quoted from these
    failing = evaluated(checkout.folder.parent / "failing", judge="mock/judge", rows=blank)
    assert judged(checkout, failing, generation="DigestJudge") == FAILED
    return build(checkout)


def table(site: BuiltSite, path: str, name: str) -> str:
    """Return a table's markup; empty if the page has none of that name."""
    return table_of(site.text(path), name)


def table_of(page: str, name: str) -> str:
    match = re.search(rf'<table[^>]*\bid="{name}".*?</table>', unescape(page), re.DOTALL)
    return match[0] if match else ""


def without_tags(page: str) -> str:
    """Return a page's text; the glossary's terms are links within it."""
    return re.sub(r"<[^>]+>", "", page)


def test_the_page_of_a_judge_says_how_it_scored_planted_texts(judging: BuiltSite) -> None:
    """These outputs have no task on record: none can be off it, or lack a section of it."""
    verdict_table = table(judging, f"snapshots/{MOCK}/index.html", "competence")

    assert 'Texts made from <data value="8">8</data> outputs' in verdict_table
    assert re.findall(r'<th scope="row">(.*?)</th>', verdict_table) == [
        "all that are worth less",
        "padded",
        "same text",
        "shuffled",
        "truncated",
    ]
    assert (
        "competence" not in judging.text(f"snapshots/{HOSTED}/index.html").split("epc-gallery")[0]
    )


def estimates(given: Any) -> Iterator[float]:
    """Yield each mean of a document with the ends of its interval."""
    if isinstance(given, list):
        for item in given:
            yield from estimates(item)
    elif isinstance(given, dict):
        if isinstance(given.get("mean"), float):
            yield from (given["mean"], *(given["ci95"] or ()))
        for item in given.values():
            yield from estimates(item)


@pytest.mark.parametrize("tag", [MOCK, HOSTED])
def test_its_page_holds_every_share_of_the_report_digit_for_digit(
    judging: BuiltSite, tag: str
) -> None:
    repeated_folder = judging.checkout.folder.parent / f"again-{tag}"
    epc(judging.checkout.folder, "snapshot", "fetch", tag, "--out", str(repeated_folder))
    arguments = ("judge", "report", str(repeated_folder), "--format", "json")
    (report,) = json.loads(epc(repeated_folder, *arguments).stdout)["evaluations"]
    page = judging.text(f"snapshots/{tag}/index.html")

    shares = [report["primary"]["all"], *report["primary"]["prompt_variant"]]
    compared = 0
    for group in (*shares, *report["primary"]["target_model"]):
        for found in (*group["verdicts"].values(), group["invalid"]):
            for value in (found["share"], *(found["ci95"] or ())):
                if value is not None:
                    assert f'<data value="{json.dumps(value)}">' in page
                    compared += 1
    assert compared > 20
    assert list(estimates(report["primary"]["all"]["dimensions"]))
    for value in estimates([group["overall_score"] for group in shares]):
        assert f'<data value="{json.dumps(value)}">' in page


def test_its_page_has_flags_prompt_provenance_and_the_commands(judging: BuiltSite) -> None:
    page = judging.text(f"snapshots/{MOCK}/index.html")
    figures = json.loads(judging.text(f"api/v1/snapshots/{MOCK}.json"))["figures"]
    flags = table(judging, f"snapshots/{MOCK}/index.html", "flags-cross_judge")

    assert figures["totals"]["cross_judge"]["flags"]
    for flag, count in figures["totals"]["cross_judge"]["flags"].items():
        assert re.search(rf'{flag}</th>\s*<td><data value="{count}">', flags), flag
    for text in (
        f"epc judge check {MOCK}",
        f"epc snapshot recompute {MOCK}",
        f"dvc pull snapshots/{MOCK}",
    ):
        assert text in page.replace("&#10;", "\n"), text
    assert "git checkout" not in page, "a clone may have no tags"
    assert "gamma" not in page.split("<article")[1].split("</article>")[0]
    actual_text = judging.text("search/search_index.json")
    assert "CarelessJudge" in actual_text, "the tables of snapshots are found by a judge's name"


def test_readings_r24_to_r27_judges_of_one_set_stand_side_by_side(judging: BuiltSite) -> None:
    """Two snapshots, one set of outputs: each page and its JSON have both judges."""
    for tag, other in ((MOCK, HOSTED), (HOSTED, MOCK)):
        rows = table(judging, f"snapshots/{tag}/index.html", "judges")
        agreeing = table(judging, f"snapshots/{tag}/index.html", "agreement")
        answer = json.loads(judging.text(f"api/v1/snapshots/{tag}.json"))["judges"]

        assert f'href="../{other}/"' in rows
        assert [judge["name"] for judge in answer["judges"]] == [tag, other]
        assert [judge["unlike"] for judge in answer["judges"]] == [[], []]
        (pair,) = answer["readable"]["pairs"]
        assert pair["judges"] == ["llamacpp/judge-1", "mock/careless-judge"]
        assert 0 < pair["compared"]["outputs"] <= 12
        assert "llamacpp/judge-1 and mock/careless-judge" in agreeing
        assert "all readable scores" in agreeing
        careless = next(judge for judge in answer["judges"] if judge["name"] == MOCK)
        assert careless["invalid"]["count"] == 12 - careless["valid"] > 0
        assert careless["evidence"]["kinds"]["invented"]["count"] >= 0


def test_judges_side_by_side_have_what_tests_and_people_say_of_them(judging: BuiltSite) -> None:
    """One judge was tested and its outputs labelled; of the other, the table says so."""
    figures = json.loads(judging.text(f"api/v1/snapshots/{MOCK}.json"))["figures"]
    word = figures["competence"]["word"]
    for tag in (MOCK, HOSTED):
        rows = table(judging, f"snapshots/{tag}/index.html", "judges-tested").split("<tr>")
        ours = next(row for row in rows if "mock/careless-judge" in row)
        other_rows = next(row for row in rows if "llamacpp/judge-1" in row)
        judges = json.loads(judging.text(f"api/v1/snapshots/{tag}.json"))["judges"]["judges"]
        tested = {judge["name"]: judge["tested"] for judge in judges}

        assert f"{word.replace('_', ' ')}: " in ours
        assert f'<data value="{figures["competence"]["detected"]["mean"]}">' in ours
        assert f'<data value="{figures["labels"]["same_verdict"]["mean"]}">' in ours
        assert tested[MOCK]["competence"]["word"] == word
        assert (
            tested[MOCK]["labels"]["outputs"] == figures["labels"]["labelled"] == figures["valid"]
        )
        assert ("not tested" in other_rows, "no labels" in other_rows) == (True, True)
        assert tested[HOSTED] == {"competence": None, "labels": None}
    people = table(judging, f"snapshots/{MOCK}/index.html", "labels")
    passed = figures["verdict"]["PASS"]["mean"]
    assert figures["labels"]["same_verdict"]["mean"] == passed, "people passed every output"
    assert f'<data value="{passed}">' in people


def test_reading_r23_a_judge_without_a_valid_evaluation_is_shown_as_failed(
    judging: BuiltSite,
) -> None:
    page = unescape(judging.text(f"snapshots/{FAILED}/index.html"))
    (row,) = re.findall(
        rf'<tr [^>]*data-tag="{FAILED}".*?</tr>',
        table(judging, "snapshots/index.html", "current-table"),
        re.DOTALL,
    )
    rows = json.loads(judging.text("api/v1/index.json"))["snapshots"]

    assert "failed run" in page
    assert "no evaluation by this judge is valid" in without_tags(page)
    assert "It is never ranked" in page
    assert "data-failed" in row.split(">")[0], "tables put it last in every order"
    assert "failed run" in row
    assert [table_row["tag"] for table_row in rows if table_row["failed"]] == [FAILED]
    assert json.loads(judging.text(f"api/v1/snapshots/{FAILED}.json"))["failed"] is True


def test_it_is_cited_as_what_it_is(judging: BuiltSite) -> None:
    page = unescape(judging.text(f"snapshots/{HOSTED}/index.html"))

    assert f"{HOSTED}: a judge's scores" in page
    assert "Outputs scored by a judge model, no coupling; N = 12; recomputed" in page
    assert "EPC baseline" not in page
    reported = unescape(judging.text(f"snapshots/{REPORTED}/index.html"))
    assert "Cite it: The authors of w. w. w, p. a As transcribed in: EPC reg" in without_tags(
        reported
    )


def test_its_prompt_stands_on_its_page_verbatim(judging: BuiltSite) -> None:
    page = judging.text(f"snapshots/{MOCK}/index.html")
    prompt = (files("epc.spec") / "judge_prompts" / "judge-v1.txt").read_text("utf-8")

    assert prompt.strip() in unescape(page)


def test_gammas_and_shares_are_never_ranked_together(judging: BuiltSite) -> None:
    current = table(judging, "snapshots/index.html", "current-table")
    history = table(judging, "evaluators/Judge-1/index.html", "history-table")

    assert REPORTED in current
    assert MOCK in current
    assert HOSTED in current
    heads = re.findall(r"<th scope=\"col\"[^>]*>[^<]*", current)
    (unsorted,) = (head for head in heads if "data-unsorted" in head)
    assert "Headline figure" in unsorted, "the column of figures has no order"
    assert "Figures of different kinds are not comparable" in judging.text("snapshots/index.html")
    assert MOCK not in history
    assert HOSTED not in history
    assert HOSTED in table(judging, "evaluators/Judge-1/index.html", "judged-table")


def test_a_judges_scores_are_no_baseline_of_an_evaluator(judging: BuiltSite) -> None:
    badge = judging.text("badges/Judge-1.svg")

    assert "EPC Judge-1: v1.0 " in badge, "the newest baseline, not the newer judgments"


def test_it_expires_as_any_figure_does(judging: BuiltSite) -> None:
    """Judge-1 retires on 2026-05-20; the mock's scores do not age."""
    state = re.search(
        rf'<p class="epc-lead" data-tag="{HOSTED}"[^>]*>',
        judging.text(f"snapshots/{HOSTED}/index.html"),
    )
    assert state
    assert 'data-status="expiring"' in state[0]
    assert 'data-until="2026-05-20"' in state[0]
    assert HOSTED in judging.text("calendar.ics")

    later_site = collect(judging.checkout.folder, as_of=date(2026, 5, 20), address="")

    held_text = table_of(dict(lists(later_site))["expired.md"], "expired-table")
    assert HOSTED in held_text
    assert 'data-status="expired"' in held_text
    assert MOCK not in held_text
