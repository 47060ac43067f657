"""GitHub on loopback, as far as the workflows meet it: REST, git over HTTP, and its refusals.

What is refused, and in which words, is taken from GitHub's documentation and its messages as they
are reported: a ruleset on main and who may bypass it, the scopes of a job's token, what a pull
request from a fork may, runs that wait for approval, merges that lack a check or a review.
"""

import base64
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import yaml
from registry_support import git
from web_support import listening

Json = dict[str, Any]
OWNER, NAME = "owner", "registry"
BOT = "github-actions[bot]"
ACTIONS_APP = 15368  # GitHub Actions itself, which is no App of anybody's
CHECKS = ("Check what is offered", "Lint, types, vectors, conformance, documents, tests")
_GH = """#!{python}
import json, os, sys, urllib.error, urllib.request
words = sys.argv[1:]
if words[:2] == ["auth", "git-credential"]:
    if words[2] == "get":
        print("username=x-access-token\\npassword=" + os.environ.get("GH_TOKEN", ""))
    sys.exit(0)
if not os.environ.get("GH_TOKEN") or not os.environ.get("GH_REPO"):
    sys.exit("gh: to use GitHub CLI in a workflow, set GH_TOKEN and GH_REPO")
method = words[words.index("--method") + 1] if "--method" in words else "GET"
path = next(w for w in words if w.startswith("repos/"))
path = path.replace("{{owner}}/{{repo}}", os.environ["GH_REPO"])
body = sys.stdin.buffer.read() if "--input" in words else None
request = urllib.request.Request("{address}/api/" + path, data=body, method=method)
request.add_header("Authorization", "Bearer " + os.environ["GH_TOKEN"])
try:
    sys.stdout.buffer.write(urllib.request.urlopen(request).read())
except urllib.error.HTTPError as error:
    sys.exit("gh: " + json.load(error)["message"] + f" (HTTP {{error.code}})")
"""


