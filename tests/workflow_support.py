"""Walking a workflow as a runner would: its jobs in order, each in a clone of its own.

The `run:` steps are the ones in YAML, run by bash as the runner runs it. What is not real: the
actions, which GitHub's runner brings, and `gh`, which would need the network. The one on PATH
here asks the GitHub of `github_support`. Without one it answers from a list, refuses as the real
one does without a token, and writes every call down.
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
from github_support import LocalGitHub, Run
from registry_support import commit, cut_down, git, with_bytecode

ROOT = Path(__file__).parent.parent
WORKFLOWS = ROOT / ".github" / "workflows"
Json = dict[str, Any]

# What takes long or needs the network, and where it is run instead.
ELSEWHERE = {
    "make collect": "it loads the suite that is running now",
    "make conformance": "it starts 438 programs; test_records_commands.py has the Perl one checked",
    "make lint": "ruff reads the same files in `make check`",
    "make night": "it is the suite that is running now",
    "make test": "it is the suite that is running now",
    "make types": "mypy runs over the working tree in `make check`, and takes minutes in a clone",
    "make vectors": "tests/unit/judge/test_reply_vectors.py has them worked out again",
}
TODAY = "1795305600"  # 2026-11-22
TOKEN = "ghs_of_this_job_alone"  # noqa: S105  (a test's)
EXPRESSIONS = {
    "github.repository": "owner/registry",
    "github.repository_owner": "owner",
    "github.event.repository.name": "registry",
}
# Each condition that stands in a workflow, as it comes out for the event of its walk.
CONDITIONS = {
    None: True,
    "github.ref == 'refs/heads/main'": True,
    "${{ !cancelled() }}": True,
    "github.event_name == 'workflow_dispatch' || vars.MEASURE_EVALUATORS != ''": True,
}
_MOST_ATTESTED = 1_024  # files by one call of actions/attest, as its README says
_EXPRESSION = re.compile(r"\$\{\{ (.*?) \}\}")
_PATH = "/usr/local/bin:/usr/bin:/bin"
_GH = """#!{python}
import json, os, sys
words, folder = sys.argv[1:], os.environ["FAKE_GH"]
if words[:2] == ["auth", "git-credential"]:
    sys.exit(0)
if not os.environ.get("GH_TOKEN") or not os.environ.get("GH_REPO"):
    sys.exit("gh: to use GitHub CLI in a workflow, set GH_TOKEN and GH_REPO")
assert words[0] == "api", words
method = words[words.index("--method") + 1] if "--method" in words else "GET"
address = next(w for w in words if w.startswith("repos/{{owner}}/{{repo}}"))
path = address.removeprefix("repos/{{owner}}/{{repo}}").removeprefix("/")
body = json.load(sys.stdin) if "--input" in words else None
with open(folder + "/calls.jsonl", "a") as file:
    file.write(json.dumps({{"method": method, "path": path, "body": body}}) + "\\n")
if method != "GET":
    print(json.dumps({{"number": 101, "id": 1}}))
    sys.exit(0)
answers = json.load(open(folder + "/answers.json"))
if path not in answers:
    sys.exit("gh: Not Found (HTTP 404): " + path)
