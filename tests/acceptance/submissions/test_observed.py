"""Verdicts that others recorded, offered by whoever found them: made, checked, forged."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from observed_registry_support import TAG, cloned, imported, knows_the_judge
from program_support import run_program
from registry_support import Checkout, commit, git
from site_support import epc

Json = dict[str, Any]
WHO = ("--contributor", "A. Name", "--login", "a-name", "--licence", "CC-BY-4.0")
SAID = ("--judge", "J", *WHO, "--conflicts", "none")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return cloned(tmp_path_factory.mktemp("source") / "clone")


@pytest.fixture(scope="module")
def made(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A registry with one submission of recorded verdicts in it, which no test changes."""
    home = tmp_path_factory.mktemp("observed")
    registry = Checkout(home / "registry")
    knows_the_judge(registry)
    registry.init()
    file = imported(source, home / "verdicts.parquet")
    epc(registry.folder, "submission", "new", str(file), *SAID)
    commit(registry.folder, "offer")
    return registry.folder


def check(folder: Path, *options: str, code: int = 0) -> Json:
    arguments = ("submission", "check", str(folder), "--author", "a-name", "--format", "json")
    value: Json = json.loads(epc(folder.parents[1], *arguments, *options, code=code).stdout)
    return value


def errors(folder: Path) -> str:
    (submission,) = check(folder, code=1)["submissions"]
    return "\n".join(f"{f['where']}: {f['problem']}" for f in submission["findings"])


def change(folder: Path, name: str, **fields: Any) -> None:
    path = folder / name
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


def test_recorded_verdicts_are_offered_checked_and_published_as_a_run_is(
    folder: Path, source: Path
) -> None:
    checkout = folder.parents[1]
    names = sorted(path.name for path in folder.iterdir())

    summary = checkout.parent / "summary.md"
    value = check(folder, "--summary", str(summary))
    (submission,) = value["submissions"]
    summary_text = summary.read_text("utf-8")

    assert names == ["observed.json", "submission.json", "verdicts.jsonl"]
    assert (submission["tag"], submission["n"], submission["evaluator"]) == (TAG, 29, "judge-0613")
    assert (submission["endpoint"], submission["address"]) == ("recorded", None)
    assert submission["figures"][0]["name"] == "accuracy/J/CoT"
    recorded = submission["dossier"]["recorded"]
    assert "judge: judge-0613 on platform unknown, J in the source" in recorded
    assert "recorded: on a day that the source does not state; 29 verdicts; licence MIT" in recorded
    assert submission["dossier"]["recomputed"] == [
        "first implementation: every figure follows from the verdicts",
        "second implementation: agrees within 1e-12",
    ]
    assert "### This submission can be published." in summary_text
    assert epc(checkout, "admin", "submission", "publish").stdout == f"{TAG}\n"
    card = json.loads((checkout / "snapshots" / TAG / "snapshot.json").read_text())
    assert (card["kind"], card["login"], card["measured"]) == ("observed", "a-name", None)
    assert (card["licence"], card["evaluator"]["platform"]) == ("MIT", "unknown")
    assert not folder.exists()
    assert git(checkout, "status", "--porcelain") == ""
    assert epc(checkout, "snapshot", "verify").stdout == ""
    repeated_result = epc(checkout, "snapshot", "recompute", TAG, "--source", str(source))
    assert repeated_result.stdout == f"{TAG}  as published\n"


def test_a_verdict_that_was_turned_is_refused(folder: Path) -> None:
    path = folder / "verdicts.jsonl"
    path.write_text(path.read_text().replace('"verdict":"a"', '"verdict":"b"', 1))

    assert "its verdicts are not those of observed.json" in errors(folder)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"platform": "maker"}, "submission.json/platform: says maker"),
        ({"endpoint": "direct"}, "submission.json/endpoint: says direct"),
        ({"identity": "0" * 64}, "submission.json/identity: says 000"),
        ({"source": "I saw it"}, "submission.json/source: says I saw it"),
        ({"generation": "Judge-1"}, "which is no name of Judge-1"),
        ({"generation": "Judge-7"}, "nothing is known of Judge-7"),
    ],
)
def test_a_statement_that_adds_to_the_source_is_refused(
    folder: Path, given: Json, said: str
) -> None:
    change(folder, "submission.json", **given)

    assert said in errors(folder)


@pytest.mark.parametrize("field", ["subset", "a_by"])
def test_an_author_or_a_subset_that_is_more_than_text_is_refused(
    made: Path, source: Path, tmp_path: Path, field: str
) -> None:
    file = imported(source, tmp_path / "verdicts.jsonl")
    header, *lines = file.read_text().splitlines()
    named = (json.dumps(json.loads(line) | {field: "<b>\x1b[31mx"}) for line in lines)
    file.write_text("\n".join([header, *named]))
    shutil.copytree(made, checkout := tmp_path / "registry")

    done = run_program("submission", "new", file, *SAID, "--slug", "markup", cwd=checkout)

    assert done.returncode == 2
    assert b"observed.json: a name holds" in done.stderr
    assert f"nothing was written: {file} would be refused".encode() in done.stderr
    assert not (checkout / "submissions" / "markup").exists()


def test_a_day_that_is_written_into_the_header_is_refused(folder: Path) -> None:
    path = folder / "observed.json"
    path.write_text(path.read_text().replace('"date": "unknown"', '"date": "2026-03-31"'))

    assert "its verdicts are not those of observed.json" in errors(folder)


def test_another_file_and_a_missing_one_are_refused(folder: Path) -> None:
    (folder / "calls.jsonl").write_text("{}\n")
    assert "calls.jsonl: no such file belongs here" in errors(folder)

    (folder / "calls.jsonl").unlink()
    (folder / "verdicts.jsonl").unlink()
    assert "verdicts.jsonl: is missing" in errors(folder)


def test_the_same_verdicts_are_not_offered_twice(folder: Path) -> None:
    shutil.copytree(folder, folder.with_name("copy"))

    assert f"is the same as submission {folder.name}" in errors(folder.with_name("copy"))


def test_verdicts_without_a_free_licence_stay_with_their_source(
    made: Path, source: Path, tmp_path: Path
) -> None:
    clone = tmp_path / "clone"
    shutil.copytree(source, clone)
    (clone / "LICENSE").unlink()
    commit(clone, "no licence")
    file = imported(clone, tmp_path / "verdicts.jsonl")

    refused = epc(made, "submission", "new", str(file), *SAID, code=2).stderr

    assert "the licence unknown keeps these verdicts with their source" in refused
    assert "a maintainer can publish figures and recipe alone" in refused


@pytest.mark.parametrize("words", [("--platform", "maker"), ("--endpoint", "direct")])
def test_no_option_says_what_the_source_says(
    made: Path, source: Path, tmp_path: Path, words: tuple[str, str]
) -> None:
    file = imported(source, tmp_path / "verdicts.jsonl")

    refused = epc(made, "submission", "new", str(file), *SAID, *words, code=2).stderr

    assert "A verdict file says this itself" in refused
