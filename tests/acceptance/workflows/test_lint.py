"""Three linters over the workflows and forms."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from workflow_support import ROOT, WORKFLOWS, all_workflows, steps, workflow

BIN = Path(sys.executable).parent
GITHUB = ROOT / ".github"
FORMS = sorted(path for path in (GITHUB / "ISSUE_TEMPLATE").glob("*.yml") if path.stem != "config")
ACTIONS = ROOT / "site" / "docs" / "maintaining.md"
PINNED = re.compile(r"uses: ([a-z-]+/[a-z-]+)@([0-9a-f]{40}) # (v\d+\.\d+\.\d+)")

Done = subprocess.CompletedProcess[str]


def run(*arguments: str | Path) -> Done:
    return subprocess.run(
        [str(BIN / arguments[0]), *map(str, arguments[1:])],
        capture_output=True,
        text=True,
        check=False,
    )


def zizmor(*paths: Path) -> Done:
    """Run it at its strictest persona, without the network, with no finding left out for weight."""
    strict = ("--offline", "--persona", "auditor", "--no-config", "--strict-collection")
    return run("zizmor", *strict, "--no-progress", "--color", "never", *paths)


def schema(name: str, *paths: Path) -> Done:
    return run("check-jsonschema", "--builtin-schema", f"vendor.{name}", *paths)


def workflows() -> list[Path]:
    return [WORKFLOWS / name for name in all_workflows()]


def planted(folder: Path, old: str, new: str, name: str = "ci.yml") -> Path:
    """Return one of our own workflows with one thing changed in it."""
    text = (WORKFLOWS / name).read_text()
    assert old in text
    path = folder / ".github" / "workflows" / name
    path.parent.mkdir(parents=True)
    path.write_text(text.replace(old, new, 1))
    return path


def test_the_workflows_are_the_seven() -> None:
    reading, writing = ["ci", "nightly", "submission"], ["expiry", "locks", "publish"]
    assert all_workflows() == sorted(f"{name}.yml" for name in (*reading, *writing, "measure"))


def test_zizmor_finds_nothing_that_is_not_explained_in_place() -> None:
    done = zizmor(GITHUB)

    assert done.returncode == 0, done.stdout
    for path in workflows():
        for line in path.read_text().splitlines():
            if "zizmor:" in line:
                assert re.search(r"zizmor: ignore\[[a-z-]+\] .{20}", line), line


def test_actionlint_finds_nothing() -> None:
    done = run("actionlint", *workflows())

    assert (done.returncode, done.stdout) == (0, "")


def test_the_schemas_of_workflows_forms_and_updates_are_kept() -> None:
    for done in (
        schema("github-workflows", *workflows()),
        schema("github-issue-forms", *FORMS),
        schema("github-issue-config", GITHUB / "ISSUE_TEMPLATE" / "config.yml"),
        schema("dependabot", GITHUB / "dependabot.yml"),
    ):
        assert done.returncode == 0, done.stdout


def test_there_is_a_form_for_whatever_is_no_pull_request() -> None:
    assert [path.stem for path in FORMS] == ["1-fault", "2-date", "3-withdrawal", "4-result"]


def test_every_action_is_pinned_and_its_digest_stands_in_the_list() -> None:
    listed = ACTIONS.read_text()
    for path in workflows():
        for line in path.read_text().splitlines():
            if "uses:" in line:
                match = PINNED.search(line)
                assert match, line
                name, digest, version = match.groups()
                row = next(row for row in listed.splitlines() if digest in row)
                assert f"`{name}`" in row
                assert version in row
                assert len(re.findall(r"[\w.-]+/[\w.-]+[#@]\S+", row)) >= 2, "seen in two places"


@pytest.mark.parametrize("name", all_workflows())
def test_a_workflow_may_do_nothing_that_no_job_asks_for(name: str) -> None:
    document = workflow(name)

    assert document["permissions"] == {}
    assert document["concurrency"]["group"]
    for job in document["jobs"].values():
        assert job["runs-on"] == "ubuntu-24.04"
        assert 1 <= job["timeout-minutes"] <= 90
        assert job["permissions"]
    for _, step in steps(document):
        assert "${{" not in step.get("run", "")


def test_only_jobs_that_run_main_may_write() -> None:
    writing = {
        (name, job): {what for what, how in given["permissions"].items() if how == "write"}
        for name in all_workflows()
        for job, given in workflow(name)["jobs"].items()
    }

    assert {where: what for where, what in writing.items() if what} == {
        ("publish.yml", "registry"): {"contents", "pull-requests"},
        ("publish.yml", "build"): {"id-token", "attestations"},
        ("publish.yml", "deploy"): {"pages", "id-token"},
        ("expiry.yml", "upkeep"): {"issues"},
        ("locks.yml", "locks"): {"contents", "pull-requests"},
        ("measure.yml", "measure"): {"id-token", "attestations"},
    }
    for name, job in (where for where, what in writing.items() if what):
        for step in workflow(name)["jobs"][job]["steps"]:
            if "checkout" in step.get("uses", ""):
                assert step["with"]["ref"] in {"main", "${{ github.sha }}"}


def test_a_token_is_given_to_gh_alone() -> None:
    for name in all_workflows():
        for _, step in steps(workflow(name)):
            if "GH_TOKEN" in step.get("env", {}):
                command = step["run"].removeprefix(".venv/bin/")
                assert command.startswith(("epc admin github ", "make push")), command


def test_no_workflow_hands_a_token_or_a_secret_to_a_pull_request() -> None:
    for name in all_workflows():
        text = (WORKFLOWS / name).read_text()
        document = workflow(name)
        assert "pull_request_target" not in text
        assert ("secrets." in text) == (name == "measure.yml")
        if "pull_request" in document["on"]:
            assert "github.token" not in text
            for job in document["jobs"].values():
                assert job["permissions"] == {"contents": "read"}
                assert "environment" not in job


def test_no_workflow_goes_on_from_what_a_pull_request_ran() -> None:
    """What `workflow_run` starts has a token that writes, and gets what a stranger's run left."""
    starts = {name: set(workflow(name)["on"]) for name in all_workflows()}

    known = {"pull_request", "push", "schedule", "workflow_dispatch"}
    assert {cause for causes in starts.values() for cause in causes} == known
    uploading = {
        name
        for name in all_workflows()
        for _, step in steps(workflow(name))
        if "upload-artifact" in step.get("uses", "")
    }
    assert not any("pull_request" in starts[name] for name in uploading)


