"""Which pull request a finished check belongs to, told by GitHub and never by what it uploaded."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import quote

from epc.errors import UsageError
from epc.records import strict_json
from epc.records.typed import parse
from epc.registry.github.gh import api, pages
from epc.registry.submissions.layout import FOLDER as SUBMISSIONS

CHECKING_WORKFLOW: Final = ".github/workflows/submission.yml"
# What a pull request changes: no submission, submissions alone, or submissions and more.
Scope = Literal["nothing", "submissions", "more"]
_MOST_COMPARED: Final = 300  # files that GitHub lists of a comparison, at most


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A finished run of the workflow that checks submissions, and the commit that it checked."""

    run: int
    head: str
    sha: str
    base: str


def checked(event: Path) -> Checked:
    """Return what the event of a `workflow_run` says of the run that finished.

    Raises: UsageError if it is another event, or another workflow finished.
    """
    with _event(event, "workflow_run", "--pull or --run") as document:
        run = document["workflow_run"]
        path, cause = str(run["path"]).partition("@")[0], run["event"]
        check = Checked(
            run=int(run["id"]),
            head=f"{run['head_repository']['owner']['login']}:{run['head_branch']}",
            sha=str(run["head_sha"]),
            base=str(document["repository"]["default_branch"]),
        )
    if (path, cause) != (CHECKING_WORKFLOW, "pull_request"):
        raise UsageError(
            f"{path} ran for {cause}; only {CHECKING_WORKFLOW} for pull_request is believed"
        )
    return check


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """A pull request: its number, its head commit, and the login of whoever opened it."""

    number: int
    head: str
    author: str


def offered(event: Path) -> Offered:
    """Return what a `pull_request` event says of its pull request.

    Raises: UsageError if it is another event.
    """
    with _event(event, "pull_request", "--pull") as document:
        pull = document["pull_request"]
        number, head = int(pull["number"]), str(pull["head"]["sha"])
        author = str(pull["user"]["login"])
    return Offered(number=number, head=head, author=author)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pull:
    """An open pull request as one answer of GitHub shows it, and all that its head changes."""

    number: int
    sha: str
    scope: Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class _Commit:
    sha: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Given:
    """A pull request as GitHub shows it, as far as it is asked for here."""

    number: int
    head: _Commit
    base: _Commit


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    filename: str
    previous_filename: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Comparison:
    files: tuple[_File, ...]


def pull_of(check: Checked) -> Pull | None:
    """Return the open pull request whose head was checked; None if it moved on.

    The event itself names none for a pull request from a fork, so GitHub is asked by the head.
    """
    query = f"pulls?state=open&base={quote(check.base, safe='')}&head={quote(check.head, safe='')}"
    listed = [parse(pull, _Given) for pull in pages(query)]
    matches = [pull for pull in listed if pull.head.sha == check.sha]
    return _pull(matches[0]) if len(matches) == 1 else None


def pull_at(number: int) -> Pull:
    """Return a pull request by its number."""
    return _pull(parse(api(f"pulls/{number}"), _Given))


def _pull(answer: _Given) -> Pull:
    """Return a pull request with what the very commit in this answer changes.

    Two commits are compared, which no push can move: a list of files that is asked for by the
    pull request's number would be that of whatever was pushed meanwhile.
    """
    compared = parse(api(f"compare/{answer.base.sha}...{answer.head.sha}"), _Comparison)
    return Pull(number=answer.number, sha=answer.head.sha, scope=_scope(compared.files))


def _scope(files: Sequence[_File]) -> Scope:
    """Return whether files are of submissions, and whether any is not.

    A pull request that changes more may have changed the very workflow that checked it. A list
    that GitHub may have cut short shows nothing, so it counts as more.
    """
    names = {name for file in files for name in (file.filename, file.previous_filename) if name}
    inside = {name for name in names if name.startswith(f"{SUBMISSIONS}/")}
    if len(files) >= _MOST_COMPARED:
        return "more"
    if not inside:
        return "nothing"
    return "submissions" if inside == names else "more"


@contextmanager
def _event(path: Path, kind: str, instead: str) -> Iterator[Any]:
    """Lend an event's document; what the block misses in it shows that it is of another kind."""
    document, problems = strict_json.read(path)
    if problems:
        raise UsageError(f"{path}: {problems[0].problem}\n  fix: name GitHub's event file")
    try:
        yield document
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(
            f"{path} is not the event of a {kind}: {error!r}\n"
            f"  fix: name the file in GITHUB_EVENT_PATH, or give {instead}"
        ) from error
