"""All merged submissions at once (`epc admin submission publish`): a refused one stops no other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

from epc.errors import MalformedError, UsageError
from epc.printable import code
from epc.registry.locking import RegistryLock
from epc.registry.submissions import layout
from epc.registry.submissions.promoting import promote

MARKER: Final = "<!-- epc-publication -->"
_LONGEST_REASON: Final = 1_000
_HOW: Final = (
    "Merge it with a merge commit: the tags are then made of these very commits. Whatever is "
    "refused stays in `submissions/` and is tried again; remove it by a pull request."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of one submission: the snapshot that it is now, or why it was refused."""

    slug: str
    tag: str | None
    refused: str | None


def promote_all(
    lock: RegistryLock, *, day: date, tell: Callable[[str], None], git: bool = True
) -> tuple[Outcome, ...]:
    """Publish each submission of a checkout, or say why not.

    Raises: WorldError if the disk or git fails; what was published before that stays.
    """
    home = lock.checkout / layout.FOLDER
    folders = sorted(path for path in home.iterdir() if path.is_dir()) if home.is_dir() else []
    return tuple(_promoted(lock, folder, day=day, tell=tell, git=git) for folder in folders)


def _promoted(
    lock: RegistryLock, folder: Path, *, day: date, tell: Callable[[str], None], git: bool
) -> Outcome:
    try:
        tag = promote(lock, folder, day=day, tell=tell, git=git)
    except (UsageError, MalformedError) as error:
        return Outcome(slug=folder.name, tag=None, refused=str(error))
    return Outcome(slug=folder.name, tag=str(tag), refused=None)


def markdown(outcomes: Sequence[Outcome]) -> str:
    """Return what a pull request that publishes says of itself; every text of others as code."""
    lines = [MARKER]
    for one in outcomes:
        if one.tag:
            lines.append(f"- publishes {code(one.tag)} from {code(one.slug)}")
        else:
            reason = code(one.refused or "", _LONGEST_REASON)
            lines.append(f"- **refused** {code(one.slug)}: {reason}")
    return "\n".join([*lines, "", _HOW]) + "\n"
