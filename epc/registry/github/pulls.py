"""Which pull request a finished check belongs to, told by GitHub and never by what it uploaded."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import quote

from epc.errors import UsageError
from epc.records import strict_json
from epc.registry.github.gh import api, pages
from epc.registry.submissions.layout import FOLDER as SUBMISSIONS

CHECKING_WORKFLOW: Final = ".github/workflows/submission.yml"
# What a pull request changes: no submission, submissions alone, or submissions and more.
Scope = Literal["nothing", "submissions", "more"]


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
    given = _event(event)
    try:
        run = given["workflow_run"]
        path, cause = str(run["path"]).partition("@")[0], run["event"]
        found = Checked(
            run=int(run["id"]),
            head=f"{run['head_repository']['owner']['login']}:{run['head_branch']}",
            sha=str(run["head_sha"]),
            base=str(given["repository"]["default_branch"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(
            f"{event} is not the event of a workflow_run: {error!r}\n"
            "  fix: name the file in GITHUB_EVENT_PATH, or give --pull or --run"
        ) from error
    if (path, cause) != (CHECKING_WORKFLOW, "pull_request"):
        raise UsageError(
            f"{path} ran for {cause}; only {CHECKING_WORKFLOW} for pull_request is believed"
        )
    return found


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
    given = _event(event)
    try:
        pull = given["pull_request"]
        return Offered(
            number=int(pull["number"]),
            head=str(pull["head"]["sha"]),
            author=str(pull["user"]["login"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(
            f"{event} is not the event of a pull_request: {error!r}\n"
            "  fix: name the file in GITHUB_EVENT_PATH, or give --pull"
        ) from error


def pull_of(found: Checked) -> int | None:
    """Return the number of the open pull request whose head was checked; None if it moved on.

    The event itself names none for a pull request from a fork, so GitHub is asked by the head.
    """
    query = f"pulls?state=open&base={quote(found.base, safe='')}&head={quote(found.head, safe='')}"
    numbers = [int(p["number"]) for p in pages(query) if p["head"]["sha"] == found.sha]
    return numbers[0] if len(numbers) == 1 else None


def scope(number: int) -> Scope:
    """Return whether a pull request changes submissions, and anything beside them.

    One that changes more may have changed the very workflow that checked it. A list of files that
    GitHub cut short shows nothing, so it counts as more.
    """
    files = list(pages(f"pulls/{number}/files"))
    names = {str(f[key]) for f in files for key in ("filename", "previous_filename") if f.get(key)}
    inside = {name for name in names if name.startswith(f"{SUBMISSIONS}/")}
    whole = int(api(f"pulls/{number}")["changed_files"]) == len(files)
    if whole and not inside:
        return "nothing"
    return "submissions" if whole and inside == names else "more"


def _event(path: Path) -> Any:
    given, problems = strict_json.read(path)
    if problems:
        raise UsageError(f"{path}: {problems[0].problem}\n  fix: name GitHub's event file")
    return given
