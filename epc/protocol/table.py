"""The verdict table: how often each strategy's answer to each task won, lost or tied.

gamma looks at where weights end after thirty random rounds; the table is what moved them. All that
a measurement knows of its evaluator stands in it, without the noise of the wheel (Reading R38).
"""

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from epc.arrays import Counts, np
from epc.protocol.verdict import Verdict
from epc.spec.domains import Domain, Domains

VERDICTS: Final = (Verdict.A, Verdict.B, Verdict.TIE)  # the order of the table's last axis
OUTCOMES: Final = (
    *VERDICTS,
    Verdict.MISSING,
)  # how a round can end; a table counts no missing pair
_INDEX: Final = {verdict: index for index, verdict in enumerate(VERDICTS)}


class Cell(Struct, frozen=True, kw_only=True):
    """A comparison: which strategy's answer to which task, by their indices, and the verdict."""

    domain: Domain
    strategy: int
    task: int
    verdict: Verdict


class VerdictTable(Struct, frozen=True, kw_only=True):
    """Counts of verdicts by domain, strategy, task and verdict.

    `repeated` says that a cell's verdict was asked once and used again (Reading R16): its counts
    are then 0 or 1, a cell's verdict is a fact of the evaluator and asking more seeds adds none.
    `is_whole` says that the table has all that there is, as recorded verdicts do: a cell without a
    verdict is missing for good, and no tie (Reading R72); otherwise nobody has asked yet.

    Shapes: `counts[domain]` is (K, tasks, 3), the verdicts in the order of `VERDICTS`.
    """

    counts: Mapping[Domain, Counts]
    repeated: bool
    is_whole: bool = False

    @property
    def strategies(self) -> int:
        """K."""
        return len(next(iter(self.counts.values())))

    @property
    def domains(self) -> Domains:
        """The domains of the table."""
        return Domains.from_names(self.counts)

    def of_domains(self, names: Iterable[Domain]) -> "VerdictTable":
        """Return the part of the table that is about some domains."""
        return replace(self, counts={name: self.counts[name] for name in names})

    def totals(self) -> dict[Verdict, int]:
        """Return how often each verdict stands in the table."""
        summed = sum(counts.sum(axis=(0, 1)) for counts in self.counts.values())
        return dict(zip(VERDICTS, map(int, summed), strict=True))

    def verdict_count(self) -> int:
        """Return the number of verdicts in the table."""
        return sum(self.totals().values())

    def tasks(self) -> dict[Domain, int]:
        """Return how many tasks each domain has."""
        return {domain: counts.shape[1] for domain, counts in self.counts.items()}


def tabulate(
    cells: Iterable[Cell],
    *,
    strategies: int,
    tasks: Mapping[Domain, int],
    repeated: bool,
    is_whole: bool = False,
) -> VerdictTable:
    """Return the table of all comparisons; where verdicts are repeated, each cell counts once."""
    counts = {domain: np.zeros((strategies, n, 3), np.int64) for domain, n in tasks.items()}
    for cell in cells:
        place = (cell.strategy, cell.task)
        if not repeated or not counts[cell.domain][place].any():
            counts[cell.domain][place][_INDEX[cell.verdict]] += 1
    return VerdictTable(counts=counts, repeated=repeated, is_whole=is_whole)
