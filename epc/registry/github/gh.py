"""Asking GitHub through `gh`, which holds the token; no secret passes through here.

What workflows write: one issue of a kind, and a branch with the one pull request for it. A
protected main refuses the push of a workflow's token, and GitHub Actions can be no bypass actor.
"""

import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from epc.errors import UsageError, WorldError
from epc.records.typed import parse
from epc.registry.history import git

_PAGE: Final = 100
_MOST_PAGES: Final = 50
_KIND: Final = "Accept: application/vnd.github+json"


def api(path: str, *, method: str = "GET", body: Any = None) -> Any:
    """Return what GitHub answers below this repository; `gh` knows which one that is.

    Raises: WorldError if `gh` is missing, or GitHub refuses.
    """
    arguments = [*_words(path), "--method", method]
    stdin = None
    if body is not None:
        arguments += ["--input", "-"]
        stdin = json.dumps(body).encode()
    try:
        done = subprocess.run(arguments, input=stdin, capture_output=True, check=False)  # noqa: S603  (no shell)
    except FileNotFoundError as error:
        raise _missing() from error
    if done.returncode:
        raise _refused(path, done.stderr)
    try:
        return json.loads(done.stdout) if done.stdout.strip() else None
    except ValueError as error:
        raise WorldError(f"gh api {path}: the answer is not JSON: {error}") from error


def pages(path: str) -> Iterator[Any]:
    """Yield every entry of a list, over all of its pages."""
    join = "&" if "?" in path else "?"
    for page in range(1, _MOST_PAGES + 1):
        entries = api(f"{path}{join}per_page={_PAGE}&page={page}")
        yield from entries
        if len(entries) < _PAGE:
            return


def _words(path: str) -> list[str]:
    return ["gh", "api", "--header", _KIND, f"repos/{{owner}}/{{repo}}/{path}".rstrip("/")]


def _missing() -> WorldError:
    return WorldError("gh is not installed\n  fix: install GitHub's command line and log in")


def _refused(path: str, message: bytes) -> WorldError:
    why = message.decode(errors="replace").strip() or "it said nothing"
    return WorldError(f"gh api {path} failed: {why}\n  fix: see `gh auth status`, and GH_REPO")


# What GitHub takes as the text of an issue or a pull request, in characters.
MAX_TEXT: Final = 65_536
# Whoever posts for a workflow. Anybody can open an issue that begins with our first line.
_BOT: Final = "github-actions[bot]"
_MARK: Final = re.compile(r"<!-- epc-[a-z-]+ -->")


def mark(text: str) -> str:
    """Return the first line of a text, by which it is found again.

    Raises: UsageError if that line is no mark, or the text is longer than GitHub takes.
    """
    first = text.partition("\n")[0]
    if not _MARK.fullmatch(first):
        raise UsageError("the text does not begin with a line such as <!-- epc-report -->")
    if len(text) > MAX_TEXT:
        raise UsageError(f"the text has {len(text):,} characters; GitHub takes {MAX_TEXT:,}")
    return first


def keep_issue(text: str, *, begins: str, title: str) -> str:
    """Open the one issue of this kind, change it, or close it where there is nothing to say.

    Returns what was done.
    """
    issues = (i for i in pages("issues?state=open") if "pull_request" not in i)
    own_issues = [issue for issue in issues if _is_ours(issue, begins)]
    before = own_issues[0] if own_issues else None
    if not text:
        if before is None:
            return "there is nothing to say, and no issue is open"
        api(f"issues/{before['number']}", method="PATCH", body={"state": "closed"})
        return f"closed #{before['number']}"
    if mark(text) != begins:
        raise UsageError(f"the text does not begin with {begins}")
    if before is None:
        opened = api("issues", method="POST", body={"title": title, "body": text})
        return f"opened #{opened['number']}"
    if before["body"] != text:
        api(f"issues/{before['number']}", method="PATCH", body={"body": text})
    return f"#{before['number']} is open"


def _is_ours(post: Any, begins: str) -> bool:
    text = (post.get("body") or "").replace("\r\n", "\n")
    return post["user"]["login"] == _BOT and str(text).partition("\n")[0] == begins


@dataclass(frozen=True, slots=True, kw_only=True)
class _Owner:
    login: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Repository:
    """What GitHub says of the repository, as far as it is asked for here."""

    owner: _Owner
    default_branch: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pull:
    number: int


_HELPER = ("-c", "credential.helper=", "-c", "credential.helper=!gh auth git-credential")


def propose(checkout: Path, text: str, *, branch: str, title: str) -> str:
    """Push HEAD as a branch and keep the one pull request for it; close that if nothing is new.

    What is proposed is what HEAD has and the main that it was made from has not. Returns what was
    done.

    Raises: UsageError if the text does not begin with its mark; WorldError if git fails, or GitHub
    refuses.
    """
    mark(text)
    about = parse(api(""), _Repository)
    base, head = about.default_branch, quote(f"{about.owner.login}:{branch}", safe="")
    query = f"pulls?state=open&base={quote(base, safe='')}&head={head}"
    numbers = [parse(pull, _Pull).number for pull in pages(query)]
    if not git(checkout, "rev-list", f"refs/remotes/origin/{base}..HEAD").strip():
        for number in numbers:
            api(f"pulls/{number}", method="PATCH", body={"state": "closed"})
        closed = ", ".join(f"#{number}" for number in numbers)
        return f"closed {closed}: nothing is left to propose" if numbers else "nothing to propose"
    git(checkout, *_HELPER, "push", "--quiet", "--force", "origin", f"HEAD:refs/heads/{branch}")
    proposal = {"title": title, "body": text}
    if numbers:
        api(f"pulls/{numbers[0]}", method="PATCH", body=proposal)
        return f"#{numbers[0]} proposes it now"
    opened = api("pulls", method="POST", body={**proposal, "head": branch, "base": base})
    return f"opened #{parse(opened, _Pull).number}"
