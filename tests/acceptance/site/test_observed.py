"""What the site shows of verdicts that others recorded: apart from all that was measured here."""

import json
import re
import shutil
from datetime import date
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
from registry_support import Checkout, commit, date_claim, generation_record, git, life_record
from shared_support import shared
from site_support import AS_OF, BuiltSite, build, epc, with_documents

from epc.answers.succession import successions
from epc.records.schemas import findings
from epc.records.verdicts.shapes import faults_of
from epc.registry.layout import STORE
from epc.registry.reading import of_folder
from epc.registry.succession import VerdictStore

REPORTED, PAGE = "v1.0-Judge-1", f"snapshots/{TAG}/index.html"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> BuiltSite:
    return shared(tmp_path_factory, "observed", _site)


def _site(folder: Path) -> BuiltSite:
    """A registry with a reported gamma and with recorded verdicts of a retired judge."""
    checkout = with_documents(folder / "registry")
    knows_the_judge(checkout)
    checkout.publish(REPORTED)
    checkout.init()
    publish_scores(checkout)
    publish_verdicts(checkout.folder, cloned(folder / "clone"))
    _publish_two_more(checkout, folder / "two.csv")
    return build(checkout)


def _publish_two_more(made: Checkout, table: Path) -> None:
    """Publish two judges of one table: Old-1 has retired, New-1 is served.

    The source spells both otherwise than
    the registry. Of twelve items in one order they agree on nine. The first place: Old-1 all,
    New-1 nine.
    """
    rows = ["item,question,a,b,first,verdict,model,prompt,subset,judge"]
    rows += [f"i{n},Q{n},yes,no,a,a,models/old-1,P,Easy,old-1" for n in range(12)]
    rows += [f"i{n},Q{n},yes,no,a,{'ab'[n > 8]},lab/new-1,P,Easy,new-1" for n in range(12)]
    table.write_text("\n".join(rows) + "\n")
    verdicts = table.with_suffix(".jsonl")
    stated_by = (
        "--repository",
        "https://git.example/two",
        "--commit",
        "c0ffee0",
        "--licence",
        "MIT",
    )
    epc(
        table.parent,
        "observe",
        "import",
        str(table),
        "--shape=csv",
        *stated_by,
        f"--out={verdicts}",
    )
    for name in ("old-1", "new-1"):
        end = {"retires": date_claim("2025-06-06")} if name == "old-1" else {}
        life = life_record(model=name, **end)
        made.evaluator(generation_record(name.title(), life))
        options = ("--judge", name, "--generation", name.title(), "--contributor", "A. Name")
        epc(made.folder, "admin", "snapshot", "publish", str(verdicts), *options, "--no-git")
        commit(made.folder, "publish")


def table(site: BuiltSite, path: str, name: str) -> str:
    match = re.search(rf'<table[^>]*\bid="{name}".*?</table>', unescape(site.text(path)), re.DOTALL)
    return match[0] if match else ""


def test_its_page_holds_every_figure_digit_for_digit_with_its_interval(site: BuiltSite) -> None:
    metrics = json.loads((site.checkout.home / TAG / "metrics.json").read_text())["figures"]

    compared = 0
    for group in metrics["groups"]:
        for name, figure in group["figures"].items():
            held_verdict_table = table(site, PAGE, f"figure-{name}")
            assert group["settings"][0] in held_verdict_table
            for value in (figure["value"], *(figure["ci95"] or ())):
                assert f'<data value="{json.dumps(value)}">' in held_verdict_table, name
                compared += 1
    assert compared > 20


