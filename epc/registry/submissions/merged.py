"""Publishing merged submissions (`epc admin submission publish`): a refused one stops no other."""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

from epc.errors import MalformedError, UsageError, able_to
from epc.printable import code
from epc.registry.layout import ASIDE
from epc.registry.publishing import publish, published_as
from epc.registry.submissions import layout
from epc.registry.submissions.check import check_one, hold_apart, identities_of
from epc.registry.submissions.checked import Base, SubmissionCheck
from epc.registry.tags import Tag
from epc.registry.writing import RegistryLock

_MOST_LISTED: Final = 3


def is_submission(folder: Path) -> bool:
    """Return whether a folder is a submission, and no bare run."""
    return (folder / layout.STATEMENT).exists()


def promote(
    lock: RegistryLock,
    folder: Path,
    *,
    day: date,
    progress: Callable[[str], None],
    git: bool = True,
) -> Tag:
    """Publish a submission, or end its publication, and return its id.

    Raises: UsageError if it is refused, no baseline, or not in this checkout; WorldError if the
    disk or git fails.
    """
    home, folder = lock.checkout / layout.FOLDER, folder.absolute()
    if folder.parent.resolve() != home.resolve():
        raise UsageError(
            f"{folder} is not in {home}\n  fix: merge the submission, and publish it from there"
        )
    checked = _required(lock.checkout, home / folder.name, day)
    assert checked.offer is not None
    leaving = f"{layout.FOLDER}/{folder.name}"
    tag = publish(lock, checked.offer, day=day, progress=progress, git=git, leaving=leaving)
    _remove(home / folder.name, lock.home / f"{ASIDE}ed-{folder.name}")
    progress(f"removed {leaving}, which is {tag} now")
    return tag


def _remove(folder: Path, aside: Path) -> None:
    """Remove a folder; it goes from its place in one step, so that no half of it stays there."""
    with able_to("remove", folder):
        shutil.rmtree(aside, ignore_errors=True)
        folder.rename(aside)
        shutil.rmtree(aside)


def _required(checkout: Path, folder: Path, day: date) -> SubmissionCheck:
    """Return what the check found in a submission that can be published."""
    base = Base.from_checkout(checkout, day)
    checked = check_one(folder, base)
    if checked.statement and checked.identity:
        generation = checked.statement.generation
        itself = published_as(checkout, folder, generation, kind=checked.kind)
        hold_apart(checked, identities_of(base), {}, itself=itself)
    if not checked.ok:
        wrong = [str(f) for f in checked.findings.as_list() if f.severity == "error"]
        details = "\n".join([*checked.blocks, *wrong[:_MOST_LISTED]])
        raise UsageError(
            f"{folder} cannot be published: {len(wrong)} errors\n{details}\n"
            f"  fix: see `epc submission check {folder}`"
        )
    return checked


MARKER: Final = "<!-- epc-publication -->"
_LONGEST_REASON: Final = 1_000
_HOW: Final = (
    "Merge it with a merge commit: the tags are then made of these very commits. Whatever is "
    "refused stays in `submissions/` and is tried again; remove it by a pull request."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Outcome of one submission: the snapshot that it is now, or why it was refused."""

    slug: str
    tag: str | None
    refused: str | None


def promote_all(
    lock: RegistryLock, *, day: date, progress: Callable[[str], None], git: bool = True
) -> tuple[Outcome, ...]:
    """Publish each submission of a checkout, or say why not.

    Raises: WorldError if the disk or git fails; what was published before that stays.
    """
    home = lock.checkout / layout.FOLDER
    folders = sorted(path for path in home.iterdir() if path.is_dir()) if home.is_dir() else []
    return tuple(_promoted(lock, folder, day=day, progress=progress, git=git) for folder in folders)


def _promoted(
    lock: RegistryLock, folder: Path, *, day: date, progress: Callable[[str], None], git: bool
) -> Outcome:
    try:
        tag = promote(lock, folder, day=day, progress=progress, git=git)
    except (UsageError, MalformedError) as error:
        return Outcome(slug=folder.name, tag=None, refused=str(error))
    return Outcome(slug=folder.name, tag=str(tag), refused=None)


def markdown(outcomes: Sequence[Outcome]) -> str:
    """Return what a pull request that publishes says of itself; every text of others as code."""
    lines = [MARKER]
    for outcome in outcomes:
        if outcome.tag:
            lines.append(f"- publishes {code(outcome.tag)} from {code(outcome.slug)}")
        else:
            reason = code(outcome.refused or "", _LONGEST_REASON)
            lines.append(f"- **refused** {code(outcome.slug)}: {reason}")
    return "\n".join([*lines, "", _HOW]) + "\n"
