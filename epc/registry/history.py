"""Registry history from git.

A line of the events that was ever there must still be there. Each `published` event carries the
digest of its snapshot's digests, so the events pin every byte that was published, and git pins the
events. Whoever can rewrite a repository can rewrite its history; what holds against that is
GitHub's (`site/docs/maintaining.md`).
"""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from epc.errors import UsageError, WorldError
from epc.json_text import lines_of
from epc.registry import layout
from epc.registry.layout import LOG


def lost_events(checkout: Path) -> list[str] | None:
    """Return the event lines that some commit held and the checkout no longer does.

    A line that was taken out and put back is not lost. Merges are compared with each parent, so
    two branches may both add lines. None where there is no history to look into, or only a part.

    Raises: WorldError if git fails.
    """
    if not _has_whole_history(checkout):
        return None
    path = checkout / LOG
    present = set(lines_of(path.read_text("utf-8", "replace"))) if path.exists() else set()
    log = git(checkout, "log", "-m", "--format=", "-p", "-U0", "--no-renames", "--", LOG)
    once = dict.fromkeys(line[1:] for line in lines_of(log) if line.startswith(("+{", "-{")))
    return [line for line in once if line not in present]


def _has_whole_history(checkout: Path) -> bool:
    try:
        answer = git(checkout, "rev-parse", "--is-shallow-repository")
    except WorldError:
        return False
    if answer.strip() != "false":
        return False
    return bool(git(checkout, "rev-list", "--all", "--max-count=1").strip())


def commit_of(folder: Path) -> str | None:
    """Return the commit of a clone's root; None of anything else."""
    try:
        if not folder.is_dir() or git(folder, "rev-parse", "--show-prefix").strip():
            return None
        return git(folder, "rev-parse", "HEAD").strip()
    except WorldError:
        return None


def has_commit(folder: Path, commit: str) -> bool:
    """Return whether a clone holds a commit."""
    try:
        return bool(git(folder, "cat-file", "-t", commit))
    except WorldError:
        return False


def untracked(checkout: Path, *paths: str) -> list[str]:
    """Return which files are there and unknown to git; none outside a repository."""
    try:
        return git(checkout, "ls-files", "--others", "--", *paths).splitlines()
    except WorldError:
        return []


def git(folder: Path, *arguments: str, environment: Mapping[str, str] | None = None) -> str:
    """Return what git answers, as text.

    Raises: WorldError if it is missing or fails.
    """
    return git_bytes(folder, *arguments, environment=environment).decode("utf-8", errors="replace")


def git_bytes(
    folder: Path,
    *arguments: str,
    environment: Mapping[str, str] | None = None,
    stdin: bytes | None = None,
) -> bytes:
    """Return what git answers to some words, and to what it reads on `stdin`.

    `environment` is added to the environment that it runs in.

    Raises: WorldError if it is missing or fails.
    """
    try:
        done = subprocess.run(  # noqa: S603  (no shell; the words are ours)
            ["git", "-C", str(folder), *arguments],  # noqa: S607  (the user's own git)
            env={**os.environ, **(environment or {})},
            input=stdin,
            capture_output=True,
            check=True,
        )
    except FileNotFoundError as error:
        raise WorldError("git is not installed\n  fix: install git") from error
    except subprocess.CalledProcessError as error:
        message = error.stderr.decode(errors="replace").strip()
        raise WorldError(f"git {arguments[0]} failed: {message}") from error
    return done.stdout


def commit(
    checkout: Path,
    message: str,
    paths: list[str],
    *,
    leaving: str | None = None,
) -> bool:
    """Commit what changed below some paths, and return whether anything did.

    `leaving` is a path that history ends with this commit, although its files are still there.

    Raises: UsageError if something else is about to be committed with it; WorldError if git fails.
    """
    git(checkout, "add", "--", *paths)
    if leaving:
        return _commit_without(checkout, message, paths, leaving)
    if git(checkout, "status", "--porcelain", "--untracked-files=no", "--", *paths).strip():
        git(checkout, "commit", "--quiet", "-m", message, "--", *paths)
        return True
    return False