print(json.dumps(answers[path]))
"""


def workflow(name: str) -> Json:
    """Return a workflow; YAML 1.1 reads the key `on` as true."""
    document: Json = yaml.safe_load((WORKFLOWS / name).read_text())
    return document | {"on": document.pop(True)}  # type: ignore[call-overload]  # YAML 1.1 reads the key `on` as true


def all_workflows() -> list[str]:
    return sorted(path.name for path in WORKFLOWS.iterdir())


def steps(document: Json) -> Iterator[tuple[str, Json]]:
    for name, job in document["jobs"].items():
        for step in job["steps"]:
            yield name, step


# One of each kind.
PUBLISHED = ("v1.0-AlwaysA", "v1.0-DigestJudge", "v1.0-GPT4o-0806", "v1.0-gpt-3.5-turbo-0301")


def make_origin(folder: Path) -> Path:
    """Return a bare repository of this tree as it lies here, with a few snapshots, as main."""
    work = folder / "work"
    git(folder, "init", "--quiet", str(work))
    listed = git(ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    for name in filter(None, listed):
        if (ROOT / name).is_file() or (ROOT / name).is_symlink():
            (work / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, work / name, follow_symlinks=False)
    cut_down(work, *PUBLISHED)
    commit(work, "The tree as it lies here")
    origin = folder / "origin.git"
    git(folder, "clone", "--quiet", "--bare", str(work), str(origin))
    # As a host keeps it: what a clone takes is known, and nothing is compressed for each anew.
    git(origin, "repack", "-a", "-d", "--quiet", "--write-bitmap-index")
    return origin


class FakeGitHub:
    """`gh` in a folder of its own, what it answers, and what it was asked."""

    def __init__(self, folder: Path, answers: Json) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "gh").write_text(_GH.format(python=sys.executable))
        (folder / "gh").chmod(0o755)
        (folder / "answers.json").write_text(json.dumps(answers))

    def environment(self, path: str) -> dict[str, str]:
        return {"PATH": f"{self.folder}{os.pathsep}{path}", "FAKE_GH": str(self.folder)}

    def calls(self, *methods: str) -> list[Json]:
        path = self.folder / "calls.jsonl"
        lines = path.read_text().splitlines() if path.exists() else []
        documents = [json.loads(line) for line in lines]
        return [call for call in documents if not methods or call["method"] in methods]


@dataclass
class Runner:
    """A runner with its repository, the event that woke it, and what came of each job."""

    home: Path
    origin: Path
    event: Json = field(default_factory=dict)
    secrets: dict[str, str] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    answers: Json = field(default_factory=dict)
    github: LocalGitHub | None = None
    run: Run | None = None
    more: dict[str, str] = field(default_factory=dict)
    artifacts: dict[str, Path] = field(default_factory=dict)
    ran: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    said: str = ""
    summary: str = ""
    outputs: dict[str, str] = field(default_factory=dict)
    attested: list[str] = field(default_factory=list)
    token: str = TOKEN

    def walk(self, name: str, *arguments: str, edited: Json | None = None) -> None:
        """Run every job, in the order in which they stand, unless one it needs has failed.

        `only` names those to be run, if not all; `edited` is the workflow as somebody changed it.
        """
        self.home.mkdir(exist_ok=True)
        done: set[str] = set()
        for job, given in (edited or workflow(name))["jobs"].items():
            needs = given.get("needs", [])
            if (arguments and job not in arguments) or not (
                {needs} if isinstance(needs, str) else set(needs)
            ) <= done:
                continue
            assert CONDITIONS[_folded(given.get("if"))]
            self._job(job, given)
            if not self.failed:
                done.add(job)

    def calls(self, *methods: str) -> list[Json]:
        return FakeGitHub(self.home / "gh", self.answers).calls(*methods)

    def _job(self, name: str, document: Json) -> None:
        temporary = self.home / name / "temp"
        temporary.mkdir(parents=True)
        clone = self.home / name / "clone"
        self.outputs = {}
        if self.github and self.run:
            self.token = self.github.job_token(self.run, document["permissions"])
        for step in document["steps"]:
            if not self._wanted(step):
                continue
            if "uses" in step:
                self._action(step, clone)
            else:
                self._run(step, clone, temporary)

    def _wanted(self, step: Json) -> bool:
        """Return whether the runner would run a step."""
        condition = _folded(step.get("if"))
        output = re.fullmatch(r"steps\.(\w+\.outputs\.\w+) == '(\w+)'", condition or "")
        if output is not None:
            return not self.failed and self.outputs[output[1]] == output[2]
        assert CONDITIONS[condition]
        return condition is not None or not self.failed

    def _action(self, step: Json, clone: Path) -> None:
        action, inputs = step["uses"].partition("@")[0], step.get("with", {})
        if action == "actions/checkout":
            assert inputs["persist-credentials"] is False
            self._checkout(clone, inputs.get("ref"), inputs.get("fetch-depth", 1))
            _install(clone)
        elif action == "actions/upload-artifact":
            kept_folder = self.home / f"artifact-{inputs['name']}"
            keep = shutil.copytree if (clone / inputs["path"]).is_dir() else shutil.copyfile
            keep(clone / inputs["path"], kept_folder)
            self.artifacts[inputs["name"]] = kept_folder
        elif action == "actions/create-github-app-token":
            assert self.github
            may = {"contents": inputs["permission-contents"]}
            may["pull-requests"] = inputs["permission-pull-requests"]
            token = self.github.token("registry[bot]", may, app=4242)
            self.outputs[f"{step['id']}.outputs.token"] = token
        elif action == "actions/attest":
            self._attest(clone, inputs["subject-path"].split())
        else:
            assert action == "actions/deploy-pages"
            with tarfile.open(self.artifacts["github-pages"]) as tar:
                names = tar.getnames()
                assert "./index.html" in names
                assert not [m for m in tar if m.issym() or m.islnk()]

    def _attest(self, clone: Path, patterns: list[str]) -> None:
        """Note which files GitHub's action would sign; it takes so many at most."""
        paths = [path for pattern in patterns for path in sorted(clone.glob(pattern))]
        assert 0 < len(paths) <= _MOST_ATTESTED
        self.attested += [path.relative_to(clone).as_posix() for path in paths]

    def _checkout(self, clone: Path, ref: str | None, depth: int) -> None:
        """Check out main, or what the event names: its commit, or a pull request merged."""
        arguments = [f"--depth={depth}"] if depth else []
        url = self.github.url() if self.github else self.origin.as_uri()
        git(self.home, "clone", "--quiet", *arguments, url, str(clone))
        if self.github and ref == "${{ github.sha }}":
            git(clone, "checkout", "--quiet", "--detach", self.event["after"])
        elif self.github and ref is None:
            merge = f"refs/pull/{self.event['number']}/merge"
            git(clone, "fetch", "--quiet", *arguments, "origin", merge)
            git(clone, "checkout", "--quiet", "--detach", "FETCH_HEAD")
        else:
            assert ref in {None, "main", "${{ github.sha }}"}

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
            env=self._environment(clone, temporary) | self._own(step),
            capture_output=True,
            text=True,
            check=False,
        )
        self.said += f"$ {command}\n{done.stdout}{done.stderr}"
        summary = temporary / "summary"
        self.summary += summary.read_text() if summary.exists() else ""
        summary.unlink(missing_ok=True)
        output = temporary / "output"
        for line in output.read_text().splitlines() if "id" in step and output.exists() else ():
            name, _, value = line.partition("=")
            self.outputs[f"{step['id']}.outputs.{name}"] = value
        if done.returncode:
            self.failed.append(command)

    def _gh(self) -> dict[str, str]:
        if self.github is None:
            return FakeGitHub(self.home / "gh", self.answers).environment(_PATH)
        return {"PATH": self.github.gh(self.home / "gh", "")["PATH"], "GIT_TERMINAL_PROMPT": "0"}

    def _own(self, step: Json) -> dict[str, str]:
        """Return a step's own variables, each expression replaced by what it gives."""
        env = step.get("env", {}).items()
        return {name: _EXPRESSION.sub(lambda m: self._value(m[1]), value) for name, value in env}

    def _value(self, expression: str) -> str:
        """Return what an expression gives; a secret, variable or input that nobody set is empty."""
        first, _, second = expression.partition(" || ")
        if second:
            return self._value(first) or self._value(second)
        if expression.startswith("'"):
            return expression.strip("'")
        where, _, name = expression.partition(".")
        inputs = self.event.get("inputs", {})
        settings = {"secrets": self.secrets, "vars": self.variables, "inputs": inputs}
        if where in settings:
            return str(settings[where].get(name, ""))
        if where == "steps":
            return self.outputs[name]
        return self.token if expression == "github.token" else EXPRESSIONS[expression]

    def _environment(self, clone: Path, temporary: Path) -> dict[str, str]:
        event = temporary / "event.json"
        event.write_text(json.dumps(self.event))
        return {
            **self._gh(),
            "HOME": str(temporary),
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_EVENT_NAME": "pull_request" if "pull_request" in self.event else "push",
            "GITHUB_EVENT_PATH": str(event),
            "GITHUB_OUTPUT": str(temporary / "output"),
            "GITHUB_REPOSITORY": "owner/registry",
            "GITHUB_STEP_SUMMARY": str(temporary / "summary"),
            "RUNNER_TEMP": str(temporary),
            "PYTHONPATH": str(clone),
            "DVC_NO_ANALYTICS": "1",
            "EPC_CACHE_DIR": os.environ["EPC_CACHE_DIR"],
            "SOURCE_DATE_EPOCH": TODAY,
            **self.more,
        }


