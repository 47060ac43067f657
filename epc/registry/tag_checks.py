"""Are the git tags those of the publications, and are signed ones signed by whom we know?"""

from pathlib import Path
from typing import Final

from epc.errors import WorldError
from epc.records.findings import Findings
from epc.registry import layout
from epc.registry.history import git, git_bytes

_CLAUSE: Final = "EPC-4"
_REMEDY: Final = "ask who moved it; `git fetch --tags --force` brings the tags that origin has"


def check_tags(checkout: Path, published: list[str], findings: Findings) -> None:
    """Note a tag of a commit that lacks its snapshot as it stands here, or is badly signed.

    A clone may lack tags; `epc snapshot tags` lists those. Outside a repository there is nothing to
    check.

    Raises: WorldError if git fails.
    """
    try:
        listed = git(checkout, "for-each-ref", "--format=%(refname:short)", "refs/tags/v*").split()
    except WorldError:
        return
    tags = sorted(set(listed) & set(published))
    for tag, is_there, is_here in zip(tags, *_sums(checkout, tags), strict=True):
        if is_here and is_there != is_here:
            problem = "is a git tag of a commit that does not hold this snapshot as it stands here"
            findings.add(_CLAUSE, f"refs/tags/{tag}", problem, _REMEDY)
    signers = checkout / layout.FOLDER / layout.SIGNERS
    for tag in _signed(checkout) if signers.is_file() else ():
        try:
            allowed = f"gpg.ssh.allowedSignersFile={signers.absolute()}"
            git(checkout, "-c", allowed, "verify-tag", tag)
        except WorldError:
            problem = f"is signed by nobody whom {layout.FOLDER}/{layout.SIGNERS} names"
            findings.add(_CLAUSE, f"refs/tags/{tag}", problem, _REMEDY)


def _sums(checkout: Path, tags: list[str]) -> tuple[list[str], list[str]]:
    """Return the objects that each snapshot's digests are at its tag and at HEAD; empty if none."""
    paths = [f"{layout.FOLDER}/{tag}/{layout.SUMS}" for tag in tags]
    names = [f"{tag}^{{commit}}:{path}" for tag, path in zip(tags, paths, strict=True)]
    names += [f"HEAD:{path}" for path in paths]
    stdin = "".join(f"{name}\n" for name in names).encode()
    output = git_bytes(checkout, "cat-file", "--batch-check=%(objectname)", stdin=stdin)
    objects = ["" if line.endswith("missing") else line for line in output.decode().splitlines()]
    return objects[: len(tags)], objects[len(tags) :]


def _signed(checkout: Path) -> list[str]:
    form = "--format=%(if)%(contents:signature)%(then)%(refname:short)%(end)"
    return git(checkout, "for-each-ref", form, "refs/tags/v*").split()
