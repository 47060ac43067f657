"""What the site shows of verdicts that others recorded: apart from all that was measured here."""

import json
import re
from html import unescape
from pathlib import Path

import pytest
from observed_registry_support import (
    TAG,
    cloned,
    knows_the_judge,
    publish_scores,
    publish_verdicts,
)
from registry_support import git
from shared_support import shared
from site_support import AS_OF, BuiltSite, build, epc, with_documents

from epc.records.observed.shapes import SHAPES
from epc.records.schemas import findings

REPORTED, PAGE = "v1.0-Judge-1", f"snapshots/{TAG}/index.html"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> BuiltSite:
    return shared(tmp_path_factory, "observed", _site)


def _site(folder: Path) -> BuiltSite:
    """A registry with a reported gamma and with recorded verdicts of a retired judge."""
    made = with_documents(folder / "registry")
    knows_the_judge(made)
    made.publish(REPORTED)
    made.init()
    publish_scores(made)
    publish_verdicts(made.folder, cloned(folder / "clone"))
    return build(made)


def table(site: BuiltSite, path: str, name: str) -> str:
    found = re.search(rf'<table[^>]*\bid="{name}".*?</table>', unescape(site.text(path)), re.DOTALL)
    return found[0] if found else ""


def test_its_page_holds_every_figure_digit_for_digit_with_its_interval(site: BuiltSite) -> None:
    metrics = json.loads((site.checkout.home / TAG / "metrics.json").read_text())["figures"]

    compared = 0
    for group in metrics["groups"]:
        for name, figure in group["figures"].items():
            held = table(site, PAGE, f"figure-{name}")
            assert group["settings"][0] in held
            for value in (figure["value"], *(figure["ci95"] or ())):
                assert f'<data value="{json.dumps(value)}">' in held, name
                compared += 1
    assert compared > 20


def test_its_page_says_whose_it_is_what_is_unknown_and_what_is_left_out(site: BuiltSite) -> None:
    page = unescape(site.text(PAGE))
    commit = git(site.checkout.folder.parent / "clone", "rev-parse", "HEAD").strip()

    for said in (
        "Nothing of it was measured for this registry, and it says nothing of today.",
        "judge-0613, on a platform that nobody states",
        "on a day that nobody states",
        commit,
        *(fault.id for fault in SHAPES["llmbar"].faults_of(["judge-0613"])),
        "nothing was asked twice",
        f"git -C CLONE checkout {commit}",
        f"epc snapshot recompute {TAG} --source CLONE",
        "a judge's verdicts, recorded by others",
    ):
        assert said in page, said
    assert 'data-status="expired"' in page
    assert "EPC baseline" not in page
    assert "gamma" not in page.split("<article")[1].split("</article>")[0]
    assert "###" not in page


def test_reading_r24_published_judges_of_one_source_stand_beside_each_other(
    site: BuiltSite,
) -> None:
    """Each snapshot is cut to one judge; together they say who agrees and who favours itself."""
    answers = {
        judge: json.loads(site.text(f"api/v1/snapshots/v1.0-{judge}.json"))
        for judge in ("j-1", "k-1")
    }

    for answer in answers.values():
        assert findings("api_snapshot", answer) == []
        (pair,) = answer["beside"]["pairs"]
        assert pair["settings"] == ["j-1/s", "k-1/s"]
        said = {name: round(found["value"], 6) for name, found in pair["figures"].items()}
        assert said == {"score_shift": 0.333333, "score_within_1": 0.333333}  # -3, -1 and 5
    own = {judge: answer["beside"]["own"] for judge, answer in answers.items()}
    assert own["j-1"]["j-1/s"]["self_preference_score"]["value"] == 2  # 3 - 1
    assert own["k-1"]["k-1/s"]["self_preference_score"]["value"] == 6  # 5 - -1
    beside = table(site, "snapshots/v1.0-j-1/index.html", "beside-table")
    assert '<a href="../v1.0-k-1/">v1.0-k-1</a>' in beside
    assert '<data value="2.0">' in beside
    assert "beside" not in json.loads(site.text(f"api/v1/snapshots/{TAG}.json"))
    assert table(site, PAGE, "beside-table") == ""


def test_records_of_others_stand_in_tables_of_their_own(site: BuiltSite) -> None:
    for path, name in (
        ("index.html", "current-table"),
        ("snapshots/index.html", "all"),
        ("expired/index.html", "expired-table"),
        ("evaluators/Judge-0613/index.html", "history-table"),
    ):
        assert TAG not in table(site, path, name), path
    for path in (
        *("index.html", "snapshots/index.html", "expired/index.html"),
        "evaluators/Judge-0613/index.html",
    ):
        own = table(site, path, "observed-table")
        assert TAG in own, path
        assert REPORTED not in own
    badge = json.loads(site.text("api/v1/badges/Judge-0613.json"))
    assert badge["message"] == "no baseline"


def test_programs_get_it_by_the_published_schemas(site: BuiltSite) -> None:
    index = json.loads(site.text("api/v1/index.json"))
    words = ("snapshot", "list", "--as-of", AS_OF, "--format", "json")
    (row,) = (row for row in index["snapshots"] if row["tag"] == TAG)

    assert findings("api_index", index) == []
    assert index["snapshots"] == json.loads(epc(site.checkout.folder, *words).stdout)
    assert (row["kind"], row["trust"], row["n"]) == ("observed", "observed", 29)
    assert row["figure"] == "place_consistency/J/CoT"
    answer = json.loads(site.text(f"api/v1/snapshots/{TAG}.json"))
    assert findings("api_snapshot", answer) == []
    assert answer["measured"] is None
    names = {file["name"] for file in answer["files"]}
    assert {"observed.json", "raw/verdicts.parquet"} <= names
    assert f"{TAG}: published" in site.text("feed.xml")
    assert f"{TAG},Judge-0613,unknown/judge-0613,observed,observed,false," in site.text(
        "figures.csv"
    )
    linked = re.search(
        r'<script type="application/ld\+json">(.*?)</script>', site.text(PAGE), re.DOTALL
    )
    assert linked
    assert json.loads(linked[1])["temporalCoverage"] is None
    assert f'href="../../snapshots/{TAG}/' in site.text("evaluators/Judge-0613/index.html")
    assert TAG in json.dumps(json.loads(site.text("registry.json")))
