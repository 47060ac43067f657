"""What was seen of the registry on a day: a small file, kept where its maintainers cannot write.

Whoever can rewrite a repository can rewrite its history. They cannot rewrite what a mirror noted
before: a commit, and one digest over the events and the digests of every published file in it.
"""

import tarfile
from dataclasses import dataclass
from datetime import date
from io import BytesIO
from pathlib import Path
from typing import Final

from epc.digests import sha256, sums_text
from epc.errors import Finding, UsageError
from epc.records import strict_json
from epc.records.findings import Findings
from epc.records.typed import parse
from epc.registry import layout
from epc.registry.history import git, git_bytes, has_commit, is_ancestor
from epc.registry.layout import LOG

_CLAUSE: Final = "EPC-4"
_ASK: Final = "ask the maintainers, and keep this file; other mirrors can tell what they saw"
_PUBLISHED: Final = f":(glob){layout.FOLDER}/v*/**"
_SUMS: Final = f":(glob){layout.FOLDER}/v*/{layout.SUMS}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """A registry as it was seen on a day.

    `sha256` is that of what `sha256sum snapshots/events.jsonl snapshots/v*/SHA256SUMS` prints.
    """

    day: date
    commit: str
    sha256: str


def seen(checkout: Path, day: date) -> Witness:
    """Return what there is to see of a checkout's commit.

    Raises: WorldError if there is none, or it holds no registry.
    """
    commit = git(checkout, "rev-parse", "--verify", "HEAD").strip()
    return Witness(day=day, commit=commit, sha256=_digest(checkout, commit))


def _digest(checkout: Path, commit: str) -> str:
    archive = BytesIO(git_bytes(checkout, "archive", commit, "--", LOG, _SUMS))
    with tarfile.open(fileobj=archive) as tar:
        files = {each.name: tar.extractfile(each) for each in tar}
        digests = {n: sha256(file.read()) for n, file in files.items() if file}
    return sha256(sums_text(digests))


def read(path: Path) -> Witness:
    """Return what a file says.

    Raises: UsageError if it is no witness.
    """
    value, problems = strict_json.read(path)
    try:
        if not problems:
            return parse(value, Witness)
    except ValueError:
        pass
    raise UsageError(
        f"{path} is no witness\n  fix: `epc admin snapshot witness NEW-FILE` makes one"
    )


def against(before: Witness, checkout: Path) -> list[Finding]:
    """Return what was seen before and is no longer so.

    Raises: WorldError if git fails.
    """
    findings, on = Findings(), f"seen on {before.day}"
    if not is_ancestor(checkout, before.commit):
        problem = (
            f"commit {before.commit}, {on}, is not in this history: it was rewritten "
            "by a force-push, or the clone is shallow"
        )
        findings.add(_CLAUSE, "git", problem, _ASK)
    if not has_commit(checkout, before.commit):
        return findings.kept()
    if _digest(checkout, before.commit) != before.sha256:
        problem = f"commit {before.commit} holds other digests than it was {on} with"
        findings.add(_CLAUSE, "git", problem, _ASK)
    words = ("diff", "--name-only", "-z", "--no-renames", "--diff-filter=a")
    changed = git(checkout, *words, before.commit, "HEAD", "--", _PUBLISHED)
    for path in filter(None, changed.split("\0")):
        findings.add(_CLAUSE, path, f"is gone, or not as it was {on}", _ASK)
    then, now = (git_bytes(checkout, "show", f"{c}:{LOG}") for c in (before.commit, "HEAD"))
    if not now.startswith(then):
        kept = set(now.splitlines())
        lost = [line.decode(errors="replace") for line in then.splitlines() if line not in kept]
        for line in lost or ("all are there, in another order",):
            findings.add(_CLAUSE, LOG, f"does not begin with the lines {on}: {line}", _ASK)
    return findings.kept()
