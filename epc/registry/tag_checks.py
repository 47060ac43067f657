"""Are the git tags those of the publications, and are signed ones signed by whom we know?"""

from pathlib import Path
from typing import Final

from epc.errors import UsageError, WorldError
from epc.records.findings import Findings
from epc.registry import layout
from epc.registry.history import git, is_signed_tag, published_by

_CLAUSE: Final = "EPC-4"
# A tag and its commit, whether it is an object of its own or not.
_FORM: Final = (
    "--format=%(refname:short) %(if)%(*objectname)%(then)%(*objectname)%(else)%(objectname)%(end)"
)
_REMEDY: Final = "ask who moved it; `git fetch --tags --force` brings the tags that origin has"


def check_tags(checkout: Path, published: list[str], findings: Findings) -> None:
    """Note a tag of another commit than the one that published its snapshot, or badly signed.

    A clone may lack tags; `epc admin snapshot tags` lists those. Outside a repository, and in a
    shallow clone, there is nothing to check.

    Raises: WorldError if git fails.
    """
    try:
        listed = git(checkout, "for-each-ref", _FORM, "refs/tags/v*").splitlines()
        made = published_by(checkout) if listed else {}
    except (WorldError, UsageError):
        return
    for tag, commit in map(str.split, listed):
        if tag in published and commit != made.get(tag, commit):
            problem = f"is a git tag of {commit}; {made[tag]} published this snapshot"
            findings.add(_CLAUSE, f"refs/tags/{tag}", problem, _REMEDY)
    signers = checkout / layout.FOLDER / layout.SIGNERS
    for tag in _signed(checkout) if signers.is_file() else ():
        if not is_signed_tag(checkout, tag):
            problem = f"is signed by nobody whom {layout.FOLDER}/{layout.SIGNERS} names"
            findings.add(_CLAUSE, f"refs/tags/{tag}", problem, _REMEDY)


def _signed(checkout: Path) -> list[str]:
    form = "--format=%(if)%(contents:signature)%(then)%(refname:short)%(end)"
    return git(checkout, "for-each-ref", form, "refs/tags/v*").split()
