"""What git remembers of the registry's events: a line that was ever there must still be there.

Each `published` event carries the digest of its snapshot's digests, so the events pin every byte
that was published, and git pins the events.
"""

import subprocess
from pathlib import Path
from typing import Final

from epc.errors import WorldError
from epc.registry import layout

_PATH: Final = f"{layout.FOLDER}/{layout.EVENTS}"


def lost_events(checkout: Path) -> list[str] | None:
    """Return the event lines that some commit held and the checkout no longer does.

    A line that was taken out and put back is not lost. Merges are compared with each parent, so
    two branches may both add lines. None where there is no history to look into, or only a part.

    Raises: WorldError if git fails.
    """
    if not _has_whole_history(checkout):
        return None
    path = checkout / _PATH
    present = set(path.read_text("utf-8").splitlines()) if path.exists() else set()
    log = git(checkout, "log", "-m", "--format=", "-p", "-U0", "--no-renames", "--", _PATH)
    once = dict.fromkeys(line[1:] for line in log.splitlines() if line.startswith(("+{", "-{")))
    return [line for line in once if line not in present]


def _has_whole_history(checkout: Path) -> bool:
    try:
        answer = git(checkout, "rev-parse", "--is-shallow-repository")
    except WorldError:
        return False
    if answer.strip() != "false":
        return False
    return bool(git(checkout, "rev-list", "--all", "--max-count=1").strip())


def git(folder: Path, *words: str) -> str:
    """Return what git answers.

    Raises: WorldError if it is missing or fails.
    """
    try:
        done = subprocess.run(  # noqa: S603  (no shell; the words are ours)
            ["git", "-C", str(folder), *words],  # noqa: S607  (the user's own git)
            capture_output=True,
            check=True,
        )
    except FileNotFoundError as error:
        raise WorldError("git is not installed\n  fix: install git") from error
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode(errors="replace").strip()
        raise WorldError(f"git {words[0]} failed: {said}") from error
    return done.stdout.decode("utf-8", errors="replace")
