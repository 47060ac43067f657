"""Asking GitHub through `gh`, which holds the token; no secret passes through here.

What workflows write: comments, and a branch with the one pull request for it. A protected main
refuses the push of a workflow's token, and GitHub Actions can be no bypass actor.
"""

import io
import json
import re
import subprocess
import zipfile
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
    words = [*_words(path), "--method", method]
    stdin = None
    if body is not None:
        words += ["--input", "-"]
        stdin = json.dumps(body).encode()
    try:
        done = subprocess.run(words, input=stdin, capture_output=True, check=False)  # noqa: S603  (no shell)
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


def download(path: str, *, limit: int) -> bytes:
    """Return a file that GitHub holds, of at most `limit` bytes.

    Raises: WorldError if it is longer, `gh` is missing, or GitHub refuses.
    """
    try:
        process = subprocess.Popen(_words(path), stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # noqa: S603  (no shell)
    except FileNotFoundError as error:
        raise _missing() from error
    with process:
        assert process.stdout
        assert process.stderr
        content = process.stdout.read(limit + 1)
        if len(content) > limit:
            process.kill()
            raise WorldError(f"gh api {path}: more than {limit:,} bytes; nothing of it is read")
        message = process.stderr.read()
    if process.returncode:
        raise _refused(path, message)
    return content


def _words(path: str) -> list[str]:
    return ["gh", "api", "--header", _KIND, f"repos/{{owner}}/{{repo}}/{path}".rstrip("/")]


def _missing() -> WorldError:
    return WorldError("gh is not installed\n  fix: install GitHub's command line and log in")


def _refused(path: str, message: bytes) -> WorldError:
    why = message.decode(errors="replace").strip() or "it said nothing"
    return WorldError(f"gh api {path} failed: {why}\n  fix: see `gh auth status`, and GH_REPO")


# A report of one submission has some tens of kilobytes.
MAX_BYTES: Final = 2 * 2**20
_NOT_READ: Final = "the upload is not read"


def artifact(run: int, *, name: str, file: str) -> bytes:
    """Return the one file of an artifact that a workflow's run uploaded.

    Raises: WorldError if there is none, or it is anything but that one file of bearable size.
    """
    listed = api(f"actions/runs/{run}/artifacts?per_page=100")["artifacts"]
    uploads = [a for a in listed if a["name"] == name and not a["expired"]]
    if not uploads:
        raise WorldError(f"run {run} uploaded no {name}; see its log")
    newest = max(uploads, key=lambda a: int(a["id"]))
    if int(newest["size_in_bytes"]) > MAX_BYTES:
        raise WorldError(f"{_NOT_READ}: {name} has {newest['size_in_bytes']:,} bytes")
    return only_file(download(f"actions/artifacts/{int(newest['id'])}/zip", limit=MAX_BYTES), file)


def only_file(archive: bytes, file: str) -> bytes:
    """Return the one file of an archive, never written to disk and never longer than the limit.

    Raises: WorldError if the archive is damaged, holds anything else, or unpacks to too much.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as opened:
            names = opened.namelist()
            if names != [file]:
                raise WorldError(f"{_NOT_READ}: it holds {len(names)} files, expected one, {file}")
            with opened.open(file) as member:
                content = member.read(MAX_BYTES + 1)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError) as error:
        raise WorldError(f"{_NOT_READ}: {error}") from error
    if len(content) > MAX_BYTES:
        raise WorldError(f"{_NOT_READ}: {file} unpacks to more than {MAX_BYTES:,} bytes")
    return content


# What GitHub takes as the text of a comment or an issue, in characters.
MAX_TEXT: Final = 65_536
# Whoever posts for a workflow. Anybody can write a comment that begins with our first line.
_BOT: Final = "github-actions[bot]"
_MARK: Final = re.compile(r"<!-- epc-[a-z-]+ -->")
NOT_BELIEVED: Final = (
    "This pull request changes files outside `submissions/`, so it may have changed the check "
    "itself. Its report is not shown.\n\n"
    "A submission comes in a pull request of its own; a change of anything else in another.\n"
)


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


def say_once(number: int, text: str) -> str:
    """Write a comment on a pull request, or change the one that was written before.

    Returns what was done.
    """
    begins = mark(text)
    own = (c for c in pages(f"issues/{number}/comments") if _is_ours(c, begins))
    before = next(own, None)
    if before is None:
        api(f"issues/{number}/comments", method="POST", body={"body": text})
        return "wrote a comment"
    if before["body"] == text:
        return "the comment says so already"
    api(f"issues/comments/{before['id']}", method="PATCH", body={"body": text})
    return "changed the comment"


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
        made = api("issues", method="POST", body={"title": title, "body": text})
        return f"opened #{made['number']}"
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
    made = api("pulls", method="POST", body={**proposal, "head": branch, "base": base})
    return f"opened #{parse(made, _Pull).number}"
