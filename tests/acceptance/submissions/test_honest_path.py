"""The honest path, as a new user goes it: a fresh clone, three commands, a green check."""

import json
import os
import pty
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from budget_support import by_night
from engine_support import PATIENCE_S
from program_support import as_text, every_run_started, run_program
from records_support import Run
from registry_support import ROOT, commit, cut_down, git
from submissions_support import EXECUTOR, OPENAI, SLUG, Offered, rename

KEY = "sk-" + "test-Ab3dEf6hIj9kLm2nOp5qRs8t"
CHANGED_BY_DESIGN = ("rule", "baseline", "executor_prompt")
NAMED = (
    *("--contributor", "A. Name", "--login", "a-name"),
    *("--licence", "CC-BY-4.0", "--conflicts", "none"),
)
Done = subprocess.CompletedProcess[str]


def epc(folder: Path, *arguments: str | Path, **environment: str) -> Done:
    """Run the program; in a clone of this repository, the clone's own."""
    input_environment = os.environ | environment
    if (folder / "epc").is_dir():
        with every_run_started():
            local_environment = input_environment | {"PYTHONPATH": str(folder)}
            return as_text(run_program(*arguments, cwd=folder, env=local_environment))
    return as_text(run_program(*arguments, cwd=folder, env=input_environment))


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone of this repository with a snapshot, and what is not committed yet on top."""
    folder = tmp_path_factory.mktemp("fresh") / "clone"
    git(folder.parent, "clone", "--quiet", "--shared", str(ROOT), str(folder))
    shutil.rmtree(folder / "epc")
    shutil.copytree(ROOT / "epc", folder / "epc")
    cut_down(folder, "v1.0-AlwaysA")
    commit(folder)
    return folder


def test_from_a_run_to_a_green_check_in_three_commands(clone: Path) -> None:
    """At most five were allowed. The evaluator is a mock, which is quick; nothing else differs."""
    models = ("--evaluator", "mock/deterministic", "--executor", "mock/deterministic")
    done = [
        epc(clone, "run", *models, "--exhaustive", "--out", "runs/mine"),
        epc(clone, "submission", "new", "runs/mine", *NAMED),
        epc(clone, "submission", "check"),
    ]

    assert [result.returncode for result in done] == [0, 0, 0], [result.stderr for result in done]
    assert "This submission can be published." in done[-1].stdout
    assert re.search(r"next free tag +v1\.0-deterministic\n", done[-1].stdout)
    folder = Path(done[1].stdout.strip())
    assert folder.parent == clone / "submissions"
    names = {"submission.json", "manifest.json", "trials.jsonl", "calls.jsonl", "weights.jsonl"}
    assert {path.name for path in folder.iterdir()} == names
    assert not list(folder.parent.glob(".new-*"))
    assert git(clone, "status", "--porcelain", "submissions").split() == [
        "??",
        f"submissions/{folder.name}/",
    ]


@pytest.mark.slow
@pytest.mark.parametrize("design", ["mine.yaml", *by_night(["reference-64"])])
def test_epc_2_4_c_a_run_of_a_design_is_submitted_as_any_other(clone: Path, design: str) -> None:
    models = ("--evaluator", "mock/deterministic", "--executor", "mock/deterministic")
    small = ("--exhaustive", "--seeds", "0-9")
    if design == "mine.yaml":
        assert epc(clone, "design", "new", design).returncode == 0
    run = clone / "runs" / f"of-{design}"

    done = [epc(clone, "run", "--design", design, *models, *small, "--out", run)]
    done.append(epc(clone, "submission", "new", run, *NAMED))
    folder = Path(done[-1].stdout.strip())
    done.append(epc(clone, "submission", "check", folder))
    done.append(epc(clone, "admin", "snapshot", "publish", folder, "--no-git"))
    [published] = (clone / "snapshots").glob("v*-deterministic")
    card = json.loads((published / "snapshot.json").read_text())
    shutil.rmtree(folder, ignore_errors=True)
    git(clone, "checkout", "--", "snapshots")
    git(clone, "clean", "-dfq", "snapshots")

    assert [result.returncode for result in done] == [0] * 4, [result.stderr for result in done]
    assert "This submission can be published." in done[2].stdout
    assert card["audit"]["unit"] == "group"
    own = {"baseline": "plain"} if design == "mine.yaml" else {}
    assert {k: v for k, v in card["conditions"].items() if k in CHANGED_BY_DESIGN} == own


def test_what_the_pull_request_s_check_says_is_what_was_said_locally(
    honest: Offered, tmp_path: Path
) -> None:
    """The folder elsewhere, as a workflow writes it down, against a trusted checkout."""
    offered = tmp_path / "offered"
    shutil.copytree(honest.checkout / "submissions", offered / "submissions")
    shutil.rmtree(honest.checkout / "submissions")
    (tmp_path / "changed").write_bytes(f"submissions/{SLUG}/manifest.json\0".encode())
    arguments = ("submission", "check", offered / "submissions", "--base", honest.checkout)

    summary = tmp_path / "summary.md"
    done = epc(
        *(tmp_path, *arguments, "--changed", tmp_path / "changed", "--format", "json"),
        *("--summary", summary),
    )
    summary_text = summary.read_text("utf-8")
    text = epc(tmp_path, *arguments)

    assert done.returncode == 0, done.stdout
    assert json.loads(done.stdout)["submissions"][0]["ok"] is True
    assert text.returncode == 0
    assert "### This submission can be published." in summary_text
    assert text.stdout.splitlines()[-1] == "This submission can be published."
    figures = [line.strip() for line in text.stdout.splitlines() if line.startswith("  gamma/")]
    assert len(figures) == 2
    assert all(line.endswith((" within noise", " above noise")) for line in figures)  # EPC-5.2
    assert all(f"`{line}`" in summary_text for line in figures)


@pytest.fixture
def run(honest: Offered, tmp_path: Path) -> Path:
    """The honest submission's files as the run folder they came from."""
    folder = tmp_path / "run"
    shutil.copytree(honest.folder, folder)
    (folder / "submission.json").unlink()
    shutil.rmtree(honest.folder)
    return folder


