"""A campaign's folder: the runs of one command, each in a folder of its own.

campaign.json     which runs it has, and of which models
EVALUATOR_on_EXECUTOR/    a run folder each
answers/EXECUTOR/ the answers that the runs share, as they come; gone when all are complete
comparison.json   the runs side by side, once all are complete
"""

from pathlib import Path
from typing import Final

from msgspec import Struct

from epc.errors import UsageError
from epc.records.layout import MANIFEST
from epc.records.schemas import load

CAMPAIGN: Final = "campaign.json"
COMPARISON: Final = "comparison.json"
ANSWERS: Final = "answers"
SCHEMA_VERSION: Final = 2


class Member(Struct, frozen=True, kw_only=True):
    """A run of a campaign: its folder and its models; recorded verdicts need no executor.

    `answers` names the folder of the executor's answers.
    """

    folder: str
    evaluator: str
    executor: str | None
    answers: str | None


class Campaign(Struct, frozen=True, kw_only=True):
    """The runs of one command. `id` names it in their records (Reading R76)."""

    schema_version: int
    id: str
    runs: tuple[Member, ...]

    @classmethod
    def load(cls, folder: Path) -> "Campaign":
        """Read campaign.json.

        Raises: UsageError if the folder is no campaign's; MalformedError if the file was damaged.
        """
        if not is_campaign(folder):
            raise UsageError(f"{folder} is no campaign: it has no {CAMPAIGN}")
        return load(folder / CAMPAIGN, "campaign", cls, clause="Reading R76")

    def complete(self, folder: Path) -> list[Member]:
        """Return the runs that are complete."""
        return [run for run in self.runs if (folder / run.folder / MANIFEST).exists()]


def is_campaign(folder: Path) -> bool:
    """Return whether a folder holds the runs of one command."""
    return (folder / CAMPAIGN).is_file()


def each_run(path: Path) -> list[Path]:
    """Return the runs of a campaign's folder; any other path stands for itself."""
    if not is_campaign(path):
        return [path]
    return [path / member.folder for member in Campaign.load(path).runs]


def campaign_around(run: Path) -> Path | None:
    """Return the campaign's folder that a run is one of, if any."""
    parent = run.resolve().parent
    if is_campaign(parent) and any(
        member.folder == run.resolve().name for member in Campaign.load(parent).runs
    ):
        return run.parent if run.parent != run else parent
    return None
