"""The GitHub Action, the pre-commit hook and the page "Gate your CI": each is run, or checked.

The action's steps run in a clean environment that has the wheel of this tree and what the wheel
asks for. It stands for what the install step makes from its lock file, which lists the same.
"""

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from installed_support import Installed
from registry_support import ROOT, git
from scan_support import NAMES, TODAY, expected, project, scan, unindented
from site_support import epc
from workflow_support import assert_workflow_of_a_page

BIN = Path(sys.executable).parent
PAGE = (ROOT / "site" / "docs" / "ci.md").read_text("utf-8")
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
COMMAND = re.compile(r"(epc .*?)(?: > \S+)? +# exits (\d): .+")
Json = dict[str, Any]


def blocks(kind: str) -> list[str]:
    return [text for named, text in BLOCK.findall(PAGE) if named == kind]


def action() -> Json:
    document: Json = yaml.safe_load((ROOT / "action.yml").read_text())
    return document


class Run:
    """The action's steps over a project, in their order, as a runner runs them by bash."""

    def __init__(self, installed: Installed, folder: Path, home: Path, **inputs: str) -> None:
        document = action()
        values = {
            name: action_input["default"] for name, action_input in document["inputs"].items()
        }
        assert inputs.keys() <= values.keys()
        values |= inputs
        (home / "epc").mkdir(parents=True)
        (home / "epc" / "bin").symlink_to(installed.python.parent)
        (home / "epc" / ".core").touch()
        self.summary = home / "summary.md"
        self.said, self.code = "", 0
        for step in document["runs"]["steps"]:
            if self.code:
                break
            own = {
                name: values[re.sub(r"\$\{\{ inputs\.([a-z-]+) \}\}", r"\1", value)]
                for name, value in step.get("env", {}).items()
            }
            done = subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
                cwd=folder,
                env={
                    "PATH": "/usr/local/bin:/usr/bin:/bin",
                    "HOME": str(home),
                    "RUNNER_TEMP": str(home),
                    "GITHUB_ACTION_PATH": str(ROOT),
                    "GITHUB_STEP_SUMMARY": str(self.summary),
                    "SOURCE_DATE_EPOCH": TODAY,
                    **own,
                },
                capture_output=True,
                text=True,
                check=False,
            )
            self.said += done.stdout + done.stderr
            self.code = done.returncode

    def annotated(self, level: str) -> list[str]:
        pattern = rf"^::{level} file=([^,]*),line=(\d+),col=(\d+),title="
        return [":".join(match) for match in re.findall(pattern, self.said, re.MULTILINE)]


@pytest.mark.parametrize("name", NAMES)
def test_the_actions_steps_annotate_a_sample_project_and_fail(
    name: str, installed: Installed, tmp_path: Path
) -> None:
    folder = project(name, tmp_path)
    git(folder, "init", "--quiet")

    done = Run(installed, folder, tmp_path / "runner")

    assert done.code == 1, done.said
    failing = [line for line in expected(name)[:-1] if not line.startswith("also ")]
    assert done.annotated("error") == [line.split(": ")[0] for line in failing]
    assert expected(name)[-1] in done.said.splitlines()
    table = done.summary.read_text()
    assert table.count("\n| **fails** ") == len(failing)
    assert f"{expected(name)[-1]}." in table


def test_the_actions_inputs_are_taken_as_words_and_lines(
    installed: Installed, tmp_path: Path
) -> None:
    folder = project("langchain", tmp_path)
    (folder / "a dir").mkdir()
    (folder / "a dir" / "*.py").write_text('x = "grok-4"\n')
    published = tmp_path / "registry.json"
    published.write_text(epc(ROOT, "admin", "snapshot", "export").stdout)

    done = Run(
        installed,
        folder,
        tmp_path / "runner",
        **{"fail-on": "expired expiring:30d", "ignore": "gpt-4-0613\nno such; touch canary"},
        paths="a dir\nsrc\n",
        exclude="a dir/[*].py",
        registry=str(published),
    )

    assert done.annotated("error") == ["src/grader.py:7:36"], done.said
    assert not (folder / "canary").exists()