def test_a_key_is_given_to_the_one_step_that_measures() -> None:
    """By hand, or by the month: nothing that somebody else does starts it."""
    document = workflow("measure.yml")

    assert set(document["on"]) == {"schedule", "workflow_dispatch"}
    (job,) = document["jobs"].values()
    assert job["environment"] == "measurement"
    keyed = [step["run"] for step in job["steps"] if "secrets." in str(step)]
    assert [command.split()[:3] for command in keyed] == [["xargs", ".venv/bin/epc", "run"]]


def test_what_ci_runs_is_what_make_check_runs() -> None:
    parts = re.search(r"^CHECK := ([a-z ]+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert parts

    commands = [step for step in workflow("ci.yml")["jobs"]["check"]["steps"] if "run" in step]
    scope, *done = commands

    assert scope["id"] == "scope"
    assert [step["run"] for step in done] == [f"make {target}" for target in parts[1].split()]
    assert "if" not in workflow("ci.yml")["jobs"]["check"], "a job left out would not report"


def test_a_pull_request_that_only_adds_submissions_has_nothing_run_in_any_job_of_ci() -> None:
    for job in workflow("ci.yml")["jobs"].values():
        scope, *done = (step for step in job["steps"] if "run" in step)
        assert scope["run"] == ".ci/scope"
        assert {step["if"] for step in done} == {"steps.scope.outputs.all == 'true'"}


def test_what_is_merged_is_published_whatever_path_it_changes() -> None:
    assert workflow("publish.yml")["on"]["push"] == {"branches": ["main"]}


def test_everything_that_the_owners_file_names_is_there_and_asks_for_a_review() -> None:
    lines = (GITHUB / "CODEOWNERS").read_text().splitlines()
    rows = [line.split() for line in lines if not line.startswith("#")]

    assert rows[0] == ["*", "@OWNER/maintainers"]
    for path, owner in rows[1:]:
        assert (ROOT / path.strip("/")).exists(), path
        assert owner == "@OWNER/administrators"


def test_administrators_look_at_whatever_publishing_trusts_or_runs() -> None:
    lines = (GITHUB / "CODEOWNERS").read_text().splitlines()
    owned = [line.split()[0] for line in lines if line.endswith("@OWNER/administrators")]
    trusted = (
        "/.ci/requirements.txt",
        "/.gitattributes",
        "/.github/workflows/measure.yml",
        "/Makefile",
        "/epc/engine/calls.py",
        "/tests/oracle/recomputation.py",
        "/params.yaml",
        "/pyproject.toml",
        "/requirements/run.lock",
        "/setup.py",
        "/site/overrides/main.html",
    )

    assert [path for path in trusted if not path.startswith(tuple(owned))] == []