def test_without_a_terminal_what_is_missing_is_named(honest: Offered, run: Path) -> None:
    done = epc(honest.checkout, "submission", "new", run, "--licence", "CC0-1.0")

    assert done.returncode == 2
    assert re.findall(r"^  (--[a-z]+): \S", done.stderr, re.MULTILINE) == [
        "--contributor",
        "--login",
        "--conflicts",
    ]
    assert list((honest.checkout / "submissions").iterdir()) == []


def test_on_a_terminal_it_asks_only_for_what_it_cannot_know(honest: Offered, run: Path) -> None:
    leader, follower = pty.openpty()
    os.write(leader, b"A. Name\na-name\n\nnone\n")

    done = subprocess.run(
        [sys.executable, "-m", "epc", "submission", "new", str(run)],
        cwd=honest.checkout,
        stdin=follower,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,  # a question more than is answered here would wait for ever
    )
    os.close(leader)
    os.close(follower)

    assert done.returncode == 0, done.stderr
    matches = re.findall(
        r"(Who measured it|GitHub account|Licence|gateway|Interests|generation)", done.stderr
    )
    assert matches == ["Who measured it", "GitHub account", "Licence", "Interests"]
    statement = json.loads((Path(done.stdout.strip()) / "submission.json").read_text())
    assert (statement["contributor"], statement["login"]) == ("A. Name", "a-name")
    assert (statement["licence"], statement["conflicts"]) == ("CC-BY-4.0", "none")
    assert (statement["endpoint"], statement["generation"]) == ("direct", "deterministic")


def test_a_hosted_model_s_generation_and_platform_follow_from_its_name(
    honest: Offered, run: Path
) -> None:
    as_openai(run)

    done = epc(honest.checkout, "submission", "new", run, *NAMED)

    statement = json.loads((Path(done.stdout.strip()) / "submission.json").read_text())
    assert [statement[k] for k in ("generation", "platform", "endpoint")] == [
        "GPT4o-0806",
        "openai",
        "direct",
    ]


def as_openai(run: Path, **model: str) -> None:
    rename(Run(folder=run), "evaluator", **(OPENAI | model))
    rename(Run(folder=run), "executor", **EXECUTOR)


def test_an_address_that_nobody_knows_is_asked_about(honest: Offered, run: Path) -> None:
    as_openai(run, endpoint="https://llm.example.org/v1")

    done = epc(honest.checkout, "submission", "new", run, *NAMED)

    assert done.returncode == 2
    assert "--endpoint" in done.stderr


def test_a_secret_is_refused_by_file_and_line_and_never_repeated(
    honest: Offered, run: Path
) -> None:
    Run(folder=run).edit_row("calls", 3, headers={"x-echo": KEY})
    own = Run(folder=run)
    own.edit_row("calls", 5, headers={"x-echo": "correct-horse-battery"})

    done = epc(
        honest.checkout, "submission", "new", run, *NAMED, SOME_API_KEY="correct-horse-battery"
    )

    assert done.returncode == 2
    assert f"{run}/calls.jsonl:4: holds an OpenAI" in done.stderr
    assert f"{run}/calls.jsonl:6: holds the value of SOME_API_KEY" in done.stderr
    assert KEY not in done.stderr + done.stdout
    assert "correct-horse" not in done.stderr + done.stdout
    assert list((honest.checkout / "submissions").iterdir()) == []


def test_nothing_is_overwritten(honest: Offered, run: Path) -> None:
    arguments = ("submission", "new", run, *NAMED, "--slug", "mine")
    first, second = epc(honest.checkout, *arguments), epc(honest.checkout, *arguments)

    assert (first.returncode, second.returncode) == (0, 2)
    assert "exists already" in second.stderr


@pytest.mark.parametrize("slug", ["../outside", "/outside", "Mine", "a b", ""])
def test_a_folder_is_made_among_the_submissions_or_not_at_all(
    slug: str, honest: Offered, run: Path
) -> None:
    done = epc(honest.checkout, "submission", "new", run, *NAMED, "--slug", slug)

    inside = list((honest.checkout / "submissions").iterdir())
    assert (done.returncode, inside) == (2, []) or slug == ""
    assert not (honest.checkout / "outside").exists()


def test_a_run_that_does_not_validate_is_not_offered(honest: Offered, run: Path) -> None:
    with (run / "trials.jsonl").open("a") as file:
        file.write("{}\n")

    done = epc(honest.checkout, "submission", "new", run, *NAMED)

    assert done.returncode == 2
    assert f"epc validate {run}" in done.stderr


def test_every_rule_that_a_finding_cites_is_explained() -> None:
    from epc.registry.submissions import layout

    rules = {v for v in vars(layout).values() if str(v).startswith("Submission S")}
    guide = (ROOT / "site" / "docs" / "submissions.md").read_text()
    told = {f"Submission {rule}" for rule in re.findall(r"^\| (S\d+) \|", guide, re.MULTILINE)}

    assert rules == told