ACTIONS = sorted([ROOT / "action.yml", ROOT / "loop-gate" / "action.yml"])


@pytest.mark.parametrize("path", ACTIONS, ids=lambda path: path.parent.name)
def test_an_action_keeps_its_schema_and_zizmor_finds_nothing(path: Path) -> None:
    for arguments in (
        ("check-jsonschema", "--builtin-schema", "vendor.github-actions"),
        ("zizmor", "--offline", "--persona", "auditor", "--no-config", "--strict-collection"),
    ):
        done = subprocess.run(
            [BIN / arguments[0], *arguments[1:], path],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    for step in yaml.safe_load(path.read_text())["runs"]["steps"]:
        assert "${{" not in step["run"]
        assert "uses" not in step, "nothing of anybody else's to be pinned"


def test_the_pages_workflow_keeps_its_schema_and_actionlint_finds_nothing(tmp_path: Path) -> None:
    workflow, hooks = blocks("yaml")
    assert_workflow_of_a_page(
        tmp_path, ROOT / "action.yml", workflow.replace("OWNER/NAME@COMMIT", "./")
    )
    assert yaml.safe_load(hooks)["repos"][0]["hooks"][0]["id"] == "epc-scan"


def test_the_hook_is_a_command_that_reads_the_whole_project(tmp_path: Path) -> None:
    hook, _ = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    args = yaml.safe_load(blocks("yaml")[1])["repos"][0]["hooks"][0]["args"]
    program, *text = shlex.split(hook["entry"])

    assert (hook["id"], hook["language"], program) == ("epc-scan", "python", "epc")
    assert (hook["always_run"], hook["pass_filenames"]) == (True, False)
    text += [word.replace("ADDRESS/registry.json", str(ROOT)) for word in args]
    done = scan(project("notebook", tmp_path), *text[1:], registry=None)
    assert (done.returncode, unindented(done.stdout)) == (1, expected("notebook"))


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """Return the page's project, where a program finds the registry without being told."""
    (tmp_path / "snapshots").symlink_to(ROOT / "snapshots")
    (tmp_path / "params.yaml").symlink_to(ROOT / "params.yaml")
    return project("langchain", tmp_path)


def test_every_command_of_the_page_exits_as_the_page_says(sample: Path, tmp_path: Path) -> None:
    published = tmp_path / "registry.json"
    published.write_text(epc(ROOT, "admin", "snapshot", "export").stdout)
    lines = [line for text in blocks("sh") for line in text.splitlines()]

    matches = [COMMAND.fullmatch(line) for line in lines]

    assert None not in matches
    for match in filter(None, matches):
        arguments = shlex.split(match[1].replace("ADDRESS/registry.json", str(published)))
        code, env = int(match[2]), {"SOURCE_DATE_EPOCH": TODAY}
        assert epc(sample, *arguments[1:], code=code, env=env).stdout
    assert (sample / "summary.md").read_text().startswith("### Models that this project names")


def test_the_page_shows_what_is_printed_and_its_settings_are_read(sample: Path) -> None:
    (text,), (settings,) = blocks("text"), blocks("toml")
    printed = epc(sample, "scan", code=1, env={"SOURCE_DATE_EPOCH": TODAY}).stdout

    assert text == re.sub(r" \[https://\S+\]$", "", printed, flags=re.MULTILINE)

    (sample / "pyproject.toml").write_text(settings)
    output = epc(sample, "scan", code=1, env={"SOURCE_DATE_EPOCH": TODAY}).stdout
    assert unindented(output) == [
        "src/grader.py:7:36: claude-sonnet-4-5 (anthropic) expiring: will be retired on 2026-11-30",
        expected("langchain")[2],
        "2 names in 3 files on 2026-11-23, failing (expired, expiring:30d): 1",
    ]