def _commit_without(checkout: Path, message: str, paths: list[str], leaving: str) -> bool:
    git(checkout, "rm", "-r", "--quiet", "--cached", "--ignore-unmatch", "--", leaving)
    staged = git(checkout, "diff", "--cached", "--name-only", "-z").split("\0")
    prefixes = tuple(f"{path}/" for path in (*paths, leaving))
    foreign_paths = [
        name for name in staged if name and name not in paths and not name.startswith(prefixes)
    ]
    if foreign_paths:
        raise UsageError(
            f"{foreign_paths[0]} is staged too, and does not belong in this commit\n"
            "  fix: commit it first, or `git restore --staged` it; then publish again"
        )
    if any(staged):
        git(checkout, "commit", "--quiet", "-m", message)
    return any(staged)


def tag_commits(checkout: Path, commits: Mapping[str, str]) -> None:
    """Make annotated tags of commits, but for those of a name that is there.

    A tag's tagger and its day are the commit's, so it is the same object in every clone that makes
    it, and nobody needs a name of their own to restore it.

    Raises: WorldError if git fails.
    """
    tags = set(git(checkout, "tag", "--list").split())
    missing = {tag: commit for tag, commit in commits.items() if tag not in tags}
    if not missing:
        return
    form = "--format=%H%n%cn%n%ce%n@%cd"
    lines = git(checkout, "show", "--no-patch", "--date=raw", form, *missing.values()).splitlines()
    keys = [f"GIT_COMMITTER_{part}" for part in ("NAME", "EMAIL", "DATE")]
    committers = {
        commit: dict(zip(keys, committer, strict=True))
        for commit, *committer in zip(*[iter(lines)] * 4, strict=True)
    }
    for tag, commit in missing.items():
        arguments = ("tag", "--annotate", "--message", f"Publish {tag}", tag, commit)
        git(checkout, *arguments, environment=committers[commit])


def added_by(checkout: Path, place: str) -> str:
    """Return the commit that added a file; empty if none did.

    Raises: WorldError if git fails.
    """
    return git(checkout, "log", "-1", "--diff-filter=A", "--format=%H", "--", place).strip()


def untagged(checkout: Path) -> dict[str, str]:
    """Return the published snapshots that have no git tag, with the commits that published them.

    Raises: UsageError if there is no whole history to look into; WorldError if git fails.
    """
    tags = set(git(checkout, "tag", "--list").split())
    return {tag: sha for tag, sha in published_by(checkout).items() if tag not in tags}


def restore_tags(checkout: Path) -> dict[str, str]:
    """Make the git tags that published snapshots lack, and return them with their commits.

    Raises: UsageError if there is no whole history to look into; WorldError if git fails.
    """
    missing = untagged(checkout)
    tag_commits(checkout, missing)
    return missing


def published_by(checkout: Path) -> dict[str, str]:
    """Return the commit that published each snapshot: the one that added its digests.

    Raises: UsageError if there is no whole history to look into; WorldError if git fails.
    """
    if not _has_whole_history(checkout):
        raise UsageError(
            "a shallow clone does not know which commit published what\n"
            "  fix: `git fetch --unshallow`; in CI, `fetch-depth: 0`"
        )
    arguments = (
        "log",
        "--reverse",
        "--diff-filter=A",
        "--format=%H",
        "--name-only",
        "--no-renames",
    )
    log = git(checkout, *arguments, "--", f"{layout.FOLDER}/v*/{layout.SUMS}")
    commits: dict[str, str] = {}
    commit = ""
    for line in filter(None, log.splitlines()):
        if line.endswith(f"/{layout.SUMS}"):
            commits.setdefault(line.split("/")[1], commit)
        else:
            commit = line
    return commits