def test_its_page_says_whose_it_is_what_is_unknown_and_what_is_left_out(site: BuiltSite) -> None:
    page = unescape(site.text(PAGE))
    commit = git(site.checkout.folder.parent / "clone", "rev-parse", "HEAD").strip()

    for said in (
        "Anything of the model as it is served today: nothing was measured for this registry.",
        "judge-0613, on a platform that nobody states",
        "on a day that nobody states",
        commit,
        *(fault.id for fault in faults_of("llmbar", ["judge-0613"])),
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
        said = {name: round(figure["value"], 6) for name, figure in pair["figures"].items()}
        assert said == {"score_shift": 0.333333, "score_within_1": 0.333333}  # -3, -1 and 5
    own = {judge: answer["beside"]["own"] for judge, answer in answers.items()}
    assert own["j-1"]["j-1/s"]["self_preference_score"]["value"] == 2  # 3 - 1
    assert own["k-1"]["k-1/s"]["self_preference_score"]["value"] == 6  # 5 - -1
    verdict_table = table(site, "snapshots/v1.0-j-1/index.html", "beside-table")
    assert '<a href="../v1.0-k-1/">v1.0-k-1</a>' in verdict_table
    assert '<data value="2.0">' in verdict_table
    assert "beside" not in json.loads(site.text(f"api/v1/snapshots/{TAG}.json"))
    assert table(site, PAGE, "beside-table") == ""


def test_records_of_others_say_so_in_their_line(site: BuiltSite) -> None:
    line = table(site, "expired/index.html", "expired-table").split(f'data-tag="{TAG}"')[1]
    page = "evaluators/Judge-0613/index.html"

    assert 'data-kind="observed"' in line.split(">")[0]
    assert TAG not in table(site, page, "history-table")
    assert TAG in table(site, page, "observed-table")
    assert REPORTED not in table(site, page, "observed-table")
    assert not (site.out / "badges/Judge-0613.svg").exists(), "it is no baseline"


def test_programs_get_it_by_the_published_schemas(site: BuiltSite) -> None:
    index = json.loads(site.text("api/v1/index.json"))
    arguments = ("snapshot", "list", "--as-of", AS_OF, "--format", "json")
    (row,) = (row for row in index["snapshots"] if row["tag"] == TAG)

    assert findings("api_index", index) == []
    assert index["snapshots"] == json.loads(epc(site.checkout.folder, *arguments).stdout)
    assert (row["kind"], row["trust"], row["n"]) == ("observed", "observed", 29)
    assert row["figure"] == "accuracy/J/CoT"
    assert 0 < row["figure_items"] <= row["figure_n"] < row["n"]
    answer = json.loads(site.text(f"api/v1/snapshots/{TAG}.json"))
    assert findings("api_snapshot", answer) == []
    assert answer["measured"] is None
    names = {file["name"] for file in answer["files"]}
    assert {"observed.json", "raw/verdicts.parquet"} <= names
    assert f"{TAG}: published" in site.text("feed.xml")
    assert f"{TAG},Judge-0613,unknown/judge-0613,observed,observed,false," in site.text(
        "figures.csv"
    )
    assert f'href="../../snapshots/{TAG}/' in site.text("evaluators/Judge-0613/index.html")
    assert TAG in json.dumps(json.loads(site.text("registry.json")))


def test_who_may_replace_a_judge_is_the_commands_answer_digit_for_digit(site: BuiltSite) -> None:
    answer = json.loads(site.text("api/v1/succession.json"))
    arguments = ("--as-of", AS_OF, "--format", "json")

    assert findings("api_succession", answer) == []
    assert [judge["name"] for judge in answer["judges"]] == ["judge-0613", "old-1"]
    for judge in answer["judges"]:
        output = epc(
            site.checkout.folder, "evaluators", "succeed", judge["name"], *arguments
        ).stdout
        assert judge == json.loads(output)
    spelled = epc(site.checkout.folder, "evaluators", "succeed", "models/old-1", *arguments).stdout
    assert json.loads(spelled) == answer["judges"][1]


def test_verdicts_that_are_not_as_published_are_compared_with_nobody_and_stop_no_build(
    site: BuiltSite, tmp_path: Path
) -> None:
    shutil.copytree(site.checkout.home, tmp_path / "snapshots")
    shutil.copy(site.checkout.folder / "params.yaml", tmp_path)
    shutil.rmtree(tmp_path / "snapshots" / STORE)

    found = [
        *successions(
            VerdictStore.from_registry(of_folder(tmp_path), str(tmp_path)),
            date.fromisoformat(AS_OF),
        )
    ]

    assert [(each.name, each.recorded, each.successors) for each in found] == [
        ("judge-0613", 0, ()),
        ("old-1", 0, ()),
    ]


def test_the_page_says_who_may_replace_a_judge_and_each_evaluators_page_leads_there(
    site: BuiltSite,
) -> None:
    page = re.sub(r"<data value=[^>]*>|</data>", "", unescape(site.text("succession/index.html")))
    old = page.split('id="Old-1"')[1]

    assert (
        "old-1: nothing can be named instead. Nobody is shown to agree with it: of those that"
        in old
    )
    for text in ("maker: current", "of 12</td>", "share of the first place -0.250", "the same: P"):
        assert text in old, text
    gone = page.split('id="Judge-0613"')[1].split('id="Old-1"')[0]
    assert "No judge has common items and a common prompt with it." in gone
    assert "epc run --evaluator local/smollm2-135m-likelihood" in gone
    assert 'href="../../succession/#Old-1"' in site.text("evaluators/Old-1/index.html")
    assert "Who may replace it" not in site.text("evaluators/New-1/index.html")
    assert "api/v1/succession.json" in site.text("llms.txt")