class RefusedError(Exception):
    """GitHub says no, with a status and a message."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


@dataclass
class Actor:
    """Whoever a token speaks for, and what it may on the repository."""

    login: str
    may: dict[str, str]  # permission: read or write
    app: int | None = None


@dataclass
class Run:
    """A run of a workflow that an event started, or would once somebody approves it."""

    id: int
    workflow: str
    event: str
    payload: Json
    sha: str
    status: str  # queued, action_required, completed
    fork: bool = False


class LocalGitHub:
    """One repository, its forks, its people and Apps, and all that happened."""

    def __init__(self, origin: Path, folder: Path) -> None:
        self.folder = folder / "github"
        self.folder.mkdir()
        self.address = ""
        self.tokens: dict[str, Actor] = {}
        self.bypass: set[int] = set()
        self.actions_may_propose = True
        self.pulls: dict[int, Json] = {}
        self.runs: list[Run] = []
        self.checks: dict[str, set[str]] = {}
        self.refused: list[str] = []
        git(folder, "clone", "--quiet", "--bare", str(origin), str(self.at(OWNER)))
        self._furnish(self.at(OWNER))
        everything = dict.fromkeys(
            ("contents", "pull-requests", "issues", "administration"), "write"
        )
        self.token("maintainer", everything)

    def at(self, owner: str) -> Path:
        return self.folder / owner / f"{NAME}.git"

    def url(self, owner: str = OWNER) -> str:
        return f"{self.address}/{owner}/{NAME}.git"

    def fork(self, login: str) -> str:
        """Fork the repository; its owner's token can do anything there, and read here."""
        git(self.folder, "clone", "--quiet", "--bare", str(self.at(OWNER)), str(self.at(login)))
        self._furnish(self.at(login))
        return self.token(login, {"contents": "read"})

    def token(self, login: str, may: dict[str, str], app: int | None = None) -> str:
        name = f"ghs_{len(self.tokens)}_{re.sub('[^a-z]', '', login)}"
        self.tokens[name] = Actor(login=login, may=may, app=app)
        return name

    def job_token(self, run: Run, permissions: dict[str, str]) -> str:
        """Return GITHUB_TOKEN of a job; a pull request from a fork gets one that only reads."""
        may = dict.fromkeys(permissions, "read") if run.fork else permissions
        return self.token(BOT, may, app=ACTIONS_APP)

    def gh(self, folder: Path, token: str) -> dict[str, str]:
        """Return the variables by which `gh` and git speak to this server with a token."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "gh").write_text(_GH.format(python=sys.executable, address=self.address))
        (folder / "gh").chmod(0o755)
        return {
            "PATH": f"{folder}{os.pathsep}/usr/local/bin:/usr/bin:/bin",
            "GH_TOKEN": token,
            "GH_REPO": f"{OWNER}/{NAME}",
            "GIT_TERMINAL_PROMPT": "0",
        }

    def queued(self) -> list[Run]:
        return [run for run in self.runs if run.status == "queued"]

    def completed(self, run: Run, *, ok: bool) -> None:
        """Say that a run ended: its jobs are checks of the commit."""
        run.status = "completed"
        given = self._workflow(run.workflow)
        if ok:
            names = {job["name"] for job in given["jobs"].values()}
            self.checks.setdefault(run.sha, set()).update(names)

    @property
    def main(self) -> str:
        return git(self.at(OWNER), "rev-parse", "refs/heads/main").strip()

    # What follows answers requests.

    def answer(self, method: str, path: str, query: Json, who: Actor | None, body: Json) -> Any:
        if who is None:
            raise RefusedError(401, "Bad credentials")
        for verb, pattern, need, action in _ROUTES:
            if verb == method and (match := re.fullmatch(pattern, path)):
                if need and who.may.get(need[0]) not in {need[1], "write"}:
                    raise RefusedError(403, "Resource not accessible by integration")
                return getattr(self, action)(who, query, body, *match.groups())
        raise RefusedError(404, f"Not Found: {method} {path}")

    def _about(self, *_: object) -> Json:
        return {"owner": {"login": OWNER}, "name": NAME, "default_branch": "main"}

    def _list(self, _who: Actor, query: Json, _body: Json) -> list[Json]:
        state, base, head = (query.get(key, [None])[0] for key in ("state", "base", "head"))
        return [
            self._shown(pull)
            for pull in self.pulls.values()
            if (not state or pull["state"] == state)
            and (not base or pull["base"]["ref"] == base)
            and (not head or pull["head"]["label"] == head)
        ]

    def _open(self, who: Actor, _query: Json, body: Json) -> Json:
        if who.app == ACTIONS_APP and not self.actions_may_propose:
            raise RefusedError(
                403, "GitHub Actions is not permitted to create or approve pull requests."
            )
        if who.app and who.may.get("pull-requests") != "write":
            raise RefusedError(403, "Resource not accessible by integration")
        owner, _, branch = body["head"].rpartition(":")
        owner = owner or OWNER
        if owner == OWNER and who.may.get("contents") != "write":
            raise RefusedError(403, "Resource not accessible by integration")
        label = f"{owner}:{branch}"
        if any(p["head"]["label"] == label for p in self.pulls.values() if p["state"] == "open"):
            raise RefusedError(422, f"A pull request already exists for {label}.")
        number = len(self.pulls) + 7
        pull = {
            "number": number,
            "state": "open",
            "title": body["title"],
            "body": body["body"],
            "user": {"login": who.login},
            "head": {"label": label, "ref": branch, "repo": {"full_name": f"{owner}/{NAME}"}},
            "base": {"ref": body["base"]},
            "approved": None,
        }
        self.pulls[number] = pull
        self._synchronised(pull)
        if not git(self.at(OWNER), "rev-list", f"main..{pull['head']['sha']}").strip():
            del self.pulls[number]
            raise RefusedError(422, f"No commits between main and {branch}")
        self._pull_event("opened", pull, who)
        return self._shown(pull)

    def _edit(self, _who: Actor, _query: Json, body: Json, number: str) -> Json:
        self.pulls[int(number)].update(body)
        return self._shown(self.pulls[int(number)])

    def _review(self, who: Actor, _query: Json, _body: Json, number: str) -> Json:
        pull = self.pulls[int(number)]
        if who.login == pull["user"]["login"]:
            raise RefusedError(422, "Can not approve your own pull request")
        pull["approved"] = pull["head"]["sha"]
        return {}

    def _merge(self, who: Actor, _query: Json, body: Json, number: str) -> Json:
        pull = self.pulls[int(number)]
        head = pull["head"]["sha"]
        missing = sorted(set(CHECKS) - self.checks.get(head, set()))
        if body.get("sha") and body["sha"] != head:
            raise RefusedError(409, "Head branch was modified. Review and try the merge again.")
        if missing:
            raise RefusedError(405, f'Required status check "{missing[0]}" is expected.')
        if pull["approved"] != head:
            raise RefusedError(
                405, "At least 1 approving review is required by reviewers with write access."
            )
        before = self.main
        self._synchronised(pull)
        merged = git(self.at(OWNER), "rev-parse", f"refs/pull/{number}/merge").strip()
        git(self.at(OWNER), "update-ref", "refs/heads/main", merged)
        pull["state"] = "closed"
        self._pushed("main", before, merged, who)
        return {"merged": True, "sha": merged}

    def _approve(self, who: Actor, _query: Json, _body: Json, number: str) -> Json:
        """Let a run go that waits for a maintainer."""
        if who.app == ACTIONS_APP:
            raise RefusedError(403, "Resource not accessible by integration")
        self.runs[int(number)].status = "queued"
        return {}

    def _ruleset(self, _who: Actor, _query: Json, body: Json) -> Json:
        for actor in body["bypass_actors"]:
            if actor["actor_type"] == "Integration" and actor["actor_id"] == ACTIONS_APP:
                raise RefusedError(
                    422,
                    "Actor GitHub Actions integration must be part of the ruleset source "
                    "or owner organization",
                )
        self.bypass = {actor["actor_id"] for actor in body["bypass_actors"]}
        return {}

    # git over HTTP.

    def push_refused(self, owner: str, who: Actor | None) -> RefusedError | None:
        if who is None:
            return RefusedError(401, "Authentication required")
        if who.login == owner or (owner == OWNER and who.may.get("contents") == "write"):
            return None
        return RefusedError(403, f"Permission to {owner}/{NAME}.git denied to {who.login}.")

    def serve_git(
        self, path: str, query: str, who: Actor | None, body: bytes, **said: str
    ) -> tuple[int, Json, bytes]:
        owner = path.split("/")[1]
        pushing = "git-receive-pack" in path + query
        if pushing and (refused := self.push_refused(owner, who)):
            raise refused
        before = self._refs(owner)
        done = subprocess.run(
            ["git", "http-backend"],
            input=body,
            env={
                **os.environ,
                "GIT_PROJECT_ROOT": str(self.folder),
                "GIT_HTTP_EXPORT_ALL": "1",
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "REQUEST_METHOD": said["method"],
                "CONTENT_TYPE": said["kind"],
                "REMOTE_USER": who.login if who else "",
                "MAY_BYPASS": "1" if owner != OWNER or (who and who.app in self.bypass) else "",
            },
            capture_output=True,
            check=True,
        )
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        status = int(headers.pop("Status", "200").split()[0])
        if pushing and said["method"] == "POST" and owner == OWNER and who:
            for ref, sha in self._refs(OWNER).items():
                if before.get(ref) != sha and ref.startswith("refs/heads/"):
                    self._pushed(ref.removeprefix("refs/heads/"), before.get(ref, ""), sha, who)
        return status, headers, content

    def _refs(self, owner: str) -> dict[str, str]:
        lines = git(
            self.at(owner), "for-each-ref", "--format=%(refname) %(objectname)"
        ).splitlines()
        return dict(line.split() for line in lines)

    def _furnish(self, repository: Path) -> None:
        git(repository, "config", "http.receivepack", "true")
        git(repository, "config", "uploadpack.allowAnySHA1InWant", "true")
        hook = repository / "hooks" / "update"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(
            "#!/bin/sh\n"
            'test "$1" = refs/heads/main && test -z "$MAY_BYPASS" || exit 0\n'
            "echo 'error: GH013: Repository rule violations found for refs/heads/main.' >&2\n"
            "echo '- Changes must be made through a pull request.' >&2\nexit 1\n"
        )
        hook.chmod(0o755)

    def _pushed(self, branch: str, before: str, after: str, who: Actor) -> None:
        for pull in self.pulls.values():
            if pull["state"] == "open" and pull["head"]["label"] == f"{OWNER}:{branch}":
                self._synchronised(pull)
                self._pull_event("synchronize", pull, who)
        if branch == "main" and who.app != ACTIONS_APP:  # a job's token starts no workflow
            payload = {"ref": "refs/heads/main", "before": before, "after": after}
            self._start("push", payload, after, fork=False)

    def _synchronised(self, pull: Json) -> None:
        """Have refs/pull/N/head and /merge show a pull request as it is, onto the main of now."""
        home, number = self.at(OWNER), pull["number"]
        owner, _, branch = pull["head"]["label"].partition(":")
        ref = f"refs/pull/{number}"
        git(home, "fetch", "--quiet", str(self.at(owner)), f"+refs/heads/{branch}:{ref}/head")
        head = git(home, "rev-parse", f"{ref}/head").strip()
        pull["head"]["sha"], pull["base"]["sha"] = head, self.main
        tree = git(home, "merge-tree", "--write-tree", self.main, head).split()[0]
        words = ("-p", self.main, "-p", head, "-m", f"Merge pull request #{number}")
        merge = git(home, "commit-tree", tree, *words).strip()
        git(home, "update-ref", f"{ref}/merge", merge)

    def _shown(self, pull: Json) -> Json:
        return {key: value for key, value in pull.items() if key != "approved"}

    def _pull_event(self, action: str, pull: Json, who: Actor) -> None:
        fork = pull["head"]["repo"]["full_name"] != f"{OWNER}/{NAME}"
        payload = {"action": action, "number": pull["number"], "pull_request": self._shown(pull)}
        waits = who.app == ACTIONS_APP or who.login == "stranger"  # the bot, and a first-time one
        self._start("pull_request", payload, pull["head"]["sha"], fork=fork, waits=waits)

    def _start(
        self, event: str, payload: Json, sha: str, *, fork: bool, waits: bool = False
    ) -> None:
        for path in git(
            self.at(OWNER), "ls-tree", "--name-only", "main", ".github/workflows/"
        ).split():
            name = path.rpartition("/")[2]
            given = self._workflow(name)
            wanted = given["on"].get(event, False)
            if wanted is False:
                continue
            about = {"repository": self._about() | {"full_name": f"{OWNER}/{NAME}"}}
            status = "action_required" if waits else "queued"
            run = Run(
                id=len(self.runs),
                workflow=name,
                event=event,
                payload=payload | about,
                sha=sha,
                status=status,
            )
            run.fork = fork and event == "pull_request"
            self.runs.append(run)

    def _workflow(self, name: str) -> Json:
        text = git(self.at(OWNER), "show", f"main:.github/workflows/{name}")
        given: Json = yaml.safe_load(text)
        return given | {"on": given.pop(True)}  # type: ignore[call-overload]  # YAML 1.1 reads `on` as true


_AT = f"repos/{OWNER}/{NAME}"
_PROPOSE = ("pull-requests", "write")
_ROUTES: tuple[tuple[str, str, tuple[str, str] | None, str], ...] = (
    ("GET", _AT, None, "_about"),
    ("GET", f"{_AT}/pulls", None, "_list"),
    ("POST", f"{_AT}/pulls", None, "_open"),
    ("PATCH", rf"{_AT}/pulls/(\d+)", _PROPOSE, "_edit"),
    ("POST", rf"{_AT}/pulls/(\d+)/reviews", _PROPOSE, "_review"),
    ("PUT", rf"{_AT}/pulls/(\d+)/merge", ("contents", "write"), "_merge"),
    ("POST", rf"{_AT}/actions/runs/(\d+)/approve", ("administration", "write"), "_approve"),
    ("PUT", f"{_AT}/rulesets/1", ("administration", "write"), "_ruleset"),
)


class _Handler(BaseHTTPRequestHandler):
    """Requests to the API below /api/, and to git everywhere else."""

    github: LocalGitHub

    def _any(self) -> None:
        parts = urlsplit(self.path)
        body = self._body()
        try:
            if parts.path.startswith("/api/"):
                path, query = parts.path.removeprefix("/api/"), parse_qs(parts.query)
                given = json.loads(body) if body else {}
                found = self.github.answer(self.command, path, query, self._who(), given)
                self._reply(200, {}, json.dumps(found).encode())
                return
            said = {"method": self.command, "kind": self.headers.get("Content-Type", "")}
            done = self.github.serve_git(parts.path, parts.query, self._who(), body, **said)
            self._reply(*done)
        except RefusedError as error:
            self.github.refused.append(f"{error.status} {error.message}")
            more = {"WWW-Authenticate": 'Basic realm="GitHub"'} if error.status == 401 else {}
            self._reply(error.status, more, json.dumps({"message": error.message}).encode())

    do_GET = do_POST = do_PATCH = do_PUT = _any  # noqa: N815  (the names that the server calls)

    def _who(self) -> Actor | None:
        kind, _, given = self.headers.get("Authorization", "").partition(" ")
        name = base64.b64decode(given).decode().partition(":")[2] if kind == "Basic" else given
        return self.github.tokens.get(name)

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") == "chunked":
            content = b""
            while size := int(self.rfile.readline(), 16):
                content += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.headers.get("Content-Encoding") == "gzip":
            import gzip

            return gzip.decompress(content)
        return content

    def _reply(self, status: int, headers: Json, content: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def github(origin: Path, folder: Path) -> Iterator[LocalGitHub]:
    """Serve a repository, made from another one, as GitHub does."""
    made = LocalGitHub(origin, folder)
    with listening(_Handler, github=made) as made.address:
        yield made
