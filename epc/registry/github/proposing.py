"""Proposing commits of a workflow to main: a branch of its own, and the one pull request for it.

A protected main refuses the push of a workflow's token, and GitHub Actions can be no bypass actor.
"""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from epc.records.typed import parse
from epc.registry.github.comments import mark
from epc.registry.github.gh import api, pages
from epc.registry.history import git


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
