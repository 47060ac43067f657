"""Walking a workflow as a runner would: its jobs in order, each in a clone of its own.

The `run:` steps are the ones in YAML, run by bash as the runner runs it. What is not real: the
three actions, which GitHub's runner brings, and `gh`, which would need the network. The one on PATH
here answers from a list, refuses as the real one does without a token, and writes every call down.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from registry_support import git

ROOT = Path(__file__).parent.parent
WORKFLOWS = ROOT / ".github" / "workflows"
Json = dict[str, Any]

# What takes long or needs the network, and where it is run instead.
ELSEWHERE = {
    "make conformance": "it starts 438 programs; test_records_commands.py has the Perl one checked",
    "make test": "it is the suite that is running now",
    "make types": "mypy runs over the working tree in `make check`, and takes minutes in a clone",
}
TODAY = "1795305600"  # 2026-11-22
TOKEN = "ghs_of_this_job_alone"  # noqa: S105  (a test's)
EXPRESSIONS = {"${{ github.token }}": TOKEN, "${{ github.repository }}": "owner/registry"}
# Each condition that stands in a workflow, as it comes out for the event of its walk.
CONDITIONS = {
    None: True,
    "github.ref == 'refs/heads/main'": True,
    "${{ !cancelled() }}": True,
    (
        "github.event.workflow_run.event == 'pull_request' && "
        "(github.event.workflow_run.conclusion == 'success' || "
        "github.event.workflow_run.conclusion == 'failure')"
    ): True,
}
_GH = """#!{python}
import json, os, sys
words, folder = sys.argv[1:], os.environ["FAKE_GH"]
if words[:2] == ["auth", "git-credential"]:
    sys.exit(0)
if not os.environ.get("GH_TOKEN") or not os.environ.get("GH_REPO"):
    sys.exit("gh: to use GitHub CLI in a workflow, set GH_TOKEN and GH_REPO")
assert words[0] == "api", words
method = words[words.index("--method") + 1] if "--method" in words else "GET"
address = next(w for w in words if w.startswith("repos/{{owner}}/{{repo}}/"))
path = address.removeprefix("repos/{{owner}}/{{repo}}/")
body = json.load(sys.stdin) if "--input" in words else None
with open(folder + "/calls.jsonl", "a") as file:
    file.write(json.dumps({{"method": method, "path": path, "body": body}}) + "\\n")
if method != "GET":
    print(json.dumps({{"number": 101, "id": 1}}))
    sys.exit(0)
answers = json.load(open(folder + "/answers.json"))
if path not in answers:
    sys.exit("gh: Not Found (HTTP 404): " + path)
found = answers[path]
if isinstance(found, dict) and "file" in found and len(found) == 1:
    sys.stdout.buffer.write(open(found["file"], "rb").read())
else:
    print(json.dumps(found))
