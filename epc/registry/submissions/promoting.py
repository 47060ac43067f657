"""From a submission to a snapshot (`epc admin snapshot publish submissions/SLUG`).

The statement says what the options would. The commit that publishes also takes the submission out
of the checkout; its files are removed last, so that whatever is interrupted can be ended by the
same command.
"""

import shutil
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Final

from epc.errors import UsageError, able_to
from epc.registry.layout import ASIDE
from epc.registry.locking import RegistryLock
from epc.registry.offers import measured_offer
from epc.registry.publishing import publish, published_as
from epc.registry.submissions import layout
from epc.registry.submissions.check import Base, check_one
from epc.registry.submissions.report import Checked
from epc.registry.tags import Tag

_MOST_LISTED: Final = 3


def is_submission(folder: Path) -> bool:
    """Whether a folder is a submission, and no bare run."""
    return (folder / layout.STATEMENT).exists()


def promote(
    lock: RegistryLock, folder: Path, *, day: date, tell: Callable[[str], None], git: bool = True
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
    assert checked.statement is not None
    offer = checked.offer
    if checked.manifest and checked.audit:
        offer = measured_offer(
            home / folder.name,
            checked.manifest,
            checked.audit.as_json(),
            platform=checked.statement.platform,
            declaration=checked.statement.said(checked.attested),
        )
    assert offer is not None  # what can be published is a run or an evaluation
    leaving = f"{layout.FOLDER}/{folder.name}"
    tag = publish(lock, offer, day=day, tell=tell, git=git, leaving=leaving)
    _remove(home / folder.name, lock.home / f"{ASIDE}ed-{folder.name}")
    tell(f"removed {leaving}, which is {tag} now")
    return tag


def _remove(folder: Path, aside: Path) -> None:
    """Remove a folder; it goes from its place in one step, so that no half of it stays there."""
    with able_to("remove", folder):
        shutil.rmtree(aside, ignore_errors=True)
        folder.rename(aside)
        shutil.rmtree(aside)


def _required(checkout: Path, folder: Path, day: date) -> Checked:
    """Return what the check found in a submission that can be published."""
    base = Base.of(checkout, day)
    checked = check_one(folder, base, {})
    if not checked.ok and checked.statement and (checked.manifest or checked.offer):
        kind = checked.offer.kind if checked.offer else "measured"
        itself = published_as(checkout, folder, checked.statement.generation, kind=kind)
        checked = check_one(folder, base, {}, itself=itself) if itself else checked
    if not checked.ok:
        wrong = [str(f) for f in checked.findings.kept() if f.severity == "error"]
        details = "\n".join([*checked.blocks, *wrong[:_MOST_LISTED]])
        raise UsageError(
            f"{folder} cannot be published: {len(wrong)} errors\n{details}\n"
            f"  fix: see `epc submission check {folder}`"
        )
    return checked
