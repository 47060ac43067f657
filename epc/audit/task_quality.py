"""How much each task of a measurement says: how often it is decided, what it tells apart.

A task on which nothing is decided, or on which every strategy fares alike, costs calls and says
nothing. One that ranks strategies against all others asks something else than its domain does.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from epc.arrays import Array, np
from epc.protocol.table import VerdictTable
from epc.spec.domains import Domain

_FEWEST: Final = 3  # strategies: through two points there is always a line


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskQuality:
    """What the verdicts on one task are worth, the baseline's comparison with itself left out.

    `asked` counts strategies with any verdict, `decided` those with an A or a B. `win_rate` is the
    mean over the decided strategies of how often their answer won, `spread` its population
    standard deviation, from 0 (all fare alike) to 0.5. `with_rest` is the correlation, over
    strategies, of their win rate here with that on the domain's other tasks; None where either
    does not vary or fewer than three strategies are decided.
    """

    domain: Domain
    task: int
    asked: int
    decided: int
    win_rate: float | None
    spread: float | None
    with_rest: float | None


def task_quality(
    table: VerdictTable, strategies: Sequence[str], baseline: str
) -> list[TaskQuality]:
    """Return the quality of each task, in the order of the record.

    Shapes: strategies (K,), in the order of the table.
    Source: item-rest correlation, as in L. Crocker and J. Algina, "Classical and modern test
    theory" (1986), chapter 14; rates are of decided verdicts (Reading R72).
    """
    kept = [index for index, name in enumerate(strategies) if name != baseline]
    qualities = []
    for domain in table.domains.names:
        counts = table.counts[domain][kept]
        decided = counts[..., 0] + counts[..., 1]
        rates = np.where(decided > 0, counts[..., 0] / np.maximum(decided, 1), np.nan)
        for task in range(rates.shape[1]):
            here = rates[:, task]
            own = here[~np.isnan(here)]
            qualities.append(
                TaskQuality(
                    domain=domain,
                    task=task,
                    asked=int((counts[:, task].sum(axis=1) > 0).sum()),
                    decided=len(own),
                    win_rate=float(own.mean()) if len(own) else None,
                    spread=float(own.std()) if len(own) else None,
                    with_rest=_correlation(here, np.delete(rates, task, axis=1)),
                )
            )
    return qualities


def _correlation(here: Array, others: Array) -> float | None:
    """Return how a task's rates go with the mean of the others', over strategies with both."""
    both = ~np.isnan(here) & ~np.isnan(others).all(axis=1)
    if both.sum() < _FEWEST:
        return None
    x, y = here[both], np.nanmean(others[both], axis=1)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    return float(np.corrcoef(x, y)[0, 1])