"""


def workflow(name: str) -> Json:
    """Return a workflow; YAML 1.1 reads the key `on` as true."""
    given: Json = yaml.safe_load((WORKFLOWS / name).read_text())
    return given | {"on": given.pop(True)}  # type: ignore[call-overload]


def all_workflows() -> list[str]:
    return sorted(path.name for path in WORKFLOWS.iterdir())


def steps(given: Json) -> Iterator[tuple[str, Json]]:
    for name, job in given["jobs"].items():
        for step in job["steps"]:
            yield name, step


def make_origin(folder: Path) -> Path:
    """Return a bare repository that has this tree, as it lies here, as its branch main."""
    work = folder / "work"
    git(folder, "clone", "--quiet", "--no-hardlinks", str(ROOT), str(work))
    git(work, "checkout", "--quiet", "-B", "main")
    listed = git(ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    for name in git(work, "ls-files", "-z").split("\0")[:-1]:
        (work / name).unlink()
    for name in filter(None, listed):
        if (ROOT / name).is_file() or (ROOT / name).is_symlink():
            (work / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, work / name, follow_symlinks=False)
    git(work, "add", "--all")
    git(work, "commit", "--quiet", "--allow-empty", "--message", "The tree as it lies here")
    origin = folder / "origin.git"
    git(folder, "clone", "--quiet", "--bare", str(work), str(origin))
    return origin


@dataclass
class Runner:
    """A runner with its repository, the event that woke it, and what came of each job."""

    home: Path
    origin: Path
    event: Json
    answers: Json = field(default_factory=dict)
    more: dict[str, str] = field(default_factory=dict)
    artifacts: dict[str, Path] = field(default_factory=dict)
    ran: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    said: str = ""

    def walk(self, name: str) -> None:
        """Run every job, in the order in which they stand and need each other."""
        done: set[str] = set()
        for job, given in workflow(name)["jobs"].items():
            needs = given.get("needs", [])
            assert {needs} if isinstance(needs, str) else set(needs) <= done, "out of order"
            assert CONDITIONS[_folded(given.get("if"))]
            self._job(job, given)
            done.add(job)

    def calls(self, *methods: str) -> list[Json]:
        path = self.home / "gh" / "calls.jsonl"
        lines = path.read_text().splitlines() if path.exists() else []
        found = [json.loads(line) for line in lines]
        return [call for call in found if not methods or call["method"] in methods]

    def _job(self, name: str, given: Json) -> None:
        temporary = self.home / name / "temp"
        temporary.mkdir(parents=True)
        clone = self.home / name / "clone"
        for step in given["steps"]:
            assert CONDITIONS[_folded(step.get("if"))]
            if self.failed and "if" not in step:
                continue
            if "uses" in step:
                self._action(step, clone)
            else:
                self._run(step, clone, temporary)

    def _action(self, step: Json, clone: Path) -> None:
        action, given = step["uses"].partition("@")[0], step.get("with", {})
        if action == "actions/checkout":
            assert given["persist-credentials"] is False
            assert given.get("ref", "main") == "main"
            depth = [] if given.get("fetch-depth") == 0 else ["--depth=1"]
            git(self.home, "clone", "--quiet", *depth, self.origin.as_uri(), str(clone))
            _install(clone)
        elif action == "actions/upload-artifact":
            kept = self.home / f"artifact-{given['name']}"
            shutil.copyfile(clone / given["path"], kept)
            self.artifacts[given["name"]] = kept
        else:
            assert action == "actions/deploy-pages"
            with tarfile.open(self.artifacts["github-pages"]) as tar:
                names = tar.getnames()
                assert "./index.html" in names
                assert not [m for m in tar if m.issym() or m.islnk()]

    def _run(self, step: Json, clone: Path, temporary: Path) -> None:
        command = step["run"]
        assert "${{" not in command
        self.ran.append(command)
        if command in ELSEWHERE:
            return
        script = temporary / "step.sh"
        script.write_text(command)
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=clone,
            env=self._environment(clone, temporary) | _own(step),
            capture_output=True,
            text=True,
            check=False,
            timeout=280,
        )
        self.said += f"$ {command}\n{done.stdout}{done.stderr}"
        if done.returncode:
            self.failed.append(command)

    def _environment(self, clone: Path, temporary: Path) -> dict[str, str]:
        event = temporary / "event.json"
        event.write_text(json.dumps(self.event))
        return {
            "PATH": f"{self._gh()}{os.pathsep}/usr/local/bin:/usr/bin:/bin",
            "HOME": str(temporary),
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_EVENT_PATH": str(event),
            "GITHUB_REPOSITORY": "owner/registry",
            "RUNNER_TEMP": str(temporary),
            "FAKE_GH": str(self.home / "gh"),
            "PYTHONPATH": str(clone),
            "DVC_NO_ANALYTICS": "1",
            "EPC_CACHE_DIR": os.environ["EPC_CACHE_DIR"],
            "SOURCE_DATE_EPOCH": TODAY,
            **self.more,
        }

    def _gh(self) -> Path:
        folder = self.home / "gh"
        folder.mkdir(exist_ok=True)
        (folder / "gh").write_text(_GH.format(python=sys.executable))
        (folder / "gh").chmod(0o755)
        (folder / "answers.json").write_text(json.dumps(self.answers))
        return folder


def _own(step: Json) -> dict[str, str]:
    """Return a step's own variables, each expression replaced by what it gives."""
    own: dict[str, str] = {}
    for name, value in step.get("env", {}).items():
        assert "${{" not in value or value in EXPRESSIONS, value
        own[name] = EXPRESSIONS.get(value, value)
    return own


def _install(clone: Path) -> None:
    """Have the environment that runs these tests stand for what the lock files would install.

    Installing needs the package index; the targets see that it is done. PYTHONPATH makes the
    clone's own package the one that runs.
    """
    (clone / ".venv").mkdir()
    (clone / ".venv" / "bin").symlink_to(Path(sys.executable).parent)
    for name in (".run", ".dev"):
        (clone / ".venv" / name).touch()


def _folded(condition: str | None) -> str | None:
    return re.sub(r"\s+", " ", condition).strip() if condition else None
