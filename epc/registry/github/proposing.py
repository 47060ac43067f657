"""Proposing commits of a workflow to main: a branch of its own, and the one pull request for it.

A protected main refuses the push of a workflow's token, and GitHub Actions can be no bypass actor.
"""

from pathlib import Path
from urllib.parse import quote

from epc.registry.github.comments import mark
from epc.registry.github.gh import api, pages
from epc.registry.history import git

_HELPER = ("-c", "credential.helper=", "-c", "credential.helper=!gh auth git-credential")


def propose(checkout: Path, text: str, *, branch: str, title: str) -> str:
    """Push HEAD as a branch and keep the one pull request for it; close that if nothing is new.

    What is proposed is what HEAD has and the main that it was made from has not. Returns what was
    done.

    Raises: UsageError if the text does not begin with its mark; WorldError if git fails, or GitHub
    refuses.
    """
    mark(text)
    about = api("")
    owner, base = str(about["owner"]["login"]), str(about["default_branch"])
    head = quote(f"{owner}:{branch}", safe="")
    found = list(pages(f"pulls?state=open&base={quote(base, safe='')}&head={head}"))
    if not git(checkout, "rev-list", f"refs/remotes/origin/{base}..HEAD").strip():
        for pull in found:
            api(f"pulls/{int(pull['number'])}", method="PATCH", body={"state": "closed"})
        closed = ", ".join(f"#{int(pull['number'])}" for pull in found)
        return f"closed {closed}: nothing is left to propose" if found else "nothing to propose"
    git(checkout, *_HELPER, "push", "--quiet", "--force", "origin", f"HEAD:refs/heads/{branch}")
    said = {"title": title, "body": text}
    if found:
        number = int(found[0]["number"])
        api(f"pulls/{number}", method="PATCH", body=said)
        return f"#{number} proposes it now"
    made = api("pulls", method="POST", body={**said, "head": branch, "base": base})
    return f"opened #{int(made['number'])}"
