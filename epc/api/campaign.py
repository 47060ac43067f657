"""Several evaluators and executors at once: what `epc.run` returns for lists of models."""

from dataclasses import astuple, dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from epc.analysis.campaign import Agreement, CampaignComparison, Row, compare_runs
from epc.api.frames import frame
from epc.api.measured import Run
from epc.records import campaign as records
from epc.report.campaign_text import report

if TYPE_CHECKING:
    import pandas as pd

COMPARISON: Final = tuple(field.name for field in fields(Row))
AGREEMENT: Final = tuple(field.name for field in fields(Agreement))


@dataclass(frozen=True, kw_only=True)
class Campaign:
    """The runs of one command. Each table is made when it is first asked for.

    `path` is the folder. `print(campaign)` prints what `epc show` does.
    """

    path: Path

    @cached_property
    def runs(self) -> dict[str, Run]:
        """Every complete run, by its folder's name.

        Raises: UsageError if the folder is no campaign's; MalformedError if its file was damaged.
        """
        complete = records.Campaign.load(self.path).complete(self.path)
        return {member.folder: Run(path=self.path / member.folder) for member in complete}

    @cached_property
    def comparison(self) -> "pd.DataFrame":
        """One row a run and direction: its word, what crosses, and the noise floor.

        Columns: those of `runs` in comparison.json; an interval is a pair of numbers or None.
        """
        return frame(map(astuple, self._compared.rows), COMPARISON)

    @cached_property
    def agreement(self) -> "pd.DataFrame":
        """One row for every two evaluators that judged the same answers.

        Columns: executor, left, right, shared, decided, same, same_ci95, chance.
        """
        return frame(map(astuple, self._compared.agreements), AGREEMENT)

    @cached_property
    def _compared(self) -> CampaignComparison:
        return compare_runs(self.path)

    def __str__(self) -> str:
        return report(self._compared)

    def __repr__(self) -> str:
        return f"<epc.Campaign {self.path.name}, {len(self.runs)} runs>"
