"""Verdicts that others recorded, published: what is said of them, and what nobody can add to it."""

import json
import shutil
from pathlib import Path

import pytest
from judged_support import document as document_of
from observed_registry_support import TAG, WHO, cloned, imported, knows_the_judge, publish_verdicts
from registry_support import Checkout, Json, commit, generation_record, git, life_record
from site_support import epc

from epc.records.verdicts.shapes import faults_of


def document(clone: Path, name: str) -> Json:
    return document_of(clone / "snapshots" / TAG, name)


def registry(folder: Path) -> Path:
    """Return a registry that knows the judge, and another generation of it."""
    checkout = Checkout(folder)
    knows_the_judge(checkout)
    checkout.evaluator(generation_record("Judge-0314", life_record(model="judge-0314")))
    checkout.init()
    return checkout.folder


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone of an invented repository of LLMBar's shape, under a free licence."""
    return cloned(tmp_path_factory.mktemp("source") / "clone")


@pytest.fixture(scope="module")
def closed(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, without a licence."""
    folder = tmp_path_factory.mktemp("closed") / "clone"
    shutil.copytree(source, folder)
    (folder / "LICENSE").unlink()
    commit(folder, "no licence")
    return folder


def published(folder: Path, source: Path) -> Path:
    return publish_verdicts(registry(folder / "registry"), source)


@pytest.fixture(scope="module")
def kept(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A registry in which the judge's verdicts are published; no test changes it."""
    return published(tmp_path_factory.mktemp("kept"), source)


@pytest.fixture(scope="module")
def by_recipe(closed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same of the source without a licence."""
    return published(tmp_path_factory.mktemp("by_recipe"), closed)


def recomputed(clone: Path, *arguments: str, code: int = 1) -> str:
    return epc(clone, "snapshot", "recompute", TAG, *arguments, code=code).stdout


def test_reading_r77_the_card_says_what_the_source_says_and_never_today(
    kept: Path, source: Path
) -> None:
    card = document(kept, "snapshot.json")

    assert (card["kind"], card["trust"], card["measured"]) == ("observed", "observed", None)
    evaluator = card["evaluator"]
    assert (evaluator["model"], evaluator["platform"], evaluator["as_printed"]) == (
        "judge-0613",
        "unknown",
        "J",
    )
    assert card["licence"] == "MIT"
    assert card["origin"] == {
        "name": "LLMBar",
        "repository": "https://github.com/princeton-nlp/LLMBar",
        "commit": git(source, "rev-parse", "HEAD").strip(),
    }
    assert "2026" not in (kept / "snapshots" / TAG / "snapshot.json").read_text()
    decoding = [
        group["setting"]["decoding"]
        for group in document(kept, "metrics.json")["figures"]["groups"]
    ]
    assert decoding == [{"temperature": 0.0}] * len(decoding)


def test_what_is_published_is_what_the_report_says_of_this_judge(kept: Path) -> None:
    figures = document(kept, "metrics.json")["figures"]
    by_name = {group["settings"][0]: group["figures"] for group in figures["groups"]}

    # Two orders of three items by three prompts, eight by Swap, and three pairs of ratings.
    assert figures["n"] == figures["verdicts"] == 29
    # Of Vanilla's three pairs one agrees, one does not, and one has an unreadable answer.
    assert by_name["J/Vanilla"]["place_consistency"]["value"] == pytest.approx(1 / 3)


def test_verify_recompute_and_rebuild_give_the_same_bytes(kept: Path, source: Path) -> None:
    assert epc(kept, "snapshot", "verify").stdout == ""
    assert recomputed(kept, code=0) == f"{TAG}  as published\n"
    assert recomputed(kept, "--source", str(source), code=0) == f"{TAG}  as published\n"


def test_a_judge_that_is_retired_is_expired_whatever_was_measured(kept: Path) -> None:
    (state,) = json.loads(epc(kept, "expiry", TAG, "--format", "json", code=1).stdout)

    assert (state["status"], state["reason"], state["until"]) == (
        "expired",
        "retired",
        "2025-01-01",
    )
    listed = epc(kept, "snapshot", "list").stdout
    assert "What others recorded of judges; none of it was measured for this registry:" in listed
    assert "expired since 2025-01-01 (retired)" in listed


def test_show_names_source_commit_licence_and_recipe(kept: Path, source: Path) -> None:
    output = epc(kept, "snapshot", "show", TAG).stdout

    assert "judge-0613 on an unknown platform, J in the source" in output
    assert "recorded   by others, unknown" in output
    assert f"commit {git(source, 'rev-parse', 'HEAD').strip()}, licence MIT" in output
    assert "epc observe import CLONE --shape llmbar, of J alone" in output


def test_fetch_gives_the_folder_back(kept: Path, tmp_path: Path) -> None:
    out = tmp_path / "again"

    epc(kept, "snapshot", "fetch", TAG, "--out", str(out))

    assert sorted(path.name for path in out.iterdir()) == ["observed.json", "verdicts.parquet"]
    epc(kept, "observe", "check", str(out / "verdicts.parquet"))


def test_the_same_verdicts_are_never_published_twice(
    kept: Path, source: Path, tmp_path: Path
) -> None:
    file = imported(source, tmp_path / "verdicts.jsonl")
    before = (kept / "snapshots" / "events.jsonl").read_text()

    repeated_result = epc(kept, "admin", "snapshot", "publish", str(file), *WHO)
    assert repeated_result.stdout == f"{TAG}\n"
    assert f"{TAG} is published already" in repeated_result.stderr
    assert (kept / "snapshots" / "events.jsonl").read_text() == before


def test_without_a_licence_there_is_a_recipe_and_no_verdict(
    by_recipe: Path, closed: Path, tmp_path: Path
) -> None:
    card = document(by_recipe, "snapshot.json")

    assert (card["kept"], card["licence"], card["recipe"]["shape"]) == (False, "unknown", "llmbar")
    assert not (by_recipe / "snapshots" / ".store").exists()
    assert epc(by_recipe, "snapshot", "verify").stdout == ""
    refused = epc(by_recipe, "snapshot", "recompute", TAG, code=2).stderr
    assert f"epc snapshot recompute {TAG} --source CLONE" in refused
    assert epc(by_recipe, "snapshot", "recompute").stdout == ""
    assert recomputed(by_recipe, "--source", str(closed), code=0) == f"{TAG}  as published\n"
    out = ("--out", str(tmp_path / "again"))
    assert "there are no raw files" in epc(by_recipe, "snapshot", "fetch", TAG, *out, code=2).stderr


def test_another_commit_a_changed_and_a_missing_file_are_named(
    by_recipe: Path, closed: Path, tmp_path: Path
) -> None:
    clone = tmp_path / "clone"
    shutil.copytree(closed, clone)
    place = "Dataset/Set/Tiny/evaluators/J/Vanilla/result.json"
    path, arguments = clone / place, ("--source", str(clone))
    text = path.read_text()

    path.write_text(text.replace('"winner": "1"', '"winner": "2"', 1))
    changed = recomputed(by_recipe, *arguments)
    assert f"{place} has SHA-256" in changed
    assert "DIFFERS" in changed

    path.unlink()
    assert f"{place} is missing" in recomputed(by_recipe, *arguments)

    commit(clone, "newer")
    old, new = (git(folder, "rev-parse", "HEAD").strip() for folder in (closed, clone))
    printed_text = recomputed(by_recipe, *arguments)
    assert f"is at commit {new}, and the verdicts are of {old}" in printed_text
    assert f"checkout {old}" in printed_text

    shutil.rmtree(clone / ".git")
    git(clone, "init", "--quiet")
    commit(clone, "another project")
    printed_text = recomputed(by_recipe, *arguments)
    assert "this one lacks that commit" in printed_text
    assert "checkout" not in printed_text


def test_a_prompt_that_changed_gives_other_verdicts(
    by_recipe: Path, closed: Path, tmp_path: Path
) -> None:
    clone = tmp_path / "clone"
    shutil.copytree(closed, clone)
    (clone / "LLMEvaluator/evaluators/prompts/Vanilla.txt").write_text("Which is worse?")

    text = recomputed(by_recipe, "--source", str(clone))

    assert "its settings are other ones" in text


def test_a_recipe_of_an_incomplete_copy_gives_the_same_verdicts_from_a_whole_one(
    by_recipe: Path, closed: Path, tmp_path: Path
) -> None:
    whole_folder = tmp_path / "whole"
    shutil.copytree(closed, whole_folder, ignore=shutil.ignore_patterns(".git"))
    strategy = "Dataset/Set/Tiny/evaluators/J/Vanilla"
    shutil.copytree(whole_folder / strategy, whole_folder / strategy.replace("Tiny", "Other"))

    assert recomputed(by_recipe, "--source", str(whole_folder), code=0) == f"{TAG}  as published\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--judge", "J", "--generation", "Judge-0314"), "no name of Judge-0314"),
        (("--judge", "K", "--generation", "Judge-0613"), "fix: name one of J (judge-0613)"),
        (
            ("--judge", "J", "--generation", "Judge-0613", "--platform", "maker"),
            "leave the options",
        ),
        (("--judge", "J", "--generation", "Judge-0613", "--licence", "MIT"), "leave the options"),
        (("--generation", "Judge-0613"), "needs --judge"),
    ],
)
def test_nobody_can_say_of_recorded_verdicts_what_the_source_does_not(
    kept: Path, source: Path, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    file = imported(source, tmp_path / "verdicts.jsonl")

    refused = epc(
        kept, "admin", "snapshot", "publish", str(file), *words, "--contributor", "A", code=2
    )

    assert said in refused.stderr
    assert git(kept, "status", "--porcelain", "snapshots/events.jsonl") == ""


def test_a_figure_is_recomputed(kept: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    shutil.copytree(kept, clone)
    path = clone / "snapshots" / TAG / "metrics.json"
    metrics = json.loads(path.read_text())
    metrics["figures"]["groups"][0]["figures"]["ties"]["value"] = 0.75
    path.write_text(json.dumps(metrics))

    text = recomputed(clone)

    assert "/metrics.json/figures/groups/0/figures/ties/value" in text


def test_names_that_are_more_than_text_are_refused(
    kept: Path, source: Path, tmp_path: Path
) -> None:
    file = imported(source, tmp_path / "verdicts.jsonl")
    text = file.read_text()

    for bad, said in (("<script>", "reads as HTML"), ("\\u202e", "not seen, U+202E")):
        file.write_text(text.replace("Vanilla.txt", bad))
        assert said in epc(kept, "admin", "snapshot", "publish", str(file), *WHO, code=2).stderr
    file.write_text(text.replace("https://github.com/princeton-nlp/LLMBar", "--upload-pack=x"))
    refused = epc(kept, "admin", "snapshot", "publish", str(file), *WHO, code=2).stderr
    assert "expected an https address and a commit, or unknown" in refused


def test_a_day_that_the_verdicts_do_not_have_is_found(kept: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    shutil.copytree(kept, clone)
    path = clone / "snapshots" / TAG / "snapshot.json"
    card = json.loads(path.read_text())
    path.write_text(json.dumps(card | {"measured": {"from": "2026-03-31", "to": "2026-03-31"}}))

    assert f"/{path.name}/measured" in recomputed(clone)


def test_known_faults_are_those_of_the_shape_and_of_the_file(source: Path, tmp_path: Path) -> None:
    clone = registry(tmp_path / "registry")
    file = imported(source, tmp_path / "verdicts.jsonl")
    faults = tmp_path / "faults.json"
    faults.write_text(json.dumps([{"id": "copied", "says": "Half of it is copied."}]))

    arguments = (*WHO, "--faults", str(faults), "--no-git")
    epc(clone, "admin", "snapshot", "publish", str(file), *arguments)

    known_faults = document(clone, "snapshot.json")["known_faults"]
    assert known_faults[-1] == {"id": "copied", "says": "Half of it is copied."}
    of_shape = [fault.id for fault in faults_of("llmbar", ["judge-0613"])]
    assert [fault["id"] for fault in known_faults[:-1]] == of_shape != []
    faults.write_text('[{"id": "copied"}]')
    refused = epc(clone, "admin", "snapshot", "publish", str(file), *arguments, code=2).stderr
    assert "is no list of {id, says}" in refused


def test_a_measurement_and_a_record_of_others_are_not_compared(kept: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    shutil.copytree(kept, clone)
    checkout = Checkout.__new__(Checkout)
    checkout.folder, checkout.home = clone, clone / "snapshots"
    checkout.publish("v1.0-Judge-1")

    refused = epc(clone, "compare", TAG, "v1.0-Judge-1", code=2).stderr

    assert f"{TAG} is of verdicts that others recorded, and v1.0-Judge-1 is reported" in refused
    assert epc(clone, "compare", TAG, TAG).stdout.startswith("like for like")


def test_the_judge_card_has_what_is_published_of_recorded_verdicts(kept: Path) -> None:
    """Of the two readable pairs of the Vanilla prompt one changed."""
    arguments = ("evaluators", "card", "judge-0613", "--setting", "*/Vanilla")
    day = ("--as-of", "2026-04-01")
    done = epc(kept, *arguments, *day, "--require", "place_consistency_readable>=0.5", code=1)

    lines = done.stdout.splitlines()
    assert lines[0] == (
        "judge-0613: retired at maker on 2025-01-01. Served at cloud, which states no end. "
        "No figure of it stands. Before its end it was right on 66.7 of 100, LLMBar, "
        "6 verdicts on 3 items, by March 2026."
    )
    assert any(line.startswith(f"  {TAG}  observed; ") for line in lines)
    assert "place_consistency_readable>=0.5: unknown (1 of 1 figures have no interval" in lines[-3]
    assert "known faults" in lines


def test_reading_r57_a_newer_commit_of_the_source_supersedes_what_it_said_of_the_judge(
    kept: Path, source: Path, tmp_path: Path
) -> None:
    """The judge is retired since 2025: of its two records only the newer one is evidence."""
    clone, newer = tmp_path / "registry", tmp_path / "newer"
    shutil.copytree(kept, clone)
    shutil.copytree(source, newer)
    (newer / "NEWS").write_text("typing errors mended")
    commit(newer, "newer")
    file = imported(newer, tmp_path / "verdicts.parquet")

    done = epc(clone, "admin", "snapshot", "publish", str(file), *WHO, "--no-git")

    assert done.stdout == "v1.1-Judge-0613\n"
    assert f"event: {TAG} superseded" in done.stderr
    document = json.loads((clone / "snapshots" / "events.jsonl").read_text().splitlines()[-1])
    assert (document["event"], document["tag"], document["by"]) == (
        "superseded",
        TAG,
        "v1.1-Judge-0613",
    )
    commit(clone, "publish")
    assert epc(clone, "snapshot", "verify").stdout == ""
    card = json.loads(epc(clone, "evaluators", "card", "judge-0613", "--format", "json").stdout)
    counts = {rest["of"]: rest["counts"] for rest in card["rests_on"]}
    assert counts == {TAG: False, "v1.1-Judge-0613": True}
    output = epc(clone, "evaluators", "succeed", "judge-0613", "--format", "json").stdout
    assert json.loads(output)["recorded"] == 3


def test_a_judge_card_counts_verdicts_that_are_published_and_named_in_a_file_once(
    kept: Path, source: Path, tmp_path: Path
) -> None:
    file = imported(source, tmp_path / "verdicts.jsonl")
    arguments = ("evaluators", "card", "judge-0613", "--setting", "*/Vanilla", "--format", "json")

    alone = json.loads(epc(kept, *arguments).stdout)
    both_documents = json.loads(epc(kept, *arguments, "--verdicts", str(file)).stdout)

    assert (both_documents["figures"], both_documents["sentence"]) == (
        alone["figures"],
        alone["sentence"],
    )


@pytest.mark.parametrize(("registry_of", "items"), [("kept", 3), ("by_recipe", 0)])
def test_succession_reads_the_published_verdicts_where_they_may_stand(
    registry_of: str, items: int, request: pytest.FixtureRequest
) -> None:
    clone = request.getfixturevalue(registry_of)
    done = epc(clone, "evaluators", "succeed", "judge-0613", "--format", "json")

    assert json.loads(done.stdout)["recorded"] == items