def _install(clone: Path) -> None:
    """Have the environment that runs these tests stand for what the lock files would install.

    Installing needs the package index; the targets see that it is done. PYTHONPATH makes the
    clone's own package the one that runs.
    """
    (clone / ".venv").mkdir()
    (clone / ".venv" / "bin").symlink_to(Path(sys.executable).parent)
    for name in (".run", ".dev"):
        (clone / ".venv" / name).touch()
    with_bytecode(clone)


def _folded(condition: str | None) -> str | None:
    return re.sub(r"\s+", " ", condition).strip() if condition else None


class Forge:
    """A repository as GitHub keeps it: main, and a ref beside each pull request that merges it."""

    def __init__(self, origin: Path, folder: Path) -> None:
        self.origin = folder / "forge.git"
        git(folder, "clone", "--quiet", "--bare", str(origin), str(self.origin))
        self.work = folder / "contributor"
        git(folder, "clone", "--quiet", str(self.origin), str(self.work))

    def offer(self, number: int, *, message: str = "Offer a measurement") -> Json:
        """Push the work tree as a pull request, and return the event that GitHub makes of it."""
        git(self.work, "checkout", "--quiet", "-b", f"pull-{number}")
        # All, also what .gitignore names, but for what running the program here left behind.
        left = ":(exclude,glob)**/__pycache__/**"
        git(self.work, "add", "--all", "--force", "--", ".", left)
        git(self.work, "commit", "--quiet", "--message", message)
        head = git(self.work, "rev-parse", "HEAD").strip()
        git(self.work, "checkout", "--quiet", "--detach", "origin/main")
        git(self.work, "merge", "--quiet", "--no-ff", "--message", "merge", head)
        for what, where in (("merge", "HEAD"), ("head", head)):
            git(self.work, "push", "--quiet", "origin", f"{where}:refs/pull/{number}/{what}")
        git(self.work, "checkout", "--quiet", f"pull-{number}")
        base = git(self.work, "rev-parse", "origin/main").strip()
        pull = {
            "number": number,
            "head": {"sha": head},
            "base": {"sha": base},
            "user": {"login": "a-name"},
        }
        return {"number": number, "pull_request": pull}

    def merge(self, number: int) -> None:
        """Merge a pull request, as a maintainer's click does."""
        commit = git(self.origin, "rev-parse", f"refs/pull/{number}/merge").strip()
        git(self.origin, "update-ref", "refs/heads/main", commit)


def assert_workflow_of_a_page(folder: Path, action: Path, workflow: str) -> None:
    """Hold a page's workflow to its schema and to actionlint, and its checkout to that of CI.

    It names the action as `./`: of a local one, actionlint knows the inputs.
    """
    path = folder / ".github" / "workflows" / "page.yml"
    path.parent.mkdir(parents=True)
    git(folder, "init", "--quiet")
    (folder / "action.yml").write_text(action.read_text())
    path.write_text(workflow)
    for arguments in (
        ("check-jsonschema", "--builtin-schema", "vendor.github-workflows"),
        ("actionlint",),
    ):
        done = subprocess.run(
            [Path(sys.executable).parent / arguments[0], *arguments[1:], path],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    checkout = re.findall(r"actions/checkout@\S+ # \S+", workflow)
    assert checkout[0] in (ROOT / ".github" / "workflows" / "ci.yml").read_text()
