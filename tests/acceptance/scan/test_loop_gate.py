"""Reading R93 in CI: the action and the hook of `epc loop gate`, run, and their page checked."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from loop_support import run_files
from program_support import run_program
from registry_support import ROOT
from workflow_support import assert_workflow_of_a_page

BIN = Path(sys.executable).parent
ACTION = ROOT / "loop-gate" / "action.yml"
WORKFLOW, HOOKS = re.findall(
    r"```yaml\n(.*?)```", (ROOT / "site/docs/loop.md").read_text("utf-8"), re.DOTALL
)


def gated(folder: Path, **inputs: str) -> "subprocess.CompletedProcess[str]":
    """Run the action's last step as a runner does, with the program that is installed here."""
    action = yaml.safe_load(ACTION.read_text())
    values = {
        name: action_input.get("default", "") for name, action_input in action["inputs"].items()
    } | inputs
    (folder / "epc").mkdir()
    (folder / "epc" / "bin").symlink_to(BIN)
    step = action["runs"]["steps"][-1]
    own = {
        name: values[re.sub(r"\$\{\{ inputs\.([a-z]+) \}\}", r"\1", value)]
        for name, value in step["env"].items()
    }
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "RUNNER_TEMP": str(folder), **own},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.own_process
@pytest.mark.parametrize(
    ("judged", "unplanned", "code", "level"),
    [(1.0, "true", 0, "notice"), (0.0, "true", 1, "error"), (1.0, "false", 2, "error")],
    ids=["ship", "not_shown", "refused"],
)
def test_reading_r93_the_actions_step_annotates_the_log_and_fails_unless_it_ships(
    tmp_path: Path, judged: float, unplanned: str, code: int, level: str
) -> None:
    run_files(tmp_path, judged=judged, right=judged / 5)
    done = gated(tmp_path, log="run.loop.jsonl", unplanned=unplanned)

    assert done.returncode == code, done.stderr
    annotation, sentence = done.stdout.splitlines()
    escaped = sentence.replace("%", "%25")  # as GitHub reads an annotation
    assert annotation == f"::{level} file=run.loop.jsonl,title=epc loop gate::{escaped}"


def test_reading_r93_the_action_installs_by_a_target_that_exists() -> None:
    install = yaml.safe_load(ACTION.read_text())["runs"]["steps"][0]["run"]
    folder, target = re.findall(r'"\$GITHUB_ACTION_PATH/(\S+)" (\w+) VENV', install)[0]

    assert (ACTION.parent / folder).resolve() == ROOT
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)


def test_reading_r93_the_pages_workflow_keeps_its_schema(tmp_path: Path) -> None:
    assert_workflow_of_a_page(
        tmp_path, ACTION, WORKFLOW.replace("OWNER/NAME/loop-gate@COMMIT", "./")
    )


def test_reading_r93_the_hook_gates_the_files_that_its_arguments_name(tmp_path: Path) -> None:
    hooks = {h["id"]: h for h in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
    (used,) = yaml.safe_load(HOOKS)["repos"][0]["hooks"]
    hook = hooks[used["id"]]
    run_files(tmp_path)
    arguments = [*hook["entry"].split(), *(Path(argument).name for argument in used["args"])]
    done = run_program(*arguments[1:], "--unplanned", cwd=tmp_path)

    assert arguments[0] == "epc"
    assert done.returncode == 0
    assert hook["pass_filenames"] is False
    assert hook["additional_dependencies"] == [".[measure]"]
    touched = re.compile(hook["files"])
    for name in (*used["args"], "prompts/loop.ledger.jsonl", "prompts/run.plan.json"):
        assert touched.search(name), name
    assert not touched.search("prompts/system.md")
