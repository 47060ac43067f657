"""Pull requests: what one offers below `submissions/`, as data."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from epc.errors import UsageError, WorldError
from epc.records import strict_json
from epc.registry.history import git, git_bytes
from epc.registry.submissions.layout import FOLDER as SUBMISSIONS


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
    document, problems = strict_json.read(event)
    if problems:
        raise UsageError(f"{event}: {problems[0].problem}\n  fix: name GitHub's event file")
    try:
        pull = document["pull_request"]
        number, head = int(pull["number"]), str(pull["head"]["sha"])
        author = str(pull["user"]["login"])
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(
            f"{event} is not the event of a pull_request: {error!r}\n"
            f"  fix: name the file in GITHUB_EVENT_PATH"
        ) from error
    return Offered(number=number, head=head, author=author)


CHANGED: Final = "changed"
AUTHOR: Final = "author"
MERGE: Final = "merge"
_MOST_FILES: Final = 5_000
# Beyond these, an empty file of the same length stands for what is there: no checker takes it.
_MOST_BYTES: Final = 64 * 2**20
_ALL: Final = 512 * 2**20
_LONGEST_LINK: Final = 4_096
_REFUSED: Final = (b"", b".", b"..")
_PARENTS: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """What git's tree says of one path."""

    mode: bytes
    object: bytes
    size: int
    path: bytes


def fetch_pull(
    checkout: Path, number: int, out: Path, *, head: str | None, author: str | None = None
) -> list[Path]:
    """Write down what merging a pull request would change below `submissions/`.

    `out/changed` gets every path that it changes anywhere, each ended by NUL, and `out/submissions`
    the folders it touches, as they would be; `out/merge` the commit that merging makes; and
    `out/author` the login of whoever opened it, if GitHub said so. Returns these folders. A pull
    request that takes submissions away and offers none, as a publication does, is about something
    else: `out/changed` then leaves out what it takes away.

    Raises: UsageError if `out` exists, or the tree is not one that anybody may merge; WorldError
    if git or the disk fails, or the pull request has moved on from `head`.
    """
    merge = _merge(checkout, number, head)
    changes = ("diff-tree", "-r", "-z", "--name-only", "--no-renames")
    changed = git_bytes(checkout, *changes, f"{merge}^1", merge)
    offered = git_bytes(checkout, *changes, "--diff-filter=d", f"{merge}^1", merge)
    if not _tops(offered):
        changed = offered
    touched = _tops(changed)
    entries = [entry for entry in _tree(checkout, merge) if _top(entry.path) in touched]
    if len(entries) > _MOST_FILES:
        raise UsageError(f"the pull request has {len(entries):,} files; {_MOST_FILES:,} at most")
    home = out / SUBMISSIONS
    try:
        out.mkdir(parents=True)
        (out / CHANGED).write_bytes(changed)
        (out / MERGE).write_text(merge, "utf-8")
        if author is not None:
            (out / AUTHOR).write_text(author, "utf-8")
        _write(checkout, entries, out)
        if not home.is_symlink():
            home.mkdir(exist_ok=True)
    except FileExistsError as error:
        raise UsageError(f"{error.filename} exists\n  fix: name a new folder") from error
    except OSError as error:
        raise WorldError(f"cannot write {out}: {error.strerror or error}") from error
    return [home] if home.is_symlink() else sorted(home.iterdir())


def _merge(checkout: Path, number: int, head: str | None) -> str:
    """Return the commit that merging would make, which GitHub keeps beside the pull request.

    git is told to refuse objects that no honest client makes: `..` in a tree, a name twice.
    """
    strict = ("-c", "fetch.fsckObjects=true", "-c", "fetch.recurseSubmodules=false")
    git(checkout, *strict, "fetch", "--quiet", "--no-tags", "origin", f"refs/pull/{number}/merge")
    commit, *parents = git(checkout, "rev-list", "--parents", "-n1", "FETCH_HEAD").split()
    if len(parents) != _PARENTS or (head and parents[1] != head):
        raise WorldError(
            f"pull request {number} is no longer at {head}\n  fix: look at its newest run"
        )
    return commit


def _tree(checkout: Path, commit: str) -> Iterator[_Entry]:
    listed = git_bytes(checkout, "ls-tree", "-r", "-z", "-l", commit, SUBMISSIONS)
    for line in listed.split(b"\0")[:-1]:
        about, _, path = line.partition(b"\t")
        mode, _, name, size = about.split()
        yield _Entry(mode=mode, object=name, size=int(size) if size.isdigit() else 0, path=path)


def _top(path: bytes) -> bytes | None:
    """Return the name below `submissions/` that a path belongs to, empty for `submissions` itself.

    None for every other path.
    """
    first, _, inside = path.partition(b"/")
    return inside.partition(b"/")[0] if first == SUBMISSIONS.encode() else None


def _tops(paths: bytes) -> set[bytes]:
    return {top for path in paths.split(b"\0") if (top := _top(path)) is not None}


def _write(checkout: Path, entries: list[_Entry], out: Path) -> None:
    """Write files first and links last, so that no file is ever written through a link."""
    left = _ALL
    links: list[tuple[bytes, Path]] = []
    for entry in entries:
        if any(part in _REFUSED or part.lower() == b".git" for part in entry.path.split(b"/")):
            raise UsageError(f"no path may be {entry.path!r}; the pull request is not looked at")
        path = out / os.fsdecode(entry.path)
        path.parent.mkdir(parents=True, exist_ok=True)
        if entry.mode == b"160000":  # another repository, which a checkout leaves as a folder
            path.mkdir()
        elif entry.mode == b"120000" and 0 < entry.size < _LONGEST_LINK:
            links.append((_blob(checkout, entry), path))
        elif entry.size > min(_MOST_BYTES, left):
            _stand_in(path, entry.size)
        else:
            left -= entry.size
            _create(path, _blob(checkout, entry))
    for target, path in links:
        path.symlink_to(os.fsdecode(target.replace(b"\0", b"?")))


def _blob(checkout: Path, entry: _Entry) -> bytes:
    return git_bytes(checkout, "cat-file", "blob", entry.object.decode())


def _create(path: Path, content: bytes) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW), "wb") as f:
        f.write(content)


def _stand_in(path: Path, size: int) -> None:
    _create(path, b"")
    os.truncate(path, size)
